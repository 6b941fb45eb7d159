// Warnings: what went wrong without a statement failing for it goes to DuckDB's log (`CALL enable_logging()`,
// `FROM duckdb_logs`).
#pragma once

#include <string>

#include "duckdb.hpp"

namespace birdfoot::duck {

void Warn(duckdb::DatabaseInstance &db, const std::string &text);

}  // namespace birdfoot::duck
