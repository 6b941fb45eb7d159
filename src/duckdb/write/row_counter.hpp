// RowCounter: an operator that hands its rows on and counts them: history says how many rows the source of a MERGE had,
// and the join above it drops some.
#pragma once

#include <atomic>
#include <memory>

#include "duckdb.hpp"
#include "duckdb/planner/logical_operator.hpp"

namespace birdfoot::duck {

using RowCount = std::shared_ptr<std::atomic<uint64_t>>;

//! Puts a counter on top of `child`.
duckdb::unique_ptr<duckdb::LogicalOperator> CountRows(duckdb::unique_ptr<duckdb::LogicalOperator> child,
                                                      RowCount count);

}  // namespace birdfoot::duck
