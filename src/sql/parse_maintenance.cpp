// OPTIMIZE, VACUUM, RESTORE, REORG, CONVERT, GENERATE and FSCK REPAIR TABLE (DeltaSqlBase.g4). DuckDB has a VACUUM too:
// it keeps the forms with its own words, and Vacuum::plain tells that it could have the others.
#include <charconv>

#include "sql/grammar.hpp"
#include "sql/rewrite.hpp"

namespace birdfoot::sql {
namespace {

using Answer = Result<std::optional<Statement>>;

Answer TakeOptimize(TokenCursor &cursor) {
    Optimize optimize;
    BF_ASSIGN(optimize.table, TakeTable(cursor));
    optimize.full = cursor.Accept("FULL");
    if (cursor.Accept("WHERE")) {
        const auto condition = TakeUntil(cursor, [&] { return cursor.AtWords({"ZORDER", "BY"}); });
        if (condition.empty()) {
            return cursor.Syntax("WHERE has no condition", "Write a condition on partition columns");
        }
        BF_ASSIGN(optimize.where, ToDuckDbSpelling(condition));
    }
    if (cursor.Accept({"ZORDER", "BY"})) {
        const bool brackets = cursor.AcceptOperator("(");
        BF_ASSIGN(optimize.zorder_by, TakeColumnPaths(cursor));
        if (brackets) {
            BF_RETURN_IF_ERROR(cursor.ExpectOperator(")"));
        }
    }
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(optimize));
}

Result<double> TakeHours(TokenCursor &cursor) {
    const bool negative = cursor.AcceptOperator("-");
    const Token token = cursor.Peek();
    double hours = 0;
    const auto *end = token.text.data() + token.text.size();
    const auto parsed = std::from_chars(token.text.data(), end, hours);
    if (token.kind != TokenKind::kNumber || parsed.ec != std::errc() || parsed.ptr != end) {
        return cursor.Syntax("behind RETAIN stands a number of hours", "Write it like RETAIN 168 HOURS");
    }
    cursor.Take();
    if (!cursor.Accept("HOURS") && !cursor.Accept("HOUR")) {
        return cursor.Syntax("HOURS is expected here", "Write it like RETAIN 168 HOURS");
    }
    return negative ? -hours : hours;
}

Status TakeInventory(TokenCursor &cursor, Vacuum &vacuum) {
    if (!cursor.AtOperator("(")) {
        BF_ASSIGN(vacuum.inventory_table, TakeTable(cursor));
        return Status::Ok();
    }
    BF_ASSIGN(const auto query, cursor.Parenthesised());
    BF_ASSIGN(vacuum.inventory_query, ToDuckDbSpelling(query));
    return Status::Ok();
}

Answer TakeVacuum(TokenCursor &cursor) {
    if (cursor.AtEnd() || cursor.AtOperator("(") ||
        cursor.AtAnyWord({"ANALYZE", "ANALYSE", "FULL", "FREEZE", "VERBOSE"})) {
        return std::optional<Statement>();
    }
    Vacuum vacuum;
    const bool quoted = cursor.AtText() && cursor.Peek().kind == TokenKind::kString;
    BF_ASSIGN(vacuum.table, TakeTable(cursor));
    if (cursor.AtOperator("(")) {
        return std::optional<Statement>();
    }
    vacuum.plain = cursor.AtEnd() && !quoted;
    while (!cursor.AtEnd()) {
        const bool inventory = cursor.AtWords({"USING", "INVENTORY"});
        const bool twice = (cursor.AtAnyWord({"FULL", "LITE"}) && (vacuum.full || vacuum.lite)) ||
                           (cursor.AtWord("DRY") && vacuum.dry_run) ||
                           (cursor.AtWord("RETAIN") && vacuum.retain_hours) ||
                           (inventory && (vacuum.inventory_table || vacuum.inventory_query));
        if (twice) {
            return cursor.Syntax("VACUUM has this word or its opposite already", "Keep one of them");
        }
        if (cursor.Accept("FULL")) {
            vacuum.full = true;
        } else if (cursor.Accept("LITE")) {
            vacuum.lite = true;
        } else if (cursor.Accept("RETAIN")) {
            BF_ASSIGN(vacuum.retain_hours, TakeHours(cursor));
        } else if (cursor.Accept({"DRY", "RUN"})) {
            vacuum.dry_run = true;
        } else if (inventory) {
            cursor.Accept({"USING", "INVENTORY"});
            BF_RETURN_IF_ERROR(TakeInventory(cursor, vacuum));
        } else {
            return cursor.Syntax("it is no option of VACUUM",
                                 "The options are FULL, LITE, USING INVENTORY, RETAIN n HOURS and DRY RUN");
        }
    }
    if (vacuum.lite && (vacuum.inventory_table || vacuum.inventory_query)) {
        return Fail(
            Condition::PARSE_SYNTAX_ERROR,
            "VACUUM … LITE and USING INVENTORY exclude each other. Both say where the list of files comes from. Keep "
            "one of them.");
    }
    return std::optional<Statement>(std::move(vacuum));
}

Answer TakeRestore(TokenCursor &cursor) {
    Restore restore;
    cursor.Accept("TABLE");
    BF_ASSIGN(restore.table, TakeTable(cursor));
    cursor.Accept("TO");
    BF_ASSIGN(auto travel, TakeTimeTravel(cursor));
    if (!travel) {
        return cursor.Syntax("RESTORE does not say to which version",
                             "Write TO VERSION AS OF 3, or TO TIMESTAMP AS OF '2024-01-31 12:00:00'");
    }
    restore.travel = std::move(*travel);
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(restore));
}

Answer TakeReorg(TokenCursor &cursor) {
    Reorg reorg;
    BF_RETURN_IF_ERROR(cursor.Expect("TABLE"));
    BF_ASSIGN(reorg.table, TakeTable(cursor));
    if (cursor.Accept("WHERE")) {
        const auto condition = TakeUntil(cursor, [&] { return cursor.AtWord("APPLY") && cursor.AtOperator("(", 1); });
        BF_ASSIGN(reorg.where, ToDuckDbSpelling(condition));
        if (condition.empty()) {
            return cursor.Syntax("WHERE has no condition", "Write a condition on partition columns");
        }
    }
    BF_RETURN_IF_ERROR(cursor.Expect("APPLY"));
    BF_RETURN_IF_ERROR(cursor.ExpectOperator("("));
    if (!cursor.Accept("PURGE")) {
        if (!reorg.where.empty()) {
            return cursor.Syntax("PURGE is expected here", "Only APPLY (PURGE) has a WHERE");
        }
        BF_RETURN_IF_ERROR(cursor.Expect({"UPGRADE", "UNIFORM"}));
        BF_RETURN_IF_ERROR(cursor.ExpectOperator("("));
        BF_RETURN_IF_ERROR(cursor.Expect("ICEBERG_COMPAT_VERSION"));
        BF_RETURN_IF_ERROR(cursor.ExpectOperator("="));
        BF_ASSIGN(reorg.upgrade_uniform, cursor.Integer("a version"));
        BF_RETURN_IF_ERROR(cursor.ExpectOperator(")"));
    }
    BF_RETURN_IF_ERROR(cursor.ExpectOperator(")"));
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(reorg));
}

Answer TakeConvert(TokenCursor &cursor) {
    Convert convert;
    BF_RETURN_IF_ERROR(cursor.Expect({"TO", "DELTA"}));
    BF_ASSIGN(convert.source, TakeTable(cursor));
    convert.no_statistics = cursor.Accept({"NO", "STATISTICS"});
    if (cursor.Accept({"PARTITIONED", "BY"})) {
        BF_RETURN_IF_ERROR(cursor.ExpectOperator("("));
        do {
            BF_ASSIGN(auto column, TakeColumn(cursor));
            convert.partition_columns.push_back(std::move(column));
        } while (cursor.AcceptOperator(","));
        BF_RETURN_IF_ERROR(cursor.ExpectOperator(")"));
    }
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(convert));
}

Answer TakeGenerate(TokenCursor &cursor) {
    Generate generate;
    BF_ASSIGN(generate.mode, cursor.Name("kind of manifest"));
    BF_RETURN_IF_ERROR(cursor.Expect({"FOR", "TABLE"}));
    BF_ASSIGN(generate.table, TakeTable(cursor));
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(generate));
}

Answer TakeRepair(TokenCursor &cursor) {
    RepairTable repair;
    BF_RETURN_IF_ERROR(cursor.Expect({"REPAIR", "TABLE"}));
    BF_ASSIGN(repair.table, TakeTable(cursor));
    repair.dry_run = cursor.Accept({"DRY", "RUN"});
    BF_RETURN_IF_ERROR(cursor.ExpectEnd());
    return std::optional<Statement>(std::move(repair));
}

}  // namespace

Result<std::optional<Statement>> TakeMaintenance(TokenCursor &cursor) {
    const auto word = Upper(cursor.Take().text);
    if (word == "OPTIMIZE") {
        return TakeOptimize(cursor);
    }
    if (word == "VACUUM") {
        return TakeVacuum(cursor);
    }
    if (word == "RESTORE") {
        return TakeRestore(cursor);
    }
    if (word == "REORG") {
        return TakeReorg(cursor);
    }
    if (word == "CONVERT") {
        return TakeConvert(cursor);
    }
    if (word == "GENERATE") {
        return TakeGenerate(cursor);
    }
    return TakeRepair(cursor);
}

}  // namespace birdfoot::sql
