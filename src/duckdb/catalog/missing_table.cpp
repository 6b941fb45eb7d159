#include "duckdb/catalog/missing_table.hpp"

#include "duckdb/common/file_system.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/tableref.hpp"

#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

Error NoTableAt(duckdb::ClientContext &context, const std::string &name) {
    auto target = TargetInName(context, name);
    auto root = NormalizeTableRoot(target ? target->first : name);
    auto &files = duckdb::FileSystem::GetFileSystem(context);
    if (files.DirectoryExists(root)) {
        return Fail(Condition::DELTA_MISSING_DELTA_TABLE,
                    "{} is not a Delta table. The folder is there, but it holds no transaction log. For a folder of "
                    "Parquet files use read_parquet('{}/*.parquet').",
                    root, root);
    }
    if (files.FileExists(root)) {
        return Fail(Condition::DELTA_MISSING_DELTA_TABLE,
                    "{} is not a Delta table. It is a file; a Delta table is a folder. Name the folder, or query the "
                    "file by FROM '{}'.",
                    root, root);
    }
    return Fail(Condition::DELTA_PATH_DOES_NOT_EXIST,
                "{} doesn't exist. No Delta table was found there. Check the path, or make the table with CREATE TABLE.",
                root);
}

namespace {

duckdb::unique_ptr<duckdb::TableRef> ExplainMissingTable(duckdb::ClientContext &context,
                                                         duckdb::ReplacementScanInput &input,
                                                         duckdb::optional_ptr<duckdb::ReplacementScanData>) {
    return Guarded([&]() -> duckdb::unique_ptr<duckdb::TableRef> {
        auto catalog = input.catalog_name.empty() ? nullptr
                                                  : duckdb::Catalog::GetCatalogEntry(context, input.catalog_name);
        if (catalog && catalog->GetCatalogType() == kStorageType &&
            catalog->Cast<DeltaCatalog>().kind() == CatalogKind::kPaths) {
            Throw(NoTableAt(context, input.table_name));
        }
        return nullptr;
    });
}

}  // namespace

duckdb::ReplacementScan MissingTableScan() {
    return duckdb::ReplacementScan(ExplainMissingTable);
}

}  // namespace birdfoot::duck
