#include "core/table/new_table.hpp"

#include <algorithm>

#include "core/base/uuid.hpp"

namespace birdfoot {
namespace {

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
        const auto *property = FindProperty(key);
        if (!IsProtocolProperty(key) && !(property && property->kind == PropertyKind::kInternal)) {
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

Result<TableDefinition> DescribeNewTable(TableSpec spec, int64_t now_ms, const TableDefinition *replaced) {
    TableDefinition table;
    auto &metadata = table.metadata;
    BF_ASSIGN(metadata.configuration, CheckProperties(spec.properties, {}, spec.allow_arbitrary_properties));
    BF_ASSIGN(table.mapping, MappingModeOf(metadata));
    BF_RETURN_IF_ERROR(CheckColumns(spec.schema, spec.partition_columns, table.mapping));
    const bool keeps_mapping = table.mapping != ColumnMappingMode::kNone && !replaced;
    table.schema = keeps_mapping ? std::move(spec.schema) : WithoutColumnMapping(spec.schema);
    metadata.id = RandomUuid();
    metadata.description = std::move(spec.comment);
    for (const auto &name : spec.partition_columns) {
        metadata.partition_columns.push_back(table.schema.Find(name)->name);
    }
    metadata.created_time = now_ms;
    BF_RETURN_IF_ERROR(CheckProperties(table));
    if (replaced) {
        return CompleteChange(std::move(table), *replaced, SchemaChange::kOverwritten);
    }
    if (table.mapping != ColumnMappingMode::kNone) {
        MapColumns(table, false);
    }
    metadata.schema_string = SchemaToJson(table.schema);
    NameMovedRowColumns(metadata, nullptr);
    table.protocol = TakeProtocol(metadata, table.schema);
    return table;
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
