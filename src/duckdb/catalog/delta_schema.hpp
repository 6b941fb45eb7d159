// DeltaSchema: where DuckDB looks tables up. Finds what a name (and an AT clause) stands for in the transaction that
// asks.
#pragma once

#include <optional>
#include <string>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_entry/schema_catalog_entry.hpp"

#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/warehouse.hpp"

namespace birdfoot::duck {

class DeltaSchema : public duckdb::SchemaCatalogEntry {
public:
    DeltaSchema(duckdb::Catalog &catalog, duckdb::CreateSchemaInfo &info);

    DeltaCatalog &delta_catalog();
    //! Where the table of that name is in the eyes of this transaction; none if the name stands for nothing. In a
    //! catalog of paths every name is a path.
    std::optional<Warehouse::Place> PlaceOf(duckdb::ClientContext &context, const std::string &table);

    duckdb::optional_ptr<duckdb::CatalogEntry> LookupEntry(duckdb::CatalogTransaction transaction,
                                                           const duckdb::EntryLookupInfo &lookup) override;
    duckdb::SimilarCatalogEntry GetSimilarEntry(duckdb::CatalogTransaction transaction,
                                                const duckdb::EntryLookupInfo &lookup) override;
    void Scan(duckdb::ClientContext &context, duckdb::CatalogType type,
              const std::function<void(duckdb::CatalogEntry &)> &callback) override;
    void Scan(duckdb::CatalogType type, const std::function<void(duckdb::CatalogEntry &)> &callback) override;

    duckdb::optional_ptr<duckdb::CatalogEntry> CreateTable(duckdb::CatalogTransaction transaction,
                                                           duckdb::BoundCreateTableInfo &info) override;
    void DropEntry(duckdb::ClientContext &context, duckdb::DropInfo &info) override;
    void Alter(duckdb::CatalogTransaction transaction, duckdb::AlterInfo &info) override;

    duckdb::optional_ptr<duckdb::CatalogEntry> CreateIndex(duckdb::CatalogTransaction transaction,
                                                           duckdb::CreateIndexInfo &info,
                                                           duckdb::TableCatalogEntry &table) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateFunction(duckdb::CatalogTransaction transaction,
                                                              duckdb::CreateFunctionInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateView(duckdb::CatalogTransaction transaction,
                                                          duckdb::CreateViewInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateSequence(duckdb::CatalogTransaction transaction,
                                                              duckdb::CreateSequenceInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateTableFunction(duckdb::CatalogTransaction transaction,
                                                                   duckdb::CreateTableFunctionInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateCopyFunction(duckdb::CatalogTransaction transaction,
                                                                  duckdb::CreateCopyFunctionInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreatePragmaFunction(duckdb::CatalogTransaction transaction,
                                                                    duckdb::CreatePragmaFunctionInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateCollation(duckdb::CatalogTransaction transaction,
                                                               duckdb::CreateCollationInfo &info) override;
    duckdb::optional_ptr<duckdb::CatalogEntry> CreateType(duckdb::CatalogTransaction transaction,
                                                          duckdb::CreateTypeInfo &info) override;

private:
    //! An entry that says so, for a name whose location holds no table: it can be listed and dropped. Else null.
    duckdb::unique_ptr<DeltaTableEntry> DanglingName(duckdb::ClientContext &context, const std::string &table);
    std::optional<TableView> ViewOf(duckdb::ClientContext &context, const duckdb::EntryLookupInfo &lookup);
};

}  // namespace birdfoot::duck
