// See table_names.hpp.
#include "duckdb/parser/table_names.hpp"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"

#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

duckdb::CatalogEntry &EntryOf(duckdb::ClientContext &context, const TableAddress &address) {
    const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY, address.table);
    return *duckdb::Catalog::GetEntry(context, address.catalog, address.schema, lookup,
                                      duckdb::OnEntryNotFound::THROW_EXCEPTION);
}

bool IsOurs(duckdb::Catalog &catalog) { return catalog.GetCatalogType() == kStorageType; }

}  // namespace

TableAddress AddressOf(duckdb::ClientContext &context, const sql::TableName &name) {
    if (name.path) {
        return {CatalogNameOf(*context.db), DEFAULT_SCHEMA, *name.path};
    }
    const auto &parts = name.parts;
    if (parts.size() > 3) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "The name {} has {} parts. A table has a name, its schema's and its catalog's. Put a path into `…`.",
                   name.ToText(), parts.size()));
    }
    TableAddress address;
    address.table = parts.back();
    if (parts.size() == 3) {
        address.catalog = parts[0];
    }
    if (parts.size() >= 2) {
        address.schema = parts[parts.size() - 2];
    }
    duckdb::Binder::BindSchemaOrCatalog(context, address.catalog, address.schema);
    return address;
}

DeltaTableEntry *FindDeltaTable(duckdb::ClientContext &context, const sql::TableName &name) {
    auto &entry = EntryOf(context, AddressOf(context, name));
    const bool ours = entry.type == duckdb::CatalogType::TABLE_ENTRY && IsOurs(entry.ParentCatalog());
    return ours ? &entry.Cast<DeltaTableEntry>() : nullptr;
}

DeltaTableEntry &DeltaTableOf(duckdb::ClientContext &context, const sql::TableName &name,
                              const std::string &operation) {
    auto *table = FindDeltaTable(context, name);
    if (table == nullptr) {
        Throw(
            Fail(Condition::DELTA_TABLE_ONLY_OPERATION,
                 "{} is not a Delta table. {} is only supported for Delta tables. Name one by its path: delta.`path`.",
                 name.ToText(), operation));
    }
    return *table;
}

TableRoot RootOf(duckdb::ClientContext &context, const sql::TableName &name, const std::string &operation) {
    const auto address = AddressOf(context, name);
    if (!address.catalog.empty()) {
        auto database = duckdb::DatabaseManager::Get(context).GetDatabase(context, address.catalog);
        if (database && IsOurs(database->GetCatalog()) &&
            database->GetCatalog().Cast<DeltaCatalog>().kind() == CatalogKind::kPaths) {
            return {NormalizeTableRoot(address.table), {}};
        }
    }
    auto &table = DeltaTableOf(context, name, operation);
    if (table.delta_catalog().kind() == CatalogKind::kPaths) {
        return {table.root(), {}};
    }
    sql::TableName qualified;
    qualified.parts = {table.ParentCatalog().GetName(), table.ParentSchema().name, table.name};
    return {table.root(), qualified.ToText()};
}

NewTableAddress NewTableOf(duckdb::ClientContext &context, duckdb::Binder &binder, const sql::TableName &name) {
    const auto address = AddressOf(context, name);
    duckdb::CreateTableInfo info(address.catalog, address.schema, address.table);
    auto &schema = binder.BindSchema(info);
    if (!IsOurs(schema.ParentCatalog())) {
        Throw(Fail(
            Condition::BIRDFOOT_INVALID_INPUT,
            "{} would be a table of {}, which is no catalog of Delta tables. ATTACH a folder as a warehouse with (TYPE "
            "birdfoot) and name the table in it, or give a path: delta.`path`.",
            name.ToText(), schema.ParentCatalog().GetName()));
    }
    return {schema.ParentCatalog().GetName(), schema.name, address.table};
}

}  // namespace birdfoot::duck
