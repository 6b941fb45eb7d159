// Which files make up a checkpoint (PROTOCOL.md, "Checkpoints"): a classic one's parts, a V2 one's manifest and
// sidecars.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/log/actions.hpp"
#include "core/log/log_segment.hpp"

namespace birdfoot {

struct CheckpointContent {
    std::vector<Action> manifest;     // of a JSON manifest
    std::vector<std::string> heads;   // Parquet files that may hold any action
    std::vector<std::string> bodies;  // Parquet files that may hold add and remove: heads and sidecars
};

//! The files of the segment's checkpoint, as full paths; `with_sidecars` reads those that a Parquet manifest names.
//! FAILED_READ_FILE, DELTA_LOG_FILE_MALFORMED or BIRDFOOT_OBJECT_NOT_FOUND for a manifest that cannot be read.
Result<CheckpointContent> OpenCheckpoint(const Engine &engine, const LogSegment &segment, bool with_sidecars,
                                         const Call &call);

//! The engine's reader. BIRDFOOT_UNSUPPORTED if it has none.
Result<std::shared_ptr<ParquetIo>> ParquetOf(const Engine &engine, const LogSegment &segment);

}  // namespace birdfoot
