// See table_definition.hpp. Which modes of column mapping may follow which is delta-spark's rule: a table that exists
// gets names as they are, never ids, since its files have none.
#include "core/table/table_definition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "core/base/uuid.hpp"
#include "core/schema/schema_change.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kMappingMode = "delta.columnMapping.mode";
constexpr std::string_view kMaxColumnId = "delta.columnMapping.maxColumnId";

constexpr std::string_view kRowTracking = "delta.enableRowTracking";
constexpr std::string_view kStatsColumns = "delta.dataSkippingStatsColumns";

//! Columns that hold the row ids and commit versions of rows that were moved: property and how the name begins.
constexpr std::pair<std::string_view, std::string_view> kMovedRowColumns[] = {
    {"delta.rowTracking.materializedRowIdColumnName", "_row-id-col-"},
    {"delta.rowTracking.materializedRowCommitVersionColumnName", "_row-commit-version-col-"}};

//! What a column's type alone must not turn on in a table that exists: its readers would be shut out unasked.
constexpr std::array<std::string_view, 1> kTypesToEnableByHand = {"timestampNtz"};

std::string_view NameOf(ColumnMappingMode mode) {
    switch (mode) {
    case ColumnMappingMode::kNone: return "none";
    case ColumnMappingMode::kName: return "name";
    case ColumnMappingMode::kId: return "id";
    }
    return "";
}

int64_t MaxColumnIdOf(const Metadata &metadata) {
    int64_t id = 0;
    if (const auto found = metadata.configuration.find(std::string(kMaxColumnId));
        found != metadata.configuration.end()) {
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), id);
    }
    return id;
}

Status CheckModeChange(const TableDefinition &before, ColumnMappingMode after, SchemaChange change) {
    if (before.mapping == after || change == SchemaChange::kOverwritten) {
        return {};
    }
    const bool allowed = (before.mapping == ColumnMappingMode::kNone && after == ColumnMappingMode::kName) ||
                         (after == ColumnMappingMode::kNone && change == SchemaChange::kRewritten);
    if (!allowed) {
        return Fail(Condition::DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE,
                    "Changing column mapping mode from '{}' to '{}' is not supported. A table that exists can go from "
                    "'none' to 'name'.",
                    NameOf(before.mapping), NameOf(after));
    }
    if (after == ColumnMappingMode::kName && HasColumnMapping(before.schema)) {
        return Fail(
            Condition::DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS,
            "Enabling column mapping when column mapping metadata is already present in schema is not supported. To "
            "use column mapping, create a new table and reload the data into it.");
    }
    return {};
}

Status CheckEnabledByHand(const TableDefinition &before, const TableDefinition &changed) {
    for (const auto name : kTypesToEnableByHand) {
        const auto *feature = FindFeature(name);
        const auto property = fmt::format("delta.feature.{}", name);
        if (!HasFeature(before.protocol, name) && !changed.metadata.configuration.contains(property) &&
            IsFeatureActive(*feature, changed.metadata, changed.schema)) {
            return Fail(Condition::DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT,
                        "Your table schema requires manual enablement of the following table feature(s): {0}. To do "
                        "this, run ALTER TABLE table_name SET TBLPROPERTIES ('{1}' = 'supported'). Readers that lack "
                        "the feature will no longer read the table.",
                        name, property);
        }
    }
    return {};
}

//! The leaves at or below a column that the property names; those within a struct that have no bounds do not count.
Status CollectStatsColumns(const DataType &type, const FieldPath &path, bool in_struct, std::set<FieldPath> &leaves) {
    switch (type.kind()) {
    case TypeKind::kStruct:
        for (const auto &field : type.struct_type().fields) {
            auto below = path;
            below.push_back(field.name);
            BF_RETURN_IF_ERROR(CollectStatsColumns(field.type, below, true, leaves));
        }
        return {};
    case TypeKind::kBoolean:
    case TypeKind::kBinary:
    case TypeKind::kVariant:
    case TypeKind::kVoid:
    case TypeKind::kArray:
    case TypeKind::kMap:
        if (in_struct) {
            return {};
        }
        return Fail(Condition::DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE,
                    "Data skipping is not supported for column '{}' of type {}. Leave it out of {}.", PathText(path),
                    type.ToString(), kStatsColumns);
    default: break;
    }
    if (!leaves.insert(path).second) {
        return Fail(Condition::DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS, "Duplicated data skipping columns found: {}.",
                    PathText(path));
    }
    return {};
}

Status CheckStatsColumns(const TableDefinition &table) {
    const auto text = TextProperty(table.metadata, kStatsColumns);
    if (!text) {
        return {};
    }
    const auto columns = ParsePathList(*text);
    if (!columns) {
        return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                    "The value '{}' of {} is not allowed: it needs to be a list of columns, separated by commas.",
                    *text, kStatsColumns);
    }
    std::set<FieldPath> leaves;
    for (const auto &column : *columns) {
        FieldPath path;
        const auto type = TypeAt(table.schema, column, &path);
        if (!type.ok()) {
            return Fail(Condition::DELTA_COLUMN_NOT_FOUND_IN_SCHEMA, "{} names a column that is not there. {}",
                        kStatsColumns, type.error().text());
        }
        for (const auto &partition : table.metadata.partition_columns) {
            if (EqualsIgnoreCase(partition, path[0])) {
                return Fail(Condition::DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN,
                            "Data skipping is not supported for partition column '{}'. It needs none.", partition);
            }
        }
        BF_RETURN_IF_ERROR(CollectStatsColumns(*type, path, false, leaves));
    }
    return {};
}

Status CheckChangeFeed(const TableDefinition &table) {
    if (!BoolProperty(table.metadata, "delta.enableChangeDataFeed")) {
        return {};
    }
    for (const std::string_view reserved : {"_change_type", "_commit_version", "_commit_timestamp"}) {
        if (const auto *field = table.schema.Find(reserved)) {
            return Fail(
                Condition::DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS,
                "Unable to enable Change Data Feed on the table. The table contains the reserved column {} that "
                "the feed uses itself. Rename or drop it.",
                field->name);
        }
    }
    return {};
}

}  // namespace

Status CheckProperties(const TableDefinition &table) {
    BF_RETURN_IF_ERROR(CheckStatsColumns(table));
    BF_RETURN_IF_ERROR(CheckChangeFeed(table));
    if (BoolProperty(table.metadata, kRowTracking) && BoolProperty(table.metadata, "delta.rowTrackingSuspended")) {
        return Fail(Condition::DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION,
                    "Illegal table state was detected. Table properties `delta.enableRowTracking` and "
                    "`delta.rowTrackingSuspended` are both set to true. Disable one of the two.");
    }
    return {};
}

void NameMovedRowColumns(Metadata &metadata, const Metadata *before) {
    if (!BoolProperty(metadata, kRowTracking)) {
        return;
    }
    for (const auto &[key, prefix] : kMovedRowColumns) {
        const auto known = before ? TextProperty(*before, key) : std::nullopt;
        metadata.configuration.emplace(key, known.value_or(fmt::format("{}{}", prefix, RandomUuid())));
    }
}

TableDefinition DefinitionOf(const Snapshot &snapshot) {
    return {snapshot.metadata(), snapshot.protocol(), snapshot.schema(), snapshot.mapping()};
}

bool IsPartitionColumn(const Metadata &metadata, std::string_view name) {
    return std::any_of(metadata.partition_columns.begin(), metadata.partition_columns.end(),
                       [&](const auto &partition) { return EqualsIgnoreCase(partition, name); });
}

Result<ColumnMappingMode> MappingModeOf(const Metadata &metadata) {
    return ParseColumnMappingMode(TextProperty(metadata, kMappingMode).value_or("none"));
}

void MapColumns(TableDefinition &table, bool keep_names) {
    int64_t max_id = MaxColumnIdOf(table.metadata);
    table.schema = AssignColumnMapping(table.schema, keep_names, &max_id);
    table.metadata.configuration[std::string(kMaxColumnId)] = std::to_string(max_id);
}

Status CheckColumns(const StructType &schema, const std::vector<std::string> &partition_columns,
                    ColumnMappingMode mapping) {
    BF_RETURN_IF_ERROR(CheckSchemaForWrite(schema, mapping));
    BF_RETURN_IF_ERROR(CheckPartitionColumns(schema, partition_columns));
    return {};
}

Protocol RaiseProtocol(const Protocol &protocol, Metadata &metadata, const StructType &schema) {
    auto raised = protocol;
    // What this metadata needs, without what every new table gets.
    auto needs = metadata;
    needs.configuration.emplace("delta.minWriterVersion", "1");
    for (const auto &name : WriterFeatureNames(LowestProtocol(needs, schema))) {
        if (!HasFeature(raised, name)) {
            raised = WithFeature(std::move(raised), name);
        }
    }
    std::erase_if(metadata.configuration, [](const auto &entry) { return IsProtocolProperty(entry.first); });
    return raised;
}

Result<TableDefinition> CompleteChange(TableDefinition changed, const TableDefinition &before, SchemaChange change) {
    BF_ASSIGN(changed.mapping, MappingModeOf(changed.metadata));
    BF_RETURN_IF_ERROR(CheckModeChange(before, changed.mapping, change));
    const bool same_schema = SchemaToJson(changed.schema) == SchemaToJson(before.schema);
    if (!same_schema || changed.metadata.configuration != before.metadata.configuration) {
        BF_RETURN_IF_ERROR(CheckProperties(changed));
    }
    if (!same_schema || changed.mapping != before.mapping) {
        BF_RETURN_IF_ERROR(CheckColumns(changed.schema, changed.metadata.partition_columns, changed.mapping));
    }
    if (!same_schema && change == SchemaChange::kAltered) {
        BF_RETURN_IF_ERROR(CheckEnabledByHand(before, changed));
    }
    auto &configuration = changed.metadata.configuration;
    if (changed.mapping == ColumnMappingMode::kNone) {
        if (change != SchemaChange::kAltered) {
            changed.schema = WithoutColumnMapping(changed.schema);
            configuration.erase(std::string(kMaxColumnId));
        }
    } else {
        if (change == SchemaChange::kOverwritten && before.mapping == changed.mapping) {
            changed.schema = InheritColumnMapping(changed.schema, before.schema);
        }
        if (const auto known = MaxColumnIdOf(before.metadata); known > MaxColumnIdOf(changed.metadata)) {
            configuration[std::string(kMaxColumnId)] = std::to_string(known);
        }
        MapColumns(changed, change == SchemaChange::kAltered && before.mapping == ColumnMappingMode::kNone);
    }
    auto schema_string = SchemaToJson(changed.schema);
    const bool kept = schema_string == SchemaToJson(before.schema);
    changed.metadata.schema_string = kept ? before.metadata.schema_string : std::move(schema_string);
    NameMovedRowColumns(changed.metadata, &before.metadata);
    changed.protocol = RaiseProtocol(before.protocol, changed.metadata, changed.schema);
    return changed;
}

}  // namespace birdfoot
