// Values: core's Scalar and DuckDB's Value, both ways, exactly.
#pragma once

#include <optional>

#include "duckdb.hpp"

#include "core/schema/scalar.hpp"

namespace birdfoot::duck {

//! A value of TypeOf(scalar.type()). A date or timestamp that DuckDB cannot hold is an error (thrown).
duckdb::Value ValueOf(const Scalar &scalar);
//! The Scalar of the same value, of the Delta type that its DuckDB type reads as; none for types without one, for
//! infinities of time and for nested values. NULL is a NULL Scalar.
std::optional<Scalar> ScalarOf(const duckdb::Value &value);

}  // namespace birdfoot::duck
