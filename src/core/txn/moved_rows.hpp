// Rows that a winner moved into other files (OPTIMIZE, REORG) while a transaction changed them: followed by their row
// ids (PROTOCOL.md, "Row Tracking").
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/txn/conflict_checker.hpp"
#include "core/txn/pending_files.hpp"

namespace birdfoot {

//! `moved` are indices into ChangeSet::removes: files that the winner, which only re-arranges, removed too. The rows
//! that we took out of them are taken out of the files that the winner added instead, by deletion vectors (written anew
//! and named in `files`), or by removing a file of which nothing is left; those removes, and the adds that gave the
//! files their vectors, leave the change set. Gives the conflict if the table writes no deletion vectors, a file is
//! gone or lacks the number of rows that a vector needs, or a row is not to be found; an error if a file cannot be
//! read. `metadata` is what the table is to have behind the commit.
Result<std::optional<Error>> FollowMovedRows(const Engine &engine, const ConflictChecker &checker, const Winner &winner,
                                             const std::vector<size_t> &moved, const Metadata &metadata,
                                             const std::string &root, ChangeSet &changes, PendingFiles &files,
                                             const Call &call);

}  // namespace birdfoot
