// Functions of text whose translation depends on their arguments' types or literals.
#include <algorithm>
#include <array>

#include "sql/translate/java_regex.hpp"
#include "sql/translate/special_functions.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

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

constexpr std::array kText = {
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
};

}  // namespace

std::span<const SpecialFunction> TextFunctions() { return kText; }

}  // namespace birdfoot::sql
