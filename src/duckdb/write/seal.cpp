// PROTOCOL.md, "Deletion Vectors": a file with a vector is removed and added again, with everything that its action
// said but for wide bounds. Materialised row ids are not written: copies in tables that track rows are refused.
#include "duckdb/write/seal.hpp"

#include "core/base/json.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

//! The same statistics with "tightBounds":false. A vector changes nothing else: numRecords is physical.
std::optional<std::string> WithWideBounds(const std::optional<std::string> &stats) {
    if (!stats) {
        return stats;
    }
    auto document = JsonDocument::Parse(*stats);
    if (!document.ok() || !document->root().is_object()) {
        return stats;  // nobody can read them; they stay as they are
    }
    std::string json;
    JsonWriter writer(json);
    writer.BeginObject();
    OkOrThrow(document->root().ForEachMember([&](std::string_view name, JsonValue value) -> Status {
        if (name != "tightBounds") {
            writer.Key(name).Raw(value.ToText());
        }
        return {};
    }));
    writer.Key("tightBounds").Bool(false).EndObject();
    return json;
}

void RequireNoRowTracking(const TableWork &work) {
    if (HasFeature(work.protocol, "rowTracking")) {
        Throw(Fail(
            Condition::BIRDFOOT_UNSUPPORTED,
            "The table {} tracks rows, and this statement copies rows from file to file. That is not supported for "
            "such tables without deletion vectors. Set delta.enableDeletionVectors.",
            work.transaction.root()));
    }
}

}  // namespace

Sealing::Sealing(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                 std::vector<TouchedFile> files)
    : transaction_(transaction), work_(work) {
    bool vectors =
        HasFeature(work.protocol, "deletionVectors") && BoolProperty(work.metadata, "delta.enableDeletionVectors");
    std::vector<Vectored> partial;
    for (auto &touched : files) {
        auto &add = touched.file.add;
        totals_.deleted_rows += static_cast<int64_t>(touched.rows.cardinality());
        auto gone = touched.rows.Clone();
        if (add.deletion_vector) {
            gone.Union(ValueOrThrow(ReadDeletionVector(transaction.engine(), work.transaction.root(),
                                                       *add.deletion_vector, CallOf(context))));
        }
        auto records = touched.file.statistics.num_records();
        if (!records || static_cast<int64_t>(gone.cardinality()) < *records) {
            partial.push_back({add, std::move(gone)});
            continue;
        }
        totals_.vectors_removed += add.deletion_vector.has_value();
        removed_.push_back(add);
    }
    if (partial.empty()) {
        return;
    }
    if (vectors) {
        vectored_ = std::move(partial);
        return;
    }
    RequireNoRowTracking(work);
    if (HasChangeFeed(work)) {
        change_data_ = std::make_unique<ChangeData>(context, work);
        for (const auto &touched : files) {
            change_data_->AddDeleted(touched.file, touched.rows);
        }
    }
    PlanCopies(context, std::move(partial));
}

//! What is left of a file is what a scan of it gives, were it to have all its rows that go in a vector.
void Sealing::PlanCopies(duckdb::ClientContext &context, std::vector<Vectored> files) {
    std::vector<AddFile> scanned;
    for (auto &file : files) {
        scanned.push_back(file.add);
        scanned.back().deletion_vector = InlineDeletionVector(file.rows);
        totals_.vectors_removed += file.add.deletion_vector.has_value();
        removed_.push_back(std::move(file.add));
    }
    duckdb::vector<duckdb::column_t> columns;
    for (size_t i = 0; i < work_.schema.fields.size(); i++) {
        columns.push_back(i);
    }
    writer_ = std::make_unique<FileWriter>(context, TargetOf(work_), work_.files);
    scan_ = std::make_unique<FileScan>(context, work_.View(), std::move(scanned), std::move(columns));
}

void Sealing::Copy(duckdb::ExecutionContext &context) {
    auto local = writer_->MakeLocal();
    scan_->Run(context, [&](duckdb::DataChunk &chunk) {
        copied_rows_ += static_cast<int64_t>(chunk.size());
        writer_->Write(context.client, *local, chunk);
    });
    writer_->Combine(context.client, *local);
}

SealTotals Sealing::Finish(duckdb::ClientContext &context) {
    std::vector<WrittenFile> written;
    if (writer_) {
        written = writer_->Finish(context);
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
    std::vector<AddCdcFile> changes;
    if (change_data_) {
        changes = change_data_->Finish(context);
    }
    auto now = transaction_.engine().now_ms();
    std::lock_guard lock(work_.mutex);
    totals_.change_files = static_cast<int64_t>(changes.size());
    auto &cdc = work_.transaction.changes().cdc;
    cdc.insert(cdc.end(), std::make_move_iterator(changes.begin()), std::make_move_iterator(changes.end()));
    totals_.copied_rows = copied_rows_;
    totals_.removed = RemoveFiles(work_, removed_, now);
    totals_.added = AddFiles(work_, std::move(written));
    for (size_t i = 0; i < vectored_.size(); i++) {
        const auto &old = vectored_[i].add;
        (old.deletion_vector ? totals_.vectors_updated : totals_.vectors_added)++;
        auto add = old;
        add.deletion_vector = std::move(vectors[i]);
        add.stats = WithWideBounds(add.stats);
        add.data_change = true;
        ReplaceFile(work_, old, std::move(add), now);
    }
    return totals_;
}

}  // namespace birdfoot::duck
