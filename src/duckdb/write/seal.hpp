// Sealing: turns the rows that a statement takes out of files into the change of the table: a file of which nothing is
// left is removed; the others get a deletion vector where the table has them enabled, else their remaining rows are
// copied.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "core/scan/deletion_vector.hpp"
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
};

class Sealing {
public:
    //! Reads the files' vectors and decides what happens to each. Throws for what the table's features do not allow.
    //! Copies go to `writer`, whose files are the caller's to finish; without one to a writer of its own.
    Sealing(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
            std::vector<TouchedFile> files, FileWriter *writer = nullptr);

    const std::vector<TouchedFile> &files() const { return files_; }
    //! Whether rows are copied from file to file, so that a change feed needs change files to tell which went.
    bool copies() const { return scan_ != nullptr; }

    // One parallel step, then the end. CopyTasks() says in how many tasks the step is to run; 0: not at all.
    duckdb::idx_t CopyTasks() const { return scan_ ? scan_->max_tasks() : 0; }
    void Copy(duckdb::ExecutionContext &context);
    //! Writes the vectors and changes the ChangeSet.
    SealTotals Finish(duckdb::ClientContext &context);

private:
    struct Vectored {
        AddFile add;
        RowSet rows;  // all that are gone
    };
    void PlanCopies(duckdb::ClientContext &context, std::vector<Vectored> files);
    //! The scan's rows as the writer takes them, with their origins.
    void PutOrigins(duckdb::DataChunk &rows, duckdb::DataChunk &result) const;

    DeltaTransaction &transaction_;
    TableWork &work_;
    const bool row_ids_;  // copies keep theirs
    const bool origins_;  // copies say where they come from
    SealTotals totals_;
    std::vector<TouchedFile> files_;
    std::vector<AddFile> removed_;
    std::vector<Vectored> vectored_;
    FileWriter *writer_;
    std::unique_ptr<FileWriter> own_writer_;
    std::unique_ptr<FileScan> scan_;
    std::map<std::string, RowOrigins::Source> sources_;  // of the files being copied, by their path in the log
    std::atomic<int64_t> copied_rows_{0};
};

}  // namespace birdfoot::duck
