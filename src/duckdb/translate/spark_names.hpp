// What Spark's users write in queries and DuckDB lacks: current_timestamp() and a <=> b.
#pragma once

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

namespace birdfoot::duck {

void RegisterSparkNames(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
