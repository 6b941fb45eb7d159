// DeltaCatalog: what ATTACH (TYPE birdfoot) makes. Three kinds: the catalog of paths, in which every name is a path; a
// warehouse of schemas and tables; and one table, under its own name.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/common/case_insensitive_map.hpp"
#include "duckdb/storage/storage_extension.hpp"

#include "core/io/engine.hpp"
#include "duckdb/catalog/warehouse.hpp"

namespace birdfoot::duck {

class DeltaSchema;
class DeltaTableEntry;

enum class CatalogKind : uint8_t { kPaths, kWarehouse, kTable };

inline constexpr const char *kStorageType = "birdfoot";

//! The storage extension that ATTACH finds under the type "birdfoot".
duckdb::shared_ptr<duckdb::StorageExtension> MakeStorageExtension(duckdb::DatabaseInstance &db);
//! Attaches the catalog of paths under a name. Returns a warning where another catalog has the name already, else "".
std::string AttachPathCatalog(duckdb::DatabaseInstance &db, const std::string &name);

class DeltaCatalog : public duckdb::Catalog {
public:
    DeltaCatalog(duckdb::AttachedDatabase &db, CatalogKind kind, std::string root);
    ~DeltaCatalog() override;

    CatalogKind kind() const { return kind_; }
    const std::string &root() const { return root_; }
    bool read_only() const;
    const std::string &table_name() const { return table_name_; }
    //! Why a write is refused, for the error; call only where read_only().
    std::string ReadOnlyReason();
    //! Names of a warehouse; of no other kind.
    Warehouse NamesOf(const Engine &engine) const;
    DeltaSchema &SchemaNamed(const std::string &name);

    void Initialize(bool load_builtin) override;
    duckdb::string GetCatalogType() override { return kStorageType; }
    bool SupportsTimeTravel() const override { return true; }
    duckdb::ErrorData SupportsCreateTable(duckdb::BoundCreateTableInfo &info) override;
    bool InMemory() override { return false; }
    duckdb::string GetDBPath() override { return root_; }
    duckdb::DatabaseSize GetDatabaseSize(duckdb::ClientContext &context) override;

    duckdb::optional_ptr<duckdb::CatalogEntry> CreateSchema(duckdb::CatalogTransaction transaction,
                                                            duckdb::CreateSchemaInfo &info) override;
    void ScanSchemas(duckdb::ClientContext &context,
                     std::function<void(duckdb::SchemaCatalogEntry &)> callback) override;
    duckdb::optional_ptr<duckdb::SchemaCatalogEntry> LookupSchema(duckdb::CatalogTransaction transaction,
                                                                  const duckdb::EntryLookupInfo &lookup,
                                                                  duckdb::OnEntryNotFound if_not_found) override;

    duckdb::PhysicalOperator &PlanCreateTableAs(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                                duckdb::LogicalCreateTable &op,
                                                duckdb::PhysicalOperator &plan) override;
    duckdb::PhysicalOperator &PlanInsert(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                         duckdb::LogicalInsert &op,
                                         duckdb::optional_ptr<duckdb::PhysicalOperator> plan) override;
    duckdb::PhysicalOperator &PlanDelete(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                         duckdb::LogicalDelete &op, duckdb::PhysicalOperator &plan) override;
    duckdb::PhysicalOperator &PlanDelete(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                         duckdb::LogicalDelete &op) override;
    duckdb::PhysicalOperator &PlanUpdate(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                         duckdb::LogicalUpdate &op, duckdb::PhysicalOperator &plan) override;
    duckdb::PhysicalOperator &PlanMergeInto(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                            duckdb::LogicalMergeInto &op, duckdb::PhysicalOperator &plan) override;
    duckdb::unique_ptr<duckdb::LogicalOperator> BindCreateIndex(
        duckdb::Binder &binder, duckdb::CreateStatement &stmt, duckdb::TableCatalogEntry &table,
        duckdb::unique_ptr<duckdb::LogicalOperator> plan) override;
    duckdb::unique_ptr<duckdb::LogicalOperator> BindAlterAddIndex(
        duckdb::Binder &binder, duckdb::TableCatalogEntry &table, duckdb::unique_ptr<duckdb::LogicalOperator> plan,
        duckdb::unique_ptr<duckdb::CreateIndexInfo> create_info,
        duckdb::unique_ptr<duckdb::AlterTableInfo> alter_info) override;

private:
    void DropSchema(duckdb::ClientContext &context, duckdb::DropInfo &info) override;

    const CatalogKind kind_;
    const std::string root_;
    std::string table_name_;  // of one table
    std::mutex mutex_;
    duckdb::case_insensitive_map_t<duckdb::unique_ptr<DeltaSchema>> schemas_;  // never removed: entries refer to them
};

}  // namespace birdfoot::duck
