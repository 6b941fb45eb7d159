// Merging schemas as delta-spark's SchemaMergingUtils does; Spark's store assignment is Cast.canANSIStoreAssign.
// Checked against Spark 4.2 with Delta 4.4.
#include "core/schema/schema_merge.hpp"

#include <algorithm>

#include "core/schema/column_mapping.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/schema/type_widening.hpp"

namespace birdfoot {
namespace {

using Kind = TypeKind;

bool IsNumber(Kind kind) { return kind >= Kind::kByte && kind <= Kind::kDecimal; }
bool IsTime(Kind kind) { return kind == Kind::kDate || kind == Kind::kTimestamp || kind == Kind::kTimestampNtz; }
bool IsPrimitive(Kind kind) { return kind < Kind::kVariant; }

//! Everything nullable, at every level, and without what belongs to another table's history.
DataType AsNew(const DataType &type);

StructField AsNew(StructField field) {
    field.nullable = true;
    field.type = AsNew(field.type);
    field.metadata.Remove(kColumnMappingId);
    field.metadata.Remove(kColumnMappingPhysicalName);
    field.metadata.Remove("delta.columnMapping.nested.ids");
    field.metadata.Remove(kTypeChanges);
    return field;
}

DataType AsNew(const DataType &type) {
    switch (type.kind()) {
    case Kind::kStruct: {
        StructType fields;
        for (const auto &field : type.struct_type().fields) {
            fields.fields.push_back(AsNew(field));
        }
        return DataType::Struct(std::move(fields));
    }
    case Kind::kArray: return DataType::Array(AsNew(type.array_type().element), true);
    case Kind::kMap: return DataType::Map(AsNew(type.map_type().key), AsNew(type.map_type().value), true);
    default: return type;
    }
}

class Merger {
public:
    explicit Merger(const MergeOptions &options) : options_(options) {}

    Result<StructType> Fields(const StructType &table, const StructType &data, const std::string &path) {
        StructType merged = table;
        for (auto &field : merged.fields) {
            if (const auto *update = data.Find(field.name)) {
                const auto column = path.empty() ? field.name : path + "." + field.name;
                BF_ASSIGN(field.type, Type(field.type, update->type, column));
            }
        }
        for (const auto &field : data.fields) {
            if (!table.Find(field.name)) {
                merged.fields.push_back(AsNew(field));
                changed_ = true;
            }
        }
        return merged;
    }

    bool changed() const { return changed_; }

private:
    Result<DataType> Type(const DataType &table, const DataType &data, const std::string &column) {
        if (table.kind() == data.kind()) {
            switch (table.kind()) {
            case Kind::kStruct: {
                BF_ASSIGN(auto fields, Fields(table.struct_type(), data.struct_type(), column));
                return DataType::Struct(std::move(fields));
            }
            case Kind::kArray: {
                BF_ASSIGN(auto element,
                          Type(table.array_type().element, data.array_type().element, column + ".element"));
                return DataType::Array(std::move(element), table.array_type().contains_null);
            }
            case Kind::kMap: {
                BF_ASSIGN(auto key, Type(table.map_type().key, data.map_type().key, column + ".key"));
                BF_ASSIGN(auto value, Type(table.map_type().value, data.map_type().value, column + ".value"));
                return DataType::Map(std::move(key), std::move(value), table.map_type().value_contains_null);
            }
            default: break;
            }
        }
        if (table.SameAs(data) || data.kind() == Kind::kVoid) {
            return table;
        }
        if (table.kind() == Kind::kVoid) {
            changed_ = true;
            return AsNew(data);
        }
        if (options_.evolve && options_.widen && CanWidenUnasked(table, data)) {
            changed_ = true;
            return data;
        }
        if (!options_.check_types || CanStoreAssign(data, table)) {
            return table;
        }
        return Fail(
            Condition::DELTA_FAILED_TO_MERGE_FIELDS,
            "Failed to merge fields '{0}' and '{0}'. The table's column has the type {1}, the data has {2}. Cast the "
            "data, or overwrite the schema.",
            column, table.ToString(), data.ToString());
    }

    const MergeOptions &options_;
    bool changed_ = false;
};

Error SchemaMismatch(const StructType &table, const StructType &data, std::string_view table_id) {
    return Fail(
        Condition::DELTA_METADATA_MISMATCH,
        "A metadata mismatch was detected when writing to the Delta table. A schema mismatch detected when writing to "
        "the Delta table (Table ID: {}). To let the table take new columns, write INSERT … WITH SCHEMA EVOLUTION, set "
        "the option mergeSchema to true, or set spark.databricks.delta.schema.autoMerge.enabled to true.\n\nTable "
        "schema:\n{}\n\nData schema:\n{}",
        table_id, SchemaToTree(table), SchemaToTree(data));
}

}  // namespace

bool CanStoreAssign(const DataType &from, const DataType &to) {
    if (from.kind() == Kind::kVoid || from.SameAs(to)) {
        return true;
    }
    if (from.kind() == Kind::kArray && to.kind() == Kind::kArray) {
        return CanStoreAssign(from.array_type().element, to.array_type().element);
    }
    if (from.kind() == Kind::kMap && to.kind() == Kind::kMap) {
        return CanStoreAssign(from.map_type().key, to.map_type().key) &&
               CanStoreAssign(from.map_type().value, to.map_type().value);
    }
    if (from.kind() == Kind::kStruct && to.kind() == Kind::kStruct) {
        const auto &a = from.struct_type().fields;
        const auto &b = to.struct_type().fields;
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](auto &x, auto &y) { return CanStoreAssign(x.type, y.type); });
    }
    return (IsNumber(from.kind()) && IsNumber(to.kind())) || (IsTime(from.kind()) && IsTime(to.kind())) ||
           (IsPrimitive(from.kind()) && to.kind() == Kind::kString);
}

Result<StructType> MergeSchemas(const StructType &table, const StructType &data, const MergeOptions &options) {
    BF_RETURN_IF_ERROR(CheckDuplicateNames(data, "the data being saved"));
    Merger merger(options);
    BF_ASSIGN(auto merged, merger.Fields(table, data, ""));
    if (!merger.changed()) {
        return table;
    }
    if (!options.evolve) {
        return SchemaMismatch(table, data, options.table_id);
    }
    return RecordTypeChanges(merged, table);
}

bool SameSchema(const StructType &a, const StructType &b) { return SchemaToJson(a) == SchemaToJson(b); }

}  // namespace birdfoot
