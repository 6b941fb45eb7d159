// See bind_statement.hpp.
#include "duckdb/parser/bind_statement.hpp"

#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/statement/create_statement.hpp"

#include "core/table/report.hpp"
#include "duckdb/commands/alter_commands.hpp"
#include "duckdb/commands/create_command.hpp"
#include "duckdb/commands/describe_table.hpp"
#include "duckdb/commands/session_commands.hpp"
#include "duckdb/parser/bind_changes.hpp"
#include "duckdb/parser/delta_statement.hpp"
#include "duckdb/parser/table_names.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/bind_insert.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::duck {
namespace {

using duckdb::BoundStatement;

[[noreturn]] void NotYet(const std::string &what) {
    Throw(Fail(
        Condition::BIRDFOOT_UNSUPPORTED,
        "{} is not supported yet in this version. Until then, run it on the table with another engine: delta-rs or "
        "Spark.",
        what));
}

// Spark's pattern of SHOW TABLES: * is any text, | is or, case does not matter.
std::string PatternCondition(const std::string &pattern) {
    std::string condition;
    for (size_t begin = 0; begin <= pattern.size();) {
        const auto end = std::min(pattern.find('|', begin), pattern.size());
        std::string like;
        for (const char c : pattern.substr(begin, end - begin)) {
            if (c == '*') {
                like += '%';
            } else {
                like += c == '%' || c == '_' || c == '\\' ? std::string("\\") + c : std::string(1, c);
            }
        }
        condition += (condition.empty() ? "" : " OR ") + ("name ILIKE " + sql::QuoteText(like) + " ESCAPE '\\'");
        begin = end + 1;
    }
    return condition;
}

class StatementBinder {
public:
    StatementBinder(duckdb::ClientContext &context, duckdb::Binder &binder, const std::string &text)
        : context_(context), binder_(binder), text_(text) {}

    // Looking at tables: queries over the report functions.
    BoundStatement operator()(const sql::DescribeHistory &statement) {
        const auto limit = statement.limit ? fmt::format(", newest := {}", *statement.limit) : "";
        return Report("birdfoot_history", statement.table, "DESCRIBE HISTORY", limit);
    }
    BoundStatement operator()(const sql::DescribeDetail &statement) {
        return Report("birdfoot_detail", statement.table, "DESCRIBE DETAIL");
    }
    BoundStatement operator()(const sql::ShowProperties &statement) {
        const auto where = statement.key ? " WHERE key = " + sql::QuoteText(*statement.key) : "";
        return Report("birdfoot_properties", statement.table, "SHOW TBLPROPERTIES", "", where);
    }
    BoundStatement operator()(const sql::ShowPartitions &statement) {
        auto &table = DeltaTableOf(context_, statement.table, "SHOW PARTITIONS");
        const auto columns = ValueOrThrow(PartitionColumnsOf(*table.snapshot()));
        std::string where;
        for (const auto &value : statement.partition) {
            if (columns.Find(value.column) == nullptr || !value.value) {
                Throw(Fail(Condition::DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN,
                           "SHOW PARTITIONS … PARTITION names {}. It takes partition columns with a value each. Name "
                           "them like "
                           "({} = …).",
                           value.column, columns.fields[0].name));
            }
            where += fmt::format("{}{} IS NOT DISTINCT FROM {}", where.empty() ? " WHERE " : " AND ",
                                 sql::QuoteName(value.column), *value.value);
        }
        return Query(fmt::format("FROM birdfoot_partitions({}){}", sql::QuoteText(table.root()), where));
    }
    BoundStatement operator()(const sql::ShowCreateTable &statement) {
        auto &table = DeltaTableOf(context_, statement.table, "SHOW CREATE TABLE");
        return Query(
            fmt::format("SELECT {} AS createtab_stmt", sql::QuoteText(CreateTextOf(context_, table, statement.table))));
    }
    BoundStatement operator()(const sql::ShowColumns &statement) {
        return Query(fmt::format("SELECT column_name AS col_name FROM (DESCRIBE {})", NameText(statement.table)));
    }
    BoundStatement operator()(const sql::ShowTables &statement) {
        std::string schema;
        for (const auto &part : statement.schema) {
            schema += (schema.empty() ? "" : ".") + sql::QuoteName(part);
        }
        const auto tables = schema.empty() ? std::string("SHOW TABLES") : "SHOW TABLES FROM " + schema;
        return Query(statement.pattern ? fmt::format("FROM ({}) WHERE {}", tables, PatternCondition(*statement.pattern))
                                       : fmt::format("FROM ({})", tables));
    }
    BoundStatement operator()(const sql::DescribeTable &statement) {
        auto *table = FindDeltaTable(context_, statement.table);
        if (table == nullptr && statement.column.empty()) {
            return Query("DESCRIBE " + NameText(statement.table));
        }
        auto &delta = DeltaTableOf(context_, statement.table, "DESCRIBE of a column");
        return BindCommand(
            context_, binder_,
            std::make_shared<DescribeTableCommand>(DescribeRows(delta, statement.table, statement.column)));
    }

    // The session
    BoundStatement operator()(const sql::SetOption &statement) { return Command<SetOptionCommand>(statement); }
    BoundStatement operator()(const sql::ShowOption &statement) { return Command<ShowOptionCommand>(statement); }
    BoundStatement operator()(const sql::ResetOption &statement) { return Command<ResetOptionCommand>(statement); }

    // Writing
    BoundStatement operator()(const sql::Insert &statement) {
        const bool plain =
            statement.mode == sql::InsertMode::kInto && !statement.schema_evolution && statement.partition.empty();
        auto inner = duckdb::Binder::CreateBinder(context_, &binder_);
        if (plain && FindDeltaTable(context_, statement.table) == nullptr) {
            return Query(InsertText(statement));
        }
        return BindInsert(*inner, context_, statement);
    }
    BoundStatement operator()(const sql::Update &statement) {
        const auto *table = FindDeltaTable(context_, statement.table);
        return table ? BindUpdate(context_, binder_, *table, statement) : Query(text_);
    }
    BoundStatement operator()(const sql::Merge &statement) {
        const auto *table = FindDeltaTable(context_, statement.target);
        return table ? BindMerge(context_, binder_, *table, statement) : Query(text_);
    }
    BoundStatement operator()(const sql::Truncate &statement) {
        const auto *table = FindDeltaTable(context_, statement.table);
        return table ? BindTruncate(context_, binder_, statement) : Query(text_);
    }
    BoundStatement operator()(const sql::CreateTable &statement) {
        auto spec = CreateSpecOf(statement);
        auto address = NewTableOf(context_, binder_, statement.table);
        return statement.query ? CreateAs(statement, spec) : Create(std::move(spec), std::move(address));
    }
    BoundStatement operator()(const sql::CreateTableLike &statement) {
        auto address = NewTableOf(context_, binder_, statement.table);
        auto &source = DeltaTableOf(context_, statement.source, "CREATE TABLE LIKE");
        return Create(LikeSpecOf(*source.snapshot(), statement), std::move(address));
    }
    BoundStatement operator()(const sql::AlterTable &statement) {
        const bool duckdb_knows = std::holds_alternative<sql::AddConstraint>(statement.action) ||
                                  std::holds_alternative<sql::AddColumns>(statement.action) ||
                                  std::holds_alternative<sql::ChangeColumns>(statement.action);
        if (duckdb_knows && FindDeltaTable(context_, statement.table) == nullptr) {
            return Query(text_);
        }
        auto &table = DeltaTableOf(context_, statement.table, "This ALTER TABLE");
        return BindCommand(context_, binder_, MakeAlterCommand(statement, table.ParentCatalog().GetName()));
    }

    // Maintenance
    BoundStatement operator()(const sql::Vacuum &statement) {
        if (statement.plain && FindDeltaTable(context_, statement.table) == nullptr) {
            return Query(text_);
        }
        NotYet("VACUUM");
    }
    BoundStatement operator()(const sql::Optimize &) { NotYet("OPTIMIZE"); }
    BoundStatement operator()(const sql::Restore &) { NotYet("RESTORE"); }
    BoundStatement operator()(const sql::Reorg &) { NotYet("REORG TABLE"); }
    BoundStatement operator()(const sql::Convert &) { NotYet("CONVERT TO DELTA"); }
    BoundStatement operator()(const sql::Generate &) { NotYet("GENERATE"); }
    BoundStatement operator()(const sql::RepairTable &) { NotYet("FSCK REPAIR TABLE"); }
    BoundStatement operator()(const sql::CloneTable &statement) {
        NotYet(statement.shallow ? "SHALLOW CLONE" : "DEEP CLONE");
    }

private:
    std::string NameText(const sql::TableName &name) const { return name.ToDuckDb(CatalogNameOf(*context_.db)); }

    //! Binds DuckDB's text in the place of the statement.
    BoundStatement Query(const std::string &text) {
        return duckdb::Binder::CreateBinder(context_, &binder_)->Bind(*Parse(text));
    }

    duckdb::unique_ptr<duckdb::SQLStatement> Parse(const std::string &text) {
        auto options = context_.GetParserOptions();
        options.parser_override_setting = duckdb::AllowParserOverride::DEFAULT_OVERRIDE;
        return ParseOne(text, options);
    }

    BoundStatement Report(const std::string &function, const sql::TableName &table, const std::string &operation,
                          const std::string &arguments = "", const std::string &where = "") {
        const auto root = RootOf(context_, table, operation);
        const auto name = root.name.empty() ? "" : ", name := " + sql::QuoteText(root.name);
        return Query(fmt::format("FROM {}({}{}{}){}", function, sql::QuoteText(root.root), name, arguments, where));
    }

    template <typename T, typename S>
    BoundStatement Command(const S &statement) {
        return BindCommand(context_, binder_, std::make_shared<T>(statement));
    }

    std::string InsertText(const sql::Insert &insert) const {
        std::string columns;
        for (const auto &column : insert.columns) {
            columns += (columns.empty() ? " (" : ", ") + sql::QuoteName(column);
        }
        return fmt::format("INSERT INTO {}{}{} {}", NameText(insert.table), columns.empty() ? "" : columns + ")",
                           insert.by_name ? " BY NAME" : "", insert.query);
    }

    BoundStatement Create(CreateSpec spec, NewTableAddress address) {
        return BindCommand(context_, binder_,
                           std::make_shared<CreateTableCommand>(std::move(spec), std::move(address)));
    }

    //! DuckDB's CREATE TABLE AS, with what its grammar has no words for put into its options.
    BoundStatement CreateAs(const sql::CreateTable &create, const CreateSpec &spec) {
        if (spec.replace) {
            FindDeltaTable(context_, create.table);  // it must be there
        }
        auto statement =
            Parse(fmt::format("CREATE {}TABLE {}{} AS {}", spec.replace || spec.or_replace ? "OR REPLACE " : "",
                              spec.if_not_exists ? "IF NOT EXISTS " : "", NameText(create.table), *create.query));
        auto &info = statement->Cast<duckdb::CreateStatement>().info->Cast<duckdb::CreateTableInfo>();
        for (const auto &column : spec.table.partition_columns) {
            info.partition_keys.push_back(duckdb::make_uniq<duckdb::ColumnRefExpression>(column));
        }
        auto options = spec.table.properties;
        const auto cluster_by = spec.cluster_by.empty() ? std::nullopt : std::optional(PathListText(spec.cluster_by));
        for (const auto &[key, value] : {std::pair("location", spec.location), std::pair("comment", spec.table.comment),
                                         std::pair(kClusterByOption, cluster_by)}) {
            if (value && !options.emplace(key, *value).second) {
                Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                           "A CREATE TABLE AS cannot have a property named {} beside the clause of that name. Set the "
                           "property later with ALTER TABLE.",
                           key));
            }
        }
        for (const auto &[key, value] : options) {
            info.options[key] = duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(value));
        }
        return duckdb::Binder::CreateBinder(context_, &binder_)->Bind(*statement);
    }

    duckdb::ClientContext &context_;
    duckdb::Binder &binder_;
    const std::string &text_;
};

}  // namespace

BoundStatement BindStatement(duckdb::ClientContext &context, duckdb::Binder &binder, const sql::Parsed &parsed) {
    return std::visit(StatementBinder(context, binder, parsed.text), parsed.statement);
}

}  // namespace birdfoot::duck
