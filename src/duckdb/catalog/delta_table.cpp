#include "duckdb/catalog/delta_table.hpp"

#include "duckdb/common/types/hash.hpp"
#include "duckdb/parser/constraints/not_null_constraint.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/planner/operator/logical_update.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/table_storage_info.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

duckdb::unique_ptr<DeltaTableEntry> DeltaTableEntry::Make(duckdb::Catalog &catalog, duckdb::SchemaCatalogEntry &schema,
                                                          const std::string &name, TableView view) {
    duckdb::CreateTableInfo info(schema, name);
    auto &metadata = view.snapshot->metadata();
    if (metadata.description) {
        info.comment = duckdb::Value(*metadata.description);
    }
    for (auto &[key, value] : metadata.configuration) {
        info.tags[key] = value;
    }
    for (auto &field : view.snapshot->schema().fields) {
        duckdb::ColumnDefinition column(field.name, TypeOf(field.type));
        if (auto comment = field.metadata.StringOf("comment")) {
            column.SetComment(duckdb::Value(*comment));
        }
        if (!field.nullable) {
            auto index = duckdb::LogicalIndex(info.columns.LogicalColumnCount());
            info.constraints.push_back(duckdb::make_uniq<duckdb::NotNullConstraint>(index));
        }
        info.columns.AddColumn(std::move(column));
    }
    return duckdb::make_uniq<DeltaTableEntry>(catalog, schema, info, std::move(view), std::nullopt);
}

duckdb::unique_ptr<DeltaTableEntry> DeltaTableEntry::MakeUnreadable(duckdb::Catalog &catalog,
                                                                    duckdb::SchemaCatalogEntry &schema,
                                                                    const std::string &name, Error problem) {
    duckdb::CreateTableInfo info(schema, name);
    info.comment = duckdb::Value(problem.message());
    return duckdb::make_uniq<DeltaTableEntry>(catalog, schema, info, TableView(), std::move(problem));
}

DeltaTableEntry::DeltaTableEntry(duckdb::Catalog &catalog, duckdb::SchemaCatalogEntry &schema,
                                 duckdb::CreateTableInfo &info, TableView view, std::optional<Error> problem)
    : duckdb::TableCatalogEntry(catalog, schema, info), view_(std::move(view)), problem_(std::move(problem)) {
    // An entry lives for a transaction at most, and is made anew by each list: SHOW ALL TABLES joins two of them by
    // this.
    oid = duckdb::CombineHash(duckdb::Hash(catalog.GetName().c_str()),
                              duckdb::CombineHash(duckdb::Hash(schema.name.c_str()), duckdb::Hash(name.c_str())));
    oid = (oid >> 2) | (duckdb::idx_t(1) << 62);  // far from those of DuckDB's own entries, which count from 0
}

DeltaCatalog &DeltaTableEntry::delta_catalog() const {
    return catalog.Cast<DeltaCatalog>();
}

void DeltaTableEntry::RequireReadable() const {
    if (problem_) {
        Throw(*problem_);
    }
}

void DeltaTableEntry::RequireWritable() const {
    RequireReadable();
    if (delta_catalog().read_only()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be written. {}", name,
                   delta_catalog().ReadOnlyReason()));
    }
    if (view_.time_travel) {
        Throw(Fail(Condition::DELTA_TIME_TRAVEL_WRITE,
                   "'{}' is an old version of a table, which can be read and not changed. Name the table without it.",
                   name));
    }
}

duckdb::unique_ptr<duckdb::BaseStatistics> DeltaTableEntry::GetStatistics(duckdb::ClientContext &, duckdb::column_t) {
    return nullptr;  // the scan's own statistics are the ones in use
}

duckdb::TableFunction DeltaTableEntry::GetScanFunction(duckdb::ClientContext &context,
                                                       duckdb::unique_ptr<duckdb::FunctionData> &bind_data) {
    return Guarded([&] {
        RequireReadable();
        static const auto kNoFiles = std::make_shared<const std::vector<AddFile>>();
        auto &transaction = DeltaTransaction::Get(context, catalog);
        ScanSource source;
        source.snapshot = view_.snapshot;
        source.time_travel = view_.time_travel;
        source.entry = this;
        if (view_.time_travel) {
            return MakeDeltaScan(context, std::move(source), bind_data);
        }
        source.reads = transaction.ReadsOf(view_.root);
        if (auto *work = transaction.FindWork(view_.root)) {
            source.overlay = work->Overlay();
            if (work->created || work->replaced) {
                source.live = kNoFiles;
            }
        }
        return MakeDeltaScan(context, std::move(source), bind_data);
    });
}

duckdb::TableStorageInfo DeltaTableEntry::GetStorageInfo(duckdb::ClientContext &) {
    return {};  // no indexes; counting rows would mean to read the whole log
}

duckdb::virtual_column_map_t DeltaTableEntry::GetVirtualColumns() const {
    return Guarded([&] {
        return problem_ ? duckdb::virtual_column_map_t() : DeltaVirtualColumns(*view_.snapshot);
    });
}

duckdb::vector<duckdb::column_t> DeltaTableEntry::GetRowIdColumns() const {
    return DeltaRowIdColumns();
}

void DeltaTableEntry::BindUpdateConstraints(duckdb::Binder &, duckdb::LogicalGet &get,
                                            duckdb::LogicalProjection &projection, duckdb::LogicalUpdate &update,
                                            duckdb::ClientContext &) {
    // An update writes whole rows anew, so every column is projected.
    duckdb::physical_index_set_t all;
    for (auto &column : columns.Physical()) {
        all.insert(column.Physical());
    }
    duckdb::LogicalUpdate::BindExtraColumns(*this, get, projection, update, all);
    update.update_is_del_and_insert = true;
}

}  // namespace birdfoot::duck
