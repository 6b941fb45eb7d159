// PROTOCOL.md, "Deletion Vectors": a file with a vector is removed and added again, with everything that its action
// said but for wide bounds.
#include "duckdb/write/seal.hpp"

#include "core/scan/statistics.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/net_changes.hpp"

namespace birdfoot::duck {

Sealing::Sealing(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                 std::vector<TouchedFile> files, FileWriter *writer)
    : transaction_(transaction),
      work_(work),
      row_ids_(TracksRows(work)),
      origins_(KeepsOrigins(context, work)),
      files_(std::move(files)),
      writer_(writer) {
    const bool vectors = WritesVectors(work);
    std::vector<Vectored> copied;
    for (const auto &touched : files_) {
        const auto &add = touched.file.add;
        totals_.deleted_rows += static_cast<int64_t>(touched.rows.cardinality());
        auto gone = touched.rows.Clone();
        if (add.deletion_vector) {
            gone.Union(ValueOrThrow(ReadDeletionVector(transaction.engine(), work.transaction.root(),
                                                       *add.deletion_vector, CallOf(context))));
        }
        auto records = touched.file.statistics.num_records();
        if (records && static_cast<int64_t>(gone.cardinality()) >= *records) {
            totals_.vectors_removed += add.deletion_vector.has_value();
            removed_.push_back(add);
        } else if (vectors && records) {
            vectored_.push_back({add, std::move(gone)});
        } else {  // a vector needs statistics that say how many rows there are
            copied.push_back({add, std::move(gone)});
        }
    }
    if (!copied.empty()) {
        PlanCopies(context, std::move(copied));
    }
}

//! What is left of a file is what a scan of it gives, were it to have all its rows that go in a vector.
void Sealing::PlanCopies(duckdb::ClientContext &context, std::vector<Vectored> files) {
    std::vector<AddFile> scanned;
    for (auto &file : files) {
        if (origins_) {
            sources_.emplace(file.add.path, work_.origins.SourceOf(file.add.path));
        }
        scanned.push_back(file.add);
        scanned.back().deletion_vector = InlineDeletionVector(file.rows);
        totals_.vectors_removed += file.add.deletion_vector.has_value();
        removed_.push_back(std::move(file.add));
    }
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < work_.schema.fields.size(); i++) {
        columns.push_back(i);
    }
    if (row_ids_) {
        for (auto column : DeltaRowTrackingColumns()) {
            columns.push_back(column);
        }
    }
    if (origins_) {
        for (auto column : DeltaRowIdColumns()) {
            columns.push_back(column);
        }
    }
    if (!writer_) {
        auto target = TargetOf(work_);
        target.row_ids = row_ids_;
        target.origins = origins_;
        own_writer_ = std::make_unique<FileWriter>(context, std::move(target), work_.files);
        writer_ = own_writer_.get();
    }
    scan_ = std::make_unique<FileScan>(context, work_.View(), std::move(scanned), std::move(columns));
}

void Sealing::Copy(duckdb::ExecutionContext &context) {
    auto local = writer_->MakeLocal();
    scan_->Run(context, [&](duckdb::DataChunk &chunk) {
        copied_rows_ += static_cast<int64_t>(chunk.size());
        if (!origins_) {
            return writer_->Write(context.client, *local, chunk);
        }
        duckdb::DataChunk rows;
        PutOrigins(chunk, rows);
        writer_->Write(context.client, *local, rows);
    });
    writer_->Combine(context.client, *local);
}

void Sealing::PutOrigins(duckdb::DataChunk &rows, duckdb::DataChunk &result) const {
    auto types = rows.GetTypes();
    const auto file_column = types.size() - 2, row_column = types.size() - 1;
    types.resize(file_column);
    types.push_back(duckdb::LogicalType::UBIGINT);
    result.InitializeEmpty(types);
    for (size_t i = 0; i < file_column; i++) {
        result.data[i].Reference(rows.data[i]);
    }
    const auto source_of = [this](uint64_t id) { return sources_.at(scan_->FileOf(id).add.path); };
    result.data.back().Reference(OriginsOf(rows, file_column, row_column, source_of));
    result.SetCardinality(rows.size());
}

SealTotals Sealing::Finish(duckdb::ClientContext &context) {
    std::vector<WrittenFile> written;
    if (own_writer_) {
        written = own_writer_->Finish(context);
    }
    std::vector<DeletionVectorDescriptor> vectors;
    if (!vectored_.empty()) {
        std::vector<const RowSet *> rows;
        for (const auto &file : vectored_) {
            rows.push_back(&file.rows);
        }
        std::string path;
        auto result =
            WriteDeletionVectors(transaction_.engine(), work_.transaction.root(), rows, &path, CallOf(context));
        if (!path.empty()) {
            work_.files.Writing(path);
        }
        vectors = ValueOrThrow(std::move(result));
    }
    auto now = transaction_.engine().now_ms();
    std::lock_guard lock(work_.mutex);
    totals_.copied_rows = copied_rows_;
    work_.moved_rows = work_.moved_rows || (copies() && !origins_);
    totals_.removed = RemoveFiles(work_, removed_, now);
    totals_.added = AddFiles(work_, std::move(written));
    std::vector<ReplacedFile> replaced;
    for (size_t i = 0; i < vectored_.size(); i++) {
        auto &old = vectored_[i].add;
        (old.deletion_vector ? totals_.vectors_updated : totals_.vectors_added)++;
        auto add = old;
        add.deletion_vector = std::move(vectors[i]);
        add.stats = WithWideBounds(add.stats);
        add.data_change = true;
        replaced.push_back({std::move(old), std::move(add)});
    }
    ReplaceFiles(work_, std::move(replaced), now);
    return totals_;
}

}  // namespace birdfoot::duck
