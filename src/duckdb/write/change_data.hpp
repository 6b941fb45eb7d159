// ChangeData: the change files of a statement (PROTOCOL.md, "Add CDC File"), made by reading rows once more: those that
// a file loses through a scan in which only they are left, new ones from the files just written. Needed only where rows
// are copied from file to file: a vector says by itself which rows went.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "core/scan/deletion_vector.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

class ChangeData {
public:
    //! Refuses what a version cannot say: once it has change files, readers look at nothing else of it.
    ChangeData(duckdb::ClientContext &context, TableWork &work);

    //! These rows of the file become changes of the kind "delete".
    void AddDeleted(const ScanFile &file, const RowSet &rows);
    //! All rows of a new file become changes of the kind "insert".
    void AddInserted(const AddFile &file) { inserted_.push_back(file); }

    //! In how many tasks Write() is to run; begins the scans.
    duckdb::idx_t Begin(duckdb::ClientContext &context);
    void Write(duckdb::ExecutionContext &context);
    //! The actions; their number is for the metrics.
    std::vector<AddCdcFile> Finish(duckdb::ClientContext &context);

private:
    void Write(duckdb::ExecutionContext &context, FileScan &scan, FileWriter::Local &local, const char *kind);

    TableWork &work_;
    std::vector<AddFile> deleted_;
    std::vector<AddFile> inserted_;
    std::unique_ptr<FileWriter> writer_;
    std::unique_ptr<FileScan> deleted_scan_;
    std::unique_ptr<FileScan> inserted_scan_;
};

//! Whether the table keeps a change data feed.
bool HasChangeFeed(const TableWork &work);
//! Refuses a statement behind one that has written change files in the same transaction. Call under `work.mutex`.
void RequireNoChangeFiles(const TableWork &work);

}  // namespace birdfoot::duck
