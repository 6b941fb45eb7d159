// ChangeData: the change files of a statement (PROTOCOL.md, "Add CDC File"). New rows are written into them beside
// their data files; old rows are read once more at the statement's end, through a scan in which only they are left.
// Needed only where rows are copied from file to file or changed: a vector says by itself which rows went.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "core/scan/deletion_vector.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

// What is in the column _change_type.
inline constexpr const char *kInsertedRow = "insert";
inline constexpr const char *kDeletedRow = "delete";
inline constexpr const char *kRowBefore = "update_preimage";
inline constexpr const char *kRowAfter = "update_postimage";

class ChangeData {
public:
    ChangeData(duckdb::ClientContext &context, TableWork &work);

    // New rows, as they come; `rows` has the schema's columns.
    duckdb::unique_ptr<FileWriter::Local> MakeLocal() { return writer_->MakeLocal(); }
    void Write(duckdb::ClientContext &context, FileWriter::Local &local, duckdb::DataChunk &rows, const char *kind);
    void Combine(duckdb::ClientContext &context, FileWriter::Local &local) { writer_->Combine(context, local); }

    //! All rows of a file that its vector leaves.
    void AddLiveRows(const AddFile &file, const char *kind) { files_[kind].push_back(file); }
    //! These rows of a file, which has so many, if that is known.
    void AddRows(const AddFile &file, std::optional<int64_t> records, const RowSet &rows, const char *kind);
    //! All rows of a file but these.
    void AddOtherRows(const AddFile &file, const RowSet &rows, const char *kind);
    //! In how many tasks WriteFiles() is to run; begins to read what was added.
    duckdb::idx_t Begin(duckdb::ClientContext &context);
    void WriteFiles(duckdb::ExecutionContext &context);
    //! The actions; their number is for the metrics.
    std::vector<AddCdcFile> Finish(duckdb::ClientContext &context);
    //! Nothing needs to be said after all.
    void Abandon(duckdb::ClientContext &context);

private:
    TableWork &work_;
    std::map<std::string, std::vector<AddFile>> files_;  // a kind; their vectors leave the rows in question
    std::vector<std::pair<std::string, std::unique_ptr<FileScan>>> scans_;
    std::unique_ptr<FileWriter> writer_;
};

//! Whether the table keeps a change data feed.
bool HasChangeFeed(const TableWork &work);

}  // namespace birdfoot::duck
