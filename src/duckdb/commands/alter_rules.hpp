// ALTER TABLE on what a table says of its rows: CHECK constraints, defaults, identity columns.
#pragma once

#include <optional>
#include <string>

#include "duckdb.hpp"

#include "sql/statement.hpp"

namespace birdfoot::duck {

class DeltaTableEntry;

//! The rows that are there are checked first: DELTA_NEW_CHECK_CONSTRAINT_VIOLATION.
void AddTableConstraint(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::NamedConstraint &constraint);
void DropTableConstraint(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &name,
                         bool if_exists);

//! None: DROP DEFAULT.
void SetColumnDefault(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::ColumnPath &column,
                      const std::optional<std::string> &value);
//! The next numbers of an identity column come to lie behind those of the rows.
void SyncIdentity(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::ColumnPath &column);

}  // namespace birdfoot::duck
