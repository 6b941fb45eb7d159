// Types and schema JSON (PROTOCOL.md, "Schema Serialization Format"). Reading is bounded in depth, so that hostile text
// cannot exhaust the stack; a type that we do not know is refused with the column's path, never read as something else.
// User-defined types are among them: their JSON would be lost when the schema is written again.
#include "core/schema/types.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/json.hpp"

namespace birdfoot {
namespace {

constexpr int kMaxDepth = 200;  // of arrays, maps and structs within each other
constexpr uint8_t kMaxPrecision = 38;

struct PrimitiveName {
    TypeKind kind;
    std::string_view json;   // in the log
    std::string_view spark;  // in messages and DDL
};
constexpr PrimitiveName kPrimitives[] = {
    {TypeKind::kBoolean, "boolean", "boolean"},
    {TypeKind::kByte, "byte", "tinyint"},
    {TypeKind::kShort, "short", "smallint"},
    {TypeKind::kInteger, "integer", "int"},
    {TypeKind::kLong, "long", "bigint"},
    {TypeKind::kFloat, "float", "float"},
    {TypeKind::kDouble, "double", "double"},
    {TypeKind::kString, "string", "string"},
    {TypeKind::kBinary, "binary", "binary"},
    {TypeKind::kDate, "date", "date"},
    {TypeKind::kTimestamp, "timestamp", "timestamp"},
    {TypeKind::kTimestampNtz, "timestamp_ntz", "timestamp_ntz"},
    {TypeKind::kVariant, "variant", "variant"},
    {TypeKind::kVoid, "void", "void"},
    {TypeKind::kVoid, "null", "void"},  // as old Spark versions wrote it
};

const PrimitiveName &NameOf(TypeKind kind) {
    return *std::find_if(std::begin(kPrimitives), std::end(kPrimitives), [&](auto &p) { return p.kind == kind; });
}

Error SchemaMalformed(std::string_view where, std::string_view problem) {
    return Fail(Condition::DELTA_SCHEMA_MALFORMED,
                "The table's schema is damaged{}{}: {}. The metaData action of the log must be repaired or restored.",
                where.empty() ? "" : " at column ", where, problem);
}

std::string Below(const std::string &path, std::string_view name) {
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}

//! "decimal(10, 2)" or "decimal"; false if it is neither.
bool ParseDecimalName(std::string_view text, int *precision, int *scale) {
    constexpr std::string_view kName = "decimal";
    if (text.substr(0, kName.size()) != kName) {
        return false;
    }
    text.remove_prefix(kName.size());
    if (text.empty()) {
        *precision = 10;
        *scale = 0;
        return true;
    }
    if (text.front() != '(' || text.back() != ')') {
        return false;
    }
    text = text.substr(1, text.size() - 2);
    const auto number = [](std::string_view part, int *value) {
        while (!part.empty() && part.front() == ' ') {
            part.remove_prefix(1);
        }
        while (!part.empty() && part.back() == ' ') {
            part.remove_suffix(1);
        }
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *value);
        return !part.empty() && error == std::errc() && end == part.data() + part.size();
    };
    const auto comma = text.find(',');
    return comma != std::string_view::npos && number(text.substr(0, comma), precision) &&
           number(text.substr(comma + 1), scale);
}

class SchemaReader {
public:
    Result<DataType> Type(JsonValue json, const std::string &path, int depth) {
        if (const auto name = json.string()) {
            return Primitive(*name, path);
        }
        if (!json.is_object()) {
            return SchemaMalformed(path, "a type is neither a name nor an object");
        }
        if (depth > kMaxDepth) {
            return Fail(Condition::DELTA_UNSUPPORTED_DATA_TYPES,
                        "Column '{}…' is nested more than {} levels deep, which is not supported.", path.substr(0, 60),
                        kMaxDepth);
        }
        const auto name = json["type"].string();
        if (name == "struct") {
            BF_ASSIGN(auto fields, Struct(json, path, depth));
            return DataType::Struct(std::move(fields));
        }
        if (name == "array") {
            BF_ASSIGN(auto element, Type(json["elementType"], Below(path, "element"), depth + 1));
            return DataType::Array(std::move(element), json["containsNull"].boolean().value_or(true));
        }
        if (name == "map") {
            BF_ASSIGN(auto key, Type(json["keyType"], Below(path, "key"), depth + 1));
            BF_ASSIGN(auto value, Type(json["valueType"], Below(path, "value"), depth + 1));
            return DataType::Map(std::move(key), std::move(value), json["valueContainsNull"].boolean().value_or(true));
        }
        if (!name) {
            return SchemaMalformed(path, "a type object has no name");
        }
        return UnknownType(*name, path);
    }

    Result<StructType> Struct(JsonValue json, const std::string &path, int depth) {
        const auto list = json["fields"];
        if (!list.is_array()) {
            return SchemaMalformed(path, "a struct has no list of fields");
        }
        StructType type;
        type.fields.reserve(list.size());
        BF_RETURN_IF_ERROR(list.ForEachElement([&](JsonValue field) -> Status {
            BF_ASSIGN(auto parsed, Field(field, path, depth));
            type.fields.push_back(std::move(parsed));
            return {};
        }));
        return type;
    }

private:
    Result<StructField> Field(JsonValue json, const std::string &path, int depth) {
        const auto name = json["name"].string();
        if (!name) {
            return SchemaMalformed(path, "a field has no name");
        }
        StructField field;
        field.name = *name;
        BF_ASSIGN(field.type, Type(json["type"], Below(path, *name), depth + 1));
        field.nullable = json["nullable"].boolean().value_or(true);
        std::vector<FieldMetadata::Entry> entries;
        BF_RETURN_IF_ERROR(json["metadata"].ForEachMember([&](std::string_view key, JsonValue value) -> Status {
            const auto same = [&](auto &entry) { return entry.first == key; };
            if (std::none_of(entries.begin(), entries.end(), same)) {
                entries.emplace_back(key, value.ToText());
            }
            return {};
        }));
        field.metadata = FieldMetadata(std::move(entries));
        return field;
    }

    static Result<DataType> Primitive(std::string_view name, const std::string &path) {
        for (const auto &primitive : kPrimitives) {
            if (primitive.json == name) {
                return DataType(primitive.kind);
            }
        }
        int precision = 0;
        int scale = 0;
        if (!ParseDecimalName(name, &precision, &scale)) {
            return UnknownType(name, path);
        }
        if (precision < 1 || precision > kMaxPrecision || scale < 0 || scale > precision) {
            return UnknownType(name, path);
        }
        return DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
    }

    static Error UnknownType(std::string_view name, const std::string &path) {
        return Fail(Condition::DELTA_UNSUPPORTED_DATA_TYPES, "Column '{}' has the type '{}', which is not supported.",
                    path, name.substr(0, 100));
    }
};

void AppendType(JsonWriter &writer, const DataType &type);

void AppendStruct(JsonWriter &writer, const StructType &type) {
    writer.BeginObject().Key("type").String("struct").Key("fields").BeginArray();
    for (const auto &field : type.fields) {
        writer.BeginObject().Key("name").String(field.name).Key("type");
        AppendType(writer, field.type);
        writer.Key("nullable").Bool(field.nullable).Key("metadata").BeginObject();
        for (const auto &[key, json] : field.metadata.entries()) {
            writer.Key(key).Raw(json);
        }
        writer.EndObject().EndObject();
    }
    writer.EndArray().EndObject();
}

void AppendType(JsonWriter &writer, const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kStruct: AppendStruct(writer, type.struct_type()); return;
    case TypeKind::kArray: {
        const auto &array = type.array_type();
        writer.BeginObject().Key("type").String("array").Key("elementType");
        AppendType(writer, array.element);
        writer.Key("containsNull").Bool(array.contains_null).EndObject();
        return;
    }
    case TypeKind::kMap: {
        const auto &map = type.map_type();
        writer.BeginObject().Key("type").String("map").Key("keyType");
        AppendType(writer, map.key);
        writer.Key("valueType");
        AppendType(writer, map.value);
        writer.Key("valueContainsNull").Bool(map.value_contains_null).EndObject();
        return;
    }
    case TypeKind::kDecimal: writer.String(fmt::format("decimal({},{})", type.precision(), type.scale())); return;
    default: writer.String(NameOf(type.kind()).json); return;
    }
}

}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<size_t> StructType::IndexOf(std::string_view name) const {
    std::optional<size_t> found;
    for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name == name) {
            return i;  // the exact name wins where old tables have two that differ in case only
        }
        if (!found && EqualsIgnoreCase(fields[i].name, name)) {
            found = i;
        }
    }
    return found;
}

const StructField *StructType::Find(std::string_view name) const {
    const auto index = IndexOf(name);
    return index ? &fields[*index] : nullptr;
}

DataType DataType::Decimal(uint8_t precision, uint8_t scale) {
    DataType type(TypeKind::kDecimal);
    type.precision_ = precision;
    type.scale_ = scale;
    return type;
}
DataType DataType::Array(DataType element, bool contains_null) {
    DataType type(TypeKind::kArray);
    type.array_ = std::make_shared<const ArrayType>(ArrayType{std::move(element), contains_null});
    return type;
}
DataType DataType::Map(DataType key, DataType value, bool value_contains_null) {
    DataType type(TypeKind::kMap);
    type.map_ = std::make_shared<const MapType>(MapType{std::move(key), std::move(value), value_contains_null});
    return type;
}
DataType DataType::Struct(StructType fields) {
    DataType type(TypeKind::kStruct);
    type.struct_ = std::make_shared<const StructType>(std::move(fields));
    return type;
}

std::string DataType::ToString() const {
    switch (kind_) {
    case TypeKind::kDecimal: return fmt::format("decimal({},{})", precision_, scale_);
    case TypeKind::kArray: return "array<" + array_->element.ToString() + ">";
    case TypeKind::kMap: return "map<" + map_->key.ToString() + "," + map_->value.ToString() + ">";
    case TypeKind::kStruct: {
        std::string text = "struct<";
        for (const auto &field : struct_->fields) {
            text += (text.back() == '<' ? "" : ",") + field.name + ":" + field.type.ToString();
        }
        return text + ">";
    }
    default: return std::string(NameOf(kind_).spark);
    }
}

bool DataType::SameAs(const DataType &other) const {
    if (kind_ != other.kind_) {
        return false;
    }
    switch (kind_) {
    case TypeKind::kDecimal: return precision_ == other.precision_ && scale_ == other.scale_;
    case TypeKind::kArray: return array_->element.SameAs(other.array_->element);
    case TypeKind::kMap: return map_->key.SameAs(other.map_->key) && map_->value.SameAs(other.map_->value);
    case TypeKind::kStruct: {
        const auto &a = struct_->fields;
        const auto &b = other.struct_->fields;
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](auto &x, auto &y) { return EqualsIgnoreCase(x.name, y.name) && x.type.SameAs(y.type); });
    }
    default: return true;
    }
}

std::optional<std::string> FieldMetadata::JsonOf(std::string_view key) const {
    for (const auto &[name, json] : entries_) {
        if (name == key) {
            return json;
        }
    }
    return std::nullopt;
}

std::optional<std::string> FieldMetadata::StringOf(std::string_view key) const {
    const auto json = JsonOf(key);
    if (!json) {
        return std::nullopt;
    }
    const auto document = JsonDocument::Parse(*json);
    if (!document.ok()) {
        return std::nullopt;
    }
    const auto text = document->root().string();
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<int64_t> FieldMetadata::IntOf(std::string_view key) const {
    const auto json = JsonOf(key);
    if (!json) {
        return std::nullopt;
    }
    const auto document = JsonDocument::Parse(*json);
    return document.ok() ? document->root().int64() : std::nullopt;
}

void FieldMetadata::Set(std::string key, std::string json) {
    for (auto &entry : entries_) {
        if (entry.first == key) {
            entry.second = std::move(json);
            return;
        }
    }
    entries_.emplace_back(std::move(key), std::move(json));
}

void FieldMetadata::SetString(std::string key, std::string_view text) {
    std::string json;
    JsonWriter(json).String(text);
    Set(std::move(key), std::move(json));
}

void FieldMetadata::Remove(std::string_view key) {
    std::erase_if(entries_, [&](auto &entry) { return entry.first == key; });
}

Result<StructType> ParseSchema(std::string_view schema_string) {
    auto document = JsonDocument::Parse(schema_string);
    if (!document.ok()) {
        return SchemaMalformed("", document.error().text());
    }
    const auto root = document->root();
    if (!root.is_object() || root["type"].string() != "struct") {
        return SchemaMalformed("", "it is no struct");
    }
    return SchemaReader().Struct(root, "", 0);
}

std::string SchemaToJson(const StructType &schema) {
    std::string out;
    JsonWriter writer(out);
    AppendStruct(writer, schema);
    return out;
}

std::string TypeToJson(const DataType &type) {
    std::string out;
    JsonWriter writer(out);
    AppendType(writer, type);
    return out;
}

Result<DataType> ParseTypeJson(std::string_view json) {
    auto document = JsonDocument::Parse(json);
    if (!document.ok()) {
        return SchemaMalformed("", document.error().text());
    }
    return SchemaReader().Type(document->root(), "", 0);
}

}  // namespace birdfoot
