#include "core/maintenance/clustering.hpp"

#include <algorithm>

#include "core/base/json.hpp"
#include "core/scan/statistics.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr size_t kMostColumns = 4;  // spark.databricks.delta.clusteredTable.numClusteringColumnsLimit

Status CheckColumn(const TableDefinition &table, const std::vector<IndexedLeaf> &indexed, const FieldPath &path) {
    BF_ASSIGN(const auto type, TypeAt(table.schema, path));
    switch (type.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kBinary:
    case TypeKind::kVariant:
    case TypeKind::kVoid:
    case TypeKind::kArray:
    case TypeKind::kMap:
    case TypeKind::kStruct:
        return Fail(Condition::DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED,
                    "CLUSTER BY is not supported because the following column(s): {} : {} don't support data skipping.",
                    PathText(path), type.ToString());
    default: break;
    }
    const auto physical = PhysicalPath(table.schema, path, table.mapping);
    const bool has_statistics =
        std::any_of(indexed.begin(), indexed.end(), [&](const IndexedLeaf &leaf) { return leaf.column == physical; });
    if (!has_statistics) {
        return Fail(Condition::DELTA_CLUSTERING_COLUMN_MISSING_STATS,
                    "Clustering requires clustering columns to have stats. Column {} has none. Raise "
                    "delta.dataSkippingNumIndexedCols, or name it in delta.dataSkippingStatsColumns.",
                    PathText(path));
    }
    return {};
}

std::string Joined(const std::vector<FieldPath> &columns) {
    std::string text;
    for (const auto &column : columns) {
        text += (text.empty() ? "" : ",") + PathText(column);
    }
    return text;
}

}  // namespace

Result<std::vector<FieldPath>> ClusteringColumnsOf(const DomainMetadata &domain, const TableDefinition &table) {
    std::vector<FieldPath> columns;
    if (domain.domain != kClusteringDomain || domain.removed) {
        return columns;
    }
    BF_ASSIGN(const auto document, JsonDocument::Parse(domain.configuration));
    BF_RETURN_IF_ERROR(document.root()["clusteringColumns"].ForEachElement([&](JsonValue column) -> Status {
        FieldPath physical;
        BF_RETURN_IF_ERROR(column.ForEachElement([&](JsonValue step) -> Status {
            physical.emplace_back(step.string().value_or(""));
            return {};
        }));
        columns.push_back(LogicalPath(table.schema, physical, table.mapping));
        return {};
    }));
    return columns;
}

Result<DomainMetadata> ClusterTable(TableDefinition &table, const std::vector<FieldPath> &columns) {
    if (!table.metadata.partition_columns.empty()) {
        return Fail(Condition::DELTA_CLUSTER_BY_WITH_PARTITIONED_BY,
                    "Clustering and partitioning cannot both be specified. Please remove one of the two.");
    }
    if (columns.size() > kMostColumns) {
        return Fail(Condition::DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS,
                    "CLUSTER BY supports up to {} clustering columns, but the table has {} clustering columns. Please "
                    "remove the extra clustering columns.",
                    kMostColumns, columns.size());
    }
    BF_ASSIGN(const auto indexed, IndexedLeaves(table.metadata, table.schema, table.mapping));
    std::vector<FieldPath> physical;
    for (const auto &column : columns) {
        FieldPath path;
        BF_RETURN_IF_ERROR(TypeAt(table.schema, column, &path));
        BF_RETURN_IF_ERROR(CheckColumn(table, indexed, path));
        auto there = PhysicalPath(table.schema, path, table.mapping);
        if (std::find(physical.begin(), physical.end(), there) != physical.end()) {
            return Fail(Condition::DELTA_DUPLICATE_COLUMNS_FOUND,
                        "Found duplicate column(s): {}. The duplicate was found in CLUSTER BY.", PathText(path));
        }
        physical.push_back(std::move(there));
    }
    DomainMetadata domain;
    domain.domain = kClusteringDomain;
    JsonWriter writer(domain.configuration);
    writer.BeginObject().Key("clusteringColumns").BeginArray();
    for (const auto &path : physical) {
        writer.BeginArray();
        for (const auto &step : path) {
            writer.String(step);
        }
        writer.EndArray();
    }
    writer.EndArray().Key("domainName").String(kClusteringDomain).EndObject();
    table.protocol = WithFeature(std::move(table.protocol), "clustering");
    return domain;
}

Result<Alteration> ClusterBy(const TableDefinition &table, const std::vector<FieldPath> &before,
                             const std::vector<FieldPath> &columns) {
    if (!table.metadata.partition_columns.empty()) {
        return Fail(Condition::DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED,
                    "ALTER TABLE CLUSTER BY cannot be applied to a partitioned table.");
    }
    if (columns.empty() && !HasFeature(table.protocol, "clustering")) {
        return Alteration{table, {}, {}, true};
    }
    Alteration result{table, {}, {}, false};
    BF_ASSIGN(auto domain, ClusterTable(result.table, columns));
    result.domains.push_back(std::move(domain));
    result.operation = {
        "CLUSTER BY", {{"oldClusteringColumns", Joined(before)}, {"newClusteringColumns", Joined(columns)}}, {}};
    return result;
}

std::string ClusteringColumnsJson(const std::vector<FieldPath> &columns) {
    std::string json;
    JsonWriter writer(json);
    writer.BeginArray();
    for (const auto &column : columns) {
        writer.String(PathText(column));
    }
    writer.EndArray();
    return json;
}

}  // namespace birdfoot
