#include "duckdb/commands/rename_table.hpp"

#include "core/schema/schema_rules.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/post_commit.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

Warehouse::Place PlaceToChange(duckdb::ClientContext &context, DeltaSchema &schema, const DeltaTableEntry &table,
                               const char *what) {
    table.RequireWritable();
    auto &catalog = schema.delta_catalog();
    if (catalog.kind() != CatalogKind::kWarehouse) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "{} changes names, and {} is a path. Tables have names in a warehouse: ATTACH 'folder' AS lake (TYPE "
                 "birdfoot).",
                 what, table.name));
    }
    auto place = schema.PlaceOf(context, table.name);
    if (!place) {
        Throw(Fail(Condition::DELTA_TABLE_NOT_FOUND, "There is no table {} any more.", table.name));
    }
    return std::move(*place);
}

void MoveName(DeltaTransaction &transaction, const Warehouse &names, const Warehouse::Place &from,
              const Warehouse::Place &to) {
    transaction.AtCommit({
        [names, to](const Call &call) -> Status {
            BF_RETURN_IF_ERROR(names.WriteName(to, call));
            return {};
        },
        [names, to] { (void)names.RemoveName(to, Call()).ok(); },
        [names, from](const Call &call) { return names.RemoveName(from, call); },
    });
}

void MoveManaged(duckdb::DatabaseInstance &db, DeltaTransaction &transaction, const Warehouse::Place &from,
                 const Warehouse::Place &to) {
    if (duckdb::FileSystem::IsRemoteFile(from.root)) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "{} lies in an object store, where folders cannot be moved. CREATE TABLE {} … AS copies it.",
                   from.name, to.name));
    }
    transaction.AtCommit({
        [&transaction, from](const Call &) -> Status {
            auto *work = transaction.work();
            if (work && work->transaction.root() == from.root &&
                (work->created || !work->transaction.changes().empty())) {
                return Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                            "The transaction writes to {} and renames it. COMMIT in between.", from.name);
            }
            return {};
        },
        {},
        [&db, from, to](const Call &) {
            PostCommitWork::Wait(db);  // it writes into the folder
            return Warehouse::MoveFolder(from.root, to.root);
        },
    });
}

}  // namespace

void RenameTable(duckdb::ClientContext &context, DeltaSchema &schema, DeltaTableEntry &table,
                 const std::string &new_schema, const std::string &new_name) {
    const auto from = PlaceToChange(context, schema, table, "RENAME TO");
    auto &catalog = schema.delta_catalog();
    auto &transaction = DeltaTransaction::Get(context, catalog);
    const auto names = catalog.NamesOf(transaction.engine());
    const auto found = ValueOrThrow(names.FindSchema(new_schema, CallOf(context)));
    if (!found) {
        throw duckdb::CatalogException("Schema with name \"" + new_schema + "\" does not exist in the catalog " +
                                       catalog.GetName() + "!");
    }
    const auto location = from.managed ? std::nullopt : std::optional(from.root);
    const auto to = ValueOrThrow(names.PlaceFor(*found, new_name, location));
    if (catalog.SchemaNamed(*found).PlaceOf(context, new_name)) {
        Throw(Fail(Condition::DELTA_TABLE_ALREADY_EXISTS, "Table {} already exists. Choose another name.", new_name));
    }
    if (from.managed) {
        MoveManaged(*context.db, transaction, from, to);
    } else {
        MoveName(transaction, names, from, to);
    }
    transaction.SetName(schema.name, from.name, std::nullopt);
    // Until the COMMIT the table is where it was.
    transaction.SetName(*found, new_name, Warehouse::Place{new_name, from.root, from.managed, to.name_file});
}

void SetTableLocation(duckdb::ClientContext &context, DeltaSchema &schema, DeltaTableEntry &table,
                      const std::string &location) {
    auto &catalog = schema.delta_catalog();
    if (catalog.kind() != CatalogKind::kWarehouse) {
        Throw(Fail(Condition::DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER,
                   "Cannot change the location of a path based table: {}.", table.name));
    }
    const auto from = PlaceToChange(context, schema, table, "SET LOCATION");
    if (from.managed) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "{} was created without a LOCATION: it lies in the warehouse's own folder, which its name stands for. "
                 "Create another name with CREATE TABLE … LOCATION.",
                 table.name));
    }
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto to = from;
    to.root = NormalizeTableRoot(location);
    const auto there = transaction.Pin(context, to.root);
    if (!there) {
        Throw(Fail(Condition::DELTA_MISSING_DELTA_TABLE, "{} is not a Delta table.", to.root));
    }
    const auto &here = *table.snapshot();
    if (!DataType::Struct(here.schema()).SameAs(DataType::Struct(there->schema())) ||
        here.metadata().partition_columns != there->metadata().partition_columns) {
        Throw(Fail(Condition::DELTA_SET_LOCATION_SCHEMA_MISMATCH,
                   "The schema of the new Delta location is different than the current table schema.\noriginal "
                   "schema:\n{}\ndestination schema:\n{}",
                   SchemaToTree(here.schema()), SchemaToTree(there->schema())));
    }
    const auto names = catalog.NamesOf(transaction.engine());
    transaction.AtCommit({
        [names, to](const Call &call) { return names.ReplaceName(to, call); },
        [names, from] { (void)names.ReplaceName(from, Call()).ok(); },
        {},
    });
    transaction.SetName(schema.name, from.name, to);
}

}  // namespace birdfoot::duck
