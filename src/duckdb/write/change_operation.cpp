#include "duckdb/write/change_operation.hpp"

namespace birdfoot::duck {

Operation OperationOf(const ChangeTarget &target, const ChangeTotals &totals) {
    const auto &sealed = totals.sealed;
    Operation operation;
    operation.parameters = target.parameters;
    auto set = [&](const char *name, int64_t value) { operation.metrics[name] = std::to_string(value); };
    const auto updated = totals.updated();
    const auto files_added = totals.added.files + sealed.added.files,
               bytes_added = totals.added.bytes + sealed.added.bytes;
    if (target.statement == ChangeStatement::kMerge) {
        operation.name = "MERGE";
        if (target.source_rows) {
            set("numSourceRows", static_cast<int64_t>(target.source_rows->load()));
        }
        set("numTargetRowsInserted", totals.inserted);
        set("numTargetRowsUpdated", updated);
        set("numTargetRowsMatchedUpdated", totals.matched_updated);
        set("numTargetRowsNotMatchedBySourceUpdated", totals.unmatched_updated);
        set("numTargetRowsDeleted", totals.deleted);
        set("numTargetRowsMatchedDeleted", totals.deleted - totals.unmatched_deleted);
        set("numTargetRowsNotMatchedBySourceDeleted", totals.unmatched_deleted);
        set("numTargetRowsCopied", sealed.copied_rows);
        set("numOutputRows", totals.inserted + updated + sealed.copied_rows);
        set("numTargetFilesAdded", files_added);
        set("numTargetBytesAdded", bytes_added);
        set("numTargetFilesRemoved", sealed.removed.files);
        set("numTargetBytesRemoved", sealed.removed.bytes);
        set("numTargetChangeFilesAdded", totals.change_files);
        set("numTargetDeletionVectorsAdded", sealed.vectors_added + sealed.vectors_updated);
        set("numTargetDeletionVectorsUpdated", sealed.vectors_updated);
        set("numTargetDeletionVectorsRemoved", sealed.vectors_removed + sealed.vectors_updated);
        set("materializeSourceTimeMs", 0);
    } else {
        const bool update = target.statement == ChangeStatement::kUpdate;
        operation.name = update ? "UPDATE" : "DELETE";
        set(update ? "numUpdatedRows" : "numDeletedRows", update ? updated : totals.deleted);
        set("numCopiedRows", sealed.copied_rows);
        set("numAddedFiles", files_added);
        set("numAddedBytes", bytes_added);
        // Spark's UPDATE counts the files here that keep rows under a vector, too.
        set("numRemovedFiles", sealed.removed.files + (update ? sealed.vectors_added + sealed.vectors_updated : 0));
        set("numRemovedBytes", sealed.removed.bytes);
        set("numAddedChangeFiles", totals.change_files);
        set("numDeletionVectorsAdded", sealed.vectors_added + sealed.vectors_updated);
        set("numDeletionVectorsUpdated", sealed.vectors_updated);
        set("numDeletionVectorsRemoved", sealed.vectors_removed + sealed.vectors_updated);
    }
    return operation;
}

}  // namespace birdfoot::duck
