#include "core/table/new_table.hpp"

#include <algorithm>
#include <set>

#include "core/base/json.hpp"
#include "core/base/uuid.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kMappingMode = "delta.columnMapping.mode";
constexpr std::string_view kMaxColumnId = "delta.columnMapping.maxColumnId";

std::string Lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

std::string Quoted(const std::vector<std::string> &names) { return fmt::format("{}", fmt::join(names, ", ")); }

//! Visits every struct field with its dotted path; `in_collection` below an array or a map.
template <typename Visit>
Status ForEachField(const StructType &type, const std::string &prefix, bool in_collection, const Visit &visit);

template <typename Visit>
Status ForEachFieldOf(const DataType &type, const std::string &path, bool in_collection, const Visit &visit) {
    switch (type.kind()) {
    case TypeKind::kStruct:
        return ForEachField(type.struct_type(), path + ".", in_collection, visit);
    case TypeKind::kArray:
        return ForEachFieldOf(type.array_type().element, path + ".element", true, visit);
    case TypeKind::kMap:
        BF_RETURN_IF_ERROR(ForEachFieldOf(type.map_type().key, path + ".key", true, visit));
        return ForEachFieldOf(type.map_type().value, path + ".value", true, visit);
    default:
        return {};
    }
}

template <typename Visit>
Status ForEachField(const StructType &type, const std::string &prefix, bool in_collection, const Visit &visit) {
    for (const auto &field : type.fields) {
        BF_RETURN_IF_ERROR(visit(field, prefix + field.name, in_collection));
        BF_RETURN_IF_ERROR(ForEachFieldOf(field.type, prefix + field.name, in_collection, visit));
    }
    return {};
}

Status CheckNames(const StructType &schema, ColumnMappingMode mapping) {
    std::set<std::string> seen;
    std::vector<std::string> bad;
    BF_RETURN_IF_ERROR(ForEachField(schema, "", false, [&](const StructField &field, const std::string &path, bool) {
        if (!seen.insert(Lower(path)).second) {
            return Status(Fail(Condition::DELTA_DUPLICATE_COLUMNS_FOUND,
                               "Found duplicate column(s) in the schema: {}. Names that differ by case only are the same. "
                               "Rename one.",
                               path));
        }
        if (field.name.empty() || field.name.find_first_of(" ,;{}()\n\t=") != std::string::npos) {
            bad.push_back(path.empty() ? "''" : path);
        }
        return Status();
    }));
    if (!bad.empty() && mapping == ColumnMappingMode::kNone) {
        return Fail(Condition::DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES,
                    "Found invalid character(s) among ' ,;{{}}()\\n\\t=' in the column names of your schema. Invalid column "
                    "names: {}. Use other characters, or enable column mapping.",
                    Quoted(bad));
    }
    return {};
}

Status CheckNestedNotNull(const StructType &schema) {
    return ForEachField(
        schema, "", false, [&](const StructField &field, const std::string &path, bool in_collection) -> Status {
            if (!field.nullable && in_collection) {
                return Fail(Condition::DELTA_NESTED_NOT_NULL_CONSTRAINT,
                            "{} is NOT NULL inside an array or a map, which Delta cannot enforce. Leave NOT NULL out.",
                            path);
            }
            return {};
        });
}

Status CheckPartitionColumns(const StructType &schema, const std::vector<std::string> &partition_columns) {
    std::set<std::string> seen;
    for (const auto &name : partition_columns) {
        const auto *field = schema.Find(name);
        if (!field) {
            std::vector<std::string> names;
            for (const auto &each : schema.fields) {
                names.push_back(each.name);
            }
            return Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                        "Partition column {} is not in the schema. The columns are {}.", name, Quoted(names));
        }
        if (!seen.insert(Lower(name)).second) {
            return Fail(Condition::DELTA_DUPLICATE_COLUMNS_FOUND, "Partition column {} is named twice.", name);
        }
        if (field->type.is_nested() || field->type.kind() == TypeKind::kVariant) {
            return Fail(Condition::DELTA_INVALID_PARTITION_COLUMN_TYPE,
                        "Column {} of type {} cannot be a partition column. Partition by a column of a simple type.",
                        name, field->type.ToString());
        }
    }
    if (!partition_columns.empty() && seen.size() == schema.fields.size()) {
        return Fail(Condition::DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION,
                    "Cannot use all columns for partition columns. A data file needs a column of its own.");
    }
    return {};
}

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
            differences.push_back(fmt::format("{} is {} in the table", path, other->nullable ? "nullable" : "NOT NULL"));
        }
    }
    for (const auto &field : there.fields) {
        if (!said.Find(field.name)) {
            differences.push_back(fmt::format("{}{} of the table is left out", prefix, field.name));
        }
    }
    for (size_t i = 0; differences.empty() && i < said.fields.size(); i++) {
        if (!EqualsIgnoreCase(said.fields[i].name, there.fields[i].name)) {
            differences.push_back(fmt::format("column {} is {} in the table, not {}", i + 1, there.fields[i].name,
                                              said.fields[i].name));
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
    BF_RETURN_IF_ERROR(CheckNames(schema, mapping));
    BF_RETURN_IF_ERROR(CheckNestedNotNull(schema));
    return CheckPartitionColumns(schema, partition_columns);
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
            return Fail(Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH,
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
            return Fail(Condition::DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY,
                        "The specified properties do not match the existing properties at {}. Specified: {}. Existing: {}. "
                        "To keep the existing ones, leave the properties out of the statement.",
                        table.root(), Listed(said), Listed(there));
        }
    }
    return {};
}

}  // namespace birdfoot
