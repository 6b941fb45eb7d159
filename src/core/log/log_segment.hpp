// LogSegment: the files of the log that make up one version (PROTOCOL.md, "Delta Log Entries", "Checkpoints", "Log
// Compaction Files"): the newest complete checkpoint at or before it, and the commits (or compactions) after that.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/log/actions.hpp"
#include "core/log/file_names.hpp"

namespace birdfoot {

//! The parsed actions of one JSON file of the log, shared between snapshots that contain it.
struct CommitActions {
    Version version = 0;        // of a compaction: its last version
    Version first_version = 0;  // of a compaction: its first version; else the same
    std::vector<Action> actions;
};
using CommitActionsPtr = std::shared_ptr<const CommitActions>;

struct CheckpointFiles {
    Version version = 0;
    CheckpointKind kind = CheckpointKind::kClassic;
    std::vector<std::string> files;  // full paths: one, or the parts in order; the manifest of a V2 checkpoint
    uint64_t size_in_bytes = 0;
};

struct LogSegment {
    std::string log_folder;  // <root>/_delta_log
    Version version = 0;
    std::optional<CheckpointFiles> checkpoint;
    std::vector<ObjectInfo> commits;      // commit files after the checkpoint, ascending, without gaps
    std::vector<ObjectInfo> compactions;  // log compaction files whose range lies within the commits' range
    std::optional<ObjectInfo> checksum;   // <version>.crc, if there
    ObjectInfo last_commit;  // the file of `version` itself (its size and time are the cache's validator); may be empty
    //! What the commits hold, oldest first, compactions in the place of commits; empty where it was not kept.
    std::vector<CommitActionsPtr> tail;

    Version first_in_tail() const { return checkpoint ? checkpoint->version + 1 : 0; }
};

//! Lists the log and picks the files for `version` (none: the latest). Uses _last_checkpoint as a hint only: it may
//! lie, be missing or be damaged. Only direct children count. An incomplete multi-part checkpoint is no checkpoint, and
//! neither is one whose first file is in `damaged` (full paths).
Result<LogSegment> ListLogSegment(const Engine &engine, const std::string &root, std::optional<Version> version,
                                  const Call &call, const std::set<std::string> &damaged = {});
//! The latest segment, given an earlier one. Asks for the next commits by name; lists, from the earlier version on,
//! only where many are new or the tail has grown so long that there should be a newer checkpoint. None where the
//! earlier version's commit is no longer the same file.
Result<std::optional<LogSegment>> ExtendLogSegment(const Engine &engine, const LogSegment &earlier, const Call &call);
//! The segment of the same version on an older checkpoint than the damaged ones, with its tail.
Result<LogSegment> OlderSegment(const Engine &engine, const LogSegment &segment, const std::set<std::string> &damaged,
                                const Call &call);
//! Every version that can be read lies between these; NotFound errors as ListLogSegment's.
struct VersionRange {
    Version earliest = 0;
    Version latest = 0;
};
Result<VersionRange> AvailableVersions(const Engine &engine, const std::string &root, const Call &call);

//! Reads and parses one commit or compaction file.
Result<CommitActionsPtr> ReadCommit(const Engine &engine, const std::string &log_folder, const ObjectInfo &file,
                                    const Call &call);
//! Fills `tail` unless the commits are too large to keep (the sum of their sizes is over kMaxKeptTail).
inline constexpr uint64_t kMaxKeptTail = 32 << 20;
Status ReadTail(const Engine &engine, LogSegment &segment, const Call &call);
//! Visits the commits after the checkpoint, newest first, until `visit` says false; reads those that are not kept.
Status VisitTail(const Engine &engine, const LogSegment &segment,
                 const std::function<Result<bool>(const CommitActions &)> &visit, const Call &call);

}  // namespace birdfoot
