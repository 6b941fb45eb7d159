#include "duckdb/write/bind_insert.hpp"

#include <algorithm>
#include <iterator>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/star_expression.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/query_node/select_node.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/expressionlistref.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/bound_source.hpp"
#include "duckdb/write/pending_schema.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::duck {

namespace {

DeltaTableEntry &TableOf(duckdb::ClientContext &context, duckdb::InsertStatement &statement) {
    duckdb::Binder::BindSchemaOrCatalog(context, statement.catalog, statement.schema);
    auto &entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(context, statement.catalog, statement.schema,
                                                                       statement.table);
    if (entry.ParentCatalog().GetCatalogType() != kStorageType) {
        Throw(Fail(
            Condition::DELTA_OPERATION_NOT_ALLOWED,
            "Operation not allowed: this form of INSERT is for Delta tables, and {} is none. Use DuckDB's own INSERT.",
            statement.table));
    }
    return entry.Cast<DeltaTableEntry>();
}

duckdb::unique_ptr<duckdb::InsertStatement> Parse(const std::string &text) {
    duckdb::Parser parser;
    parser.ParseQuery(text);
    if (parser.statements.size() != 1 || parser.statements[0]->type != duckdb::StatementType::INSERT_STATEMENT) {
        Throw(Fail(Condition::PARSE_SYNTAX_ERROR,
                   "The query of the INSERT is not one query: {}. Write a single SELECT or "
                   "VALUES.",
                   text));
    }
    return duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::InsertStatement>(std::move(parser.statements[0]));
}

std::string TextOf(const sql::Insert &insert) {
    std::string text = "INSERT INTO " + insert.table.ToDuckDb();
    if (!insert.columns.empty()) {
        text += " (";
        for (const auto &column : insert.columns) {
            text += sql::QuoteName(column) + ", ";
        }
        text.resize(text.size() - 2);
        text += ")";
    }
    return text + (insert.by_name ? " BY NAME " : " ") + insert.query;
}

const StructField &PartitionField(const DeltaTableEntry &table, const std::string &column) {
    const auto &snapshot = *table.snapshot();
    const auto *field = snapshot.schema().Find(column);
    if (!field || !snapshot.IsPartitionColumn(field->name)) {
        Throw(Fail(
            Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
            "PARTITION names the column {}, which is no partition column of {}. Name one of its partition columns, or "
            "leave the clause out.",
            column, table.name));
    }
    return *field;
}

duckdb::unique_ptr<duckdb::ParsedExpression> ValueOf(const DeltaTableEntry &table, const sql::PartitionValue &value) {
    auto parsed = duckdb::Parser::ParseExpressionList(*value.value);
    auto type = TypeOf(PartitionField(table, value.column).type);
    auto cast = duckdb::make_uniq<duckdb::CastExpression>(type, std::move(parsed.at(0)));
    cast->SetAlias(value.column);
    return cast;
}

using Values = duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>>;

//! VALUES (…, value), …: what is a literal in them stays one, which may become a date. Says whether it is VALUES.
bool AppendToRows(duckdb::InsertStatement &statement, const Values &values) {
    auto list = statement.GetValuesList();
    if (!list) {
        return false;
    }
    for (auto &row : list->values) {
        for (const auto &value : values) {
            row.push_back(value->Copy());
        }
    }
    return true;
}

//! SELECT query.*, value AS p FROM (query) query
void AppendToQuery(duckdb::InsertStatement &statement, Values values) {
    auto node = duckdb::make_uniq<duckdb::SelectNode>();
    node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
    std::move(values.begin(), values.end(), std::back_inserter(node->select_list));
    node->from_table = duckdb::make_uniq<duckdb::SubqueryRef>(std::move(statement.select_statement), "query");
    statement.select_statement = duckdb::make_uniq<duckdb::SelectStatement>();
    statement.select_statement->node = std::move(node);
}

//! The values of PARTITION (p = v) as columns behind the query's.
void AddPartitionColumns(const DeltaTableEntry &table, const sql::Insert &insert, duckdb::InsertStatement &statement) {
    Values values;
    std::vector<std::string> names;
    for (const auto &value : insert.partition) {
        PartitionField(table, value.column);
        if (value.value) {
            values.push_back(ValueOf(table, value));
            names.push_back(value.column);
        }
    }
    if (values.empty()) {
        return;
    }
    if (!AppendToRows(statement, values)) {
        AppendToQuery(statement, std::move(values));
    }
    if (statement.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME) {
        return;
    }
    if (statement.columns.empty()) {  // by position: all columns but those that have their value already
        for (const auto &field : table.snapshot()->schema().fields) {
            bool fixed = std::any_of(names.begin(), names.end(),
                                     [&](const auto &name) { return EqualsIgnoreCase(name, field.name); });
            if (!fixed) {
                statement.columns.push_back(field.name);
            }
        }
    }
    statement.columns.insert(statement.columns.end(), names.begin(), names.end());
}

//! p = CAST('v' AS …) AND …, for the partitions that PARTITION (…) fixes.
std::string PartitionCondition(const DeltaTableEntry &table, const std::vector<sql::PartitionValue> &partition) {
    std::string text;
    for (const auto &value : partition) {
        if (!value.value) {
            continue;
        }
        text += (text.empty() ? "" : " AND ") + sql::QuoteName(value.column);
        auto parsed = duckdb::Parser::ParseExpressionList(*value.value);
        bool is_null = parsed[0]->GetExpressionClass() == duckdb::ExpressionClass::CONSTANT &&
                       parsed[0]->Cast<duckdb::ConstantExpression>().value.IsNull();
        auto type = TypeOf(PartitionField(table, value.column).type).ToString();
        text += is_null ? " IS NULL" : " = CAST(" + *value.value + " AS " + type + ")";
    }
    return text;
}

//! (p <=> 'a'), as Spark's history has it.
std::string HistoryText(const std::vector<sql::PartitionValue> &partition) {
    std::string text;
    for (const auto &value : partition) {
        if (value.value) {
            text += (text.empty() ? "(" : " AND (") + value.column + " <=> " + *value.value + ")";
        }
    }
    return text;
}

InsertOptions OptionsOf(duckdb::ClientContext &context, const DeltaTableEntry &table, const sql::Insert &insert) {
    InsertOptions options;
    options.merge_schema = insert.schema_evolution || AutoMergeOf(context);
    switch (insert.mode) {
    case sql::InsertMode::kInto: break;
    case sql::InsertMode::kReplaceWhere:
        options.mode = WriteMode::kReplaceWhere;
        options.predicate = insert.replace_where;
        options.history_predicate = "(" + insert.replace_where + ")";
        break;
    case sql::InsertMode::kOverwrite:
        if (DynamicPartitionOverwriteOf(context) && !table.snapshot()->metadata().partition_columns.empty()) {
            options.mode = WriteMode::kOverwritePartitions;
        } else if (auto condition = PartitionCondition(table, insert.partition); !condition.empty()) {
            options.mode = WriteMode::kReplaceWhere;
            options.predicate = condition;
            options.history_predicate = HistoryText(insert.partition);
        } else {
            options.mode = WriteMode::kOverwrite;
        }
        break;
    }
    return options;
}

//! The statement's query, bound as the table is now.
BoundSource QueryOf(duckdb::Binder &binder, duckdb::ClientContext &context, const duckdb::InsertStatement &statement) {
    auto copy =
        duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(statement.select_statement->Copy());
    auto query = duckdb::make_uniq<duckdb::SubqueryRef>(std::move(copy), "query");
    return {context, binder, std::move(query), statement.cte_map, "query"};
}

//! SELECT * FROM the query that is bound already.
void PutQuery(BoundSource query, duckdb::InsertStatement &statement) {
    auto node = duckdb::make_uniq<duckdb::SelectNode>();
    node->select_list.push_back(duckdb::make_uniq<duckdb::StarExpression>());
    node->from_table = query.Take();
    statement.select_statement = duckdb::make_uniq<duckdb::SelectStatement>();
    statement.select_statement->node = std::move(node);
}

//! By position the query's names do not count, but for the columns beyond those of the table.
void NameByPosition(const duckdb::InsertStatement &statement, const StructType &schema, QueryColumns &columns) {
    if (statement.column_order == duckdb::InsertColumnOrder::INSERT_BY_NAME) {
        return;
    }
    for (size_t i = 0; i < columns.names.size(); i++) {
        if (!statement.columns.empty()) {
            columns.names[i] = i < statement.columns.size() ? statement.columns[i] : columns.names[i];
        } else if (i < schema.fields.size()) {
            columns.names[i] = schema.fields[i].name;
        }
    }
}

void ChangeSchema(duckdb::Binder &binder, duckdb::ClientContext &context, InsertRequest &request, TableWork &work) {
    auto query = QueryOf(binder, context, *request.statement);
    auto columns = query.Columns();
    if (!request.options.overwrite_schema) {
        NameByPosition(*request.statement, work.schema, columns);
    }
    auto data = ValueOrThrow(SchemaOf(columns));
    if (query.Reads(work.transaction.root())) {
        PutQuery(std::move(query), *request.statement);
    }
    std::lock_guard lock(work.mutex);
    if (request.options.overwrite_schema) {
        ReplaceSchema(work, std::move(data), request.partition_columns);
    } else {
        AddMissingColumns(work, data);
    }
}

duckdb::LogicalInsert &FindInsert(duckdb::LogicalOperator &op) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_INSERT) {
        return static_cast<duckdb::LogicalInsert &>(op);
    }
    return FindInsert(*op.children.back());  // below a projection (RETURNING), or beside what WITH names
}

}  // namespace

duckdb::BoundStatement BindInsert(duckdb::Binder &binder, duckdb::ClientContext &context, InsertRequest request) {
    const auto &options = request.options;
    if (options.overwrite_schema && options.mode != WriteMode::kOverwrite) {
        Throw(Fail(
            options.mode == WriteMode::kOverwritePartitions
                ? Condition::DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE
                : Condition::DELTA_ILLEGAL_OPTION,
            "overwriteSchema goes with an overwrite of the whole table only. Leave it out, or overwrite everything."));
    }
    auto &table = TableOf(context, *request.statement);
    std::optional<MetadataGuard> guard;
    if (options.merge_schema || options.overwrite_schema) {
        if (!request.statement->select_statement) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                       "Schema evolution needs a query, and DEFAULT VALUES is none. Leave it out."));
        }
        auto &work = DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
        guard.emplace(work);
        ChangeSchema(binder, context, request, work);
    }
    auto bound = binder.Bind(static_cast<duckdb::SQLStatement &>(*request.statement));
    SetInsertOptions(FindInsert(*bound.plan), options);
    return bound;
}

duckdb::BoundStatement BindInsert(duckdb::Binder &binder, duckdb::ClientContext &context, const sql::Insert &insert) {
    return Guarded([&] {
        if (insert.if_not_exists) {
            Throw(Fail(
                Condition::DELTA_OPERATION_NOT_ALLOWED,
                "Operation not allowed: INSERT OVERWRITE … IF NOT EXISTS is not supported for Delta tables. Leave IF "
                "NOT EXISTS out."));
        }
        InsertRequest request;
        request.statement = Parse(TextOf(insert));
        auto &table = TableOf(context, *request.statement);
        request.options = OptionsOf(context, table, insert);
        AddPartitionColumns(table, insert, *request.statement);
        return BindInsert(binder, context, std::move(request));
    });
}

std::optional<duckdb::BoundStatement> BindEvolvingInsert(duckdb::Binder &binder, duckdb::ClientContext &context,
                                                         const duckdb::InsertStatement &statement) {
    if (!AutoMergeOf(context) || !statement.select_statement || statement.on_conflict_info) {
        return std::nullopt;
    }
    return Guarded([&]() -> std::optional<duckdb::BoundStatement> {
        InsertRequest request;
        request.statement = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::InsertStatement>(statement.Copy());
        auto catalog = request.statement->catalog, schema = request.statement->schema;
        duckdb::Binder::BindSchemaOrCatalog(context, catalog, schema);
        auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
            context, catalog, schema, request.statement->table, duckdb::OnEntryNotFound::RETURN_NULL);
        if (!entry || entry->ParentCatalog().GetCatalogType() != kStorageType) {
            return std::nullopt;
        }
        request.options.merge_schema = true;
        return BindInsert(binder, context, std::move(request));
    });
}

}  // namespace birdfoot::duck
