#include "duckdb/commands/schemas.hpp"

#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/commands/drop_table.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

void RequireWarehouse(DeltaCatalog &catalog, const char *statement) {
    if (catalog.read_only()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} is refused. {}", statement, catalog.ReadOnlyReason()));
    }
    if (catalog.kind() != CatalogKind::kWarehouse) {
        Throw(Fail(
            Condition::DELTA_OPERATION_NOT_ALLOWED,
            "{} needs a warehouse: ATTACH 'folder' AS lake (TYPE birdfoot). The catalog {} has the one schema main.",
            statement, catalog.GetName()));
    }
}

}  // namespace

void CreateDeltaSchema(duckdb::ClientContext &context, DeltaCatalog &catalog, const duckdb::CreateSchemaInfo &info) {
    RequireWarehouse(catalog, "CREATE SCHEMA");
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto names = catalog.NamesOf(transaction.engine());
    auto call = CallOf(context);
    auto *changed = transaction.ChangedName(info.schema, "");
    bool exists = changed ? changed->has_value() : ValueOrThrow(names.FindSchema(info.schema, call)).has_value();
    if (exists) {
        if (info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT) {
            return;
        }
        throw duckdb::CatalogException("Schema with name \"" + info.schema + "\" already exists!");
    }
    if (changed) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                   "The schema {} was dropped in this transaction; its folder goes at the COMMIT. COMMIT first.",
                   info.schema));
    }
    OkOrThrow(names.CheckName(info.schema));
    transaction.SetName(info.schema, "", Warehouse::Place{info.schema, {}, true, {}});
    transaction.AtCommit({
        [names, schema = info.schema](const Call &commit) { return names.CreateSchema(schema, commit); },
        {},
        {},
    });
}

void DropDeltaSchema(duckdb::ClientContext &context, DeltaCatalog &catalog, const duckdb::DropInfo &info) {
    RequireWarehouse(catalog, "DROP SCHEMA");
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto names = catalog.NamesOf(transaction.engine());
    auto call = CallOf(context);
    auto *changed = transaction.ChangedName(info.name, "");
    auto schema = changed ? std::nullopt : ValueOrThrow(names.FindSchema(info.name, call));
    if (!schema) {
        if (info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) {
            return;
        }
        throw duckdb::CatalogException("Schema with name \"" + info.name + "\" does not exist in the catalog " +
                                       catalog.GetName() + (changed ? ", or was made by this transaction!" : "!"));
    }
    if (*schema == kMainSchema) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "The schema main cannot be dropped."));
    }
    if (auto made = transaction.NewNames(*schema); !made.empty()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                   "The schema {} is not dropped: this transaction has made {} in it. COMMIT first.", *schema,
                   made.front()));
    }
    auto tables = ValueOrThrow(names.Tables(*schema, call));
    auto others = ValueOrThrow(names.OthersIn(*schema, call));
    for (auto &table : tables) {
        if (table.managed && !ValueOrThrow(IsDeltaTable(transaction.engine(), table.root, call))) {
            others.push_back(table.name);
        }
    }
    if (!others.empty()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                   "The schema {} is not dropped: its folder holds what is no Delta table ({}). Move that away first.",
                   *schema, others.front()));
    }
    if (!tables.empty() && !info.cascade) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                   "The schema {} is not empty: it has the table {}. DROP SCHEMA … CASCADE drops its tables too, and "
                   "deletes the files of those without a LOCATION.",
                   *schema, tables.front().name));
    }
    for (auto &table : tables) {
        transaction.SetName(*schema, table.name, std::nullopt);
        if (table.managed) {
            transaction.MarkDeleted(table.root);
        }
    }
    transaction.SetName(*schema, "", std::nullopt);
    DeleteFolderAtCommit(*context.db, transaction, names.FolderOf(*schema), "The schema " + *schema);
}

}  // namespace birdfoot::duck
