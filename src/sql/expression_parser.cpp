// The parser of expression.hpp: Spark's grammar, by recursive descent, one function a level of precedence.
#include <algorithm>
#include <array>

#include "sql/expression.hpp"
#include "sql/interval.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

// Bounds on what a hostile text can make the tree's depth; a chain of AND or OR is one node and not counted.
constexpr size_t kMaxDepth = 200;
constexpr size_t kMaxLinks = 1000;

// Words that end an operand's place: they are never the name of a column without quotes.
constexpr std::array<std::string_view, 29> kReserved = {
    "SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING",  "LIMIT", "UNION", "INTERSECT", "EXCEPT",
    "AND",    "OR",   "IN",    "IS",    "LIKE",  "BETWEEN", "WHEN",  "THEN",  "ELSE",      "END",
    "AS",     "ON",   "USING", "JOIN",  "WITH",  "VALUES",  "SET",   "INTO",  "DISTINCT"};

Expression Node(ExpressionKind kind, std::string text = {}) {
    Expression node;
    node.kind = kind;
    node.text = std::move(text);
    return node;
}

Expression BinaryNode(std::string op, Expression left, Expression right) {
    auto node = Node(ExpressionKind::kBinaryOperator, std::move(op));
    node.children.push_back(std::move(left));
    node.children.push_back(std::move(right));
    return node;
}

Expression UnaryNode(ExpressionKind kind, Expression child, std::string text = {}) {
    auto node = Node(kind, std::move(text));
    node.children.push_back(std::move(child));
    return node;
}

class ExpressionParser {
public:
    explicit ExpressionParser(TokenCursor &cursor) : cursor_(cursor) {}

    Result<Expression> Or() {
        const Depth depth(*this);
        if (depth_ > kMaxDepth) {
            return cursor_.Syntax("the expression is nested too deeply", "Make it simpler");
        }
        return Chain("OR", &ExpressionParser::And);
    }

    Result<Expression> Value() { return BitOr(); }

private:
    struct Depth {
        explicit Depth(ExpressionParser &parser) : parser_(parser) { parser_.depth_++; }
        ~Depth() { parser_.depth_--; }
        Depth(const Depth &) = delete;
        Depth &operator=(const Depth &) = delete;
        ExpressionParser &parser_;
    };

    Error Unsupported(std::string_view what) {
        return Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                    "{} in an expression is not supported. Only expressions over one row's columns can be used here. "
                    "Rewrite it without.",
                    what);
    }

    Result<Expression> And() { return Chain("AND", &ExpressionParser::Not); }

    using Rule = Result<Expression> (ExpressionParser::*)();

    Result<Expression> Chain(std::string_view op, Rule next) {
        BF_ASSIGN(auto first, (this->*next)());
        if (!cursor_.AtWord(op)) {
            return first;
        }
        auto node = UnaryNode(ExpressionKind::kBinaryOperator, std::move(first), std::string(op));
        while (cursor_.Accept(op)) {
            BF_ASSIGN(auto part, (this->*next)());
            node.children.push_back(std::move(part));
        }
        return node;
    }

    // Called where a loop puts what it has so far below a new node.
    Status Link() {
        if (++links_ > kMaxLinks) {
            return cursor_.Syntax("the expression is too long", "Make it shorter");
        }
        return Status::Ok();
    }

    Result<Expression> Not() {
        if (cursor_.Accept("NOT") || cursor_.AcceptOperator("!")) {
            const Depth depth(*this);
            if (depth_ > kMaxDepth) {
                return cursor_.Syntax("the expression is nested too deeply", "Make it simpler");
            }
            BF_ASSIGN(auto child, Not());
            return UnaryNode(ExpressionKind::kNot, std::move(child));
        }
        BF_ASSIGN(auto value, Comparison());
        return Predicate(std::move(value));
    }

    Result<Expression> Predicate(Expression value) {
        for (bool first = true;; first = false) {
            if (!first) {
                BF_RETURN_IF_ERROR(Link());
            }
            if (cursor_.Accept("IS")) {
                BF_ASSIGN(value, Is(std::move(value)));
                continue;
            }
            const size_t mark = cursor_.mark();
            const bool negated = cursor_.Accept("NOT");
            if (cursor_.Accept("BETWEEN")) {
                auto node = UnaryNode(ExpressionKind::kBetween, std::move(value));
                BF_ASSIGN(auto low, Value());
                BF_RETURN_IF_ERROR(cursor_.Expect("AND"));
                BF_ASSIGN(auto high, Value());
                node.children.push_back(std::move(low));
                node.children.push_back(std::move(high));
                node.negated = negated;
                value = std::move(node);
            } else if (cursor_.Accept("IN")) {
                BF_ASSIGN(value, In(std::move(value)));
                value.negated = negated;
            } else if (cursor_.AtAnyWord({"LIKE", "ILIKE", "RLIKE", "REGEXP"})) {
                BF_ASSIGN(value, Like(std::move(value), negated));
            } else {
                cursor_.Rewind(mark);
                return value;
            }
        }
    }

    Result<Expression> Is(Expression value) {
        const bool negated = cursor_.Accept("NOT");
        if (cursor_.Accept({"DISTINCT", "FROM"})) {
            BF_ASSIGN(auto right, Value());
            auto node = BinaryNode("<=>", std::move(value), std::move(right));
            return negated ? node : UnaryNode(ExpressionKind::kNot, std::move(node));
        }
        if (!cursor_.AtAnyWord({"NULL", "TRUE", "FALSE", "UNKNOWN"})) {
            return cursor_.Syntax("behind IS stands NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM", "Use one of them");
        }
        auto node = UnaryNode(ExpressionKind::kIs, std::move(value), Upper(cursor_.Take().text));
        node.negated = negated;
        return node;
    }

    Result<Expression> In(Expression value) {
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
        if (cursor_.AtAnyWord({"SELECT", "WITH", "FROM", "VALUES"})) {
            return Unsupported("A sub-query");
        }
        auto node = UnaryNode(ExpressionKind::kIn, std::move(value));
        BF_RETURN_IF_ERROR(List(node));
        return node;
    }

    // Expressions up to ')', which is taken.
    Status List(Expression &node) {
        do {
            BF_ASSIGN(auto item, Or());
            node.children.push_back(std::move(item));
        } while (cursor_.AcceptOperator(","));
        return cursor_.ExpectOperator(")");
    }

    Result<Expression> Like(Expression value, bool negated) {
        auto op = Upper(cursor_.Take().text);
        if (cursor_.AtAnyWord({"ANY", "ALL", "SOME"}) && cursor_.AtOperator("(", 1)) {
            return LikeEach(std::move(value), op, negated);
        }
        auto node = UnaryNode(ExpressionKind::kLike, std::move(value), op == "REGEXP" ? "RLIKE" : std::move(op));
        BF_ASSIGN(auto pattern, Value());
        node.children.push_back(std::move(pattern));
        if (cursor_.Accept("ESCAPE")) {
            BF_ASSIGN(auto escape, cursor_.Text("an escape character"));
            node.children.push_back(Node(ExpressionKind::kText, std::move(escape)));
        }
        node.negated = negated;
        return node;
    }

    // LIKE ANY (a, b) is LIKE a OR LIKE b; NOT LIKE ALL means none of them.
    Result<Expression> LikeEach(Expression value, const std::string &op, bool negated) {
        auto chain = Node(ExpressionKind::kBinaryOperator, cursor_.Take().IsWord("ALL") ? "AND" : "OR");
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
        do {
            BF_RETURN_IF_ERROR(Link());
            BF_ASSIGN(auto pattern, Or());
            auto node = UnaryNode(ExpressionKind::kLike, value, op == "REGEXP" ? "RLIKE" : op);
            node.children.push_back(std::move(pattern));
            node.negated = negated;
            node.of_list = true;
            chain.children.push_back(std::move(node));
        } while (cursor_.AcceptOperator(","));
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        return chain.children.size() == 1 ? std::move(chain.children[0]) : std::move(chain);
    }

    Result<Expression> Comparison() {
        BF_ASSIGN(auto left, BitOr());
        while (true) {
            std::string op;
            for (const std::string_view candidate : {"<=>", "<=", ">=", "<>", "!=", "==", "=", "<", ">"}) {
                if (cursor_.AtOperator(candidate)) {
                    op = candidate == "==" ? "=" : candidate == "!=" ? "<>" : candidate;
                    break;
                }
            }
            if (op.empty()) {
                return left;
            }
            cursor_.Take();
            BF_RETURN_IF_ERROR(Link());
            BF_ASSIGN(auto right, BitOr());
            left = BinaryNode(std::move(op), std::move(left), std::move(right));
        }
    }

    Result<Expression> BitOr() { return Level({"|"}, &ExpressionParser::BitXor); }
    Result<Expression> BitXor() { return Level({"^"}, &ExpressionParser::BitAnd); }
    Result<Expression> BitAnd() { return Level({"&"}, &ExpressionParser::Shift); }

    // The signs are tokens of their own, since ARRAY<ARRAY<INT>> ends with two of them.
    std::string ShiftOperator() {
        for (const std::string_view sign : {"<", ">"}) {
            size_t count = 0;
            while (count < 3 && cursor_.AtOperator(sign, count) &&
                   (count == 0 || cursor_.Peek(count).offset == cursor_.Peek(count - 1).offset + 1)) {
                count++;
            }
            if (count == 2 || (count == 3 && sign == ">")) {
                return sign == "<" ? "<<" : std::string(count, '>');
            }
        }
        return {};
    }

    Result<Expression> Shift() {
        BF_ASSIGN(auto left, Sum());
        for (auto op = ShiftOperator(); !op.empty(); op = ShiftOperator()) {
            for (size_t i = 0; i < op.size(); i++) {
                cursor_.Take();
            }
            BF_RETURN_IF_ERROR(Link());
            BF_ASSIGN(auto right, Sum());
            left = BinaryNode(std::move(op), std::move(left), std::move(right));
        }
        return left;
    }

    Result<Expression> Sum() { return Level({"+", "-", "||"}, &ExpressionParser::Product); }

    Result<Expression> Product() {
        BF_ASSIGN(auto left, Unary());
        while (cursor_.AtOperator("*") || cursor_.AtOperator("/") || cursor_.AtOperator("%") || cursor_.AtWord("DIV")) {
            auto op = Upper(cursor_.Take().text);
            BF_RETURN_IF_ERROR(Link());
            BF_ASSIGN(auto right, Unary());
            left = BinaryNode(std::move(op), std::move(left), std::move(right));
        }
        return left;
    }

    Result<Expression> Level(std::initializer_list<std::string_view> ops, Rule next) {
        BF_ASSIGN(auto left, (this->*next)());
        while (true) {
            std::string op;
            for (const auto candidate : ops) {
                if (cursor_.AtOperator(candidate)) {
                    op = candidate;
                }
            }
            if (op.empty()) {
                return left;
            }
            cursor_.Take();
            BF_RETURN_IF_ERROR(Link());
            BF_ASSIGN(auto right, (this->*next)());
            left = BinaryNode(std::move(op), std::move(left), std::move(right));
        }
    }

    Result<Expression> Unary() {
        const Depth depth(*this);
        if (depth_ > kMaxDepth) {
            return cursor_.Syntax("the expression is nested too deeply", "Make it simpler");
        }
        if (cursor_.AcceptOperator("-")) {
            BF_ASSIGN(auto child, Unary());
            return UnaryNode(ExpressionKind::kNegate, std::move(child));
        }
        if (cursor_.AtOperator("+") || cursor_.AtOperator("~")) {
            auto op = std::string(cursor_.Take().text);
            BF_ASSIGN(auto child, Unary());
            return UnaryNode(ExpressionKind::kUnaryOperator, std::move(child), std::move(op));
        }
        BF_ASSIGN(auto value, Primary());
        return Postfix(std::move(value));
    }

    Result<Expression> Postfix(Expression value) {
        for (bool first = true;; first = false) {
            if (!first) {
                BF_RETURN_IF_ERROR(Link());
            }
            if (cursor_.AcceptOperator("[")) {
                auto node = UnaryNode(ExpressionKind::kSubscript, std::move(value));
                BF_ASSIGN(auto index, Or());
                BF_RETURN_IF_ERROR(cursor_.ExpectOperator("]"));
                node.children.push_back(std::move(index));
                value = std::move(node);
            } else if (cursor_.AcceptOperator("::")) {
                BF_ASSIGN(value, CastTo(std::move(value), "CAST"));
            } else if (cursor_.AcceptOperator(".")) {
                BF_ASSIGN(auto field, cursor_.Name("field name"));
                value = UnaryNode(ExpressionKind::kField, std::move(value), std::move(field));
            } else if (cursor_.AtWord("OVER") && cursor_.AtOperator("(", 1)) {
                return Unsupported("A window function");
            } else {
                return value;
            }
        }
    }

    Result<Expression> CastTo(Expression value, std::string how) {
        BF_ASSIGN(auto type, ParseType(cursor_));
        // CHAR(n) and VARCHAR(n) are STRING here: Spark pads and cuts nothing.
        auto node = UnaryNode(ExpressionKind::kCast, std::move(value), std::move(how));
        node.type = std::move(type.type);
        return node;
    }

    Result<Expression> Primary() {
        const Token token = cursor_.Peek();
        switch (token.kind) {
        case TokenKind::kNumber: return Number();
        case TokenKind::kParameter: return Node(ExpressionKind::kParameter, std::string(cursor_.Take().text));
        case TokenKind::kString: {
            BF_ASSIGN(auto text, StringText());
            return Node(ExpressionKind::kText, std::move(text));
        }
        case TokenKind::kQuoted:
        case TokenKind::kBackQuoted: return Column();
        case TokenKind::kWord: return Word();
        default: break;
        }
        if (cursor_.AcceptOperator("(")) {
            if (cursor_.AtAnyWord({"SELECT", "WITH", "VALUES"})) {
                return Unsupported("A sub-query");
            }
            BF_ASSIGN(auto inner, Or());
            if (cursor_.AtOperator(",")) {
                return Unsupported("A row (a, b)");
            }
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
            return inner;
        }
        return cursor_.Syntax("an expression is expected here", "Write a column, a value or a function");
    }

    // Adjacent strings are one. In DuckDB's dialect "x" is a name, never text.
    Result<std::string> StringText() {
        std::string text;
        while (cursor_.Peek().kind == TokenKind::kString) {
            const auto part = TextOf(cursor_.Peek(), cursor_.dialect());
            if (!part) {
                return cursor_.Syntax("the text has an escape or a doubled quote whose meaning is not certain",
                                      "Write the character itself");
            }
            text += *part;
            cursor_.Take();
        }
        return text;
    }

    Result<Expression> Number() {
        auto text = std::string(cursor_.Peek().text);
        const auto digits = text.find_last_of("0123456789.") + 1;
        auto suffix = Upper(text.substr(digits));
        // In DuckDB's dialect a suffix is a word of its own.
        auto node = Node(ExpressionKind::kNumber, text.substr(0, digits));
        std::erase(node.text, '_');
        const bool fraction = node.text.find_first_of(".eE") != std::string::npos;
        static constexpr std::array<std::pair<std::string_view, TypeKind>, 7> kSuffixes = {
            {{"", TypeKind::kVoid},
             {"L", TypeKind::kLong},
             {"S", TypeKind::kShort},
             {"Y", TypeKind::kByte},
             {"D", TypeKind::kDouble},
             {"F", TypeKind::kFloat},
             {"BD", TypeKind::kDecimal}}};
        const auto *known =
            std::find_if(kSuffixes.begin(), kSuffixes.end(), [&](const auto &s) { return s.first == suffix; });
        if (known == kSuffixes.end() || node.text.find_first_not_of("0123456789.eE+-") != std::string::npos ||
            (DataType(known->second).is_integer() && fraction)) {
            return Unsupported(fmt::format("The number {}", text));
        }
        node.type = DataType(known->second);
        cursor_.Take();
        return node;
    }

    Result<Expression> Column() {
        auto node = Node(ExpressionKind::kColumn);
        BF_ASSIGN(node.name, cursor_.DottedName("column name"));
        if (cursor_.AtOperator("(")) {
            return Unsupported("A function with a qualified or quoted name");
        }
        return node;
    }

    Result<Expression> Word() {
        const auto word = Upper(cursor_.Peek().text);
        for (const auto reserved : kReserved) {
            if (word == reserved) {
                return cursor_.Syntax("an expression is expected here", "Write a column, a value or a function");
            }
        }
        if (cursor_.Peek(1).kind == TokenKind::kString) {
            if (word == "X") {
                return Binary();
            }
            if (word == "DATE" || word == "TIMESTAMP" || word == "TIMESTAMP_NTZ" || word == "TIMESTAMP_LTZ" ||
                word == "TIMESTAMPTZ") {
                auto node = Node(ExpressionKind::kTyped);
                BF_ASSIGN(auto type, ParseType(cursor_));
                node.type = std::move(type.type);
                BF_ASSIGN(node.text, StringText());
                return node;
            }
        }
        if (word == "INTERVAL" && !cursor_.AtOperator(".", 1) && !cursor_.AtOperator("(", 1)) {
            return IntervalNode();
        }
        if (word == "CASE") {
            return Case();
        }
        if ((word == "CAST" || word == "TRY_CAST") && cursor_.AtOperator("(", 1)) {
            cursor_.Take();
            cursor_.Take();
            BF_ASSIGN(auto value, Or());
            BF_RETURN_IF_ERROR(cursor_.Expect("AS"));
            BF_ASSIGN(auto node, CastTo(std::move(value), word));
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
            return node;
        }
        if (cursor_.AtOperator("(", 1)) {
            return Function();
        }
        if (word == "NULL") {
            cursor_.Take();
            return Node(ExpressionKind::kNull);
        }
        if (word == "TRUE" || word == "FALSE") {
            cursor_.Take();
            return Node(ExpressionKind::kBoolean, word);
        }
        if (word == "CURRENT_DATE" || word == "CURRENT_TIMESTAMP") {
            cursor_.Take();
            return Node(ExpressionKind::kFunction, word);
        }
        if (word == "CURRENT_USER" || word == "SESSION_USER" || word == "CURRENT_TIME" || word == "LOCALTIMESTAMP") {
            return Unsupported(word);
        }
        if (cursor_.AtOperator("->", 1)) {
            return Unsupported("A lambda function");
        }
        return Column();
    }

    Result<Expression> Binary() {
        cursor_.Take();
        BF_ASSIGN(auto digits, StringText());
        if (digits.size() % 2 != 0 || Upper(digits).find_first_not_of("0123456789ABCDEF") != std::string::npos) {
            return cursor_.Syntax("the X'…' before it holds no pairs of hexadecimal digits", "Write two digits a byte");
        }
        return Node(ExpressionKind::kBinary, Upper(digits));
    }

    Result<Expression> Function() {
        auto node = Node(ExpressionKind::kFunction, Upper(cursor_.Take().text));
        cursor_.Take();
        if (node.text == "TRIM" && cursor_.dialect() == Dialect::kSpark &&
            cursor_.AtAnyWord({"BOTH", "LEADING", "TRAILING"})) {
            return Trim();
        }
        if (cursor_.AtAnyWord({"SELECT", "DISTINCT", "ALL", "BOTH", "LEADING", "TRAILING"}) ||
            cursor_.AtOperator("*")) {
            return Unsupported(fmt::format("{}({})", node.text, cursor_.Peek().text));
        }
        if (cursor_.AcceptOperator(")")) {
            return node;
        }
        if (node.text == "EXTRACT") {
            return Extract();
        }
        if (node.text == "POSITION" || node.text == "OVERLAY") {
            BF_ASSIGN(auto first, Value());
            node.children.push_back(std::move(first));
            if (node.text == "OVERLAY" || !cursor_.AtAnyWord({"IN"})) {
                return Rest(std::move(node));
            }
            cursor_.Take();
            BF_RETURN_IF_ERROR(List(node));
            return node;
        }
        if (node.text == "STRUCT") {
            return Struct();
        }
        BF_ASSIGN(auto first, Or());
        node.children.push_back(std::move(first));
        return Rest(std::move(node));
    }

    // Behind the first argument: the others, or SUBSTRING's FROM 1 FOR 2.
    Result<Expression> Rest(Expression node) {
        if ((node.text == "SUBSTRING" || node.text == "SUBSTR") && cursor_.Accept("FROM")) {
            BF_ASSIGN(auto from, Or());
            node.children.push_back(std::move(from));
            if (cursor_.Accept("FOR")) {
                BF_ASSIGN(auto length, Or());
                node.children.push_back(std::move(length));
            }
        } else if (cursor_.AcceptOperator(",")) {
            BF_RETURN_IF_ERROR(List(node));
            return node;
        } else if (cursor_.AtAnyWord({"FROM", "PLACING", "ORDER", "SEPARATOR"})) {
            return Unsupported(fmt::format("{}(… {} …)", node.text, Upper(cursor_.Peek().text)));
        }
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        return node;
    }

    // EXTRACT(YEAR FROM x) is date_part('YEAR', x).
    Result<Expression> Extract() {
        auto node = Node(ExpressionKind::kFunction, "DATE_PART");
        BF_ASSIGN(auto unit, cursor_.Name("part of a time"));
        BF_RETURN_IF_ERROR(cursor_.Expect("FROM"));
        node.children.push_back(Node(ExpressionKind::kText, Upper(unit)));
        BF_RETURN_IF_ERROR(List(node));
        return node;
    }

    // TRIM(LEADING 'x' FROM s) is ltrim('x', s).
    Result<Expression> Trim() {
        const auto side = Upper(cursor_.Take().text);
        auto node = Node(ExpressionKind::kFunction, side == "BOTH" ? "TRIM" : side == "LEADING" ? "LTRIM" : "RTRIM");
        if (!cursor_.AtWord("FROM")) {
            BF_ASSIGN(auto characters, Or());
            node.children.push_back(std::move(characters));
        }
        BF_RETURN_IF_ERROR(cursor_.Expect("FROM"));
        BF_ASSIGN(auto value, Or());
        node.children.push_back(std::move(value));
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        return node;
    }

    // STRUCT(x, y AS b) is named_struct('x', x, 'b', y).
    Result<Expression> Struct() {
        auto node = Node(ExpressionKind::kFunction, "NAMED_STRUCT");
        do {
            BF_ASSIGN(auto value, Or());
            std::string name = value.kind == ExpressionKind::kColumn ? value.name.back()
                               : value.kind == ExpressionKind::kField
                                   ? value.text
                                   : "col" + std::to_string(node.children.size() / 2 + 1);
            if (cursor_.Accept("AS")) {
                BF_ASSIGN(name, cursor_.Name("field name"));
            }
            node.children.push_back(Node(ExpressionKind::kText, std::move(name)));
            node.children.push_back(std::move(value));
        } while (cursor_.AcceptOperator(","));
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        return node;
    }

    Result<Expression> Case() {
        cursor_.Take();
        auto node = Node(ExpressionKind::kCase);
        if (!cursor_.AtWord("WHEN")) {
            BF_ASSIGN(auto operand, Or());
            node.children.push_back(std::move(operand));
            node.has_operand = true;
        }
        do {
            BF_RETURN_IF_ERROR(cursor_.Expect("WHEN"));
            BF_ASSIGN(auto condition, Or());
            BF_RETURN_IF_ERROR(cursor_.Expect("THEN"));
            BF_ASSIGN(auto result, Or());
            node.children.push_back(std::move(condition));
            node.children.push_back(std::move(result));
        } while (cursor_.AtWord("WHEN"));
        if (cursor_.Accept("ELSE")) {
            BF_ASSIGN(auto otherwise, Or());
            node.children.push_back(std::move(otherwise));
            node.has_else = true;
        }
        BF_RETURN_IF_ERROR(cursor_.Expect("END"));
        return node;
    }

    Result<Expression> IntervalNode() {
        cursor_.Take();
        BF_ASSIGN(const auto interval, TakeInterval(cursor_));
        auto node = Node(ExpressionKind::kInterval);
        node.months = interval.months;
        node.days = interval.days;
        node.microseconds = interval.microseconds;
        node.has_time = interval.has_time;
        return node;
    }

    TokenCursor &cursor_;
    size_t depth_ = 0;
    size_t links_ = 0;
};

}  // namespace

Result<Expression> TakeExpression(TokenCursor &cursor) { return ExpressionParser(cursor).Or(); }
Result<Expression> TakeValue(TokenCursor &cursor) { return ExpressionParser(cursor).Value(); }

Result<Expression> ParseExpression(std::string_view text, Dialect dialect) {
    TokenCursor cursor(text, dialect);
    BF_ASSIGN(auto expression, TakeExpression(cursor));
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return expression;
}

}  // namespace birdfoot::sql
