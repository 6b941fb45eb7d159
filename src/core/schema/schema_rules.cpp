// Rules for schemas that are written, with delta-spark's conditions.
#include "core/schema/schema_rules.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace birdfoot {
namespace {

//! Lower case as far as a schema's uniqueness asks for it: ASCII, Latin-1, Greek and Cyrillic letters in UTF-8.
std::string Fold(std::string_view name) {
    std::string out;
    for (size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        const auto next = i + 1 < name.size() ? static_cast<unsigned char>(name[i + 1]) : 0;
        if (byte >= 'A' && byte <= 'Z') {
            out += static_cast<char>(byte + 32);
            continue;
        }
        unsigned code = byte >= 0xC3 && byte <= 0xDF && (next & 0xC0) == 0x80 ? (byte & 31U) << 6 | (next & 63U) : 0;
        if (code == 0) {
            out += name[i];
            continue;
        }
        if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) ||
            (code >= 0x410 && code <= 0x42F)) {
            code += 32;
        } else if (code >= 0x400 && code <= 0x40F) {
            code += 80;
        }
        out += static_cast<char>(0xC0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 63));
        ++i;
    }
    return out;
}

using VisitStruct = std::function<Status(const StructType &, const std::string &path)>;

//! Every struct of a type, a parent before its children. Paths as in messages: "a.element.b".
Status WalkStructs(const DataType &type, const std::string &path, const VisitStruct &visit);

Status WalkFields(const StructType &type, const std::string &path, const VisitStruct &visit) {
    BF_RETURN_IF_ERROR(visit(type, path));
    for (const auto &field : type.fields) {
        BF_RETURN_IF_ERROR(WalkStructs(field.type, path.empty() ? field.name : path + "." + field.name, visit));
    }
    return {};
}

Status WalkStructs(const DataType &type, const std::string &path, const VisitStruct &visit) {
    switch (type.kind()) {
    case TypeKind::kStruct: return WalkFields(type.struct_type(), path, visit);
    case TypeKind::kArray: return WalkStructs(type.array_type().element, path + ".element", visit);
    case TypeKind::kMap:
        BF_RETURN_IF_ERROR(WalkStructs(type.map_type().key, path + ".key", visit));
        return WalkStructs(type.map_type().value, path + ".value", visit);
    default: return {};
    }
}

//! A NOT NULL inside an array or a map.
Status CheckNestedNotNull(const DataType &type, const std::string &path, bool in_collection) {
    switch (type.kind()) {
    case TypeKind::kStruct:
        for (const auto &field : type.struct_type().fields) {
            const auto column = path.empty() ? field.name : path + "." + field.name;
            if (in_collection && !field.nullable) {
                return Fail(Condition::DELTA_NESTED_NOT_NULL_CONSTRAINT,
                            "{} is NOT NULL inside an array or a map, which Delta cannot enforce. Leave NOT NULL out.",
                            column);
            }
            BF_RETURN_IF_ERROR(CheckNestedNotNull(field.type, column, in_collection));
        }
        return {};
    case TypeKind::kArray: return CheckNestedNotNull(type.array_type().element, path + ".element", true);
    case TypeKind::kMap:
        BF_RETURN_IF_ERROR(CheckNestedNotNull(type.map_type().key, path + ".key", true));
        return CheckNestedNotNull(type.map_type().value, path + ".value", true);
    default: return {};
    }
}

bool HasVoidInCollection(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kArray:
        return type.array_type().element.kind() == TypeKind::kVoid || HasVoidInCollection(type.array_type().element);
    case TypeKind::kMap:
        return type.map_type().key.kind() == TypeKind::kVoid || type.map_type().value.kind() == TypeKind::kVoid ||
               HasVoidInCollection(type.map_type().key) || HasVoidInCollection(type.map_type().value);
    default: return false;  // structs are walked on their own
    }
}

std::string TypeWord(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kStruct: return "struct";
    case TypeKind::kArray: return "array";
    case TypeKind::kMap: return "map";
    default: {
        const auto json = TypeToJson(type);
        return json.substr(1, json.size() - 2);
    }
    }
}

void AppendTree(std::string &out, const std::string &prefix, std::string_view name, const DataType &type,
                std::string_view remark) {
    out += fmt::format("{}-- {}: {}{}\n", prefix, name, TypeWord(type), remark);
    const auto deeper = prefix + "    |";
    const auto is_nullable = [](std::string_view word, bool yes) { return fmt::format(" ({} = {})", word, yes); };
    switch (type.kind()) {
    case TypeKind::kStruct:
        for (const auto &field : type.struct_type().fields) {
            AppendTree(out, deeper, field.name, field.type, is_nullable("nullable", field.nullable));
        }
        break;
    case TypeKind::kArray:
        AppendTree(out, deeper, "element", type.array_type().element,
                   is_nullable("containsNull", type.array_type().contains_null));
        break;
    case TypeKind::kMap:
        AppendTree(out, deeper, "key", type.map_type().key, "");
        AppendTree(out, deeper, "value", type.map_type().value,
                   is_nullable("valueContainsNull", type.map_type().value_contains_null));
        break;
    default: break;
    }
}

}  // namespace

Status CheckDuplicateNames(const StructType &schema, std::string_view where) {
    return WalkFields(schema, "", [&](const StructType &type, const std::string &path) -> Status {
        std::set<std::string> seen;
        for (const auto &field : type.fields) {
            if (!seen.insert(Fold(field.name)).second) {
                return Fail(
                    Condition::DELTA_DUPLICATE_COLUMNS_FOUND,
                    "Found duplicate column(s): {}. The duplicate was found in {}; names must differ by more than "
                    "case.",
                    path.empty() ? field.name : path + "." + field.name, where);
            }
        }
        return {};
    });
}

Status CheckColumnNames(const StructType &schema, ColumnMappingMode mode) {
    std::string invalid;
    BF_RETURN_IF_ERROR(WalkFields(schema, "", [&](const StructType &type, const std::string &path) -> Status {
        for (const auto &field : type.fields) {
            if (field.name.empty() || field.name.find_first_of(" ,;{}()\n\t=") != std::string::npos) {
                invalid +=
                    (invalid.empty() ? "" : ", ") + (path.empty() ? "'" + field.name + "'" : path + "." + field.name);
            }
        }
        return {};
    }));
    if (mode != ColumnMappingMode::kNone || invalid.empty()) {
        return {};
    }
    return Fail(
        Condition::DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES,
        "Found invalid character(s) among ' ,;{{}}()\\n\\t=' in the column names of your schema. Invalid column names: "
        "{}. Please use other characters and try again. Alternatively, enable Column Mapping to keep using these "
        "characters: TBLPROPERTIES ('delta.columnMapping.mode' = 'name').",
        invalid);
}

Result<std::vector<std::string>> CheckPartitionColumns(const StructType &schema,
                                                       const std::vector<std::string> &columns) {
    std::vector<std::string> names;
    for (const auto &column : columns) {
        const auto *field = schema.Find(column);
        if (!field) {
            return Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND, "Partition column `{}` not found in schema [{}].",
                        column, DataType::Struct(schema).ToString());
        }
        if (std::find(names.begin(), names.end(), field->name) != names.end()) {
            return Fail(Condition::DELTA_DUPLICATE_COLUMNS_FOUND,
                        "Found duplicate column(s): {}. The duplicate was found in the partition columns.", column);
        }
        const auto kind = field->type.kind();
        if (field->type.is_nested() || kind == TypeKind::kVariant || kind == TypeKind::kVoid) {
            return Fail(Condition::DELTA_INVALID_PARTITION_COLUMN_TYPE,
                        "Using column {} of type {} as a partition column is not supported.", field->name,
                        field->type.ToString());
        }
        names.push_back(field->name);
    }
    if (!names.empty() && names.size() == schema.fields.size()) {
        return Fail(
            Condition::DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION,
            "Cannot use all columns for partition columns. Leave one out: its values are the content of the files.");
    }
    return names;
}

Status CheckVoidColumns(const StructType &schema) {
    return WalkFields(schema, "", [](const StructType &type, const std::string &path) -> Status {
        bool only_void = true;
        for (const auto &field : type.fields) {
            only_void = only_void && field.type.kind() == TypeKind::kVoid;
            if (HasVoidInCollection(field.type)) {
                return Fail(
                    Condition::DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE,
                    "Found nested NullType in column {} which is of {}. Delta doesn't support writing NullType in "
                    "complex types.",
                    path.empty() ? field.name : path + "." + field.name, field.type.ToString());
            }
        }
        if (!only_void) {
            return {};
        }
        const bool none = type.fields.empty();
        const std::string reason =
            path.empty()
                ? (none ? "The table schema has no columns defined" : "All columns in the table schema have VOID type")
                : fmt::format("The column {} is a struct {}", path,
                              none ? "with no fields" : "where all fields have VOID type");
        return Fail(Condition::DELTA_CANNOT_WRITE_EMPTY_SCHEMA,
                    "The Delta table is not writable because parts of the schema are not supported. Reason: {}.",
                    reason);
    });
}

Status CheckSchemaForWrite(const StructType &schema, ColumnMappingMode mode) {
    BF_RETURN_IF_ERROR(CheckDuplicateNames(schema, "the table's schema"));
    BF_RETURN_IF_ERROR(CheckColumnNames(schema, mode));
    return CheckNestedNotNull(DataType::Struct(schema), "", false);
}

std::string SchemaToTree(const StructType &schema) {
    std::string out = "root\n";
    for (const auto &field : schema.fields) {
        AppendTree(out, " |", field.name, field.type, fmt::format(" (nullable = {})", field.nullable));
    }
    return out;
}

}  // namespace birdfoot
