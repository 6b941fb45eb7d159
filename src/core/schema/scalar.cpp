// Scalar: comparing, and the forms of the log. PROTOCOL.md, "Partition Value Serialization" and "Per-file Statistics".
#include "core/schema/scalar.hpp"

#include <cmath>
#include <limits>

#include "core/schema/value_text.hpp"

namespace birdfoot {
namespace {

enum class Family : uint8_t { kNone, kBoolean, kInteger, kReal, kDecimal, kText, kDate, kTimestamp, kTimestampNtz };

Family FamilyOf(TypeKind kind) {
    switch (kind) {
    case TypeKind::kBoolean: return Family::kBoolean;
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong: return Family::kInteger;
    case TypeKind::kFloat:
    case TypeKind::kDouble: return Family::kReal;
    case TypeKind::kDecimal: return Family::kDecimal;
    case TypeKind::kString:
    case TypeKind::kBinary: return Family::kText;
    case TypeKind::kDate: return Family::kDate;
    case TypeKind::kTimestamp: return Family::kTimestamp;
    case TypeKind::kTimestampNtz: return Family::kTimestampNtz;
    default: return Family::kNone;
    }
}

bool IsSingle(const DataType &type) { return type.kind() == TypeKind::kFloat; }

std::weak_ordering CompareReals(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) {
        return std::isnan(a) <=> std::isnan(b);  // NaN is above all and equal to itself
    }
    return a < b ? std::weak_ordering::less : a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

//! A decimal or an integer, as one of scale 0.
struct Exact {
    Int128 unscaled;
    uint8_t scale;
};

std::weak_ordering CompareExact(const Exact &a, const Exact &b) {
    if (a.scale == b.scale) {
        return a.unscaled <=> b.unscaled;
    }
    if (a.scale > b.scale) {
        return 0 <=> CompareExact(b, a);
    }
    Int128 raised = 0;
    if (__builtin_mul_overflow(a.unscaled, PowerOfTen(b.scale - a.scale), &raised)) {
        return a.unscaled <=> Int128{0};  // beyond any decimal, so its sign decides
    }
    return raised <=> b.unscaled;
}

std::optional<std::weak_ordering> CompareExactWithReal(const Exact &a, double b) {
    if (std::isnan(b)) {
        return std::weak_ordering::less;
    }
    if (std::isinf(b)) {
        return b > 0 ? std::weak_ordering::less : std::weak_ordering::greater;
    }
    const auto real = static_cast<long double>(a.unscaled) / static_cast<long double>(PowerOfTen(a.scale));
    const long double difference = real - b;
    const bool is_exact = a.scale == 0 && a.unscaled >= std::numeric_limits<int64_t>::min() &&
                          a.unscaled <= std::numeric_limits<int64_t>::max();  // a long double holds 64 bits
    if (!is_exact && std::abs(difference) <= std::abs(static_cast<long double>(b)) * 1e-15L) {
        return std::nullopt;  // too close to tell
    }
    return difference < 0   ? std::weak_ordering::less
           : difference > 0 ? std::weak_ordering::greater
                            : std::weak_ordering::equivalent;
}

std::optional<std::weak_ordering> CompareDateWithNtz(int64_t days, int64_t micros) {
    int64_t midnight = 0;
    if (__builtin_mul_overflow(days, kMicrosPerDay, &midnight)) {
        return days <=> int64_t{0};
    }
    return midnight <=> micros;
}

std::optional<bool> BooleanFromText(std::string_view text) {
    for (const std::string_view name : {"true", "t", "yes", "y", "1"}) {
        if (EqualsIgnoreCase(text, name)) {
            return true;
        }
    }
    for (const std::string_view name : {"false", "f", "no", "n", "0"}) {
        if (EqualsIgnoreCase(text, name)) {
            return false;
        }
    }
    return std::nullopt;
}

bool FitsInteger(TypeKind kind, int64_t value) {
    switch (kind) {
    case TypeKind::kByte: return value == static_cast<int8_t>(value);
    case TypeKind::kShort: return value == static_cast<int16_t>(value);
    case TypeKind::kInteger: return value == static_cast<int32_t>(value);
    default: return true;
    }
}

std::optional<Scalar> ScalarFromText(const DataType &type, std::string_view text) {
    const auto integer = [&](std::optional<int64_t> value) {
        return value ? std::optional(Scalar::Integer(type, *value)) : std::nullopt;
    };
    switch (FamilyOf(type.kind())) {
    case Family::kBoolean: {
        const auto value = BooleanFromText(text);
        return value ? std::optional(Scalar::Bool(*value)) : std::nullopt;
    }
    case Family::kInteger: {
        const auto value = IntegerFromText(text);
        return value && FitsInteger(type.kind(), *value) ? integer(value) : std::nullopt;
    }
    case Family::kReal: {
        const auto value = RealFromText(text, IsSingle(type));
        return value ? std::optional(Scalar::Real(type, *value)) : std::nullopt;
    }
    case Family::kDecimal: {
        const auto value = DecimalFromText(text, type.precision(), type.scale());
        return value ? std::optional(Scalar::DecimalOf(type, *value)) : std::nullopt;
    }
    case Family::kText: return Scalar::Text(type, std::string(text));
    case Family::kDate: return integer(DateFromText(text));
    case Family::kTimestamp: return integer(TimestampFromText(text, nullptr));
    case Family::kTimestampNtz: {
        const auto parsed = ParseTimestamp(text);  // a zone, if some writer named one, does not move the wall clock
        return parsed ? integer(parsed->wall_micros) : std::nullopt;
    }
    case Family::kNone: break;
    }
    return std::nullopt;
}

}  // namespace

Scalar Scalar::Bool(bool value) { return Integer(DataType(TypeKind::kBoolean), value ? 1 : 0); }

Scalar Scalar::Integer(DataType type, int64_t value) {
    Scalar scalar(std::move(type));
    scalar.null_ = false;
    scalar.integer_ = value;
    return scalar;
}
Scalar Scalar::Real(DataType type, double value) {
    Scalar scalar(std::move(type));
    scalar.null_ = false;
    scalar.real_ = value;
    return scalar;
}
Scalar Scalar::DecimalOf(DataType type, Int128 unscaled) {
    Scalar scalar(std::move(type));
    scalar.null_ = false;
    scalar.decimal_ = unscaled;
    return scalar;
}
Scalar Scalar::Text(DataType type, std::string bytes) {
    Scalar scalar(std::move(type));
    scalar.null_ = false;
    scalar.text_ = std::move(bytes);
    return scalar;
}

std::optional<std::weak_ordering> Scalar::Compare(const Scalar &a, const Scalar &b) {
    if (a.null_ || b.null_) {
        return std::nullopt;
    }
    const auto left = FamilyOf(a.type_.kind());
    const auto right = FamilyOf(b.type_.kind());
    const auto is_exact = [](Family family) { return family == Family::kInteger || family == Family::kDecimal; };
    const auto exact = [](const Scalar &s, Family family) {
        return family == Family::kInteger ? Exact{s.integer_, 0} : Exact{s.decimal_, s.type_.scale()};
    };
    if (is_exact(left) && is_exact(right)) {
        return CompareExact(exact(a, left), exact(b, right));
    }
    if (is_exact(left) && right == Family::kReal) {
        return CompareExactWithReal(exact(a, left), b.real_);
    }
    if (left == Family::kReal && is_exact(right)) {
        const auto turned = Compare(b, a);
        return turned ? std::optional<std::weak_ordering>(0 <=> *turned) : std::nullopt;
    }
    if (left == Family::kDate && right == Family::kTimestampNtz) {
        return CompareDateWithNtz(a.integer_, b.integer_);
    }
    if (left == Family::kTimestampNtz && right == Family::kDate) {
        return 0 <=> *CompareDateWithNtz(b.integer_, a.integer_);
    }
    if (left != right || left == Family::kNone) {
        return std::nullopt;
    }
    if (left == Family::kReal) {
        return CompareReals(a.real_, b.real_);
    }
    if (left == Family::kText) {
        return a.type_.kind() == b.type_.kind() ? std::optional<std::weak_ordering>(a.text_.compare(b.text_) <=> 0)
                                                : std::nullopt;
    }
    return a.integer_ <=> b.integer_;
}

Result<Scalar> Scalar::FromPartitionValue(const DataType &type, const std::optional<std::string> &text) {
    if (!text || text->empty()) {
        return Null(type);
    }
    auto value = ScalarFromText(type, *text);
    if (!value) {
        return Fail(Condition::DELTA_INVALID_PARTITION_VALUE,
                    "The partition value '{}' in the log is no {}. The file that has it must be written again.",
                    text->substr(0, 100), type.ToString());
    }
    return *std::move(value);
}

std::optional<std::string> Scalar::ToPartitionValue() const {
    if (null_) {
        return std::nullopt;
    }
    switch (FamilyOf(type_.kind())) {
    case Family::kBoolean: return integer_ ? "true" : "false";
    case Family::kInteger: return std::to_string(integer_);
    case Family::kReal: return RealToText(real_, IsSingle(type_));
    case Family::kDecimal: return DecimalToText(decimal_, type_.scale());
    case Family::kText: return text_.empty() ? std::nullopt : std::optional(text_);
    case Family::kDate: return DateToText(integer_);
    case Family::kTimestamp: return TimestampToText(integer_, TimestampStyle::kIsoMicros) + "Z";
    case Family::kTimestampNtz: return TimestampToText(integer_, TimestampStyle::kSpaced);
    case Family::kNone: break;
    }
    return std::nullopt;
}

Status Scalar::CheckPartitionValue() const {
    if (null_ || type_.kind() != TypeKind::kBinary) {
        return {};
    }
    std::string json;
    JsonWriter(json).String(text_);  // puts U+FFFD in the place of what is no UTF-8
    const auto document = JsonDocument::Parse(json);
    if (document.ok() && document->root().string() == text_) {
        return {};
    }
    return Fail(
        Condition::BIRDFOOT_UNSUPPORTED,
        "The binary value {} cannot be a partition value, since it is not UTF-8 text. Partition by another column.",
        ToString());
}

std::optional<Scalar> Scalar::FromStatistics(const DataType &type, JsonValue json) {
    const auto family = FamilyOf(type.kind());
    if (family == Family::kBoolean) {
        const auto value = json.boolean();
        return value ? std::optional(Bool(*value)) : std::nullopt;
    }
    const bool is_number = family == Family::kInteger || family == Family::kReal || family == Family::kDecimal;
    const auto text = json.string();
    if (is_number && json.is_number()) {
        return ScalarFromText(type, json.number_text());
    }
    if (family == Family::kNone || !text || type.kind() == TypeKind::kBinary) {
        return std::nullopt;
    }
    return ScalarFromText(type, *text);  // numbers too: Spark writes "NaN" so
}

std::optional<std::string> Scalar::ToStatisticsJson() const {
    if (null_) {
        return std::nullopt;
    }
    const auto quoted = [](std::string_view text) {
        std::string json;
        JsonWriter(json).String(text);
        return json;
    };
    switch (FamilyOf(type_.kind())) {
    case Family::kReal: {
        auto text = RealToText(real_, IsSingle(type_));
        return std::isfinite(real_) ? text : quoted(text);
    }
    case Family::kText: return type_.kind() == TypeKind::kString ? std::optional(quoted(text_)) : std::nullopt;
    case Family::kDate: return quoted(DateToText(integer_));
    case Family::kTimestamp: return quoted(TimestampToText(integer_, TimestampStyle::kIsoMillis) + "Z");
    case Family::kTimestampNtz: return quoted(TimestampToText(integer_, TimestampStyle::kIsoMillis));
    default: return ToPartitionValue();
    }
}

std::string Scalar::ToString() const {
    if (null_) {
        return "NULL";
    }
    if (type_.kind() == TypeKind::kBinary) {
        std::string text = "X'";
        for (const char c : text_) {
            text += fmt::format("{:02X}", static_cast<unsigned char>(c));
        }
        return text + "'";
    }
    if (type_.kind() == TypeKind::kString) {
        std::string text = "'";
        for (const char c : text_) {
            text += c == '\'' ? std::string("''") : std::string(1, c);
        }
        return text + "'";
    }
    return ToPartitionValue().value_or("NULL");
}

}  // namespace birdfoot
