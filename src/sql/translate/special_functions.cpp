// Functions whose translation depends on their arguments' types or literals: choices between values, numbers, struct,
// array and map. Those of text and of times have files of their own.
#include <algorithm>
#include <array>

#include "sql/translate/special_functions.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
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

namespace {

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

constexpr std::array kOfAnyType = {
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
    for (const auto functions : {std::span<const SpecialFunction>(kOfAnyType), TextFunctions(), TimeFunctions()}) {
        const auto known =
            std::find_if(functions.begin(), functions.end(), [&](const auto &f) { return f.name == name; });
        if (known != functions.end()) {
            return known->rule;
        }
    }
    return nullptr;
}

}  // namespace birdfoot::sql
