// See rewrite.hpp.
#include "sql/rewrite.hpp"

#include <algorithm>

#include "sql/expression.hpp"
#include "sql/lexer.hpp"
#include "sql/token_cursor.hpp"

namespace birdfoot::sql {
namespace {

// DuckDB's keywords that cannot be a table's alias without AS (reserved_keywords.list and the type and function names),
// each between blanks. They are no
// names of tables either.
constexpr std::string_view kNoAlias =
    " ALL ANALYSE ANALYZE AND ANTI ANY ARRAY AS ASC ASOF ASYMMETRIC AT AUTHORIZATION BINARY BOTH BY CASE CAST"
    " CHECK COLLATE COLLATION COLUMN COLUMNS CONCURRENTLY CONSTRAINT CREATE CROSS DEFAULT DEFERRABLE DESC"
    " DESCRIBE DISTINCT DO ELSE END EXCEPT FALSE FETCH FOR FOREIGN FREEZE FROM FULL GLOB GROUP HAVING ILIKE IN"
    " INITIALLY INNER INTERSECT INTO IS ISNULL JOIN LAMBDA LATERAL LEADING LEFT LIKE LIMIT NATURAL NOT NOTNULL"
    " NULL OFFSET ON ONLY OR ORDER OUTER OVERLAPS PIVOT PLACING POSITIONAL PRIMARY QUALIFY REFERENCES"
    " RETURNING RIGHT SELECT SEMI SHOW SIMILAR SOME SUMMARIZE SYMMETRIC TABLE TABLESAMPLE THEN TO TRAILING"
    " TRUE TRY_CAST UNION UNIQUE UNPACK UNPIVOT USING VARIADIC VERBOSE WHEN WHERE WINDOW WITH ";

bool IsAliasWord(const Token &token) {
    if (token.kind != TokenKind::kWord) {
        return token.is_name();
    }
    const auto word = Upper(token.text);
    return kNoAlias.find(" " + word + " ") == std::string_view::npos;
}

//! A part of a table's name, which may also be a string: FROM 'delta:/data/events'.
bool IsTablePart(const Token &token) { return token.kind == TokenKind::kString || IsAliasWord(token); }

struct Edit {
    size_t begin;
    size_t end;
    std::string text;
};

class Rewriter {
public:
    explicit Rewriter(std::string_view text) : text_(text) {}

    Result<std::optional<std::string>> Run() {
        Lexer lexer(text_);
        for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
            if (token.kind == TokenKind::kUnterminated) {
                BF_RETURN_IF_ERROR(NoOpenBackQuote(token));
                break;  // DuckDB says what is open, once it can read what comes before
            }
            if (token.kind == TokenKind::kSlashComment) {
                edits_.push_back({token.offset, token.offset + 2, "--"});
            } else if (token.kind == TokenKind::kMagic) {
                edits_.push_back({token.offset, token.offset + token.text.size(), ""});
            } else if (!token.is_trivia()) {
                tokens_.push_back(token);
            }
        }
        for (size_t i = 0; i < tokens_.size(); i++) {
            BF_ASSIGN(const bool travel, TimeTravel(i));
            if (!travel && tokens_[i].kind == TokenKind::kBackQuoted) {
                const auto &token = tokens_[i];
                edits_.push_back({token.offset, token.offset + token.text.size(), QuoteName(NameOf(token))});
            }
        }
        if (edits_.empty()) {
            return std::optional<std::string>();
        }
        return std::optional(Apply(0, text_.size()));
    }

private:
    static Status NoOpenBackQuote(const Token &token) {
        if (token.text[0] != '`') {
            return {};
        }
        return Fail(
            Condition::PARSE_SYNTAX_ERROR,
            "The name that begins with {:.20} does not end. A back-quote opens a name. Close it with another one.",
            token.text);
    }

    // The text of a range with the edits in it. Edits do not overlap; comments come first in the list, so it is sorted.
    std::string Apply(size_t begin, size_t end) {
        std::sort(edits_.begin(), edits_.end(), [](const Edit &a, const Edit &b) { return a.begin < b.begin; });
        std::string out;
        size_t at = begin;
        for (const auto &edit : edits_) {
            if (edit.begin < begin || edit.end > end) {
                continue;
            }
            out += text_.substr(at, edit.begin - at);
            out += edit.text;
            at = edit.end;
        }
        out += text_.substr(at, end - at);
        return out;
    }

    bool WordAt(size_t i, std::string_view word) const { return i < tokens_.size() && tokens_[i].IsWord(word); }
    bool OperatorAt(size_t i, std::string_view op) const { return i < tokens_.size() && tokens_[i].IsOperator(op); }
    size_t EndOf(size_t i) const { return tokens_[i].offset + tokens_[i].text.size(); }

    // A clause that begins at token i; then its edit is made and i moved to its last token.
    Result<bool> TimeTravel(size_t &i) {
        const bool with_for = WordAt(i, "FOR");
        const size_t unit = i + (with_for ? 1 : 0);
        const bool version = WordAt(unit, "VERSION") || WordAt(unit, "SYSTEM_VERSION");
        const bool timestamp = WordAt(unit, "TIMESTAMP") || WordAt(unit, "SYSTEM_TIME");
        if ((!version && !timestamp) || !WordAt(unit + 1, "AS") || !WordAt(unit + 2, "OF")) {
            return false;
        }
        bool aliased = false;
        const auto table = TableEndingBefore(i, aliased);
        if (!table) {
            return false;
        }
        size_t next = unit + 3;
        BF_ASSIGN(const auto operand, version ? VersionOperand(next) : TimestampOperand(next));
        std::string sample;
        if (WordAt(next, "TABLESAMPLE") && OperatorAt(next + 1, "(")) {
            const size_t begin = tokens_[next].offset;
            next = BehindBrackets(next + 1);
            sample = " " + std::string(text_.substr(begin, EndOf(next - 1) - begin));
        }
        const auto alias = aliased ? std::string() : Alias(next);
        const auto &name = tokens_[*table];
        const bool path = name.kind == TokenKind::kString;
        if (path) {  // DuckDB takes no AT behind a path
            edits_.push_back({name.offset, EndOf(*table),
                              fmt::format("delta_scan({}, {} => {})", name.text,
                                          version ? "versionAsOf" : "timestampAsOf", operand)});
        }
        const auto at = path ? std::string() : fmt::format("AT ({} => {})", version ? "VERSION" : "TIMESTAMP", operand);
        edits_.push_back({tokens_[i].offset, EndOf(next - 1), alias + at + sample});
        if (const auto &before = tokens_[*table - 1]; before.IsWord("TABLE")) {  // TABLE t has no AT, FROM t has
            edits_.push_back({before.offset, before.offset + before.text.size(), "FROM"});
        }
        i = next - 1;
        return true;
    }

    // Where the name of a table in a FROM list begins that ends before token i, perhaps with an alias; none if there is
    // no such name.
    std::optional<size_t> TableEndingBefore(size_t i, bool &aliased) const {
        aliased = false;
        const size_t start = NameStart(i);
        if (BeginsTable(start, i)) {
            return start;
        }
        if (start + 1 != i || start == 0) {
            return std::nullopt;
        }
        aliased = true;
        const size_t table_end = WordAt(start - 1, "AS") ? start - 1 : start;
        const size_t table = NameStart(table_end);
        return BeginsTable(table, table_end) ? std::optional(table) : std::nullopt;
    }

    // Where the dotted name that ends before token i begins; i itself if there is none.
    size_t NameStart(size_t i) const {
        if (i == 0 || !IsTablePart(tokens_[i - 1])) {
            return i;
        }
        i--;
        while (i >= 2 && OperatorAt(i - 1, ".") && IsTablePart(tokens_[i - 2])) {
            i -= 2;
        }
        return i;
    }

    bool BeginsTable(size_t start, size_t end) const {
        if (start == end || start == 0) {
            return false;
        }
        const auto &before = tokens_[start - 1];
        return before.IsWord("FROM") || before.IsWord("JOIN") || before.IsWord("USING") || before.IsWord("TABLE") ||
               before.IsOperator(",") || before.IsOperator("(") || before.IsOperator(":");
    }

    Result<std::string> VersionOperand(size_t &next) {
        const bool minus = OperatorAt(next, "-");
        const size_t value = next + (minus ? 1 : 0);
        if (value < tokens_.size()) {
            const auto kind = tokens_[value].kind;
            if (kind == TokenKind::kNumber ||
                (!minus && (kind == TokenKind::kString || kind == TokenKind::kParameter))) {
                next = value + 1;
                for (const auto *op : {"+", "-", "*", "/", "%"}) {
                    if (OperatorAt(next, op)) {
                        return SyntaxAt(next, "behind VERSION AS OF stands the number of a version, and no calculation",
                                        "Write it like VERSION AS OF 3");
                    }
                }
                return fmt::format("{}{}", minus ? "-" : "", tokens_[value].text);
            }
        }
        return SyntaxAt(next, "behind VERSION AS OF stands the number of a version", "Write it like VERSION AS OF 3");
    }

    Result<std::string> TimestampOperand(size_t &next) {
        const size_t begin = next < tokens_.size() ? tokens_[next].offset : text_.size();
        TokenCursor cursor(text_.substr(begin));
        const auto value = TakeValue(cursor);
        if (!value.ok()) {
            return SyntaxAt(
                next, "behind TIMESTAMP AS OF stands a time",
                "Write it like TIMESTAMP AS OF '2024-01-31 12:00:00' or current_timestamp() - INTERVAL 1 DAY");
        }
        const size_t end = begin + cursor.last_end();
        while (next < tokens_.size() && tokens_[next].offset < end) {
            next++;
        }
        return ToDuckDbText(*value);
    }

    size_t BehindBrackets(size_t i) const {
        for (size_t depth = 0; i < tokens_.size(); i++) {
            if (OperatorAt(i, "(")) {
                depth++;
            } else if (OperatorAt(i, ")") && --depth == 0) {
                return i + 1;
            }
        }
        return tokens_.size();
    }

    // An alias at `next`, in DuckDB's spelling with a space behind it; `next` moves behind it.
    std::string Alias(size_t &next) {
        const bool with_as = WordAt(next, "AS");
        const size_t name = next + (with_as ? 1 : 0);
        if (name >= tokens_.size() || !(with_as ? tokens_[name].is_name() : IsAliasWord(tokens_[name]))) {
            return {};
        }
        next = OperatorAt(name + 1, "(") ? BehindBrackets(name + 1) : name + 1;
        std::string out = with_as ? "AS " : "";
        for (size_t i = name; i < next; i++) {
            const auto &token = tokens_[i];
            out += token.kind == TokenKind::kBackQuoted ? QuoteName(NameOf(token)) : std::string(token.text);
            out += token.IsOperator("(") ? "" : " ";
        }
        return out;
    }

    Error SyntaxAt(size_t i, std::string_view reason, std::string_view cure) const {
        TokenCursor cursor(text_);
        for (size_t k = 0; k < i && !cursor.AtEnd(); k++) {
            cursor.Take();
        }
        return cursor.Syntax(reason, cure);
    }

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<Edit> edits_;
};

// "OF" as a word: no time travel without it.
bool HasOf(std::string_view text) {
    const auto boundary = [&](size_t i) {
        if (i >= text.size()) {
            return true;
        }
        const auto c = static_cast<unsigned char>(text[i]);
        return !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80);
    };
    for (size_t i = text.find_first_of("oO", 1); i != std::string_view::npos; i = text.find_first_of("oO", i + 1)) {
        if (i + 1 < text.size() && (text[i + 1] == 'f' || text[i + 1] == 'F') && boundary(i - 1) && boundary(i + 2)) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool MayNeedRewrite(std::string_view text) {
    return text.find('`') != std::string_view::npos || text.find("//") != std::string_view::npos ||
           text.find("%s") != std::string_view::npos || text.find("%S") != std::string_view::npos || HasOf(text);
}

Result<std::optional<std::string>> RewriteSpelling(std::string_view text) {
    if (!MayNeedRewrite(text)) {
        return std::optional<std::string>();
    }
    return Rewriter(text).Run();
}

Result<std::string> ToDuckDbSpelling(std::string_view text) {
    BF_ASSIGN(auto rewritten, RewriteSpelling(text));
    return rewritten ? std::move(*rewritten) : std::string(text);
}

std::string ToSparkSpelling(std::string_view expression) {
    std::string out;
    for (const auto &token : Tokenize(expression)) {
        if (token.kind == TokenKind::kQuoted) {
            out += QuoteSparkName(NameOf(token));
            continue;
        }
        const bool same = token.kind != TokenKind::kString ||
                          (token.text[0] == '\'' && token.text.find('\\') == std::string_view::npos &&
                           token.text.find('\'', 1) == token.text.size() - 1);
        const auto text = same ? std::nullopt : TextOf(token);
        out += text ? QuoteSparkText(*text) : std::string(token.text);
    }
    return out;
}

}  // namespace birdfoot::sql
