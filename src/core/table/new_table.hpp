// New tables: from a schema, partition columns and properties to the first metadata and protocol of a table (PROTOCOL.md,
// "Change Metadata", "Protocol Evolution"), and the rules that these must meet. Also what changes of metadata ask of the
// protocol of a table that exists. Clustering is left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/log/actions.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/table/snapshot.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {

struct TableSpec {
    StructType schema;  // logical
    std::vector<std::string> partition_columns;
    Properties properties;  // keys in any spelling; pseudo-properties (delta.minReaderVersion, delta.feature.*) too
    std::optional<std::string> comment;
    bool allow_arbitrary_properties = false;
};

struct NewTable {
    Metadata metadata;
    Protocol protocol;
    StructType schema;  // with ids and physical names, where columns are mapped
    ColumnMappingMode mapping = ColumnMappingMode::kNone;
};

//! The metadata (with a new id) and the lowest protocol of a new table. DELTA_DUPLICATE_COLUMNS_FOUND,
//! DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES, DELTA_PARTITION_COLUMN_NOT_FOUND, DELTA_INVALID_PARTITION_COLUMN_TYPE,
//! DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION, DELTA_NESTED_NOT_NULL_CONSTRAINT, and what CheckProperties says.
Result<NewTable> DescribeNewTable(TableSpec spec, int64_t now_ms);

//! The checks of DescribeNewTable on a schema alone: of a new table, or one that has evolved.
Status CheckColumns(const StructType &schema, const std::vector<std::string> &partition_columns,
                    ColumnMappingMode mapping);

//! That a table with a change feed has no column named as one of the feed's own: such a feed could not be read.
//! DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS.
Status CheckChangeFeedColumns(const Metadata &metadata, const StructType &schema);

//! `protocol` with the features that the metadata has come to need, never lower than it was; pseudo-properties count, and
//! are then removed from it.
Protocol RaiseProtocol(const Protocol &protocol, Metadata &metadata, const StructType &schema);

//! That a table that exists is what a CREATE TABLE says: what is said must match exactly (specification, S37).
//! DELTA_CREATE_TABLE_SCHEME_MISMATCH, _WITH_DIFFERENT_PARTITIONING, _WITH_DIFFERENT_PROPERTY.
Status CheckSameTable(const Snapshot &table, const TableSpec &spec);

}  // namespace birdfoot
