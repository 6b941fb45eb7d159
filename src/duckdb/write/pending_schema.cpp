#include "duckdb/write/pending_schema.hpp"

#include "core/schema/schema_merge.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/table/table_properties.hpp"
#include "duckdb/commands/column_uses.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

void SetSchema(TableWork &work, StructType schema, std::vector<std::string> partition_columns, SchemaChange change) {
    const auto before = DefinitionOf(work);
    auto changed = before;
    changed.schema = std::move(schema);
    changed.metadata.partition_columns = std::move(partition_columns);
    SetDefinition(work, ValueOrThrow(CompleteChange(std::move(changed), before, change)));
}

}  // namespace

Result<StructType> SchemaOf(const QueryColumns &columns) {
    StructType schema;
    for (size_t i = 0; i < columns.names.size(); i++) {
        BF_ASSIGN(auto type, DeltaTypeOf(columns.types[i], columns.names[i]));
        schema.fields.push_back({columns.names[i], std::move(type), true, {}});
    }
    return schema;
}

bool AddMissingColumns(TableWork &work, const StructType &data) {
    MergeOptions options;
    options.evolve = true;
    options.widen = BoolProperty(work.metadata, "delta.enableTypeWidening");
    options.check_types = false;  // the INSERT casts
    auto merged = ValueOrThrow(MergeSchemas(work.schema, data, options));
    if (SchemaToJson(merged) == SchemaToJson(work.schema)) {
        return false;
    }
    for (const auto &widened : WidenedColumns(work.schema, merged)) {
        RequireUnusedToWiden(DefinitionOf(work), widened);
    }
    SetSchema(work, std::move(merged), work.metadata.partition_columns, SchemaChange::kAltered);
    return true;
}

bool ReplaceSchema(TableWork &work, StructType data, std::vector<std::string> partition_columns) {
    OkOrThrow(CheckDuplicateNames(data, "the data being saved"));
    for (auto &name : partition_columns) {
        const auto *field = data.Find(name);
        if (!field) {
            Throw(Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                       "Partition column `{}` not found in schema {}. Name a column of the query.", name,
                       SchemaToTree(data)));
        }
        name = field->name;
    }
    // A column that stays what it was keeps its comment, its constraints and its place in the files.
    for (auto &field : data.fields) {
        const auto *old = work.schema.Find(field.name);
        if (old && old->type.SameAs(field.type)) {
            field = *old;
        }
    }
    if (SchemaToJson(data) == SchemaToJson(work.schema) && partition_columns == work.metadata.partition_columns) {
        return false;
    }
    SetSchema(work, std::move(data), std::move(partition_columns), SchemaChange::kOverwritten);
    return true;
}

MetadataGuard::MetadataGuard(TableWork &work)
    : work_(work),
      metadata_(work.metadata),
      protocol_(work.protocol),
      schema_(work.schema),
      mapping_(work.mapping),
      changed_metadata_(work.transaction.changes().metadata),
      changed_protocol_(work.transaction.changes().protocol) {}

MetadataGuard::~MetadataGuard() {
    std::lock_guard lock(work_.mutex);
    work_.metadata = std::move(metadata_);
    work_.protocol = std::move(protocol_);
    work_.schema = std::move(schema_);
    work_.mapping = mapping_;
    work_.transaction.changes().metadata = std::move(changed_metadata_);
    work_.transaction.changes().protocol = std::move(changed_protocol_);
}

void KeepMetadata(TableWork &work, const Snapshot &bound) {
    std::lock_guard lock(work.mutex);
    if (bound.metadata() == work.metadata && bound.protocol() == work.protocol) {
        return;
    }
    work.SetMetadata(bound.metadata(), bound.schema(), bound.mapping(), bound.protocol());
}

}  // namespace birdfoot::duck
