// FLOAT and DOUBLE → DECIMAL as Spark does it: the number that is written with the fewest digits is rounded, half away
// from zero. 1.005 becomes 1.01, where DuckDB's cast multiplies by a power of ten first and makes 1.00 of it.
#pragma once

#include "duckdb.hpp"
#include "duckdb/function/cast/default_casts.hpp"

namespace birdfoot::duck {

//! Whether such a cast is part of that of `from` to `to`, at the top or within structs, lists and maps.
bool MakesDecimalsOfReals(const duckdb::LogicalType &from, const duckdb::LogicalType &to);

//! A cast that makes them so, and is DuckDB's in everything else.
duckdb::BoundCastInfo CastWithDecimalsOfReals(duckdb::ClientContext &context, const duckdb::LogicalType &from,
                                              const duckdb::LogicalType &to);

}  // namespace birdfoot::duck
