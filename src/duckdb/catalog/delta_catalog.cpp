#include "duckdb/catalog/delta_catalog.hpp"

#include "duckdb/catalog/entry_lookup_info.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/attached_database.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/create_index_info.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"
#include "duckdb/storage/database_size.hpp"

#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/commands/schemas.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/warnings.hpp"

namespace birdfoot::duck {

DeltaCatalog::DeltaCatalog(duckdb::AttachedDatabase &db, CatalogKind kind, std::string root)
    : duckdb::Catalog(db), kind_(kind), root_(std::move(root)) {
    if (kind_ == CatalogKind::kTable) {
        table_name_ = root_.substr(root_.rfind('/') + 1);
        SetDefaultTable(kMainSchema, table_name_);
    }
}

DeltaCatalog::~DeltaCatalog() = default;

bool DeltaCatalog::read_only() const { return GetAttached().IsReadOnly(); }

std::string DeltaCatalog::ReadOnlyReason() {
    auto &attached = GetAttached();
    if (attached.GetDatabase().config.options.access_mode == duckdb::AccessMode::READ_ONLY) {
        return fmt::format(
            "The catalog {} is read-only because the database was opened read-only. Open it for writing, "
            "or run ATTACH '{}' AS other_name (TYPE birdfoot, READ_WRITE) and write there.",
            GetName(), root_);
    }
    return fmt::format("The catalog {} was attached READ_ONLY. Attach it again without that option.", GetName());
}

Warehouse DeltaCatalog::NamesOf(const Engine &engine) const { return Warehouse(engine, root_); }

DeltaSchema &DeltaCatalog::SchemaNamed(const std::string &name) {
    std::lock_guard lock(mutex_);
    auto &schema = schemas_[name];
    if (!schema) {
        duckdb::CreateSchemaInfo info;
        info.schema = name;
        schema = duckdb::make_uniq<DeltaSchema>(*this, info);
    }
    return *schema;
}

void DeltaCatalog::Initialize(bool) { SchemaNamed(kMainSchema); }

duckdb::ErrorData DeltaCatalog::SupportsCreateTable(duckdb::BoundCreateTableInfo &) {
    return {};  // CreateSpecOf refuses by name what a Delta table cannot have
}

duckdb::DatabaseSize DeltaCatalog::GetDatabaseSize(duckdb::ClientContext &) { return {}; }

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaCatalog::CreateSchema(duckdb::CatalogTransaction catalog_transaction,
                                                                      duckdb::CreateSchemaInfo &info) {
    return Guarded([&]() -> duckdb::optional_ptr<duckdb::CatalogEntry> {
        auto &context = catalog_transaction.GetContext();
        CreateDeltaSchema(context, *this, info);
        return SchemaNamed(info.schema);
    });
}

void DeltaCatalog::DropSchema(duckdb::ClientContext &context, duckdb::DropInfo &info) {
    Guarded([&] { DropDeltaSchema(context, *this, info); });
}

void DeltaCatalog::ScanSchemas(duckdb::ClientContext &context,
                               std::function<void(duckdb::SchemaCatalogEntry &)> callback) {
    Guarded([&] {
        if (kind_ != CatalogKind::kWarehouse) {
            callback(SchemaNamed(kMainSchema));
            return;
        }
        auto &transaction = DeltaTransaction::Get(context, *this);
        auto schemas = NamesOf(transaction.engine()).Schemas(CallOf(context));
        if (!schemas.ok()) {
            // A list of all schemas of all databases must not fail for one that is out of reach.
            Warn(GetDatabase(), schemas.error().message());
            return;
        }
        for (auto &schema : *schemas) {
            callback(SchemaNamed(schema));
        }
    });
}

duckdb::optional_ptr<duckdb::SchemaCatalogEntry> DeltaCatalog::LookupSchema(
    duckdb::CatalogTransaction catalog_transaction, const duckdb::EntryLookupInfo &lookup,
    duckdb::OnEntryNotFound if_not_found) {
    return Guarded([&]() -> duckdb::optional_ptr<duckdb::SchemaCatalogEntry> {
        auto &name = lookup.GetEntryName();
        if (name.empty() || duckdb::StringUtil::CIEquals(name, kMainSchema)) {
            return SchemaNamed(kMainSchema);
        }
        if (kind_ == CatalogKind::kWarehouse && catalog_transaction.HasContext()) {
            auto &context = catalog_transaction.GetContext();
            auto &transaction = DeltaTransaction::Get(context, *this);
            auto *changed = transaction.ChangedName(name, "");
            if (changed && *changed) {
                return SchemaNamed((*changed)->name);
            }
            auto found =
                changed ? std::nullopt : ValueOrThrow(NamesOf(transaction.engine()).FindSchema(name, CallOf(context)));
            if (found) {
                return SchemaNamed(*found);
            }
        }
        if (if_not_found == duckdb::OnEntryNotFound::THROW_EXCEPTION) {
            throw duckdb::CatalogException("Schema with name " + name + " does not exist in the catalog " + GetName() +
                                           "!");
        }
        return nullptr;
    });
}

duckdb::unique_ptr<duckdb::LogicalOperator> DeltaCatalog::BindCreateIndex(duckdb::Binder &, duckdb::CreateStatement &,
                                                                          duckdb::TableCatalogEntry &table,
                                                                          duckdb::unique_ptr<duckdb::LogicalOperator>) {
    // DuckDB's own form expects one of its tables and crashes on any other.
    Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
               "{} cannot have an index. Delta tables have none; partitions and statistics take their place.",
               table.name));
}

duckdb::unique_ptr<duckdb::LogicalOperator> DeltaCatalog::BindAlterAddIndex(
    duckdb::Binder &, duckdb::TableCatalogEntry &table, duckdb::unique_ptr<duckdb::LogicalOperator>,
    duckdb::unique_ptr<duckdb::CreateIndexInfo>, duckdb::unique_ptr<duckdb::AlterTableInfo>) {
    Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
               "{} cannot have a PRIMARY KEY or UNIQUE constraint. Delta tables have neither.", table.name));
}

}  // namespace birdfoot::duck
