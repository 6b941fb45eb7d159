// RowChanges: one DELETE, UPDATE or MERGE at work: the rows that its clauses take out of files and those that they
// make, and what becomes of them when the last one has come. Until its last step the transaction's change holds nothing
// of the statement, so a failure leaves files alone, which the transaction deletes.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/write/change_data.hpp"
#include "duckdb/write/change_rows.hpp"
#include "duckdb/write/column_filler.hpp"
#include "duckdb/write/column_updates.hpp"
#include "duckdb/write/net_changes.hpp"
#include "duckdb/write/parallel_work.hpp"
#include "duckdb/write/returned_rows.hpp"
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
        std::unique_ptr<ReturnedRows::Local> returned;
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
    //! Null without RETURNING.
    duckdb::ColumnDataCollection *returned() { return returned_ ? &returned_->rows() : nullptr; }

private:
    using Clock = std::chrono::steady_clock;

    void Split(Local &local, duckdb::DataChunk &chunk) const;
    void Apply(duckdb::ClientContext &context, Local &local, const RowClause &clause, duckdb::DataChunk &rows);
    duckdb::Vector NewOrigins(Local &local, duckdb::DataChunk &rows) const;
    void WriteNewRows(duckdb::ClientContext &context, Local &local, const RowClause &clause, duckdb::DataChunk &rows);
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
    Operation NewOperation(int64_t change_files) const;

    const ChangeTarget &target_;
    DeltaTransaction &transaction_;
    TableWork *work_ = nullptr;  // null: the application has made this write already
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
    std::unique_ptr<ReturnedRows> returned_;
};

}  // namespace birdfoot::duck
