// Spark's dialect in DuckDB: the parser hooks. The override sees every text first and takes what sql/ reads as ours;
// where a user has switched it off, what DuckDB cannot parse or bind still comes to the other hooks.
#pragma once

#include "duckdb.hpp"
#include "duckdb/parser/parser_extension.hpp"

namespace birdfoot::duck {

void RegisterDialect(duckdb::DatabaseInstance &db);

//! The hooks, as a statement of ours carries them.
duckdb::ParserExtension DialectExtension();

}  // namespace birdfoot::duck
