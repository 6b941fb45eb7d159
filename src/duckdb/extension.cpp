// What the extension consists of: everything that is registered with a DuckDB instance is registered from here.
#include "duckdb/extension.hpp"

#include "duckdb.hpp"
#include "duckdb/common/printer.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/missing_table.hpp"
#include "duckdb/commands/report_functions.hpp"
#include "duckdb/parser/dialect.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/spark_functions.hpp"
#include "duckdb/translate/spark_names.hpp"
#include "duckdb/translate/warnings.hpp"
#include "duckdb/write/copy_to.hpp"
#include "duckdb/write/store_assignment.hpp"

namespace birdfoot::duck {

void LoadExtension(duckdb::ExtensionLoader &loader) {
    auto &db = loader.GetDatabaseInstance();
    auto &config = duckdb::DBConfig::GetConfig(db);
    loader.SetDescription("Delta Lake tables: read, write and maintain them");
    RegisterSettings(db);
    duckdb::StorageExtension::Register(config, kStorageType, MakeStorageExtension(db));
    config.replacement_scans.insert(config.replacement_scans.begin(), MissingTableScan());
    RegisterScan(loader);
    RegisterStoreAssignment(config);
    RegisterCopyTo(loader);
    RegisterReportFunctions(loader);
    RegisterSparkFunctions(loader);
    RegisterSparkNames(loader);
    RegisterDialect(db);
    if (auto problem = AttachPathCatalog(db, CatalogNameOf(db)); !problem.empty()) {
        Warn(db, problem);
        duckdb::Printer::Print("birdfoot: " + problem);
    }
}

}  // namespace birdfoot::duck

extern "C" {
DUCKDB_CPP_EXTENSION_ENTRY(birdfoot, loader) { birdfoot::duck::LoadExtension(loader); }
}
