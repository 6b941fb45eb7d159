// The walk over the tree: literals, columns, operators, CASE, IN, LIKE. Every operand is cast to the type in which
// Spark computes, so that DuckDB's text has Spark's type at every node.
#include "sql/translate/translation.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "sql/lexer.hpp"
#include "sql/translate/java_regex.hpp"
#include "sql/translate/translator.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

// AND and OR repeat operands that may fail; a text beyond this is refused.
constexpr size_t kMaxText = 1 << 20;
constexpr int64_t kMicrosADay = 86'400'000'000;

std::string Typed(const std::string &text, const DataType &type) {
    return fmt::format("CAST({} AS {})", text, DuckDbTypeText(type));
}

Value Boolean(std::string text, bool can_fail) { return {std::move(text), TypeKind::kBoolean, can_fail, nullptr}; }

bool AnyFails(const Values &values) {
    return std::any_of(values.begin(), values.end(), [](const Value &value) { return value.can_fail; });
}

std::string Joined(const Values &values, std::string_view separator) {
    std::string text;
    for (const auto &value : values) {
        text += (text.empty() ? "" : std::string(separator)) + value.text;
    }
    return text;
}

bool IsComparable(const SparkType &type) { return !type.Is(TypeKind::kMap) && !type.Is(TypeKind::kVariant); }

}  // namespace

Error UnsupportedExpression(std::string_view what) {
    return Fail(
        Condition::DELTA_UNSUPPORTED_EXPRESSION,
        "{} cannot be evaluated. It is not known to mean the same as in Spark, and a guess could give wrong rows. "
        "Write the expression without it, or run the statement in Spark.",
        what);
}

Error Mismatch(std::string_view what) {
    return Fail(Condition::DATATYPE_MISMATCH, "{} does not go in Spark. Cast one of its parts.", what);
}

std::string Fill(std::string_view form, const std::vector<std::string> &parts) {
    std::string text;
    for (size_t i = 0; i < form.size(); i++) {
        if (form[i] == '{' && i + 2 < form.size() && form[i + 2] == '}') {
            text += parts[static_cast<size_t>(form[i + 1] - '0')];
            i += 2;
        } else {
            text += form[i];
        }
    }
    return text;
}

std::string Once(const std::string &text, std::string_view name,
                 const std::function<std::string(const std::string &)> &body) {
    if (text.find('(') == std::string::npos) {  // a column, a name or a literal
        return body(text);
    }
    return fmt::format("list_transform([{}], lambda {}: {})[1]", text, name, body(std::string(name)));
}

Result<Value> Condition_(Value value, std::string_view where) {
    if (value.type.is_void()) {
        return Cast(std::move(value), TypeKind::kBoolean);
    }
    if (!value.type.Is(TypeKind::kBoolean)) {
        return Mismatch(fmt::format("{} with a value of {}, which is no condition,", where, value.type.ToString()));
    }
    return value;
}

Result<Values> Translator::All(const std::vector<Expression> &nodes) {
    Values values;
    for (const auto &node : nodes) {
        BF_ASSIGN(auto value, Any(node));
        values.push_back(std::move(value));
    }
    return values;
}

Result<Value> Translator::Any(const Expression &node) {
    Result<Value> value = [&]() -> Result<Value> {
        switch (node.kind) {
        case ExpressionKind::kNull:
        case ExpressionKind::kBoolean:
        case ExpressionKind::kText:
        case ExpressionKind::kBinary:
        case ExpressionKind::kTyped:
        case ExpressionKind::kInterval: return Literal(node);
        case ExpressionKind::kNumber: return Number(node, false);
        case ExpressionKind::kParameter: return UnsupportedExpression("A parameter");
        case ExpressionKind::kColumn: return Column(node);
        case ExpressionKind::kNot: {
            BF_ASSIGN(auto child, Any(node.children[0]));
            BF_ASSIGN(child, Condition_(std::move(child), "NOT"));
            return Boolean(fmt::format("(NOT {})", child.text), child.can_fail);
        }
        case ExpressionKind::kNegate:
        case ExpressionKind::kUnaryOperator:
        case ExpressionKind::kBinaryOperator: return Binary(node);
        case ExpressionKind::kBetween: {
            NoteCheckOnly("BETWEEN");
            BF_ASSIGN(auto parts, All(node.children));
            BF_ASSIGN(auto low, Compare(">=", parts[0], parts[1]));
            BF_ASSIGN(auto high, Compare("<=", parts[0], parts[2]));
            return Boolean(fmt::format("({}({} AND {}))", node.negated ? "NOT " : "", low.text, high.text),
                           AnyFails(parts));
        }
        case ExpressionKind::kIn: return In(node);
        case ExpressionKind::kLike: return Like(node);
        case ExpressionKind::kIs: return Is(node);
        case ExpressionKind::kCast: {
            BF_ASSIGN(auto child, Any(node.children[0]));
            return node.text == "TRY_CAST" ? TryCast(std::move(child), node.type) : Cast(std::move(child), node.type);
        }
        case ExpressionKind::kCase: return Case(node);
        case ExpressionKind::kFunction: return Function(node);
        case ExpressionKind::kField: {
            BF_ASSIGN(auto child, Any(node.children[0]));
            return Field(std::move(child), node.text);
        }
        case ExpressionKind::kSubscript: return Subscript(node);
        }
        return UnsupportedExpression("An expression");
    }();
    if (value.ok() && value->text.size() > kMaxText) {
        return UnsupportedExpression("An expression of this size");
    }
    return value;
}

Result<Value> Translator::Literal(const Expression &node) {
    Value value;
    value.literal = &node;
    switch (node.kind) {
    case ExpressionKind::kNull:
        value.text = "NULL";
        value.type = TypeKind::kVoid;
        break;
    case ExpressionKind::kBoolean:
        value.text = node.text;
        value.type = TypeKind::kBoolean;
        break;
    case ExpressionKind::kText:
        if (node.text.find('\0') != std::string::npos) {
            return UnsupportedExpression("A text with a zero byte");
        }
        value.text = QuoteText(node.text);
        value.type = TypeKind::kString;
        break;
    case ExpressionKind::kBinary:
        value.text = fmt::format("unhex('{}')", node.text);
        value.type = TypeKind::kBinary;
        break;
    case ExpressionKind::kTyped: {
        BF_ASSIGN(value, Cast({QuoteText(node.text), TypeKind::kString}, node.type));
        value.literal = &node;
        break;
    }
    default: {  // an interval
        const bool months = node.months != 0;
        int64_t micros = 0;
        if ((months && (node.days != 0 || node.microseconds != 0)) ||
            __builtin_mul_overflow(node.days, kMicrosADay, &micros) ||
            __builtin_add_overflow(micros, node.microseconds, &micros)) {
            return UnsupportedExpression("An interval of both months and days");
        }
        value.type = months ? IntervalKind::kMonths : node.has_time ? IntervalKind::kTime : IntervalKind::kDays;
        value.text = std::to_string(months ? node.months : micros);
        break;
    }
    }
    return value;
}

Result<Value> Translator::Number(const Expression &node, bool negative) {
    Value value;
    value.literal = &node;
    const auto &digits = node.text;
    const std::string text = (negative ? "-" : "") + digits;
    const bool exponent = digits.find_first_of("eE") != std::string::npos;
    const auto point = digits.find('.');
    if (node.type.kind() != TypeKind::kVoid && node.type.kind() != TypeKind::kDecimal) {
        value.type = node.type;
    } else if (exponent) {
        if (node.type.kind() == TypeKind::kDecimal) {
            return UnsupportedExpression("The number " + digits + "BD");
        }
        value.type = TypeKind::kDouble;
    } else if (point != std::string::npos || node.type.kind() == TypeKind::kDecimal) {
        const auto scale = point == std::string::npos ? 0 : digits.size() - point - 1;
        const auto whole = point == std::string::npos ? digits : digits.substr(0, point);
        const auto first = whole.find_first_not_of('0');
        const size_t places = first == std::string::npos ? 0 : whole.size() - first;
        const auto type = DecimalOf(static_cast<int>(std::max<size_t>(places + scale, 1)), static_cast<int>(scale));
        if (!type) {
            return UnsupportedExpression("The number " + digits);
        }
        value.type = *type;
    } else {
        int64_t number = 0;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
        if (parsed.ec != std::errc()) {
            const auto type = DecimalOf(static_cast<int>(digits.size()), 0);
            if (!type) {
                return UnsupportedExpression("The number " + digits);
            }
            value.type = *type;
        } else {
            value.type = number >= INT32_MIN && number <= INT32_MAX ? TypeKind::kInteger : TypeKind::kLong;
        }
    }
    // A quoted number is read exactly, by its target type.
    value.text = Typed(QuoteText(text), value.type.type);
    return value;
}

Result<Value> Translator::Column(const Expression &node) {
    const auto *field = schema_.Find(node.name[0]);
    if (!field) {
        std::string name;
        for (const auto &part : node.name) {
            name += (name.empty() ? "" : ".") + QuoteSparkName(part);
        }
        return Fail(Condition::UNRESOLVED_COLUMN,
                    "A column, variable, or function parameter with name {} cannot be resolved. The table has no such "
                    "column. Correct the name.",
                    name);
    }
    if (std::find(columns_.begin(), columns_.end(), field->name) == columns_.end()) {
        columns_.push_back(field->name);
    }
    Value value{QuoteName(field->name), field->type};
    for (size_t i = 1; i < node.name.size(); i++) {
        BF_ASSIGN(value, Field(std::move(value), node.name[i]));
    }
    return value;
}

Result<Value> Translator::Field(Value value, const std::string &name) {
    if (!value.type.Is(TypeKind::kStruct)) {
        return UnsupportedExpression(fmt::format("The field {} of {}", name, value.type.ToString()));
    }
    const auto *field = value.type.type.struct_type().Find(name);
    if (!field) {
        return Fail(Condition::UNRESOLVED_COLUMN,
                    "No such struct field {} in {}. The table has no such field. Correct the name.",
                    QuoteSparkName(name), value.type.ToString());
    }
    return Value{fmt::format("struct_extract({}, {})", value.text, QuoteText(field->name)), field->type,
                 value.can_fail};
}

Result<Value> Translator::Subscript(const Expression &node) {
    BF_ASSIGN(auto parts, All(node.children));
    if (parts[0].type.Is(TypeKind::kStruct)) {
        if (node.children[1].kind != ExpressionKind::kText) {
            return UnsupportedExpression("A field whose name is computed");
        }
        return Field(std::move(parts[0]), node.children[1].text);
    }
    if (parts[0].type.Is(TypeKind::kMap)) {
        NoteCheckOnly("map[key]");
        const auto &map = parts[0].type.type.map_type();
        BF_ASSIGN(auto key, Implicitly(std::move(parts[1]), map.key, "map[key]"));
        return Value{fmt::format("{}[{}]", parts[0].text, key.text), map.value, parts[0].can_fail || key.can_fail};
    }
    if (!parts[0].type.Is(TypeKind::kArray) || !parts[1].type.is_integer()) {
        return Mismatch(fmt::format("{}[{}]", parts[0].type.ToString(), parts[1].type.ToString()));
    }
    auto text = Once(parts[0].text, "list", [&](const std::string &list) {
        return Once(parts[1].text, "index", [&](const std::string &index) {
            return fmt::format(
                "CASE WHEN ({1} < 0 AND {0} IS NOT NULL) OR {1} >= len({0}) THEN error('[INVALID_ARRAY_INDEX] The "
                "index is out of "
                "bounds. Use get() to have NULL then.') ELSE {0}[CAST({1} AS BIGINT) + 1] END",
                list, index);
        });
    });
    return Value{std::move(text), parts[0].type.type.array_type().element, true};
}

// Spark does not evaluate an operand whose value does not matter any more; DuckDB evaluates all. CASE keeps the order
// where a later operand may fail.
Result<Value> Translator::Logic(const Expression &node) {
    Values parts;
    for (const auto &child : node.children) {
        BF_ASSIGN(auto part, Any(child));
        BF_ASSIGN(part, Condition_(std::move(part), node.text));
        parts.push_back(std::move(part));
    }
    const bool is_and = node.text == "AND";
    const auto whole = Joined(parts, is_and ? " AND " : " OR ");
    const bool lazy = std::any_of(parts.begin() + 1, parts.end(), [](const Value &part) { return part.can_fail; });
    if (!lazy) {
        return Boolean("(" + whole + ")", AnyFails(parts));
    }
    std::string text = "CASE";
    for (size_t i = 0; i + 1 < parts.size(); i++) {
        text += fmt::format(" WHEN {}{} THEN {}", is_and ? "NOT " : "", parts[i].text, is_and ? "FALSE" : "TRUE");
    }
    return Boolean(fmt::format("({} ELSE {} END)", text, whole), true);
}

Result<Value> Translator::Binary(const Expression &node) {
    if (node.kind == ExpressionKind::kBinaryOperator && (node.text == "AND" || node.text == "OR")) {
        return Logic(node);
    }
    if (node.kind == ExpressionKind::kNegate) {
        if (node.children[0].kind == ExpressionKind::kNumber) {
            BF_ASSIGN(auto number, Number(node.children[0], true));
            number.literal = &node;
            return number;
        }
        BF_ASSIGN(auto child, Any(node.children[0]));
        if (child.type.is_string()) {
            BF_ASSIGN(child, Cast(std::move(child), TypeKind::kDouble));
        }
        if (!child.type.is_numeric() && !child.type.is_interval()) {
            return Mismatch("- of " + child.type.ToString());
        }
        return Value{fmt::format("(-{})", child.text), child.type, true};
    }
    BF_ASSIGN(auto parts, All(node.children));
    if (node.kind == ExpressionKind::kUnaryOperator) {
        if (node.text == "~" ? !parts[0].type.is_integer() : !parts[0].type.is_numeric()) {
            return Mismatch(fmt::format("{} of {}", node.text, parts[0].type.ToString()));
        }
        return Value{node.text == "~" ? fmt::format("(~{})", parts[0].text) : parts[0].text, parts[0].type,
                     parts[0].can_fail};
    }
    const auto &op = node.text;
    if (op == "=" || op == "<>" || op == "<" || op == "<=" || op == ">" || op == ">=" || op == "<=>") {
        return Compare(op, std::move(parts[0]), std::move(parts[1]));
    }
    if (op == "&" || op == "|" || op == "^" || op == "<<" || op == ">>" || op == ">>>") {
        return Bits(op, std::move(parts[0]), std::move(parts[1]));
    }
    if (op == "||") {
        const bool bytes = parts[0].type.Is(TypeKind::kBinary) && parts[1].type.Is(TypeKind::kBinary);
        const SparkType type = bytes ? TypeKind::kBinary : TypeKind::kString;
        BF_ASSIGN(auto left, Implicitly(std::move(parts[0]), type, "||"));
        BF_ASSIGN(auto right, Implicitly(std::move(parts[1]), type, "||"));
        return Value{Typed(fmt::format("{} || {}", left.text, right.text), type.type), type,
                     left.can_fail || right.can_fail};
    }
    return Arithmetic(op, std::move(parts[0]), std::move(parts[1]));
}

Result<Value> Translator::Compare(const std::string &op, Value a, Value b) {
    const auto what = fmt::format("{} {} {}", a.type.ToString(), op, b.type.ToString());
    BF_ASSIGN(auto sides, Alike({std::move(a), std::move(b)}, true, what));
    if (!IsComparable(sides[0].type)) {
        return Mismatch(what);
    }
    const std::string_view sign = op == "<=>" ? "IS NOT DISTINCT FROM" : std::string_view(op);
    return Boolean(fmt::format("({} {} {})", sides[0].text, sign, sides[1].text), AnyFails(sides));
}

Result<Values> Translator::Alike(Values values, bool text_gives_way, std::string_view where) {
    SparkType common = TypeKind::kVoid;
    for (const auto &value : values) {
        auto type = value.type;
        // A literal counts with its own digits beside a decimal.
        if (value.literal && type.is_integer() && text_gives_way &&
            std::any_of(values.begin(), values.end(), [](const Value &v) { return v.type.is_decimal(); })) {
            BF_ASSIGN(const auto decimal, AsDecimal(value));
            type = decimal.type;
        }
        const auto next = CommonType(common, type, text_gives_way);
        if (!next) {
            return UnsupportedExpression(fmt::format("{} (of {} and {})", where, common.ToString(), type.ToString()));
        }
        common = *next;
    }
    for (auto &value : values) {
        BF_ASSIGN(value, Cast(std::move(value), common));
    }
    return values;
}

Result<Value> Translator::Bits(const std::string &op, Value a, Value b) {
    if ((!a.type.is_integer() && !a.type.is_void()) || (!b.type.is_integer() && !b.type.is_void())) {
        return Mismatch(fmt::format("{} {} {}", a.type.ToString(), op, b.type.ToString()));
    }
    if (op == "<<" || op == ">>" || op == ">>>") {
        const SparkType type = a.type.Is(TypeKind::kLong) ? TypeKind::kLong : TypeKind::kInteger;
        BF_ASSIGN(a, Cast(std::move(a), type));
        BF_ASSIGN(b, Implicitly(std::move(b), TypeKind::kInteger, op));
        const auto *name = op == "<<"   ? "spark_shift_left"
                           : op == ">>" ? "spark_shift_right"
                                        : "spark_shift_right_unsigned";
        return Value{fmt::format("{}({}, {})", name, a.text, b.text), type, a.can_fail || b.can_fail};
    }
    BF_ASSIGN(auto sides, Alike({std::move(a), std::move(b)}, false, op));
    auto text = op == "^" ? fmt::format("xor({}, {})", sides[0].text, sides[1].text)
                          : fmt::format("({} {} {})", sides[0].text, op, sides[1].text);
    return Value{std::move(text), sides[0].type, AnyFails(sides)};
}

Result<Value> Translator::Arithmetic(const std::string &op, Value a, Value b) {
    const auto what = fmt::format("{} {} {}", a.type.ToString(), op, b.type.ToString());
    if (op == "+" && !a.type.is_time() && b.type.is_time()) {
        std::swap(a, b);
    }
    if (a.type.is_time()) {
        if (b.type.is_interval() && (op == "+" || op == "-")) {
            NoteCheckOnly("an interval");
            return AddInterval(std::move(a), b, op == "-");
        }
        if (a.type.Is(TypeKind::kDate) && b.type.is_integer() && !b.type.Is(TypeKind::kLong) &&
            (op == "+" || op == "-")) {
            return Value{fmt::format("({} {} CAST({} AS INTEGER))", a.text, op, b.text), a.type, true};
        }
        if (op == "-" && b.type.is_time()) {
            NoteCheckOnly("the difference of two dates or timestamps");
            if (a.type.Is(TypeKind::kDate) && b.type.Is(TypeKind::kDate)) {
                return Value{fmt::format("(({} - {}) * 86400000000)", a.text, b.text), IntervalKind::kDays, true};
            }
            BF_ASSIGN(const auto left, WallTime(std::move(a), "-"));
            BF_ASSIGN(const auto right, WallTime(std::move(b), "-"));
            return Value{fmt::format("(epoch_us({}) - epoch_us({}))", left, right), IntervalKind::kTime, true};
        }
        return Mismatch(what);
    }
    if (a.type.is_string() || b.type.is_string()) {
        const auto other = a.type.is_string() ? b.type : a.type;
        const auto type = CommonType(TypeKind::kString, other, true);
        if (!type || !type->is_numeric()) {
            return Mismatch(what);
        }
        BF_ASSIGN(a, a.type.is_string() ? Cast(std::move(a), *type) : std::move(a));
        BF_ASSIGN(b, b.type.is_string() ? Cast(std::move(b), *type) : std::move(b));
    }
    if (a.type.is_void() || b.type.is_void()) {
        const auto type = a.type.is_void() ? (b.type.is_void() ? SparkType(TypeKind::kDouble) : b.type) : a.type;
        BF_ASSIGN(a, Cast(std::move(a), type));
        BF_ASSIGN(b, Cast(std::move(b), type));
    }
    if (!a.type.is_numeric() || !b.type.is_numeric()) {
        return Mismatch(what);
    }
    if ((a.type.is_decimal() || b.type.is_decimal()) && !a.type.is_real() && !b.type.is_real()) {
        BF_ASSIGN(a, AsDecimal(std::move(a)));
        BF_ASSIGN(b, AsDecimal(std::move(b)));
        if (op == "DIV") {
            return UnsupportedExpression("DIV of decimals");
        }
        const auto type = DecimalResult(op, a.type.type, b.type.type);
        if (!type) {
            return UnsupportedExpression(fmt::format("{}, which needs more than 38 digits,", what));
        }
        if (op == "/") {
            return Value{fmt::format("CAST(spark_divide({}, {}, {}) AS {})", a.text, b.text, type->scale(),
                                     DuckDbTypeText(*type)),
                         *type, true};
        }
        if (op == "%") {
            BF_ASSIGN(auto sides, Alike({std::move(a), std::move(b)}, false, what));
            return Value{Typed(fmt::format("spark_remainder({}, {})", sides[0].text, sides[1].text), *type), *type,
                         true};
        }
        // DuckDB computes in 64 bits where both sides fit, and fails where the result does not.
        const auto &left = a.type.type;
        const bool wide = type->precision() > 18 && left.precision() <= 18 && b.type.type.precision() <= 18;
        const auto first = wide ? Typed(a.text, DataType::Decimal(19, left.scale())) : a.text;
        return Value{Typed(fmt::format("({} {} {})", first, op, b.text), *type), *type, true};
    }
    return Integers(op, std::move(a), std::move(b));
}

// What is computed in one type of number on both sides; a division is one of doubles.
Result<Value> Translator::Integers(const std::string &op, Value a, Value b) {
    if (op == "/" || op == "DIV") {
        const SparkType type = op == "/" ? TypeKind::kDouble : TypeKind::kLong;
        if (op == "DIV" && (!a.type.is_integer() || !b.type.is_integer())) {
            return Mismatch(fmt::format("{} DIV {}", a.type.ToString(), b.type.ToString()));
        }
        BF_ASSIGN(a, Cast(std::move(a), type));
        BF_ASSIGN(b, Cast(std::move(b), type));
        return Value{fmt::format("{}({}, {})", op == "/" ? "spark_divide" : "spark_div", a.text, b.text), type, true};
    }
    BF_ASSIGN(auto sides, Alike({std::move(a), std::move(b)}, false, op));
    if (op == "%") {
        return Value{fmt::format("spark_remainder({}, {})", sides[0].text, sides[1].text), sides[0].type, true};
    }
    return Value{fmt::format("({} {} {})", sides[0].text, op, sides[1].text), sides[0].type, true};
}

Result<Value> Translator::In(const Expression &node) {
    BF_ASSIGN(auto parts, All(node.children));
    BF_ASSIGN(parts, Alike(std::move(parts), true, "IN"));
    if (!IsComparable(parts[0].type)) {
        return Mismatch("IN of " + parts[0].type.ToString());
    }
    const bool can_fail = AnyFails(parts);
    const auto value = parts[0].text;
    parts.erase(parts.begin());
    return Boolean(fmt::format("({}{} IN ({}))", node.negated ? "NOT " : "", value, Joined(parts, ", ")), can_fail);
}

Result<Value> Translator::Like(const Expression &node) {
    BF_ASSIGN(auto value, Any(node.children[0]));
    BF_ASSIGN(value, Implicitly(std::move(value), TypeKind::kString, node.text));
    if (node.of_list || node.text == "ILIKE") {
        NoteCheckOnly(node.of_list ? "LIKE with a list" : node.text);
    }
    const auto &pattern = node.children[1];
    if (pattern.kind == ExpressionKind::kNull) {
        return Boolean("CAST(NULL AS BOOLEAN)", false);
    }
    if (pattern.kind != ExpressionKind::kText) {
        return UnsupportedExpression(node.text + " with a pattern that is no literal");
    }
    std::string text;
    if (node.text == "RLIKE") {
        BF_ASSIGN(const auto regex, TranslateJavaRegex(pattern.text));
        text = fmt::format("regexp_matches({}, {})", value.text, QuoteText(regex.text));
    } else {
        const std::string escape = node.children.size() > 2 ? node.children[2].text : "\\";
        if (escape.size() != 1 || static_cast<unsigned char>(escape[0]) >= 0x80) {
            return UnsupportedExpression("LIKE with this ESCAPE");
        }
        for (size_t i = 0; i < pattern.text.size(); i++) {
            if (pattern.text[i] == escape[0]) {
                const char next = i + 1 < pattern.text.size() ? pattern.text[i + 1] : '\0';
                if (next != '%' && next != '_' && next != escape[0]) {
                    return Fail(
                        Condition::BIRDFOOT_INVALID_INPUT,
                        "The pattern '{}' is no LIKE pattern. Its escape character {} may only stand before %, _ or "
                        "itself.",
                        pattern.text, escape);
                }
                i++;
            }
        }
        auto wanted = pattern.text;
        if (node.text == "ILIKE") {
            if (std::any_of(wanted.begin(), wanted.end(), [](unsigned char c) { return c >= 0x80; })) {
                return UnsupportedExpression("ILIKE with a pattern that is not ASCII");
            }
            std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
            value.text = fmt::format("spark_lower({})", value.text);
        }
        text = fmt::format("{} LIKE {} ESCAPE {}", value.text, QuoteText(wanted), QuoteText(escape));
    }
    return Boolean(fmt::format("({}{})", node.negated ? "NOT " : "", text), value.can_fail);
}

Result<Value> Translator::Is(const Expression &node) {
    BF_ASSIGN(auto value, Any(node.children[0]));
    if (node.text != "NULL") {
        BF_ASSIGN(value, Condition_(std::move(value), "IS " + node.text));
    }
    const auto what = node.text == "UNKNOWN" ? std::string("NULL") : node.text;
    return Boolean(fmt::format("({} IS {}{})", value.text, node.negated ? "NOT " : "", what), value.can_fail);
}

Result<Value> Translator::Case(const Expression &node) {
    Values parts;
    size_t i = 0;
    Value operand;
    if (node.has_operand) {
        BF_ASSIGN(operand, Any(node.children[i++]));
    }
    const size_t end = node.children.size() - (node.has_else ? 1 : 0);
    for (; i < end; i += 2) {
        BF_ASSIGN(auto condition, Any(node.children[i]));
        if (node.has_operand) {
            BF_ASSIGN(condition, Compare("=", operand, std::move(condition)));
        }
        BF_ASSIGN(auto result, Any(node.children[i + 1]));
        parts.push_back(std::move(condition));
        parts.push_back(std::move(result));
    }
    if (node.has_else) {
        BF_ASSIGN(auto otherwise, Any(node.children[i]));
        parts.push_back(std::move(otherwise));
    }
    return CaseOf(std::move(parts), node.has_else);
}

Result<Value> Translator::CaseOf(Values parts, bool has_else) {
    Values results;
    const size_t pairs = parts.size() / 2;
    for (size_t i = 0; i < pairs; i++) {
        BF_ASSIGN(parts[2 * i], Condition_(std::move(parts[2 * i]), "WHEN"));
        results.push_back(parts[2 * i + 1]);
    }
    if (has_else) {
        results.push_back(parts.back());
    }
    BF_ASSIGN(results, Alike(std::move(results), false, "CASE"));
    std::string text = "CASE";
    for (size_t i = 0; i < pairs; i++) {
        text += fmt::format(" WHEN {} THEN {}", parts[2 * i].text, results[i].text);
    }
    if (has_else) {
        text += " ELSE " + results.back().text;
    }
    return Value{text + " END", results[0].type, AnyFails(parts) || AnyFails(results)};
}

Result<Translation> Translate(const Expression &expression, const StructType &columns) {
    Translator translator(columns);
    BF_ASSIGN(auto value, translator.Any(expression));
    if (value.type.is_interval()) {
        return UnsupportedExpression("A value of " + value.type.ToString());
    }
    return Translation{std::move(value.text), value.type.type, translator.columns(), translator.varies(),
                       translator.check_only()};
}

namespace {

//! The path of a column or of fields below it; empty if the node is something else.
std::vector<std::string> PathOf(const Expression &node) {
    if (node.kind == ExpressionKind::kColumn) {
        return node.name;
    }
    const bool by_name = node.kind == ExpressionKind::kSubscript && node.children[1].kind == ExpressionKind::kText;
    if (node.kind != ExpressionKind::kField && !by_name) {
        return {};
    }
    auto path = PathOf(node.children[0]);
    if (!path.empty()) {
        path.push_back(by_name ? node.children[1].text : node.text);
    }
    return path;
}

void CollectColumns(const Expression &node, const StructType &columns, std::vector<ColumnUse> &found) {
    auto path = PathOf(node);
    if (!path.empty() && columns.Find(path[0])) {
        const bool known = std::any_of(found.begin(), found.end(), [&](const auto &use) { return use.path == path; });
        if (!known) {
            found.push_back({std::move(path)});
        }
        return;
    }
    for (const auto &child : node.children) {
        CollectColumns(child, columns, found);
    }
}

}  // namespace

std::vector<ColumnUse> ColumnsOf(const Expression &expression, const StructType &columns) {
    std::vector<ColumnUse> found;
    CollectColumns(expression, columns, found);
    return found;
}

bool MeansTheSame(const Expression &node) {
    static constexpr std::array<std::string_view, 14> kSame = {
        "ABS",    "COALESCE", "CURRENT_DATE", "CURRENT_TIMESTAMP", "DAY",  "LENGTH", "LOWER", "MONTH", "NOW",
        "NULLIF", "UPPER",    "YEAR",         "GREATEST",          "LEAST"};
    switch (node.kind) {
    case ExpressionKind::kParameter:
    case ExpressionKind::kSubscript: return false;
    case ExpressionKind::kFunction:
        if (std::find(kSame.begin(), kSame.end(), node.text) == kSame.end()) {
            return false;
        }
        break;
    case ExpressionKind::kBinaryOperator:
        if (node.text == "^" || node.text == "DIV") {
            return false;
        }
        break;
    case ExpressionKind::kCast:
    case ExpressionKind::kTyped:  // TIMESTAMP has no zone in DuckDB's dialect, and DECIMAL another size
        if (node.type.kind() == TypeKind::kTimestamp || node.type.kind() == TypeKind::kDecimal) {
            return false;
        }
        break;
    case ExpressionKind::kLike:
        if (node.children.size() < 3 && node.children[1].text.find('\\') != std::string::npos) {
            return false;
        }
        break;
    default: break;
    }
    return std::all_of(node.children.begin(), node.children.end(), MeansTheSame);
}

Result<Translation> TranslateText(std::string_view text, const StructType &columns) {
    BF_ASSIGN(const auto expression, ParseExpression(text));
    return Translate(expression, columns);
}

}  // namespace birdfoot::sql
