#include "duckdb/write/row_changes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/change_operation.hpp"
#include "duckdb/write/pending_schema.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

//! So many rows a thread keeps as plain numbers.
constexpr uint64_t kMostListed = 1'000'000;

struct FileRows {
    RowSet deleted, updated, untouched;

    RowSet Touched() const {
        auto rows = deleted.Clone();
        rows.Union(updated);
        return rows;
    }
};

//! What each clause leaves to the table.
std::vector<FilledRows> FilledRowsOf(const ChangeTarget &target) {
    std::vector<FilledRows> sources;
    for (const auto &clause : target.clauses) {
        const auto kind = clause.action == RowAction::kUpdate   ? FilledRows::kUpdated
                          : clause.action == RowAction::kInsert ? FilledRows::kInserted
                                                                : FilledRows::kNone;
        sources.push_back({kind, clause.given});
    }
    return sources;
}

std::string Milliseconds(std::chrono::steady_clock::duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

RowChanges::RowChanges(duckdb::ClientContext &context, DeltaTransaction &transaction, const ChangeTarget &target,
                       const duckdb::vector<duckdb::LogicalType> &result_types)
    : target_(target), transaction_(transaction) {
    auto &work = transaction.WorkOn(context, target.root);
    if (!target.OnlyInserts()) {
        RequireNotAppendOnly(work);
    }
    if (target.returning) {
        returned_ = std::make_unique<ReturnedRows>(context, target, result_types);
    }
    work.half_done = true;
    if (!ClaimIdempotentWrite(context, transaction, work)) {
        work.half_done = false;
        return;
    }
    if (target.evolved_to) {
        KeepMetadata(work, *target.evolved_to);
    }
    const bool makes_rows = target.HasAction(RowAction::kUpdate) || target.HasAction(RowAction::kInsert);
    origins_ = KeepsOrigins(context, work);
    if (HasChangeFeed(work) && makes_rows && !target.OnlyInserts() && !origins_) {
        change_data_ = std::make_unique<ChangeData>(context, work);
    }
    row_ids_ = TracksRows(work) && !target.OnlyInserts();
    if (makes_rows) {
        auto writes = TargetOf(work);
        writes.row_ids = row_ids_;
        writes.origins = origins_;
        filler_ = std::make_unique<ColumnFiller>(context, work, FilledRowsOf(target));
        writes.computed = filler_->computed();
        writer_ = std::make_unique<FileWriter>(context, std::move(writes), work.files);
    }
    count_matches_ =
        target.statement != ChangeStatement::kDelete && !target.OnlyInserts() && !target.AllowsManyMatches();
    work_ = &work;
    // Where rows are deleted too, others move up.
    if (target.HasAction(RowAction::kUpdate) && !target.HasAction(RowAction::kDelete) && !target.evolved_to) {
        column_updates_ = ColumnUpdates::For(context, work, ChangedColumns(),
                                             [this](uint64_t id) -> const ScanFile & { return FileOf(id); });
    }
}

std::unique_ptr<RowChanges::Local> RowChanges::MakeLocal(duckdb::ClientContext &context) {
    auto local = std::make_unique<Local>();
    if (!work_) {
        return local;
    }
    if (writer_) {
        local->filler = filler_->MakeLocal(context);
        local->rows = writer_->MakeLocal();
    }
    if (change_data_) {
        local->changes = change_data_->MakeLocal();
    }
    if (returned_) {
        local->returned = returned_->MakeLocal(context);
    }
    if (target_.clause_column) {
        for (size_t i = 0; i <= target_.clauses.size(); i++) {
            local->selections.emplace_back(STANDARD_VECTOR_SIZE);
        }
    }
    local->counts.resize(local->selections.size());
    return local;
}

//! Which clause gets which rows of the chunk.
void RowChanges::Split(Local &local, duckdb::DataChunk &chunk) const {
    std::fill(local.counts.begin(), local.counts.end(), 0);
    duckdb::UnifiedVectorFormat format;
    chunk.data[*target_.clause_column].ToUnifiedFormat(chunk.size(), format);
    const auto *numbers = duckdb::UnifiedVectorFormat::GetData<int32_t>(format);
    for (duckdb::idx_t i = 0; i < chunk.size(); i++) {
        auto index = format.sel->get_index(i);
        if (!format.validity.RowIsValid(index)) {
            continue;
        }
        auto clause =
            numbers[index] == kMatchedWithoutClause ? target_.clauses.size() : static_cast<size_t>(numbers[index]);
        local.selections[clause].set_index(local.counts[clause]++, i);
    }
}

void RowChanges::Take(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk) {
    if (!work_ || chunk.size() == 0) {
        return;
    }
    local.listed += chunk.size();
    if (local.listed > kMostListed) {
        MergeLists(local);
    }
    if (!target_.clause_column) {
        return Apply(context, local, target_.clauses[0], chunk);
    }
    Split(local, chunk);
    for (size_t i = 0; i < local.counts.size(); i++) {
        if (local.counts[i] == 0) {
            continue;
        }
        local.slice.Destroy();
        local.slice.InitializeEmpty(chunk.GetTypes());
        local.slice.Slice(chunk, local.selections[i], local.counts[i]);
        if (i < target_.clauses.size()) {
            Apply(context, local, target_.clauses[i], local.slice);
        } else if (count_matches_) {
            RowSets::Collect(local.slice, target_.file_column, target_.row_column, local.untouched);
        }
    }
}

void RowChanges::Apply(duckdb::ClientContext &context, Local &local, const RowClause &clause, duckdb::DataChunk &rows) {
    const auto count = static_cast<int64_t>(rows.size());
    switch (clause.action) {
    case RowAction::kDelete:
        RowSets::Collect(rows, target_.file_column, target_.row_column, local.deleted);
        unmatched_deleted_ += clause.match == RowMatch::kNotMatchedBySource ? count : 0;
        if (local.returned) {
            returned_->AddDeleted(*local.returned, clause, rows);
        }
        return;
    case RowAction::kUpdate:
        RowSets::Collect(rows, target_.file_column, target_.row_column, local.updated);
        (clause.match == RowMatch::kMatched ? matched_updated_ : unmatched_updated_) += count;
        return WriteNewRows(context, local, clause, rows);
    case RowAction::kInsert: inserted_ += count; return WriteNewRows(context, local, clause, rows);
    case RowAction::kNothing:
        if (count_matches_ && clause.match == RowMatch::kMatched) {
            RowSets::Collect(rows, target_.file_column, target_.row_column, local.untouched);
        }
        return;
    case RowAction::kError: Fail(clause, rows);
    }
}

duckdb::Vector RowChanges::NewOrigins(Local &local, duckdb::DataChunk &rows) const {
    auto origins = OriginsOf(rows, target_.file_column, target_.row_column, [&](uint64_t id) {
        auto found = local.sources.find(id);
        if (found == local.sources.end()) {
            std::lock_guard lock(work_->mutex);
            found = local.sources.emplace(id, work_->origins.SourceOf(FileOf(id).add.path)).first;
        }
        return found->second;
    });
    auto *values = duckdb::FlatVector::GetData<RowOrigin>(origins);
    std::transform(values, values + rows.size(), values, Changed);
    return origins;
}

void RowChanges::WriteNewRows(duckdb::ClientContext &context, Local &local, const RowClause &clause,
                              duckdb::DataChunk &rows) {
    const bool update = clause.action == RowAction::kUpdate;
    duckdb::vector<duckdb::LogicalType> types;
    for (auto column : clause.row) {
        types.push_back(rows.data[column].GetType());
    }
    auto columns = types.size();
    if (row_ids_) {
        types.insert(types.end(), 2, duckdb::LogicalType::BIGINT);
    }
    if (origins_) {
        types.push_back(duckdb::LogicalType::UBIGINT);
    }
    auto &new_rows = local.new_rows;
    new_rows.Destroy();
    new_rows.InitializeEmpty(types);
    for (size_t i = 0; i < columns; i++) {
        new_rows.data[i].Reference(rows.data[clause.row[i]]);
    }
    if (row_ids_) {  // an updated row keeps its id and gets this commit's version; a new one gets both from its file
        const duckdb::Value none(duckdb::LogicalType::BIGINT);
        if (update) {
            new_rows.data[columns].Reference(rows.data[*target_.row_id_column]);
        } else {
            new_rows.data[columns].Reference(none);
        }
        new_rows.data[columns + 1].Reference(none);
    }
    if (origins_ && update) {
        new_rows.data.back().Reference(NewOrigins(local, rows));
    } else if (origins_) {
        new_rows.data.back().Reference(duckdb::Value::UBIGINT(kNewRow));
    }
    new_rows.SetCardinality(rows.size());
    filler_->Fill(*local.filler, new_rows, static_cast<size_t>(&clause - target_.clauses.data()));
    if (change_data_) {
        change_data_->Write(context, *local.changes, new_rows, update ? kRowAfter : kInsertedRow);
    }
    if (local.returned) {
        returned_->Add(*local.returned, new_rows, update ? "UPDATE" : "INSERT");
    }
    if (!update || !column_updates_) {
        return writer_->Write(context, *local.rows, new_rows);
    }
    writer_->Check(context, *local.rows, new_rows);
    const auto whole = column_updates_->Take(context, local.column_updates, rows.data[target_.file_column],
                                             rows.data[target_.row_column], new_rows, local.whole_rows);
    if (whole > 0) {
        new_rows.Slice(local.whole_rows, whole);
        writer_->WriteChecked(context, *local.rows, new_rows);
    }
}

std::set<size_t> RowChanges::ChangedColumns() const {
    std::set<size_t> changed;
    for (const auto &clause : target_.clauses) {
        for (size_t i = 0; clause.action == RowAction::kUpdate && i < clause.row.size(); i++) {
            if (i >= clause.kept.size() || !clause.kept[i]) {
                changed.insert(i);
            }
        }
    }
    for (const auto &column : GeneratedColumns(work_->protocol, work_->schema)) {
        changed.insert(column.column);
    }
    return changed;
}

void RowChanges::Fail(const RowClause &clause, duckdb::DataChunk &rows) const {
    std::string text = clause.condition;
    if (!clause.row.empty()) {
        text += (text.empty() ? "" : ": ") + rows.data[clause.row[0]].GetValue(0).ToString();
    }
    Throw(birdfoot::Fail(Condition::BIRDFOOT_INVALID_INPUT,
                         "The MERGE came to a clause THEN ERROR{}{}. Nothing was changed.", text.empty() ? "" : ": ",
                         text));
}

void RowChanges::MergeLists(Local &local) {
    for (auto [lists, set] : {std::pair(&local.deleted, &deleted_), std::pair(&local.updated, &updated_),
                              std::pair(&local.untouched, &untouched_)}) {
        for (const auto &[file, rows] : *lists) {
            listed_ += rows.size();
        }
        set->Merge(std::exchange(*lists, {}));
    }
    local.listed = 0;
}

void RowChanges::Combine(duckdb::ClientContext &context, Local &local) {
    if (!work_) {
        return;
    }
    MergeLists(local);
    if (local.rows) {
        writer_->Combine(context, *local.rows);
    }
    if (column_updates_) {
        column_updates_->Combine(local.column_updates);
    }
    if (local.changes) {
        change_data_->Combine(context, *local.changes);
    }
    if (local.returned) {
        returned_->Combine(*local.returned);
    }
}

//! Which file a row is in: of the scans below, the one that handed the file out knows.
const ScanFile &RowChanges::FileOf(uint64_t id) const {
    for (const auto *scan : target_.scans) {
        if (HasFile(*scan, id)) {
            return FileOfScan(*scan, id);
        }
    }
    Throw(birdfoot::Fail(Condition::BIRDFOOT_INTERNAL, "No scan below the statement has a file with the id {}.", id));
}

void RowChanges::BeginSealing(duckdb::ClientContext &context) {
    scanned_ = Clock::now();
    std::map<uint64_t, FileRows> files;
    for (auto &[id, rows] : deleted_.Take()) {
        files[id].deleted = std::move(rows);
    }
    for (auto &[id, rows] : updated_.Take()) {
        files[id].updated = std::move(rows);
    }
    for (auto &[id, rows] : untouched_.Take()) {
        files[id].untouched = std::move(rows);
    }
    uint64_t distinct = 0;
    std::vector<TouchedFile> touched;
    for (auto &[id, rows] : files) {
        auto gone = rows.Touched();
        matched_in_vain_ += rows.untouched.cardinality();
        rows.untouched.Union(gone);
        distinct += rows.untouched.cardinality();
        deleted_rows_ += static_cast<int64_t>(rows.deleted.cardinality());
        if (!gone.empty() && !(column_updates_ && column_updates_->HasTaken(id))) {
            touched.push_back({FileOf(id), std::move(gone)});
        }
    }
    if (count_matches_ && distinct != listed_) {
        Throw(target_.statement == ChangeStatement::kMerge
                  ? birdfoot::Fail(Condition::DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE,
                                   "Cannot perform MERGE as multiple source rows matched and attempted to modify the "
                                   "same target row in the Delta table {} in possibly conflicting ways. Leave one "
                                   "source row for each target row, by GROUP BY or DISTINCT ON for example.",
                                   target_.root)
                  : birdfoot::Fail(Condition::BIRDFOOT_INVALID_INPUT,
                                   "Several rows of the FROM clause match the same row of {}, so that it is not clear "
                                   "what to set it to. Leave one row for each.",
                                   target_.root));
    }
    sealing_ = std::make_unique<Sealing>(context, transaction_, *work_, std::move(touched), writer_.get());
    const bool any_updated = matched_updated_ + unmatched_updated_ > 0;
    if (!any_updated && !sealing_->copies()) {
        if (change_data_) {
            change_data_->Abandon(context);  // what was added and what vectors hide says it all
            change_data_.reset();
        }
        return;
    }
    if (!change_data_ && HasChangeFeed(*work_) && !origins_) {
        change_data_ = std::make_unique<ChangeData>(context, *work_);
    }
    if (change_data_) {
        for (const auto &[id, rows] : files) {
            const auto &file = FileOf(id);
            const auto records = file.statistics.num_records();
            change_data_->AddRows(file.add, records, rows.deleted, kDeletedRow);
            change_data_->AddRows(file.add, records, rows.updated, kRowBefore);
        }
    }
}

//! A row that matches a source row and stays as it is keeps that source row from being inserted, or from an error. Had
//! it gone, there would be another row.
bool RowChanges::TouchesWhatItRead() const {
    const bool asks_for_absence = target_.HasAction(RowAction::kInsert) || target_.HasAction(RowAction::kError);
    return !asks_for_absence || target_.AllowsManyMatches() || (count_matches_ && matched_in_vain_ == 0);
}

std::vector<ParallelStep> RowChanges::Steps(duckdb::ClientContext &context) {
    if (!work_) {
        return {};
    }
    std::vector<ParallelStep> steps;
    steps.push_back({[this, &context] {
                         BeginSealing(context);
                         return sealing_->CopyTasks();
                     },
                     [this](auto &execution) { sealing_->Copy(execution); }});
    if (column_updates_) {
        steps.push_back({[this, &context] { return column_updates_->Begin(context); },
                         [this](auto &execution) { column_updates_->Write(execution); }});
    }
    if (writer_) {
        steps.push_back({[] { return kAllThreads; },
                         [this](auto &execution) {
                             while (writer_->FinishSome(execution.client)) {
                             }
                         }});
    }
    steps.push_back({[this, &context]() -> duckdb::idx_t {
                         if (!origins_) {
                             return change_data_ ? change_data_->Begin(context) : 0;
                         }
                         ChangeFiles(context);
                         net_changes_ = std::make_unique<NetChanges>(context, transaction_, *work_);
                         return net_changes_->Begin();
                     },
                     [this](auto &execution) {
                         origins_ ? net_changes_->WriteFiles(execution) : change_data_->WriteFiles(execution);
                     }});
    return steps;
}

void RowChanges::ChangeFiles(duckdb::ClientContext &context) {
    std::vector<WrittenFile> written;
    if (writer_) {
        written = writer_->Finish(context);
    }
    sealed_ = sealing_->Finish(context);
    ColumnUpdates::Result updated;
    if (column_updates_) {
        updated = column_updates_->Finish();
        std::move(updated.written.begin(), updated.written.end(), std::back_inserter(written));
    }
    affected_rows_ = deleted_rows_ + matched_updated_ + unmatched_updated_ + inserted_;
    std::lock_guard lock(work_->mutex);
    work_->moved_rows = work_->moved_rows || (!origins_ && matched_updated_ + unmatched_updated_ > 0);
    if (filler_) {
        filler_->Finish(*work_);
    }
    const auto removed = RemoveFiles(*work_, updated.replaced, transaction_.engine().now_ms());
    sealed_.removed.files += removed.files;
    sealed_.removed.bytes += removed.bytes;
    sealed_.copied_rows += updated.copied_rows;
    added_ = AddFiles(*work_, std::move(written));
}

void RowChanges::Complete(duckdb::ClientContext &context) {
    if (!work_) {
        return;
    }
    std::vector<AddCdcFile> change_files;
    if (change_data_) {
        change_files = change_data_->Finish(context);
    }
    auto change_file_count = static_cast<int64_t>(change_files.size());
    if (origins_) {
        change_file_count = net_changes_->Finish();
    } else {
        ChangeFiles(context);
    }
    std::lock_guard lock(work_->mutex);
    auto &changes = work_->transaction.changes();
    if (TouchesWhatItRead()) {
        target_.TouchesWhatItReads(*changes.reads);
    }
    if (affected_rows_ > 0 || target_.evolved_to ||
        (!changes.transactions.empty() && changes.operation.metrics.empty())) {
        RecordOperation(*work_, NewOperation(change_file_count));
        AcknowledgeConstraints(*work_);
        if (auto text = UserMetadataOf(context)) {
            changes.user_metadata = *text;
        }
    }
    AddChangeFiles(*work_, std::move(change_files));
    work_->half_done = false;
}

Operation RowChanges::NewOperation(int64_t change_files) const {
    ChangeTotals totals;
    totals.inserted = inserted_;
    totals.matched_updated = matched_updated_;
    totals.unmatched_updated = unmatched_updated_;
    totals.deleted = deleted_rows_;
    totals.unmatched_deleted = unmatched_deleted_;
    totals.added = added_;
    totals.sealed = sealed_;
    totals.change_files = change_files;
    auto operation = OperationOf(target_, totals);
    const auto now = Clock::now();
    operation.metrics["executionTimeMs"] = Milliseconds(now - begun_);
    operation.metrics["scanTimeMs"] = Milliseconds(scanned_ - begun_);
    operation.metrics["rewriteTimeMs"] = Milliseconds(now - scanned_);
    return operation;
}

}  // namespace birdfoot::duck
