// The sink's phases: every thread writes its chunks; behind the last one the buffers are encoded on all threads; an
// overwrite then finds and copies what it does not replace; at last, in one step, the transaction's change is complete.
// Until that step the change holds nothing of this statement, so a failure leaves files alone, which the transaction
// deletes.
#include "duckdb/write/insert.hpp"

#include <atomic>
#include <mutex>

#include "duckdb/common/types/column/column_data_collection.hpp"

#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/column_filler.hpp"
#include "duckdb/write/net_changes.hpp"
#include "duckdb/write/parallel_work.hpp"
#include "duckdb/write/pending_schema.hpp"
#include "duckdb/write/replacement.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

struct InsertState : duckdb::GlobalSinkState {
    TableWork *work = nullptr;  // null: there is nothing to write to (IF NOT EXISTS, an idempotent write done before)
    DeltaTransaction *transaction = nullptr;
    bool created = false;
    std::unique_ptr<ColumnFiller> filler;
    std::unique_ptr<FileWriter> writer;
    std::unique_ptr<Replacement> replacement;
    std::unique_ptr<NetChanges> net_changes;  // of the transaction; null where this statement is all of it
    Operation operation;
    std::vector<WrittenFile> written;
    std::atomic<duckdb::idx_t> rows{0};

    std::mutex mutex;
    std::unique_ptr<duckdb::ColumnDataCollection> returned;  // RETURNING
};

struct InsertLocal : duckdb::LocalSinkState {
    std::unique_ptr<ColumnFiller::Local> filler;
    duckdb::unique_ptr<FileWriter::Local> writer;
    std::unique_ptr<TableCondition::Evaluator> condition;
    std::unique_ptr<duckdb::ColumnDataCollection> returned;
};

struct InsertSource : duckdb::GlobalSourceState {
    duckdb::ColumnDataScanState scan;
    bool begun = false;
};

void CheckCondition(InsertLocal &local, const TableCondition &condition, duckdb::DataChunk &chunk) {
    duckdb::SelectionVector matches(chunk.size());
    if (local.condition->Select(chunk, matches) == chunk.size()) {
        return;
    }
    Throw(Fail(
        Condition::DELTA_REPLACE_WHERE_MISMATCH,
        "Written data does not conform to partial table overwrite condition or constraint '{}'. At least one row to "
        "be written does not satisfy it. Filter the query by the condition, or widen the condition.",
        condition.text()));
}

Operation OperationOf(const InsertState &state, const InsertOptions &options) {
    Operation operation;
    bool append = options.mode == WriteMode::kAppend;
    operation.name = "WRITE";
    operation.parameters = {{"mode", append ? "Append" : "Overwrite"}, {"partitionBy", "[]"}};
    if (options.mode == WriteMode::kReplaceWhere) {
        operation.parameters.emplace_back("predicate", options.history_predicate);
    } else if (options.mode == WriteMode::kOverwritePartitions) {
        operation.parameters.emplace_back("isDynamicPartitionOverwrite", "true");
    }
    if (options.overwrite_schema) {
        operation.parameters.emplace_back("canOverwriteSchema", "true");
    }
    if (options.merge_schema) {
        operation.parameters.emplace_back("canMergeSchema", "true");
    }
    int64_t bytes = 0;
    for (const auto &file : state.written) {
        bytes += static_cast<int64_t>(file.size);
    }
    operation.metrics["numFiles"] = std::to_string(state.written.size());
    operation.metrics["numOutputRows"] = std::to_string(state.rows.load());
    operation.metrics["numOutputBytes"] = std::to_string(bytes);
    return operation;
}

//! Makes the statement's files part of the transaction's change.
void ChangeFiles(duckdb::ClientContext &context, InsertState &state, const InsertOptions &options) {
    state.operation = OperationOf(state, options);
    state.replacement->Finish(context, state.operation);
    std::lock_guard lock(state.work->mutex);
    state.filler->Finish(*state.work);
    AddFiles(*state.work, std::move(state.written));
}

//! The last phase: all or nothing of the statement becomes part of the transaction's change.
void Complete(duckdb::ClientContext &context, InsertState &state, const InsertOptions &options) {
    if (state.net_changes) {
        if (const auto change_files = state.net_changes->Finish(); change_files != 0) {
            state.operation.metrics["numAddedChangeFiles"] = std::to_string(change_files);
        }
    } else {
        ChangeFiles(context, state, options);
    }
    auto &work = *state.work;
    std::lock_guard lock(work.mutex);
    AcknowledgeConstraints(work);
    if (auto text = UserMetadataOf(context)) {
        work.transaction.changes().user_metadata = *text;
    }
    RecordOperation(work, std::move(state.operation));
    work.half_done = false;
}

}  // namespace

duckdb::InsertionOrderPreservingMap<duckdb::string> DeltaInsert::ParamsToString() const {
    duckdb::InsertionOrderPreservingMap<duckdb::string> parameters;
    parameters["Table"] = target_.create ? target_.name : target_.root;
    switch (target_.options.mode) {
    case WriteMode::kAppend: break;
    case WriteMode::kOverwrite: parameters["Mode"] = "overwrite"; break;
    case WriteMode::kOverwritePartitions: parameters["Mode"] = "overwrite partitions"; break;
    case WriteMode::kReplaceWhere: parameters["Replace where"] = target_.options.predicate; break;
    }
    return parameters;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> DeltaInsert::GetGlobalSinkState(duckdb::ClientContext &context) const {
    return Guarded([&] {
        auto state = duckdb::make_uniq<InsertState>();
        auto &transaction = DeltaTransaction::Get(context, catalog_);
        state->transaction = &transaction;
        if (target_.create) {
            auto result = CreateDeltaTable(context, catalog_, target_.schema, target_.name, *target_.create);
            state->work = result.work;
            state->created = true;
        } else {
            if (!target_.assignment_checked) {
                Throw(Fail(
                    Condition::BIRDFOOT_UNSUPPORTED,
                    "The optimizer or its extensions are switched off, so the types of an INSERT into a Delta table "
                    "cannot be checked. Run PRAGMA enable_optimizer, and RESET disabled_optimizers."));
            }
            state->work = &transaction.WorkOn(context, target_.root);
            if (!ClaimIdempotentWrite(context, transaction, *state->work)) {
                state->work = nullptr;
            } else if (target_.options.merge_schema || target_.options.overwrite_schema) {
                KeepMetadata(*state->work, *target_.bound_to);
            }
        }
        if (state->work) {
            state->work->half_done = true;
            state->replacement = std::make_unique<Replacement>(context, transaction, *state->work, target_.options);
            auto target = TargetOf(*state->work);
            state->filler = std::make_unique<ColumnFiller>(
                context, *state->work, std::vector<FilledRows>{{FilledRows::kInserted, target_.given}});
            target.computed = state->filler->computed();
            state->writer = std::make_unique<FileWriter>(context, std::move(target), state->work->files);
        }
        if (target_.returning) {
            state->returned = std::make_unique<duckdb::ColumnDataCollection>(context, types);
        }
        return duckdb::unique_ptr_cast<InsertState, duckdb::GlobalSinkState>(std::move(state));
    });
}

duckdb::unique_ptr<duckdb::LocalSinkState> DeltaInsert::GetLocalSinkState(duckdb::ExecutionContext &context) const {
    return Guarded([&] {
        auto local = duckdb::make_uniq<InsertLocal>();
        auto &state = sink_state->Cast<InsertState>();
        if (state.writer) {
            local->filler = state.filler->MakeLocal(context.client);
            local->writer = state.writer->MakeLocal();
            if (const auto *condition = state.replacement->condition()) {
                local->condition = std::make_unique<TableCondition::Evaluator>(context.client, *condition, true);
            }
        }
        if (target_.returning) {
            local->returned = std::make_unique<duckdb::ColumnDataCollection>(context.client, types);
        }
        return duckdb::unique_ptr_cast<InsertLocal, duckdb::LocalSinkState>(std::move(local));
    });
}

duckdb::SinkResultType DeltaInsert::Sink(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                         duckdb::OperatorSinkInput &input) const {
    return Guarded([&] {
        auto &state = input.global_state.Cast<InsertState>();
        auto &local = input.local_state.Cast<InsertLocal>();
        if (!state.writer) {
            return duckdb::SinkResultType::FINISHED;
        }
        state.filler->Fill(*local.filler, chunk);
        if (const auto *condition = state.replacement->condition()) {
            CheckCondition(local, *condition, chunk);
        }
        if (local.returned) {
            local.returned->Append(chunk);
        }
        state.rows += chunk.size();
        state.writer->Write(context.client, *local.writer, chunk);
        return duckdb::SinkResultType::NEED_MORE_INPUT;
    });
}

duckdb::SinkCombineResultType DeltaInsert::Combine(duckdb::ExecutionContext &context,
                                                   duckdb::OperatorSinkCombineInput &input) const {
    return Guarded([&] {
        auto &state = input.global_state.Cast<InsertState>();
        auto &local = input.local_state.Cast<InsertLocal>();
        if (state.writer) {
            state.writer->Combine(context.client, *local.writer);
        }
        if (local.returned) {
            std::lock_guard lock(state.mutex);
            state.returned->Combine(*local.returned);
        }
        return duckdb::SinkCombineResultType::FINISHED;
    });
}

duckdb::SinkFinalizeType DeltaInsert::Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event,
                                               duckdb::ClientContext &context,
                                               duckdb::OperatorSinkFinalizeInput &input) const {
    auto &state = input.global_state.Cast<InsertState>();
    if (!state.writer) {
        return duckdb::SinkFinalizeType::READY;
    }
    std::vector<ParallelStep> steps(4);
    steps[0].begin = [] { return kAllThreads; };
    steps[0].work = [&state](duckdb::ExecutionContext &execution) {
        while (state.writer->FinishSome(execution.client)) {
        }
    };
    steps[1].begin = [&state, &context] {
        state.written = state.writer->Finish(context);
        state.replacement->Begin(context, state.written);
        return state.replacement->FindTasks();
    };
    steps[1].work = [&state](duckdb::ExecutionContext &execution) { state.replacement->Find(execution); };
    steps[2].begin = [&state, &context] { return state.replacement->CopyTasks(context); };
    steps[2].work = [&state](duckdb::ExecutionContext &execution) { state.replacement->Copy(execution); };
    steps[3].begin = [this, &state, &context] {
        if (!KeepsOrigins(context, *state.work)) {
            return state.replacement->ChangeTasks(context);
        }
        ChangeFiles(context, state, target_.options);
        state.net_changes = std::make_unique<NetChanges>(context, *state.transaction, *state.work);
        return state.net_changes->Begin();
    };
    steps[3].work = [&state](duckdb::ExecutionContext &execution) {
        state.net_changes ? state.net_changes->WriteFiles(execution) : state.replacement->WriteChanges(execution);
    };
    RunSteps(pipeline, event, *this, std::move(steps),
             [this, &state, &context] { Complete(context, state, target_.options); });
    return duckdb::SinkFinalizeType::READY;
}

duckdb::unique_ptr<duckdb::GlobalSourceState> DeltaInsert::GetGlobalSourceState(duckdb::ClientContext &) const {
    return duckdb::make_uniq<InsertSource>();
}

duckdb::SourceResultType DeltaInsert::GetDataInternal(duckdb::ExecutionContext &, duckdb::DataChunk &chunk,
                                                      duckdb::OperatorSourceInput &input) const {
    return Guarded([&] {
        auto &state = sink_state->Cast<InsertState>();
        if (!target_.returning) {
            chunk.SetCardinality(1);
            chunk.SetValue(0, 0, duckdb::Value::BIGINT(static_cast<int64_t>(state.rows.load())));
            return duckdb::SourceResultType::FINISHED;
        }
        auto &source = input.global_state.Cast<InsertSource>();
        if (!source.begun) {
            state.returned->InitializeScan(source.scan);
            source.begun = true;
        }
        state.returned->Scan(source.scan, chunk);
        return chunk.size() ? duckdb::SourceResultType::HAVE_MORE_OUTPUT : duckdb::SourceResultType::FINISHED;
    });
}

}  // namespace birdfoot::duck
