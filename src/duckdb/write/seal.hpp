// Sealing: turns the rows that a statement takes out of files into the change of the table: a file of which nothing is
// left is removed; the others get a deletion vector where the table has them enabled, else their remaining rows are
// copied.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "core/scan/deletion_vector.hpp"
#include "duckdb/write/change_data.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

struct TouchedFile {
    ScanFile file;
    RowSet rows;  // that go; none of them was gone before
};

struct SealTotals {
    FileTotals removed;  // files that are no more
    FileTotals added;    // copies of what was left
    int64_t deleted_rows = 0;
    int64_t copied_rows = 0;
    int64_t vectors_added = 0;
    int64_t vectors_updated = 0;
    int64_t vectors_removed = 0;
    int64_t change_files = 0;
};

class Sealing {
public:
    //! Reads the files' vectors and decides what happens to each. Throws for what the table's features do not allow.
    Sealing(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
            std::vector<TouchedFile> files);

    //! Where change files are needed, so that the caller adds the rows that it inserts; null where they are not.
    ChangeData *change_data() { return change_data_.get(); }

    // Two parallel steps, then the end. Each *Tasks() says in how many tasks the step behind it runs; 0: not at all.
    duckdb::idx_t CopyTasks() const { return scan_ ? scan_->max_tasks() : 0; }
    void Copy(duckdb::ExecutionContext &context);
    duckdb::idx_t ChangeTasks(duckdb::ClientContext &context) {
        return change_data_ ? change_data_->Begin(context) : 0;
    }
    void WriteChanges(duckdb::ExecutionContext &context) { change_data_->Write(context); }
    //! Writes the vectors and changes the ChangeSet.
    SealTotals Finish(duckdb::ClientContext &context);

private:
    struct Vectored {
        AddFile add;
        RowSet rows;  // all that are gone
    };
    void PlanCopies(duckdb::ClientContext &context, std::vector<Vectored> files);

    DeltaTransaction &transaction_;
    TableWork &work_;
    SealTotals totals_;
    std::vector<AddFile> removed_;
    std::vector<Vectored> vectored_;
    std::unique_ptr<FileWriter> writer_;
    std::unique_ptr<FileScan> scan_;
    std::unique_ptr<ChangeData> change_data_;
    std::atomic<int64_t> copied_rows_{0};
};

}  // namespace birdfoot::duck
