// COPY is rewritten to what it means: CREATE TABLE AS where there is no table, an INSERT BY NAME where there is one.
#include "duckdb/write/copy_to.hpp"

#include <algorithm>

#include "duckdb/function/copy_function.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/query_node/select_node.hpp"
#include "duckdb/parser/statement/copy_statement.hpp"
#include "duckdb/parser/statement/create_statement.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/tableref/emptytableref.hpp"
#include "duckdb/planner/binder.hpp"

#include "core/schema/schema_rules.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/bind_insert.hpp"
#include "duckdb/write/pending_schema.hpp"

namespace birdfoot::duck {

namespace {

struct CopyOptions {
    std::string mode = "error";
    std::optional<std::vector<std::string>> partition_by;
    std::optional<std::string> replace_where;
    std::optional<bool> merge_schema;
    bool overwrite_schema = false;
    std::optional<std::string> partition_overwrite_mode;
};

std::string TextOf(const duckdb::string &name, const duckdb::vector<duckdb::Value> &values) {
    if (values.size() != 1 || values[0].IsNull()) {
        Throw(Fail(Condition::DELTA_ILLEGAL_OPTION, "The option {} of COPY wants one value. Give it one.", name));
    }
    return values[0].ToString();
}

bool FlagOf(const duckdb::string &name, const duckdb::vector<duckdb::Value> &values) {
    if (values.empty()) {
        return true;
    }
    auto flag = values[0];
    if (values.size() != 1 || flag.IsNull() || !flag.DefaultTryCastAs(duckdb::LogicalType::BOOLEAN)) {
        Throw(Fail(Condition::DELTA_ILLEGAL_OPTION, "The option {} of COPY is true or false. Give it one of the two.",
                   name));
    }
    return flag.GetValue<bool>();
}

CopyOptions OptionsOf(const duckdb::CopyInfo &info) {
    CopyOptions options;
    for (const auto &[name, values] : info.options) {
        auto key = duckdb::StringUtil::Lower(name);
        key.erase(std::remove(key.begin(), key.end(), '_'), key.end());  // mergeSchema and MERGE_SCHEMA
        if (key == "format") {
            continue;
        }
        if (key == "mode") {
            options.mode = duckdb::StringUtil::Lower(TextOf(name, values));
        } else if (key == "partitionby") {
            options.partition_by.emplace();
            for (const auto &value : values) {
                options.partition_by->push_back(value.ToString());
            }
        } else if (key == "replacewhere") {
            options.replace_where = TextOf(name, values);
        } else if (key == "mergeschema") {
            options.merge_schema = FlagOf(name, values);
        } else if (key == "overwriteschema") {
            options.overwrite_schema = FlagOf(name, values);
        } else if (key == "partitionoverwritemode") {
            options.partition_overwrite_mode = duckdb::StringUtil::Lower(TextOf(name, values));
        } else {
            Throw(Fail(
                Condition::DELTA_ILLEGAL_OPTION,
                "COPY … TO (FORMAT delta) has no option {}. There are MODE, PARTITION_BY, REPLACE_WHERE, MERGE_SCHEMA, "
                "OVERWRITE_SCHEMA and PARTITION_OVERWRITE_MODE.",
                name));
        }
    }
    return options;
}

duckdb::unique_ptr<duckdb::SelectStatement> QueryOf(const duckdb::CopyInfo &info) {
    auto query = duckdb::make_uniq<duckdb::SelectStatement>();
    query->node = info.select_statement->Copy();
    return query;
}

duckdb::BoundStatement BindCreate(duckdb::Binder &binder, const std::string &catalog, const duckdb::CopyInfo &info,
                                  const CopyOptions &options) {
    auto create = duckdb::make_uniq<duckdb::CreateStatement>();
    auto table = duckdb::make_uniq<duckdb::CreateTableInfo>(catalog, DEFAULT_SCHEMA, info.file_path);
    table->query = QueryOf(info);
    for (const auto &column : options.partition_by.value_or(std::vector<std::string>())) {
        table->partition_keys.push_back(duckdb::make_uniq<duckdb::ColumnRefExpression>(column));
    }
    create->info = std::move(table);
    auto bound = binder.Bind(static_cast<duckdb::SQLStatement &>(*create));
    binder.GetStatementProperties().return_type = duckdb::StatementReturnType::CHANGED_ROWS;  // as COPY says its rows
    return bound;
}

//! SELECT 0 WHERE false: a write that is not made.
duckdb::BoundStatement BindNothing(duckdb::Binder &binder) {
    auto statement = duckdb::Parser::ParseExpressionList("0");
    auto node = duckdb::make_uniq<duckdb::SelectNode>();
    statement[0]->SetAlias("Count");
    node->select_list.push_back(std::move(statement[0]));
    node->from_table = duckdb::make_uniq<duckdb::EmptyTableRef>();
    duckdb::SelectStatement select;
    select.node = std::move(node);
    return binder.Bind(static_cast<duckdb::SQLStatement &>(select));
}

//! The columns of the query must be the table's, where they may not become so.
void CheckColumns(const DeltaTableEntry &table, const StructType &data) {
    const auto &schema = table.snapshot()->schema();
    OkOrThrow(CheckDuplicateNames(data, "the data being saved"));
    for (const auto &field : data.fields) {
        if (!schema.Find(field.name)) {
            Throw(Fail(Condition::DELTA_METADATA_MISMATCH,
                       "A schema mismatch detected when writing to the Delta table {}: it has no column {}. Write with "
                       "MERGE_SCHEMA true to add it.\nTable schema:\n{}\nData schema:\n{}",
                       table.root(), field.name, SchemaToTree(schema), SchemaToTree(data)));
        }
    }
}

void CheckPartitioning(const DeltaTableEntry &table, const CopyOptions &options) {
    if (!options.partition_by) {
        return;
    }
    const auto &existing = table.snapshot()->metadata().partition_columns;
    bool same = existing.size() == options.partition_by->size();
    for (size_t i = 0; same && i < existing.size(); i++) {
        same = EqualsIgnoreCase(existing[i], (*options.partition_by)[i]);
    }
    if (!same) {
        Throw(Fail(Condition::DELTA_METADATA_MISMATCH,
                   "Partition columns do not match the partition columns of the table {}. Given: {}. Table: {}. Leave "
                   "PARTITION_BY out, or overwrite with OVERWRITE_SCHEMA true.",
                   table.root(), fmt::join(*options.partition_by, ", "), fmt::join(existing, ", ")));
    }
}

InsertOptions InsertOptionsFor(duckdb::ClientContext &context, const DeltaTableEntry &table,
                               const CopyOptions &options) {
    InsertOptions insert;
    insert.merge_schema = options.merge_schema.value_or(AutoMergeOf(context)) && !options.overwrite_schema;
    insert.overwrite_schema = options.overwrite_schema && options.mode == "overwrite";
    bool dynamic = options.partition_overwrite_mode ? *options.partition_overwrite_mode == "dynamic"
                                                    : DynamicPartitionOverwriteOf(context);
    if (options.replace_where) {
        if (options.mode != "overwrite") {
            Throw(Fail(Condition::DELTA_ILLEGAL_OPTION,
                       "REPLACE_WHERE goes with MODE 'overwrite' only, and the mode is '{}'. Set the mode.",
                       options.mode));
        }
        if (options.partition_overwrite_mode && dynamic) {
            Throw(Fail(
                Condition::DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE,
                "REPLACE_WHERE cannot be used with data filters when in dynamic partition overwrite mode. Leave one "
                "of the two out."));
        }
        insert.mode = WriteMode::kReplaceWhere;
        insert.predicate = *options.replace_where;
        insert.history_predicate = "(" + *options.replace_where + ")";
    } else if (options.mode == "overwrite") {
        dynamic = dynamic && !table.snapshot()->metadata().partition_columns.empty();
        insert.mode = dynamic ? WriteMode::kOverwritePartitions : WriteMode::kOverwrite;
    }
    return insert;
}

duckdb::BoundStatement BindWrite(duckdb::Binder &binder, duckdb::ClientContext &context, const std::string &catalog,
                                 const DeltaTableEntry &table, const duckdb::CopyInfo &info,
                                 const CopyOptions &options) {
    InsertRequest request;
    request.options = InsertOptionsFor(context, table, options);
    if (!request.options.overwrite_schema) {
        CheckPartitioning(table, options);
        if (!request.options.merge_schema) {
            auto query = QueryOf(info);
            auto bound =
                duckdb::Binder::CreateBinder(context, &binder)->Bind(static_cast<duckdb::SQLStatement &>(*query));
            QueryColumns columns;
            columns.names.assign(bound.names.begin(), bound.names.end());
            columns.types = bound.types;
            CheckColumns(table, ValueOrThrow(SchemaOf(columns)));
        }
    }
    request.partition_columns = options.partition_by.value_or(std::vector<std::string>());
    request.statement = duckdb::make_uniq<duckdb::InsertStatement>();
    request.statement->catalog = catalog;
    request.statement->schema = DEFAULT_SCHEMA;
    request.statement->table = info.file_path;
    request.statement->column_order = duckdb::InsertColumnOrder::INSERT_BY_NAME;
    request.statement->select_statement = QueryOf(info);
    return BindInsert(binder, context, std::move(request));
}

duckdb::BoundStatement Plan(duckdb::Binder &binder, duckdb::CopyStatement &statement) {
    return Guarded([&] {
        auto &context = binder.context;
        const auto &info = *statement.info;
        auto options = OptionsOf(info);
        for (const auto *mode : {"append", "overwrite", "error", "errorifexists", "default", "ignore", ""}) {
            if (!*mode) {
                Throw(Fail(Condition::DELTA_ILLEGAL_OPTION,
                           "MODE is '{}'. It must be 'append', 'overwrite', 'error' or 'ignore'.", options.mode));
            }
            if (options.mode == mode) {
                break;
            }
        }
        auto catalog = CatalogNameOf(*context.db);
        auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(
            context, catalog, DEFAULT_SCHEMA, info.file_path, duckdb::OnEntryNotFound::RETURN_NULL);
        if (!entry) {
            return BindCreate(binder, catalog, info, options);
        }
        if (options.mode == "ignore") {
            return BindNothing(binder);
        }
        if (options.mode != "append" && options.mode != "overwrite") {
            Throw(Fail(Condition::DELTA_PATH_EXISTS,
                       "Cannot write to already existent path {} without setting MODE 'overwrite' or 'append'. Set the "
                       "mode, or "
                       "choose another path.",
                       info.file_path));
        }
        return BindWrite(binder, context, catalog, entry->Cast<DeltaTableEntry>(), info, options);
    });
}

}  // namespace

void RegisterCopyTo(duckdb::ExtensionLoader &loader) {
    for (const auto *format : {"delta", kStorageType}) {
        duckdb::CopyFunction function(format);
        function.plan = Plan;
        function.extension = format;
        loader.RegisterFunction(function);
    }
}

}  // namespace birdfoot::duck
