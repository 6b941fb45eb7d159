// Functions whose text depends on their arguments' types or literals: choices between values, rounding, regular
// expressions, patterns of dates, struct, array and map.
#include <algorithm>
#include <array>

#include "sql/lexer.hpp"
#include "sql/translate/functions.hpp"
#include "sql/translate/java_pattern.hpp"
#include "sql/translate/java_regex.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

Error WrongArguments(const Expression &node) {
    return UnsupportedExpression(fmt::format("The function {} with {} arguments", node.text, node.children.size()));
}

bool AnyFails(const Values &values) {
    return std::any_of(values.begin(), values.end(), [](const Value &value) { return value.can_fail; });
}

std::string Joined(const Values &values) {
    std::string text;
    for (const auto &value : values) {
        text += (text.empty() ? "" : ", ") + value.text;
    }
    return text;
}

//! The text of a literal, which decides what the function does.
Result<std::string> LiteralText(const Expression &node, size_t argument) {
    if (argument >= node.children.size() || node.children[argument].kind != ExpressionKind::kText) {
        return UnsupportedExpression(fmt::format("{} whose argument {} is no text literal", node.text, argument + 1));
    }
    return node.children[argument].text;
}

Result<int64_t> LiteralInteger(const Expression &node, size_t argument) {
    const auto &child = node.children[argument];
    const auto &number = child.kind == ExpressionKind::kNegate ? child.children[0] : child;
    if (number.kind != ExpressionKind::kNumber || number.type.kind() != TypeKind::kVoid || number.text.size() > 9 ||
        number.text.find_first_not_of("0123456789") != std::string::npos) {
        return UnsupportedExpression(
            fmt::format("{} whose argument {} is no integer literal", node.text, argument + 1));
    }
    return std::stoll(number.text) * (child.kind == ExpressionKind::kNegate ? -1 : 1);
}

// ---- choices ----

Result<Value> If(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 3) {
        return WrongArguments(node);
    }
    return translator.CaseOf(std::move(arguments), true);
}

Result<Value> Coalesce(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.empty() || (node.text != "COALESCE" && arguments.size() != 2)) {
        return WrongArguments(node);
    }
    BF_ASSIGN(arguments, translator.Alike(std::move(arguments), false, node.text));
    return Value{fmt::format("coalesce({})", Joined(arguments)), arguments[0].type, AnyFails(arguments)};
}

Result<Value> Nvl2(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 3) {
        return WrongArguments(node);
    }
    arguments[0] = Value{fmt::format("({} IS NOT NULL)", arguments[0].text), TypeKind::kBoolean, arguments[0].can_fail};
    return translator.CaseOf(std::move(arguments), true);
}

Result<Value> NullIf(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != (node.text == "NULLIF" ? 2 : 1)) {
        return WrongArguments(node);
    }
    translator.NoteCheckOnly(node.text);
    if (arguments.size() == 1) {
        arguments.push_back(Value{"0", TypeKind::kInteger});
    }
    const auto first = arguments[0];
    BF_ASSIGN(const auto same, translator.Compare("=", arguments[0], arguments[1]));
    return Value{fmt::format("CASE WHEN {} THEN NULL ELSE {} END", same.text, first.text), first.type,
                 AnyFails(arguments)};
}

//! decode(x, a, 1, b, 2, 3): the first pair whose key is x, NULL found too.
Result<Value> Decode(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() < 3) {
        return WrongArguments(node);
    }
    Values parts;
    size_t i = 1;
    for (; i + 1 < arguments.size(); i += 2) {
        BF_ASSIGN(auto same, translator.Compare("<=>", arguments[0], arguments[i]));
        parts.push_back(std::move(same));
        parts.push_back(arguments[i + 1]);
    }
    const bool has_else = i < arguments.size();
    if (has_else) {
        parts.push_back(arguments[i]);
    }
    return translator.CaseOf(std::move(parts), has_else);
}

Result<Value> Extreme(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() < 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(arguments, translator.Alike(std::move(arguments), false, node.text));
    const auto &type = arguments[0].type;
    if (type.is_nested() || type.Is(TypeKind::kVariant)) {
        return UnsupportedExpression(fmt::format("{} of {}", node.text, type.ToString()));
    }
    return Value{fmt::format("{}({})", node.text == "GREATEST" ? "greatest" : "least", Joined(arguments)), type,
                 AnyFails(arguments)};
}

// ---- numbers ----

Result<Value> Modulo(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    if (node.text != "PMOD") {
        return translator.Arithmetic(node.text == "MOD" ? "%" : "DIV", std::move(arguments[0]),
                                     std::move(arguments[1]));
    }
    if (!arguments[0].type.is_numeric() || !arguments[1].type.is_numeric() || arguments[0].type.is_decimal() ||
        arguments[1].type.is_decimal()) {
        return UnsupportedExpression("PMOD of other than integers and doubles");
    }
    BF_ASSIGN(auto sides, translator.Alike(std::move(arguments), false, "PMOD"));
    return Value{fmt::format("spark_pmod({})", Joined(sides)), sides[0].type, true};
}

//! ceil and floor of one argument.
Result<Value> CeilOrFloor(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 1) {
        return WrongArguments(node);
    }
    auto &value = arguments[0];
    const std::string_view name = node.text == "FLOOR" ? "floor" : "ceil";
    if (value.type.is_integer()) {
        return Cast(std::move(value), TypeKind::kLong);
    }
    if (value.type.is_real()) {
        return Value{fmt::format("spark_saturate({}(CAST({} AS DOUBLE)))", name, value.text), TypeKind::kLong,
                     value.can_fail};
    }
    if (value.type.is_decimal()) {
        const auto type = DecimalOf(value.type.type.precision() - value.type.type.scale() + 1, 0);
        if (type) {
            return Value{fmt::format("CAST({}({}) AS {})", name, value.text, DuckDbTypeText(*type)), *type, true};
        }
    }
    return UnsupportedExpression(fmt::format("{} of {}", node.text, value.type.ToString()));
}

Result<Value> Round(Translator &, const Expression &node, Values arguments) {
    if (arguments.empty() || arguments.size() > 2) {
        return WrongArguments(node);
    }
    int64_t digits = 0;
    if (arguments.size() == 2) {
        BF_ASSIGN(digits, LiteralInteger(node, 1));
    }
    auto &value = arguments[0];
    if (value.type.Is(TypeKind::kDouble)) {
        return Value{
            fmt::format("{}({}, {})", node.text == "ROUND" ? "spark_round" : "spark_bround", value.text, digits),
            value.type, value.can_fail};
    }
    if (node.text == "ROUND" && value.type.is_integer() && digits >= 0) {
        return value;
    }
    if (node.text == "ROUND" && value.type.is_decimal() && digits >= 0) {
        const int scale = std::min<int>(value.type.type.scale(), static_cast<int>(std::min<int64_t>(digits, 38)));
        const auto type = DecimalOf(value.type.type.precision() - value.type.type.scale() + scale + 1, scale);
        if (type) {
            return Value{fmt::format("CAST({} AS {})", value.text, DuckDbTypeText(*type)), *type, true};
        }
    }
    return UnsupportedExpression(fmt::format("{} of {}", node.text, value.type.ToString()));
}

//! Only squares: Java's and C's functions differ in their last digit for other powers.
Result<Value> Power(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto exponent, LiteralInteger(node, 1));
    if (exponent != 2) {
        return UnsupportedExpression("POWER with an exponent other than 2");
    }
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kDouble, node.text));
    return Value{Once(value.text, "base", [](const std::string &base) { return fmt::format("({0} * {0})", base); }),
                 TypeKind::kDouble, value.can_fail};
}

Result<Value> Shift(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2 || !arguments[0].type.is_integer()) {
        return WrongArguments(node);
    }
    const SparkType type = arguments[0].type.Is(TypeKind::kLong) ? TypeKind::kLong : TypeKind::kInteger;
    const std::string_view name = node.text == "SHIFTLEFT"    ? "spark_shift_left"
                                  : node.text == "SHIFTRIGHT" ? "spark_shift_right"
                                                              : "spark_shift_right_unsigned";
    BF_ASSIGN(auto value, Cast(std::move(arguments[0]), type));
    BF_ASSIGN(auto count, Implicitly(std::move(arguments[1]), TypeKind::kInteger, node.text));
    return Value{fmt::format("{}({}, {})", name, value.text, count.text), type, value.can_fail || count.can_fail};
}

// ---- text ----

Result<Value> Concat(Translator &, const Expression &node, Values arguments) {
    if (arguments.empty()) {
        return Value{"''", TypeKind::kString};
    }
    const bool bytes = std::all_of(arguments.begin(), arguments.end(),
                                   [](const Value &value) { return value.type.Is(TypeKind::kBinary); });
    const SparkType type = bytes ? TypeKind::kBinary : TypeKind::kString;
    std::string text;
    const bool can_fail = AnyFails(arguments);
    for (auto &argument : arguments) {
        if (argument.type.Is(TypeKind::kBinary) && !bytes) {
            return UnsupportedExpression("CONCAT of binary and text");
        }
        BF_ASSIGN(const auto part, Implicitly(std::move(argument), type, node.text));
        text += (text.empty() ? "" : " || ") + part.text;
    }
    return Value{fmt::format("CAST({} AS {})", text, DuckDbTypeText(type.type)), type, can_fail};
}

Result<Value> ConcatWs(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() < 2) {
        return WrongArguments(node);
    }
    const bool can_fail = AnyFails(arguments);
    for (auto &argument : arguments) {
        BF_ASSIGN(argument, Implicitly(std::move(argument), TypeKind::kString, node.text));
    }
    return Value{fmt::format("concat_ws({})", Joined(arguments)), TypeKind::kString, can_fail};
}

Result<Value> Chr(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 1) {
        return WrongArguments(node);
    }
    BF_ASSIGN(auto code, Implicitly(std::move(arguments[0]), TypeKind::kLong, node.text));
    return Value{Once(code.text, "code",
                      [](const std::string &c) {
                          return fmt::format("CASE WHEN {0} < 0 THEN '' ELSE chr(CAST({0} % 256 AS INTEGER)) END", c);
                      }),
                 TypeKind::kString, code.can_fail};
}

Result<Value> Sha2(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto bits, LiteralInteger(node, 1));
    if (bits != 0 && bits != 256) {
        return UnsupportedExpression(fmt::format("SHA2 with {} bits", bits));
    }
    if (!arguments[0].type.Is(TypeKind::kBinary)) {
        BF_ASSIGN(arguments[0], Implicitly(std::move(arguments[0]), TypeKind::kString, node.text));
    }
    return Value{fmt::format("sha256({})", arguments[0].text), TypeKind::kString, arguments[0].can_fail};
}

Result<Value> Encode(Translator &, const Expression &node, Values arguments) {
    BF_ASSIGN(const auto charset, LiteralText(node, 1));
    const auto name = Upper(charset);
    if (arguments.size() != 2 || name != "UTF-8") {
        return UnsupportedExpression(fmt::format("ENCODE to {}", charset));
    }
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kString, node.text));
    return Value{fmt::format("encode({})", value.text), TypeKind::kBinary, value.can_fail};
}

Result<Value> RegexpLike(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    Expression like;
    like.kind = ExpressionKind::kLike;
    like.text = "RLIKE";
    like.children = node.children;
    return translator.Any(like);
}

Result<Value> RegexpReplace(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 3) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto pattern, LiteralText(node, 1));
    BF_ASSIGN(const auto replacement, LiteralText(node, 2));
    BF_ASSIGN(const auto regex, TranslateJavaRegex(pattern));
    if (regex.may_be_empty || regex.has_end) {
        return UnsupportedExpression("REGEXP_REPLACE of a pattern that matches nothing, or has $,");
    }
    BF_ASSIGN(const auto by, TranslateJavaReplacement(replacement, regex.groups));
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kString, node.text));
    return Value{fmt::format("regexp_replace({}, {}, {}, 'g')", value.text, QuoteText(regex.text), QuoteText(by)),
                 TypeKind::kString, value.can_fail};
}

Result<Value> RegexpExtract(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2 && arguments.size() != 3) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto pattern, LiteralText(node, 1));
    int64_t group = 1;
    if (arguments.size() == 3) {
        BF_ASSIGN(group, LiteralInteger(node, 2));
    }
    BF_ASSIGN(const auto regex, TranslateJavaRegex(pattern));
    if (regex.has_end || group < 0 || static_cast<size_t>(group) > regex.groups) {
        return UnsupportedExpression(fmt::format("REGEXP_EXTRACT of group {} of '{}'", group, pattern));
    }
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kString, node.text));
    return Value{fmt::format("regexp_extract({}, {}, {})", value.text, QuoteText(regex.text), group), TypeKind::kString,
                 value.can_fail};
}

//! Only by text that is no regular expression.
Result<Value> Split(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(auto separator, LiteralText(node, 1));
    if (separator.size() == 2 && separator[0] == '\\' &&
        std::string_view(".|*+?()[]{}^$\\").find(separator[1]) != std::string_view::npos) {
        separator.erase(0, 1);
    } else if (separator.empty() || separator.find_first_of(".|*+?()[]{}^$\\") != std::string::npos) {
        return UnsupportedExpression(fmt::format("SPLIT by the regular expression '{}'", separator));
    }
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kString, node.text));
    return Value{fmt::format("string_split({}, {})", value.text, QuoteText(separator)),
                 DataType::Array(DataType(TypeKind::kString), false), value.can_fail};
}

//! hash and xxhash64, of what their algorithm is known for here.
Result<Value> Hash(Translator &, const Expression &node, Values arguments) {
    if (arguments.empty()) {
        return WrongArguments(node);
    }
    const bool murmur = node.text == "HASH";
    std::string text = "42";
    for (const auto &argument : arguments) {
        const auto &type = argument.type;
        if (type.is_nested() || type.Is(TypeKind::kVariant) || type.is_void() || type.is_interval() ||
            (type.is_decimal() && type.type.precision() > 18)) {
            return UnsupportedExpression(fmt::format("{} of {}", node.text, type.ToString()));
        }
        auto value = argument.text;
        if (type.is_decimal()) {  // hashed as the number without its point
            value = fmt::format("CAST(spark_unscaled({}) AS BIGINT)", argument.text);
        }
        text = fmt::format("{}({}, {})", murmur ? "spark_hash" : "spark_xxhash64", value, text);
    }
    return Value{std::move(text), murmur ? TypeKind::kInteger : TypeKind::kLong, AnyFails(arguments)};
}

// ---- dates and times ----

struct TruncateUnit {
    std::string_view name;
    std::string_view unit;
    bool of_date;  // trunc() has it too
};
constexpr std::array kTruncateUnits = {
    TruncateUnit{"YEAR", "year", true},
    TruncateUnit{"YYYY", "year", true},
    TruncateUnit{"YY", "year", true},
    TruncateUnit{"QUARTER", "quarter", true},
    TruncateUnit{"MONTH", "month", true},
    TruncateUnit{"MM", "month", true},
    TruncateUnit{"MON", "month", true},
    TruncateUnit{"WEEK", "week", true},
    TruncateUnit{"DAY", "day", false},
    TruncateUnit{"DD", "day", false},
    TruncateUnit{"HOUR", "hour", false},
    TruncateUnit{"MINUTE", "minute", false},
    TruncateUnit{"SECOND", "second", false},
    TruncateUnit{"MILLISECOND", "millisecond", false},
    TruncateUnit{"MICROSECOND", "microsecond", false},
};

//! date_trunc('MONTH', ts)
Result<Value> DateTrunc(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto name, LiteralText(node, 0));
    const auto *unit = std::find_if(kTruncateUnits.begin(), kTruncateUnits.end(),
                                    [&](const auto &known) { return known.name == Upper(name); });
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[1]), TypeKind::kTimestamp, node.text));
    if (unit == kTruncateUnits.end()) {
        return Cast(Value{"NULL", TypeKind::kVoid}, TypeKind::kTimestamp);
    }
    auto text = Once(value.text, "instant", [&](const std::string &instant) {
        const auto wall = fmt::format("date_trunc('{}', {})", unit->unit, WallOf(instant));
        const bool of_day = unit->of_date || unit->unit == "day";
        return of_day ? InstantOf(wall) : InstantLike(instant, wall);
    });
    return Value{std::move(text), TypeKind::kTimestamp, value.can_fail};
}

//! trunc(d, 'MONTH')
Result<Value> Trunc(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto name, LiteralText(node, 1));
    const auto *unit = std::find_if(kTruncateUnits.begin(), kTruncateUnits.end(),
                                    [&](const auto &known) { return known.of_date && known.name == Upper(name); });
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kDate, node.text));
    if (unit == kTruncateUnits.end()) {
        return Cast(Value{"NULL", TypeKind::kVoid}, TypeKind::kDate);
    }
    return Value{fmt::format("CAST(date_trunc('{}', {}) AS DATE)", unit->unit, value.text), TypeKind::kDate,
                 value.can_fail};
}

std::string Formatted(const std::string &wall, const std::string &format) {
    return Once(wall, "moment", [&](const std::string &moment) {
        return fmt::format(
            "CASE WHEN year({0}) BETWEEN 1 AND 9999 THEN strftime({0}, {1}) WHEN {0} IS NOT NULL THEN "
            "error('[DELTA_UNSUPPORTED_EXPRESSION] A year of other than four digits is not formatted here.') END",
            moment, QuoteText(format));
    });
}

Result<Value> DateFormat(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto pattern, LiteralText(node, 1));
    BF_ASSIGN(const auto format, TranslateJavaPattern(pattern));
    BF_ASSIGN(const auto wall, WallTime(std::move(arguments[0]), node.text));
    return Value{Formatted(wall, format), TypeKind::kString, true};
}

Result<Value> FromUnixtime(Translator &, const Expression &node, Values arguments) {
    if (arguments.empty() || arguments.size() > 2) {
        return WrongArguments(node);
    }
    std::string pattern = "yyyy-MM-dd HH:mm:ss";
    if (arguments.size() == 2) {
        BF_ASSIGN(pattern, LiteralText(node, 1));
    }
    BF_ASSIGN(const auto format, TranslateJavaPattern(pattern));
    BF_ASSIGN(auto seconds, Implicitly(std::move(arguments[0]), TypeKind::kLong, node.text));
    const auto instant = Once(seconds.text, "seconds", [](const std::string &s) {
        return fmt::format(
            "CASE WHEN abs(CAST({0} AS DOUBLE)) < 1e12 THEN make_timestamptz({0} * 1000000) WHEN {0} IS NOT NULL "
            "THEN error('[DELTA_UNSUPPORTED_EXPRESSION] A year of other than four digits is not formatted "
            "here.') END",
            s);
    });
    return Value{Formatted(WallOf(instant), format), TypeKind::kString, true};
}

//! to_date, to_timestamp, to_timestamp_ntz, unix_timestamp of text with a pattern; without one it is a cast.
Result<Value> ParseTime(Translator &, const Expression &node, Values arguments) {
    const SparkType type = node.text == "TO_DATE"            ? TypeKind::kDate
                           : node.text == "TO_TIMESTAMP_NTZ" ? TypeKind::kTimestampNtz
                                                             : TypeKind::kTimestamp;
    if (arguments.empty() || arguments.size() > 2) {
        return WrongArguments(node);
    }
    Value value;
    if (arguments.size() == 1 && node.text != "UNIX_TIMESTAMP") {
        BF_ASSIGN(value, Implicitly(std::move(arguments[0]), type, node.text));
        return value;
    }
    if (!arguments[0].type.is_string()) {
        if (node.text != "UNIX_TIMESTAMP") {
            return UnsupportedExpression(
                fmt::format("{} of {} with a pattern", node.text, arguments[0].type.ToString()));
        }
        // A timestamp without a zone counts as one of UTC here.
        value = std::move(arguments[0]);
        if (!value.type.Is(TypeKind::kTimestampNtz)) {
            BF_ASSIGN(value, Implicitly(std::move(value), TypeKind::kTimestamp, node.text));
        }
    } else {
        std::string pattern = "yyyy-MM-dd HH:mm:ss";
        if (arguments.size() == 2) {
            BF_ASSIGN(pattern, LiteralText(node, 1));
        }
        BF_RETURN_IF_ERROR(CheckParsePattern(pattern));
        value = {fmt::format("spark_parse_time({}, {})", arguments[0].text, QuoteText(pattern)),
                 TypeKind::kTimestampNtz, true};
        BF_ASSIGN(value, Cast(std::move(value), type));
    }
    if (node.text == "UNIX_TIMESTAMP") {
        return Value{fmt::format("(epoch_us({}) // 1000000)", value.text), TypeKind::kLong, true};
    }
    return value;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kDateParts = {{
    {"YEAR", "YEAR"},     {"Y", "YEAR"},        {"YEARS", "YEAR"}, {"YR", "YEAR"},      {"QUARTER", "QUARTER"},
    {"QTR", "QUARTER"},   {"MONTH", "MONTH"},   {"MON", "MONTH"},  {"MONTHS", "MONTH"}, {"WEEK", "WEEKOFYEAR"},
    {"W", "WEEKOFYEAR"},  {"DAY", "DAY"},       {"D", "DAY"},      {"DAYS", "DAY"},     {"DAYOFWEEK", "DAYOFWEEK"},
    {"DOW", "DAYOFWEEK"}, {"DOY", "DAYOFYEAR"}, {"HOUR", "HOUR"},  {"H", "HOUR"},       {"HOURS", "HOUR"},
    {"MINUTE", "MINUTE"}, {"MIN", "MINUTE"},
}};

Result<Value> DatePart(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto part, LiteralText(node, 0));
    for (const auto &[name, function] : kDateParts) {
        if (name == Upper(part)) {
            Expression call;
            call.kind = ExpressionKind::kFunction;
            call.text = function;
            call.children = {node.children[1]};
            return translator.Any(call);
        }
    }
    return UnsupportedExpression(fmt::format("{} of {}", node.text, Upper(part)));
}

constexpr std::array<std::string_view, 7> kWeekdays = {"MONDAY", "TUESDAY",  "WEDNESDAY", "THURSDAY",
                                                       "FRIDAY", "SATURDAY", "SUNDAY"};

Result<Value> NextDay(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto name, LiteralText(node, 1));
    const auto wanted = Upper(name);
    for (size_t day = 0; day < kWeekdays.size(); day++) {
        if (wanted == kWeekdays[day] || wanted == kWeekdays[day].substr(0, 3) ||
            wanted == kWeekdays[day].substr(0, 2)) {
            BF_ASSIGN(auto date, Implicitly(std::move(arguments[0]), TypeKind::kDate, node.text));
            auto text = Once(date.text, "day", [&](const std::string &d) {
                return fmt::format("({0} + (7 - CAST(({1} - {2}) AS INTEGER) % 7))", d,
                                   fmt::format("(isodow({}) + 6)", d), day);
            });
            return Value{std::move(text), TypeKind::kDate, true};
        }
    }
    return UnsupportedExpression(fmt::format("NEXT_DAY of '{}'", name));
}

Result<Value> FromUtc(Translator &, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    BF_ASSIGN(const auto zone, LiteralText(node, 1));
    const bool region =
        zone.find('/') != std::string::npos &&
        zone.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_/") == std::string::npos;
    if (zone != "UTC" && (!region || node.text == "TO_UTC_TIMESTAMP")) {
        return UnsupportedExpression(fmt::format("{} with the zone '{}'", node.text, zone));
    }
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[0]), TypeKind::kTimestamp, node.text));
    if (zone == "UTC") {
        return value;
    }
    return Value{fmt::format("make_timestamptz(epoch_us(timezone({}, {})))", QuoteText(zone), value.text),
                 TypeKind::kTimestamp, value.can_fail};
}

// ---- arrays, maps and structs ----

Result<Value> ElementAt(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2) {
        return WrongArguments(node);
    }
    auto &from = arguments[0];
    if (from.type.Is(TypeKind::kMap) && node.text != "GET") {
        const auto &map = from.type.type.map_type();
        BF_ASSIGN(auto key, Implicitly(std::move(arguments[1]), map.key, node.text));
        return Value{fmt::format("{}[{}]", from.text, key.text), map.value, from.can_fail || key.can_fail};
    }
    if (!from.type.Is(TypeKind::kArray)) {
        return WrongArguments(node);
    }
    BF_ASSIGN(auto index, Implicitly(std::move(arguments[1]), TypeKind::kInteger, node.text));
    const auto element = from.type.type.array_type().element;
    const bool get = node.text == "GET";
    if (get) {
        translator.NoteCheckOnly(node.text);
    }
    auto text = Once(from.text, "list", [&](const std::string &list) {
        return Once(index.text, "index", [&](const std::string &i) {
            if (get) {
                return fmt::format("CASE WHEN {1} >= 0 THEN {0}[CAST({1} AS BIGINT) + 1] END", list, i);
            }
            return fmt::format(
                "CASE WHEN abs(CAST({1} AS BIGINT)) > len({0}) OR ({1} = 0 AND {0} IS NOT NULL) THEN "
                "error('[INVALID_ARRAY_INDEX_IN_ELEMENT_AT] The index is out of bounds.') ELSE {0}[{1}] END",
                list, i);
        });
    });
    return Value{std::move(text), element, true};
}

Result<Value> ArrayContains(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2 || !arguments[0].type.Is(TypeKind::kArray) || arguments[1].type.is_void()) {
        return WrongArguments(node);
    }
    const SparkType element = arguments[0].type.type.array_type().element;
    BF_ASSIGN(auto value, Implicitly(std::move(arguments[1]), element, node.text));
    (void)translator;
    auto text = Once(arguments[0].text, "list", [&](const std::string &list) {
        return Once(value.text, "wanted", [&](const std::string &wanted) {
            return fmt::format(
                "CASE WHEN list_contains({0}, {1}) THEN TRUE WHEN {0} IS NULL OR {1} IS NULL OR "
                "len({0}) <> list_count({0}) THEN NULL ELSE FALSE END",
                list, wanted);
        });
    });
    return Value{std::move(text), TypeKind::kBoolean, arguments[0].can_fail || value.can_fail};
}

Result<Value> MapContainsKey(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.size() != 2 || !arguments[0].type.Is(TypeKind::kMap)) {
        return WrongArguments(node);
    }
    translator.NoteCheckOnly(node.text);
    BF_ASSIGN(auto key, Implicitly(std::move(arguments[1]), arguments[0].type.type.map_type().key, node.text));
    return Value{fmt::format("list_contains(map_keys({}), {})", arguments[0].text, key.text), TypeKind::kBoolean,
                 arguments[0].can_fail || key.can_fail};
}

Result<Value> Array(Translator &translator, const Expression &node, Values arguments) {
    if (arguments.empty()) {
        return WrongArguments(node);
    }
    BF_ASSIGN(arguments, translator.Alike(std::move(arguments), false, node.text));
    return Value{fmt::format("[{}]", Joined(arguments)), DataType::Array(arguments[0].type.type, true),
                 AnyFails(arguments)};
}

Result<Value> NamedStruct(Translator &, const Expression &node, Values arguments) {
    if (arguments.empty() || arguments.size() % 2 != 0) {
        return WrongArguments(node);
    }
    StructType type;
    std::string text;
    for (size_t i = 0; i < arguments.size(); i += 2) {
        BF_ASSIGN(const auto name, LiteralText(node, i));
        if (arguments[i + 1].type.is_interval() || arguments[i + 1].type.is_void() || type.Find(name)) {
            return UnsupportedExpression("NAMED_STRUCT with such fields");
        }
        type.fields.push_back({name, arguments[i + 1].type.type, true, {}});
        text += fmt::format("{}{}: {}", i ? ", " : "", QuoteText(name), arguments[i + 1].text);
    }
    return Value{"{" + text + "}", DataType::Struct(std::move(type)), AnyFails(arguments)};
}

//! int('5') is CAST('5' AS INT).
Result<Value> CastCall(Translator &, const Expression &node, Values arguments) {
    static constexpr std::array<std::pair<std::string_view, TypeKind>, 12> kTypes = {
        {{"BOOLEAN", TypeKind::kBoolean},
         {"TINYINT", TypeKind::kByte},
         {"SMALLINT", TypeKind::kShort},
         {"INT", TypeKind::kInteger},
         {"BIGINT", TypeKind::kLong},
         {"FLOAT", TypeKind::kFloat},
         {"DOUBLE", TypeKind::kDouble},
         {"STRING", TypeKind::kString},
         {"BINARY", TypeKind::kBinary},
         {"DATE", TypeKind::kDate},
         {"TIMESTAMP", TypeKind::kTimestamp},
         {"DECIMAL", TypeKind::kDecimal}}};
    const auto *known =
        std::find_if(kTypes.begin(), kTypes.end(), [&](const auto &type) { return type.first == node.text; });
    if (arguments.size() != 1) {
        return WrongArguments(node);
    }
    return Cast(std::move(arguments[0]),
                known->second == TypeKind::kDecimal ? DataType::Decimal(10, 0) : DataType(known->second));
}

struct SpecialFunction {
    std::string_view name;
    FunctionRule rule;
};
constexpr std::array kSpecial = {
    SpecialFunction{"IF", If},
    SpecialFunction{"COALESCE", Coalesce},
    SpecialFunction{"NVL", Coalesce},
    SpecialFunction{"IFNULL", Coalesce},
    SpecialFunction{"NVL2", Nvl2},
    SpecialFunction{"NULLIF", NullIf},
    SpecialFunction{"NULLIFZERO", NullIf},
    SpecialFunction{"DECODE", Decode},
    SpecialFunction{"GREATEST", Extreme},
    SpecialFunction{"LEAST", Extreme},
    SpecialFunction{"MOD", Modulo},
    SpecialFunction{"PMOD", Modulo},
    SpecialFunction{"DIV", Modulo},
    SpecialFunction{"CEIL", CeilOrFloor},
    SpecialFunction{"CEILING", CeilOrFloor},
    SpecialFunction{"FLOOR", CeilOrFloor},
    SpecialFunction{"ROUND", Round},
    SpecialFunction{"BROUND", Round},
    SpecialFunction{"POWER", Power},
    SpecialFunction{"POW", Power},
    SpecialFunction{"SHIFTLEFT", Shift},
    SpecialFunction{"SHIFTRIGHT", Shift},
    SpecialFunction{"SHIFTRIGHTUNSIGNED", Shift},
    SpecialFunction{"CONCAT", Concat},
    SpecialFunction{"CONCAT_WS", ConcatWs},
    SpecialFunction{"CHR", Chr},
    SpecialFunction{"CHAR", Chr},
    SpecialFunction{"SHA2", Sha2},
    SpecialFunction{"ENCODE", Encode},
    SpecialFunction{"REGEXP_LIKE", RegexpLike},
    SpecialFunction{"REGEXP", RegexpLike},
    SpecialFunction{"RLIKE", RegexpLike},
    SpecialFunction{"REGEXP_REPLACE", RegexpReplace},
    SpecialFunction{"REGEXP_EXTRACT", RegexpExtract},
    SpecialFunction{"SPLIT", Split},
    SpecialFunction{"HASH", Hash},
    SpecialFunction{"XXHASH64", Hash},
    SpecialFunction{"DATE_TRUNC", DateTrunc},
    SpecialFunction{"TRUNC", Trunc},
    SpecialFunction{"DATE_FORMAT", DateFormat},
    SpecialFunction{"FROM_UNIXTIME", FromUnixtime},
    SpecialFunction{"TO_DATE", ParseTime},
    SpecialFunction{"TO_TIMESTAMP", ParseTime},
    SpecialFunction{"TO_TIMESTAMP_NTZ", ParseTime},
    SpecialFunction{"UNIX_TIMESTAMP", ParseTime},
    SpecialFunction{"DATE_PART", DatePart},
    SpecialFunction{"DATEPART", DatePart},
    SpecialFunction{"NEXT_DAY", NextDay},
    SpecialFunction{"FROM_UTC_TIMESTAMP", FromUtc},
    SpecialFunction{"TO_UTC_TIMESTAMP", FromUtc},
    SpecialFunction{"ELEMENT_AT", ElementAt},
    SpecialFunction{"GET", ElementAt},
    SpecialFunction{"ARRAY_CONTAINS", ArrayContains},
    SpecialFunction{"MAP_CONTAINS_KEY", MapContainsKey},
    SpecialFunction{"ARRAY", Array},
    SpecialFunction{"NAMED_STRUCT", NamedStruct},
    SpecialFunction{"BOOLEAN", CastCall},
    SpecialFunction{"TINYINT", CastCall},
    SpecialFunction{"SMALLINT", CastCall},
    SpecialFunction{"INT", CastCall},
    SpecialFunction{"BIGINT", CastCall},
    SpecialFunction{"FLOAT", CastCall},
    SpecialFunction{"DOUBLE", CastCall},
    SpecialFunction{"STRING", CastCall},
    SpecialFunction{"BINARY", CastCall},
    SpecialFunction{"DATE", CastCall},
    SpecialFunction{"TIMESTAMP", CastCall},
    SpecialFunction{"DECIMAL", CastCall},
};

}  // namespace

FunctionRule FindSpecialFunction(std::string_view name) {
    const auto *known = std::find_if(kSpecial.begin(), kSpecial.end(), [&](const auto &f) { return f.name == name; });
    return known == kSpecial.end() ? nullptr : known->rule;
}

}  // namespace birdfoot::sql
