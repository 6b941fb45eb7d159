// Transaction: a snapshot that was read, a ChangeSet, and Commit(): apply the commit rules, then write-if-absent, and
// where somebody was first read the winners, check for conflicts, rebase, build the body anew and go on; after the
// commit checkpoint, checksum and clean up.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/table/snapshot.hpp"
#include "core/txn/change_set.hpp"
#include "core/txn/pending_files.hpp"

namespace birdfoot {

struct Committed {
    Version version = 0;
    bool skipped = false;  // nothing to write: `version` is the one read (or the idempotent write's)
};
struct Conflict {
    Error error;  // one of the DELTA_CONCURRENT_* family, both versions named
};
struct OutcomeUnknown {
    Error error;  // the commit may have landed; nothing was deleted
};
using CommitOutcome = std::variant<Committed, Conflict, OutcomeUnknown>;

struct CommitOptions {
    int max_attempts = 10'000'000;  // spark.databricks.delta.maxCommitAttempts
    std::string engine_info;        // "Birdfoot/0.1.0 DuckDB/1.5.5"
    bool history_metrics = true;    // write operationMetrics
    bool commit_empty = false;      // make a version even of nothing (VACUUM START / END)
    //! Waits between attempts; tests replace it. Sleeps if empty.
    std::function<void(std::chrono::milliseconds)> sleep;
};

class Transaction {
public:
    //! `snapshot` is null for a table that does not exist yet: the commit then is version 0 and nothing else.
    Transaction(std::string root, SnapshotPtr snapshot) : root_(std::move(root)), snapshot_(std::move(snapshot)) {}

    const std::string &root() const { return root_; }
    const SnapshotPtr &snapshot() const { return snapshot_; }
    ChangeSet &changes() { return changes_; }
    const ChangeSet &changes() const { return changes_; }

    //! An error means that certainly nothing was committed. Not called twice.
    Result<CommitOutcome> Commit(const Engine &engine, const CommitOptions &options, const Call &call);

private:
    std::string root_;
    SnapshotPtr snapshot_;
    ChangeSet changes_;
};

//! What is left to do after a commit: checksum, checkpoint, log clean-up. Never fails the statement; what went wrong is
//! returned to be logged. May run on another thread, once a table at a time.
struct PostCommitReport {
    bool checkpoint_written = false;
    std::vector<std::string> warnings;
};
//! True if the table asks for a checkpoint at this version and the tail is worth one.
bool WantsCheckpoint(const Snapshot &snapshot);
PostCommitReport RunPostCommit(const Engine &engine, const SnapshotPtr &snapshot, const Call &call);

}  // namespace birdfoot
