#include "duckdb/commands/null_search.hpp"

#include "duckdb/parallel/thread_context.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/row_checks.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

void RequireNoNulls(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                    const FieldPath &column) {
    FieldPath path;
    const auto type = ValueOrThrow(TypeAt(work.schema, column, &path));
    const auto position = *work.schema.IndexOf(path[0]);
    const auto demanded = WithChangedField({{work.schema.fields[position]}}, path, [](StructField &field) -> Status {
        field.nullable = false;
        return {};
    });
    if (!demanded.ok()) {
        return;  // a part of an array or a map: refused, whatever is in the rows
    }
    const auto physical = PhysicalPath(work.schema, path, work.mapping);
    const auto predicate = Predicate::IsNull(physical, type);
    auto &reads = *work.transaction.changes().reads;
    reads.Narrow(reads.AddRead(), predicate);
    std::vector<AddFile> files;
    for (auto &file : LiveFiles(context, transaction, work, predicate)) {
        files.push_back(std::move(file.add));
    }
    if (files.empty()) {
        return;
    }
    const RowChecks checks(*demanded, work.metadata);
    FileScan scan(context, work.View(), std::move(files), {position});
    duckdb::ThreadContext thread(context);
    duckdb::ExecutionContext execution(context, thread, nullptr);
    scan.Run(execution, [&](duckdb::DataChunk &rows) { checks.Check(rows); });
}

}  // namespace birdfoot::duck
