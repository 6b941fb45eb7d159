// What a writer may put into a table's schema, beyond what a reader takes: names, partition columns, void columns.
#pragma once

#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"

namespace birdfoot {

//! Names that differ at most by case: DELTA_DUPLICATE_COLUMNS_FOUND. `where` says what has them: "the table's schema".
Status CheckDuplicateNames(const StructType &schema, std::string_view where);
//! Without column mapping, " ,;{}()\n\t=" are no characters of a name, and no name is empty:
//! DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES.
Status CheckColumnNames(const StructType &schema, ColumnMappingMode mode);
//! They exist, once each, have a type that can be one, and leave a column for the files. Gives the names as the schema
//! spells them. DELTA_PARTITION_COLUMN_NOT_FOUND, DELTA_DUPLICATE_COLUMNS_FOUND, DELTA_INVALID_PARTITION_COLUMN_TYPE,
//! DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION.
Result<std::vector<std::string>> CheckPartitionColumns(const StructType &schema,
                                                       const std::vector<std::string> &columns);
//! Before data files are written: void columns are not in files, so neither arrays and maps of them nor structs of
//! nothing else can be (PROTOCOL.md, "Void Type").
Status CheckVoidColumns(const StructType &schema);
//! What a table that is created or evolved must meet: names, and no NOT NULL within arrays and maps
//! (DELTA_NESTED_NOT_NULL_CONSTRAINT).
Status CheckSchemaForWrite(const StructType &schema, ColumnMappingMode mode);

//! Spark's printSchema: "root\n |-- id: long (nullable = true)\n".
std::string SchemaToTree(const StructType &schema);

}  // namespace birdfoot
