#include "duckdb/write/change_data.hpp"

#include <algorithm>
#include <limits>

#include "core/table/table_properties.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

//! Of a file that does not say how many it has.
constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();

[[noreturn]] void RefuseSecondStatement(const TableWork &work) {
    Throw(Fail(
        Condition::BIRDFOOT_UNSUPPORTED,
        "The table {} has its change data feed on, and a statement that copies rows from file to file can only be the "
        "one statement of its transaction that changes rows. COMMIT in between, or set delta.enableDeletionVectors.",
        work.transaction.root()));
}

duckdb::vector<duckdb::column_t> AllColumns(const TableWork &work) {
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < work.schema.fields.size(); i++) {
        columns.push_back(i);
    }
    return columns;
}

}  // namespace

bool HasChangeFeed(const TableWork &work) { return BoolProperty(work.metadata, "delta.enableChangeDataFeed"); }

void RequireNoChangeFiles(const TableWork &work) {
    if (!work.transaction.changes().cdc.empty()) {
        RefuseSecondStatement(work);
    }
}

ChangeData::ChangeData(duckdb::ClientContext &context, TableWork &work) : work_(work) {
    std::lock_guard lock(work.mutex);
    const auto &changes = work.transaction.changes();
    if (!changes.adds.empty() || !changes.removes.empty() || !changes.cdc.empty()) {
        RefuseSecondStatement(work);
    }
    auto target = TargetOf(work);
    target.change_data = true;
    writer_ = std::make_unique<FileWriter>(context, std::move(target), work.files);
}

void ChangeData::AddDeleted(const ScanFile &file, const RowSet &rows) {
    RowSet others;
    others.AddRange(0, static_cast<uint64_t>(file.statistics.num_records().value_or(kMostRows)));
    others.Subtract(rows);
    deleted_.push_back(file.add);
    deleted_.back().deletion_vector = InlineDeletionVector(others);
}

duckdb::idx_t ChangeData::Begin(duckdb::ClientContext &context) {
    if (!deleted_.empty()) {
        deleted_scan_ = std::make_unique<FileScan>(context, work_.View(), std::move(deleted_), AllColumns(work_));
    }
    if (!inserted_.empty()) {
        inserted_scan_ = std::make_unique<FileScan>(context, work_.View(), std::move(inserted_), AllColumns(work_));
    }
    return std::max(deleted_scan_ ? deleted_scan_->max_tasks() : 0, inserted_scan_ ? inserted_scan_->max_tasks() : 0);
}

void ChangeData::Write(duckdb::ExecutionContext &context, FileScan &scan, FileWriter::Local &local, const char *kind) {
    duckdb::DataChunk changes;
    auto types = scan.types();
    types.push_back(duckdb::LogicalType::VARCHAR);
    changes.InitializeEmpty(types);
    scan.Run(context, [&](duckdb::DataChunk &rows) {
        for (duckdb::idx_t i = 0; i < rows.ColumnCount(); i++) {
            changes.data[i].Reference(rows.data[i]);
        }
        changes.data.back().Reference(duckdb::Value(kind));
        changes.SetCardinality(rows.size());
        writer_->Write(context.client, local, changes);
    });
}

void ChangeData::Write(duckdb::ExecutionContext &context) {
    auto local = writer_->MakeLocal();
    if (deleted_scan_) {
        Write(context, *deleted_scan_, *local, "delete");
    }
    if (inserted_scan_) {
        Write(context, *inserted_scan_, *local, "insert");
    }
    writer_->Combine(context.client, *local);
}

std::vector<AddCdcFile> ChangeData::Finish(duckdb::ClientContext &context) {
    std::vector<AddCdcFile> files;
    for (auto &file : writer_->Finish(context)) {
        files.push_back({std::move(file.path), std::move(file.partition_values), static_cast<int64_t>(file.size), {}});
    }
    return files;
}

}  // namespace birdfoot::duck
