// PrepareChanges: what is done to an UPDATE, DELETE or MERGE of a Delta table between DuckDB's binder and its
// optimiser. Values assigned to columns are checked and cast as Spark does it. Of a MERGE the conditions are put into
// one column that numbers the clause of a row, and each clause's values are computed for its own rows alone: DuckDB
// computes all of them for every row of the join, so that a cast in one clause fails on the rows of another.
#pragma once

#include "duckdb.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/operator/logical_delete.hpp"
#include "duckdb/planner/operator/logical_merge_into.hpp"
#include "duckdb/planner/operator/logical_update.hpp"

namespace birdfoot::duck {

//! The alias of what an UPDATE leaves as it is, among its new values: no name that a column would have.
inline constexpr const char *kUnchanged = "\x01unchanged";

void PrepareDelete(duckdb::ClientContext &context, duckdb::LogicalDelete &erase);
void PrepareUpdate(duckdb::ClientContext &context, duckdb::LogicalUpdate &update);
void PrepareMerge(duckdb::ClientContext &context, duckdb::Binder &binder, duckdb::LogicalMergeInto &merge);

}  // namespace birdfoot::duck
