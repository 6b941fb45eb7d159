#include "duckdb/write/replacement.hpp"

#include <algorithm>
#include <set>

#include "core/schema/scalar.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/net_changes.hpp"

namespace birdfoot::duck {

namespace {

std::vector<std::string> PhysicalPartitionColumns(const TableWork &work) {
    std::vector<std::string> names;
    for (const auto &name : work.metadata.partition_columns) {
        const auto *field = work.schema.Find(name);
        names.push_back(field ? PhysicalName(*field, work.mapping) : name);
    }
    return names;
}

std::vector<AddFile> AddsOf(std::vector<ScanFile> files) {
    std::vector<AddFile> adds;
    for (auto &file : files) {
        adds.push_back(std::move(file.add));
    }
    return adds;
}

}  // namespace

Replacement::Replacement(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                         const InsertOptions &options)
    : transaction_(transaction), work_(work), mode_(options.mode) {
    if (mode_ == WriteMode::kAppend) {
        return;
    }
    RequireNotAppendOnly(work);
    if (mode_ == WriteMode::kReplaceWhere) {
        condition_ = std::make_unique<TableCondition>(context, options.predicate, work.schema, work.mapping);
    }
    auto &reads = *work.transaction.changes().reads;
    read_ = reads.AddRead();  // the whole table, until it is narrowed
    if (condition_) {
        reads.Narrow(read_, condition_->predicate());
    }
}

void Replacement::Begin(duckdb::ClientContext &context, const std::vector<WrittenFile> &written) {
    switch (mode_) {
    case WriteMode::kAppend: return;
    case WriteMode::kOverwrite: removed_ = AddsOf(LiveFiles(context, transaction_, work_, Predicate::True())); return;
    case WriteMode::kOverwritePartitions: {
        std::set<PartitionValues> partitions;
        for (const auto &file : written) {
            partitions.insert(file.partition_values);
        }
        ReadPartitions(written);
        for (auto &file : LiveFiles(context, transaction_, work_, Predicate::True())) {
            PartitionValues values;
            auto names = PhysicalPartitionColumns(work_);
            for (size_t i = 0; i < names.size(); i++) {  // as we would write them, whoever wrote the file
                values.emplace_back(names[i], file.partition[i].ToPartitionValue());
            }
            if (partitions.contains(values)) {
                removed_.push_back(std::move(file.add));
            }
        }
        return;
    }
    case WriteMode::kReplaceWhere: {
        auto files = LiveFiles(context, transaction_, work_, condition_->predicate());
        if (condition_->predicate().OnlyUses(PhysicalPartitionColumns(work_))) {
            for (const auto &file : files) {
                auto rows = file.live_rows();
                removed_rows_ = removed_rows_ && rows ? std::optional(*removed_rows_ + *rows) : std::nullopt;
            }
            removed_ = AddsOf(std::move(files));  // all rows of a partition satisfy it, or none
        } else if (!files.empty()) {
            for (const auto &file : written) {
                inserted_.push_back(ToAddFile(file, true));
            }
            FindRows(context, std::move(files));
        }
        return;
    }
    }
}

//! Narrows the read to the partitions that got new rows.
void Replacement::ReadPartitions(const std::vector<WrittenFile> &written) {
    std::vector<Predicate> partitions;
    for (const auto &file : written) {
        std::vector<Predicate> terms;
        for (size_t i = 0; i < file.partition_values.size(); i++) {
            const auto &[name, text] = file.partition_values[i];
            const auto *field = work_.schema.Find(work_.metadata.partition_columns[i]);
            auto value = ValueOrThrow(Scalar::FromPartitionValue(field->type, text));
            terms.push_back(value.is_null() ? Predicate::IsNull({name}, field->type)
                                            : Predicate::Compare({name}, field->type, CompareOp::kEqual, value));
        }
        partitions.push_back(Predicate::And(std::move(terms)));
    }
    work_.transaction.changes().reads->Narrow(read_, Predicate::Or(std::move(partitions)));
}

void Replacement::FindRows(duckdb::ClientContext &context, std::vector<ScanFile> files) {
    duckdb::vector<duckdb::column_t> columns;
    for (auto position : condition_->columns()) {
        columns.push_back(position);
    }
    for (auto column : DeltaRowIdColumns()) {
        columns.push_back(column);
    }
    scan_ = std::make_unique<FileScan>(context, work_.View(), AddsOf(std::move(files)), std::move(columns));
}

void Replacement::Find(duckdb::ExecutionContext &context) {
    TableCondition::Evaluator evaluator(context.client, *condition_, false);
    duckdb::SelectionVector matches(STANDARD_VECTOR_SIZE);
    RowSets::Lists lists;
    auto file_column = condition_->columns().size();
    scan_->Run(context, [&](duckdb::DataChunk &chunk) {
        auto count = evaluator.Select(chunk, matches);
        if (count > 0) {
            chunk.Slice(matches, count);
            RowSets::Collect(chunk, file_column, file_column + 1, lists);
        }
    });
    rows_.Merge(std::move(lists));
}

duckdb::idx_t Replacement::CopyTasks(duckdb::ClientContext &context) {
    if (!scan_) {
        return 0;
    }
    std::vector<TouchedFile> touched;
    for (auto &[file, rows] : rows_.Take()) {
        touched.push_back({scan_->FileOf(file), std::move(rows)});
    }
    sealing_ = std::make_unique<Sealing>(context, transaction_, work_, std::move(touched));
    if (sealing_->copies() && HasChangeFeed(work_) && !KeepsOrigins(context, work_)) {
        change_data_ = std::make_unique<ChangeData>(context, work_);
        for (const auto &file : sealing_->files()) {
            change_data_->AddRows(file.file.add, file.file.statistics.num_records(), file.rows, kDeletedRow);
        }
        for (const auto &add : inserted_) {
            change_data_->AddLiveRows(add, kInsertedRow);
        }
    }
    return sealing_->CopyTasks();
}

void Replacement::Finish(duckdb::ClientContext &context, Operation &operation) {
    if (mode_ == WriteMode::kAppend) {
        return;
    }
    FileTotals removed;
    SealTotals sealed;
    if (sealing_) {
        sealed = sealing_->Finish(context);
        removed = sealed.removed;
    }
    std::vector<AddCdcFile> changes;
    if (change_data_) {
        changes = change_data_->Finish(context);
    }
    auto &metrics = operation.metrics;
    if (condition_) {
        metrics["numCopiedRows"] = std::to_string(sealed.copied_rows);
        metrics["numAddedChangeFiles"] = std::to_string(changes.size());
        if (removed_rows_) {
            metrics["numDeletedRows"] = std::to_string(sealed.deleted_rows + *removed_rows_);
        }
    }
    std::lock_guard lock(work_.mutex);
    AddChangeFiles(work_, std::move(changes));
    auto whole = RemoveFiles(work_, removed_, transaction_.engine().now_ms());
    metrics["numRemovedFiles"] = std::to_string(removed.files + whole.files);
    metrics["numRemovedBytes"] = std::to_string(removed.bytes + whole.bytes);
}

}  // namespace birdfoot::duck
