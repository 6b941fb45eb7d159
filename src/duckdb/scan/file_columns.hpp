// The columns of a data file and those of the table: which is which (by physical name or by field id), what has to be
// read as another type because its bits mean that (INT96 and un-adjusted timestamps, binary without a mark), what is
// widened by a cast, and what is refused by name because reading it would be a guess.
#pragma once

#include "duckdb.hpp"
#include "parquet_reader.hpp"

#include "duckdb/scan/bound_scan.hpp"

namespace birdfoot::duck {

//! Gives each column of the file that the table knows the id of its ScanColumn, all others an id of their own, and
//! changes types in the reader's schema where bits are read as what the table says. FAILED_READ_FILE names a column
//! that cannot be read, DELTA_MISSING_COLUMN_ID a file without field ids in a table that is mapped by id.
void TieColumns(const BoundScan &scan, duckdb::ParquetReader &reader);

//! The position of the column with this id among `columns`.
std::optional<size_t> FindTied(const duckdb::vector<duckdb::MultiFileColumnDefinition> &columns, int32_t id);

//! True if a column is in the file exactly as the table has it, parts included, in the same order.
bool IsSame(const ScanColumn &column, const duckdb::MultiFileColumnDefinition &in_file);

}  // namespace birdfoot::duck
