// See table_names.hpp.
#include "duckdb/parser/table_names.hpp"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/qualified_name.hpp"

#include "core/table/table_cache.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/missing_table.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/rewrite.hpp"

namespace birdfoot::duck {
namespace {

duckdb::CatalogEntry &EntryOf(duckdb::ClientContext &context, const TableAddress &address) {
    const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY, address.table);
    return *duckdb::Catalog::GetEntry(context, address.catalog, address.schema, lookup,
                                      duckdb::OnEntryNotFound::THROW_EXCEPTION);
}

bool IsOurs(duckdb::Catalog &catalog) { return catalog.GetCatalogType() == kStorageType; }

duckdb::optional_ptr<DeltaCatalog> CatalogNamed(duckdb::ClientContext &context, const std::string &name) {
    auto database = name.empty() ? nullptr : duckdb::DatabaseManager::Get(context).GetDatabase(context, name);
    return database && IsOurs(database->GetCatalog()) ? &database->GetCatalog().Cast<DeltaCatalog>() : nullptr;
}

//! The parts of a text that is a name rather than a path; none of a path.
std::vector<std::string> NameParts(duckdb::ClientContext &context, const std::string &text) {
    if (text.empty() || std::string_view("/.~").find(text[0]) != std::string_view::npos) {
        return {};
    }
    const auto quote = text.find_first_of("`\"");
    if (text.find('/') < quote) {
        return {};
    }
    const auto spelt = sql::ToDuckDbSpelling(text);
    const auto parts = duckdb::QualifiedName::ParseComponents(spelt.ok() ? *spelt : text);
    if (quote == std::string::npos && (parts.empty() || parts.size() > 3 || !CatalogNamed(context, parts[0]))) {
        // No catalog of ours is named: only if there is such a table, it is a name.
        sql::TableName name;
        name.parts = {parts.begin(), parts.end()};
        if (parts.empty() || parts.size() > 3) {
            return {};
        }
        const auto address = AddressOf(context, name);
        const duckdb::EntryLookupInfo lookup(duckdb::CatalogType::TABLE_ENTRY, address.table);
        if (!duckdb::Catalog::GetEntry(context, address.catalog, address.schema, lookup,
                                       duckdb::OnEntryNotFound::RETURN_NULL)) {
            return {};
        }
    }
    return {parts.begin(), parts.end()};
}

//! Takes the version off a path that ends in one, unless a table has that very name.
void TakeVersion(duckdb::ClientContext &context, std::string &path, VersionTarget &target) {
    const auto named = TargetInName(context, path);
    if (!named) {
        return;
    }
    const auto literal = NormalizeTableRoot(path);
    CheckAccess(context, literal);
    if (!ValueOrThrow(IsDeltaTable(EngineOf(*context.db), literal, CallOf(context)))) {
        path = named->first;
        target = named->second;
    }
}

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
    const auto catalog = CatalogNamed(context, address.catalog);
    if (catalog && catalog->kind() == CatalogKind::kPaths) {
        return {NormalizeTableRoot(address.table), {}};
    }
    auto &table = DeltaTableOf(context, name, operation);
    if (table.delta_catalog().kind() == CatalogKind::kPaths) {
        return {table.root(), {}};
    }
    sql::TableName qualified;
    qualified.parts = {table.ParentCatalog().GetName(), table.ParentSchema().name, table.name};
    return {table.root(), qualified.ToText()};
}

NamedTable TableNamed(duckdb::ClientContext &context, const std::string &text, const std::string &operation) {
    constexpr std::string_view kPrefix = "delta:";
    NamedTable named;
    auto path = text;
    sql::TableName name;
    if (text.starts_with(kPrefix)) {
        path.erase(0, kPrefix.size());
    } else if (name.parts = NameParts(context, text); !name.parts.empty()) {
        const auto address = AddressOf(context, name);
        const auto catalog = CatalogNamed(context, address.catalog);
        if (!catalog || catalog->kind() != CatalogKind::kPaths) {
            const auto &table = DeltaTableOf(context, name, operation);
            if (table.time_travel()) {
                named.target = AtVersion{table.snapshot()->version()};
            }
            const auto found = RootOf(context, name, operation);
            return {found.root, found.name, named.target};
        }
        path = address.table;
    }
    TakeVersion(context, path, named.target);
    named.root = NormalizeTableRoot(path);
    return named;
}

Result<SnapshotPtr> OpenNamed(duckdb::ClientContext &context, const NamedTable &table) {
    CheckAccess(context, table.root);
    auto snapshot = OpenSnapshot(EngineOf(*context.db), table.root, table.target, CallOf(context));
    if (!snapshot.ok() && IsNoTable(snapshot.error())) {
        return NoTableAt(context, table.root);
    }
    return snapshot;
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
