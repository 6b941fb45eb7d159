// Log clean-up (PROTOCOL.md, "Metadata Cleanup"): deletes commits, checkpoints, checksums, compactions and sidecars
// that no version within the retention needs. A version that can be read before can be read after, unless it is older
// than the retention.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/table/snapshot.hpp"

namespace birdfoot {

struct CleanupReport {
    uint64_t deleted_files = 0;
    Version first_kept = 0;  // the oldest version that stays readable
};

//! `latest` is the table's latest snapshot. Does nothing where delta.enableExpiredLogCleanup is false, or where the
//! feature checkpointProtection guards the versions. A `retention_ms` counts instead of the table's properties, to the
//! minute.
Result<CleanupReport> CleanUpLog(const Engine &engine, const Snapshot &latest, const Call &call,
                                 std::optional<int64_t> retention_ms = std::nullopt);

}  // namespace birdfoot
