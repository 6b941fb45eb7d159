// Types: Delta's and DuckDB's, both ways.
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

LogicalType TypeOf(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kBoolean: return LogicalType::BOOLEAN;
    case TypeKind::kByte: return LogicalType::TINYINT;
    case TypeKind::kShort: return LogicalType::SMALLINT;
    case TypeKind::kInteger: return LogicalType::INTEGER;
    case TypeKind::kLong: return LogicalType::BIGINT;
    case TypeKind::kFloat: return LogicalType::FLOAT;
    case TypeKind::kDouble: return LogicalType::DOUBLE;
    case TypeKind::kDecimal: return LogicalType::DECIMAL(type.precision(), type.scale());
    case TypeKind::kString: return LogicalType::VARCHAR;
    case TypeKind::kBinary: return LogicalType::BLOB;
    case TypeKind::kDate: return LogicalType::DATE;
    case TypeKind::kTimestamp: return LogicalType::TIMESTAMP_TZ;
    case TypeKind::kTimestampNtz: return LogicalType::TIMESTAMP;
    case TypeKind::kVariant: return LogicalType::VARIANT();
    case TypeKind::kVoid: return LogicalType::SQLNULL;
    case TypeKind::kArray: return LogicalType::LIST(TypeOf(type.array_type().element));
    case TypeKind::kMap: return LogicalType::MAP(TypeOf(type.map_type().key), TypeOf(type.map_type().value));
    case TypeKind::kStruct: {
        duckdb::child_list_t<LogicalType> children;
        for (const auto &field : type.struct_type().fields) {
            children.emplace_back(field.name, TypeOf(field.type));
        }
        return LogicalType::STRUCT(std::move(children));
    }
    }
    return LogicalType::SQLNULL;
}

Result<DataType> DeltaTypeOf(const LogicalType &type, const std::string &column) {
    switch (type.id()) {
    case LogicalTypeId::BOOLEAN: return DataType(TypeKind::kBoolean);
    case LogicalTypeId::TINYINT: return DataType(TypeKind::kByte);
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT: return DataType(TypeKind::kShort);
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT: return DataType(TypeKind::kInteger);
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER: return DataType(TypeKind::kLong);
    case LogicalTypeId::UBIGINT: return DataType::Decimal(20, 0);
    case LogicalTypeId::HUGEINT:
    case LogicalTypeId::UHUGEINT: return DataType::Decimal(38, 0);
    case LogicalTypeId::FLOAT: return DataType(TypeKind::kFloat);
    case LogicalTypeId::DOUBLE: return DataType(TypeKind::kDouble);
    case LogicalTypeId::DECIMAL:
        return DataType::Decimal(duckdb::DecimalType::GetWidth(type), duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::VARCHAR:
        if (!duckdb::StringType::GetCollation(type).empty()) {
            break;
        }
        return DataType(TypeKind::kString);
    case LogicalTypeId::CHAR:
    case LogicalTypeId::ENUM:
    case LogicalTypeId::UUID: return DataType(TypeKind::kString);
    case LogicalTypeId::BLOB: return DataType(TypeKind::kBinary);
    case LogicalTypeId::DATE: return DataType(TypeKind::kDate);
    case LogicalTypeId::TIMESTAMP_TZ: return DataType(TypeKind::kTimestamp);
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
    case LogicalTypeId::TIMESTAMP_NS: return DataType(TypeKind::kTimestampNtz);
    case LogicalTypeId::VARIANT: return DataType(TypeKind::kVariant);
    case LogicalTypeId::SQLNULL: return DataType(TypeKind::kVoid);
    case LogicalTypeId::LIST: {
        BF_ASSIGN(auto element, DeltaTypeOf(duckdb::ListType::GetChildType(type), column + ".element"));
        return DataType::Array(std::move(element), true);
    }
    case LogicalTypeId::ARRAY: {
        BF_ASSIGN(auto element, DeltaTypeOf(duckdb::ArrayType::GetChildType(type), column + ".element"));
        return DataType::Array(std::move(element), true);
    }
    case LogicalTypeId::MAP: {
        BF_ASSIGN(auto key, DeltaTypeOf(duckdb::MapType::KeyType(type), column + ".key"));
        BF_ASSIGN(auto value, DeltaTypeOf(duckdb::MapType::ValueType(type), column + ".value"));
        return DataType::Map(std::move(key), std::move(value), true);
    }
    case LogicalTypeId::STRUCT: {
        StructType fields;
        for (const auto &child : duckdb::StructType::GetChildTypes(type)) {
            BF_ASSIGN(auto child_type, DeltaTypeOf(child.second, column + "." + child.first));
            fields.fields.push_back({child.first, std::move(child_type), true, {}});
        }
        return DataType::Struct(std::move(fields));
    }
    default: break;
    }
    return Fail(Condition::DELTA_UNSUPPORTED_DATA_TYPES,
                "Column {} is of type {}, which Delta tables do not have. Cast it to a type that they have, for "
                "instance VARCHAR.",
                column, type.ToString());
}

}  // namespace birdfoot::duck
