// UPDATE and MERGE as Spark writes them, in DuckDB's words: * by the names of the table's columns, a.b = … as the struct
// with that field changed, columns without their qualifiers.
#pragma once

#include <string>

#include "duckdb/catalog/delta_table.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

std::string UpdateText(const DeltaTableEntry &table, const sql::Update &update);
std::string MergeText(const DeltaTableEntry &table, const sql::Merge &merge);

}  // namespace birdfoot::duck
