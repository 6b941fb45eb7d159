// Values: core's Scalar and DuckDB's Value, both ways, exactly.
#include "duckdb/translate/values.hpp"

#include <limits>

#include "duckdb/common/types/decimal.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

using duckdb::LogicalTypeId;
using duckdb::Value;

namespace {

duckdb::hugeint_t HugeOf(Int128 value) { return {static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value)}; }

Int128 WideOf(duckdb::hugeint_t value) {
    return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

[[noreturn]] void ThrowBeyond(const Scalar &scalar) {
    Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "{} is a {} that this engine cannot hold.", scalar.ToString(),
               scalar.type().ToString()));
}

Value DecimalValue(const Scalar &scalar) {
    const auto width = scalar.type().precision();
    const auto scale = scalar.type().scale();
    if (width > duckdb::Decimal::MAX_WIDTH_INT64) {
        return Value::DECIMAL(HugeOf(scalar.decimal()), width, scale);
    }
    return Value::DECIMAL(static_cast<int64_t>(scalar.decimal()), width, scale);
}

}  // namespace

Value ValueOf(const Scalar &scalar) {
    if (scalar.is_null()) {
        return Value(TypeOf(scalar.type()));
    }
    switch (scalar.type().kind()) {
    case TypeKind::kBoolean: return Value::BOOLEAN(scalar.integer() != 0);
    case TypeKind::kByte: return Value::TINYINT(static_cast<int8_t>(scalar.integer()));
    case TypeKind::kShort: return Value::SMALLINT(static_cast<int16_t>(scalar.integer()));
    case TypeKind::kInteger: return Value::INTEGER(static_cast<int32_t>(scalar.integer()));
    case TypeKind::kLong: return Value::BIGINT(scalar.integer());
    case TypeKind::kFloat: return Value::FLOAT(static_cast<float>(scalar.real()));
    case TypeKind::kDouble: return Value::DOUBLE(scalar.real());
    case TypeKind::kDecimal: return DecimalValue(scalar);
    case TypeKind::kString: return Value(scalar.text());
    case TypeKind::kBinary: return Value::BLOB(duckdb::const_data_ptr_cast(scalar.text().data()), scalar.text().size());
    case TypeKind::kDate: {
        const auto days = scalar.integer();
        if (days >= std::numeric_limits<int32_t>::max() || days <= -std::numeric_limits<int32_t>::max()) {
            ThrowBeyond(scalar);
        }
        return Value::DATE(duckdb::date_t(static_cast<int32_t>(days)));
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: {
        const duckdb::timestamp_t micros(scalar.integer());
        if (!duckdb::Timestamp::IsFinite(micros)) {
            ThrowBeyond(scalar);
        }
        return scalar.type().kind() == TypeKind::kTimestamp ? Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(micros.value))
                                                            : Value::TIMESTAMP(micros);
    }
    default: break;
    }
    Throw(Fail(Condition::BIRDFOOT_INTERNAL, "A value of type {} has no literal form.", scalar.type().ToString()));
}

std::optional<Scalar> ScalarOf(const Value &value) {
    auto type = DeltaTypeOf(value.type(), "");
    if (!type.ok()) {
        return {};
    }
    if (value.IsNull()) {
        return Scalar::Null(*type);
    }
    switch (value.type().id()) {
    case LogicalTypeId::BOOLEAN: return Scalar::Bool(duckdb::BooleanValue::Get(value));
    case LogicalTypeId::TINYINT: return Scalar::Integer(*type, duckdb::TinyIntValue::Get(value));
    case LogicalTypeId::SMALLINT: return Scalar::Integer(*type, duckdb::SmallIntValue::Get(value));
    case LogicalTypeId::INTEGER: return Scalar::Integer(*type, duckdb::IntegerValue::Get(value));
    case LogicalTypeId::BIGINT: return Scalar::Integer(*type, duckdb::BigIntValue::Get(value));
    case LogicalTypeId::UTINYINT: return Scalar::Integer(*type, duckdb::UTinyIntValue::Get(value));
    case LogicalTypeId::USMALLINT: return Scalar::Integer(*type, duckdb::USmallIntValue::Get(value));
    case LogicalTypeId::UINTEGER: return Scalar::Integer(*type, duckdb::UIntegerValue::Get(value));
    case LogicalTypeId::UBIGINT: return Scalar::DecimalOf(*type, static_cast<Int128>(duckdb::UBigIntValue::Get(value)));
    case LogicalTypeId::HUGEINT: {
        const auto wide = WideOf(duckdb::HugeIntValue::Get(value));
        const auto text = DecimalToText(wide, 0);
        // A decimal(38,0) holds a little less than a HUGEINT.
        return text.size() <= 38 ? std::optional(Scalar::DecimalOf(*type, wide)) : std::nullopt;
    }
    case LogicalTypeId::FLOAT: return Scalar::Real(*type, duckdb::FloatValue::Get(value));
    case LogicalTypeId::DOUBLE: return Scalar::Real(*type, duckdb::DoubleValue::Get(value));
    case LogicalTypeId::DECIMAL: {
        // The unscaled integer, whatever its width.
        const auto unscaled =
            value.type().InternalType() == duckdb::PhysicalType::INT128
                ? WideOf(value.GetValueUnsafe<duckdb::hugeint_t>())
            : value.type().InternalType() == duckdb::PhysicalType::INT64 ? Int128{value.GetValueUnsafe<int64_t>()}
            : value.type().InternalType() == duckdb::PhysicalType::INT32 ? Int128{value.GetValueUnsafe<int32_t>()}
                                                                         : Int128{value.GetValueUnsafe<int16_t>()};
        return Scalar::DecimalOf(*type, unscaled);
    }
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::BLOB: return Scalar::Text(*type, duckdb::StringValue::Get(value));
    case LogicalTypeId::DATE: {
        const auto date = duckdb::DateValue::Get(value);
        return duckdb::Date::IsFinite(date) ? std::optional(Scalar::Integer(*type, date.days)) : std::nullopt;
    }
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ: {
        const auto micros = value.GetValueUnsafe<duckdb::timestamp_t>();
        return duckdb::Timestamp::IsFinite(micros) ? std::optional(Scalar::Integer(*type, micros.value)) : std::nullopt;
    }
    default: return {};
    }
}

}  // namespace birdfoot::duck
