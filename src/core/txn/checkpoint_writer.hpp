// Writing checkpoints (PROTOCOL.md, "Checkpoints"): the reconciliation of all that the log says at a version, streamed
// from replay to Parquet. Classic ones, and V2 ones (a manifest and sidecars) where delta.checkpointPolicy says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/table/snapshot.hpp"

namespace birdfoot {

struct CheckpointWritten {
    Version version = 0;
    std::vector<std::string> files;  // full paths, the one that readers open first at the end
    uint64_t size_in_bytes = 0;
    uint64_t actions = 0;
    uint64_t files_added = 0;  // live files in it
    bool existed = false;      // there was one for this version; nothing was written
};

struct CheckpointOptions {
    uint64_t actions_per_sidecar = 50'000;
    uint32_t batch_rows = 2'048;
};

//! Writes the checkpoint of the snapshot's version, then _last_checkpoint. What fails leaves no checkpoint behind.
Result<CheckpointWritten> WriteCheckpoint(const Engine &engine, const Snapshot &snapshot, const Call &call,
                                          const CheckpointOptions &options = {});

}  // namespace birdfoot
