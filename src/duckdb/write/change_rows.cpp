#include "duckdb/write/change_rows.hpp"

#include <algorithm>
#include <chrono>

#include "duckdb/translate/errors.hpp"
#include "duckdb/write/net_changes.hpp"
#include "duckdb/write/parallel_work.hpp"
#include "duckdb/write/row_changes.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

struct ChangeState : duckdb::GlobalSinkState {
    std::unique_ptr<RowChanges> changes;
};

struct ChangeLocal : duckdb::LocalSinkState {
    std::unique_ptr<RowChanges::Local> local;
};

struct ChangeSource : duckdb::GlobalSourceState {
    duckdb::ColumnDataScanState scan;
    bool begun = false;
};

Operation OperationOf(const ChangeTarget &target, const FileTotals &removed, int64_t rows, int64_t vectors,
                      std::chrono::steady_clock::duration time) {
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    Operation operation;
    if (target.statement == ChangeStatement::kTruncate) {
        operation.name = "TRUNCATE";
        operation.metrics = {{"numRemovedFiles", std::to_string(removed.files)},
                             {"executionTimeMs", std::to_string(took)}};
        return operation;
    }
    operation.name = "DELETE";
    operation.parameters = target.parameters;
    for (const auto &[name, value] :
         std::initializer_list<std::pair<const char *, int64_t>>{{"numRemovedFiles", removed.files},
                                                                 {"numRemovedBytes", removed.bytes},
                                                                 {"numAddedFiles", 0},
                                                                 {"numAddedBytes", 0},
                                                                 {"numDeletedRows", rows},
                                                                 {"numCopiedRows", 0},
                                                                 {"numAddedChangeFiles", 0},
                                                                 {"numDeletionVectorsAdded", 0},
                                                                 {"numDeletionVectorsUpdated", 0},
                                                                 {"numDeletionVectorsRemoved", vectors},
                                                                 {"executionTimeMs", took},
                                                                 {"scanTimeMs", took},
                                                                 {"rewriteTimeMs", 0}}) {
        operation.metrics[name] = std::to_string(value);
    }
    return operation;
}

//! The files that a DELETE takes whole. Returns how many rows they have, as far as the log says.
int64_t DeleteWholeFiles(duckdb::ExecutionContext &execution, DeltaCatalog &catalog, const ChangeTarget &target) {
    auto &context = execution.client;
    auto begun = std::chrono::steady_clock::now();
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto &work = transaction.WorkOn(context, target.root);
    RequireNotAppendOnly(work);
    if (!ClaimIdempotentWrite(context, transaction, work) || target.whole_files.empty()) {
        return 0;
    }
    int64_t rows = 0, vectors = 0;
    std::vector<AddFile> adds;
    for (const auto &file : target.whole_files) {
        rows += file.live_rows().value_or(0);
        vectors += file.add.deletion_vector.has_value();
        adds.push_back(file.add);
    }
    work.half_done = true;
    target.TouchesWhatItReads(*work.transaction.changes().reads);
    FileTotals removed;
    {
        std::lock_guard lock(work.mutex);
        removed = RemoveFiles(work, adds, transaction.engine().now_ms());
    }
    int64_t change_files = 0;
    if (KeepsOrigins(context, work)) {
        NetChanges changes(context, transaction, work);
        if (changes.Begin() > 0) {
            changes.WriteFiles(execution);
        }
        change_files = changes.Finish();
    }
    std::lock_guard lock(work.mutex);
    auto operation = OperationOf(target, removed, rows, vectors, std::chrono::steady_clock::now() - begun);
    if (change_files != 0) {
        operation.metrics["numAddedChangeFiles"] = std::to_string(change_files);
    }
    RecordOperation(work, std::move(operation));
    work.half_done = false;
    return rows;
}

}  // namespace

void ChangeTarget::TouchesWhatItReads(ReadSet &reads) const {
    if (only_read && only_read->reads.get() == &reads) {
        reads.TouchesWhatItReads(only_read->number);
    }
}

bool ChangeTarget::HasAction(RowAction action) const {
    return std::any_of(clauses.begin(), clauses.end(), [&](const auto &clause) { return clause.action == action; });
}

bool ChangeTarget::OnlyInserts() const {
    return !clauses.empty() && std::all_of(clauses.begin(), clauses.end(),
                                           [](const auto &clause) { return clause.match == RowMatch::kNotMatched; });
}

bool ChangeTarget::AllowsManyMatches() const {
    int matched = 0;
    bool deletes = false;
    for (const auto &clause : clauses) {
        if (clause.match == RowMatch::kMatched) {
            matched++;
            deletes = clause.action == RowAction::kDelete && !clause.conditional;
        }
    }
    return matched == 1 && deletes;
}

duckdb::string DeltaChangeRows::GetName() const {
    switch (target_.statement) {
    case ChangeStatement::kDelete: return "DELTA_DELETE";
    case ChangeStatement::kTruncate: return "DELTA_TRUNCATE";
    case ChangeStatement::kUpdate: return "DELTA_UPDATE";
    case ChangeStatement::kMerge: break;
    }
    return "DELTA_MERGE";
}

duckdb::InsertionOrderPreservingMap<duckdb::string> DeltaChangeRows::ParamsToString() const {
    duckdb::InsertionOrderPreservingMap<duckdb::string> parameters;
    parameters["Table"] = target_.root;
    if (children.empty()) {
        parameters["Whole Files"] = std::to_string(target_.whole_files.size());
    }
    return parameters;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> DeltaChangeRows::GetGlobalSinkState(duckdb::ClientContext &context) const {
    return Guarded([&] {
        auto state = duckdb::make_uniq<ChangeState>();
        auto &transaction = DeltaTransaction::Get(context, catalog_);
        state->changes = std::make_unique<RowChanges>(context, transaction, target_, types);
        return duckdb::unique_ptr_cast<ChangeState, duckdb::GlobalSinkState>(std::move(state));
    });
}

duckdb::unique_ptr<duckdb::LocalSinkState> DeltaChangeRows::GetLocalSinkState(duckdb::ExecutionContext &context) const {
    return Guarded([&] {
        auto local = duckdb::make_uniq<ChangeLocal>();
        local->local = sink_state->Cast<ChangeState>().changes->MakeLocal(context.client);
        return duckdb::unique_ptr_cast<ChangeLocal, duckdb::LocalSinkState>(std::move(local));
    });
}

duckdb::SinkResultType DeltaChangeRows::Sink(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                             duckdb::OperatorSinkInput &input) const {
    return Guarded([&] {
        auto &local = *input.local_state.Cast<ChangeLocal>().local;
        input.global_state.Cast<ChangeState>().changes->Take(context.client, local, chunk);
        return duckdb::SinkResultType::NEED_MORE_INPUT;
    });
}

duckdb::SinkCombineResultType DeltaChangeRows::Combine(duckdb::ExecutionContext &context,
                                                       duckdb::OperatorSinkCombineInput &input) const {
    return Guarded([&] {
        auto &local = *input.local_state.Cast<ChangeLocal>().local;
        input.global_state.Cast<ChangeState>().changes->Combine(context.client, local);
        return duckdb::SinkCombineResultType::FINISHED;
    });
}

duckdb::SinkFinalizeType DeltaChangeRows::Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event,
                                                   duckdb::ClientContext &context,
                                                   duckdb::OperatorSinkFinalizeInput &input) const {
    auto &changes = *input.global_state.Cast<ChangeState>().changes;
    RunSteps(pipeline, event, *this, changes.Steps(context), [&changes, &context] { changes.Complete(context); });
    return duckdb::SinkFinalizeType::READY;
}

duckdb::unique_ptr<duckdb::GlobalSourceState> DeltaChangeRows::GetGlobalSourceState(duckdb::ClientContext &) const {
    return duckdb::make_uniq<ChangeSource>();
}

duckdb::SourceResultType DeltaChangeRows::GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                                          duckdb::OperatorSourceInput &input) const {
    return Guarded([&] {
        if (!target_.returning) {
            auto count = children.empty() ? DeleteWholeFiles(context, catalog_, target_)
                                          : sink_state->Cast<ChangeState>().changes->affected_rows();
            chunk.SetCardinality(1);
            chunk.SetValue(0, 0, duckdb::Value::BIGINT(count));
            return duckdb::SourceResultType::FINISHED;
        }
        auto &source = input.global_state.Cast<ChangeSource>();
        auto &rows = *sink_state->Cast<ChangeState>().changes->returned();
        if (!source.begun) {
            rows.InitializeScan(source.scan);
            source.begun = true;
        }
        rows.Scan(source.scan, chunk);
        return chunk.size() ? duckdb::SourceResultType::HAVE_MORE_OUTPUT : duckdb::SourceResultType::FINISHED;
    });
}

}  // namespace birdfoot::duck
