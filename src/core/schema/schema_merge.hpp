// Schema enforcement and evolution on writing: whether data of one schema can go into a table of another, by name, and
// what the table's schema becomes.
#pragma once

#include "core/schema/types.hpp"

namespace birdfoot {

//! Spark's store assignment (ANSI): numbers among themselves, dates and times among themselves, primitives to string,
//! nested types by their parts (structs by position), NULL into all. A value that does not fit is an error of the
//! write. Text is never taken for a number or a date; delta-spark's INSERT itself is laxer and casts whatever it can.
bool CanStoreAssign(const DataType &from, const DataType &to);

struct MergeOptions {
    bool evolve = false;      // mergeSchema, WITH SCHEMA EVOLUTION or the session's autoMerge
    bool widen = false;       // delta.enableTypeWidening is on; only where evolve is
    bool check_types = true;  // false: the caller casts the data to the table's types, and refuses what it cannot
    std::string table_id;     // for the message
};

//! The schema that the table needs to take the data, columns matched by name without regard to case at every level. The
//! table's columns keep their place, name, nullability and metadata; new ones come last and are nullable; a wider type
//! is recorded. It is `table` itself (see SameSchema) where nothing changes. Columns that the data lacks are no matter
//! here. DELTA_DUPLICATE_COLUMNS_FOUND in the data, DELTA_FAILED_TO_MERGE_FIELDS for types that do not go together,
//! DELTA_METADATA_MISMATCH (with both schemas) where the schema would change and may not.
Result<StructType> MergeSchemas(const StructType &table, const StructType &data, const MergeOptions &options);

//! Equal in every respect: names, types, nullability, metadata.
bool SameSchema(const StructType &a, const StructType &b);

}  // namespace birdfoot
