// Column mapping (PROTOCOL.md, "Column Mapping"): names and ids of fields, at every level of nesting.
#include "core/schema/column_mapping.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/json.hpp"
#include "core/base/uuid.hpp"

namespace birdfoot {
namespace {

//! Applies `change` to every struct field, a parent before its children, as delta-spark walks a schema.
template <typename Change>
DataType Transform(const DataType &type, const Change &change);

template <typename Change>
StructType TransformStruct(const StructType &type, const Change &change) {
    StructType result;
    result.fields.reserve(type.fields.size());
    for (const auto &field : type.fields) {
        StructField changed = change(field);
        changed.type = Transform(changed.type, change);
        result.fields.push_back(std::move(changed));
    }
    return result;
}

template <typename Change>
DataType Transform(const DataType &type, const Change &change) {
    switch (type.kind()) {
    case TypeKind::kStruct: return DataType::Struct(TransformStruct(type.struct_type(), change));
    case TypeKind::kArray:
        return DataType::Array(Transform(type.array_type().element, change), type.array_type().contains_null);
    case TypeKind::kMap: {
        auto key = Transform(type.map_type().key, change);  // ids are given in the order of the walk
        auto value = Transform(type.map_type().value, change);
        return DataType::Map(std::move(key), std::move(value), type.map_type().value_contains_null);
    }
    default: return type;
    }
}

//! Members of a field's metadata that column mapping owns; the last two are what Spark hands to its Parquet writer.
constexpr std::string_view kMembers[] = {kColumnMappingId, kColumnMappingPhysicalName, kColumnMappingNestedIds,
                                         "parquet.field.id", "parquet.field.nested.ids"};

int64_t LargestIdOf(const StructField &field) {
    int64_t largest = FieldId(field).value_or(0);
    if (const auto nested = field.metadata.JsonOf(kColumnMappingNestedIds)) {
        if (const auto document = JsonDocument::Parse(*nested); document.ok()) {
            (void)document->root().ForEachMember([&](std::string_view, JsonValue id) -> Status {
                largest = std::max(largest, id.int64().value_or(0));
                return {};
            });
        }
    }
    return largest;
}

//! The same type, where what is NULL may be so in the other too.
bool TakesAllOf(const DataType &type, const DataType &earlier);

bool TakesAllOf(const StructType &type, const StructType &earlier) {
    return std::equal(type.fields.begin(), type.fields.end(), earlier.fields.begin(), earlier.fields.end(),
                      [](const StructField &field, const StructField &old) {
                          return field.name == old.name && (field.nullable || !old.nullable) &&
                                 TakesAllOf(field.type, old.type);
                      });
}

bool TakesAllOf(const DataType &type, const DataType &earlier) {
    if (type.kind() != earlier.kind()) {
        return false;
    }
    switch (type.kind()) {
    case TypeKind::kStruct: return TakesAllOf(type.struct_type(), earlier.struct_type());
    case TypeKind::kArray:
        return (type.array_type().contains_null || !earlier.array_type().contains_null) &&
               TakesAllOf(type.array_type().element, earlier.array_type().element);
    case TypeKind::kMap:
        return (type.map_type().value_contains_null || !earlier.map_type().value_contains_null) &&
               TakesAllOf(type.map_type().key, earlier.map_type().key) &&
               TakesAllOf(type.map_type().value, earlier.map_type().value);
    default: return type.SameAs(earlier);
    }
}

DataType InheritIn(const DataType &type, const DataType &earlier) {
    if (type.kind() != earlier.kind()) {
        return type;
    }
    switch (type.kind()) {
    case TypeKind::kStruct: return DataType::Struct(InheritColumnMapping(type.struct_type(), earlier.struct_type()));
    case TypeKind::kArray:
        return DataType::Array(InheritIn(type.array_type().element, earlier.array_type().element),
                               type.array_type().contains_null);
    case TypeKind::kMap:
        return DataType::Map(InheritIn(type.map_type().key, earlier.map_type().key),
                             InheritIn(type.map_type().value, earlier.map_type().value),
                             type.map_type().value_contains_null);
    default: return type;
    }
}

class MappingCheck {
public:
    explicit MappingCheck(ColumnMappingMode mode) : mode_(mode) {}

    Status Struct(const StructType &type, const std::string &path) {
        std::set<std::string> names;
        for (const auto &field : type.fields) {
            const std::string full = path.empty() ? field.name : path + "." + field.name;
            const auto id = FieldId(field);
            const auto name = field.metadata.StringOf(kColumnMappingPhysicalName);
            if (!id || !name) {
                return Fail(Condition::DELTA_MISSING_COLUMN_ID,
                            "Column '{}' has no {}, which column mapping needs. The metaData action of the log must be "
                            "repaired or restored.",
                            full, id ? "physical name" : "column id");
            }
            if (!names.insert(*name).second) {
                return Damaged(full, fmt::format("shares the physical name '{}' with a column beside it", *name));
            }
            if (mode_ == ColumnMappingMode::kId && (*id < 0 || *id > std::numeric_limits<int32_t>::max())) {
                return Damaged(full, fmt::format("has the id {}, which is no 32-bit integer", *id));
            }
            if (mode_ == ColumnMappingMode::kId && !ids_.insert(*id).second) {
                return Damaged(full, fmt::format("shares the id {} with another column", *id));
            }
            BF_RETURN_IF_ERROR(Type(field.type, full));
        }
        return {};
    }

private:
    static Error Damaged(const std::string &path, std::string_view problem) {
        return Fail(Condition::DELTA_SCHEMA_MALFORMED,
                    "Column '{}' {}. The metaData action of the log must be repaired or restored.", path, problem);
    }

    Status Type(const DataType &type, const std::string &path) {
        switch (type.kind()) {
        case TypeKind::kStruct: return Struct(type.struct_type(), path);
        case TypeKind::kArray: return Type(type.array_type().element, path + ".element");
        case TypeKind::kMap:
            BF_RETURN_IF_ERROR(Type(type.map_type().key, path + ".key"));
            return Type(type.map_type().value, path + ".value");
        default: return {};
        }
    }

    ColumnMappingMode mode_;
    std::set<int64_t> ids_;  // only id mapping reads files by them, so only there they must differ
};

//! Walks `logical` from its part `at` on, below a value of this type.
bool AppendPhysical(const DataType &type, const std::vector<std::string> &logical, size_t at, ColumnMappingMode mode,
                    std::vector<std::string> *physical);

bool AppendPhysicalField(const StructType &type, const std::vector<std::string> &logical, size_t at,
                         ColumnMappingMode mode, std::vector<std::string> *physical) {
    const auto *field = type.Find(logical[at]);
    if (!field) {
        return false;
    }
    physical->push_back(PhysicalName(*field, mode));
    return AppendPhysical(field->type, logical, at + 1, mode, physical);
}

bool AppendPhysical(const DataType &type, const std::vector<std::string> &logical, size_t at, ColumnMappingMode mode,
                    std::vector<std::string> *physical) {
    if (at == logical.size()) {
        return true;
    }
    const auto through = [&](std::string_view step, const DataType &inner) {
        if (!EqualsIgnoreCase(logical[at], step)) {
            return false;
        }
        physical->emplace_back(step);
        return AppendPhysical(inner, logical, at + 1, mode, physical);
    };
    switch (type.kind()) {
    case TypeKind::kStruct: return AppendPhysicalField(type.struct_type(), logical, at, mode, physical);
    case TypeKind::kArray: return through("element", type.array_type().element);
    case TypeKind::kMap: return through("key", type.map_type().key) || through("value", type.map_type().value);
    default: return false;
    }
}

}  // namespace

Result<ColumnMappingMode> ParseColumnMappingMode(std::string_view text) {
    for (const auto &[name, mode] :
         {std::pair{"none", ColumnMappingMode::kNone}, std::pair{"name", ColumnMappingMode::kName},
          std::pair{"id", ColumnMappingMode::kId}}) {
        if (EqualsIgnoreCase(text, name)) {
            return mode;
        }
    }
    return Fail(Condition::DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE,
                "The column mapping mode '{}' is not known. The modes are none, name and id.", text);
}

std::string PhysicalName(const StructField &field, ColumnMappingMode mode) {
    if (mode == ColumnMappingMode::kNone) {
        return field.name;
    }
    return field.metadata.StringOf(kColumnMappingPhysicalName).value_or(field.name);
}

std::optional<int64_t> FieldId(const StructField &field) { return field.metadata.IntOf(kColumnMappingId); }

std::vector<std::string> PhysicalPath(const StructType &schema, const std::vector<std::string> &logical,
                                      ColumnMappingMode mode) {
    std::vector<std::string> physical;
    if (logical.empty() || !AppendPhysicalField(schema, logical, 0, mode, &physical)) {
        return {};
    }
    return physical;
}

std::vector<std::string> LogicalPath(const StructType &schema, const std::vector<std::string> &physical,
                                     ColumnMappingMode mode) {
    std::vector<std::string> logical;
    const auto *level = &schema;
    for (const auto &step : physical) {
        const StructField *found = nullptr;
        if (level) {
            const auto is_it = [&](const StructField &field) { return PhysicalName(field, mode) == step; };
            const auto at = std::find_if(level->fields.begin(), level->fields.end(), is_it);
            found = at == level->fields.end() ? nullptr : &*at;
        }
        logical.push_back(found ? found->name : step);
        level = found && found->type.kind() == TypeKind::kStruct ? &found->type.struct_type() : nullptr;
    }
    return logical;
}

Status CheckColumnMapping(const StructType &schema, ColumnMappingMode mode) {
    return mode == ColumnMappingMode::kNone ? Status::Ok() : MappingCheck(mode).Struct(schema, "");
}

StructType AssignColumnMapping(const StructType &schema, bool keep_names, int64_t *max_id) {
    (void)TransformStruct(schema, [&](const StructField &field) {
        *max_id = std::max(*max_id, LargestIdOf(field));
        return field;
    });
    return TransformStruct(schema, [&](const StructField &field) {
        StructField changed = field;
        if (!FieldId(field)) {
            changed.metadata.Set(std::string(kColumnMappingId), std::to_string(++*max_id));
        }
        if (!field.metadata.StringOf(kColumnMappingPhysicalName)) {
            changed.metadata.SetString(std::string(kColumnMappingPhysicalName),
                                       keep_names ? field.name : "col-" + RandomUuid());
        }
        return changed;
    });
}

StructType InheritColumnMapping(const StructType &schema, const StructType &earlier) {
    StructType result = schema;
    for (auto &field : result.fields) {
        const auto *old = earlier.Find(field.name);
        if (!old) {
            continue;
        }
        if (TakesAllOf(field.type, old->type)) {
            for (const auto member : {kColumnMappingId, kColumnMappingPhysicalName, kColumnMappingNestedIds}) {
                const auto value = old->metadata.JsonOf(member);
                if (value && !field.metadata.JsonOf(member)) {
                    field.metadata.Set(std::string(member), *value);
                }
            }
        }
        field.type = InheritIn(field.type, old->type);
    }
    return result;
}

StructType WithoutColumnMapping(const StructType &schema) {
    return TransformStruct(schema, [](const StructField &field) {
        StructField changed = field;
        for (const auto member : kMembers) {
            changed.metadata.Remove(member);
        }
        return changed;
    });
}

bool HasColumnMapping(const StructType &schema) {
    bool found = false;
    (void)TransformStruct(schema, [&](const StructField &field) {
        found = found || FieldId(field) || field.metadata.StringOf(kColumnMappingPhysicalName);
        return field;
    });
    return found;
}

}  // namespace birdfoot
