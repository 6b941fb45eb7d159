#include "duckdb/commands/rewrite_table.hpp"

#include "duckdb/parallel/thread_context.hpp"

#include "core/maintenance/drop_feature.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/table/table_features.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {
namespace {

constexpr const char *kMode = "delta.columnMapping.mode";

//! The rows of the files, in files of the table that `target` describes.
std::vector<WrittenFile> WriteAnew(duckdb::ClientContext &context, const SnapshotPtr &snapshot,
                                   const TableDefinition &target, std::vector<AddFile> files, PendingFiles &pending) {
    if (files.empty()) {
        return {};
    }
    if (HasFeature(snapshot->protocol(), "rowTracking")) {
        Throw(
            Fail(Condition::BIRDFOOT_UNSUPPORTED,
                 "{} tracks rows, and its files would have to be written anew, which is not supported for such tables. "
                 "Drop the feature rowTracking first.",
                 snapshot->root()));
    }
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < snapshot->schema().fields.size(); i++) {
        columns.push_back(i);
    }
    FileWriter writer(context, TargetOf(snapshot->root(), target), pending);
    FileScan scan(context, snapshot, std::move(files), std::move(columns));
    duckdb::ThreadContext thread(context);
    duckdb::ExecutionContext execution(context, thread, nullptr);
    auto local = writer.MakeLocal();
    scan.Run(execution, [&](duckdb::DataChunk &rows) { writer.Write(context, *local, rows); });
    writer.Combine(context, *local);
    return writer.Finish(context);
}

void RequireAlone(duckdb::ClientContext &context, DeltaTableEntry &table, const char *what) {
    table.RequireWritable();
    auto *work = DeltaTransaction::Get(context, table.catalog).work();
    if (!context.transaction.IsAutoCommit() || (work && !work->transaction.changes().empty())) {
        Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be part of a transaction. COMMIT first.", what));
    }
}

std::vector<AddFile> AddsOf(std::vector<ScanFile> files) {
    std::vector<AddFile> adds;
    for (auto &file : files) {
        adds.push_back(std::move(file.add));
    }
    return adds;
}

}  // namespace

void RemoveColumnMapping(duckdb::ClientContext &context, DeltaTableEntry &table, bool unset) {
    RequireAlone(context, table, "REMOVE COLUMN MAPPING");
    auto &transaction = DeltaTransaction::Get(context, table.catalog);
    auto &work = transaction.WorkOn(context, table.root());
    const auto before = DefinitionOf(work);
    if (const auto names = CheckColumnNames(before.schema, ColumnMappingMode::kNone); !names.ok()) {
        Throw(Fail(Condition::DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING,
                   "Column mapping cannot be removed. {} Please rename the columns first.", names.error().text()));
    }
    auto after = before;
    after.metadata.configuration[kMode] = "none";
    if (unset) {
        after.metadata.configuration.erase(kMode);
    }
    after = ValueOrThrow(CompleteChange(std::move(after), before, SchemaChange::kRewritten));
    work.transaction.changes().reads->AddRead();
    const auto old = AddsOf(LiveFiles(context, transaction, work, Predicate::True()));
    auto written = WriteAnew(context, work.View(), after, old, work.files);
    std::lock_guard lock(work.mutex);
    auto &changes = work.transaction.changes();
    Operation operation{"REMOVE COLUMN MAPPING", {}, {}};
    int64_t bytes = 0;
    for (auto &file : written) {
        bytes += static_cast<int64_t>(file.size);
        changes.adds.push_back(ToAddFile(std::move(file), false));
    }
    for (const auto &file : old) {
        changes.removes.push_back(MakeRemove(file, transaction.engine().now_ms(), false));
    }
    operation.metrics = {{"numRewrittenFiles", std::to_string(old.size())}, {"numOutputBytes", std::to_string(bytes)}};
    SetDefinition(work, std::move(after));
    RecordOperation(work, std::move(operation));
}

void DropTableFeature(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &feature,
                      bool truncate_history) {
    RequireAlone(context, table, "DROP FEATURE");
    const auto &engine = DeltaTransaction::Get(context, table.catalog).engine();
    CheckAccess(context, table.root());
    DropFeatureOptions options;
    options.truncate_history = truncate_history;
    options.commit = CommitOptionsOf(context);
    options.rewrite = [&](const SnapshotPtr &snapshot, const TableDefinition &target, const std::vector<AddFile> &files,
                          PendingFiles &pending) -> Result<std::vector<AddFile>> {
        std::vector<AddFile> adds;
        for (auto &file : WriteAnew(context, snapshot, target, files, pending)) {
            adds.push_back(ToAddFile(std::move(file), false));
        }
        return adds;
    };
    OkOrThrow(DropFeature(engine, table.root(), feature, options, CallOf(context)));
}

}  // namespace birdfoot::duck
