#include "duckdb/commands/alter_table.hpp"

#include "duckdb/common/enum_util.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/comment_on_column_info.hpp"

#include "core/base/json.hpp"
#include "core/table/new_table.hpp"
#include "core/table/table_features.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/commands/create_table.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

TableWork &WorkOnTable(duckdb::ClientContext &context, DeltaTableEntry &table) {
    table.RequireWritable();
    return DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
}

//! Under the work's mutex: checks the new metadata, raises the protocol where it asks for that, makes it the pending one.
void Change(TableWork &work, Metadata metadata, StructType schema, Operation operation) {
    auto protocol = RaiseProtocol(work.protocol, metadata, schema);
    OkOrThrow(CheckWritable(protocol, metadata, schema, work.transaction.root()));
    OkOrThrow(CheckChangeFeedColumns(metadata, schema));
    work.SetMetadata(std::move(metadata), std::move(schema), work.mapping, std::move(protocol));
    RecordOperation(work, std::move(operation));
}

std::string PropertiesJson(const std::map<std::string, std::string> &properties) {
    std::string text;
    JsonWriter writer(text);
    writer.BeginObject();
    for (auto &[key, value] : properties) {
        writer.Key(key).String(value);
    }
    writer.EndObject();
    return text;
}

//! The same fields, with the comment of the one at `path` changed.
StructType WithComment(const StructType &schema, std::string_view path, const std::optional<std::string> &comment,
                       const std::string &full_path) {
    auto changed = schema;
    for (auto &field : changed.fields) {
        if (EqualsIgnoreCase(field.name, path)) {
            if (comment) {
                field.metadata.SetString("comment", *comment);
            } else {
                field.metadata.Remove("comment");
            }
            return changed;
        }
        bool inside = path.size() > field.name.size() && path[field.name.size()] == '.' &&
                      EqualsIgnoreCase(field.name, path.substr(0, field.name.size()));
        if (inside && field.type.kind() == TypeKind::kStruct) {
            field.type = DataType::Struct(
                WithComment(field.type.struct_type(), path.substr(field.name.size() + 1), comment, full_path));
            return changed;
        }
    }
    Throw(Fail(Condition::DELTA_COLUMN_NOT_FOUND, "There is no column {} in the table.", full_path));
}

std::optional<std::string> CommentOf(const duckdb::Value &value) {
    return value.IsNull() ? std::nullopt : std::optional<std::string>(value.ToString());
}

void AlterOptions(duckdb::ClientContext &context, DeltaTableEntry &table, duckdb::AlterTableInfo &info) {
    if (info.alter_table_type == duckdb::AlterTableType::SET_TABLE_OPTIONS) {
        std::map<std::string, std::string> properties;
        for (auto &[key, expression] : info.Cast<duckdb::SetTableOptionsInfo>().table_options) {
            properties[key] = ConstantText(context, *expression, "the option " + key);
        }
        SetTableProperties(context, table, properties);
        return;
    }
    if (info.alter_table_type == duckdb::AlterTableType::RESET_TABLE_OPTIONS) {
        auto &options = info.Cast<duckdb::ResetTableOptionsInfo>().table_options;
        UnsetTableProperties(context, table, {options.begin(), options.end()}, false);
        return;
    }
    auto kind = duckdb::EnumUtil::ToString(info.alter_table_type);
    std::replace(kind.begin(), kind.end(), '_', ' ');
    Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
               "ALTER TABLE {}: {} is not supported yet in this version. It can SET and RESET options, and COMMENT ON "
               "changes comments.",
               table.name, kind));
}

}  // namespace

void SetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table,
                        const Properties &properties) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    auto checked =
        ValueOrThrow(CheckProperties(properties, metadata.configuration, AllowsArbitraryProperties(context)));
    for (auto &[key, value] : checked) {
        metadata.configuration[key] = value;
    }
    Change(work, std::move(metadata), work.schema,
           {"SET TBLPROPERTIES", {{"properties", PropertiesJson(checked)}}, {}});
}

void UnsetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<std::string> &keys,
                          bool if_exists) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    std::vector<std::string> canonical;
    for (auto &key : keys) {
        canonical.push_back(CanonicalPropertyKey(key));
        if (metadata.configuration.erase(canonical.back()) == 0 && !if_exists) {
            Throw(Fail(Condition::DELTA_UNSET_NON_EXISTENT_PROPERTY,
                       "Attempted to unset non-existent property '{}' in table {}.", key, table.name));
        }
    }
    Change(work, std::move(metadata), work.schema,
           {"UNSET TBLPROPERTIES", {{"properties", JsonList(canonical)}, {"ifExists", if_exists ? "true" : "false"}}, {}});
}

void SetTableComment(duckdb::ClientContext &context, DeltaTableEntry &table, std::optional<std::string> comment) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    // As Spark records it: a comment is a property named so.
    auto properties = PropertiesJson({{"comment", comment.value_or("")}});
    metadata.description = std::move(comment);
    Change(work, std::move(metadata), work.schema, {"SET TBLPROPERTIES", {{"properties", properties}}, {}});
}

void SetColumnComment(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &column,
                      std::optional<std::string> comment) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    auto schema = WithComment(work.schema, column, comment, column);
    metadata.schema_string = SchemaToJson(schema);
    std::string described;
    JsonWriter writer(described);
    writer.BeginObject().Key("name").String(column).Key("comment").String(comment.value_or("")).EndObject();
    Change(work, std::move(metadata), std::move(schema), {"CHANGE COLUMN", {{"column", described}}, {}});
}

void AlterDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, duckdb::AlterInfo &info) {
    auto catalog_transaction = schema.GetCatalogTransaction(context);
    auto entry = schema.LookupEntry(catalog_transaction, {duckdb::CatalogType::TABLE_ENTRY, info.name});
    if (!entry) {
        return;  // DuckDB has looked it up before, and said so
    }
    auto &table = entry->Cast<DeltaTableEntry>();
    switch (info.type) {
    case duckdb::AlterType::ALTER_TABLE:
        AlterOptions(context, table, info.Cast<duckdb::AlterTableInfo>());
        return;
    case duckdb::AlterType::SET_COMMENT:
        SetTableComment(context, table, CommentOf(info.Cast<duckdb::SetCommentInfo>().comment_value));
        return;
    case duckdb::AlterType::SET_COLUMN_COMMENT: {
        auto &comment = info.Cast<duckdb::SetColumnCommentInfo>();
        SetColumnComment(context, table, comment.column_name, CommentOf(comment.comment_value));
        return;
    }
    default:
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "This change of {} is not supported.", table.name));
    }
}

}  // namespace birdfoot::duck
