// DESCRIBE HISTORY and DETAIL, the SHOWs that DuckDB lacks, and a session's settings under Spark's keys.
#include <algorithm>

#include "sql/grammar.hpp"

namespace birdfoot::sql {
namespace {

using Answer = Result<std::optional<Statement>>;
constexpr std::string_view kSparkKeys = "SPARK";

bool AtTable(TokenCursor &cursor, size_t ahead) {
    const auto &token = cursor.Peek(ahead);
    return token.is_name() || token.kind == TokenKind::kString;
}

Result<std::optional<Statement>> Finish(TokenCursor &cursor, Statement statement) {
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(statement));
}

// DESCRIBE [TABLE] [EXTENDED] t [column], where DuckDB has DESCRIBE t and DESCRIBE query alone.
Answer TakeDescribeTable(TokenCursor &cursor) {
    DescribeTable describe;
    cursor.Accept("TABLE");
    if (cursor.AtAnyWord({"EXTENDED", "FORMATTED"}) && AtTable(cursor, 1)) {
        describe.extended = true;
        cursor.Take();
    } else if (AtQuery(cursor) || cursor.AtAnyWord({"ALL", "TABLES", "DATABASE", "SCHEMA", "FUNCTION", "QUERY"})) {
        return std::optional<Statement>();
    }
    auto table = TakeTable(cursor);
    if (!table.ok() || (!describe.extended && !cursor.Peek().is_name())) {
        return std::optional<Statement>();
    }
    describe.table = std::move(*table);
    if (!cursor.AtEnd()) {
        BF_ASSIGN(describe.column, cursor.DottedName("column name"));
    }
    return Finish(cursor, std::move(describe));
}

Answer TakeDescribe(TokenCursor &cursor) {
    cursor.Take();
    if (cursor.AtWord("HISTORY") && AtTable(cursor, 1)) {
        cursor.Take();
        DescribeHistory history;
        BF_ASSIGN(history.table, TakeTable(cursor));
        if (cursor.Accept("LIMIT")) {
            BF_ASSIGN(history.limit, cursor.Integer("a limit"));
        }
        return Finish(cursor, std::move(history));
    }
    if (cursor.AtWord("DETAIL") && AtTable(cursor, 1)) {
        cursor.Take();
        DescribeDetail detail;
        BF_ASSIGN(detail.table, TakeTable(cursor));
        return Finish(cursor, std::move(detail));
    }
    return TakeDescribeTable(cursor);
}

// SHOW TABLES IN s, SHOW TABLES LIKE 'p'; SHOW TABLES and SHOW TABLES FROM s are DuckDB's.
Answer TakeShowTables(TokenCursor &cursor) {
    ShowTables show;
    cursor.Take();
    const bool in = cursor.AtWord("IN");
    if (in || cursor.AtWord("FROM")) {
        cursor.Take();
        BF_ASSIGN(show.schema, cursor.DottedName("schema name"));
    }
    const bool like = cursor.Accept("LIKE");
    if (like || cursor.AtText()) {
        BF_ASSIGN(show.pattern, cursor.Text("a pattern"));
    } else if (!in) {
        return std::optional<Statement>();
    }
    return Finish(cursor, std::move(show));
}

Answer TakeShow(TokenCursor &cursor) {
    cursor.Take();
    if (cursor.AtWord("TBLPROPERTIES") && AtTable(cursor, 1)) {
        cursor.Take();
        ShowProperties show;
        BF_ASSIGN(show.table, TakeTable(cursor));
        if (cursor.AcceptOperator("(")) {
            BF_ASSIGN(show.key, TakePropertyKey(cursor));
            BF_RETURN_IF_ERROR(cursor.ExpectOperator(")"));
        }
        return Finish(cursor, std::move(show));
    }
    if (cursor.AtWord("PARTITIONS") && AtTable(cursor, 1)) {
        cursor.Take();
        ShowPartitions show;
        BF_ASSIGN(show.table, TakeTable(cursor));
        if (cursor.Accept("PARTITION")) {
            BF_ASSIGN(show.partition, TakePartition(cursor));
        }
        return Finish(cursor, std::move(show));
    }
    if (cursor.AtWords({"CREATE", "TABLE"})) {
        cursor.Accept({"CREATE", "TABLE"});
        ShowCreateTable show;
        BF_ASSIGN(show.table, TakeTable(cursor));
        return Finish(cursor, std::move(show));
    }
    if (cursor.AtWord("COLUMNS") && (cursor.AtWord("IN", 1) || cursor.AtWord("FROM", 1))) {
        cursor.Take();
        cursor.Take();
        ShowColumns show;
        BF_ASSIGN(show.table, TakeTable(cursor));
        if (cursor.AtAnyWord({"IN", "FROM"})) {
            cursor.Take();
            BF_ASSIGN(auto parts, cursor.DottedName("schema name"));
            show.table.parts.insert(show.table.parts.begin(), parts.begin(), parts.end());
        }
        return Finish(cursor, std::move(show));
    }
    if (cursor.AtWord("TABLES") && !cursor.AtOperator(".", 1)) {
        return TakeShowTables(cursor);
    }
    return std::optional<Statement>();
}

std::string_view Trim(std::string_view text) {
    constexpr std::string_view kSpaces = " \t\r\n\f\v";
    const auto begin = text.find_first_not_of(kSpaces);
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

// A key of Spark's: spark.a.b-c, also in `…`, with the blanks around it that people leave there.
Result<std::optional<std::string>> TakeSparkKey(TokenCursor &cursor) {
    std::string key;
    if (cursor.Peek().kind == TokenKind::kBackQuoted) {
        key = Trim(NameOf(cursor.Take()));
    } else if (EqualsWord(cursor.Peek().text, kSparkKeys) && cursor.AtOperator(".", 1)) {
        const size_t begin = cursor.NextOffset();
        size_t end = begin;
        while (!cursor.AtEnd() && !cursor.AtOperator("=") && cursor.NextOffset() <= std::max(end, begin)) {
            cursor.Take();
            end = cursor.last_end();
        }
        key = cursor.text().substr(begin, end - begin);
    }
    const bool spark = key.size() > kSparkKeys.size() && EqualsWord(key.substr(0, kSparkKeys.size()), kSparkKeys) &&
                       key[kSparkKeys.size()] == '.';
    return spark ? std::optional(std::move(key)) : std::nullopt;
}

// A session's setting in Spark's way: SET spark.a.b = v (any text, quoted or not), SET spark.a.b, RESET spark.a.b.
Answer TakeSetting(TokenCursor &cursor) {
    const bool reset = cursor.AtWord("RESET");
    cursor.Take();
    BF_ASSIGN(auto key, TakeSparkKey(cursor));
    if (!key) {
        return std::optional<Statement>();
    }
    if (reset) {
        return Finish(cursor, ResetOption{std::move(*key)});
    }
    if (!cursor.AcceptOperator("=")) {
        return Finish(cursor, ShowOption{std::move(*key)});
    }
    SetOption set;
    set.key = std::move(*key);
    if (cursor.AtText() && cursor.Peek(1).kind == TokenKind::kEnd) {
        BF_ASSIGN(set.value, cursor.Text("a value"));
    } else {
        const size_t begin = cursor.NextOffset();
        while (!cursor.AtEnd()) {
            cursor.Take();
        }
        set.value = Trim(cursor.text().substr(begin, std::max(begin, cursor.last_end()) - begin));
    }
    return std::optional<Statement>(std::move(set));
}

}  // namespace

Result<std::optional<Statement>> TakeDescribeOrShow(TokenCursor &cursor) {
    return cursor.AtWord("SHOW") ? TakeShow(cursor) : TakeDescribe(cursor);
}

Result<std::optional<Statement>> TakeSession(TokenCursor &cursor) { return TakeSetting(cursor); }

}  // namespace birdfoot::sql
