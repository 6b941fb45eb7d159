// Spark's casts in DuckDB's text, with ANSI mode on: what does not fit fails (TRY_CAST: is NULL), numbers are cut
// towards zero on their way to integers, text is read by Spark's rules. Not taken over: casts of and to arrays, maps
// and structs, of binary to text, between numbers and bytes.
#include "sql/translate/translator.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

std::string CastText(const std::string &text, const DataType &type) {
    return fmt::format("CAST({} AS {})", text, DuckDbTypeText(type));
}

std::string TryCastText(const std::string &text, const DataType &type) {
    return fmt::format("TRY_CAST({} AS {})", text, DuckDbTypeText(type));
}

Value Typed(std::string text, const SparkType &type, bool can_fail) {
    return {std::move(text), type, can_fail, nullptr};
}

//! A decimal below 1 in DuckDB's text lacks its first zero where the type has no digit for it.
Result<std::string> DecimalText(const Value &value) {
    const auto &type = value.type.type;
    if (type.precision() > type.scale()) {
        return fmt::format("CAST({} AS VARCHAR)", value.text);
    }
    const auto wider = DecimalOf(type.precision() + 1, type.scale());
    if (!wider) {
        return UnsupportedExpression(fmt::format("CAST({} AS STRING)", type.ToString()));
    }
    return fmt::format("CAST({} AS VARCHAR)", CastText(value.text, *wider));
}

Result<Value> ToText(Value value) {
    const auto &type = value.type;
    std::string text;
    switch (type.type.kind()) {
    case TypeKind::kBoolean:
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong: text = fmt::format("CAST({} AS VARCHAR)", value.text); break;
    case TypeKind::kDecimal: {
        BF_ASSIGN(text, DecimalText(value));
        break;
    }
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDate:
    case TypeKind::kTimestampNtz: text = fmt::format("spark_text({})", value.text); break;
    case TypeKind::kTimestamp: text = fmt::format("spark_text({})", WallOf(value.text)); break;
    default: return UnsupportedExpression(fmt::format("CAST({} AS STRING)", type.ToString()));
    }
    return Typed(std::move(text), TypeKind::kString, value.can_fail);
}

//! Text read by Spark's rules. `prefix` is spark_ or spark_try_, which gives NULL for what is no such value.
Result<std::string> FromText(const std::string &text, const DataType &type, bool try_cast) {
    const std::string_view prefix = try_cast ? "spark_try_" : "spark_";
    switch (type.kind()) {
    case TypeKind::kBoolean: return fmt::format("{}boolean({})", prefix, text);
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong: {
        const auto number = fmt::format("{}long({})", prefix, text);
        return try_cast ? TryCastText(number, type) : CastText(number, type);
    }
    case TypeKind::kFloat: return fmt::format("{}float({})", prefix, text);
    case TypeKind::kDouble: return fmt::format("{}double({})", prefix, text);
    case TypeKind::kDecimal: {
        const auto number = fmt::format("{}decimal({}, {})", prefix, text, type.scale());
        return try_cast ? TryCastText(number, type) : CastText(number, type);
    }
    case TypeKind::kDate: return fmt::format("{}date({})", prefix, text);
    case TypeKind::kTimestampNtz: return fmt::format("{}timestamp_ntz({})", prefix, text);
    case TypeKind::kTimestamp:
        return Once(text, "stamp", [&](const std::string &stamp) {
            return fmt::format("coalesce({}instant({}), {})", prefix, stamp,
                               InstantOf(fmt::format("{}wall({})", prefix, stamp)));
        });
    case TypeKind::kBinary: return fmt::format("encode({})", text);
    default: return UnsupportedExpression(fmt::format("CAST(string AS {})", type.ToString()));
    }
}

Result<Value> ToNumber(Value value, const SparkType &type, bool try_cast) {
    const auto &from = value.type;
    const auto cast = try_cast ? TryCastText : CastText;
    if (from.Is(TypeKind::kBoolean)) {
        return Typed(CastText(CastText(value.text, DataType(TypeKind::kInteger)), type.type), type, value.can_fail);
    }
    if (from.Is(TypeKind::kTimestamp) && !try_cast) {
        if (type.Is(TypeKind::kDouble)) {
            return Typed(fmt::format("(CAST(epoch_us({}) AS DOUBLE) / 1000000)", value.text), type, value.can_fail);
        }
        if (type.is_integer()) {
            return Typed(CastText(fmt::format("spark_floor_div(epoch_us({}), 1000000)", value.text), type.type), type,
                         true);
        }
    }
    if (!from.is_numeric()) {
        return UnsupportedExpression(fmt::format("CAST({} AS {})", from.ToString(), type.ToString()));
    }
    if (type.is_integer()) {
        const bool whole = from.is_integer();
        const bool fits = whole && from.type.kind() <= type.type.kind();
        return Typed(cast(whole ? value.text : fmt::format("trunc({})", value.text), type.type), type,
                     value.can_fail || !fits);
    }
    if (type.is_decimal()) {
        if (from.is_real()) {  // through its shortest text; what is no number is NULL
            auto text = Once(value.text, "real", [&](const std::string &real) {
                const auto digits =
                    fmt::format("spark_decimal(spark_text(CAST({} AS DOUBLE)), {})", real, type.type.scale());
                return fmt::format("CASE WHEN isfinite({}) THEN {} END", real, cast(digits, type.type));
            });
            return Typed(std::move(text), type, true);
        }
        return Typed(cast(value.text, type.type), type, true);
    }
    // to a float or double
    if (from.is_decimal()) {
        return Typed(CastText(fmt::format("CAST({} AS VARCHAR)", value.text), type.type), type, value.can_fail);
    }
    if (from.Is(TypeKind::kDouble) && type.Is(TypeKind::kFloat)) {
        return Typed(fmt::format("spark_to_float({})", value.text), type, value.can_fail);
    }
    return Typed(CastText(value.text, type.type), type, value.can_fail);
}

Result<Value> ToTime(Value value, const SparkType &type) {
    const auto &from = value.type;
    if (from.is_time()) {
        if (type.Is(TypeKind::kDate)) {
            const auto wall = from.Is(TypeKind::kTimestamp) ? WallOf(value.text) : value.text;
            return Typed(fmt::format("CAST({} AS DATE)", wall), type, value.can_fail);
        }
        if (type.Is(TypeKind::kTimestampNtz)) {
            const auto wall = from.Is(TypeKind::kTimestamp) ? WallOf(value.text) : CastText(value.text, type.type);
            return Typed(wall, type, value.can_fail);
        }
        const auto wall = from.Is(TypeKind::kDate) ? fmt::format("CAST({} AS TIMESTAMP)", value.text) : value.text;
        return Typed(InstantOf(wall), type, value.can_fail);
    }
    if (from.is_integer() && type.Is(TypeKind::kTimestamp)) {
        return Typed(fmt::format("make_timestamptz(CAST({} AS BIGINT) * 1000000)", value.text), type, true);
    }
    return UnsupportedExpression(fmt::format("CAST({} AS {})", from.ToString(), type.ToString()));
}

Result<Value> CastAs(Value value, const SparkType &type, bool try_cast) {
    if (value.type.SameAs(type)) {
        return value;
    }
    if (value.type.is_void() && !type.is_interval()) {
        return Typed(CastText("NULL", type.type), type, false);
    }
    if (value.type.is_interval() || type.is_interval()) {
        if (value.type.is_interval() && type.is_interval() && value.type.interval != IntervalKind::kMonths &&
            type.interval == IntervalKind::kTime) {
            value.type = type;
            return value;
        }
        return UnsupportedExpression(fmt::format("CAST({} AS {})", value.type.ToString(), type.ToString()));
    }
    if (value.type.is_string()) {
        BF_ASSIGN(auto text, FromText(value.text, type.type, try_cast));
        return Typed(std::move(text), type, true);
    }
    if (type.is_string()) {
        return ToText(std::move(value));
    }
    if (type.is_numeric()) {
        return ToNumber(std::move(value), type, try_cast);
    }
    if (type.is_time()) {
        return ToTime(std::move(value), type);
    }
    if (type.Is(TypeKind::kBoolean) && value.type.is_numeric()) {
        return Typed(fmt::format("({} <> 0)", value.text), type, value.can_fail);
    }
    return UnsupportedExpression(fmt::format("CAST({} AS {})", value.type.ToString(), type.ToString()));
}

//! What Spark's functions take for the type that they ask for.
bool CastsUnasked(const SparkType &from, const SparkType &to) {
    if (to.is_string()) {
        return !from.is_nested() && !from.Is(TypeKind::kVariant) && !from.is_interval();
    }
    if (from.is_integer() && to.is_integer()) {
        return from.type.kind() <= to.type.kind();
    }
    if (to.is_real()) {
        return from.is_integer() || from.is_decimal() || (from.Is(TypeKind::kFloat) && to.Is(TypeKind::kDouble));
    }
    if (to.is_time()) {
        return from.is_time() || from.is_string();
    }
    return false;
}

}  // namespace

Result<Value> Cast(Value value, const SparkType &type) { return CastAs(std::move(value), type, false); }
Result<Value> TryCast(Value value, const SparkType &type) { return CastAs(std::move(value), type, true); }

Result<Value> Implicitly(Value value, const SparkType &type, std::string_view function) {
    if (value.type.is_void() || value.type.SameAs(type) || CastsUnasked(value.type, type)) {
        return Cast(std::move(value), type);
    }
    return Mismatch(fmt::format("{} of {}, where {} is expected,", function, value.type.ToString(), type.ToString()));
}

Result<Value> AsDecimal(Value value) {
    if (value.type.is_decimal()) {
        return value;
    }
    if (value.literal && value.type.is_integer()) {
        const auto &digits =
            value.literal->kind == ExpressionKind::kNegate ? value.literal->children[0].text : value.literal->text;
        const auto first = digits.find_first_not_of('0');
        const size_t count = first == std::string::npos ? 1 : digits.size() - first;
        return Cast(std::move(value), *DecimalOf(static_cast<int>(count), 0));
    }
    return Cast(std::move(value), *DecimalOfInteger(value.type.type.kind()));
}

namespace {

Result<Translation> CastTo(Translation value, const DataType &type) {
    BF_ASSIGN(auto cast, Cast({value.text, SparkType(value.type), true, nullptr}, SparkType(type)));
    value.text = std::move(cast.text);
    value.type = type;
    return value;
}

}  // namespace

Result<Translation> AssignTo(Translation value, const DataType &type) {
    const SparkType from(value.type);
    const SparkType to(type);
    const bool text = from.is_string() != to.is_string() && !to.is_string();
    const bool numbers = from.is_numeric() != to.is_numeric() && !to.is_string() && !from.is_void();
    if (text || numbers || (from.is_nested() && !from.SameAs(to))) {
        if (!from.SameAs(to)) {
            return Mismatch(fmt::format("A value of {} for a column of {}", from.ToString(), to.ToString()));
        }
    }
    return CastTo(std::move(value), type);
}

Result<Translation> AssignDefault(Translation value, const DataType &type) {
    const auto casts = [](const SparkType &t) {
        return !t.is_nested() && !t.Is(TypeKind::kBoolean) && !t.Is(TypeKind::kVariant);
    };
    if (!value.varies && casts(SparkType(value.type)) && casts(SparkType(type))) {
        return CastTo(std::move(value), type);
    }
    return AssignTo(std::move(value), type);
}

}  // namespace birdfoot::sql
