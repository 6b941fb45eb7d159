// Functions of dates and times whose translation depends on their arguments' types or literals.
#include <algorithm>
#include <array>

#include "sql/translate/java_pattern.hpp"
#include "sql/translate/special_functions.hpp"

namespace birdfoot::sql {
namespace {

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

constexpr std::array kTime = {
    SpecialFunction{"DATE_TRUNC", DateTrunc},       SpecialFunction{"TRUNC", Trunc},
    SpecialFunction{"DATE_FORMAT", DateFormat},     SpecialFunction{"FROM_UNIXTIME", FromUnixtime},
    SpecialFunction{"TO_DATE", ParseTime},          SpecialFunction{"TO_TIMESTAMP", ParseTime},
    SpecialFunction{"TO_TIMESTAMP_NTZ", ParseTime}, SpecialFunction{"UNIX_TIMESTAMP", ParseTime},
    SpecialFunction{"DATE_PART", DatePart},         SpecialFunction{"DATEPART", DatePart},
    SpecialFunction{"NEXT_DAY", NextDay},           SpecialFunction{"FROM_UTC_TIMESTAMP", FromUtc},
    SpecialFunction{"TO_UTC_TIMESTAMP", FromUtc},
};

}  // namespace

std::span<const SpecialFunction> TimeFunctions() { return kTime; }

}  // namespace birdfoot::sql
