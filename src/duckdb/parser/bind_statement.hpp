// From a statement that sql/ has read to a plan: a query over a report function, DuckDB's statement with options that
// its grammar lacks, or a command.
#pragma once

#include "duckdb.hpp"
#include "duckdb/planner/binder.hpp"

#include "sql/parser.hpp"

namespace birdfoot::duck {

//! Throws what DuckDB shows; statements that this version does not run are BIRDFOOT_UNSUPPORTED, by their names.
//! EXPLAIN and PREPARE before the statement are the caller's.
duckdb::BoundStatement BindStatement(duckdb::ClientContext &context, duckdb::Binder &binder, const sql::Parsed &parsed);

}  // namespace birdfoot::duck
