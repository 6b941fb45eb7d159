#include "core/schema/schema_evolution.hpp"

namespace birdfoot {

namespace {

DataType AsNullable(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kStruct: {
        StructType fields = type.struct_type();
        for (auto &field : fields.fields) {
            field.nullable = true;
            field.type = AsNullable(field.type);
        }
        return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray: return DataType::Array(AsNullable(type.array_type().element), true);
    case TypeKind::kMap: return DataType::Map(AsNullable(type.map_type().key), AsNullable(type.map_type().value), true);
    default: return type;
    }
}

StructType Merge(const StructType &table, const StructType &data);

DataType Merge(const DataType &table, const DataType &data) {
    if (table.kind() != data.kind()) {
        return table;
    }
    switch (table.kind()) {
    case TypeKind::kStruct: return DataType::Struct(Merge(table.struct_type(), data.struct_type()));
    case TypeKind::kArray:
        return DataType::Array(Merge(table.array_type().element, data.array_type().element),
                               table.array_type().contains_null);
    case TypeKind::kMap:
        return DataType::Map(Merge(table.map_type().key, data.map_type().key),
                             Merge(table.map_type().value, data.map_type().value),
                             table.map_type().value_contains_null);
    default: return table;
    }
}

StructType Merge(const StructType &table, const StructType &data) {
    StructType merged = table;
    for (auto &field : merged.fields) {
        if (const auto *other = data.Find(field.name)) {
            field.type = Merge(field.type, other->type);
        }
    }
    for (const auto &field : data.fields) {
        if (!table.Find(field.name)) {
            merged.fields.push_back({field.name, AsNullable(field.type), true, field.metadata});
        }
    }
    return merged;
}

Status CheckType(const DataType &type, const std::string &path);

Status CheckFields(const StructType &type, const std::string &prefix) {
    for (size_t i = 0; i < type.fields.size(); i++) {
        for (size_t k = i + 1; k < type.fields.size(); k++) {
            if (EqualsIgnoreCase(type.fields[i].name, type.fields[k].name)) {
                return Fail(Condition::DELTA_DUPLICATE_COLUMNS_FOUND,
                            "Found duplicate column(s) in the data to save: {}{} and {}{}. Column names are compared "
                            "without regard to case. Rename one of them.",
                            prefix, type.fields[i].name, prefix, type.fields[k].name);
            }
        }
        BF_RETURN_IF_ERROR(CheckType(type.fields[i].type, prefix + type.fields[i].name + "."));
    }
    return {};
}

Status CheckType(const DataType &type, const std::string &path) {
    switch (type.kind()) {
    case TypeKind::kStruct: return CheckFields(type.struct_type(), path);
    case TypeKind::kArray: return CheckType(type.array_type().element, path + "element.");
    case TypeKind::kMap:
        BF_RETURN_IF_ERROR(CheckType(type.map_type().key, path + "key."));
        return CheckType(type.map_type().value, path + "value.");
    default: return {};
    }
}

}  // namespace

Result<StructType> MergeSchema(const StructType &table, const StructType &data) {
    BF_RETURN_IF_ERROR(CheckNoDuplicates(data));
    return Merge(table, data);
}

Status CheckNoDuplicates(const StructType &schema) { return CheckFields(schema, ""); }

std::string SchemaToTree(const StructType &schema) {
    std::string tree = "root";
    for (const auto &field : schema.fields) {
        tree += fmt::format("\n |-- {}: {} (nullable = {})", field.name, field.type.ToString(), field.nullable);
    }
    return tree;
}

}  // namespace birdfoot
