// The table of widenings is PROTOCOL.md's, "Type Widening".
#include "core/schema/type_widening.hpp"

#include "core/base/json.hpp"

namespace birdfoot {
namespace {

using Kind = TypeKind;

bool IsSmallInteger(Kind kind) { return kind == Kind::kByte || kind == Kind::kShort || kind == Kind::kInteger; }

//! At least `digits` before the point, and `scale` behind it.
bool HasRoom(const DataType &decimal, int digits, int scale) {
    return decimal.precision() - decimal.scale() >= digits && decimal.scale() >= scale;
}

bool SamePrimitive(const DataType &a, const DataType &b) {
    return a.kind() == b.kind() && a.precision() == b.precision() && a.scale() == b.scale();
}

std::string NameInJson(const DataType &type) {
    auto json = TypeToJson(type);
    return json.front() == '"' ? json.substr(1, json.size() - 2) : json;
}

//! Appends the changes within one struct field, through arrays and maps, not into structs within it.
void CollectChanges(const DataType &from, const DataType &to, const std::string &path, JsonWriter &writer, bool *any) {
    const auto below = [&](std::string_view step) {
        return path.empty() ? std::string(step) : path + "." + std::string(step);
    };
    if (from.kind() == Kind::kArray && to.kind() == Kind::kArray) {
        CollectChanges(from.array_type().element, to.array_type().element, below("element"), writer, any);
    } else if (from.kind() == Kind::kMap && to.kind() == Kind::kMap) {
        CollectChanges(from.map_type().key, to.map_type().key, below("key"), writer, any);
        CollectChanges(from.map_type().value, to.map_type().value, below("value"), writer, any);
    } else if (CanWiden(from, to)) {
        *any = true;
        writer.BeginObject().Key("toType").String(NameInJson(to)).Key("fromType").String(NameInJson(from));
        if (!path.empty()) {
            writer.Key("fieldPath").String(path);
        }
        writer.EndObject();
    }
}

void CollectWidened(const DataType &from, const DataType &to, std::vector<std::string> path,
                    std::vector<WidenedColumn> &widened) {
    const auto below = [&](const std::string &step, const DataType &from_part, const DataType &to_part) {
        auto longer = path;
        longer.push_back(step);
        CollectWidened(from_part, to_part, std::move(longer), widened);
    };
    if (from.kind() != to.kind() ||
        !(from.kind() == Kind::kStruct || from.kind() == Kind::kArray || from.kind() == Kind::kMap)) {
        if (CanWiden(from, to)) {
            widened.push_back({std::move(path), from, to});
        }
    } else if (from.kind() == Kind::kArray) {
        below("element", from.array_type().element, to.array_type().element);
    } else if (from.kind() == Kind::kMap) {
        below("key", from.map_type().key, to.map_type().key);
        below("value", from.map_type().value, to.map_type().value);
    } else {
        for (const auto &field : from.struct_type().fields) {
            if (const auto *now = to.struct_type().Find(field.name)) {
                below(field.name, field.type, now->type);
            }
        }
    }
}

DataType RecordIn(const DataType &type, const DataType &earlier) {
    if (type.kind() != earlier.kind()) {
        return type;
    }
    switch (type.kind()) {
    case Kind::kStruct: return DataType::Struct(RecordTypeChanges(type.struct_type(), earlier.struct_type()));
    case Kind::kArray:
        return DataType::Array(RecordIn(type.array_type().element, earlier.array_type().element),
                               type.array_type().contains_null);
    case Kind::kMap:
        return DataType::Map(RecordIn(type.map_type().key, earlier.map_type().key),
                             RecordIn(type.map_type().value, earlier.map_type().value),
                             type.map_type().value_contains_null);
    default: return type;
    }
}

Status CheckChange(const std::string &column, JsonValue change) {
    const auto parse = [](JsonValue name) -> Result<DataType> {
        std::string json;
        JsonWriter(json).String(name.string().value_or(""));
        return ParseTypeJson(json);
    };
    const auto from = parse(change["fromType"]);
    const auto to = parse(change["toType"]);
    const bool strings = from.ok() && to.ok() && from->kind() == Kind::kString && to->kind() == Kind::kString;
    if (from.ok() && to.ok() && (strings || SamePrimitive(*from, *to) || CanWiden(*from, *to))) {
        return {};
    }
    return Fail(
        Condition::DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA,
        "Column '{}' was changed from type '{}' to '{}', which is no type change of the Delta protocol. The table "
        "cannot be read.",
        column, change["fromType"].string().value_or("?"), change["toType"].string().value_or("?"));
}

Status CheckType(const DataType &type, const std::string &path);

Status CheckFields(const StructType &schema, const std::string &path) {
    for (const auto &field : schema.fields) {
        const auto column = path.empty() ? field.name : path + "." + field.name;
        if (const auto changes = field.metadata.JsonOf(kTypeChanges)) {
            BF_ASSIGN(const auto document, JsonDocument::Parse(*changes));
            BF_RETURN_IF_ERROR(
                document.root().ForEachElement([&](JsonValue change) { return CheckChange(column, change); }));
        }
        BF_RETURN_IF_ERROR(CheckType(field.type, column));
    }
    return {};
}

Status CheckType(const DataType &type, const std::string &path) {
    switch (type.kind()) {
    case Kind::kStruct: return CheckFields(type.struct_type(), path);
    case Kind::kArray: return CheckType(type.array_type().element, path + ".element");
    case Kind::kMap:
        BF_RETURN_IF_ERROR(CheckType(type.map_type().key, path + ".key"));
        return CheckType(type.map_type().value, path + ".value");
    default: return {};
    }
}

}  // namespace

bool CanWiden(const DataType &from, const DataType &to) {
    if (SamePrimitive(from, to)) {
        return false;
    }
    if (from.is_integer() && to.is_integer()) {
        return from.kind() < to.kind();  // byte, short, integer, long
    }
    if (to.kind() == Kind::kDouble) {
        return from.kind() == Kind::kFloat || IsSmallInteger(from.kind());
    }
    if (to.kind() == Kind::kDecimal) {
        return from.kind() == Kind::kDecimal ? HasRoom(to, from.precision() - from.scale(), from.scale())
               : from.kind() == Kind::kLong  ? HasRoom(to, 20, 0)
               : IsSmallInteger(from.kind()) ? HasRoom(to, 10, 0)
                                             : false;
    }
    return from.kind() == Kind::kDate && to.kind() == Kind::kTimestampNtz;
}

bool CanWidenUnasked(const DataType &from, const DataType &to) {
    const bool leaves_integers = from.is_integer() && !to.is_integer();
    return CanWiden(from, to) && !leaves_integers;
}

std::vector<WidenedColumn> WidenedColumns(const StructType &before, const StructType &after) {
    std::vector<WidenedColumn> widened;
    CollectWidened(DataType::Struct(before), DataType::Struct(after), {}, widened);
    return widened;
}

StructType RecordTypeChanges(const StructType &schema, const StructType &earlier) {
    StructType result = schema;
    for (auto &field : result.fields) {
        const auto *before = earlier.Find(field.name);
        if (!before) {
            continue;
        }
        std::string changes;
        JsonWriter writer(changes);
        bool any = false;
        writer.BeginArray();
        if (const auto known = field.metadata.JsonOf(kTypeChanges)) {
            if (const auto document = JsonDocument::Parse(*known); document.ok()) {
                (void)document->root().ForEachElement([&](JsonValue change) -> Status {
                    writer.Raw(change.ToText());
                    return {};
                });
            }
        }
        CollectChanges(before->type, field.type, "", writer, &any);
        writer.EndArray();
        if (any) {
            field.metadata.Set(std::string(kTypeChanges), std::move(changes));
        }
        field.type = RecordIn(field.type, before->type);
    }
    return result;
}

Status CheckTypeChanges(const StructType &schema) { return CheckFields(schema, ""); }

}  // namespace birdfoot
