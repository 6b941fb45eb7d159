// See alter_table.hpp. DuckDB's own spelling is at the end.
#include "duckdb/commands/alter_table.hpp"

#include <set>

#include "duckdb/common/enum_util.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/comment_on_column_info.hpp"

#include "core/log/replay.hpp"
#include "core/maintenance/clustering.hpp"
#include "core/table/table_features.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/commands/alter_rules.hpp"
#include "duckdb/commands/column_uses.hpp"
#include "duckdb/commands/create_table.hpp"
#include "duckdb/commands/null_search.hpp"
#include "duckdb/commands/rename_table.hpp"
#include "duckdb/commands/rewrite_table.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

TableWork &WorkOnTable(duckdb::ClientContext &context, DeltaTableEntry &table) {
    table.RequireWritable();
    return DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
}

TableDefinition Defined(TableWork &work) {
    std::lock_guard lock(work.mutex);
    return DefinitionOf(work);
}

bool TracksRows(const TableDefinition &table) { return BoolProperty(table.metadata, "delta.enableRowTracking"); }

//! Files without row ids, as they are: added again they get some.
std::vector<AddFile> FilesWithoutRowIds(duckdb::ClientContext &context, DeltaTransaction &transaction,
                                        TableWork &work) {
    const auto &snapshot = work.transaction.snapshot();
    std::vector<AddFile> files;
    if (!snapshot || work.replaced) {
        return files;
    }
    std::set<std::string> changed;
    {
        std::lock_guard lock(work.mutex);
        for (const auto &remove : work.transaction.changes().removes) {
            changed.insert(remove.path);
        }
    }
    // A file that is added by anybody else meanwhile would have none: every read of the table counts.
    work.transaction.changes().reads->AddRead();
    ValueOrThrow(ReplayFiles(
        transaction.engine(), snapshot->segment(), FileRequest(),
        [&](AddFile &&add) -> Status {
            if (!add.base_row_id && !changed.contains(add.path)) {
                add.data_change = false;
                files.push_back(std::move(add));
            }
            return {};
        },
        CallOf(context)));
    return files;
}

void SetDomain(ChangeSet &changes, DomainMetadata domain) {
    std::erase_if(changes.domains, [&](const auto &known) { return known.domain == domain.domain; });
    changes.domains.push_back(std::move(domain));
}

}  // namespace

std::vector<FieldPath> ClusteringOf(duckdb::ClientContext &context, DeltaTableEntry &table) {
    auto &transaction = DeltaTransaction::Get(context, table.catalog);
    auto *work = transaction.FindWork(table.root());
    if (work) {
        std::lock_guard lock(work->mutex);
        for (const auto &domain : work->transaction.changes().domains) {
            if (domain.domain == kClusteringDomain) {
                return ValueOrThrow(ClusteringColumnsOf(domain, DefinitionOf(*work)));
            }
        }
    }
    const auto definition = work ? Defined(*work) : DefinitionOf(*table.snapshot());
    const auto &snapshot = work ? work->transaction.snapshot() : table.snapshot();
    if (!snapshot || !HasFeature(definition.protocol, "clustering")) {
        return {};
    }
    const auto extras = ValueOrThrow(ReplayExtras(transaction.engine(), snapshot->segment(), CallOf(context)));
    const auto found = extras.domains.find(std::string(kClusteringDomain));
    return found == extras.domains.end() ? std::vector<FieldPath>()
                                         : ValueOrThrow(ClusteringColumnsOf(found->second, definition));
}

void AlterTable(duckdb::ClientContext &context, DeltaTableEntry &table, const Alter &alter) {
    auto &work = WorkOnTable(context, table);
    auto &transaction = DeltaTransaction::Get(context, table.catalog);
    const auto before = Defined(work);
    auto altered = ValueOrThrow(alter(before, ClusteringOf(context, table)));
    if (altered.nothing) {
        return;
    }
    const auto &after = altered.table;
    OkOrThrow(CheckWritable(after.protocol, after.metadata, after.schema, table.root()));
    std::vector<AddFile> again;
    if (TracksRows(after) && !TracksRows(before)) {
        again = FilesWithoutRowIds(context, transaction, work);
        if (!again.empty() && !context.transaction.IsAutoCommit()) {
            // A later statement would take files that are added again for ones that the transaction wrote.
            Throw(
                Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                     "Row tracking gives ids to the rows of {} that are there, which cannot be part of a transaction. "
                     "COMMIT first.",
                     table.name));
        }
    }
    std::lock_guard lock(work.mutex);
    auto &changes = work.transaction.changes();
    changes.adds.insert(changes.adds.end(), std::make_move_iterator(again.begin()),
                        std::make_move_iterator(again.end()));
    for (auto &domain : altered.domains) {
        SetDomain(changes, std::move(domain));
    }
    SetDefinition(work, std::move(altered.table));
    // Rows that the transaction has written were checked under the columns' old names; a new NOT NULL was looked for.
    AcknowledgeConstraints(work);
    RecordOperation(work, std::move(altered.operation));
}

namespace {

//! True if the statement, which is about this one property, takes column mapping off.
bool TakesMappingOff(duckdb::ClientContext &context, DeltaTableEntry &table, size_t count, const std::string &key,
                     const std::string &value) {
    if (CanonicalPropertyKey(key) != "delta.columnMapping.mode" || !EqualsIgnoreCase(value, "none") ||
        WorkOnTable(context, table).mapping == ColumnMappingMode::kNone) {
        return false;
    }
    if (count > 1) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "Column mapping is taken off by a statement of its own: all files are written anew. Change the other "
                 "properties in another one."));
    }
    return true;
}

}  // namespace

void SetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const Properties &properties) {
    for (const auto &[key, value] : properties) {
        if (TakesMappingOff(context, table, properties.size(), key, value)) {
            return RemoveColumnMapping(context, table, false);
        }
    }
    AlterTable(context, table, [&](const TableDefinition &definition, const auto &) {
        return SetProperties(definition, properties, AllowsArbitraryProperties(context));
    });
}

void UnsetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<std::string> &keys,
                          bool if_exists) {
    for (const auto &key : keys) {
        if (TakesMappingOff(context, table, keys.size(), key, "none")) {
            return RemoveColumnMapping(context, table, true);
        }
    }
    AlterTable(context, table, [&](const TableDefinition &definition, const auto &) {
        return UnsetProperties(definition, keys, if_exists);
    });
}

void AlterColumns(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<ColumnChange> &changes) {
    auto &work = WorkOnTable(context, table);
    const auto before = Defined(work);
    for (const auto &change : changes) {
        if (change.type) {
            const auto there = TypeAt(before.schema, change.column);
            if (there.ok() && !there->SameAs(*change.type)) {
                RequireNotGenerated(before, change.column, *change.type);
                RequireUnused(before, change.column);
            }
        }
        if (change.nullable && !*change.nullable) {
            RequireNoNulls(context, DeltaTransaction::Get(context, table.catalog), work, change.column);
        }
    }
    AlterTable(context, table,
               [&](const TableDefinition &definition, const auto &) { return ChangeColumns(definition, changes); });
}

void DropTableColumns(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<FieldPath> &columns,
                      bool if_exists) {
    AlterTable(context, table,
               [&](const TableDefinition &definition, const std::vector<FieldPath> &clustering) -> Result<Alteration> {
                   BF_ASSIGN(auto altered, DropColumns(definition, columns, if_exists, clustering));
                   for (const auto &column : columns) {
                       RequireUnused(definition, column);
                   }
                   return altered;
               });
}

void RenameTableColumn(duckdb::ClientContext &context, DeltaTableEntry &table, const FieldPath &column,
                       const std::string &new_name) {
    AlterTable(context, table, [&](const TableDefinition &definition, const auto &) -> Result<Alteration> {
        BF_ASSIGN(auto altered, RenameColumn(definition, column, new_name));
        RequireUnused(definition, column);
        return altered;
    });
}

// ---- DuckDB's spelling ----

namespace {

std::optional<std::string> CommentOf(const duckdb::Value &value) {
    return value.IsNull() ? std::nullopt : std::optional<std::string>(value.ToString());
}

FieldPath PathOf(const duckdb::vector<duckdb::string> &names) { return {names.begin(), names.end()}; }

//! `s.x`, for COMMENT ON COLUMN: DuckDB gives the name as it stands there.
FieldPath PathOfName(const TableDefinition &table, const std::string &name) {
    if (table.schema.Find(name)) {
        return {name};
    }
    const auto paths = ParsePathList(name);
    return paths && paths->size() == 1 ? (*paths)[0] : FieldPath{name};
}

AddedColumn AddedColumnOf(FieldPath parent, const duckdb::ColumnDefinition &column) {
    if (column.Generated()) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "Column {}: a generated column cannot be added to a table that has rows. Create the table with it.",
                   column.Name()));
    }
    if (column.HasDefaultValue()) {
        Throw(Fail(Condition::WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED,
                   "Column {}: DEFAULT values are not supported when adding new columns to previously existing Delta "
                   "tables. Add the column without a default value first, then run ALTER TABLE … ALTER COLUMN … SET "
                   "DEFAULT for rows that are inserted later.",
                   column.Name()));
    }
    AddedColumn added;
    added.parent = std::move(parent);
    added.field.name = column.Name();
    added.field.type = ValueOrThrow(DeltaTypeOf(column.Type(), column.Name()));
    if (!column.Comment().IsNull()) {
        added.field.metadata.SetString("comment", column.Comment().ToString());
    }
    return added;
}

void Add(duckdb::ClientContext &context, DeltaTableEntry &table, AddedColumn column, bool if_not_exists) {
    AlterTable(context, table, [&](const TableDefinition &definition, const auto &) {
        return AddColumns(definition, {column}, if_not_exists);
    });
}

void ChangeType(duckdb::ClientContext &context, DeltaTableEntry &table, const duckdb::ChangeColumnTypeInfo &info) {
    const bool plain =
        !info.expression || (info.expression->GetExpressionClass() == duckdb::ExpressionClass::CAST &&
                             info.expression->Cast<duckdb::CastExpression>().child->GetExpressionClass() ==
                                 duckdb::ExpressionClass::COLUMN_REF);
    if (!plain) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "ALTER TABLE {}: USING would write all rows anew. Add a column, UPDATE it, and drop the old one.",
                   table.name));
    }
    ColumnChange change;
    change.column = {info.column_name};
    change.type = ValueOrThrow(DeltaTypeOf(info.target_type, info.column_name));
    AlterColumns(context, table, {change});
}

void SetNullable(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &column, bool nullable) {
    ColumnChange change;
    change.column = {column};
    change.nullable = nullable;
    AlterColumns(context, table, {change});
}

void SetOptions(duckdb::ClientContext &context, DeltaTableEntry &table, duckdb::SetTableOptionsInfo &info) {
    Properties properties;
    for (auto &[key, expression] : info.table_options) {
        properties[key] = ConstantText(context, *expression, "the option " + key);
    }
    SetTableProperties(context, table, properties);
}

[[noreturn]] void Refuse(const DeltaTableEntry &table, duckdb::AlterTableType type) {
    auto kind = duckdb::EnumUtil::ToString(type);
    std::replace(kind.begin(), kind.end(), '_', ' ');
    Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "ALTER TABLE {}: {} is not supported.{}", table.name, kind,
               type == duckdb::AlterTableType::SET_PARTITIONED_BY
                   ? " The partitioning of a table changes with CREATE OR REPLACE TABLE alone."
               : type == duckdb::AlterTableType::SET_SORTED_BY
                   ? " A Delta table has no order of rows; CLUSTER BY brings like rows together."
                   : ""));
}

void AlterByInfo(duckdb::ClientContext &context, DeltaSchema &schema, DeltaTableEntry &table,
                 duckdb::AlterTableInfo &info) {
    using Type = duckdb::AlterTableType;
    switch (info.alter_table_type) {
    case Type::ADD_COLUMN: {
        auto &add = info.Cast<duckdb::AddColumnInfo>();
        return Add(context, table, AddedColumnOf({}, add.new_column), add.if_column_not_exists);
    }
    case Type::ADD_FIELD: {
        auto &add = info.Cast<duckdb::AddFieldInfo>();
        return Add(context, table, AddedColumnOf(PathOf(add.column_path), add.new_field), add.if_field_not_exists);
    }
    case Type::REMOVE_COLUMN: {
        auto &remove = info.Cast<duckdb::RemoveColumnInfo>();
        return DropTableColumns(context, table, {{remove.removed_column}}, remove.if_column_exists);
    }
    case Type::REMOVE_FIELD: {
        auto &remove = info.Cast<duckdb::RemoveFieldInfo>();
        return DropTableColumns(context, table, {PathOf(remove.column_path)}, remove.if_column_exists);
    }
    case Type::RENAME_COLUMN: {
        auto &rename = info.Cast<duckdb::RenameColumnInfo>();
        return RenameTableColumn(context, table, {rename.old_name}, rename.new_name);
    }
    case Type::RENAME_FIELD: {
        auto &rename = info.Cast<duckdb::RenameFieldInfo>();
        return RenameTableColumn(context, table, PathOf(rename.column_path), rename.new_name);
    }
    case Type::RENAME_TABLE:
        return RenameTable(context, schema, table, schema.name, info.Cast<duckdb::RenameTableInfo>().new_table_name);
    case Type::ALTER_COLUMN_TYPE: return ChangeType(context, table, info.Cast<duckdb::ChangeColumnTypeInfo>());
    case Type::SET_NOT_NULL: return SetNullable(context, table, info.Cast<duckdb::SetNotNullInfo>().column_name, false);
    case Type::DROP_NOT_NULL:
        return SetNullable(context, table, info.Cast<duckdb::DropNotNullInfo>().column_name, true);
    case Type::SET_DEFAULT: {
        auto &set = info.Cast<duckdb::SetDefaultInfo>();
        std::optional<std::string> value;
        if (set.expression) {
            value = SparkTextOf(*set.expression, "The default of column " + set.column_name);
        }
        return SetColumnDefault(context, table, {set.column_name}, value);
    }
    case Type::SET_TABLE_OPTIONS: return SetOptions(context, table, info.Cast<duckdb::SetTableOptionsInfo>());
    case Type::RESET_TABLE_OPTIONS: {
        auto &options = info.Cast<duckdb::ResetTableOptionsInfo>().table_options;
        return UnsetTableProperties(context, table, {options.begin(), options.end()}, false);
    }
    default: Refuse(table, info.alter_table_type);
    }
}

}  // namespace

void AlterDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, duckdb::AlterInfo &info) {
    auto catalog_transaction = schema.GetCatalogTransaction(context);
    auto entry = schema.LookupEntry(catalog_transaction, {duckdb::CatalogType::TABLE_ENTRY, info.name});
    if (!entry) {
        return;  // DuckDB has looked it up before, and said so
    }
    auto &table = entry->Cast<DeltaTableEntry>();
    switch (info.type) {
    case duckdb::AlterType::ALTER_TABLE:
        return AlterByInfo(context, schema, table, info.Cast<duckdb::AlterTableInfo>());
    case duckdb::AlterType::SET_COMMENT:
        return AlterTable(context, table, [&](const TableDefinition &definition, const auto &) {
            return SetTableComment(definition, CommentOf(info.Cast<duckdb::SetCommentInfo>().comment_value));
        });
    case duckdb::AlterType::SET_COLUMN_COMMENT: {
        auto &comment = info.Cast<duckdb::SetColumnCommentInfo>();
        return AlterTable(context, table, [&](const TableDefinition &definition, const auto &) {
            ColumnChange change;
            change.column = PathOfName(definition, comment.column_name);
            change.comment = CommentOf(comment.comment_value);
            change.drop_comment = !change.comment;
            return ChangeColumns(definition, {change});
        });
    }
    default: Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "This change of {} is not supported.", table.name));
    }
}

}  // namespace birdfoot::duck
