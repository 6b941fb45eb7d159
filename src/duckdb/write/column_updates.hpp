// ColumnUpdates: copy-on-write by column. Of an updated row only the columns are kept that the statement sets, until
// the last row has come; then its file is copied with the new values in their places (SplicedFile): rows stay where
// they are, and the other columns are neither decoded nor encoded.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "duckdb/write/data_files.hpp"
#include "duckdb/write/file_scan.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

class ColumnUpdates {
public:
    using FileLookup = std::function<const ScanFile &(uint64_t)>;  // by the file's id

    //! Null where rows cannot stay in their places: the table has deletion vectors enabled or tracks rows, or the
    //! statement may move rows to other partitions. `changed` are the positions of the columns that it may change, in
    //! the table's schema.
    static std::unique_ptr<ColumnUpdates> For(duckdb::ClientContext &context, TableWork &work,
                                              const std::set<size_t> &changed, FileLookup file_of);
    ~ColumnUpdates();

    struct File;
    //! One a thread.
    struct Local {
        struct Rows {
            File *file = nullptr;  // null: it is not one of those
            std::unique_ptr<duckdb::ColumnDataCollection> values;
            std::vector<duckdb::sel_t> selected;  // of the chunk at hand
        };
        std::unordered_map<uint64_t, Rows> files;
    };
    //! Takes those of the new rows that are in such files. `files` and `numbers` say which rows they are of: the file's
    //! id, and the row's number in it; no row may come twice. The others are in `left`; returns how many.
    duckdb::idx_t Take(duckdb::ClientContext &context, Local &local, duckdb::Vector &files, duckdb::Vector &numbers,
                       duckdb::DataChunk &new_rows, duckdb::SelectionVector &left);
    void Combine(Local &local);
    //! Whether the rows of a file were taken.
    bool HasTaken(uint64_t file);

    // One parallel step behind the last row, then the end. Begin() says in how many tasks the step is to run.
    duckdb::idx_t Begin(duckdb::ClientContext &context);
    void Write(duckdb::ExecutionContext &context);
    struct Result {
        std::vector<WrittenFile> written;
        std::vector<AddFile> replaced;
        int64_t copied_rows = 0;
    };
    Result Finish();

private:
    ColumnUpdates(duckdb::ClientContext &context, const TableWork &work, SnapshotPtr view, PendingFiles &files,
                  const std::set<size_t> &changed, FileLookup file_of);

    File *FileOf(duckdb::ClientContext &context, uint64_t id);
    struct RowGroup;
    void BeginFile(duckdb::ClientContext &context, File &file);
    void BeginRowGroup(duckdb::ClientContext &context, RowGroup &group, File &file, uint64_t row);
    void FetchNewValues(duckdb::ClientContext &context, RowGroup &group) const;
    void EndRowGroup(duckdb::ClientContext &context, RowGroup &group);
    //! The scanned rows with the new values in their places.
    void PutNewValues(const RowGroup &group, duckdb::DataChunk &scanned, duckdb::DataChunk &rows) const;

    WriteTarget target_;
    SnapshotPtr view_;
    const uint64_t least_bytes_;  // of a file
    std::vector<size_t> changed_;
    std::vector<StructField> fields_;                   // these
    std::set<std::string, std::less<>> changed_names_;  // physical
    FileLookup file_of_;
    ParquetLayout layout_;
    duckdb::vector<duckdb::LogicalType> taken_types_{duckdb::LogicalType::BIGINT};  // row number, new values
    std::unique_ptr<StatisticsPlan> plan_;
    std::unique_ptr<DataFiles> data_files_;
    std::mutex mutex_;
    std::map<uint64_t, std::unique_ptr<File>> files_;  // by id; null: not one of those
    size_t taken_ = 0;
    std::map<std::string, File *> by_path_;  // as in the log
    std::unique_ptr<FileScan> scan_;
};

}  // namespace birdfoot::duck
