// Delta's types and schema (PROTOCOL.md, "Schema Serialization Format"): primitive types, arrays, maps and structs,
// each struct field with its metadata kept as the JSON text that it was, whether we understand it or not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.hpp"

namespace birdfoot {

enum class TypeKind : uint8_t {
    kBoolean,
    kByte,
    kShort,
    kInteger,
    kLong,
    kFloat,
    kDouble,
    kDecimal,
    kString,
    kBinary,
    kDate,
    kTimestamp,
    kTimestampNtz,
    kVariant,
    kVoid,
    kArray,
    kMap,
    kStruct,
};

struct StructField;
class DataType;

struct ArrayType;
struct MapType;
//! The fields of a struct, and of a table. Names compare without regard to case.
struct StructType {
    std::vector<StructField> fields;
    const StructField *Find(std::string_view name) const;  //!< ignores case; null if there is none
    std::optional<size_t> IndexOf(std::string_view name) const;
};

//! An immutable type; nested parts are shared.
class DataType {
public:
    DataType() = default;  // void
    explicit DataType(TypeKind primitive) : kind_(primitive) {}
    static DataType Decimal(uint8_t precision, uint8_t scale);
    static DataType Array(DataType element, bool contains_null);
    static DataType Map(DataType key, DataType value, bool value_contains_null);
    static DataType Struct(StructType type);

    TypeKind kind() const { return kind_; }
    uint8_t precision() const { return precision_; }
    uint8_t scale() const { return scale_; }
    bool is_nested() const { return kind_ >= TypeKind::kArray; }
    bool is_integer() const { return kind_ >= TypeKind::kByte && kind_ <= TypeKind::kLong; }
    const StructType &struct_type() const { return *struct_; }  // of kStruct only
    const ArrayType &array_type() const { return *array_; }     // of kArray only
    const MapType &map_type() const { return *map_; }           // of kMap only

    //! Spark's short name: "int", "decimal(10,2)", "array<string>", "struct<a:int>".
    std::string ToString() const;
    //! The same shape; nullability and metadata do not count, names compare without regard to case.
    bool SameAs(const DataType &other) const;

private:
    TypeKind kind_ = TypeKind::kVoid;
    uint8_t precision_ = 0;
    uint8_t scale_ = 0;
    std::shared_ptr<const StructType> struct_;
    std::shared_ptr<const ArrayType> array_;
    std::shared_ptr<const MapType> map_;
};

//! Members of a field's metadata: name and JSON text of the value, in the order of the log.
class FieldMetadata {
public:
    using Entry = std::pair<std::string, std::string>;
    FieldMetadata() = default;
    explicit FieldMetadata(std::vector<Entry> entries) : entries_(std::move(entries)) {}

    const std::vector<Entry> &entries() const { return entries_; }
    bool empty() const { return entries_.empty(); }
    std::optional<std::string> JsonOf(std::string_view key) const;
    std::optional<std::string> StringOf(std::string_view key) const;  //!< unquoted; none if it is no string
    std::optional<int64_t> IntOf(std::string_view key) const;
    void Set(std::string key, std::string json);
    void SetString(std::string key, std::string_view text);
    void Remove(std::string_view key);

private:
    std::vector<Entry> entries_;
};

struct StructField {
    std::string name;
    DataType type;
    bool nullable = true;
    FieldMetadata metadata;
};

struct ArrayType {
    DataType element;
    bool contains_null = true;
};

struct MapType {
    DataType key;
    DataType value;
    bool value_contains_null = true;
};

bool EqualsIgnoreCase(std::string_view a, std::string_view b);

//! Parses the `schemaString` of a metaData action. DELTA_SCHEMA_MALFORMED for what is no schema;
//! DELTA_UNSUPPORTED_DATA_TYPES names a type that we do not know, and its column.
Result<StructType> ParseSchema(std::string_view schema_string);
//! Spark's form: {"type":"struct","fields":[{"name":…,"type":…,"nullable":…,"metadata":{…}}]}.
std::string SchemaToJson(const StructType &schema);
//! A type alone: "integer", {"type":"array",…}.
std::string TypeToJson(const DataType &type);
Result<DataType> ParseTypeJson(std::string_view json);

}  // namespace birdfoot
