// Vectors are compared as sets of rows: what the winner hid beyond the vector that both of us started from.
#include "core/txn/vector_merge.hpp"

#include <utility>

#include "core/scan/deletion_vector.hpp"

namespace birdfoot {
namespace {

Result<RowSet> RowsOf(const Engine &engine, const std::string &root,
                      const std::optional<DeletionVectorDescriptor> &vector, const Call &call) {
    return vector ? ReadDeletionVector(engine, root, *vector, call) : RowSet();
}

}  // namespace

Result<std::optional<Error>> MergeVectors(const Engine &engine, const ConflictChecker &checker, const Winner &winner,
                                          const std::vector<VectorChange> &vector_changes, const std::string &root,
                                          ChangeSet &changes, PendingFiles &files, const Call &call) {
    std::vector<std::pair<VectorChange, RowSet>> merged;
    for (const auto &change : vector_changes) {
        BF_ASSIGN(const auto before, RowsOf(engine, root, change.before->deletion_vector, call));
        BF_ASSIGN(auto theirs, RowsOf(engine, root, change.after->deletion_vector, call));
        auto back = before.Clone();
        back.Subtract(theirs);
        if (!back.empty()) {
            return std::optional(checker.Conflict(Condition::DELTA_CONCURRENT_APPEND, winner,
                                                  fmt::format("brought rows of {} back", change.after->path)));
        }
        if (!change.our_add) {
            continue;
        }
        BF_ASSIGN(const auto ours, RowsOf(engine, root, changes.adds[*change.our_add].deletion_vector, call));
        auto touched = ours.Clone();
        touched.Subtract(before);
        if (touched.Intersects(theirs)) {
            return std::optional(
                checker.Conflict(Condition::DELTA_CONCURRENT_DELETE_DELETE, winner,
                                 fmt::format("deleted rows of {} that this one deletes too", change.after->path)));
        }
        theirs.Union(ours);
        merged.emplace_back(change, std::move(theirs));
    }
    if (merged.empty()) {
        return std::optional<Error>();
    }
    std::vector<const RowSet *> rows;
    for (const auto &entry : merged) {
        rows.push_back(&entry.second);
    }
    std::string path;
    BF_ASSIGN(auto descriptors, WriteDeletionVectors(engine, root, rows, &path, call));
    files.Writing(path);
    for (size_t i = 0; i < merged.size(); ++i) {
        const auto &change = merged[i].first;
        changes.removes[*change.our_remove].deletion_vector = change.after->deletion_vector;
        changes.adds[*change.our_add].deletion_vector = std::move(descriptors[i]);
    }
    return std::optional<Error>();
}

}  // namespace birdfoot
