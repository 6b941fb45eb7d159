// UPDATE, MERGE and TRUNCATE as Spark writes them, bound as DuckDB's: * by the names of the table's columns, a.b = … as
// the struct with that field changed, columns without their qualifiers, the schema evolved before DuckDB sees the
// table.
#pragma once

#include <optional>

#include "duckdb.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/planner/binder.hpp"

#include "duckdb/catalog/delta_table.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

duckdb::BoundStatement BindUpdate(duckdb::ClientContext &context, duckdb::Binder &binder, const DeltaTableEntry &table,
                                  const sql::Update &update);
duckdb::BoundStatement BindMerge(duckdb::ClientContext &context, duckdb::Binder &binder, const DeltaTableEntry &table,
                                 const sql::Merge &merge);
//! A MERGE of DuckDB's own that failed to bind, tried once more with schema evolution; none where the session does not
//! ask for it (schema.autoMerge.enabled) or the table is none of ours.
std::optional<duckdb::BoundStatement> BindEvolvingMerge(duckdb::ClientContext &context, duckdb::Binder &binder,
                                                        const duckdb::MergeIntoStatement &merge);
duckdb::BoundStatement BindTruncate(duckdb::ClientContext &context, duckdb::Binder &binder,
                                    const sql::Truncate &truncate);

}  // namespace birdfoot::duck
