// Types: Delta's and DuckDB's, both ways.
#pragma once

#include "duckdb.hpp"

#include "core/schema/types.hpp"

namespace birdfoot::duck {

//! The DuckDB type that a Delta column is read and written as: timestamp → TIMESTAMP WITH TIME ZONE, timestamp_ntz →
//! TIMESTAMP, binary → BLOB, variant → VARIANT, void → "NULL" (INTEGER of NULLs).
duckdb::LogicalType TypeOf(const DataType &type);
//! The Delta type for a new column. Types that Delta lacks become the next one that loses nothing (HUGEINT →
//! decimal(38,0), UBIGINT → decimal(20,0), TIMESTAMP_S/MS/NS → timestamp_ntz, JSON / ENUM / UUID → string, smaller
//! unsigned → the next signed); TIME, INTERVAL, BIT, UNION, collated text are DELTA_UNSUPPORTED_DATA_TYPES, naming
//! `column`.
Result<DataType> DeltaTypeOf(const duckdb::LogicalType &type, const std::string &column);

}  // namespace birdfoot::duck
