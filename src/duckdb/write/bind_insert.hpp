// BindInsert: the forms of INSERT that DuckDB's grammar lacks, bound as DuckDB's own INSERT with InsertOptions:
// OVERWRITE, REPLACE WHERE, PARTITION (p = v), WITH SCHEMA EVOLUTION. The statement layer calls it; so does COPY … TO
// (FORMAT delta).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/planner/binder.hpp"

#include "duckdb/write/insert_options.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

//! The statement as Spark's parser read it. `options`: those of the session are added (autoMerge, dynamic overwrite).
duckdb::BoundStatement BindInsert(duckdb::Binder &binder, duckdb::ClientContext &context, const sql::Insert &insert);

struct InsertRequest {
    duckdb::unique_ptr<duckdb::InsertStatement> statement;  // DuckDB's
    InsertOptions options;
    //! With options.overwrite_schema: the table's partition columns from then on.
    std::vector<std::string> partition_columns;
};
//! An INSERT of DuckDB's grammar with options. Binds the query twice where the schema may change.
duckdb::BoundStatement BindInsert(duckdb::Binder &binder, duckdb::ClientContext &context, InsertRequest request);

//! An INSERT of DuckDB's own that failed to bind, tried once more with schema evolution; none where the session does
//! not ask for it (schema.autoMerge.enabled) or the table is none of ours.
std::optional<duckdb::BoundStatement> BindEvolvingInsert(duckdb::Binder &binder, duckdb::ClientContext &context,
                                                         const duckdb::InsertStatement &statement);

}  // namespace birdfoot::duck
