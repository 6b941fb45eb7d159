#include "duckdb/write/change_data.hpp"

#include <algorithm>
#include <limits>

#include "core/table/table_properties.hpp"

namespace birdfoot::duck {

namespace {

//! Of a file that does not say how many it has.
constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();

duckdb::vector<duckdb::column_t> AllColumns(const TableWork &work) {
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < work.schema.fields.size(); i++) {
        columns.push_back(i);
    }
    return columns;
}

}  // namespace

bool HasChangeFeed(const TableWork &work) { return BoolProperty(work.metadata, "delta.enableChangeDataFeed"); }

ChangeData::ChangeData(duckdb::ClientContext &context, TableWork &work) : work_(work) {
    auto target = TargetOf(work);
    target.change_data = true;
    writer_ = std::make_unique<FileWriter>(context, std::move(target), work.files);
}

void ChangeData::Write(duckdb::ClientContext &context, FileWriter::Local &local, duckdb::DataChunk &rows,
                       const char *kind) {
    duckdb::DataChunk changes;
    duckdb::vector<duckdb::LogicalType> types;
    for (size_t i = 0; i < work_.schema.fields.size(); i++) {
        types.push_back(rows.data[i].GetType());
    }
    types.push_back(duckdb::LogicalType::VARCHAR);
    changes.InitializeEmpty(types);
    for (size_t i = 0; i + 1 < types.size(); i++) {
        changes.data[i].Reference(rows.data[i]);
    }
    changes.data.back().Reference(duckdb::Value(kind));
    changes.SetCardinality(rows.size());
    writer_->Write(context, local, changes);
}

void ChangeData::AddRows(const AddFile &file, std::optional<int64_t> records, const RowSet &rows, const char *kind) {
    if (rows.empty()) {
        return;
    }
    RowSet others;
    others.AddRange(0, static_cast<uint64_t>(records.value_or(kMostRows)));
    others.Subtract(rows);
    AddOtherRows(file, others, kind);
}

void ChangeData::AddOtherRows(const AddFile &file, const RowSet &rows, const char *kind) {
    auto &files = files_[kind];
    files.push_back(file);
    files.back().deletion_vector.reset();
    if (!rows.empty()) {
        files.back().deletion_vector = InlineDeletionVector(rows);
    }
}

duckdb::idx_t ChangeData::Begin(duckdb::ClientContext &context) {
    duckdb::idx_t tasks = 0;
    for (auto &[kind, files] : files_) {
        auto scan = std::make_unique<FileScan>(context, work_.View(), std::move(files), AllColumns(work_));
        tasks = std::max(tasks, scan->max_tasks());
        scans_.emplace_back(kind, std::move(scan));
    }
    files_.clear();
    return tasks;
}

void ChangeData::WriteFiles(duckdb::ExecutionContext &context) {
    auto local = writer_->MakeLocal();
    for (auto &[kind, scan] : scans_) {
        const char *text = kind.c_str();
        scan->Run(context, [&](duckdb::DataChunk &rows) { Write(context.client, *local, rows, text); });
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

void ChangeData::Abandon(duckdb::ClientContext &context) {
    for (const auto &file : Finish(context)) {
        work_.files.Abandon(ResolvePath(work_.transaction.root(), file.path));
    }
}

}  // namespace birdfoot::duck
