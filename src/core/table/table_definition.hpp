// TableDefinition: what a table is beside its files: metadata and protocol, with the schema parsed. A change of schema
// or properties is made on one and then completed: column mapping, the schema's text and the protocol follow
// (PROTOCOL.md, "Column Mapping", "Protocol Evolution").
#pragma once

#include "core/log/actions.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot {

struct TableDefinition {
    Metadata metadata;
    Protocol protocol;
    StructType schema;  // with ids and physical names, where columns are mapped
    ColumnMappingMode mapping = ColumnMappingMode::kNone;
};

TableDefinition DefinitionOf(const Snapshot &snapshot);
//! Whether the table is partitioned by the top-level column of that logical name.
bool IsPartitionColumn(const Metadata &metadata, std::string_view name);

enum class SchemaChange : uint8_t {
    kAltered,      // the files stay
    kOverwritten,  // all files go: a field inherits from the old one at its path, where the types are the same
    kRewritten,    // all files are written anew under their logical names: column mapping may go
};

//! Brings `changed`, whose schema, partition columns, description or configuration differ from `before`'s, in order:
//! mode, ids and physical names, metadata.schema_string, and a protocol that has all it needs (pseudo-properties count,
//! and are then removed). DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE, DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT, and
//! what CheckColumns and CheckProperties say of what has changed.
Result<TableDefinition> CompleteChange(TableDefinition changed, const TableDefinition &before, SchemaChange change);

//! The rules for a table's columns: names, partition columns, NOT NULL within collections.
Status CheckColumns(const StructType &schema, const std::vector<std::string> &partition_columns,
                    ColumnMappingMode mapping);

//! What properties ask of each other and of the schema: DELTA_COLUMN_NOT_FOUND and its like for the columns with
//! statistics, DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS, DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION.
Status CheckProperties(const TableDefinition &table);

//! `protocol` with the features that the metadata has come to need, never lower than it was; pseudo-properties count,
//! and are then removed from it.
Protocol RaiseProtocol(const Protocol &protocol, Metadata &metadata, const StructType &schema);

//! The mode that the properties ask for.
Result<ColumnMappingMode> MappingModeOf(const Metadata &metadata);
//! Gives fields without them ids and physical names, and notes the largest id. Ids begin above all that `metadata` and
//! the schema know.
void MapColumns(TableDefinition &table, bool keep_names);
//! Where row tracking is on, names the columns that hold the ids of rows that are moved: as `before` does, if it does.
void NameMovedRowColumns(Metadata &metadata, const Metadata *before);

}  // namespace birdfoot
