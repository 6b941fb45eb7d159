// See spark_types.hpp. The rules are those of Spark's AnsiTypeCoercion and DecimalPrecision.
#include "sql/translate/spark_types.hpp"

#include <algorithm>

namespace birdfoot::sql {
namespace {

constexpr int kMaxPrecision = 38;

std::optional<SparkType> CommonNumber(const SparkType &a, const SparkType &b) {
    if (a.is_decimal() || b.is_decimal()) {
        if (a.is_real() || b.is_real()) {
            return SparkType(TypeKind::kDouble);
        }
        const auto left = a.is_decimal() ? a.type : *DecimalOfInteger(a.type.kind());
        const auto right = b.is_decimal() ? b.type : *DecimalOfInteger(b.type.kind());
        const int scale = std::max(left.scale(), right.scale());
        const int digits = std::max(left.precision() - left.scale(), right.precision() - right.scale());
        const auto type = DecimalOf(digits + scale, scale);
        return type ? std::optional(SparkType(*type)) : std::nullopt;
    }
    if (a.is_real() || b.is_real()) {
        return a.Is(TypeKind::kFloat) && b.Is(TypeKind::kFloat) ? a : SparkType(TypeKind::kDouble);
    }
    return a.type.kind() > b.type.kind() ? a : b;
}

std::optional<SparkType> CommonTime(const SparkType &a, const SparkType &b) {
    if (a.Is(TypeKind::kTimestamp) || b.Is(TypeKind::kTimestamp)) {
        return SparkType(TypeKind::kTimestamp);
    }
    return SparkType(TypeKind::kTimestampNtz);
}

std::optional<SparkType> OfText(const SparkType &other) {
    if (other.is_integer()) {
        return SparkType(TypeKind::kLong);
    }
    if (other.is_real()) {
        return SparkType(TypeKind::kDouble);
    }
    if (other.is_time() || other.Is(TypeKind::kBoolean)) {
        return other;
    }
    return std::nullopt;
}

}  // namespace

std::string SparkType::ToString() const {
    switch (interval) {
    case IntervalKind::kNone: break;
    case IntervalKind::kMonths: return "interval year to month";
    case IntervalKind::kDays: return "interval day";
    case IntervalKind::kTime: return "interval day to second";
    }
    return type.ToString();
}

std::optional<SparkType> CommonType(const SparkType &a, const SparkType &b, bool text_gives_way) {
    if (a.SameAs(b) || b.is_void()) {
        return a;
    }
    if (a.is_void()) {
        return b;
    }
    if (a.is_interval() || b.is_interval()) {
        const bool both = a.is_interval() && b.is_interval();
        const bool months = a.interval == IntervalKind::kMonths || b.interval == IntervalKind::kMonths;
        return both && !months ? std::optional(SparkType(IntervalKind::kTime)) : std::nullopt;
    }
    if (a.is_numeric() && b.is_numeric()) {
        return CommonNumber(a, b);
    }
    if (a.is_time() && b.is_time()) {
        return CommonTime(a, b);
    }
    if (text_gives_way && (a.is_string() || b.is_string())) {
        return OfText(a.is_string() ? b : a);
    }
    return std::nullopt;
}

std::optional<DataType> DecimalOfInteger(TypeKind kind) {
    switch (kind) {
    case TypeKind::kByte: return DataType::Decimal(3, 0);
    case TypeKind::kShort: return DataType::Decimal(5, 0);
    case TypeKind::kInteger: return DataType::Decimal(10, 0);
    case TypeKind::kLong: return DataType::Decimal(20, 0);
    default: return std::nullopt;
    }
}

std::optional<DataType> DecimalOf(int precision, int scale) {
    if (precision > kMaxPrecision || precision < 1 || scale < 0 || scale > precision) {
        return std::nullopt;
    }
    return DataType::Decimal(static_cast<uint8_t>(precision), static_cast<uint8_t>(scale));
}

std::optional<DataType> DecimalResult(std::string_view op, const DataType &a, const DataType &b) {
    const int p1 = a.precision(), s1 = a.scale(), p2 = b.precision(), s2 = b.scale();
    const int scale = std::max(s1, s2);
    if (op == "+" || op == "-") {
        return DecimalOf(std::max(p1 - s1, p2 - s2) + scale + 1, scale);
    }
    if (op == "*") {
        return DecimalOf(p1 + p2 + 1, s1 + s2);
    }
    if (op == "/") {
        const int quotient_scale = std::max(6, s1 + p2 + 1);
        return DecimalOf(p1 - s1 + s2 + quotient_scale, quotient_scale);
    }
    return DecimalOf(std::min(p1 - s1, p2 - s2) + scale, scale);  // %
}

}  // namespace birdfoot::sql
