// The functions named spark_… that translated expressions call (sql/translate): what DuckDB has no function for, or one
// with another meaning.
#pragma once

namespace duckdb {
class ExtensionLoader;
}

namespace birdfoot::duck {

void RegisterSparkFunctions(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
