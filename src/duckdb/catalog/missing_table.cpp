#include "duckdb/catalog/missing_table.hpp"

#include "duckdb/common/file_system.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/tableref.hpp"

#include "core/log/file_names.hpp"
#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

bool HasLog(duckdb::FileSystem &files, const std::string &folder) {
    return files.DirectoryExists(folder + "/" + std::string(kLogFolder));
}

//! The table that the folder lies in: of a partition, or the log itself. Empty if there is none.
std::string TableAround(duckdb::FileSystem &files, std::string folder) {
    for (auto slash = folder.rfind('/'); slash != std::string::npos && slash > 0; slash = folder.rfind('/')) {
        folder.erase(slash);
        if (HasLog(files, folder)) {
            return folder;
        }
    }
    return {};
}

//! What is in a folder that is no table.
struct Contents {
    bool anything = false;
    bool parquet = false;
    std::string table;  // a sub-folder, or one of a sub-folder's
};

Contents ContentsOf(duckdb::FileSystem &files, const std::string &folder, int depth) {
    constexpr size_t kMaxFolders = 100;  // a hint is not worth a walk through a whole disk
    Contents contents;
    std::vector<std::string> folders;
    files.ListFiles(folder, [&](const duckdb::string &name, bool is_folder) {
        contents.anything = true;
        contents.parquet = contents.parquet || name.ends_with(".parquet");
        if (is_folder && !name.starts_with('.') && folders.size() < kMaxFolders) {
            folders.push_back(folder + "/" + name);
        }
    });
    for (size_t i = 0; i < folders.size() && contents.table.empty() && depth > 0; i++) {
        contents.table = HasLog(files, folders[i]) ? folders[i] : ContentsOf(files, folders[i], depth - 1).table;
    }
    return contents;
}

std::string CureOf(duckdb::FileSystem &files, const std::string &root) {
    if (const auto around = TableAround(files, root); !around.empty()) {
        return fmt::format("It lies inside of the table {}. Name that one.", around);
    }
    const auto contents = ContentsOf(files, root, 2);
    if (!contents.table.empty()) {
        return fmt::format(
            "There are tables below it, such as {}. Name one of them, or the folder by ATTACH '{}' AS lake "
            "(TYPE birdfoot).",
            contents.table, root);
    }
    if (contents.parquet) {
        return fmt::format("It holds Parquet files: read_parquet('{}/*.parquet') reads them.", root);
    }
    return contents.anything ? "Check the path." : "It is empty. Check the path, or make the table with CREATE TABLE.";
}

}  // namespace

Error NoTableAt(duckdb::ClientContext &context, const std::string &name) {
    auto target = TargetInName(context, name);
    auto root = NormalizeTableRoot(target ? target->first : name);
    auto &files = duckdb::FileSystem::GetFileSystem(context);
    if (files.DirectoryExists(root)) {
        return Fail(Condition::DELTA_MISSING_DELTA_TABLE,
                    "{} is not a Delta table. The folder is there, but it holds no transaction log. {}", root,
                    CureOf(files, root));
    }
    if (files.FileExists(root)) {
        return Fail(Condition::DELTA_MISSING_DELTA_TABLE,
                    "{} is not a Delta table. It is a file; a Delta table is a folder. Name the folder, or query the "
                    "file by FROM '{}'.",
                    root, root);
    }
    return Fail(
        Condition::DELTA_PATH_DOES_NOT_EXIST,
        "{} doesn't exist. No Delta table was found there. Check the path, or make the table with CREATE TABLE.", root);
}

namespace {

duckdb::unique_ptr<duckdb::TableRef> ExplainMissingTable(duckdb::ClientContext &context,
                                                         duckdb::ReplacementScanInput &input,
                                                         duckdb::optional_ptr<duckdb::ReplacementScanData>) {
    return Guarded([&]() -> duckdb::unique_ptr<duckdb::TableRef> {
        auto catalog =
            input.catalog_name.empty() ? nullptr : duckdb::Catalog::GetCatalogEntry(context, input.catalog_name);
        if (catalog && catalog->GetCatalogType() == kStorageType &&
            catalog->Cast<DeltaCatalog>().kind() == CatalogKind::kPaths) {
            if (!input.schema_name.empty() && !duckdb::StringUtil::CIEquals(input.schema_name, kMainSchema)) {
                Throw(Fail(Condition::DELTA_TABLE_NOT_FOUND,
                           "The catalog {} has no schema {}: a path stands right behind the first dot. Write {}.`{}`.",
                           input.catalog_name, input.schema_name, input.catalog_name, input.table_name));
            }
            Throw(NoTableAt(context, input.table_name));
        }
        return nullptr;
    });
}

}  // namespace

duckdb::ReplacementScan MissingTableScan() { return duckdb::ReplacementScan(ExplainMissingTable); }

}  // namespace birdfoot::duck
