// ALTER TABLE … DROP FEATURE (PROTOCOL.md, "Table Features", "Checkpoint Protection"): takes the traces of a feature
// out of the table, then its name out of the protocol. A feature that readers need stays in the history, so either
// checkpoints that are protected keep readers from going back that far, or history is truncated first. It takes several
// commits of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/table/table_definition.hpp"
#include "core/txn/transaction.hpp"

namespace birdfoot {

//! Writes the rows of some files anew, as the files of a table defined by `target`, and gives the new files; `pending`
//! is told of each before its first byte.
using RewriteFiles =
    std::function<Result<std::vector<AddFile>>(const SnapshotPtr &snapshot, const TableDefinition &target,
                                               const std::vector<AddFile> &files, PendingFiles &pending)>;

struct DropFeatureOptions {
    bool truncate_history = false;
    CommitOptions commit;
    RewriteFiles rewrite;  // empty: a feature whose traces are in data files is refused
};

//! DELTA_FEATURE_DROP_*, DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE; conflicts are errors. A failure leaves the table
//! with the feature; what was done before may stay, and the statement can be run again.
Status DropFeature(const Engine &engine, const std::string &root, std::string_view feature,
                   const DropFeatureOptions &options, const Call &call);

//! Whether rows must be written anew to take the feature out of the table as it is.
Result<bool> NeedsRewrite(const Engine &engine, const Snapshot &snapshot, std::string_view feature, const Call &call);

}  // namespace birdfoot
