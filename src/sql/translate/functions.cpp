// Spark's functions: a table of those that are a form of DuckDB's text, and rules for the rest (functions_special.cpp).
#include <algorithm>
#include <array>

#include "sql/translate/functions.hpp"

namespace birdfoot::sql {
namespace {

// Types of arguments: s text, b binary, B boolean, i int, l bigint, d double, D date, T timestamp, W wall clock time,
// n any number, a anything, A array, M map; results too, and 0 the type of the first argument.
struct FunctionRow {
    std::string_view name;
    std::string_view arguments;
    char result;
    std::string_view form;
    bool check_only = false;  // Spark does not take it in a generated column
    bool can_fail = false;
};

// Sorted by subject; of several rows of a name the first that fits counts.
constexpr std::array kFunctions = {
    // text
    FunctionRow{"LENGTH", "b", 'i', "CAST(octet_length({0}) AS INTEGER)"},
    FunctionRow{"LENGTH", "s", 'i', "CAST(length({0}) AS INTEGER)"},
    FunctionRow{"LEN", "s", 'i', "CAST(length({0}) AS INTEGER)"},
    FunctionRow{"CHAR_LENGTH", "s", 'i', "CAST(length({0}) AS INTEGER)"},
    FunctionRow{"CHARACTER_LENGTH", "s", 'i', "CAST(length({0}) AS INTEGER)"},
    FunctionRow{"OCTET_LENGTH", "b", 'i', "CAST(octet_length({0}) AS INTEGER)"},
    FunctionRow{"OCTET_LENGTH", "s", 'i', "CAST(strlen({0}) AS INTEGER)"},
    FunctionRow{"BIT_LENGTH", "b", 'i', "CAST(octet_length({0}) * 8 AS INTEGER)"},
    FunctionRow{"BIT_LENGTH", "s", 'i', "CAST(strlen({0}) * 8 AS INTEGER)"},
    FunctionRow{"UPPER", "s", 's', "spark_upper({0})", false, true},
    FunctionRow{"UCASE", "s", 's', "spark_upper({0})", false, true},
    FunctionRow{"LOWER", "s", 's', "spark_lower({0})", false, true},
    FunctionRow{"LCASE", "s", 's', "spark_lower({0})", false, true},
    FunctionRow{"TRIM", "s", 's', "trim({0}, ' ')"},
    FunctionRow{"LTRIM", "s", 's', "ltrim({0}, ' ')"},
    FunctionRow{"RTRIM", "s", 's', "rtrim({0}, ' ')"},
    FunctionRow{"BTRIM", "s", 's', "trim({0}, ' ')", true},
    FunctionRow{"TRIM", "ss", 's', "trim({1}, {0})"},
    FunctionRow{"LTRIM", "ss", 's', "ltrim({1}, {0})"},
    FunctionRow{"RTRIM", "ss", 's', "rtrim({1}, {0})"},
    FunctionRow{"BTRIM", "ss", 's', "trim({0}, {1})", true},
    FunctionRow{"SUBSTRING", "bii", 'b', "spark_substring({0}, {1}, {2})"},
    FunctionRow{"SUBSTRING", "sii", 's', "spark_substring({0}, {1}, {2})"},
    FunctionRow{"SUBSTRING", "si", 's', "spark_substring({0}, {1}, 2147483647)"},
    FunctionRow{"SUBSTR", "bii", 'b', "spark_substring({0}, {1}, {2})"},
    FunctionRow{"SUBSTR", "sii", 's', "spark_substring({0}, {1}, {2})"},
    FunctionRow{"SUBSTR", "si", 's', "spark_substring({0}, {1}, 2147483647)"},
    FunctionRow{"LEFT", "si", 's', "spark_substring({0}, 1, {1})"},
    FunctionRow{"RIGHT", "si", 's', "spark_right({0}, {1})"},
    FunctionRow{"LPAD", "sis", 's', "spark_lpad({0}, {1}, {2})"},
    FunctionRow{"LPAD", "si", 's', "spark_lpad({0}, {1}, ' ')"},
    FunctionRow{"RPAD", "sis", 's', "spark_rpad({0}, {1}, {2})"},
    FunctionRow{"RPAD", "si", 's', "spark_rpad({0}, {1}, ' ')"},
    FunctionRow{"REPLACE", "sss", 's', "replace({0}, {1}, {2})"},
    FunctionRow{"REPLACE", "ss", 's', "replace({0}, {1}, '')"},
    FunctionRow{"CONTAINS", "ss", 'B', "contains({0}, {1})", true},
    FunctionRow{"STARTSWITH", "ss", 'B', "starts_with({0}, {1})", true},
    FunctionRow{"ENDSWITH", "ss", 'B', "suffix({0}, {1})", true},
    FunctionRow{"INSTR", "ss", 'i', "CAST(instr({0}, {1}) AS INTEGER)"},
    FunctionRow{"LOCATE", "ss", 'i', "CAST(instr({1}, {0}) AS INTEGER)"},
    FunctionRow{"POSITION", "ss", 'i', "CAST(instr({1}, {0}) AS INTEGER)"},
    FunctionRow{"LOCATE", "ssi", 'i', "spark_locate({0}, {1}, {2})"},
    FunctionRow{"POSITION", "ssi", 'i', "spark_locate({0}, {1}, {2})"},
    FunctionRow{"REPEAT", "si", 's', "repeat({0}, {1})"},
    FunctionRow{"SPACE", "i", 's', "repeat(' ', {0})"},
    FunctionRow{"REVERSE", "s", 's', "spark_reverse({0})"},
    FunctionRow{"TRANSLATE", "sss", 's', "translate({0}, {1}, {2})"},
    FunctionRow{"ASCII", "s", 'i', "ascii({0})"},
    FunctionRow{"HEX", "b", 's', "hex({0})"},
    FunctionRow{"HEX", "l", 's', "hex({0})"},
    FunctionRow{"HEX", "s", 's', "hex({0})"},
    FunctionRow{"MD5", "b", 's', "md5({0})"},
    FunctionRow{"MD5", "s", 's', "md5({0})"},
    FunctionRow{"SHA1", "b", 's', "sha1({0})"},
    FunctionRow{"SHA1", "s", 's', "sha1({0})"},
    FunctionRow{"SHA", "b", 's', "sha1({0})"},
    FunctionRow{"SHA", "s", 's', "sha1({0})"},
    FunctionRow{"CRC32", "b", 'l', "spark_crc32({0})"},
    FunctionRow{"CRC32", "s", 'l', "spark_crc32(encode({0}))"},
    FunctionRow{"BASE64", "b", 's', "to_base64({0})"},
    FunctionRow{"BASE64", "s", 's', "to_base64(encode({0}))"},
    // numbers
    FunctionRow{"ABS", "n", '0', "abs({0})", false, true},
    FunctionRow{"NEGATIVE", "n", '0', "(-{0})", false, true},
    FunctionRow{"POSITIVE", "n", '0', "{0}"},
    FunctionRow{"SQRT", "d", 'd', "CASE WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) ELSE sqrt({0}) END"},
    FunctionRow{"SIGN", "d", 'd', "CASE WHEN {0} > 0 AND NOT isnan({0}) THEN 1e0 WHEN {0} < 0 THEN -1e0 ELSE {0} END"},
    FunctionRow{"SIGNUM", "d", 'd',
                "CASE WHEN {0} > 0 AND NOT isnan({0}) THEN 1e0 WHEN {0} < 0 THEN -1e0 ELSE {0} END"},
    FunctionRow{"PI", "", 'd', "CAST('3.141592653589793' AS DOUBLE)"},
    FunctionRow{"E", "", 'd', "CAST('2.718281828459045' AS DOUBLE)"},
    FunctionRow{"ISNAN", "d", 'B', "coalesce(isnan({0}), FALSE)"},
    FunctionRow{"NANVL", "dd", 'd', "CASE WHEN isnan({0}) THEN {1} ELSE {0} END"},
    FunctionRow{"BIT_COUNT", "l", 'i', "CAST(bit_count({0}) AS INTEGER)"},
    FunctionRow{"FACTORIAL", "i", 'l', "CASE WHEN {0} BETWEEN 0 AND 20 THEN CAST(factorial({0}) AS BIGINT) END"},
    // parts of dates and times
    FunctionRow{"YEAR", "D", 'i', "CAST(year({0}) AS INTEGER)"},
    FunctionRow{"QUARTER", "D", 'i', "CAST(quarter({0}) AS INTEGER)"},
    FunctionRow{"MONTH", "D", 'i', "CAST(month({0}) AS INTEGER)"},
    FunctionRow{"DAY", "D", 'i', "CAST(day({0}) AS INTEGER)"},
    FunctionRow{"DAYOFMONTH", "D", 'i', "CAST(day({0}) AS INTEGER)"},
    FunctionRow{"DAYOFYEAR", "D", 'i', "CAST(dayofyear({0}) AS INTEGER)"},
    FunctionRow{"DAYOFWEEK", "D", 'i', "(CAST(dayofweek({0}) AS INTEGER) + 1)"},
    FunctionRow{"WEEKDAY", "D", 'i', "(CAST(isodow({0}) AS INTEGER) - 1)"},
    FunctionRow{"WEEKOFYEAR", "D", 'i', "CAST(weekofyear({0}) AS INTEGER)"},
    FunctionRow{"HOUR", "W", 'i', "CAST(hour({0}) AS INTEGER)"},
    FunctionRow{"MINUTE", "W", 'i', "CAST(minute({0}) AS INTEGER)"},
    FunctionRow{"SECOND", "W", 'i', "CAST(second({0}) AS INTEGER)"},
    // dates and times
    FunctionRow{"CURRENT_DATE", "", 'D', "CAST(CAST(now() AS TIMESTAMP) AS DATE)", true},
    FunctionRow{"CURRENT_TIMESTAMP", "", 'T', "now()", true},
    FunctionRow{"NOW", "", 'T', "now()", true},
    FunctionRow{"DATE_ADD", "Di", 'D', "({0} + {1})", false, true},
    FunctionRow{"DATEADD", "Di", 'D', "({0} + {1})", false, true},
    FunctionRow{"DATE_SUB", "Di", 'D', "({0} - {1})", false, true},
    FunctionRow{"DATEDIFF", "DD", 'i', "CAST({0} - {1} AS INTEGER)", false, true},
    FunctionRow{"DATE_DIFF", "DD", 'i', "CAST({0} - {1} AS INTEGER)", false, true},
    FunctionRow{"ADD_MONTHS", "Di", 'D', "CAST({0} + to_months({1}) AS DATE)", false, true},
    FunctionRow{"LAST_DAY", "D", 'D', "last_day({0})"},
    FunctionRow{"UNIX_DATE", "D", 'i', "CAST({0} - DATE '1970-01-01' AS INTEGER)", true},
    FunctionRow{"DATE_FROM_UNIX_DATE", "i", 'D', "(DATE '1970-01-01' + {0})", true, true},
    FunctionRow{"MAKE_DATE", "iii", 'D', "make_date({0}, {1}, {2})", false, true},
    FunctionRow{"UNIX_SECONDS", "T", 'l', "spark_floor_div(epoch_us({0}), 1000000)", true},
    FunctionRow{"UNIX_MILLIS", "T", 'l', "spark_floor_div(epoch_us({0}), 1000)", true},
    FunctionRow{"UNIX_MICROS", "T", 'l', "epoch_us({0})", true},
    FunctionRow{"TIMESTAMP_SECONDS", "l", 'T', "make_timestamptz({0} * 1000000)", true, true},
    FunctionRow{"TIMESTAMP_MILLIS", "l", 'T', "make_timestamptz({0} * 1000)", true, true},
    FunctionRow{"TIMESTAMP_MICROS", "l", 'T', "make_timestamptz({0})", true, true},
    // NULL
    FunctionRow{"ISNULL", "a", 'B', "({0} IS NULL)"},
    FunctionRow{"ISNOTNULL", "a", 'B', "({0} IS NOT NULL)"},
    FunctionRow{"ZEROIFNULL", "i", 'i', "coalesce({0}, 0)", true},
    // arrays and maps
    FunctionRow{"SIZE", "A", 'i', "CAST(len({0}) AS INTEGER)"},
    FunctionRow{"SIZE", "M", 'i', "CAST(cardinality({0}) AS INTEGER)"},
    FunctionRow{"CARDINALITY", "A", 'i', "CAST(len({0}) AS INTEGER)"},
    FunctionRow{"CARDINALITY", "M", 'i', "CAST(cardinality({0}) AS INTEGER)"},
    FunctionRow{"ARRAY_SIZE", "A", 'i', "CAST(len({0}) AS INTEGER)", true},
    FunctionRow{"MAP_KEYS", "M", 'k', "map_keys({0})"},
    FunctionRow{"MAP_VALUES", "M", 'v', "map_values({0})"},
    FunctionRow{"ARRAY_MAX", "A", 'e', "list_max({0})"},
    FunctionRow{"ARRAY_MIN", "A", 'e', "list_min({0})"},
};

SparkType TypeOfCode(char code) {
    switch (code) {
    case 's': return TypeKind::kString;
    case 'b': return TypeKind::kBinary;
    case 'B': return TypeKind::kBoolean;
    case 'i': return TypeKind::kInteger;
    case 'l': return TypeKind::kLong;
    case 'd': return TypeKind::kDouble;
    case 'D': return TypeKind::kDate;
    case 'T': return TypeKind::kTimestamp;
    default: return TypeKind::kTimestampNtz;  // W
    }
}

bool Fits(const SparkType &type, char code) {
    switch (code) {
    case 'b': return type.Is(TypeKind::kBinary);
    case 'B': return type.Is(TypeKind::kBoolean) || type.is_void();
    case 'n': return type.is_numeric();
    case 'a': return !type.is_interval();
    case 'A': return type.Is(TypeKind::kArray);
    case 'M': return type.Is(TypeKind::kMap);
    case 's': return !type.is_nested() && !type.is_interval() && !type.Is(TypeKind::kVariant);
    case 'i': return (type.is_integer() && !type.Is(TypeKind::kLong)) || type.is_void();
    case 'l': return type.is_integer() || type.is_void();
    case 'd': return type.is_numeric() || type.is_void();
    default: return type.is_time() || type.is_string() || type.is_void();
    }
}

Result<Value> Argument(Value value, char code, std::string_view function) {
    if (code == 'n' || code == 'a' || code == 'A' || code == 'M') {
        return value;
    }
    if (code == 'W') {
        const bool can_fail = value.can_fail || value.type.is_string();
        BF_ASSIGN(auto wall, WallTime(std::move(value), function));
        return Value{std::move(wall), TypeKind::kTimestampNtz, can_fail};
    }
    return Implicitly(std::move(value), TypeOfCode(code), function);
}

SparkType ResultType(char code, const Values &arguments) {
    switch (code) {
    case '0': return arguments[0].type;
    case 'k': return DataType::Array(arguments[0].type.type.map_type().key, false);
    case 'v': return DataType::Array(arguments[0].type.type.map_type().value, true);
    case 'e': return arguments[0].type.type.array_type().element;
    default: return TypeOfCode(code);
    }
}

Result<Value> FillRow(const FunctionRow &row, Values arguments) {
    std::vector<std::string> texts;
    bool can_fail = row.can_fail;
    for (size_t i = 0; i < arguments.size(); i++) {
        BF_ASSIGN(arguments[i], Argument(std::move(arguments[i]), row.arguments[i], row.name));
        texts.push_back(arguments[i].text);
        can_fail = can_fail || arguments[i].can_fail;
    }
    const bool repeated = row.form.find("{0}") != row.form.rfind("{0}");
    std::string text =
        repeated && texts.size() == 1
            ? Once(texts[0], "argument",
                   [&](const std::string &name) { return Fill(row.form, std::vector<std::string>{name}); })
            : Fill(row.form, texts);
    return Value{std::move(text), ResultType(row.result, arguments), can_fail};
}

std::string Described(std::string_view name, const Values &arguments) {
    std::string text(name);
    text += "(";
    for (size_t i = 0; i < arguments.size(); i++) {
        text += (i ? ", " : "") + arguments[i].type.ToString();
    }
    return text + ")";
}

}  // namespace

Result<Value> Translator::Function(const Expression &node) {
    BF_ASSIGN(auto arguments, All(node.children));
    if (const auto rule = FindSpecialFunction(node.text)) {
        return rule(*this, node, std::move(arguments));
    }
    bool known = false;
    for (const auto &row : kFunctions) {
        if (row.name != node.text) {
            continue;
        }
        known = true;
        bool fits = row.arguments.size() == arguments.size();
        for (size_t i = 0; fits && i < arguments.size(); i++) {
            fits = Fits(arguments[i].type, row.arguments[i]);
        }
        if (fits) {
            if (row.check_only) {
                NoteCheckOnly(row.name);
            }
            if (row.form.find("now()") != std::string_view::npos) {
                NoteVaries();
            }
            return FillRow(row, std::move(arguments));
        }
    }
    return UnsupportedExpression(known ? "The function " + Described(node.text, arguments)
                                       : "The function " + node.text);
}

}  // namespace birdfoot::sql
