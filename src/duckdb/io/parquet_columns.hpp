// Columns between DuckDB's vectors and core's ColumnVector, for the Parquet port. No Value objects: rows are copied
// array to array, strings are views.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "duckdb.hpp"

#include "core/io/parquet_io.hpp"

namespace birdfoot::duck {

//! The type that a column of this form is written as.
duckdb::LogicalType WrittenType(const ColumnType &type);

//! Reads rows[0 … count) of a flat vector of `total` rows into `out`. Strings point into the vector or into `arena`
//! (the texts of decimals). FAILED_READ_FILE where the vector's type is no `kind`; `column` names it.
Status ReadColumn(duckdb::Vector &vector, size_t total, const uint32_t *rows, size_t count, ColumnKind kind,
                  const std::string &column, std::deque<std::string> &arena, ColumnVector &out);

//! Writes in[from … from + count) to the start of a flat vector of type WrittenType(type).
void WriteColumn(const ColumnVector &in, size_t from, size_t count, const ColumnType &type, duckdb::Vector &vector);

}  // namespace birdfoot::duck
