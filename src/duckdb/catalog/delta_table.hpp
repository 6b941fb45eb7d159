// DeltaTableEntry: a table as the binder sees it: columns and NOT NULL constraints of one version, with the uncommitted
// changes of its transaction.
#pragma once

#include <optional>
#include <string>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"

#include "core/table/snapshot.hpp"

namespace birdfoot::duck {

class DeltaCatalog;

//! What a name and an AT clause stand for.
struct TableView {
    std::string root;
    SnapshotPtr snapshot;  // the schema is that of pending changes, where there are any
    bool time_travel = false;
    bool managed = true;
};

class DeltaTableEntry : public duckdb::TableCatalogEntry {
public:
    //! `name` as the user wrote it.
    static duckdb::unique_ptr<DeltaTableEntry> Make(duckdb::Catalog &catalog, duckdb::SchemaCatalogEntry &schema,
                                                    const std::string &name, TableView view);
    //! An entry without columns for a name whose table cannot be opened, so that lists of tables do not fail. Reading
    //! it is the error.
    static duckdb::unique_ptr<DeltaTableEntry> MakeUnreadable(duckdb::Catalog &catalog,
                                                              duckdb::SchemaCatalogEntry &schema,
                                                              const std::string &name, Error problem);
    DeltaTableEntry(duckdb::Catalog &catalog, duckdb::SchemaCatalogEntry &schema, duckdb::CreateTableInfo &info,
                    TableView view, std::optional<Error> problem);

    const std::string &root() const { return view_.root; }
    const SnapshotPtr &snapshot() const { return view_.snapshot; }  // null for an unreadable table
    //! Throws for an unreadable table.
    void RequireReadable() const;
    bool time_travel() const { return view_.time_travel; }
    bool managed() const { return view_.managed; }
    DeltaCatalog &delta_catalog() const;
    //! Throws for an unreadable table, an old version, and in a catalog that is read-only, saying why it is.
    void RequireWritable() const;

    duckdb::unique_ptr<duckdb::BaseStatistics> GetStatistics(duckdb::ClientContext &context,
                                                             duckdb::column_t column_id) override;
    duckdb::TableFunction GetScanFunction(duckdb::ClientContext &context,
                                          duckdb::unique_ptr<duckdb::FunctionData> &bind_data) override;
    duckdb::TableStorageInfo GetStorageInfo(duckdb::ClientContext &context) override;
    duckdb::virtual_column_map_t GetVirtualColumns() const override;
    duckdb::vector<duckdb::column_t> GetRowIdColumns() const override;
    void BindUpdateConstraints(duckdb::Binder &binder, duckdb::LogicalGet &get, duckdb::LogicalProjection &proj,
                               duckdb::LogicalUpdate &update, duckdb::ClientContext &context) override;

private:
    TableView view_;
    std::optional<Error> problem_;  // why it cannot be opened; then there is no snapshot
};

}  // namespace birdfoot::duck
