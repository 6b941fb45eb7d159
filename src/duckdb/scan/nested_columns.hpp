// Nested columns that a file has in another shape than the table: fields in another order, under other names, missing
// or narrower. DuckDB's own remap_struct takes a NULL for a struct where the file has none of its fields.
#pragma once

#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/planner/expression.hpp"

#include "duckdb/scan/bound_scan.hpp"

namespace birdfoot::duck {

//! `value`, an expression of the file's type, as the table's column. The file's columns are tied (TieColumns).
duckdb::unique_ptr<duckdb::Expression> ToTableShape(duckdb::unique_ptr<duckdb::Expression> value,
                                                    const ScanColumn &column,
                                                    const duckdb::MultiFileColumnDefinition &in_file);

}  // namespace birdfoot::duck
