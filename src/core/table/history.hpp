// History of a table: which commits there are and when they were made, and from a time to a version (PROTOCOL.md,
// "In-Commit Timestamps"): in-commit timestamps from the version on that enabled them, before that the commit files'
// times, made strictly rising.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/table/snapshot.hpp"

namespace birdfoot {

struct HistoryRow {
    Version version = 0;
    int64_t timestamp_ms = 0;
    std::optional<std::string> commit_info;  // the object as JSON, if the commit has one
};

//! The versions that can be read up to the snapshot's, newest first; at most `limit` of them.
Result<std::vector<HistoryRow>> ReadHistory(const Engine &engine, const Snapshot &latest, std::optional<size_t> limit,
                                            const Call &call);

//! What to do with a time outside of the table's life.
enum class OutOfRange : uint8_t {
    kError,  // DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION, DELTA_TIMESTAMP_GREATER_THAN_COMMIT
    kClamp,  // the first or the last version
};

struct VersionAndTime {
    Version version = 0;
    int64_t timestamp_ms = 0;
};

//! The last version committed at or before the time; `latest` is the table's latest snapshot.
Result<VersionAndTime> VersionAtTime(const Engine &engine, const Snapshot &latest, const AtTimestamp &time,
                                     OutOfRange out_of_range, const Call &call);
//! The first version committed at or after the time; none if all are older. For the start of a change feed.
Result<std::optional<VersionAndTime>> VersionFromTime(const Engine &engine, const Snapshot &latest, int64_t micros,
                                                      const Call &call);
//! The time of each version of a range, in order.
Result<std::vector<VersionAndTime>> CommitTimes(const Engine &engine, const Snapshot &latest, Version from, Version to,
                                                const Call &call);

}  // namespace birdfoot
