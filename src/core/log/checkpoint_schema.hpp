// The columns of a checkpoint (PROTOCOL.md, "Checkpoint Schema"), field by field as delta-spark writes them: every
// field optional, INT32 for protocol versions, offsets and sizes of vectors. One schema for all checkpoints of a table,
// whatever was read; statistics and partition values as structs only where the table wants them.
#pragma once

#include <optional>
#include <vector>

#include "core/io/parquet_io.hpp"

namespace birdfoot {

struct CheckpointColumns {
    bool statistics_text = true;                 // add.stats
    std::optional<ColumnType> statistics;        // add.stats_parsed
    std::optional<ColumnType> partition_values;  // add.partitionValues_parsed
};

ColumnType AddColumn(const CheckpointColumns &columns);
ColumnType RemoveColumn();
//! txn, metaData, protocol, domainMetadata; of a V2 manifest also checkpointMetadata and sidecar.
std::vector<ColumnType> TableColumns(bool v2_manifest);

}  // namespace birdfoot
