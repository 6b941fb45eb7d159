// ATTACH (TYPE birdfoot), and the catalog of paths that LOAD attaches by itself.
#include "duckdb/catalog/delta_catalog.hpp"

#include "duckdb/common/string_util.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/parser/keyword_helper.hpp"
#include "duckdb/parser/parsed_data/attach_info.hpp"

#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/post_commit.hpp"
#include "duckdb/catalog/transaction_manager.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

constexpr const char *kPathsOption = "PATHS";  // a catalog in which every name is a path

//! PATHS makes a catalog of paths, a table's path a catalog of that one table, any other a warehouse.
duckdb::unique_ptr<duckdb::Catalog> Attach(duckdb::ClientContext &context, duckdb::AttachedDatabase &db,
                                           const std::string &path, const duckdb::AttachOptions &options) {
    bool paths = false;
    for (auto &option : options.options) {
        if (!duckdb::StringUtil::CIEquals(option.first, kPathsOption)) {
            Throw(Fail(
                Condition::DELTA_ILLEGAL_OPTION,
                "ATTACH has no option '{}' for Delta tables. It has READ_ONLY, READ_WRITE, DEFAULT_TABLE and HIDDEN.",
                option.first));
        }
        paths = true;
    }
    if (path.empty() != paths) {
        Throw(Fail(
            Condition::BIRDFOOT_INVALID_INPUT,
            "ATTACH (TYPE birdfoot) takes the folder of a table, or one of schemas and tables. The catalog in which "
            "every name is a path has no folder: ATTACH '' AS {} (TYPE birdfoot, PATHS).",
            db.GetName()));
    }
    if (paths) {
        return duckdb::make_uniq<DeltaCatalog>(db, CatalogKind::kPaths, "");
    }
    if (path.find(".`") != std::string::npos || path.find(".\"") != std::string::npos) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "{} is a name. ATTACH (TYPE birdfoot) takes a folder as it stands: ATTACH '/path/to/folder'.",
                   path));
    }
    auto root = NormalizeTableRoot(path);
    CheckAccess(context, root);
    auto engine = EngineOf(*context.db);
    auto call = CallOf(context);
    if (ValueOrThrow(IsDeltaTable(engine, root, call))) {
        return duckdb::make_uniq<DeltaCatalog>(db, CatalogKind::kTable, root);
    }
    auto &files = duckdb::FileSystem::GetFileSystem(context);
    if (files.FileExists(root)) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "{} is a file. ATTACH (TYPE birdfoot) takes a folder: a Delta table, or one of schemas and tables.",
                   root));
    }
    if (options.access_mode == duckdb::AccessMode::READ_ONLY && !files.DirectoryExists(root)) {
        Throw(Fail(Condition::DELTA_PATH_DOES_NOT_EXIST, "{} doesn't exist, and READ_ONLY cannot make it.", root));
    }
    return duckdb::make_uniq<DeltaCatalog>(db, CatalogKind::kWarehouse, root);
}

duckdb::unique_ptr<duckdb::Catalog> AttachCallback(duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
                                                   duckdb::ClientContext &context, duckdb::AttachedDatabase &db,
                                                   const duckdb::string &, duckdb::AttachInfo &info,
                                                   duckdb::AttachOptions &options) {
    return Guarded([&] { return Attach(context, db, info.path, options); });
}

duckdb::unique_ptr<duckdb::TransactionManager> ManagerCallback(duckdb::optional_ptr<duckdb::StorageExtensionInfo>,
                                                               duckdb::AttachedDatabase &db, duckdb::Catalog &catalog) {
    return duckdb::make_uniq<DeltaTransactionManager>(db, catalog.Cast<DeltaCatalog>());
}

}  // namespace

duckdb::shared_ptr<duckdb::StorageExtension> MakeStorageExtension(duckdb::DatabaseInstance &db) {
    auto extension = duckdb::make_shared_ptr<duckdb::StorageExtension>();
    extension->storage_info = duckdb::make_shared_ptr<PostCommitWork>(db);
    extension->attach = AttachCallback;
    extension->create_transaction_manager = ManagerCallback;
    return extension;
}

std::string AttachPathCatalog(duckdb::DatabaseInstance &db, const std::string &name) {
    duckdb::Connection connection(db);
    auto taken = connection.Query("SELECT type, path FROM duckdb_databases() WHERE lower(database_name) = lower(" +
                                  duckdb::KeywordHelper::WriteQuoted(name, '\'') + ")");
    if (taken->HasError()) {
        taken->ThrowError();
    }
    if (taken->RowCount() > 0) {
        if (taken->GetValue(0, 0).ToString() == kStorageType) {
            return "";
        }
        return fmt::format(
            "Another database is attached as {}, so Delta tables cannot be named as {}.\"/path\". "
            "SET birdfoot_catalog_name = 'another_name' attaches the catalog of paths under that name.",
            name, name);
    }
    auto attached = connection.Query("ATTACH '' AS " + duckdb::KeywordHelper::WriteQuoted(name, '"') + " (TYPE " +
                                     kStorageType + ", " + kPathsOption + ")");
    if (attached->HasError()) {
        attached->ThrowError();
    }
    return "";
}

}  // namespace birdfoot::duck
