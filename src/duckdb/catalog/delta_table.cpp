#include "duckdb/catalog/delta_table.hpp"

#include <algorithm>

#include "duckdb/common/types/hash.hpp"
#include "duckdb/parser/constraints/not_null_constraint.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"
#include "duckdb/planner/operator/logical_update.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/table_storage_info.hpp"

#include "core/table/table_rules.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/prepare_changes.hpp"
#include "sql/lexer.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

//! What a statement that gives the column no value writes; of a default that is not understood, an error in its place.
duckdb::unique_ptr<duckdb::ParsedExpression> DefaultExpression(const StructField &field, const std::string &text) {
    auto translation = sql::TranslateText(text, {});
    if (translation.ok()) {
        translation = sql::AssignDefault(std::move(*translation), field.type);
    }
    if (translation.ok()) {
        return ParseDefault(*translation);
    }
    auto problem = translation.error().Prefixed("The default of column " + field.name);
    sql::Translation failing;
    failing.text = "error(" + sql::QuoteText(problem.message()) + ")";
    return ParseTranslation(failing);
}

}  // namespace

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
        if (auto value = DefaultOf(view.snapshot->protocol(), field)) {
            column.SetDefaultValue(DefaultExpression(field, *value));
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

DeltaCatalog &DeltaTableEntry::delta_catalog() const { return catalog.Cast<DeltaCatalog>(); }

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
        ScanSource source;
        if (!view_.time_travel) {
            source = DeltaTransaction::Get(context, catalog).Read(context, view_.root);
        }
        source.snapshot = view_.snapshot;
        source.time_travel = view_.time_travel;
        source.entry = this;
        return MakeDeltaScan(context, std::move(source), bind_data);
    });
}

duckdb::TableStorageInfo DeltaTableEntry::GetStorageInfo(duckdb::ClientContext &) {
    return {};  // no indexes; counting rows would mean to read the whole log
}

duckdb::virtual_column_map_t DeltaTableEntry::GetVirtualColumns() const {
    return Guarded([&] { return problem_ ? duckdb::virtual_column_map_t() : DeltaVirtualColumns(*view_.snapshot); });
}

duckdb::vector<duckdb::column_t> DeltaTableEntry::GetRowIdColumns() const {
    return Guarded([&] {
        auto columns = DeltaRowIdColumns();
        if (view_.snapshot && view_.snapshot->Property("delta.enableRowTracking") == "true") {
            columns.push_back(DeltaRowTrackingColumns()[0]);  // an updated row keeps it
        }
        return columns;
    });
}

void DeltaTableEntry::BindUpdateConstraints(duckdb::Binder &, duckdb::LogicalGet &get,
                                            duckdb::LogicalProjection &projection, duckdb::LogicalUpdate &update,
                                            duckdb::ClientContext &) {
    // An update writes whole rows anew, so every column is projected. DuckDB's own way of doing it would scan a column
    // twice that is scanned for the condition already, and a Parquet column must not be.
    update.update_is_del_and_insert = true;
    for (auto &column : columns.Physical()) {
        if (std::find(update.columns.begin(), update.columns.end(), column.Physical()) != update.columns.end()) {
            continue;
        }
        const auto &scanned = get.GetColumnIds();
        duckdb::idx_t position = 0;
        while (position < scanned.size() && scanned[position].GetPrimaryIndex() != column.Logical().index) {
            position++;
        }
        if (position == scanned.size()) {
            get.AddColumnId(column.Logical().index);
        }
        update.columns.push_back(column.Physical());
        update.expressions.push_back(duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
            kUnchanged, column.Type(), duckdb::ColumnBinding(projection.table_index, projection.expressions.size())));
        projection.expressions.push_back(duckdb::make_uniq<duckdb::BoundColumnRefExpression>(
            column.Name(), column.Type(), duckdb::ColumnBinding(get.table_index, position)));
    }
}

}  // namespace birdfoot::duck
