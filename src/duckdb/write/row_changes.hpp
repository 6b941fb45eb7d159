// RowChanges: one DELETE, UPDATE or MERGE at work: the rows that its clauses take out of files and those that they
// make, and what becomes of them when the last one has come. Until its last step the transaction's change holds nothing
// of the statement, so a failure leaves files alone, which the transaction deletes.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"

#include "duckdb/write/change_data.hpp"
#include "duckdb/write/change_rows.hpp"
#include "duckdb/write/column_filler.hpp"
#include "duckdb/write/column_updates.hpp"
#include "duckdb/write/net_changes.hpp"
#include "duckdb/write/parallel_work.hpp"
#include "duckdb/write/row_sets.hpp"
#include "duckdb/write/seal.hpp"

namespace birdfoot::duck {

class RowChanges {
public:
    //! Begins the statement. Refuses what the table forbids.
    RowChanges(duckdb::ClientContext &context, DeltaTransaction &transaction, const ChangeTarget &target,
               const duckdb::vector<duckdb::LogicalType> &result_types);

    //! One a thread.
    struct Local {
        RowSets::Lists deleted, updated, untouched;
        uint64_t listed = 0;  // rows in them
        std::unique_ptr<ColumnFiller::Local> filler;
        duckdb::unique_ptr<FileWriter::Local> rows;
        ColumnUpdates::Local column_updates;
        duckdb::unique_ptr<FileWriter::Local> changes;
        std::unique_ptr<duckdb::ColumnDataCollection> returned;
        std::map<uint64_t, RowOrigins::Source> sources;   // of updated rows, by their file's id
        std::vector<duckdb::SelectionVector> selections;  // one a clause, and of matches without one
        std::vector<duckdb::idx_t> counts;
        duckdb::DataChunk slice;
        duckdb::DataChunk new_rows;
        duckdb::SelectionVector whole_rows{STANDARD_VECTOR_SIZE};
    };
    std::unique_ptr<Local> MakeLocal(duckdb::ClientContext &context);
    void Take(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk);
    void Combine(duckdb::ClientContext &context, Local &local);
    //! What is to be done behind the last row, in this order, and Complete() behind it.
    std::vector<ParallelStep> Steps(duckdb::ClientContext &context);
    void Complete(duckdb::ClientContext &context);

    int64_t affected_rows() const { return affected_rows_; }
    duckdb::ColumnDataCollection *returned() { return returned_.get(); }

private:
    using Clock = std::chrono::steady_clock;

    void Split(Local &local, duckdb::DataChunk &chunk) const;
    void Apply(duckdb::ClientContext &context, Local &local, const RowClause &clause, duckdb::DataChunk &rows);
    duckdb::Vector NewOrigins(Local &local, duckdb::DataChunk &rows) const;
    void WriteNewRows(duckdb::ClientContext &context, Local &local, const RowClause &clause, duckdb::DataChunk &rows);
    //! Keeps rows for RETURNING; the first columns of `rows` are the table's.
    void Return(Local &local, duckdb::DataChunk &rows, const char *action) const;
    void ReturnDeleted(Local &local, const RowClause &clause, duckdb::DataChunk &rows);
    //! The rows that come for the first time: several rows of a source may match one. Returns how many.
    duckdb::idx_t FirstTime(duckdb::DataChunk &rows, duckdb::SelectionVector &first);
    //! Whether the fate of each row of the table lay in that row and the source alone.
    bool TouchesWhatItRead() const;
    [[noreturn]] void Fail(const RowClause &clause, duckdb::DataChunk &rows) const;
    //! Puts the thread's lists into the sets of all.
    void MergeLists(Local &local);
    //! The positions of the columns that an update may change.
    std::set<size_t> ChangedColumns() const;
    void BeginSealing(duckdb::ClientContext &context);
    //! Makes the statement's files part of the transaction's change.
    void ChangeFiles(duckdb::ClientContext &context);
    const ScanFile &FileOf(uint64_t id) const;
    Operation OperationOf(int64_t change_files) const;

    const ChangeTarget &target_;
    DeltaTransaction &transaction_;
    TableWork *work_ = nullptr;  // null: the application has made this write already
    const duckdb::vector<duckdb::LogicalType> result_types_;
    bool row_ids_ = false;
    bool origins_ = false;        // change files are made behind the statement, of all of the transaction's together
    bool count_matches_ = false;  // several matches of one row are an error
    const Clock::time_point begun_ = Clock::now();
    Clock::time_point scanned_ = begun_;

    RowSets deleted_, updated_, untouched_;
    std::atomic<uint64_t> listed_{0};  // rows in the three, each as often as it came
    std::atomic<int64_t> inserted_{0}, matched_updated_{0}, unmatched_updated_{0}, unmatched_deleted_{0};
    int64_t deleted_rows_ = 0;
    uint64_t matched_in_vain_ = 0;  // rows of the table, where matches are counted
    int64_t affected_rows_ = 0;

    std::unique_ptr<ColumnFiller> filler_;
    std::unique_ptr<FileWriter> writer_;
    std::unique_ptr<ColumnUpdates> column_updates_;  // null: rows are written whole
    std::unique_ptr<ChangeData> change_data_;        // of this statement alone
    std::unique_ptr<NetChanges> net_changes_;        // of the transaction
    std::unique_ptr<Sealing> sealing_;
    SealTotals sealed_;
    FileTotals added_;
    std::mutex mutex_;  // of the two below
    std::unique_ptr<duckdb::ColumnDataCollection> returned_;
    std::map<uint64_t, RowSet> returned_rows_;  // that were deleted, by their file's id
};

}  // namespace birdfoot::duck
