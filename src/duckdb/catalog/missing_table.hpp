// What to say of a path that holds no Delta table, and how it comes to be said before DuckDB tries its own readers on a
// name like delta."/data/file.parquet".
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/function/replacement_scan.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

//! Why `name` of a catalog of paths is no table.
Error NoTableAt(duckdb::ClientContext &context, const std::string &name);

//! Asked for tables that were not found: throws for those of a catalog of paths. Must come before DuckDB's own.
duckdb::ReplacementScan MissingTableScan();

}  // namespace birdfoot::duck
