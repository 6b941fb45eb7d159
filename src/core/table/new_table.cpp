#include "core/table/new_table.hpp"

#include <algorithm>

#include "core/base/uuid.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kMappingMode = "delta.columnMapping.mode";
constexpr std::string_view kMaxColumnId = "delta.columnMapping.maxColumnId";

std::string Quoted(const std::vector<std::string> &names) { return fmt::format("{}", fmt::join(names, ", ")); }

//! What differs, in words, between what a statement says and what there is; metadata counts for nothing.
void Compare(const StructType &said, const StructType &there, const std::string &prefix,
             std::vector<std::string> &differences) {
    for (const auto &field : said.fields) {
        const auto path = prefix + field.name;
        const auto *other = there.Find(field.name);
        if (!other) {
            differences.push_back(fmt::format("{} is not in the table", path));
        } else if (!field.type.SameAs(other->type)) {
            differences.push_back(
                fmt::format("{} is {} in the table, not {}", path, other->type.ToString(), field.type.ToString()));
        } else if (field.nullable != other->nullable) {
            differences.push_back(
                fmt::format("{} is {} in the table", path, other->nullable ? "nullable" : "NOT NULL"));
        }
    }
    for (const auto &field : there.fields) {
        if (!said.Find(field.name)) {
            differences.push_back(fmt::format("{}{} of the table is left out", prefix, field.name));
        }
    }
    for (size_t i = 0; differences.empty() && i < said.fields.size(); i++) {
        if (!EqualsIgnoreCase(said.fields[i].name, there.fields[i].name)) {
            differences.push_back(
                fmt::format("column {} is {} in the table, not {}", i + 1, there.fields[i].name, said.fields[i].name));
        }
    }
}

bool SameNames(const std::vector<std::string> &a, const std::vector<std::string> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto &x, const auto &y) { return EqualsIgnoreCase(x, y); });
}

Properties WithoutInternal(const Properties &properties) {
    Properties kept;
    for (const auto &[key, value] : properties) {
        if (!IsProtocolProperty(key) && CanonicalPropertyKey(key) != kMaxColumnId) {
            kept[CanonicalPropertyKey(key)] = value;
        }
    }
    return kept;
}

std::string Listed(const Properties &properties) {
    std::string text;
    for (const auto &[key, value] : properties) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
    }
    return text.empty() ? "none" : text;
}

}  // namespace

Status CheckColumns(const StructType &schema, const std::vector<std::string> &partition_columns,
                    ColumnMappingMode mapping) {
    BF_RETURN_IF_ERROR(CheckSchemaForWrite(schema, mapping));
    BF_RETURN_IF_ERROR(CheckPartitionColumns(schema, partition_columns));
    return {};
}

Result<NewTable> DescribeNewTable(TableSpec spec, int64_t now_ms) {
    NewTable table;
    auto &metadata = table.metadata;
    BF_ASSIGN(metadata.configuration, CheckProperties(spec.properties, {}, spec.allow_arbitrary_properties));
    if (const auto mode = TextProperty(metadata, kMappingMode)) {
        BF_ASSIGN(table.mapping, ParseColumnMappingMode(*mode));
    }
    BF_RETURN_IF_ERROR(CheckColumns(spec.schema, spec.partition_columns, table.mapping));
    table.schema = std::move(spec.schema);
    if (table.mapping != ColumnMappingMode::kNone) {
        int64_t max_id = 0;
        table.schema = AssignColumnMapping(table.schema, false, &max_id);
        metadata.configuration[std::string(kMaxColumnId)] = std::to_string(max_id);
    }
    BF_RETURN_IF_ERROR(CheckChangeFeedColumns(metadata, table.schema));
    metadata.id = RandomUuid();
    metadata.description = std::move(spec.comment);
    metadata.schema_string = SchemaToJson(table.schema);
    for (const auto &name : spec.partition_columns) {
        metadata.partition_columns.push_back(table.schema.Find(name)->name);
    }
    metadata.created_time = now_ms;
    table.protocol = TakeProtocol(metadata, table.schema);
    return table;
}

Status CheckChangeFeedColumns(const Metadata &metadata, const StructType &schema) {
    if (!BoolProperty(metadata, "delta.enableChangeDataFeed")) {
        return {};
    }
    for (const auto *reserved : {"_change_type", "_commit_version", "_commit_timestamp"}) {
        if (schema.Find(reserved)) {
            return Fail(
                Condition::DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS,
                "A table with a change data feed cannot have a column {}: the feed has one of that name. Name the "
                "column otherwise, or leave delta.enableChangeDataFeed at false.",
                reserved);
        }
    }
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

Status CheckSameTable(const Snapshot &table, const TableSpec &spec) {
    const auto &metadata = table.metadata();
    if (!spec.schema.fields.empty()) {
        std::vector<std::string> differences;
        Compare(spec.schema, table.schema(), "", differences);
        if (!differences.empty()) {
            return Fail(
                Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH,
                "The specified schema does not match the existing schema at {}: {}. To keep the existing schema, "
                "leave the columns out of the statement.",
                table.root(), Quoted(differences));
        }
        if (!SameNames(spec.partition_columns, metadata.partition_columns)) {
            return Fail(Condition::DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING,
                        "The specified partitioning does not match the existing partitioning at {}. Specified: [{}]. "
                        "Existing: [{}].",
                        table.root(), Quoted(spec.partition_columns), Quoted(metadata.partition_columns));
        }
    }
    if (!spec.properties.empty()) {
        const auto said = WithoutInternal(spec.properties);
        const auto there = WithoutInternal(metadata.configuration);
        if (said != there) {
            return Fail(
                Condition::DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY,
                "The specified properties do not match the existing properties at {}. Specified: {}. Existing: {}. "
                "To keep the existing ones, leave the properties out of the statement.",
                table.root(), Listed(said), Listed(there));
        }
    }
    return {};
}

}  // namespace birdfoot
