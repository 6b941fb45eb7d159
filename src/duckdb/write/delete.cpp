#include "duckdb/write/delete.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "duckdb/translate/errors.hpp"
#include "duckdb/write/parallel_work.hpp"
#include "duckdb/write/row_sets.hpp"
#include "duckdb/write/seal.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

using Clock = std::chrono::steady_clock;

struct DeleteState : duckdb::GlobalSinkState {
    DeltaTransaction *transaction = nullptr;
    TableWork *work = nullptr;
    RowSets rows;
    std::unique_ptr<Sealing> sealing;
    std::atomic<uint64_t> deleted{0};
    Clock::time_point begun = Clock::now(), scanned = begun;
};

struct DeleteLocal : duckdb::LocalSinkState {
    RowSets::Lists lists;
};

int64_t Milliseconds(Clock::duration time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

Operation OperationOf(const DeleteTarget &target, const SealTotals &totals) {
    Operation operation;
    operation.name = "DELETE";
    operation.parameters = {{"predicate", JsonList({target.predicate.empty() ? "true" : target.predicate})}};
    auto set = [&](const char *name, int64_t value) { operation.metrics[name] = std::to_string(value); };
    set("numRemovedFiles", totals.removed.files);
    set("numRemovedBytes", totals.removed.bytes);
    set("numAddedFiles", totals.added.files);
    set("numAddedBytes", totals.added.bytes);
    set("numDeletedRows", totals.deleted_rows);
    set("numCopiedRows", totals.copied_rows);
    set("numAddedChangeFiles", totals.change_files);
    set("numDeletionVectorsAdded", totals.vectors_added);
    set("numDeletionVectorsUpdated", totals.vectors_updated);
    set("numDeletionVectorsRemoved", totals.vectors_removed);
    return operation;
}

TableWork &BeginWork(duckdb::ClientContext &context, DeltaTransaction &transaction, const std::string &root) {
    auto &work = transaction.WorkOn(context, root);
    RequireNotAppendOnly(work);
    std::lock_guard lock(work.mutex);
    RequireNoChangeFiles(work);
    return work;
}

//! Which files the rows are in: of the scans below, the one that handed the file out knows.
std::vector<TouchedFile> TouchedFiles(const DeleteTarget &target, RowSets &rows) {
    std::vector<TouchedFile> touched;
    for (auto &[id, set] : rows.Take()) {
        auto scan = std::find_if(target.scans.begin(), target.scans.end(),
                                 [id = id](const auto *data) { return HasFile(*data, id); });
        if (scan == target.scans.end()) {
            Throw(Fail(Condition::BIRDFOOT_INTERNAL, "No scan below the DELETE has a file with the id {}.", id));
        }
        touched.push_back({FileOfScan(**scan, id), std::move(set)});
    }
    return touched;
}

void Complete(duckdb::ClientContext &context, DeleteState &state, const DeleteTarget &target) {
    auto totals = state.sealing->Finish(context);
    if (totals.deleted_rows == 0) {
        return;  // nothing to say: no version
    }
    auto operation = OperationOf(target, totals);
    auto now = Clock::now();
    operation.metrics["executionTimeMs"] = std::to_string(Milliseconds(now - state.begun));
    operation.metrics["scanTimeMs"] = std::to_string(Milliseconds(state.scanned - state.begun));
    operation.metrics["rewriteTimeMs"] = std::to_string(Milliseconds(now - state.scanned));
    std::lock_guard lock(state.work->mutex);
    AcknowledgeConstraints(*state.work);
    RecordOperation(*state.work, std::move(operation));
}

}  // namespace

duckdb::InsertionOrderPreservingMap<duckdb::string> DeltaDelete::ParamsToString() const {
    duckdb::InsertionOrderPreservingMap<duckdb::string> parameters;
    parameters["Table"] = target_.root;
    if (children.empty()) {
        parameters["Whole Files"] = std::to_string(target_.whole_files.size());
    }
    return parameters;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> DeltaDelete::GetGlobalSinkState(duckdb::ClientContext &context) const {
    return Guarded([&] {
        auto state = duckdb::make_uniq<DeleteState>();
        state->transaction = &DeltaTransaction::Get(context, catalog_);
        state->work = &BeginWork(context, *state->transaction, target_.root);
        return duckdb::unique_ptr_cast<DeleteState, duckdb::GlobalSinkState>(std::move(state));
    });
}

duckdb::unique_ptr<duckdb::LocalSinkState> DeltaDelete::GetLocalSinkState(duckdb::ExecutionContext &) const {
    return duckdb::make_uniq<DeleteLocal>();
}

duckdb::SinkResultType DeltaDelete::Sink(duckdb::ExecutionContext &, duckdb::DataChunk &chunk,
                                         duckdb::OperatorSinkInput &input) const {
    return Guarded([&] {
        auto &local = input.local_state.Cast<DeleteLocal>();
        RowSets::Collect(chunk, target_.file_column, target_.row_column, local.lists);
        return duckdb::SinkResultType::NEED_MORE_INPUT;
    });
}

duckdb::SinkCombineResultType DeltaDelete::Combine(duckdb::ExecutionContext &,
                                                   duckdb::OperatorSinkCombineInput &input) const {
    return Guarded([&] {
        auto &state = input.global_state.Cast<DeleteState>();
        state.deleted += state.rows.Merge(std::move(input.local_state.Cast<DeleteLocal>().lists));
        return duckdb::SinkCombineResultType::FINISHED;
    });
}

duckdb::SinkFinalizeType DeltaDelete::Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event,
                                               duckdb::ClientContext &context,
                                               duckdb::OperatorSinkFinalizeInput &input) const {
    auto &state = input.global_state.Cast<DeleteState>();
    std::vector<ParallelStep> steps(2);
    steps[0].begin = [this, &state, &context] {
        state.scanned = Clock::now();
        state.sealing =
            std::make_unique<Sealing>(context, *state.transaction, *state.work, TouchedFiles(target_, state.rows));
        return state.sealing->CopyTasks();
    };
    steps[0].work = [&state](duckdb::ExecutionContext &execution) { state.sealing->Copy(execution); };
    steps[1].begin = [&state, &context] { return state.sealing->ChangeTasks(context); };
    steps[1].work = [&state](duckdb::ExecutionContext &execution) { state.sealing->WriteChanges(execution); };
    RunSteps(pipeline, event, *this, std::move(steps), [this, &state, &context] { Complete(context, state, target_); });
    return duckdb::SinkFinalizeType::READY;
}

int64_t DeltaDelete::DeleteWholeFiles(duckdb::ClientContext &context) const {
    auto begun = Clock::now();
    auto &transaction = DeltaTransaction::Get(context, catalog_);
    auto &work = BeginWork(context, transaction, target_.root);
    if (target_.whole_files.empty()) {
        return 0;
    }
    std::vector<AddFile> adds;
    SealTotals totals;
    for (const auto &file : target_.whole_files) {
        totals.deleted_rows += file.live_rows().value_or(0);
        totals.vectors_removed += file.add.deletion_vector.has_value();
        adds.push_back(file.add);
    }
    std::lock_guard lock(work.mutex);
    totals.removed = RemoveFiles(work, adds, transaction.engine().now_ms());
    auto operation = OperationOf(target_, totals);
    auto time = std::to_string(Milliseconds(Clock::now() - begun));
    operation.metrics["executionTimeMs"] = time;
    operation.metrics["scanTimeMs"] = time;
    operation.metrics["rewriteTimeMs"] = "0";
    RecordOperation(work, std::move(operation));
    return totals.deleted_rows;
}

duckdb::SourceResultType DeltaDelete::GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                                      duckdb::OperatorSourceInput &) const {
    return Guarded([&] {
        auto count = children.empty() ? DeleteWholeFiles(context.client)
                                      : static_cast<int64_t>(sink_state->Cast<DeleteState>().deleted.load());
        chunk.SetCardinality(1);
        chunk.SetValue(0, 0, duckdb::Value::BIGINT(count));
        return duckdb::SourceResultType::FINISHED;
    });
}

}  // namespace birdfoot::duck
