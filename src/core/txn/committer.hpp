// The parts of a commit that touch the store: what it builds on, the create-only put that decides, the winners.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/txn/conflict_checker.hpp"
#include "core/txn/transaction.hpp"

namespace birdfoot {

struct CommitStart {
    CommitBase base;
    //! The commit need not be: the table has this application's transaction already (an idempotent write).
    bool written_before = false;
};
//! Where the transaction starts. A Conflict error's kind if the table is not what was read any more: created, removed
//! or made anew meanwhile, or its log cleaned up beyond the version read.
Result<CommitStart> StartCommit(const Engine &engine, const std::string &root, const Snapshot *read,
                                const ChangeSet &changes, const Call &call);

enum class PutVerdict : uint8_t { kOurs, kTheirs, kUnknown };
struct PutDecision {
    PutVerdict verdict;
    std::optional<Error> last_error;  // of kUnknown
};
//! Puts a commit until it is known whose the version is. The same bytes are put again after an unclear answer, and no
//! other version is tried meanwhile. An error means that the version certainly is not ours.
Result<PutDecision> PutCommit(const Engine &engine, const std::string &log_folder, Version version,
                              std::string_view body, const std::string &txn_id, const CommitOptions &options,
                              const Call &call);

//! The commit of a version; none if there is none.
Result<std::optional<Winner>> ReadWinner(const Engine &engine, const std::string &log_folder, Version version,
                                         const Call &call);

//! Waits before another attempt, longer and at random when others keep winning.
void WaitForTurn(int losses, const CommitOptions &options);

}  // namespace birdfoot
