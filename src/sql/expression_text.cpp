// Two printers for expression.hpp's tree: Spark's text, and DuckDB's for what was typed in a statement, where a
// name may well mean DuckDB's function. What is stored in a table is translated by sql/translate instead.
#include <algorithm>
#include <array>

#include "sql/expression.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

std::string Capitals(bool negated, std::string_view word) { return fmt::format("{}{}", negated ? "NOT " : "", word); }

std::string JoinTexts(const std::vector<std::string> &texts, std::string_view separator) {
    std::string out;
    for (const auto &text : texts) {
        out += fmt::format("{}{}", out.empty() ? "" : separator, text);
    }
    return out;
}

bool IsPlainName(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
        return false;
    }
    return std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
}

std::string IntervalText(const Expression &node) {
    return fmt::format("{} months {} days {} microseconds", node.months, node.days, node.microseconds);
}

std::string SparkNumber(const Expression &node) {
    switch (node.type.kind()) {
    case TypeKind::kLong: return node.text + "L";
    case TypeKind::kShort: return node.text + "S";
    case TypeKind::kByte: return node.text + "Y";
    case TypeKind::kDouble: return node.text + "D";
    case TypeKind::kFloat: return node.text + "F";
    default: return node.text;
    }
}

// What the two printers have in common; a derived class prints leaves, casts, functions and what differs.
class Printer {
public:
    virtual ~Printer() = default;

    virtual Result<std::string> Print(const Expression &node) {
        switch (node.kind) {
        case ExpressionKind::kNull: return std::string("NULL");
        case ExpressionKind::kBoolean:
        case ExpressionKind::kParameter: return node.text;
        case ExpressionKind::kNot: return Unary("NOT ", node);
        case ExpressionKind::kNegate: return Unary("- ", node);
        case ExpressionKind::kUnaryOperator: return Unary(node.text + " ", node);
        case ExpressionKind::kBinaryOperator: return BinaryOperator(node);
        case ExpressionKind::kBetween: {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{} {} {} AND {}", parts[0], Capitals(node.negated, "BETWEEN"), parts[1], parts[2]);
        }
        case ExpressionKind::kIn: {
            BF_ASSIGN(auto parts, Operands(node));
            auto value = std::move(parts[0]);
            parts.erase(parts.begin());
            return fmt::format("{} {} ({})", value, Capitals(node.negated, "IN"), JoinTexts(parts, ", "));
        }
        case ExpressionKind::kLike: {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{} {} {}{}", parts[0], Capitals(node.negated, node.text), parts[1],
                               parts.size() > 2 ? " ESCAPE " + parts[2] : "");
        }
        case ExpressionKind::kIs: {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{} IS {}", parts[0], Capitals(node.negated, node.text));
        }
        case ExpressionKind::kCase: return Case(node);
        default: return Fail(Condition::BIRDFOOT_INTERNAL, "internal error: an expression that cannot be printed.");
        }
    }

protected:
    //! A child; in brackets unless it is a leaf or a call.
    Result<std::string> Operand(const Expression &node) {
        BF_ASSIGN(auto text, Print(node));
        switch (node.kind) {
        case ExpressionKind::kNot:
        case ExpressionKind::kNegate:
        case ExpressionKind::kBinaryOperator:
        case ExpressionKind::kUnaryOperator:
        case ExpressionKind::kBetween:
        case ExpressionKind::kIn:
        case ExpressionKind::kLike:
        case ExpressionKind::kIs:
        case ExpressionKind::kInterval: return "(" + text + ")";
        default: return text;
        }
    }

    Result<std::vector<std::string>> Operands(const Expression &node) {
        std::vector<std::string> texts;
        for (const auto &child : node.children) {
            BF_ASSIGN(auto text, Operand(child));
            texts.push_back(std::move(text));
        }
        return texts;
    }

    Result<std::string> Unary(std::string_view op, const Expression &node) {
        BF_ASSIGN(auto text, Operand(node.children[0]));
        return fmt::format("{}{}", op, text);
    }

    virtual Result<std::string> BinaryOperator(const Expression &node) {
        BF_ASSIGN(auto parts, Operands(node));
        return JoinTexts(parts, fmt::format(" {} ", node.text));
    }

    Result<std::string> Case(const Expression &node) {
        BF_ASSIGN(auto parts, Operands(node));
        std::string out = "CASE";
        size_t i = 0;
        if (node.has_operand) {
            out += " " + parts[i++];
        }
        for (; i + 1 < parts.size(); i += 2) {
            out += fmt::format(" WHEN {} THEN {}", parts[i], parts[i + 1]);
        }
        if (node.has_else) {
            out += " ELSE " + parts.back();
        }
        return out + " END";
    }
};

class SparkPrinter final : public Printer {
public:
    explicit SparkPrinter(NameQuotes quotes) : quotes_(quotes) {}

    Result<std::string> Print(const Expression &node) override {
        switch (node.kind) {
        case ExpressionKind::kNumber: return SparkNumber(node);
        case ExpressionKind::kText: return QuoteSparkText(node.text);
        case ExpressionKind::kBinary: return fmt::format("X'{}'", node.text);
        case ExpressionKind::kTyped: return fmt::format("{} {}", TypeName(node.type), QuoteSparkText(node.text));
        case ExpressionKind::kInterval: return fmt::format("INTERVAL '{}'", IntervalText(node));
        case ExpressionKind::kColumn: {
            std::vector<std::string> parts;
            for (const auto &part : node.name) {
                parts.push_back(Name(part));
            }
            return JoinTexts(parts, ".");
        }
        case ExpressionKind::kCast: {
            BF_ASSIGN(auto value, Print(node.children[0]));
            return fmt::format("{}({} AS {})", node.text, value, TypeName(node.type));
        }
        case ExpressionKind::kFunction: {
            if (node.children.empty() && (node.text == "CURRENT_DATE" || node.text == "CURRENT_TIMESTAMP")) {
                return node.text + "()";
            }
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{}({})", node.text, JoinTexts(parts, ", "));
        }
        case ExpressionKind::kField: {
            BF_ASSIGN(auto value, Operand(node.children[0]));
            const bool number = node.children[0].kind == ExpressionKind::kNumber;  // 2.d is a number too
            return fmt::format("{}{}{}.{}", number ? "(" : "", value, number ? ")" : "", Name(node.text));
        }
        case ExpressionKind::kSubscript: {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{}[{}]", parts[0], parts[1]);
        }
        default: return Printer::Print(node);
        }
    }

private:
    std::string Name(const std::string &name) const {
        return quotes_ == NameQuotes::kWhereNeeded && IsPlainName(name) ? name : QuoteSparkName(name);
    }
    static std::string TypeName(const DataType &type) { return Upper(type.ToString()); }

    NameQuotes quotes_;
};

class DuckDbPrinter final : public Printer {
public:
    Result<std::string> Print(const Expression &node) override {
        switch (node.kind) {
        case ExpressionKind::kNumber: return Number(node);
        case ExpressionKind::kText: return QuoteText(node.text);
        case ExpressionKind::kBinary: return fmt::format("unhex('{}')", node.text);
        case ExpressionKind::kTyped:
            return fmt::format("CAST({} AS {})", QuoteText(node.text), DuckDbTypeText(node.type));
        case ExpressionKind::kInterval: return fmt::format("INTERVAL '{}'", IntervalText(node));
        case ExpressionKind::kColumn: {
            std::vector<std::string> parts;
            for (const auto &part : node.name) {
                parts.push_back(QuoteName(part));
            }
            return JoinTexts(parts, ".");
        }
        case ExpressionKind::kCast: return Cast(node);
        case ExpressionKind::kFunction: return Function(node);
        case ExpressionKind::kLike: return Like(node);
        case ExpressionKind::kIs:
            if (node.text == "UNKNOWN") {
                BF_ASSIGN(auto value, Operand(node.children[0]));
                return fmt::format("{} IS {}", value, Capitals(node.negated, "NULL"));
            }
            return Printer::Print(node);
        case ExpressionKind::kSubscript: {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{}[{}]", parts[0], parts[1]);
        }
        case ExpressionKind::kField: {
            BF_ASSIGN(auto value, Operand(node.children[0]));
            return fmt::format("({}).{}", value, QuoteName(node.text));
        }
        default: return Printer::Print(node);
        }
    }

private:
    static Error Unsupported(std::string_view what) {
        return Fail(
            Condition::DELTA_UNSUPPORTED_EXPRESSION,
            "{} cannot be evaluated. It is not known to mean the same as in Spark, and a guess could give wrong "
            "rows. Write the expression without it, or run the statement in Spark.",
            what);
    }

    static Result<std::string> Number(const Expression &node) {
        if (node.type.kind() == TypeKind::kVoid) {
            return node.text;
        }
        return fmt::format("CAST({} AS {})", node.text, DuckDbTypeText(node.type));
    }

    Result<std::string> BinaryOperator(const Expression &node) override {
        if (node.text == "<=>") {
            BF_ASSIGN(auto parts, Operands(node));
            return fmt::format("{} IS NOT DISTINCT FROM {}", parts[0], parts[1]);
        }
        if (node.text == "DIV" || node.text == ">>>") {
            return Unsupported("The operator " + node.text);
        }
        return Printer::BinaryOperator(node);
    }

    // Spark escapes with a backslash unless told otherwise; DuckDB knows no escape then.
    Result<std::string> Like(const Expression &node) {
        if (node.text == "RLIKE") {
            return Unsupported("RLIKE");
        }
        BF_ASSIGN(auto text, Printer::Print(node));
        const auto &pattern = node.children[1];
        const bool plain = pattern.kind == ExpressionKind::kText && pattern.text.find('\\') == std::string::npos;
        return node.children.size() > 2 || plain ? text : text + " ESCAPE '\\'";
    }

    Result<std::string> Cast(const Expression &node) {
        BF_ASSIGN(auto text, Print(node.children[0]));
        return fmt::format("{}({} AS {})", node.text, text, DuckDbTypeText(node.type));
    }

    struct KnownFunction {
        std::string_view name;
        size_t arguments;
        std::string_view format;
    };

    Result<std::string> Function(const Expression &node) {
        // kept in the order of their names
        static constexpr std::array kKnown = {
            KnownFunction{"ABS", 1, "abs({0})"},
            KnownFunction{"CHARACTER_LENGTH", 1, "length({0})"},
            KnownFunction{"CHAR_LENGTH", 1, "length({0})"},
            KnownFunction{"CURRENT_DATE", 0, "current_date"},
            KnownFunction{"CURRENT_TIMESTAMP", 0, "now()"},
            KnownFunction{"DATE", 1, "CAST({0} AS DATE)"},
            KnownFunction{"DATE_ADD", 2, "(CAST({0} AS DATE) + CAST({1} AS INTEGER))"},
            KnownFunction{"DATE_SUB", 2, "(CAST({0} AS DATE) - CAST({1} AS INTEGER))"},
            KnownFunction{"DAY", 1, "CAST(day({0}) AS INTEGER)"},
            KnownFunction{"DAYOFMONTH", 1, "CAST(day({0}) AS INTEGER)"},
            KnownFunction{"ISNOTNULL", 1, "({0} IS NOT NULL)"},
            KnownFunction{"ISNULL", 1, "({0} IS NULL)"},
            KnownFunction{"LENGTH", 1, "length({0})"},
            KnownFunction{"MONTH", 1, "CAST(month({0}) AS INTEGER)"},
            KnownFunction{"NOW", 0, "now()"},
            KnownFunction{"QUARTER", 1, "CAST(quarter({0}) AS INTEGER)"},
            KnownFunction{"TIMESTAMP", 1, "CAST({0} AS TIMESTAMP WITH TIME ZONE)"},
            KnownFunction{"TO_DATE", 1, "CAST({0} AS DATE)"},
            KnownFunction{"TO_TIMESTAMP", 1, "CAST({0} AS TIMESTAMP WITH TIME ZONE)"},
            KnownFunction{"YEAR", 1, "CAST(year({0}) AS INTEGER)"},
        };
        std::vector<std::string> parts;
        for (const auto &child : node.children) {
            BF_ASSIGN(auto text, Print(child));
            parts.push_back(std::move(text));
        }
        if (node.text == "COALESCE" && !parts.empty()) {
            return fmt::format("coalesce({})", JoinTexts(parts, ", "));
        }
        const bool interval = std::any_of(node.children.begin(), node.children.end(),
                                          [](const auto &c) { return c.kind == ExpressionKind::kInterval; });
        for (const auto &known : kKnown) {
            if (known.name == node.text && known.arguments == parts.size() && !interval) {
                parts.resize(2);
                return fmt::format(fmt::runtime(known.format), parts[0], parts[1]);
            }
        }
        return fmt::format("{}({})", IsPlainName(node.text) ? node.text : QuoteName(node.text), JoinTexts(parts, ", "));
    }
};

}  // namespace

std::string ToSparkText(const Expression &expression, NameQuotes quotes) {
    auto text = SparkPrinter(quotes).Print(expression);
    return text.ok() ? *text : std::string();
}

Result<std::string> ToDuckDbText(const Expression &expression) { return DuckDbPrinter().Print(expression); }

}  // namespace birdfoot::sql
