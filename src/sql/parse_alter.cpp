// ALTER TABLE. What DuckDB's grammar has as well (ADD COLUMN c type, RENAME, SET NOT NULL …) is left to it: it reaches
// the catalog all the same. TRUNCATE and DROP TABLE are DuckDB's too, but for words that only Spark knows.
#include "sql/grammar.hpp"
#include "sql/lexer.hpp"
#include "sql/rewrite.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

class AlterParser {
public:
    explicit AlterParser(TokenCursor &cursor) : cursor_(cursor) {}

    Result<std::optional<Statement>> Parse() {
        if (!cursor_.Accept({"ALTER", "TABLE"})) {
            return std::optional<Statement>();
        }
        auto table = TakeTable(cursor_);
        if (!table.ok() || cursor_.AtEnd() || cursor_.AtWord("EXISTS")) {
            return std::optional<Statement>();
        }
        BF_ASSIGN(auto action, Action());
        if (!action) {
            return std::optional<Statement>();
        }
        BF_RETURN_IF_ERROR(cursor_.ExpectEnd());
        return std::optional<Statement>(AlterTable{std::move(*table), std::move(*action)});
    }

private:
    using Answer = Result<std::optional<AlterAction>>;
    static Answer DuckDbs() { return std::optional<AlterAction>(); }

    Answer Action() {
        if (cursor_.AtWord("ADD")) {
            return Add();
        }
        if (cursor_.AtWord("DROP")) {
            return Drop();
        }
        if (cursor_.AtAnyWord({"ALTER", "CHANGE"})) {
            return Change();
        }
        if (cursor_.AtWords({"RENAME", "TO"}) && cursor_.AtOperator(".", 3)) {
            cursor_.Accept({"RENAME", "TO"});
            RenameTable rename;
            BF_ASSIGN(rename.new_name, TakeTable(cursor_));
            return std::optional<AlterAction>(std::move(rename));
        }
        if (cursor_.Accept({"REPLACE", "COLUMNS"})) {
            ReplaceColumns replace;
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
            BF_ASSIGN(replace.columns, Columns());
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
            return std::optional<AlterAction>(std::move(replace));
        }
        if (cursor_.Accept({"CLUSTER", "BY"})) {
            return Cluster();
        }
        if (cursor_.AtAnyWord({"SET", "UNSET"})) {
            return Set();
        }
        if (cursor_.AtWords({"RECOVER", "PARTITIONS"}) || cursor_.AtWord("PARTITION")) {
            return NotAllowed(fmt::format("ALTER TABLE … {}", Upper(cursor_.Peek().text)),
                              "The partitions of a Delta table are those of its files. Leave it out");
        }
        return DuckDbs();
    }

    Answer Cluster() {
        ClusterBy cluster;
        if (!cursor_.Accept("NONE")) {
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
            BF_ASSIGN(cluster.columns, TakeColumnPaths(cursor_));
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        }
        return std::optional<AlterAction>(std::move(cluster));
    }

    Answer Set() {
        if (cursor_.Accept({"SET", "TBLPROPERTIES"})) {
            SetProperties set;
            BF_ASSIGN(set.properties, TakeProperties(cursor_));
            return std::optional<AlterAction>(std::move(set));
        }
        if (cursor_.Accept({"UNSET", "TBLPROPERTIES"})) {
            UnsetProperties unset;
            unset.if_exists = cursor_.Accept({"IF", "EXISTS"});
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
            do {
                BF_ASSIGN(auto key, TakePropertyKey(cursor_));
                unset.keys.push_back(std::move(key));
            } while (cursor_.AcceptOperator(","));
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
            return std::optional<AlterAction>(std::move(unset));
        }
        if (cursor_.Accept({"SET", "LOCATION"})) {
            SetLocation set;
            BF_ASSIGN(set.location, TakePath(cursor_));
            return std::optional<AlterAction>(std::move(set));
        }
        if (cursor_.AtWords({"SET", "SERDE"}) || cursor_.AtWords({"SET", "SERDEPROPERTIES"}) ||
            cursor_.AtWords({"SET", "FILEFORMAT"})) {
            return NotAllowed("ALTER TABLE … SET SERDE", "It belongs to Hive's tables. Leave it out");
        }
        return DuckDbs();
    }

    // Behind ADD, DROP or ALTER: does a list follow that DuckDB has no grammar for? It goes on with ", ADD …".
    bool ListFollows() {
        const size_t mark = cursor_.mark();
        bool list = false;
        for (size_t depth = 0; !list && !cursor_.AtEnd(); cursor_.Take()) {
            if (cursor_.AtOperator("(") || cursor_.AtOperator("[")) {
                depth++;
            } else if (cursor_.AtOperator(")") || cursor_.AtOperator("]")) {
                depth -= depth > 0 ? 1 : 0;
            } else if (depth == 0 && cursor_.AtOperator(",")) {
                const auto &next = cursor_.Peek(1);
                list = !(next.IsWord("ADD") || next.IsWord("DROP") || next.IsWord("ALTER") || next.IsWord("SET") ||
                         next.IsWord("RENAME") || next.IsWord("RESET"));
            }
        }
        cursor_.Rewind(mark);
        return list;
    }

    // A clause or type of a column that only Spark has.
    bool SparkColumnFollows() {
        const size_t mark = cursor_.mark();
        bool found = false;
        cursor_.Take();  // the name may be any word
        for (size_t depth = 0; !found && !cursor_.AtEnd(); cursor_.Take()) {
            if (cursor_.AtOperator("(")) {
                depth++;
            } else if (cursor_.AtOperator(")")) {
                depth -= depth > 0 ? 1 : 0;
            }
            found = (cursor_.AtAnyWord({"ARRAY", "MAP", "STRUCT"}) && cursor_.AtOperator("<", 1)) ||
                    // DuckDB forgets the length, and has no such types.
                    (cursor_.AtAnyWord({"CHAR", "VARCHAR"}) && cursor_.AtOperator("(", 1)) ||
                    cursor_.AtAnyWord({"TIMESTAMP_NTZ", "TIMESTAMP_LTZ", "BYTE", "VOID"}) ||
                    (depth == 0 && ((cursor_.AtWord("COMMENT") && cursor_.AtText(1)) ||
                                    (cursor_.AtWord("FIRST") && cursor_.Peek(1).kind == TokenKind::kEnd) ||
                                    (cursor_.AtWord("AFTER") && cursor_.Peek(1).is_name())));
        }
        cursor_.Rewind(mark);
        return found;
    }

    Result<std::vector<ColumnDefinition>> Columns() {
        std::vector<ColumnDefinition> columns;
        do {
            BF_ASSIGN(auto column, TakeQualifiedColumn(cursor_));
            columns.push_back(std::move(column));
        } while (cursor_.AcceptOperator(","));
        return columns;
    }

    // ADD COLUMNS a INT, where "ADD columns INT" would be DuckDB's, with a column of that name.
    bool AtColumnsWithoutBrackets() {
        const auto &type = cursor_.Peek(2);
        return cursor_.AtWord("COLUMNS") && cursor_.Peek(1).is_name() && type.kind == TokenKind::kWord &&
               !type.IsWord("NOT") && !type.IsWord("NULL") && !type.IsWord("DEFAULT") && !type.IsWord("COMMENT") &&
               !type.IsWord("CHECK") && !type.IsWord("COLLATE") && !type.IsWord("PRIMARY") && !type.IsWord("UNIQUE") &&
               !type.IsWord("GENERATED") && !type.IsWord("FIRST") && !type.IsWord("AFTER") && !type.IsWord("AS");
    }

    Answer Add() {
        cursor_.Take();
        if (cursor_.AtWord("PARTITION") ||
            (cursor_.AtWords({"IF", "NOT", "EXISTS"}) && cursor_.AtWord("PARTITION", 3))) {
            return NotAllowed("ALTER TABLE … ADD PARTITION", "INSERT rows of the new partition instead");
        }
        if (cursor_.AtWord("CONSTRAINT") && cursor_.Peek(1).is_name() && cursor_.AtWord("CHECK", 2)) {
            cursor_.Take();
            AddConstraint add;
            BF_ASSIGN(add.constraint, TakeCheckConstraint(cursor_));
            return std::optional<AlterAction>(std::move(add));
        }
        if (cursor_.AtWord("CONSTRAINT")) {
            return DuckDbs();
        }
        const bool plural = cursor_.AtWord("COLUMNS") && (cursor_.AtOperator("(", 1) || AtColumnsWithoutBrackets());
        AddColumns add;
        if (plural || cursor_.AtWord("COLUMN")) {
            cursor_.Take();
        }
        add.if_not_exists = cursor_.Accept({"IF", "NOT", "EXISTS"});
        const bool brackets = cursor_.AtOperator("(");
        if (!plural && !brackets && !ListFollows() && !SparkColumnFollows()) {
            return DuckDbs();
        }
        if (brackets) {
            cursor_.Take();
        }
        BF_ASSIGN(add.columns, Columns());
        if (brackets) {
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        }
        return std::optional<AlterAction>(std::move(add));
    }

    Answer Drop() {
        cursor_.Take();
        if (cursor_.AtWord("PARTITION") || (cursor_.AtWords({"IF", "EXISTS"}) && cursor_.AtWord("PARTITION", 2))) {
            return NotAllowed("ALTER TABLE … DROP PARTITION", "DELETE the rows of the partition instead");
        }
        if (cursor_.Accept("CONSTRAINT")) {
            DropConstraint drop;
            drop.if_exists = cursor_.Accept({"IF", "EXISTS"});
            BF_ASSIGN(drop.name, cursor_.Name("constraint name"));
            return std::optional<AlterAction>(std::move(drop));
        }
        if (cursor_.AtWord("FEATURE") && (cursor_.Peek(1).is_name() || cursor_.AtText(1))) {
            cursor_.Take();
            DropFeature drop;
            if (cursor_.AtText()) {
                BF_ASSIGN(drop.feature, cursor_.Text("a feature's name"));
            } else {
                BF_ASSIGN(drop.feature, cursor_.Name("feature name"));
            }
            drop.truncate_history = cursor_.Accept({"TRUNCATE", "HISTORY"});
            return std::optional<AlterAction>(std::move(drop));
        }
        DropColumns drop;
        const bool plural = cursor_.AtWord("COLUMNS") && cursor_.Peek(1).kind != TokenKind::kEnd &&
                            !cursor_.AtOperator(",", 1) && !cursor_.AtOperator(".", 1) &&
                            !cursor_.AtWord("CASCADE", 1) && !cursor_.AtWord("RESTRICT", 1);
        if (plural || cursor_.AtWord("COLUMN")) {
            cursor_.Take();
        }
        drop.if_exists = cursor_.Accept({"IF", "EXISTS"});
        const bool brackets = cursor_.AtOperator("(");
        if (!plural && !brackets && !ListFollows()) {
            return DuckDbs();
        }
        if (brackets) {
            cursor_.Take();
        }
        BF_ASSIGN(drop.columns, TakeColumnPaths(cursor_));
        if (brackets) {
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator(")"));
        }
        return std::optional<AlterAction>(std::move(drop));
    }

    Answer Change() {
        const bool change = cursor_.AtWord("CHANGE");
        cursor_.Take();
        if (cursor_.AtWord("CONSTRAINT") && !change) {
            return DuckDbs();
        }
        cursor_.Accept("COLUMN");
        if (!change && !ListFollows() && !SparkChangeFollows()) {
            return DuckDbs();
        }
        ChangeColumns out;
        do {
            ChangeColumn column;
            BF_ASSIGN(column.column, cursor_.DottedName("column name"));
            BF_RETURN_IF_ERROR(ChangeOne(column, change));
            out.changes.push_back(std::move(column));
        } while (cursor_.AcceptOperator(","));
        return std::optional<AlterAction>(std::move(out));
    }

    // Behind ALTER COLUMN: a name of several parts, or a change that only Spark knows.
    bool SparkChangeFollows() {
        if (cursor_.AtOperator(".", 1)) {
            return true;
        }
        const auto &verb = cursor_.Peek(1);
        if (verb.IsWord("TYPE")) {
            return SparkColumnFollows();
        }
        return (verb.IsWord("COMMENT") && cursor_.AtText(2)) || verb.IsWord("FIRST") || verb.IsWord("AFTER") ||
               verb.IsWord("SYNC");
    }

    Status TypeOf(ChangeColumn &column) {
        BF_ASSIGN(auto type, ParseType(cursor_));
        column.type = std::move(type.type);
        if (type.has_char) {
            column.type_text = std::move(type.catalog_text);
        }
        return Status::Ok();
    }

    Status ChangeOne(ChangeColumn &column, bool change) {
        if (cursor_.Accept("TYPE")) {
            BF_RETURN_IF_ERROR(TypeOf(column));
        } else if (cursor_.Accept({"SYNC", "IDENTITY"})) {
            column.sync_identity = true;
        } else if (cursor_.Accept({"SET", "NOT", "NULL"}) || cursor_.AtWords({"DROP", "NOT", "NULL"})) {
            column.nullable = cursor_.Accept({"DROP", "NOT", "NULL"});
        } else if (cursor_.Accept({"DROP", "DEFAULT"})) {
            column.drop_default = true;
        } else if (cursor_.Accept({"SET", "DEFAULT"})) {
            const auto value = TakeUntil(cursor_, [&] { return cursor_.AtOperator(","); });
            if (value.empty()) {
                return cursor_.Syntax("SET DEFAULT has no value", "Write SET DEFAULT and an expression");
            }
            column.set_default = ToSparkSpelling(value);
        } else if (cursor_.Peek().is_name() && !cursor_.AtAnyWord({"COMMENT", "FIRST", "AFTER"}) && change) {
            BF_RETURN_IF_ERROR(HiveChange(column));
        }
        bool any = column.type || column.sync_identity || column.nullable || column.drop_default || column.set_default;
        while (cursor_.AtAnyWord({"COMMENT", "FIRST", "AFTER"})) {
            any = true;
            if (cursor_.Accept("COMMENT")) {
                BF_ASSIGN(column.comment, cursor_.Text("a comment"));
            } else {
                BF_ASSIGN(column.position, TakePosition(cursor_));
            }
        }
        if (!any) {
            return cursor_.Syntax(
                "it is no change of a column",
                "The changes are TYPE, COMMENT, FIRST, AFTER, SET or DROP NOT NULL, SET or DROP DEFAULT and "
                "SYNC IDENTITY");
        }
        return Status::Ok();
    }

    // CHANGE COLUMN a a BIGINT COMMENT '…': the old form, whose second name must be the first.
    Status HiveChange(ChangeColumn &column) {
        BF_ASSIGN(const auto name, cursor_.Name("column name"));
        if (!EqualsIgnoreCase(name, column.column.back())) {
            return Fail(
                Condition::PARSE_SYNTAX_ERROR,
                "CHANGE COLUMN {} {} would rename the column. CHANGE changes type, comment and place only. Write "
                "ALTER TABLE … RENAME COLUMN {} TO {}.",
                column.column.back(), name, column.column.back(), name);
        }
        return TypeOf(column);
    }

    TokenCursor &cursor_;
};

}  // namespace

Result<std::optional<Statement>> TakeAlterTable(TokenCursor &cursor) { return AlterParser(cursor).Parse(); }

}  // namespace birdfoot::sql
