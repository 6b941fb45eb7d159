#include "duckdb/commands/create_table.hpp"

#include <set>

#include "duckdb/common/string_util.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/parser/constraints/list.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression_binder/constant_binder.hpp"

#include "core/base/json.hpp"
#include "core/log/replay.hpp"
#include "core/maintenance/clustering.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/commands/check_rules.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/work_changes.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

//! What a CREATE TABLE is about to do, and where.
struct Creation {
    duckdb::ClientContext &context;
    DeltaCatalog &catalog;
    DeltaTransaction &transaction;
    const std::string &schema;
    const std::string &name;
    CreateSpec spec;
    Warehouse::Place place;
    bool named = false;    // the name stands for this place already
    SnapshotPtr snapshot;  // the table that is there; null if none
};

//! Where the table is or will be, and whether its name is taken.
void FindPlace(Creation &creation) {
    auto &spec = creation.spec;
    auto existing = creation.catalog.SchemaNamed(creation.schema).PlaceOf(creation.context, creation.name);
    switch (creation.catalog.kind()) {
    case CatalogKind::kPaths:
        creation.place = *existing;
        if (spec.location && NormalizeTableRoot(*spec.location) != creation.place.root) {
            Throw(Fail(Condition::DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH,
                       "The name {} is a path, and the location {} is another. Leave one of them out.", creation.name,
                       *spec.location));
        }
        break;
    case CatalogKind::kTable:
        if (!existing) {
            Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                       "The catalog {} is the one table {}. To create tables, ATTACH the folder that is to hold them.",
                       creation.catalog.GetName(), creation.catalog.table_name()));
        }
        creation.place = *existing;
        creation.named = true;
        break;
    case CatalogKind::kWarehouse: {
        auto names = creation.catalog.NamesOf(creation.transaction.engine());
        creation.named = existing.has_value();
        creation.place = existing ? std::move(*existing)
                                  : ValueOrThrow(names.PlaceFor(creation.schema, creation.name, spec.location));
        if (creation.named && spec.location && NormalizeTableRoot(*spec.location) != creation.place.root) {
            Throw(Fail(Condition::DELTA_TABLE_ALREADY_EXISTS,
                       "Table {} already exists, at {}. DROP it before you give its name to another location.",
                       creation.name, creation.place.root));
        }
        break;
    }
    }
    if (creation.transaction.IsDeleted(creation.place.root)) {
        Throw(Fail(
            Condition::DELTA_OPERATION_NOT_ALLOWED,
            "{} was dropped in this transaction; its files go at the COMMIT. COMMIT first, or use CREATE OR REPLACE "
            "TABLE instead of DROP and CREATE.",
            creation.name));
    }
    auto *work = creation.transaction.FindWork(creation.place.root);
    creation.snapshot = work ? work->View() : creation.transaction.Pin(creation.context, creation.place.root);
}

//! Refuses a place that holds files of others, and a table without columns.
void CheckPlaceIsFree(const Creation &creation) {
    auto &store = *creation.transaction.engine().store;
    auto &root = creation.place.root;
    auto call = CallOf(creation.context);
    auto objects = ValueOrThrow(store.List(root, "", call));
    auto folders = ValueOrThrow(store.ListFolders(root, call));
    // An empty log is what a creation that died has left behind.
    bool has_log = std::find(folders.begin(), folders.end(), kLogFolder) != folders.end();
    // Empty folders are what a partitioned write that was rolled back has left behind.
    bool occupied =
        !has_log && (!objects.empty() || (!folders.empty() && !ValueOrThrow(store.ListRecursive(root, call)).empty()));
    if (creation.spec.table.schema.fields.empty()) {
        if (creation.place.managed) {
            Throw(Fail(Condition::DELTA_SCHEMA_NOT_PROVIDED, "Table {} has no columns. Name at least one.",
                       creation.name));
        }
        if (occupied) {
            Throw(Fail(
                Condition::DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG,
                "You are trying to create an external table {} from {}, but there is no transaction log. Check that "
                "the path is the root of a Delta table.",
                creation.name, root));
        }
        Throw(Fail(
            Condition::DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA,
            "You are trying to create an external table {} from {}, but the schema is not specified and the path is "
            "empty. Name the columns, or correct the path.",
            creation.name, root));
    }
    if (occupied) {
        Throw(
            Fail(Condition::DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION,
                 "Cannot create table ('{}'). The associated location ('{}') is not empty and also not a Delta table. "
                 "Choose another location, or empty this one. Where another statement is just creating the table, wait "
                 "for it.",
                 creation.name, root));
    }
}

std::string JsonMap(const std::map<std::string, std::string> &entries) {
    std::string text;
    JsonWriter writer(text);
    writer.BeginObject();
    for (auto &[key, value] : entries) {
        writer.Key(key).String(value);
    }
    writer.EndObject();
    return text;
}

Operation OperationOf(const Creation &creation, const Metadata &metadata) {
    Operation operation;
    operation.name = !creation.snapshot ? (creation.spec.or_replace ? "CREATE OR REPLACE TABLE" : "CREATE TABLE")
                     : creation.spec.or_replace ? "CREATE OR REPLACE TABLE"
                                                : "REPLACE TABLE";
    if (creation.spec.as_select) {
        operation.name += " AS SELECT";
    }
    operation.parameters.emplace_back("isManaged", creation.place.managed ? "true" : "false");
    if (metadata.description) {
        operation.parameters.emplace_back("description", *metadata.description);
    }
    operation.parameters.emplace_back("partitionBy", JsonList(metadata.partition_columns));
    operation.parameters.emplace_back("clusterBy", ClusteringColumnsJson(creation.spec.cluster_by));
    operation.parameters.emplace_back("properties", JsonMap(metadata.configuration));
    return operation;
}

//! What a statement describes.
struct Described {
    TableDefinition table;
    std::vector<DomainMetadata> domains;
};

void RequireDefaults(const TableDefinition &table) {
    for (const auto &field : table.schema.fields) {
        if (field.metadata.JsonOf(kCurrentDefault) && !HasFeature(table.protocol, "allowColumnDefaults")) {
            Throw(
                Fail(Condition::WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED,
                     "Failed to execute CREATE TABLE command because it assigned a column DEFAULT value ({}), but the "
                     "corresponding table feature was not enabled. Please retry the command again with "
                     "TBLPROPERTIES('delta.feature.allowColumnDefaults' = 'supported').",
                     field.name));
        }
    }
}

//! The table as the statement describes it, with the session's defaults.
Described Describe(const Creation &creation, const TableDefinition *replaced = nullptr) {
    auto spec = creation.spec.table;
    std::set<std::string> given;
    for (const auto &[key, value] : spec.properties) {
        given.insert(CanonicalPropertyKey(key));
    }
    for (auto &[key, value] : DefaultTablePropertiesOf(creation.context)) {
        if (!given.contains(key)) {
            spec.properties.emplace(key, value);
        }
    }
    spec.allow_arbitrary_properties = AllowsArbitraryProperties(creation.context);
    for (const auto &[key, value] : spec.properties) {
        if (EqualsIgnoreCase(key, "delta.feature.clustering") && creation.spec.cluster_by.empty()) {
            Throw(Fail(Condition::DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED,
                       "Cannot enable clustering table feature using TBLPROPERTIES. Please use CREATE TABLE … CLUSTER "
                       "BY."));
        }
    }
    Described described;
    auto &table = described.table;
    table = ValueOrThrow(DescribeNewTable(std::move(spec), creation.transaction.engine().now_ms(), replaced));
    if (!creation.spec.constraints.empty()) {
        const auto &constraints = creation.spec.constraints;
        table.metadata.configuration.insert(constraints.begin(), constraints.end());
        table.protocol = RaiseProtocol(table.protocol, table.metadata, table.schema);
    }
    RequireDefaults(table);
    CheckTableRules(creation.context, table.metadata, table.schema);
    if (!creation.spec.cluster_by.empty()) {
        described.domains.push_back(ValueOrThrow(ClusterTable(table, creation.spec.cluster_by)));
    }
    OkOrThrow(CheckWritable(table.protocol, table.metadata, table.schema, creation.place.root));
    return described;
}

void BindName(const Creation &creation) {
    if (creation.named || creation.catalog.kind() != CatalogKind::kWarehouse) {
        return;
    }
    creation.transaction.SetName(creation.schema, creation.name, creation.place);
    if (creation.place.managed) {
        return;
    }
    auto names = creation.catalog.NamesOf(creation.transaction.engine());
    auto written = std::make_shared<bool>(false);
    auto write = [names, place = creation.place, written](const Call &call) -> Status {
        BF_ASSIGN(*written, names.WriteName(place, call));
        return {};
    };
    auto undo = [names, place = creation.place, written] {
        if (*written) {
            (void)names.RemoveName(place, Call()).ok();
        }
    };
    creation.transaction.AtCommit({write, undo, {}});
}

CreateResult Create(Creation &creation) {
    CheckPlaceIsFree(creation);
    auto [table, domains] = Describe(creation);
    auto &work = creation.transaction.WorkOnNew(creation.context, creation.place.root);
    {
        std::lock_guard lock(work.mutex);
        work.transaction.changes().operation = OperationOf(creation, table.metadata);
        work.transaction.changes().domains = std::move(domains);
        SetDefinition(work, std::move(table));
    }
    BindName(creation);
    return {CreateOutcome::kCreated, creation.place.root, &work};
}

//! All files go, and the table's metadata is another: its history stays.
CreateResult Replace(Creation &creation) {
    if (creation.spec.table.schema.fields.empty()) {
        Throw(Fail(Condition::DELTA_SCHEMA_NOT_PROVIDED, "Table {} has no columns. Name at least one.", creation.name));
    }
    auto &transaction = creation.transaction;
    auto &work = transaction.WorkOn(creation.context, creation.place.root);
    auto call = CallOf(creation.context);
    auto &base = work.transaction.snapshot();
    const auto replaced = base ? std::optional(DefinitionOf(*base)) : std::nullopt;
    auto [table, domains] = Describe(creation, replaced ? &*replaced : nullptr);
    std::vector<RemoveFile> removes;
    if (base) {
        auto now = transaction.engine().now_ms();
        FileRequest all;
        all.statistics = false;
        ValueOrThrow(ReplayFiles(
            transaction.engine(), base->segment(), all,
            [&](AddFile &&add) -> Status {
                removes.push_back(MakeRemove(add, now, true));
                return {};
            },
            call));
        auto extras = ValueOrThrow(ReplayExtras(transaction.engine(), base->segment(), call));
        auto found = extras.domains.find(std::string(kClusteringDomain));
        if (found != extras.domains.end() && domains.empty()) {
            if (!table.metadata.partition_columns.empty()) {
                Throw(
                    Fail(Condition::DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE,
                         "Replacing a clustered Delta table with a partitioned table is not allowed. Leave PARTITIONED "
                         "BY out."));
            }
            domains.push_back(found->second);
            domains.back().removed = true;
        }
    }
    std::lock_guard lock(work.mutex);
    auto &changes = work.transaction.changes();
    for (auto &add : changes.adds) {
        work.files.Abandon(ResolvePath(work.transaction.root(), add.path));
    }
    changes.adds.clear();
    changes.removes = std::move(removes);
    changes.domains = std::move(domains);
    changes.reads->AddRead();
    changes.operation = OperationOf(creation, table.metadata);
    work.replaced = base != nullptr;
    SetDefinition(work, std::move(table));
    BindName(creation);
    return {CreateOutcome::kReplaced, creation.place.root, &work};
}

CreateResult Adopt(Creation &creation) {
    if (creation.spec.as_select) {
        Throw(
            Fail(Condition::DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION,
                 "Cannot create table ('{}'). There is a Delta table at '{}' already. INSERT INTO it, or use CREATE OR "
                 "REPLACE TABLE.",
                 creation.name, creation.place.root));
    }
    OkOrThrow(CheckSameTable(*creation.snapshot, creation.spec.table));
    BindName(creation);
    return {CreateOutcome::kAdopted, creation.place.root, nullptr};
}

}  // namespace

CreateResult CreateDeltaTable(duckdb::ClientContext &context, DeltaCatalog &catalog, const std::string &schema,
                              const std::string &name, CreateSpec spec) {
    if (catalog.read_only()) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be created. {}", name, catalog.ReadOnlyReason()));
    }
    Creation creation{context, catalog, DeltaTransaction::Get(context, catalog), schema, name, std::move(spec), {},
                      false,   nullptr};
    FindPlace(creation);
    auto &asked = creation.spec;
    if (creation.named && !creation.snapshot && !creation.place.name_file.empty()) {
        Throw(Fail(Condition::DELTA_TABLE_ALREADY_EXISTS,
                   "The name {} stands for {}, where there is no table any more. DROP TABLE {} frees it.", name,
                   creation.place.root, name));
    }
    // A path is a name: only at the LOCATION of another name a table is adopted.
    bool exists = creation.snapshot && (creation.named || catalog.kind() == CatalogKind::kPaths);
    if (asked.replace && !exists) {
        Throw(Fail(Condition::DELTA_CANNOT_REPLACE_MISSING_TABLE,
                   "Table {} cannot be replaced as it does not exist. Use CREATE OR REPLACE TABLE.", name));
    }
    if (creation.snapshot && (asked.replace || asked.or_replace)) {
        return Replace(creation);
    }
    if (exists && asked.if_not_exists) {
        return {CreateOutcome::kExists, creation.place.root, nullptr};
    }
    if (exists) {
        Throw(Fail(Condition::DELTA_TABLE_ALREADY_EXISTS,
                   "Table {} already exists. Use CREATE TABLE IF NOT EXISTS, or "
                   "CREATE OR REPLACE TABLE.",
                   name));
    }
    return creation.snapshot ? Adopt(creation) : Create(creation);
}

std::string ConstantText(duckdb::ClientContext &context, const duckdb::ParsedExpression &expression,
                         const std::string &what) {
    auto binder = duckdb::Binder::CreateBinder(context);
    duckdb::ConstantBinder constants(*binder, context, what);
    auto copy = expression.Copy();
    auto bound = constants.Bind(copy);
    auto value = duckdb::ExpressionExecutor::EvaluateScalar(context, *bound);
    if (value.IsNull()) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "The value of {} is NULL. Give it a value, or leave it out.",
                   what));
    }
    return value.ToString();
}

namespace {

void AddColumns(duckdb::CreateTableInfo &info, StructType &schema) {
    for (auto &column : info.columns.Logical()) {
        StructField field;
        if (column.Generated()) {
            field.metadata.SetString(
                std::string(kGenerationExpression),
                SparkTextOf(column.GeneratedExpression(), "The generated column " + column.Name()));
        } else if (column.HasDefaultValue()) {
            field.metadata.SetString(std::string(kCurrentDefault),
                                     SparkTextOf(column.DefaultValue(), "The default of column " + column.Name()));
        }
        field.name = column.Name();
        field.type = ValueOrThrow(DeltaTypeOf(column.Type(), column.Name()));
        if (!column.Comment().IsNull()) {
            field.metadata.SetString("comment", column.Comment().ToString());
        }
        schema.fields.push_back(std::move(field));
    }
}

void AddConstraints(duckdb::CreateTableInfo &info, CreateSpec &spec) {
    auto &schema = spec.table.schema;
    for (auto &constraint : info.constraints) {
        switch (constraint->type) {
        case duckdb::ConstraintType::NOT_NULL: {
            auto index = constraint->Cast<duckdb::NotNullConstraint>().index;
            schema.fields.at(index.index).nullable = false;
            break;
        }
        case duckdb::ConstraintType::CHECK:
            spec.constraints[ConstraintKey(fmt::format("check_{}", spec.constraints.size() + 1))] =
                SparkTextOf(*constraint->Cast<duckdb::CheckConstraint>().expression, "A CHECK constraint");
            break;
        default:
            Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                       "A Delta table cannot have the constraint {}. It has neither keys nor UNIQUE.",
                       constraint->ToString()));
        }
    }
}

}  // namespace

CreateSpec CreateSpecOf(duckdb::ClientContext &context, duckdb::BoundCreateTableInfo &bound) {
    auto &info = bound.Base();
    CreateSpec spec;
    spec.if_not_exists = info.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT;
    spec.or_replace = info.on_conflict == duckdb::OnCreateConflict::REPLACE_ON_CONFLICT;
    AddColumns(info, spec.table.schema);
    AddConstraints(info, spec);
    if (!info.sort_keys.empty()) {
        Throw(Fail(
            Condition::BIRDFOOT_UNSUPPORTED,
            "SORTED BY is not supported: a Delta table has no order of rows. OPTIMIZE … ZORDER BY brings like rows "
            "together."));
    }
    for (auto &key : info.partition_keys) {
        if (key->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF ||
            key->Cast<duckdb::ColumnRefExpression>().IsQualified()) {
            Throw(Fail(
                Condition::DELTA_OPERATION_NOT_ALLOWED,
                "PARTITIONED BY ({}) is no column. A Delta table is partitioned by columns: add one that holds the "
                "value.",
                key->ToString()));
        }
        spec.table.partition_columns.push_back(key->Cast<duckdb::ColumnRefExpression>().GetColumnName());
    }
    for (auto &[key, expression] : info.options) {
        auto text = ConstantText(context, *expression, "the option " + key);
        if (duckdb::StringUtil::CIEquals(key, "location")) {
            spec.location = std::move(text);
        } else if (duckdb::StringUtil::CIEquals(key, "comment")) {
            spec.table.comment = std::move(text);
        } else if (duckdb::StringUtil::CIEquals(key, kClusterByOption)) {
            auto columns = ParsePathList(text);
            if (!columns || columns->empty()) {
                Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                           "The option {} is '{}'. It takes a list of columns, as in {} = 'a, b.c'.", key, text, key));
            }
            spec.cluster_by = std::move(*columns);
        } else {
            spec.table.properties[key] = std::move(text);
        }
    }
    return spec;
}

}  // namespace birdfoot::duck
