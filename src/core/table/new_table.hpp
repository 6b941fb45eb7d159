// New tables: from a schema, partition columns and properties to the first metadata and protocol of a table
// (PROTOCOL.md, "Change Metadata", "Protocol Evolution"), and the rules that these must meet. Clustering is left out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/table/snapshot.hpp"
#include "core/table/table_definition.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {

struct TableSpec {
    StructType schema;  // logical
    std::vector<std::string> partition_columns;
    Properties properties;  // keys in any spelling; pseudo-properties (delta.minReaderVersion, delta.feature.*) too
    std::optional<std::string> comment;
    bool allow_arbitrary_properties = false;
};

//! The metadata (with a new id) and the lowest protocol of a new table. DELTA_DUPLICATE_COLUMNS_FOUND,
//! DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES, DELTA_PARTITION_COLUMN_NOT_FOUND, DELTA_INVALID_PARTITION_COLUMN_TYPE,
//! DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION, DELTA_NESTED_NOT_NULL_CONSTRAINT, and what CheckProperties says.
//! One that takes the place of `replaced` keeps its ids and names of columns where it can, and never lowers its
//! protocol.
Result<TableDefinition> DescribeNewTable(TableSpec spec, int64_t now_ms, const TableDefinition *replaced = nullptr);

//! That a table that exists is what a CREATE TABLE says: what is said must match exactly (specification, S37).
//! DELTA_CREATE_TABLE_SCHEME_MISMATCH, _WITH_DIFFERENT_PARTITIONING, _WITH_DIFFERENT_PROPERTY.
Status CheckSameTable(const Snapshot &table, const TableSpec &spec);

}  // namespace birdfoot
