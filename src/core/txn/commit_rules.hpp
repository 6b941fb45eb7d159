// Commit rules: what every commit must fulfil (PROTOCOL.md, "Requirements for Writers"), one function a rule. Most are
// checked once, before the first attempt; row ids and in-commit timestamps depend on the version and are applied anew
// for each one tried.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/table/snapshot.hpp"
#include "core/txn/change_set.hpp"

namespace birdfoot {

inline constexpr std::string_view kRowTrackingDomain = "delta.rowTracking";

//! What a commit builds on: the version read, moved on by each winner that it was rebased over.
struct CommitBase {
    Version version = -1;  // the commit is tried at the next one; -1: there is no table yet
    Protocol protocol;     // as of `version`, like all that follows
    Metadata metadata;
    int64_t timestamp_ms = 0;           // its in-commit timestamp, else its file's time
    int64_t row_id_high_water = -1;     // of the delta.rowTracking domain
    bool row_tracking_was_off = false;  // a winner turned it on: what we wrote has not kept row ids

    bool exists() const { return version >= 0; }
};

//! What the writer must have checked on, or computed for, each row that it adds: "NOT NULL a.b" (with ".element",
//! ".key",
//! ".value" inside arrays and maps), the names of CHECK constraints as the properties have them, "INVARIANT a.b",
//! "GENERATED a.b", "IDENTITY a.b". For ChangeSet::acknowledged_constraints.
std::vector<std::string> TableConstraints(const Metadata &metadata, const StructType &schema);

//! The rules that do not depend on the version tried: one action a path, append-only, acknowledged constraints,
//! partition values, statistics, flags. Raises the protocol where a new metadata needs more. `read` is null for a new
//! table.
Status ApplyFixedRules(const Snapshot *read, ChangeSet &changes, const std::string &root);

//! The adds that get row ids or a commit version; all others keep what they have.
struct FreshFiles {
    std::vector<std::pair<size_t, int64_t>> without_row_ids;  // index into ChangeSet::adds, rows in the file
    std::vector<size_t> without_version;
};
//! Found before any is given. A file added again takes over what its remove says.
//! DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS if a file's number of rows is unknown.
Result<FreshFiles> FindFreshFiles(ChangeSet &changes);
//! Row ids above the high-water mark and the version tried (PROTOCOL.md, "Row Tracking"), if the table has row
//! tracking. DELTA_LOG_FILE_MALFORMED where the mark leaves no room for them.
Status AssignRowIds(const CommitBase &base, const FreshFiles &fresh, ChangeSet &changes);
//! Takes back what was given for a version that another writer has taken.
void TakeRowIdsBack(const FreshFiles &fresh, ChangeSet &changes);
//! Whether writers give row ids under this protocol and metadata.
bool AssignsRowIds(const Protocol &protocol, const Metadata &metadata);
//! The mark that a delta.rowTracking domain holds.
std::optional<int64_t> RowIdHighWater(const DomainMetadata &domain);

//! The in-commit timestamp (PROTOCOL.md, "In-Commit Timestamps"), if the table has them: the larger of now and one
//! millisecond after the previous commit. Where the commit switches them on, the metadata notes since when.
std::optional<int64_t> StampInCommit(const CommitBase &base, ChangeSet &changes, int64_t now_ms);

struct CommitProvenance {
    std::string txn_id;
    std::string engine_info;
    std::string_view isolation_level;
    std::optional<Version> read_version;
    bool history_metrics = true;
};
//! The bytes of the commit: commitInfo first, then the actions, a line each.
std::string CommitBody(const CommitBase &base, const ChangeSet &changes, const CommitProvenance &provenance,
                       int64_t now_ms, std::optional<int64_t> in_commit_timestamp);

//! True if the configuration has this property set to true.
bool IsSwitchedOn(const Metadata &metadata, const std::string &property);

}  // namespace birdfoot
