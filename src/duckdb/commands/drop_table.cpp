#include "duckdb/commands/drop_table.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/post_commit.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

void DeleteFolderAtCommit(duckdb::DatabaseInstance &db, DeltaTransaction &transaction, const std::string &folder,
                          const std::string &name) {
    const auto aside = std::make_shared<std::string>();
    transaction.AtCommit({
        [&db, aside, folder](const Call &) -> Status {
            PostCommitWork::Wait(db);  // it may write into the folder
            BF_ASSIGN(*aside, Warehouse::SetAside(folder));
            return {};
        },
        [aside, folder] { (void)Warehouse::MoveFolder(*aside, folder).ok(); },
        [store = transaction.engine().store, aside, name](const Call &call) -> Status {
            const auto deleted = store->DeleteFolder(*aside, call);
            return deleted.ok() ? deleted
                                : Fail(Condition::BIRDFOOT_IO,
                                       "{} is dropped, but not all of its files, which are in {} now, could be "
                                       "deleted. {} Delete that folder by hand.",
                                       name, *aside, deleted.error().text());
        },
    });
}

void DropDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, const duckdb::DropInfo &info) {
    auto &catalog = schema.delta_catalog();
    if (info.type != duckdb::CatalogType::TABLE_ENTRY) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "A catalog of Delta tables holds tables only; {} is none of its.",
                   info.name));
    }
    if (catalog.read_only()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be dropped. {}", info.name,
                   catalog.ReadOnlyReason()));
    }
    if (catalog.kind() == CatalogKind::kPaths) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "DROP TABLE drops names, and {} is a path. To delete the table with all its files, delete the folder.",
                 info.name));
    }
    if (catalog.kind() == CatalogKind::kTable) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "{} is attached by its path. DETACH {} lets go of it; to delete the table with all its files, delete "
                 "the folder.",
                 info.name, catalog.GetName()));
    }
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto place = schema.PlaceOf(context, info.name);
    if (!place) {
        return;  // DuckDB has looked it up before, and said so
    }
    transaction.SetName(schema.name, place->name, std::nullopt);
    if (!place->managed) {
        auto names = catalog.NamesOf(transaction.engine());
        transaction.AtCommit({
            [names, place = *place](const Call &call) { return names.RemoveName(place, call); },
            [names, place = *place] { (void)names.WriteName(place, Call()).ok(); },
            {},
        });
        return;
    }
    CheckAccess(context, place->root);
    transaction.MarkDeleted(place->root);
    DeleteFolderAtCommit(*context.db, transaction, place->root, info.name);
}

}  // namespace birdfoot::duck
