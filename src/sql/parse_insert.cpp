// INSERT. It is Spark's if it says OVERWRITE, PARTITION, REPLACE WHERE, WITH SCHEMA EVOLUTION or INTO TABLE.
#include "sql/grammar.hpp"
#include "sql/lexer.hpp"
#include "sql/rewrite.hpp"

namespace birdfoot::sql {
namespace {

class InsertParser {
public:
    InsertParser(TokenCursor &cursor, std::string_view with) : cursor_(cursor), with_(with) {}

    Result<std::optional<Statement>> Parse() {
        cursor_.Take();  // INSERT
        bool spark = cursor_.Accept({"WITH", "SCHEMA", "EVOLUTION"});
        out_.schema_evolution = spark;
        if (cursor_.Accept("OVERWRITE")) {
            spark = true;
            out_.mode = InsertMode::kOverwrite;
            if (cursor_.AtWord("DIRECTORY") || cursor_.AtWords({"LOCAL", "DIRECTORY"})) {
                return NotAllowed("INSERT OVERWRITE DIRECTORY", "Write files with COPY (query) TO 'folder'");
            }
            cursor_.Accept("INTO");
        } else if (!cursor_.Accept("INTO")) {
            return spark ? Answer(cursor_.Syntax("INTO or OVERWRITE is expected here", "Write INSERT INTO table …"))
                         : Answer(std::optional<Statement>());
        }
        spark = cursor_.Accept("TABLE") || spark;
        auto table = TakeTable(cursor_);
        if (!table.ok()) {
            return spark ? Answer(std::move(table).error()) : Answer(std::optional<Statement>());
        }
        out_.table = std::move(*table);
        if (!spark && !SparkClauseFollows()) {
            return std::optional<Statement>();
        }
        while (true) {
            BF_ASSIGN(const bool any, Clause());
            if (!any) {
                break;
            }
        }
        BF_ASSIGN(auto query, TakeQuery(cursor_));
        BF_ASSIGN(out_.query, WithBefore(std::move(query)));
        return std::optional<Statement>(std::move(out_));
    }

private:
    using Answer = Result<std::optional<Statement>>;

    // Behind the table's name and perhaps a list of columns or BY NAME.
    bool SparkClauseFollows() {
        const size_t mark = cursor_.mark();
        if (cursor_.AtOperator("(") && !AtQuery(cursor_)) {
            cursor_.Take();
            TakeUntil(cursor_, [&] { return cursor_.AtOperator(")"); });
            cursor_.Take();
        }
        cursor_.Accept({"BY", "NAME"});
        const bool follows = cursor_.AtWords({"WITH", "SCHEMA", "EVOLUTION"}) ||
                             (cursor_.AtWord("PARTITION") && cursor_.AtOperator("(", 1)) ||
                             (cursor_.AtWord("REPLACE") && !cursor_.AtOperator(".", 1));
        cursor_.Rewind(mark);
        return follows;
    }

    Result<bool> Clause() {
        if (cursor_.Accept({"WITH", "SCHEMA", "EVOLUTION"})) {
            out_.schema_evolution = true;
            return true;
        }
        if (cursor_.AtWord("PARTITION") && out_.partition.empty()) {
            cursor_.Take();
            BF_ASSIGN(out_.partition, TakePartition(cursor_));
            for (const auto &[column, value] : out_.partition) {
                BF_RETURN_IF_ERROR(RefuseParameters("PARTITION", value.value_or("")));
            }
            out_.if_not_exists = cursor_.Accept({"IF", "NOT", "EXISTS"});
            if (out_.if_not_exists && out_.mode != InsertMode::kOverwrite) {
                return cursor_.Syntax("IF NOT EXISTS before it is for INSERT OVERWRITE only", "Leave it out");
            }
            return true;
        }
        if (cursor_.AtWords({"BY", "NAME"}) && out_.columns.empty()) {
            cursor_.Accept({"BY", "NAME"});
            out_.by_name = true;
            return true;
        }
        if (cursor_.AtOperator("(") && !AtQuery(cursor_) && out_.columns.empty() && !out_.by_name) {
            cursor_.Take();
            do {
                BF_ASSIGN(auto column, cursor_.Name("column name"));
                out_.columns.push_back(std::move(column));
            } while (cursor_.AcceptOperator(","));
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
            return true;
        }
        if (cursor_.AtWord("REPLACE") && out_.mode == InsertMode::kInto) {
            return ReplaceWhere();
        }
        return false;
    }

    Result<bool> ReplaceWhere() {
        cursor_.Take();
        if (cursor_.AtAnyWord({"USING", "ON"})) {
            return Fail(
                Condition::BIRDFOOT_UNSUPPORTED,
                "INSERT INTO … REPLACE {} is not supported. Rows are replaced by a condition. Write REPLACE WHERE "
                "condition, or use MERGE.",
                Upper(cursor_.Peek().text));
        }
        BF_RETURN_IF_ERROR(cursor_.Expect("WHERE"));
        out_.mode = InsertMode::kReplaceWhere;
        const size_t start = cursor_.mark();
        const auto condition =
            TakeUntil(cursor_, [&] { return cursor_.mark() > start && ConditionEnds(cursor_.last()); });
        if (condition.empty() || cursor_.AtEnd()) {
            return cursor_.Syntax("behind REPLACE WHERE stand a condition and a query",
                                  "Write REPLACE WHERE day = '2024-01-01' SELECT …");
        }
        BF_RETURN_IF_ERROR(RefuseParameters("REPLACE WHERE", condition));
        BF_ASSIGN(out_.replace_where, ToDuckDbSpelling(condition));
        return true;
    }

    // The query's parameters alone are the statement's; the rest is read, and kept in history, before they have values.
    static Status RefuseParameters(std::string_view clause, std::string_view text) {
        Lexer lexer(text);
        for (auto token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
            if (token.kind == TokenKind::kParameter) {
                return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                            "{} has the parameter {}. What it says must be known when the statement is prepared. Write "
                            "the value itself there; the query may have parameters.",
                            clause, token.text);
            }
        }
        return {};
    }

    // Does a query begin here, behind the token `last`?
    bool ConditionEnds(const Token &last) {
        if (cursor_.AtWord("FROM")) {
            return !last.IsWord("DISTINCT");  // IS DISTINCT FROM
        }
        if (!cursor_.AtOperator("(")) {
            return cursor_.AtAnyWord({"SELECT", "WITH", "VALUES", "TABLE"});
        }
        const bool operand = last.kind == TokenKind::kNumber || last.kind == TokenKind::kString ||
                             last.IsOperator(")") || last.IsWord("TRUE") || last.IsWord("FALSE") || last.IsWord("NULL");
        return operand && AtQuery(cursor_);
    }

    Result<std::string> WithBefore(std::string query) {
        if (with_.empty()) {
            return query;
        }
        BF_ASSIGN(auto with, ToDuckDbSpelling(with_));
        TokenCursor inner(query);
        return inner.AtWord("WITH") ? fmt::format("{} ({})", with, query) : fmt::format("{} {}", with, query);
    }

    TokenCursor &cursor_;
    std::string_view with_;
    Insert out_;
};

}  // namespace

Result<std::optional<Statement>> TakeInsert(TokenCursor &cursor, std::string_view with) {
    return InsertParser(cursor, with).Parse();
}

}  // namespace birdfoot::sql
