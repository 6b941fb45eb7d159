// See parser.hpp: which statement a text is, by its first words, and the short ones themselves.
#include "sql/parser.hpp"

#include <array>

#include "sql/grammar.hpp"
#include "sql/rewrite.hpp"

namespace birdfoot::sql {
namespace {

using Answer = Result<std::optional<Statement>>;

// First words of statements that may be ours.
constexpr std::array<std::string_view, 26> kFirstWords = {
    "CREATE", "REPLACE", "INSERT",   "WITH",    "MERGE",   "ALTER",    "DROP", "TRUNCATE", "DESCRIBE",
    "UPDATE", "DESC",    "SHOW",     "SET",     "RESET",   "OPTIMIZE", "FSCK", "VACUUM",   "RESTORE",
    "REORG",  "CONVERT", "GENERATE", "EXPLAIN", "PREPARE", "MSCK",     "LOAD", "ANALYZE"};

bool IsFirstWord(const Token &token) {
    for (const auto word : kFirstWords) {
        if (token.IsWord(word)) {
            return true;
        }
    }
    return false;
}

// WITH … up to the statement that it belongs to; only INSERT, UPDATE and MERGE can be ours.
Answer TakeWith(TokenCursor &cursor) {
    const size_t begin = cursor.NextOffset();
    TakeUntil(cursor, [&] {
        return cursor.AtAnyWord({"SELECT", "INSERT", "MERGE", "UPDATE", "DELETE", "VALUES", "FROM"});
    });
    const auto with = cursor.text().substr(begin, cursor.last_end() - begin);
    if (cursor.AtWord("INSERT")) {
        return TakeInsert(cursor, with);
    }
    if (cursor.AtWord("UPDATE")) {
        return TakeUpdate(cursor);
    }
    return cursor.AtWord("MERGE") ? TakeMerge(cursor) : Answer(std::optional<Statement>());
}

Answer TakeRefused(TokenCursor &cursor) {
    if (cursor.AtWord("MSCK")) {
        return NotAllowed("MSCK REPAIR TABLE", "A Delta table knows its files. Leave it out");
    }
    if (cursor.AtWords({"LOAD", "DATA"})) {
        return NotAllowed("LOAD DATA", "Write INSERT INTO … FROM 'files'");
    }
    if (cursor.AtWords({"ANALYZE", "TABLE"})) {
        return NotAllowed("ANALYZE TABLE", "The statistics of a Delta table are in its log. Leave it out");
    }
    return std::optional<Statement>();
}

Answer TakeTruncate(TokenCursor &cursor) {
    cursor.Take();
    cursor.Accept("TABLE");
    auto table = TakeTable(cursor);
    if (table.ok() && cursor.AtWord("PARTITION")) {
        return NotAllowed("TRUNCATE TABLE … PARTITION", "DELETE the rows of the partition instead");
    }
    if (!table.ok() || !cursor.AtEnd()) {
        return std::optional<Statement>();
    }
    return std::optional<Statement>(Truncate{std::move(*table)});
}

Answer TakeStatement(TokenCursor &cursor) {
    const auto word = cursor.Peek().kind == TokenKind::kWord ? Upper(cursor.Peek().text) : std::string();
    if (word == "CREATE" || word == "REPLACE") {
        return TakeCreateTable(cursor);
    }
    if (word == "INSERT") {
        return TakeInsert(cursor, {});
    }
    if (word == "WITH") {
        return TakeWith(cursor);
    }
    if (word == "UPDATE") {
        return TakeUpdate(cursor);
    }
    if (word == "MERGE") {
        return TakeMerge(cursor);
    }
    if (word == "TRUNCATE") {
        return TakeTruncate(cursor);
    }
    if (word == "ALTER") {
        return TakeAlterTable(cursor);
    }
    if (word == "DESCRIBE" || word == "DESC" || word == "SHOW") {
        return TakeDescribeOrShow(cursor);
    }
    if (word == "SET" || word == "RESET") {
        return TakeSession(cursor);
    }
    if (word == "OPTIMIZE" || word == "VACUUM" || word == "RESTORE" || word == "REORG" || word == "CONVERT" ||
        word == "GENERATE" || word == "FSCK") {
        return TakeMaintenance(cursor);
    }
    return TakeRefused(cursor);
}

// The words of EXPLAIN or PREPARE … AS before a statement; where that begins.
std::optional<size_t> SkipPrefix(TokenCursor &cursor) {
    if (cursor.Accept("EXPLAIN")) {
        if (cursor.AtOperator("(") && !AtQuery(cursor) && !cursor.Parenthesised().ok()) {
            return std::nullopt;
        }
        while (cursor.AtAnyWord({"ANALYZE", "ANALYSE", "VERBOSE"})) {
            cursor.Take();
        }
        return cursor.NextOffset();
    }
    if (cursor.AtWord("PREPARE") && cursor.Peek(1).is_name()) {
        cursor.Take();
        cursor.Take();
        if (cursor.AtOperator("(") && !cursor.Parenthesised().ok()) {
            return std::nullopt;
        }
        if (cursor.Accept("AS")) {
            return cursor.NextOffset();
        }
    }
    return std::nullopt;
}

Result<Reading> SpellingOf(std::string_view text) {
    BF_ASSIGN(auto rewritten, RewriteSpelling(text));
    if (rewritten) {
        return Reading(Rewritten{std::move(*rewritten)});
    }
    return Reading(Unchanged{});
}

// DROP TABLE … PURGE: Delta has no trash, so the word says nothing.
std::optional<std::string> WithoutPurge(std::string_view text) {
    TokenCursor cursor(text);
    if (!cursor.Accept({"DROP", "TABLE"})) {
        return std::nullopt;
    }
    cursor.Accept({"IF", "EXISTS"});
    if (!TakeTable(cursor).ok() || !cursor.AtWord("PURGE") || cursor.Peek(1).kind != TokenKind::kEnd) {
        return std::nullopt;
    }
    return std::string(text.substr(0, cursor.NextOffset()));
}

Result<Reading> ReadPlain(std::string_view text) {
    TokenCursor cursor(text);
    BF_ASSIGN(auto statement, TakeStatement(cursor));
    if (statement) {
        auto spelled = ToDuckDbSpelling(text);
        return Reading(Parsed{std::move(*statement), {}, spelled.ok() ? std::move(*spelled) : std::string(text)});
    }
    if (const auto dropped = WithoutPurge(text)) {
        BF_ASSIGN(auto spelled, ToDuckDbSpelling(*dropped));
        return Reading(Rewritten{std::move(spelled)});
    }
    return SpellingOf(text);
}

// One statement without its semicolon.
Result<Reading> Read(std::string_view text) {
    TokenCursor cursor(text);
    if (!IsFirstWord(cursor.Peek())) {
        return SpellingOf(text);
    }
    const auto begin = SkipPrefix(cursor);
    if (!begin) {
        return ReadPlain(text);
    }
    BF_ASSIGN(auto inner, ReadPlain(text.substr(*begin)));
    BF_ASSIGN(auto prefix, ToDuckDbSpelling(text.substr(0, *begin)));
    if (auto *parsed = std::get_if<Parsed>(&inner)) {
        parsed->prefix = std::move(prefix);
        return inner;
    }
    auto *rewritten = std::get_if<Rewritten>(&inner);
    return rewritten != nullptr ? Reading(Rewritten{prefix + rewritten->text}) : SpellingOf(text);
}

std::vector<std::string_view> Split(std::string_view script) {
    const size_t semicolon = script.find(';');
    if (semicolon == std::string_view::npos) {
        return {script};
    }
    if (script.find_first_not_of("; \t\r\n", semicolon) == std::string_view::npos) {
        return {script.substr(0, semicolon)};
    }
    return SplitStatements(script);
}

// A cheap look. A semicolon inside a string only makes it a little less cheap.
bool MayConcernUs(std::string_view script) {
    if (MayNeedRewrite(script)) {
        return true;
    }
    for (size_t begin = 0; begin != std::string_view::npos;) {
        TokenCursor cursor(script.substr(begin));
        if (IsFirstWord(cursor.Peek())) {
            return true;
        }
        const size_t end = script.find(';', begin);
        begin = end == std::string_view::npos ? end : end + 1;
    }
    return false;
}

}  // namespace

Result<Reading> ReadStatement(std::string_view text) {
    const auto statements = Split(text);
    return statements.size() == 1 ? Read(statements[0]) : Result<Reading>(Reading(Unchanged{}));
}

std::optional<std::vector<ScriptPart>> ReadScript(std::string_view script) {
    if (!MayConcernUs(script)) {
        return std::nullopt;
    }
    std::vector<ScriptPart> parts;
    bool any = false;
    for (const auto text : Split(script)) {
        parts.push_back({text, Read(text)});
        const auto &reading = parts.back().reading;
        any = any || !reading.ok() || !std::holds_alternative<Unchanged>(*reading);
    }
    return any ? std::optional(std::move(parts)) : std::nullopt;
}

}  // namespace birdfoot::sql
