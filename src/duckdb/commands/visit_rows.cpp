#include "duckdb/commands/visit_rows.hpp"

#include "duckdb/execution/execution_context.hpp"
#include "duckdb/parallel/thread_context.hpp"

#include "core/scan/predicate.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

void VisitRows(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
               const std::function<void(duckdb::DataChunk &)> &visit) {
    work.transaction.changes().reads->AddRead();
    std::vector<AddFile> files;
    for (auto &file : LiveFiles(context, transaction, work, Predicate::True())) {
        files.push_back(std::move(file.add));
    }
    if (files.empty()) {
        return;
    }
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < work.schema.fields.size(); i++) {
        columns.push_back(i);
    }
    FileScan scan(context, work.View(), std::move(files), std::move(columns));
    duckdb::ThreadContext thread(context);
    duckdb::ExecutionContext execution(context, thread, nullptr);
    scan.Run(execution, visit);
}

}  // namespace birdfoot::duck
