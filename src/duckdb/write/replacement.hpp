// Replacement: what the new rows of an overwrite take the place of: all files, those of the partitions that get rows,
// or the rows that satisfy a condition. DeltaInsert asks it when all new rows are written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "duckdb/write/change_data.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/insert_options.hpp"
#include "duckdb/write/row_sets.hpp"
#include "duckdb/write/seal.hpp"
#include "duckdb/write/table_condition.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

class Replacement {
public:
    //! Registers what the overwrite reads, so that a file added meanwhile is a conflict. Refuses what the table
    //! forbids.
    Replacement(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                const InsertOptions &options);

    //! The condition that new rows must satisfy; null if there is none.
    const TableCondition *condition() const { return condition_.get(); }

    // In this order, once the new files are known. Each *Tasks() says in how many tasks the step behind it runs; 0: not
    // at all.
    void Begin(duckdb::ClientContext &context, const std::vector<WrittenFile> &written);
    duckdb::idx_t FindTasks() const { return scan_ ? scan_->max_tasks() : 0; }
    void Find(duckdb::ExecutionContext &context);
    duckdb::idx_t CopyTasks(duckdb::ClientContext &context);
    void Copy(duckdb::ExecutionContext &context) { sealing_->Copy(context); }
    duckdb::idx_t ChangeTasks(duckdb::ClientContext &context) {
        return change_data_ ? change_data_->Begin(context) : 0;
    }
    void WriteChanges(duckdb::ExecutionContext &context) { change_data_->WriteFiles(context); }
    //! Changes the ChangeSet; adds the metrics of what went.
    void Finish(duckdb::ClientContext &context, Operation &operation);

private:
    void ReadPartitions(const std::vector<WrittenFile> &written);
    void FindRows(duckdb::ClientContext &context, std::vector<ScanFile> files);

    DeltaTransaction &transaction_;
    TableWork &work_;
    const WriteMode mode_;
    std::unique_ptr<TableCondition> condition_;
    size_t read_ = 0;
    std::vector<AddFile> inserted_;            // the new files, where a change feed has to tell of them
    std::vector<AddFile> removed_;             // as a whole
    std::optional<int64_t> removed_rows_ = 0;  // in them; none if a file does not say
    std::unique_ptr<FileScan> scan_;           // for the rows that satisfy the condition
    RowSets rows_;
    std::unique_ptr<Sealing> sealing_;
    std::unique_ptr<ChangeData> change_data_;
};

}  // namespace birdfoot::duck
