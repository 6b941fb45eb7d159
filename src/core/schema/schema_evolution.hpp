// Schema evolution on write: what a table's schema becomes when rows with further columns are added to it.
#pragma once

#include <string>
#include <vector>

#include "core/schema/types.hpp"

namespace birdfoot {

//! The table's columns as they are, then those of `data` that the table lacks, nullable; structs are merged in the same
//! way at any depth. Names match without regard to case. A column that both have keeps the table's type: whether the
//! data's fits into it is another question. DELTA_DUPLICATE_COLUMNS_FOUND.
Result<StructType> MergeSchema(const StructType &table, const StructType &data);

//! DELTA_DUPLICATE_COLUMNS_FOUND for names that differ by case alone, at any depth.
Status CheckNoDuplicates(const StructType &schema);

//! "root\n |-- id: long (nullable = true)\n …", for messages that show a schema.
std::string SchemaToTree(const StructType &schema);

}  // namespace birdfoot
