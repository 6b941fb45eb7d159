#include "duckdb/write/net_changes.hpp"

#include <algorithm>

#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

bool HasOldRows(const TableWork &work) {
    const auto &adds = work.transaction.changes().adds;
    return std::any_of(adds.begin(), adds.end(), [&](const AddFile &add) {
        const auto *origins = work.origins.Find(add.path);
        return origins && origins->HasOldRows();
    });
}

}  // namespace

bool KeepsOrigins(duckdb::ClientContext &context, const TableWork &work) {
    return HasChangeFeed(work) && !context.transaction.IsAutoCommit();
}

NetChanges::NetChanges(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work)
    : context_(context), transaction_(transaction), work_(work) {}

RowSet NetChanges::VectorOf(const std::optional<DeletionVectorDescriptor> &vector) const {
    return vector ? ValueOrThrow(
                        ReadDeletionVector(transaction_.engine(), work_.transaction.root(), *vector, CallOf(context_)))
                  : RowSet();
}

duckdb::idx_t NetChanges::Begin() {
    std::lock_guard lock(work_.mutex);
    if (!HasOldRows(work_)) {
        return 0;  // what was added and removed says it all
    }
    if (work_.moved_rows) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "The change data feed of {} was switched on behind a statement of the same transaction that moved "
                   "rows. COMMIT in between.",
                   work_.transaction.root()));
    }
    change_data_ = std::make_unique<ChangeData>(context_, work_);
    const auto &changes = work_.transaction.changes();
    for (const auto &add : changes.adds) {
        AddRowsOf(add);
    }
    for (const auto &remove : changes.removes) {
        AddRowsGoneFrom(remove);
    }
    return change_data_->Begin(context_);
}

//! What a file of the transaction has that the snapshot had not, or had otherwise.
void NetChanges::AddRowsOf(const AddFile &file) {
    const auto *origins = work_.origins.Find(file.path);
    if (!origins) {
        return;  // a file of the snapshot with another vector: it is among the removed ones, too
    }
    if (!origins->HasOldRows()) {
        return change_data_->AddLiveRows(file, kInsertedRow);
    }
    const auto gone = VectorOf(file.deletion_vector);
    RowSet inserted, changed;
    for (uint64_t row = 0; row < origins->rows(); row++) {
        if (gone.Contains(row)) {
            continue;
        }
        const auto origin = origins->Of(row);
        if (origin == kNewRow) {
            inserted.Add(row);
            continue;
        }
        auto &successors = successors_[work_.origins.PathOf(origin)];
        (IsChanged(origin) ? successors.changed : successors.copied).Add(RowOrigins::RowOf(origin));
        if (IsChanged(origin)) {
            changed.Add(row);
        }
    }
    const auto records = static_cast<int64_t>(origins->rows());
    change_data_->AddRows(file, records, inserted, kInsertedRow);
    change_data_->AddRows(file, records, changed, kRowAfter);
}

//! What the snapshot had in a file that is not there any more, or not in this file.
void NetChanges::AddRowsGoneFrom(const RemoveFile &remove) {
    const auto file = FileOf(remove);
    const auto records = FileStatistics::Parse(file.stats).num_records();
    const auto &successors = successors_[remove.path];
    const auto &adds = work_.transaction.changes().adds;
    const auto again =
        std::find_if(adds.begin(), adds.end(), [&](const AddFile &add) { return add.path == remove.path; });
    auto hidden = VectorOf(file.deletion_vector);
    if (again == adds.end()) {  // all that lived, but for what lives on elsewhere
        hidden.Union(successors.copied);
        hidden.Union(successors.changed);
        if (!records || static_cast<int64_t>(hidden.cardinality()) < *records) {
            change_data_->AddOtherRows(file, hidden, kDeletedRow);
        }
    } else {
        auto gone = VectorOf(again->deletion_vector);
        gone.Subtract(hidden);
        gone.Subtract(successors.copied);
        gone.Subtract(successors.changed);
        change_data_->AddRows(file, records, gone, kDeletedRow);
    }
    change_data_->AddRows(file, records, successors.changed, kRowBefore);
}

void NetChanges::WriteFiles(duckdb::ExecutionContext &context) { change_data_->WriteFiles(context); }

int64_t NetChanges::Finish() {
    std::vector<AddCdcFile> files;
    if (change_data_) {
        files = change_data_->Finish(context_);
    }
    std::lock_guard lock(work_.mutex);
    auto &cdc = work_.transaction.changes().cdc;
    for (const auto &file : cdc) {
        work_.files.Abandon(ResolvePath(work_.transaction.root(), file.path));
    }
    const auto more = static_cast<int64_t>(files.size()) - static_cast<int64_t>(cdc.size());
    cdc = std::move(files);
    return more;
}

}  // namespace birdfoot::duck
