// ConflictChecker: may a transaction be committed after a commit that was first? (PROTOCOL.md leaves this to the
// writer; delta-spark's ConflictChecker is the model.) It is finer than Spark's where that is safe: read predicates are
// evaluated on partition values and statistics of each file, files that only re-arrange rows bring nothing new, and
// deletion vectors of one file may both be kept where exactly the rows touched were read. What it cannot evaluate is a
// conflict.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/log_segment.hpp"
#include "core/txn/commit_rules.hpp"

namespace birdfoot {

enum class IsolationLevel : uint8_t { kSerializable, kWriteSerializable, kSnapshotIsolation };
//! As commitInfo has it.
std::string_view IsolationLevelName(IsolationLevel level);
//! The table's (delta.isolationLevel), or SnapshotIsolation for a change that only re-arranges rows.
IsolationLevel IsolationLevelFor(const Metadata &metadata, const ChangeSet &changes);

//! A commit that took the version we wanted, its actions sorted by kind. Pointers lead into `commit`.
struct Winner {
    Winner(CommitActionsPtr actions, int64_t file_time);

    CommitActionsPtr commit;
    Version version;
    int64_t file_time_ms;
    const CommitInfo *info = nullptr;  // null if it has none
    const Metadata *metadata = nullptr;
    const Protocol *protocol = nullptr;
    std::vector<const AddFile *> adds;
    std::vector<const RemoveFile *> removes;
    std::vector<const SetTransaction *> transactions;
    std::vector<const DomainMetadata *> domains;

    std::string_view operation() const;
    bool is_blind_append() const;
    //! ROW TRACKING BACKFILL and UNBACKFILL only give or take away row ids.
    bool only_row_ids() const;
    //! OPTIMIZE, REORG: the same rows in other files (PROTOCOL.md, dataChange of add and remove).
    bool only_re_arranges() const;
    int64_t timestamp_ms() const;
};

//! A file whose deletion vector the winner replaced, in a table where we read no rows but those that we touched: no
//! conflict if it only grew, and if it did not grow by a row of ours.
struct VectorChange {
    const RemoveFile *before = nullptr;
    const AddFile *after = nullptr;
    std::optional<size_t> our_add;  // ChangeSet::adds, if we replace the vector too; else we did not touch the file
    std::optional<size_t> our_remove;
};

struct ConflictVerdict {
    std::optional<Error> conflict;
    // To be looked at, if there is no conflict:
    std::vector<VectorChange> vector_changes;
    std::vector<size_t> moved;  // ChangeSet::removes whose files the winner re-arranged: their rows are elsewhere now
};

class ConflictChecker {
public:
    //! The snapshot, the change set and what they hold must outlive it.
    ConflictChecker(const Snapshot &read, const ChangeSet &changes, IsolationLevel level);

    //! Called for each winner, in the order of versions; `base` is the state before it, and the change set is rebased
    //! over all winners before.
    ConflictVerdict Check(const CommitBase &base, const Winner &winner);
    //! An error that names both sides: `what` the winner did.
    Error Conflict(Condition condition, const Winner &winner, std::string_view what) const;

private:
    std::optional<Error> CheckProtocol(const CommitBase &base, const Winner &winner) const;
    std::optional<Error> CheckMetadata(const CommitBase &base, const Winner &winner) const;
    std::optional<Error> CheckDomains(const Winner &winner) const;
    std::optional<Error> CheckTransactions(const Winner &winner) const;
    std::optional<Error> CheckAdds(const Winner &winner) const;
    std::optional<Error> CheckReads(const Winner &winner) const;
    std::optional<Error> CheckDeletes(const CommitBase &base, const Winner &winner, ConflictVerdict &verdict) const;
    bool FollowsRows(const CommitBase &base, const Winner &winner) const;
    void IndexFiles();

    bool MayMatch(const PartitionValues *values, const std::optional<std::string> &stats) const;
    std::string PartitionHint(const PartitionValues *values) const;

    const Snapshot &read_;
    const ChangeSet &changes_;
    IsolationLevel level_;
    std::vector<Predicate> predicates_;
    std::map<std::string, DataType> partition_columns_;  // physical name → type, as of the version read
    std::map<std::string, size_t> our_removes_;          // by decoded path
    std::map<std::string, size_t> our_adds_;
    std::set<std::string> added_since_;  // by earlier winners, decoded paths: we cannot have read them
};

//! The base after the winner, and the row ids that it gave to files of ours.
void Rebase(CommitBase &base, const Winner &winner, ChangeSet &changes);

}  // namespace birdfoot
