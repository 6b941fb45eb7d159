// Deletion vectors that a winner replaced while a transaction replaced others, or the same ones: row-level concurrency.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/txn/conflict_checker.hpp"
#include "core/txn/pending_files.hpp"

namespace birdfoot {

//! Looks at the winner's vector changes: none may bring rows back or hide a row that we touched. Where both sides
//! replaced a vector, ours becomes the union of the two, written anew (and named in `files`). Gives the conflict, if
//! there is one; an error if a vector cannot be read or written.
Result<std::optional<Error>> MergeVectors(const Engine &engine, const ConflictChecker &checker, const Winner &winner,
                                          const std::vector<VectorChange> &vector_changes, const std::string &root,
                                          ChangeSet &changes, PendingFiles &files, const Call &call);

}  // namespace birdfoot
