// What the extension consists of: everything that is registered with a DuckDB instance is registered from here.
#include "duckdb/extension.hpp"

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

namespace birdfoot::duck {

void LoadExtension(duckdb::ExtensionLoader &loader) {
    loader.SetDescription("Delta Lake tables: read, write and maintain them");
}

}  // namespace birdfoot::duck

extern "C" {
DUCKDB_CPP_EXTENSION_ENTRY(birdfoot, loader) {
    birdfoot::duck::LoadExtension(loader);
}
}
