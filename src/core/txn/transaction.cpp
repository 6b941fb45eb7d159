// Commit(), as DESIGN draws it: rules, then write-if-absent; where somebody was first read the winners, check, rebase,
// and build the body anew.
#include "core/txn/transaction.hpp"

#include "core/base/uuid.hpp"
#include "core/txn/committer.hpp"
#include "core/txn/moved_rows.hpp"
#include "core/txn/vector_merge.hpp"

namespace birdfoot {
namespace {

bool IsConflict(const Error &error) {
    return error.kind() == ErrorKind::kConflict || error.condition() == Condition::DELTA_TABLE_ALREADY_EXISTS;
}

//! True if the winner was an idempotent write of the same application that makes ours needless.
bool MakesNeedless(const Winner &winner, const ChangeSet &changes) {
    const auto read = changes.reads->app_ids();
    for (const auto *theirs : winner.transactions) {
        for (const auto &ours : changes.transactions) {
            if (ours.app_id == theirs->app_id && theirs->version >= ours.version && !read.contains(ours.app_id)) {
                return true;
            }
        }
    }
    return false;
}

//! One transaction on its way.
class Attempts {
public:
    Attempts(const Engine &engine, const CommitOptions &options, const Call &call, const std::string &root,
             const Snapshot *read, ChangeSet &changes, CommitBase base)
        : engine_(engine),
          options_(options),
          call_(call),
          root_(root),
          read_(read),
          changes_(changes),
          base_(std::move(base)),
          level_(IsolationLevelFor(read ? read->metadata() : *changes.metadata, changes)),
          merged_vectors_(engine.store) {
        if (read_) {
            checker_.emplace(*read_, changes_, level_);
        }
    }

    Result<CommitOutcome> Run();

private:
    Result<std::string> BuildBody();
    //! What the winners mean for the transaction; none if it has been rebased over them.
    Result<std::optional<CommitOutcome>> FollowWinners();
    Result<std::optional<CommitOutcome>> Follow(const Winner &winner);
    Error TooManyAttempts(int attempts) const;

    const Engine &engine_;
    const CommitOptions &options_;
    const Call &call_;
    const std::string &root_;
    const Snapshot *read_;
    ChangeSet &changes_;
    CommitBase base_;
    const IsolationLevel level_;
    PendingFiles merged_vectors_;
    std::optional<ConflictChecker> checker_;
    FreshFiles fresh_;
    const std::string txn_id_ = RandomUuid();
    const std::string log_folder_ = root_ + "/" + std::string(kLogFolder);
};

Result<std::string> Attempts::BuildBody() {
    const Protocol &protocol = changes_.protocol ? *changes_.protocol : base_.protocol;
    const Metadata &metadata = changes_.metadata ? *changes_.metadata : base_.metadata;
    if (AssignsRowIds(protocol, metadata)) {
        BF_ASSIGN(fresh_, FindFreshFiles(changes_));
        BF_RETURN_IF_ERROR(AssignRowIds(base_, fresh_, changes_));
    }
    const int64_t now_ms = engine_.now_ms();
    const auto in_commit_timestamp = StampInCommit(base_, changes_, now_ms);
    const CommitProvenance provenance{txn_id_, options_.engine_info, IsolationLevelName(level_),
                                      read_ ? std::optional(read_->version()) : std::nullopt, options_.history_metrics};
    return CommitBody(base_, changes_, provenance, now_ms, in_commit_timestamp);
}

Result<CommitOutcome> Attempts::Run() {
    for (int attempt = 1;; ++attempt) {
        BF_RETURN_IF_ERROR(call_.Check());
        BF_ASSIGN(const std::string body, BuildBody());
        BF_ASSIGN(const auto put, PutCommit(engine_, log_folder_, base_.version + 1, body, txn_id_, options_, call_));
        if (put.verdict == PutVerdict::kOurs) {
            merged_vectors_.Committed();
            return CommitOutcome(Committed{base_.version + 1, false});
        }
        if (put.verdict == PutVerdict::kUnknown) {
            merged_vectors_.Unknown();
            return CommitOutcome(OutcomeUnknown{Fail(
                Condition::BIRDFOOT_COMMIT_OUTCOME_UNKNOWN,
                "Whether version {} of {} was committed is not known. {} Look for transaction {} in its history before "
                "running the statement again; the files written were left in place.",
                base_.version + 1, root_, put.last_error->text(), txn_id_)});
        }
        if (!read_) {
            return CommitOutcome(
                Conflict{Fail(Condition::DELTA_TABLE_ALREADY_EXISTS,
                              "Another writer created the table {} at the same time. Use CREATE TABLE IF "
                              "NOT EXISTS, or write to the table that is there.",
                              root_)});
        }
        if (attempt >= options_.max_attempts) {
            return CommitOutcome(Conflict{TooManyAttempts(attempt)});
        }
        WaitForTurn(attempt, options_);
        TakeRowIdsBack(fresh_, changes_);
        fresh_ = {};
        BF_ASSIGN(auto outcome, FollowWinners());
        if (outcome) {
            return *std::move(outcome);
        }
    }
}

Error Attempts::TooManyAttempts(int attempts) const {
    return Fail(
        Condition::DELTA_MAX_COMMIT_RETRIES_EXCEEDED,
        "This commit has failed as it has been tried {} times but did not succeed: others kept committing to {}. It "
        "started at version {} and gave up at version {}. Run the statement again when fewer writers are at work.",
        attempts, root_, read_->version() + 1, base_.version + 1);
}

Result<std::optional<CommitOutcome>> Attempts::FollowWinners() {
    for (;;) {
        BF_RETURN_IF_ERROR(call_.Check());
        BF_ASSIGN(const auto winner, ReadWinner(engine_, log_folder_, base_.version + 1, call_));
        if (!winner) {
            return std::optional<CommitOutcome>();
        }
        BF_ASSIGN(auto outcome, Follow(*winner));
        if (outcome) {
            return outcome;
        }
    }
}

Result<std::optional<CommitOutcome>> Attempts::Follow(const Winner &winner) {
    if (winner.info && winner.info->txn_id == txn_id_) {
        merged_vectors_.Committed();
        return std::optional<CommitOutcome>(Committed{winner.version, false});
    }
    if (MakesNeedless(winner, changes_)) {
        return std::optional<CommitOutcome>(Committed{winner.version, true});
    }
    auto verdict = checker_->Check(base_, winner);
    if (!verdict.conflict) {
        BF_ASSIGN(verdict.conflict, MergeVectors(engine_, *checker_, winner, verdict.vector_changes, root_, changes_,
                                                 merged_vectors_, call_));
    }
    if (!verdict.conflict && !verdict.moved.empty()) {
        const Metadata &metadata = changes_.metadata ? *changes_.metadata : base_.metadata;
        BF_ASSIGN(verdict.conflict, FollowMovedRows(engine_, *checker_, winner, verdict.moved, metadata, root_,
                                                    changes_, merged_vectors_, call_));
    }
    if (verdict.conflict) {
        return std::optional<CommitOutcome>(Conflict{*std::move(verdict.conflict)});
    }
    Rebase(base_, winner, changes_);
    return std::optional<CommitOutcome>();
}

}  // namespace

Result<CommitOutcome> Transaction::Commit(const Engine &engine, const CommitOptions &options, const Call &call) {
    if (snapshot_ && changes_.empty() && !options.commit_empty) {
        return CommitOutcome(Committed{snapshot_->version(), true});
    }
    BF_RETURN_IF_ERROR(ApplyFixedRules(snapshot_.get(), changes_, root_));
    auto start = StartCommit(engine, root_, snapshot_.get(), changes_, call);
    if (!start.ok()) {
        return IsConflict(start.error()) ? Result<CommitOutcome>(Conflict{start.error()}) : start.error();
    }
    if (start->written_before) {
        return CommitOutcome(Committed{snapshot_->version(), true});
    }
    return Attempts(engine, options, call, root_, snapshot_.get(), changes_, std::move(start->base)).Run();
}

}  // namespace birdfoot
