// The way in for whoever loads the engine into a DuckDB instance: LOAD, the command line, programs that link it.
#pragma once

namespace duckdb {
class ExtensionLoader;
}

namespace birdfoot::duck {

void LoadExtension(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
