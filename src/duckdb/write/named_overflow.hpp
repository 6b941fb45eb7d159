// A cast of numbers on their way into a column: a value that does not fit is an error that names the column.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

//! The same cast (anything else is given back as it is), which fails with `condition`.
duckdb::unique_ptr<duckdb::Expression> WithNamedOverflow(duckdb::unique_ptr<duckdb::Expression> cast,
                                                         const std::string &column, Condition condition);

}  // namespace birdfoot::duck
