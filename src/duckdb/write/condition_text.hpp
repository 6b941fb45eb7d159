// The condition of an UPDATE, DELETE or MERGE in words, for the table's history and for errors.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/logical_operator.hpp"

namespace birdfoot::duck {

//! As history shows it: constants that the binder casts are shown as what they become.
std::string TextOf(duckdb::ClientContext &context, const duckdb::Expression &expression);

//! The conditions of the filters and of the join at the top of a plan; empty if there are none.
std::string ConditionOf(duckdb::ClientContext &context, const duckdb::LogicalOperator &op);

}  // namespace birdfoot::duck
