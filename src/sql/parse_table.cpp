// CREATE TABLE, REPLACE TABLE, CREATE TABLE LIKE and CLONE. A CREATE TABLE is Spark's if it says anything that DuckDB's
// grammar cannot say (USING, LOCATION, a column's COMMENT …); else it is DuckDB's, with DuckDB's meaning of types.
#include <algorithm>

#include "sql/grammar.hpp"
#include "sql/lexer.hpp"
#include "sql/types.hpp"

namespace birdfoot::sql {
namespace {

// Looks ahead, without a judgement, for a word that only Spark's CREATE TABLE has; the cursor comes back to its place.
bool HasSparkClause(TokenCursor &cursor) {
    const size_t mark = cursor.mark();
    bool found = false;
    bool in_partition_list = false;
    size_t depth = 0;
    for (; !found && !cursor.AtEnd(); cursor.Take()) {
        if (cursor.AtOperator("(")) {
            depth++;
        } else if (cursor.AtOperator(")")) {
            depth -= depth > 0 ? 1 : 0;
            in_partition_list = in_partition_list && depth > 0;
        } else if (depth == 0) {
            if (AtQuery(cursor) || cursor.AtWord("AS")) {
                break;
            }
            found = cursor.AtAnyWord({"USING", "LOCATION", "TBLPROPERTIES", "OPTIONS", "CLUSTER", "CLUSTERED", "SKEWED",
                                      "STORED", "ROW"}) ||
                    (cursor.AtWord("COMMENT") && cursor.AtText(1));
            in_partition_list = cursor.AtWords({"PARTITIONED", "BY"}) || (in_partition_list && cursor.AtWord("BY"));
        } else {
            const bool spark_type = cursor.AtAnyWord({"ARRAY", "MAP", "STRUCT"}) && cursor.AtOperator("<", 1);
            const bool comment = cursor.AtWord("COMMENT") && cursor.AtText(1) && depth == 1;
            const bool typed =
                in_partition_list && depth == 1 && cursor.Peek().is_name() && cursor.Peek(1).kind == TokenKind::kWord;
            found = spark_type || comment || typed || cursor.AtWords({"AS", "IDENTITY"});
        }
    }
    cursor.Rewind(mark);
    return found;
}

class CreateParser {
public:
    explicit CreateParser(TokenCursor &cursor) : cursor_(cursor) {}

    Result<std::optional<Statement>> Parse() {
        const bool create = cursor_.Accept("CREATE");
        bool or_replace = cursor_.Accept({"OR", "REPLACE"});
        const bool replace = !create && cursor_.Accept("REPLACE");
        out_.external = cursor_.Accept("EXTERNAL");
        if (!cursor_.Accept("TABLE")) {
            if (out_.external) {
                return cursor_.Syntax("TABLE is expected here", "Write CREATE EXTERNAL TABLE");
            }
            return std::optional<Statement>();
        }
        const bool if_not_exists = cursor_.Accept({"IF", "NOT", "EXISTS"});
        out_.mode = replace         ? CreateMode::kReplace
                    : or_replace    ? CreateMode::kCreateOrReplace
                    : if_not_exists ? CreateMode::kCreateIfNotExists
                                    : CreateMode::kCreate;
        if (if_not_exists && (or_replace || replace)) {
            return cursor_.Syntax("REPLACE and IF NOT EXISTS exclude each other", "Keep one of them");
        }
        auto table = TakeTable(cursor_);
        if (!table.ok()) {
            return replace || out_.external ? Result<std::optional<Statement>>(std::move(table).error())
                                            : Result<std::optional<Statement>>(std::optional<Statement>());
        }
        out_.table = std::move(*table);
        if (cursor_.AtWord("LIKE")) {
            return Like();
        }
        if (cursor_.AtWord("CLONE") || cursor_.AtWords({"SHALLOW", "CLONE"}) || cursor_.AtWords({"DEEP", "CLONE"})) {
            return Clone();
        }
        if (!replace && !out_.external && !HasSparkClause(cursor_)) {
            return std::optional<Statement>();
        }
        return Table();
    }

private:
    using Answer = Result<std::optional<Statement>>;

    Answer Table() {
        if (cursor_.AtOperator("(") && !AtQuery(cursor_)) {
            BF_RETURN_IF_ERROR(Columns());
        }
        while (!cursor_.AtEnd() && !cursor_.AtWord("AS") && !AtQuery(cursor_)) {
            BF_RETURN_IF_ERROR(Clause());
        }
        BF_RETURN_IF_ERROR(AddTypedPartitionColumns());
        if (!cursor_.AtEnd()) {
            if (out_.has_columns) {
                return cursor_.Syntax("the table has columns of its own and a query too",
                                      "Leave out the list of columns; CAST in the query gives other types");
            }
            cursor_.Accept("AS");
            BF_ASSIGN(out_.query, TakeQuery(cursor_));
        }
        if (!out_.partition_columns.empty() && out_.cluster_by) {
            return Fail(Condition::PARSE_SYNTAX_ERROR,
                        "CLUSTER BY and PARTITIONED BY exclude each other. A table has one layout. Keep one of them.");
        }
        return std::optional<Statement>(std::move(out_));
    }

    Status Columns() {
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
        out_.has_columns = true;
        do {
            if (cursor_.AtWord("CONSTRAINT") && (cursor_.AtWord("CHECK", 2) || cursor_.AtWord("PRIMARY", 2) ||
                                                 cursor_.AtWord("FOREIGN", 2) || cursor_.AtWord("UNIQUE", 2))) {
                cursor_.Take();
                BF_ASSIGN(auto constraint, TakeCheckConstraint(cursor_));
                out_.constraints.push_back(std::move(constraint));
                continue;
            }
            if (cursor_.AtWords({"PRIMARY", "KEY"}) || cursor_.AtWords({"FOREIGN", "KEY"}) ||
                (cursor_.AtWord("CHECK") && cursor_.AtOperator("(", 1))) {
                return cursor_.Syntax("the only constraints of a table are CHECKs with a name",
                                      "Write CONSTRAINT name CHECK (…), or leave it out");
            }
            BF_ASSIGN(auto column, TakeColumn(cursor_));
            out_.columns.push_back(std::move(column));
        } while (cursor_.AcceptOperator(","));
        return cursor_.ExpectOperator(")");
    }

    Status Once(std::string_view clause) {
        if (std::find(seen_.begin(), seen_.end(), clause) != seen_.end()) {
            return cursor_.Syntax(fmt::format("the clause {} is given twice", clause), "Keep one of them");
        }
        seen_.push_back(clause);
        return Status::Ok();
    }

    Status Clause() {
        if (cursor_.AtWord("USING")) {
            BF_RETURN_IF_ERROR(Once("USING"));
            cursor_.Take();
            BF_ASSIGN(const auto provider, cursor_.DottedName("table format"));
            if (provider.size() != 1 || !EqualsWord(provider[0], "DELTA")) {
                return Fail(
                    Condition::BIRDFOOT_UNSUPPORTED,
                    "USING {} is not supported. The tables made here are Delta tables. Write USING delta, or COPY … "
                    "TO a file of that format.",
                    provider.back());
            }
            out_.provider = provider[0];
        } else if (cursor_.AtWord("LOCATION")) {
            BF_RETURN_IF_ERROR(Once("LOCATION"));
            cursor_.Take();
            BF_ASSIGN(out_.location, TakePath(cursor_));
        } else if (cursor_.AtWord("COMMENT")) {
            BF_RETURN_IF_ERROR(Once("COMMENT"));
            cursor_.Take();
            BF_ASSIGN(out_.comment, cursor_.Text("a comment"));
        } else if (cursor_.AtWord("TBLPROPERTIES")) {
            BF_RETURN_IF_ERROR(Once("TBLPROPERTIES"));
            cursor_.Take();
            BF_ASSIGN(out_.properties, TakeProperties(cursor_));
        } else if (cursor_.AtWord("OPTIONS")) {
            BF_RETURN_IF_ERROR(Once("OPTIONS"));
            cursor_.Take();
            BF_ASSIGN(out_.options, TakeProperties(cursor_));
        } else if (cursor_.AtWords({"PARTITIONED", "BY"})) {
            BF_RETURN_IF_ERROR(Once("PARTITIONED BY"));
            cursor_.Accept({"PARTITIONED", "BY"});
            return Partitioning();
        } else if (cursor_.AtWords({"CLUSTER", "BY"})) {
            BF_RETURN_IF_ERROR(Once("CLUSTER BY"));
            cursor_.Accept({"CLUSTER", "BY"});
            BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
            BF_ASSIGN(out_.cluster_by, TakeColumnPaths(cursor_));
            return cursor_.ExpectOperator(")");
        } else if (cursor_.AtAnyWord({"CLUSTERED", "SKEWED", "STORED", "ROW"})) {
            return NotAllowed(fmt::format("CREATE TABLE … {}", Upper(cursor_.Peek().text)),
                              "It belongs to Hive's tables. Leave it out; CLUSTER BY lays out a Delta table");
        } else {
            return cursor_.Syntax(
                "it begins no clause of CREATE TABLE",
                "The clauses are USING, PARTITIONED BY, CLUSTER BY, LOCATION, COMMENT, TBLPROPERTIES, "
                "OPTIONS and AS");
        }
        return Status::Ok();
    }

    Status Partitioning() {
        BF_RETURN_IF_ERROR(cursor_.ExpectOperator("("));
        do {
            if (cursor_.AtOperator("(", 1)) {
                return Transform();
            }
            if (cursor_.Peek().is_name() && cursor_.AtOperator(".", 1)) {
                return cursor_.Syntax("a field of a column cannot partition a table",
                                      "Partition by a column of its own");
            }
            if (cursor_.Peek(1).kind == TokenKind::kWord) {
                BF_ASSIGN(auto column, TakeColumn(cursor_));
                typed_partitions_.push_back(std::move(column));
            } else {
                BF_ASSIGN(auto name, cursor_.Name("partition column"));
                out_.partition_columns.push_back(std::move(name));
            }
        } while (cursor_.AcceptOperator(","));
        if (!typed_partitions_.empty() && !out_.partition_columns.empty()) {
            return cursor_.Syntax("some partition columns have a type and some have none",
                                  "Declare them all in the list of columns, or all in PARTITIONED BY");
        }
        return cursor_.ExpectOperator(")");
    }

    Error Transform() {
        const auto text = TakeUntil(cursor_, [&] { return cursor_.AtOperator(",") || cursor_.AtOperator(")"); });
        return Fail(
            Condition::BIRDFOOT_UNSUPPORTED,
            "PARTITIONED BY ({}) is not supported. Delta tables are partitioned by columns, not by expressions. Make "
            "it a column, GENERATED ALWAYS AS ({}), and partition by that.",
            text, text);
    }

    Status AddTypedPartitionColumns() {
        for (auto &column : typed_partitions_) {
            out_.partition_columns.push_back(column.field.name);
            out_.columns.push_back(std::move(column));
            out_.has_columns = true;
        }
        return Status::Ok();
    }

    Answer Like() {
        cursor_.Take();
        if (out_.mode == CreateMode::kReplace || out_.mode == CreateMode::kCreateOrReplace) {
            return cursor_.Syntax("LIKE makes a new table, it replaces none", "Write CREATE TABLE … LIKE");
        }
        CreateTableLike like;
        like.if_not_exists = out_.mode == CreateMode::kCreateIfNotExists;
        like.table = std::move(out_.table);
        BF_ASSIGN(like.source, TakeTable(cursor_));
        while (!cursor_.AtEnd()) {
            BF_RETURN_IF_ERROR(Clause());
        }
        if (out_.comment || out_.cluster_by || !out_.options.empty() || !out_.partition_columns.empty()) {
            return Fail(
                Condition::PARSE_SYNTAX_ERROR,
                "CREATE TABLE LIKE takes its layout from the other table. It has the clauses USING, LOCATION and "
                "TBLPROPERTIES. Leave the others out.");
        }
        like.location = std::move(out_.location);
        like.properties = std::move(out_.properties);
        return std::optional<Statement>(std::move(like));
    }

    Answer Clone() {
        CloneTable clone;
        clone.mode = out_.mode;
        clone.table = std::move(out_.table);
        clone.shallow = cursor_.Accept("SHALLOW");
        if (!clone.shallow) {
            cursor_.Accept("DEEP");
        }
        cursor_.Take();
        BF_ASSIGN(clone.source, TakeTable(cursor_));
        BF_ASSIGN(clone.travel, TakeTimeTravel(cursor_));
        if (cursor_.Accept("TBLPROPERTIES")) {
            BF_ASSIGN(clone.properties, TakeProperties(cursor_));
        }
        if (cursor_.Accept("LOCATION")) {
            BF_ASSIGN(clone.location, TakePath(cursor_));
        }
        BF_RETURN_IF_ERROR(cursor_.ExpectEnd());
        return std::optional<Statement>(std::move(clone));
    }

    TokenCursor &cursor_;
    CreateTable out_;
    std::vector<ColumnDefinition> typed_partitions_;
    std::vector<std::string_view> seen_;
};

}  // namespace

Result<std::optional<Statement>> TakeCreateTable(TokenCursor &cursor) { return CreateParser(cursor).Parse(); }

}  // namespace birdfoot::sql
