#include "duckdb/write/column_updates.hpp"

#include <algorithm>
#include <utility>

#include "duckdb/common/vector_operations/vector_operations.hpp"

#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/net_changes.hpp"
#include "duckdb/write/row_buffer.hpp"
#include "duckdb/write/spliced_file.hpp"

namespace birdfoot::duck {

namespace {

//! Each file has a buffer of its own, a quarter of a megabyte at the least in each thread.
constexpr size_t kMostFiles = 256;
//! Less than this is not worth the second look at the file.
constexpr double kLeastCopied = 0.2;

//! Where the new values of a row are.
struct NewValue {
    uint64_t row = 0;
    size_t part = 0;  // which thread's
    uint64_t position = 0;
};

[[noreturn]] void Broken(const std::string &path, const char *what) {
    Throw(Fail(Condition::BIRDFOOT_INTERNAL, "While {} is updated, {}. Nothing was changed.", path, what));
}

}  // namespace

struct ColumnUpdates::File {
    explicit File(ScanFile file_p, std::unique_ptr<SpliceSource> source_p)
        : file(std::move(file_p)), source(std::move(source_p)), groups(source->RowGroups()) {
        for (auto rows : groups) {
            ends.push_back((ends.empty() ? 0 : ends.back()) + rows);
        }
    }

    const ScanFile file;
    const std::unique_ptr<SpliceSource> source;
    const std::vector<uint64_t> groups;  // rows in each
    std::vector<uint64_t> ends;          // the row behind each

    std::mutex mutex;                                                  // of what is below
    std::vector<std::unique_ptr<duckdb::ColumnDataCollection>> parts;  // row numbers and new values
    uint64_t updated = 0;
    bool begun = false;
    std::vector<NewValue> values;  // by row; while it is being written
    NewFile name;
    std::unique_ptr<SplicedFile> spliced;
    std::unique_ptr<StatisticsCollector> statistics;
    size_t left = 0;  // row groups to be written
};

//! The row group that a thread is at.
struct ColumnUpdates::RowGroup {
    File *file = nullptr;
    size_t index = 0;
    uint64_t first = 0, next = 0;                          // row numbers
    std::vector<std::pair<uint64_t, duckdb::idx_t>> rows;  // updated ones, each with its position in new_values
    duckdb::DataChunk new_values;
    std::unique_ptr<RowBuffer> buffer;
};

std::unique_ptr<ColumnUpdates> ColumnUpdates::For(duckdb::ClientContext &context, TableWork &work,
                                                  const std::set<size_t> &changed, FileLookup file_of) {
    if (changed.empty() || WritesVectors(work) || TracksRows(work) || KeepsOrigins(context, work) ||
        duckdb::FileSystem::IsRemoteFile(work.transaction.root())) {
        return nullptr;
    }
    for (auto position : changed) {
        const auto &field = work.schema.fields[position];
        if (IsPartitionColumn(work.metadata, field.name) || field.type.kind() == TypeKind::kVariant ||
            field.type.kind() == TypeKind::kVoid) {
            return nullptr;
        }
    }
    return std::unique_ptr<ColumnUpdates>(
        new ColumnUpdates(context, work, work.View(), work.files, changed, std::move(file_of)));
}

ColumnUpdates::ColumnUpdates(duckdb::ClientContext &context, const TableWork &work, SnapshotPtr view,
                             PendingFiles &files, const std::set<size_t> &changed, FileLookup file_of)
    : target_(TargetOf(work)),
      view_(std::move(view)),
      least_bytes_(ColumnUpdateMinBytesOf(context)),
      changed_(changed.begin(), changed.end()),
      file_of_(std::move(file_of)) {
    for (auto position : changed_) {
        const auto &field = fields_.emplace_back(target_.schema.fields[position]);
        layout_.types.push_back(ValueOrThrow(FileTypeOf(field.type, target_.mapping, field.name)));
        layout_.names.push_back(PhysicalName(field, target_.mapping));
        AddFieldIds(field, target_.mapping, layout_.field_ids);
        changed_names_.insert(layout_.names.back());
    }
    taken_types_.insert(taken_types_.end(), layout_.types.begin(), layout_.types.end());
    OkOrThrow(SetCodec(target_.metadata, layout_));
    auto leaves = ValueOrThrow(IndexedLeaves(target_.metadata, target_.schema, target_.mapping));
    std::erase_if(leaves, [&](const IndexedLeaf &leaf) { return !changed_names_.contains(leaf.column.front()); });
    plan_ = std::make_unique<StatisticsPlan>(std::move(leaves), fields_, target_.mapping);
    data_files_ = std::make_unique<DataFiles>(context, target_, layout_, *plan_, files);
}

ColumnUpdates::~ColumnUpdates() = default;

ColumnUpdates::File *ColumnUpdates::FileOf(duckdb::ClientContext &context, uint64_t id) {
    std::lock_guard lock(mutex_);
    auto [found, is_new] = files_.try_emplace(id);
    if (!is_new || taken_ == kMostFiles) {
        return found->second.get();
    }
    const auto &file = file_of_(id);
    if (file.add.deletion_vector || static_cast<uint64_t>(file.add.size) < least_bytes_) {
        return nullptr;
    }
    auto source = SpliceSource::Open(context, file.path, fields_, target_.mapping);
    if (!source || source->CopiedPart() < kLeastCopied) {
        return nullptr;
    }
    auto taken = std::make_unique<File>(file, std::move(source));
    const auto records = file.statistics.num_records();
    if (taken->ends.empty() || !records || static_cast<uint64_t>(*records) != taken->ends.back()) {
        return nullptr;
    }
    taken_++;
    found->second = std::move(taken);
    return found->second.get();
}

bool ColumnUpdates::HasTaken(uint64_t file) {
    std::lock_guard lock(mutex_);
    const auto found = files_.find(file);
    return found != files_.end() && found->second;
}

duckdb::idx_t ColumnUpdates::Take(duckdb::ClientContext &context, Local &local, duckdb::Vector &files,
                                  duckdb::Vector &numbers, duckdb::DataChunk &new_rows, duckdb::SelectionVector &left) {
    const auto count = new_rows.size();
    duckdb::UnifiedVectorFormat format;
    files.ToUnifiedFormat(count, format);
    const auto *ids = duckdb::UnifiedVectorFormat::GetData<uint64_t>(format);
    std::vector<Local::Rows *> touched;
    Local::Rows *rows = nullptr;
    uint64_t last = 0;
    duckdb::idx_t left_count = 0;
    for (duckdb::idx_t i = 0; i < count; i++) {
        const auto id = ids[format.sel->get_index(i)];
        if (!rows || id != last) {
            auto [found, is_new] = local.files.try_emplace(id);
            rows = &found->second;
            last = id;
            if (is_new) {
                rows->file = FileOf(context, id);
            }
        }
        if (!rows->file) {
            left.set_index(left_count++, i);
            continue;
        }
        if (rows->selected.empty()) {
            touched.push_back(rows);
        }
        rows->selected.push_back(static_cast<duckdb::sel_t>(i));
    }
    duckdb::DataChunk slice;
    for (auto *taken : touched) {
        if (!taken->values) {
            taken->values = std::make_unique<duckdb::ColumnDataCollection>(context, taken_types_);
        }
        const duckdb::SelectionVector selection(taken->selected.data());
        const auto size = taken->selected.size();
        slice.Destroy();
        slice.InitializeEmpty(taken_types_);
        slice.data[0].Slice(numbers, selection, size);
        for (size_t i = 0; i < changed_.size(); i++) {
            // The types differ in the names of struct fields only: logical there, physical here.
            slice.data[i + 1].Reinterpret(new_rows.data[changed_[i]]);
            slice.data[i + 1].Slice(selection, size);
        }
        slice.SetCardinality(size);
        duckdb::ColumnDataAppendState appending;  // pins memory: there may be hundreds of files
        taken->values->InitializeAppend(appending);
        taken->values->Append(appending, slice);
        taken->selected.clear();
    }
    return left_count;
}

void ColumnUpdates::Combine(Local &local) {
    for (auto &[id, rows] : local.files) {
        if (rows.values) {
            std::lock_guard lock(rows.file->mutex);
            rows.file->updated += rows.values->Count();
            rows.file->parts.push_back(std::move(rows.values));
        }
    }
    local.files.clear();
}

duckdb::idx_t ColumnUpdates::Begin(duckdb::ClientContext &context) {
    std::vector<AddFile> scanned;
    for (auto &[id, file] : files_) {
        if (file) {
            scanned.push_back(file->file.add);
            if (!by_path_.emplace(file->file.add.path, file.get()).second) {
                Broken(file->file.path, "it has two ids");
            }
        }
    }
    if (scanned.empty()) {
        return 0;
    }
    duckdb::vector<duckdb::column_t> columns(changed_.begin(), changed_.end());
    for (auto column : DeltaRowIdColumns()) {
        columns.push_back(column);
    }
    scan_ = std::make_unique<FileScan>(context, view_, std::move(scanned), std::move(columns));
    return scan_->max_tasks();
}

void ColumnUpdates::Write(duckdb::ExecutionContext &context) {
    const auto columns = changed_.size();
    RowGroup group;
    std::optional<uint64_t> id;  // of group.file in the scan
    duckdb::DataChunk rows;
    scan_->Run(context, [&](duckdb::DataChunk &chunk) {
        chunk.data[columns].Flatten(chunk.size());
        chunk.data[columns + 1].Flatten(chunk.size());
        const auto *ids = duckdb::FlatVector::GetData<uint64_t>(chunk.data[columns]);
        const auto *numbers = duckdb::FlatVector::GetData<int64_t>(chunk.data[columns + 1]);
        const auto first = static_cast<uint64_t>(numbers[0]);
        if (!group.file || id != ids[0]) {
            auto *file = by_path_.at(scan_->FileOf(ids[0]).add.path);
            if (group.file) {
                Broken(group.file->file.path, "its row groups do not come whole");
            }
            BeginRowGroup(context.client, group, *file, first);
            id = ids[0];
        }
        const auto last = chunk.size() - 1;
        if (first != group.next || static_cast<uint64_t>(numbers[last]) != first + last || ids[last] != *id ||
            first + last >= group.file->ends[group.index]) {
            Broken(group.file->file.path, "its rows do not come in their order");
        }
        PutNewValues(group, chunk, rows);
        group.buffer->Append(rows);
        group.next += chunk.size();
        if (group.next == group.file->ends[group.index]) {
            EndRowGroup(context.client, group);
        }
    });
    if (group.file) {
        Broken(group.file->file.path, "its row groups do not come whole");
    }
}

void ColumnUpdates::BeginFile(duckdb::ClientContext &context, File &file) {
    file.begun = true;
    file.left = file.groups.size();
    file.statistics = std::make_unique<StatisticsCollector>(*plan_);
    file.name = data_files_->Begin(context, file.file.add.partition_values);
    file.spliced = std::make_unique<SplicedFile>(context, *file.source, data_files_->PathOf(file.name), layout_,
                                                 data_files_->dictionaries());
    for (size_t part = 0; part < file.parts.size(); part++) {
        uint64_t position = 0;
        for (auto &chunk : file.parts[part]->Chunks({0})) {
            const auto *numbers = duckdb::FlatVector::GetData<int64_t>(chunk.data[0]);
            for (duckdb::idx_t i = 0; i < chunk.size(); i++) {
                file.values.push_back({static_cast<uint64_t>(numbers[i]), part, position++});
            }
        }
    }
    std::sort(file.values.begin(), file.values.end(), [](const auto &a, const auto &b) { return a.row < b.row; });
}

void ColumnUpdates::BeginRowGroup(duckdb::ClientContext &context, RowGroup &group, File &file, uint64_t row) {
    std::lock_guard lock(file.mutex);
    if (!file.begun) {
        BeginFile(context, file);
    }
    group.file = &file;
    group.index = static_cast<size_t>(std::upper_bound(file.ends.begin(), file.ends.end(), row) - file.ends.begin());
    if (group.index == file.groups.size()) {
        Broken(file.file.path, "it has more rows than its footer says");
    }
    group.first = group.next = file.ends[group.index] - file.groups[group.index];
    group.buffer = std::make_unique<RowBuffer>(context, layout_.types, *plan_);
    group.rows.clear();
    group.new_values.Destroy();
    FetchNewValues(context, group);
}

//! Chunk by chunk, so that each is fetched once; then by row.
void ColumnUpdates::FetchNewValues(duckdb::ClientContext &context, RowGroup &group) const {
    const auto &file = *group.file;
    const auto before = [](const NewValue &value, uint64_t number) { return value.row < number; };
    const auto from = std::lower_bound(file.values.begin(), file.values.end(), group.first, before);
    const auto to = std::lower_bound(from, file.values.end(), file.ends[group.index], before);
    if (from == to) {
        return;
    }
    std::vector<NewValue> wanted(from, to);
    std::sort(wanted.begin(), wanted.end(), [](const auto &a, const auto &b) {
        return std::pair(a.part, a.position) < std::pair(b.part, b.position);
    });
    group.new_values.Initialize(context, taken_types_, wanted.size());
    duckdb::SelectionVector selection(STANDARD_VECTOR_SIZE);
    for (size_t i = 0; i < wanted.size();) {
        const auto part = wanted[i].part, chunk_index = wanted[i].position / STANDARD_VECTOR_SIZE;
        duckdb::DataChunk chunk;
        file.parts[part]->InitializeScanChunk(chunk);
        file.parts[part]->FetchChunk(chunk_index, chunk);
        duckdb::idx_t count = 0;
        for (; i < wanted.size() && wanted[i].part == part && wanted[i].position / STANDARD_VECTOR_SIZE == chunk_index;
             i++) {
            group.rows.emplace_back(wanted[i].row, i);
            selection.set_index(count++, wanted[i].position % STANDARD_VECTOR_SIZE);
        }
        group.new_values.Append(chunk, false, &selection, count);
    }
    const auto *numbers = duckdb::FlatVector::GetData<int64_t>(group.new_values.data[0]);
    std::sort(group.rows.begin(), group.rows.end());
    for (size_t i = 0; i < group.rows.size(); i++) {
        const auto [number, position] = group.rows[i];
        if (static_cast<uint64_t>(numbers[position]) != number || (i > 0 && group.rows[i - 1].first == number)) {
            Broken(file.file.path, "its new values are not one for each row");
        }
    }
}

void ColumnUpdates::PutNewValues(const RowGroup &group, duckdb::DataChunk &scanned, duckdb::DataChunk &rows) const {
    using RowAt = std::pair<uint64_t, duckdb::idx_t>;
    const auto count = scanned.size();
    const auto before = [](const RowAt &row, uint64_t number) { return row.first < number; };
    const auto from = std::lower_bound(group.rows.begin(), group.rows.end(), group.next, before);
    const auto to = std::lower_bound(from, group.rows.end(), group.next + count, before);
    const auto updated = static_cast<duckdb::idx_t>(to - from);
    duckdb::SelectionVector old_or_new(count), news(std::max<duckdb::idx_t>(updated, 1));
    for (duckdb::idx_t i = 0; i < count; i++) {
        old_or_new.set_index(i, i);
    }
    for (duckdb::idx_t i = 0; i < updated; i++) {
        const auto &[number, position] = from[static_cast<std::ptrdiff_t>(i)];
        old_or_new.set_index(number - group.next, count + i);
        news.set_index(i, position);
    }
    rows.Destroy();
    rows.InitializeEmpty(layout_.types);
    for (size_t i = 0; i < changed_.size(); i++) {
        rows.data[i].Reinterpret(scanned.data[i]);
        if (updated > 0) {
            duckdb::Vector both(layout_.types[i], count + updated);
            duckdb::VectorOperations::Copy(rows.data[i], both, count, 0, 0);
            duckdb::VectorOperations::Copy(group.new_values.data[i + 1], both, news, updated, 0, count);
            rows.data[i].Slice(both, old_or_new, count);
        }
    }
    rows.SetCardinality(count);
}

void ColumnUpdates::EndRowGroup(duckdb::ClientContext &context, RowGroup &group) {
    auto &file = *std::exchange(group.file, nullptr);
    file.spliced->WriteRowGroup(group.index, group.buffer->rows());
    std::lock_guard lock(file.mutex);
    file.statistics->Merge(group.buffer->statistics());
    group.buffer.reset();
    if (--file.left > 0) {
        return;
    }
    file.spliced->Close();
    file.spliced.reset();
    file.values = {};
    file.parts.clear();
    const auto &add = file.file.add;
    auto stats = WithColumns(add.stats, data_files_->StatisticsOf(*file.statistics), changed_names_);
    data_files_->End(context, file.name, file.statistics->rows(), stats.value_or(""), {});
}

ColumnUpdates::Result ColumnUpdates::Finish() {
    Result result;
    for (auto &[path, file] : by_path_) {
        if (!file->begun || file->left > 0) {
            Broken(file->file.path, "not all of its rows come");
        }
        result.copied_rows += static_cast<int64_t>(file->ends.back() - file->updated);
        result.replaced.push_back(file->file.add);
    }
    result.written = data_files_->Finish();
    return result;
}

}  // namespace birdfoot::duck
