// DeltaChangeRows: the operator behind DELETE, UPDATE and MERGE. Its rows come with the ids of the target's rows, with
// the number of the clause that applies and with the new row that each clause would make. Rows that go become row sets
// a file, new ones go to the file writer; behind the last row both are sealed. Where whole files go it is a source
// alone, and the log is all that is touched.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/physical_operator.hpp"

#include "core/scan/plan.hpp"
#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/write/row_counter.hpp"

namespace birdfoot::duck {

enum class RowAction : uint8_t { kDelete, kUpdate, kInsert, kNothing, kError };
enum class RowMatch : uint8_t { kMatched, kNotMatched, kNotMatchedBySource };

struct RowClause {
    RowAction action = RowAction::kDelete;
    RowMatch match = RowMatch::kMatched;
    bool conditional = false;
    // Columns of the child, one for each of the table's: the new row, or the old one where a row is deleted and
    // returned. Of an error: its text.
    std::vector<duckdb::idx_t> row;
    std::vector<bool> given;  // for each column of the table, whether the statement sets it
    std::vector<bool> kept;   // of an update: whether the column's value is the old one
    std::string condition;    // for the text of an error
};

//! The clause column holds this for a row that matches where no clause applies; NULL for any other such row.
inline constexpr int32_t kMatchedWithoutClause = -1;

enum class ChangeStatement : uint8_t { kDelete, kTruncate, kUpdate, kMerge };

struct ChangeTarget {
    ChangeStatement statement = ChangeStatement::kDelete;
    std::string root;
    SnapshotPtr evolved_to;  // the table as the statement saw it, where it changes the schema
    std::vector<std::pair<std::string, std::string>> parameters;  // for history
    std::vector<const duckdb::FunctionData *> scans;              // of the table, in the plan below
    // Positions in the columns of the child:
    duckdb::idx_t file_column = 0;               // the file's id
    duckdb::idx_t row_column = 0;                // the row's number in it
    std::optional<duckdb::idx_t> row_id_column;  // the row's id, where the table tracks rows
    std::optional<duckdb::idx_t> clause_column;  // without one the first clause applies to all rows
    std::vector<RowClause> clauses;
    std::vector<ScanFile> whole_files;  // without a child: the files that go
    //! The read of the table, if it is the only one and rows are chosen by what does not vary.
    std::optional<ScanRead> only_read;
    RowCount source_rows;    // of a MERGE: counted by the plan below; null if it is not
    bool returning = false;  // new rows and deleted ones; of a MERGE with the name of what made them

    //! Says so to the transaction: see ReadSet::TouchesWhatItReads.
    void TouchesWhatItReads(ReadSet &reads) const;
    bool HasAction(RowAction action) const;
    //! Only adds rows, whatever comes.
    bool OnlyInserts() const;
    //! A row of the target may match several rows of the source: it is deleted, whichever they are.
    bool AllowsManyMatches() const;
};

class DeltaChangeRows : public duckdb::PhysicalOperator {
public:
    DeltaChangeRows(duckdb::PhysicalPlan &plan, duckdb::vector<duckdb::LogicalType> types, DeltaCatalog &catalog,
                    ChangeTarget target, duckdb::idx_t estimated_cardinality)
        : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), estimated_cardinality),
          catalog_(catalog),
          target_(std::move(target)) {}

    duckdb::string GetName() const override;
    duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override;

    bool IsSink() const override { return !children.empty(); }
    bool ParallelSink() const override { return true; }
    bool SinkOrderDependent() const override { return false; }
    duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext &context) const override;
    duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext &context) const override;
    duckdb::SinkResultType Sink(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                duckdb::OperatorSinkInput &input) const override;
    duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext &context,
                                          duckdb::OperatorSinkCombineInput &input) const override;
    duckdb::SinkFinalizeType Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event, duckdb::ClientContext &context,
                                      duckdb::OperatorSinkFinalizeInput &input) const override;

    bool IsSource() const override { return true; }
    duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(duckdb::ClientContext &context) const override;

protected:
    duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                             duckdb::OperatorSourceInput &input) const override;

private:
    DeltaCatalog &catalog_;
    const ChangeTarget target_;
};

}  // namespace birdfoot::duck
