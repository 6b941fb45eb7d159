// FileScan: a scan of some files of a table that no plan holds: an operator runs it behind its last row, to find the
// rows that must go or to copy those that stay.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"
#include "duckdb/function/table_function.hpp"

#include "duckdb/scan/delta_scan.hpp"

namespace birdfoot::duck {

class FileScan {
public:
    //! `columns` are positions in the snapshot's schema, and virtual columns.
    FileScan(duckdb::ClientContext &context, SnapshotPtr snapshot, std::vector<AddFile> files,
             duckdb::vector<duckdb::column_t> columns);

    const duckdb::vector<duckdb::LogicalType> &types() const { return types_; }
    //! How many tasks are of use.
    duckdb::idx_t max_tasks() const;
    //! Gives chunks to `visit` until there are no more. Several tasks may run it at once, each gets other chunks.
    void Run(duckdb::ExecutionContext &context, const std::function<void(duckdb::DataChunk &)> &visit);
    //! The file behind a value of the file id column.
    const ScanFile &FileOf(uint64_t id) const { return FileOfScan(*bind_data_, id); }

private:
    SnapshotPtr snapshot_;
    duckdb::vector<duckdb::column_t> columns_;
    duckdb::vector<duckdb::LogicalType> types_;
    duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
    duckdb::TableFunction function_;
    duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
};

}  // namespace birdfoot::duck
