// UPDATE and MERGE. They are Spark's where SET or INSERT (…) qualifies columns or names fields of structs, where *
// stands for all columns, and where the schema evolves; everything else of them is DuckDB's own grammar.
#include <algorithm>
#include <array>

#include "sql/grammar.hpp"
#include "sql/lexer.hpp"
#include "sql/rewrite.hpp"

namespace birdfoot::sql {
namespace {

using Answer = Result<std::optional<Statement>>;

bool Opens(const Token &token) { return token.IsOperator("(") || token.IsOperator("[") || token.IsOperator("{"); }
bool Closes(const Token &token) { return token.IsOperator(")") || token.IsOperator("]") || token.IsOperator("}"); }

bool AtWhen(TokenCursor &cursor) {
    return cursor.AtWord("WHEN") &&
           (cursor.AtWord("MATCHED", 1) || (cursor.AtWord("NOT", 1) && cursor.AtWord("MATCHED", 2)));
}

//! The text up to a comma or to the end of the SET, outside all brackets and CASEs.
std::string_view TakeValue(TokenCursor &cursor) {
    const size_t begin = cursor.NextOffset();
    size_t end = begin;
    size_t depth = 0, cases = 0;
    bool distinct = false;  // IS DISTINCT FROM
    while (!cursor.AtEnd()) {
        if (depth == 0 && cases == 0 &&
            (cursor.AtOperator(",") || cursor.AtAnyWord({"WHERE", "RETURNING"}) || AtWhen(cursor) ||
             (cursor.AtWord("FROM") && !distinct))) {
            break;
        }
        const Token token = cursor.Take();
        end = cursor.last_end();
        distinct = token.IsWord("DISTINCT");
        depth += Opens(token) ? 1 : 0;
        depth -= Closes(token) && depth > 0 ? 1 : 0;
        cases += token.IsWord("CASE") ? 1 : 0;
        cases -= token.IsWord("END") && cases > 0 ? 1 : 0;
    }
    return cursor.text().substr(begin, end - begin);
}

std::optional<ColumnPath> TakeColumnPath(TokenCursor &cursor) {
    auto path = cursor.DottedName("column");
    return path.ok() ? std::optional(std::move(*path)) : std::nullopt;
}

//! a = 1, t.b.c = 2; none for what we do not know, as (a, b) = (1, 2).
Result<std::optional<std::vector<Assignment>>> TakeAssignments(TokenCursor &cursor) {
    std::vector<Assignment> assignments;
    do {
        auto target = TakeColumnPath(cursor);
        if (!target || !cursor.AcceptOperator("=")) {
            return std::optional<std::vector<Assignment>>();
        }
        BF_ASSIGN(auto value, ToDuckDbSpelling(TakeValue(cursor)));
        assignments.push_back({std::move(*target), std::move(value)});
    } while (cursor.AcceptOperator(","));
    return std::optional(std::move(assignments));
}

bool AnyQualified(const std::vector<Assignment> &assignments) {
    return std::any_of(assignments.begin(), assignments.end(),
                       [](const auto &assignment) { return assignment.target.size() > 1; });
}

//! [AS] name, unless the statement goes on with `next`.
std::string TakeAlias(TokenCursor &cursor, const TableName &table, std::string_view next) {
    if (cursor.Accept("AS") || (cursor.Peek().is_name() && !cursor.AtWord(next))) {
        return NameOf(cursor.Take());
    }
    return table.parts.empty() ? table.path.value_or("") : table.parts.back();
}

class MergeParser {
public:
    explicit MergeParser(TokenCursor &cursor) : cursor_(cursor) {}

    Answer Parse() {
        cursor_.Take();  // MERGE
        const size_t evolution = cursor_.NextOffset();
        if (cursor_.Accept({"WITH", "SCHEMA", "EVOLUTION"})) {
            merge_.schema_evolution = true;
            pending_ = cursor_.text().substr(0, evolution);
            copied_ = cursor_.NextOffset();
        }
        if (!cursor_.Accept("INTO")) {
            return merge_.schema_evolution ? Answer(cursor_.Syntax("INTO is expected here", "Write MERGE INTO table …"))
                                           : Answer(std::optional<Statement>());
        }
        auto target = TakeTable(cursor_);
        if (!target.ok()) {
            return std::optional<Statement>();
        }
        merge_.target = std::move(*target);
        merge_.target_alias = TakeAlias(cursor_, merge_.target, "USING");
        if (!cursor_.Accept("USING")) {
            return std::optional<Statement>();
        }
        TakeSource();
        while (!cursor_.AtEnd()) {
            BF_ASSIGN(const bool known, TakeClause());
            if (!known) {
                return std::optional<Statement>();
            }
        }
        if (merge_.actions.empty() && !merge_.schema_evolution && !merge_.hides_clauses) {
            return std::optional<Statement>();
        }
        BF_RETURN_IF_ERROR(CopyUntil(cursor_.text().size()));
        return std::optional<Statement>(std::move(merge_));
    }

private:
    //! Finds the name that the source goes by; gives one to a query that has none.
    void TakeSource() {
        std::vector<Token> tokens;
        std::vector<size_t> top;  // positions outside brackets, an opening bracket's and its closing one's too
        size_t depth = 0;
        bool joined = false;
        while (!cursor_.AtEnd() && (depth > 0 || !cursor_.AtAnyWord({"ON", "USING"}))) {
            joined = joined || (depth == 0 && (cursor_.AtWord("JOIN") || cursor_.AtOperator(",")));
            const Token token = cursor_.Take();
            depth -= Closes(token) && depth > 0 ? 1 : 0;
            if (depth == 0) {
                top.push_back(tokens.size());
            }
            depth += Opens(token) ? 1 : 0;
            tokens.push_back(token);
        }
        if (joined || top.empty()) {
            return;
        }
        const auto at = [&](size_t i) -> const Token & { return tokens[top[i]]; };
        size_t name = 0;  // where the table's own name ends
        while (name + 2 < top.size() && at(name + 1).IsOperator(".")) {
            name += 2;
        }
        size_t last = top.size() - 1;
        if (last >= 2 && at(last).IsOperator(")") && at(last - 2).IsWord("AT")) {
            last = last >= 3 ? last - 3 : 0;  // t a AT (VERSION => 1)
        }
        if (last >= 2 && at(last).IsOperator(")") && at(last - 2).is_name()) {
            last -= 2;  // a(x, y)
        }
        if (at(last).is_name() && last > name) {
            merge_.source_alias = NameOf(at(last));
        } else if (at(name).is_name()) {
            merge_.source_alias = NameOf(at(name));
        } else if (at(0).IsOperator("(")) {
            merge_.source_alias = "source";
            pending_ += cursor_.text().substr(copied_, cursor_.last_end() - copied_);
            pending_ += " AS source";
            copied_ = cursor_.last_end();
        }
    }

    //! From here through the action of the next clause. False for what we do not know.
    Result<bool> TakeClause() {
        TakeUntil(cursor_, [&] { return AtWhen(cursor_) || cursor_.AtWord("THEN"); });
        if (AtWhen(cursor_)) {
            cursor_.Take();
            const bool matched = cursor_.AtWord("MATCHED");
            const bool by_source = cursor_.AtWords({"NOT", "MATCHED", "BY", "SOURCE"});
            TakeUntil(cursor_, [&] { return cursor_.AtAnyWord({"AND", "THEN"}); });
            auto &unconditional = unconditional_[matched ? 0 : by_source ? 2 : 1];
            merge_.hides_clauses = merge_.hides_clauses || unconditional;
            unconditional = cursor_.AtWord("THEN");
            TakeCondition();
        }
        if (!cursor_.Accept("THEN")) {
            return cursor_.AtEnd();
        }
        return TakeAction();
    }

    //! To the THEN behind a condition, past those of its CASEs.
    void TakeCondition() {
        size_t depth = 0, cases = 0;
        while (!cursor_.AtEnd() && (depth > 0 || cases > 0 || !cursor_.AtWord("THEN"))) {
            const Token token = cursor_.Take();
            depth += Opens(token) ? 1 : 0;
            depth -= Closes(token) && depth > 0 ? 1 : 0;
            cases += token.IsWord("CASE") ? 1 : 0;
            cases -= token.IsWord("END") && cases > 0 ? 1 : 0;
        }
    }

    Result<bool> TakeAction() {
        const size_t begin = cursor_.NextOffset();
        RowAction action;
        if (cursor_.AtWords({"UPDATE", "SET"})) {
            cursor_.Take();
            cursor_.Take();
            if (!cursor_.AcceptOperator("*")) {
                BF_ASSIGN(auto assignments, TakeAssignments(cursor_));
                if (!assignments) {
                    return false;
                }
                if (!AnyQualified(*assignments)) {
                    return true;
                }
                action.assignments = std::move(*assignments);
                BF_RETURN_IF_ERROR(Add(begin, std::move(action)));
                return true;
            }
        } else if (cursor_.AtWord("INSERT") && cursor_.AtOperator("*", 1)) {
            action.insert = true;
            cursor_.Take();
            cursor_.Take();
        } else if (cursor_.AtWord("INSERT") && cursor_.AtOperator("(", 1)) {
            return TakeInsertColumns(begin);
        } else {
            return true;
        }
        action.all = true;
        if (cursor_.Accept("EXCEPT")) {
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
            do {
                BF_ASSIGN(auto path, cursor_.DottedName("column"));
                action.except.push_back(path.back());
            } while (cursor_.AcceptOperator(","));
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        }
        BF_RETURN_IF_ERROR(Add(begin, std::move(action)));
        return true;
    }

    //! INSERT (t.a, t.b): the columns alone are the action; VALUES stays in the text.
    Result<bool> TakeInsertColumns(size_t begin) {
        RowAction action;
        action.insert = true;
        cursor_.Take();
        cursor_.Take();
        do {
            auto path = TakeColumnPath(cursor_);
            if (!path) {
                return false;
            }
            action.assignments.push_back({std::move(*path), {}});
        } while (cursor_.AcceptOperator(","));
        if (!cursor_.AcceptOperator(")")) {
            return false;
        }
        if (AnyQualified(action.assignments)) {
            BF_RETURN_IF_ERROR(Add(begin, std::move(action)));
        }
        return true;
    }

    Status CopyUntil(size_t end) {
        pending_ += cursor_.text().substr(copied_, end - copied_);
        BF_ASSIGN(auto text, ToDuckDbSpelling(pending_));
        merge_.texts.push_back(std::move(text));
        pending_.clear();
        return {};
    }

    Status Add(size_t begin, RowAction action) {
        BF_RETURN_IF_ERROR(CopyUntil(begin));
        copied_ = cursor_.last_end();
        merge_.actions.push_back(std::move(action));
        return {};
    }

    TokenCursor &cursor_;
    Merge merge_;
    std::string pending_;
    size_t copied_ = 0;
    std::array<bool, 3> unconditional_{};
};

}  // namespace

Answer TakeUpdate(TokenCursor &cursor) {
    cursor.Take();  // UPDATE
    auto table = TakeTable(cursor);
    if (!table.ok()) {
        return std::optional<Statement>();
    }
    Update update;
    update.table = std::move(*table);
    update.alias = TakeAlias(cursor, update.table, "SET");
    if (!cursor.Accept("SET")) {
        return std::optional<Statement>();
    }
    const size_t begin = cursor.last_end();
    BF_ASSIGN(auto assignments, TakeAssignments(cursor));
    if (!assignments || !AnyQualified(*assignments)) {
        return std::optional<Statement>();
    }
    update.action.assignments = std::move(*assignments);
    BF_ASSIGN(update.before, ToDuckDbSpelling(cursor.text().substr(0, begin)));
    BF_ASSIGN(update.after, ToDuckDbSpelling(cursor.text().substr(cursor.last_end())));
    return std::optional<Statement>(std::move(update));
}

Answer TakeMerge(TokenCursor &cursor) { return MergeParser(cursor).Parse(); }

namespace {

std::string PlainText(const RowAction &action) {
    if (action.all) {
        return action.insert ? "INSERT BY NAME" : "UPDATE BY NAME";
    }
    std::string text;
    for (const auto &assignment : action.assignments) {
        text += (text.empty() ? "" : ", ") + QuoteName(fmt::format("{}", fmt::join(assignment.target, ".")));
        text += action.insert ? "" : " = " + assignment.value;
    }
    return action.insert ? "INSERT (" + text + ")" : "UPDATE SET " + text;
}

}  // namespace

std::string PlainText(const Update &update) {
    return update.before + PlainText(update.action).substr(std::string_view("UPDATE SET").size()) + " " + update.after;
}

std::string PlainText(const Merge &merge) {
    std::string text = merge.texts[0];
    for (size_t i = 0; i < merge.actions.size(); i++) {
        text += PlainText(merge.actions[i]) + merge.texts[i + 1];
    }
    return text;
}

}  // namespace birdfoot::sql
