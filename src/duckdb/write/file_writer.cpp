// How rows find their file. Rows of one partition that come in a run are buffered by their thread alone. Mixed rows are
// staged until many of each partition are together. Up to kDirectPartitions partitions have a buffer and an open file
// each; the rows of the others wait in kOverflowBuckets collections, which spill, and are written a partition at a time.
// So ten million rows of a thousand partitions make a thousand files, without a thousand open ones.
#include "duckdb/write/file_writer.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/data_files.hpp"
#include "duckdb/write/partition_keys.hpp"
#include "duckdb/write/row_buffer.hpp"
#include "duckdb/write/row_checks.hpp"

namespace birdfoot::duck {

namespace {

constexpr size_t kDirectPartitions = 128;
constexpr size_t kOverflowBuckets = 64;
constexpr size_t kStagedRows = 128 * 1024;
constexpr uint64_t kStagedBytes = 64ull << 20;
//! A direct partition that got no row while this many were written makes room for another one.
constexpr uint64_t kIdleRows = 1'000'000;
constexpr const char *kChangeType = "_change_type";

enum class Place : uint8_t { kUndecided, kDirect, kOverflow };

//! Bytes of text and lists, roughly: what makes a row much larger than its fixed part.
uint64_t VariableBytes(duckdb::DataChunk &chunk) {
    uint64_t bytes = 0;
    for (auto &vector : chunk.data) {
        auto type = vector.GetType().InternalType();
        if (type == duckdb::PhysicalType::VARCHAR) {
            duckdb::UnifiedVectorFormat format;
            vector.ToUnifiedFormat(chunk.size(), format);
            const auto *texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
            for (duckdb::idx_t i = 0; i < chunk.size(); i++) {
                auto index = format.sel->get_index(i);
                bytes += format.validity.RowIsValid(index) ? texts[index].GetSize() : 0;
            }
        } else if (type == duckdb::PhysicalType::LIST) {
            bytes += duckdb::ListVector::GetListSize(vector) * 16;
        }
    }
    return bytes;
}

//! variant_to_parquet_variant makes a variant null of an SQL NULL; that is another value.
void KeepNulls(duckdb::Vector &source, duckdb::Vector &target, duckdb::idx_t count) {
    duckdb::UnifiedVectorFormat format;
    source.ToUnifiedFormat(count, format);
    if (format.validity.AllValid()) {
        return;
    }
    target.Flatten(count);
    for (duckdb::idx_t i = 0; i < count; i++) {
        if (!format.validity.RowIsValid(format.sel->get_index(i))) {
            duckdb::FlatVector::SetNull(target, i, true);
        }
    }
}

}  // namespace

struct Partition {
    Partition(uint32_t id, PartitionValues values) : id(id), values(std::move(values)) {}

    const uint32_t id;
    const PartitionValues values;
    std::atomic<Place> place{Place::kUndecided};
    std::atomic<uint64_t> last_used{0};  // rows written by all partitions until then
    std::mutex mutex;
    std::unique_ptr<RowBuffer> pending;
    std::shared_ptr<OpenFile> file;
};

namespace {

//! Rows of partitions without a buffer of their own; the last column is the partition's id.
struct OverflowBucket {
    std::mutex mutex;
    std::unique_ptr<duckdb::ColumnDataCollection> rows;
    std::set<uint32_t> partitions;
};

struct WriterLocal : FileWriter::Local {
    explicit WriterLocal(const std::vector<PartitionColumn> &columns) : keys(columns) {}

    std::unique_ptr<duckdb::ExpressionExecutor> variants;
    duckdb::DataChunk converted;   // variants as structs
    duckdb::DataChunk file_chunk;  // the file's columns
    PartitionKeys keys;
    std::vector<Partition *> partitions;  // of the chunk's rows

    Partition *run = nullptr;  // the partition of the rows in run_rows
    std::unique_ptr<RowBuffer> run_rows;

    duckdb::DataChunk staged;
    std::vector<Partition *> staged_partitions;
    uint64_t staged_bytes = 0;
};

}  // namespace

struct FileWriter::Impl {
    Impl(duckdb::ClientContext &context, WriteTarget target, PendingFiles &pending);

    void Write(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk);
    void Combine(duckdb::ClientContext &context, WriterLocal &local);
    bool FinishSome(duckdb::ClientContext &context);

    void AddFileColumns();
    void BindVariants(duckdb::ClientContext &context);
    void MakeFileChunk(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk);
    std::unique_ptr<RowBuffer> NewBuffer(duckdb::ClientContext &context) {
        return std::make_unique<RowBuffer>(context, layout.types, *plan);
    }
    Partition *FindPartition(const PartitionKeys::TextValues &values);
    Partition &PartitionById(uint32_t id) {
        std::lock_guard lock(partitions_mutex);
        return *by_id[id];
    }
    Place PlaceOf(duckdb::ClientContext &context, Partition &partition);

    void AppendRun(duckdb::ClientContext &context, WriterLocal &local, Partition &partition);
    void Stage(duckdb::ClientContext &context, WriterLocal &local);
    void Scatter(duckdb::ClientContext &context, WriterLocal &local);
    void AppendTo(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows);
    void HandOver(duckdb::ClientContext &context, Partition &partition, std::unique_ptr<RowBuffer> buffer);
    void AppendOverflow(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows);

    void Flush(duckdb::ClientContext &context, Partition &partition, RowBuffer &buffer, bool last);
    void FlushPending(duckdb::ClientContext &context, Partition &partition);
    void FlushOverflow(duckdb::ClientContext &context, duckdb::ColumnDataCollection &rows);
    void AppendById(duckdb::ClientContext &context, std::map<uint32_t, std::unique_ptr<RowBuffer>> &buffers,
                    duckdb::DataChunk &rows, uint32_t id, duckdb::idx_t from, duckdb::idx_t to);

    WriteTarget target;
    RowChecks checks;
    ParquetLayout layout;
    std::vector<size_t> positions;           // the file's columns in the chunks
    std::vector<StructField> file_fields;    // what they are
    std::vector<PartitionColumn> partition_columns;
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> variant_expressions;
    std::vector<size_t> variant_columns;     // in the file
    std::unique_ptr<StatisticsPlan> plan;
    std::unique_ptr<DataFiles> files;

    std::mutex partitions_mutex;
    std::map<PartitionKeys::TextValues, std::unique_ptr<Partition>> partitions;
    std::vector<Partition *> by_id;
    std::vector<Partition *> direct;
    std::array<OverflowBucket, kOverflowBuckets> overflow;
    std::atomic<uint64_t> rows_written{0};
    std::atomic<double> compression{0.5};  // bytes in the file for a byte in memory, as seen so far
    std::atomic<size_t> next_to_finish{0};
};

FileWriter::Impl::Impl(duckdb::ClientContext &context, WriteTarget target_p, PendingFiles &pending)
    : target(std::move(target_p)), checks(target.schema, target.metadata) {
    AddFileColumns();
    OkOrThrow(SetCodec(target.metadata, layout));
    BindVariants(context);
    std::vector<IndexedLeaf> leaves;
    if (!target.change_data) {
        leaves = ValueOrThrow(IndexedLeaves(target.metadata, target.schema, target.mapping));
    }
    plan = std::make_unique<StatisticsPlan>(std::move(leaves), file_fields, target.mapping);
    files = std::make_unique<DataFiles>(context, target, layout, *plan, pending);
    if (partition_columns.empty()) {
        FindPartition({});
    }
}

void FileWriter::Impl::AddFileColumns() {
    const auto &fields = target.schema.fields;
    std::map<std::string, PartitionColumn> found;
    for (size_t i = 0; i < fields.size(); i++) {
        const auto &field = fields[i];
        const auto &names = target.metadata.partition_columns;
        bool partition = std::any_of(names.begin(), names.end(),
                                     [&](const auto &name) { return EqualsIgnoreCase(name, field.name); });
        if (partition) {
            found[field.name] = {i, PhysicalName(field, target.mapping), field.type};
        }
        if ((partition && !target.materialize_partition_columns) || field.type.kind() == TypeKind::kVoid) {
            continue;
        }
        layout.types.push_back(ValueOrThrow(FileTypeOf(field.type, target.mapping, field.name)));
        layout.names.push_back(PhysicalName(field, target.mapping));
        AddFieldIds(field, target.mapping, layout.field_ids);
        if (field.type.kind() == TypeKind::kVariant) {
            variant_columns.push_back(positions.size());
        }
        positions.push_back(i);
        file_fields.push_back(field);
    }
    for (const auto &name : target.metadata.partition_columns) {
        for (const auto &[field, column] : found) {
            if (EqualsIgnoreCase(name, field)) {
                partition_columns.push_back(column);
            }
        }
    }
    if (partition_columns.size() != target.metadata.partition_columns.size()) {
        Throw(Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                   "The table is partitioned by a column that its schema lacks. Its metadata is damaged. Repair it."));
    }
    if (target.change_data) {
        layout.types.push_back(duckdb::LogicalType::VARCHAR);
        layout.names.push_back(kChangeType);
        positions.push_back(fields.size());
    }
    if (layout.types.empty()) {
        Throw(Fail(Condition::DELTA_NON_PARTITION_COLUMN_ABSENT,
                   "Data written into Delta needs to contain at least one non-partitioned column. All columns of the "
                   "table are partition columns or of type void. Add another column."));
    }
}

void FileWriter::Impl::BindVariants(duckdb::ClientContext &context) {
    for (auto column : variant_columns) {
        auto &entry = duckdb::Catalog::GetSystemCatalog(context).GetEntry<duckdb::ScalarFunctionCatalogEntry>(
            context, DEFAULT_SCHEMA, "variant_to_parquet_variant");
        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
        arguments.push_back(
            duckdb::make_uniq<duckdb::BoundReferenceExpression>(duckdb::LogicalType::VARIANT(), positions[column]));
        duckdb::ErrorData error;
        auto bound = duckdb::FunctionBinder(context).BindScalarFunction(entry, std::move(arguments), error);
        if (!bound) {
            error.Throw();
        }
        variant_expressions.push_back(std::move(bound));
    }
}

void FileWriter::Impl::MakeFileChunk(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk) {
    if (local.file_chunk.ColumnCount() == 0) {
        local.file_chunk.InitializeEmpty(layout.types);
    }
    if (!variant_columns.empty()) {
        if (!local.variants) {
            local.variants = std::make_unique<duckdb::ExpressionExecutor>(context, variant_expressions);
            duckdb::vector<duckdb::LogicalType> types;
            for (auto &expression : variant_expressions) {
                types.push_back(expression->return_type);
            }
            local.converted.Initialize(context, types);
        }
        local.converted.Reset();
        local.variants->Execute(chunk, local.converted);
        for (size_t i = 0; i < variant_columns.size(); i++) {
            KeepNulls(chunk.data[positions[variant_columns[i]]], local.converted.data[i], chunk.size());
        }
    }
    size_t variant = 0;
    for (size_t i = 0; i < positions.size(); i++) {
        bool is_variant = variant < variant_columns.size() && variant_columns[variant] == i;
        auto &source = is_variant ? local.converted.data[variant++] : chunk.data[positions[i]];
        // The types differ in the names of struct fields only: logical there, physical here.
        local.file_chunk.data[i].Reinterpret(source);
    }
    local.file_chunk.SetCardinality(chunk.size());
}

Partition *FileWriter::Impl::FindPartition(const PartitionKeys::TextValues &texts) {
    std::lock_guard lock(partitions_mutex);
    auto &partition = partitions[texts];
    if (!partition) {
        PartitionValues values;
        for (size_t i = 0; i < texts.size(); i++) {
            values.emplace_back(partition_columns[i].name, texts[i]);
        }
        partition = std::make_unique<Partition>(static_cast<uint32_t>(by_id.size()), std::move(values));
        by_id.push_back(partition.get());
    }
    return partition.get();
}

Place FileWriter::Impl::PlaceOf(duckdb::ClientContext &context, Partition &partition) {
    partition.last_used = rows_written.load();
    if (auto place = partition.place.load(); place != Place::kUndecided) {
        return place;
    }
    Partition *idle = nullptr;
    {
        std::lock_guard lock(partitions_mutex);
        if (partition.place != Place::kUndecided) {
            return partition.place;
        }
        if (direct.size() >= kDirectPartitions) {
            auto oldest = std::min_element(direct.begin(), direct.end(), [](const auto *a, const auto *b) {
                return a->last_used.load() < b->last_used.load();
            });
            if ((*oldest)->last_used + kIdleRows >= rows_written) {
                partition.place = Place::kOverflow;
                return Place::kOverflow;
            }
            idle = *oldest;
            idle->place = Place::kUndecided;
            direct.erase(oldest);
        }
        direct.push_back(&partition);
        partition.place = Place::kDirect;
    }
    if (idle) {
        FlushPending(context, *idle);
    }
    return Place::kDirect;
}

void FileWriter::Impl::Write(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk) {
    if (chunk.size() == 0) {
        return;
    }
    checks.Check(chunk);
    MakeFileChunk(context, local, chunk);
    rows_written += chunk.size();
    if (partition_columns.empty()) {
        return AppendRun(context, local, *by_id[0]);
    }
    auto find = [this](const PartitionKeys::TextValues &values) { return FindPartition(values); };
    if (local.keys.Assign(chunk, find, local.partitions)) {
        return AppendRun(context, local, *local.partitions[0]);
    }
    Stage(context, local);
}

void FileWriter::Impl::AppendRun(duckdb::ClientContext &context, WriterLocal &local, Partition &partition) {
    if (local.run != &partition) {
        if (local.run_rows && !local.run_rows->empty()) {
            HandOver(context, *local.run, std::move(local.run_rows));
        }
        local.run = &partition;
        local.run_rows.reset();
    }
    if (!local.run_rows) {
        local.run_rows = NewBuffer(context);
    }
    local.run_rows->Append(local.file_chunk);
    if (local.run_rows->IsFull()) {
        bool last = PlaceOf(context, partition) != Place::kDirect;
        Flush(context, partition, *local.run_rows, last);
        local.run_rows.reset();
    }
}

void FileWriter::Impl::Stage(duckdb::ClientContext &context, WriterLocal &local) {
    auto &rows = local.file_chunk;
    if (local.staged.ColumnCount() == 0) {
        local.staged.Initialize(context, layout.types, kStagedRows);
    }
    if (local.staged.size() + rows.size() > kStagedRows) {
        Scatter(context, local);
    }
    local.staged.Append(rows);
    local.staged_partitions.insert(local.staged_partitions.end(), local.partitions.begin(), local.partitions.end());
    local.staged_bytes += VariableBytes(rows);
    if (local.staged_bytes >= kStagedBytes) {
        Scatter(context, local);
    }
}

void FileWriter::Impl::Scatter(duckdb::ClientContext &context, WriterLocal &local) {
    auto count = local.staged_partitions.size();
    std::vector<std::pair<uint32_t, duckdb::sel_t>> order(count);
    for (size_t i = 0; i < count; i++) {
        order[i] = {local.staged_partitions[i]->id, static_cast<duckdb::sel_t>(i)};
    }
    std::sort(order.begin(), order.end());
    duckdb::SelectionVector selection(STANDARD_VECTOR_SIZE);
    duckdb::DataChunk rows;
    rows.InitializeEmpty(layout.types);
    for (size_t from = 0; from < count;) {
        duckdb::idx_t size = 0;
        auto id = order[from].first;
        for (; from < count && order[from].first == id && size < STANDARD_VECTOR_SIZE; from++) {
            selection.set_index(size++, order[from].second);
        }
        for (size_t i = 0; i < layout.types.size(); i++) {
            rows.data[i].Slice(local.staged.data[i], selection, size);
        }
        rows.SetCardinality(size);
        AppendTo(context, *local.staged_partitions[order[from - 1].second], rows);
    }
    local.staged.Reset();
    local.staged_partitions.clear();
    local.staged_bytes = 0;
}

void FileWriter::Impl::AppendTo(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows) {
    if (PlaceOf(context, partition) == Place::kOverflow) {
        return AppendOverflow(context, partition, rows);
    }
    std::unique_ptr<RowBuffer> full;
    {
        std::lock_guard lock(partition.mutex);
        if (!partition.pending) {
            partition.pending = NewBuffer(context);
        }
        partition.pending->Append(rows);
        if (partition.pending->IsFull()) {
            full = std::move(partition.pending);
        }
    }
    if (full) {
        Flush(context, partition, *full, false);
    }
}

void FileWriter::Impl::HandOver(duckdb::ClientContext &context, Partition &partition,
                                std::unique_ptr<RowBuffer> buffer) {
    if (PlaceOf(context, partition) == Place::kOverflow) {
        for (auto &rows : buffer->rows().Chunks()) {
            AppendOverflow(context, partition, rows);
        }
        return;
    }
    {
        std::lock_guard lock(partition.mutex);
        if (partition.pending) {
            partition.pending->Combine(*buffer);
            buffer.reset();
            if (partition.pending->IsFull()) {
                buffer = std::move(partition.pending);
            }
        } else {
            buffer->Unpin();
            partition.pending = std::move(buffer);
        }
    }
    if (buffer) {
        Flush(context, partition, *buffer, false);
    }
}

void FileWriter::Impl::AppendOverflow(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows) {
    auto types = layout.types;
    types.push_back(duckdb::LogicalType::UINTEGER);
    duckdb::DataChunk tagged;
    tagged.InitializeEmpty(types);
    for (size_t i = 0; i < layout.types.size(); i++) {
        tagged.data[i].Reference(rows.data[i]);
    }
    tagged.data.back().Reference(duckdb::Value::UINTEGER(partition.id));
    tagged.SetCardinality(rows.size());

    auto &bucket = overflow[partition.id % kOverflowBuckets];
    std::unique_ptr<duckdb::ColumnDataCollection> full;
    {
        std::lock_guard lock(bucket.mutex);
        if (!bucket.rows) {
            bucket.rows = std::make_unique<duckdb::ColumnDataCollection>(context, types);
        }
        bucket.partitions.insert(partition.id);
        bucket.rows->Append(tagged);
        if (bucket.rows->Count() >= kRowGroupRows * bucket.partitions.size()) {
            full = std::move(bucket.rows);
        }
    }
    if (full) {
        FlushOverflow(context, *full);
    }
}

//! Writes the buffer as a row group of the partition's file; `last` closes that file behind it.
void FileWriter::Impl::Flush(duckdb::ClientContext &context, Partition &partition, RowBuffer &buffer, bool last) {
    if (context.IsInterrupted()) {
        throw duckdb::InterruptException();
    }
    buffer.Unpin();
    auto memory = buffer.rows().SizeInBytes();
    auto expected = static_cast<uint64_t>(static_cast<double>(memory) * compression);
    std::shared_ptr<OpenFile> file;
    {
        std::lock_guard lock(partition.mutex);
        if (!partition.file) {
            partition.file = files->Open(context, partition.values);
        }
        file = partition.file;
        file->in_flight++;
        file->expected_bytes += expected;
        // Full with this row group: the next one goes elsewhere.
        if (last || file->parquet->written() + file->expected_bytes >= target.target_file_bytes) {
            file->retired = true;
            partition.file.reset();
        }
    }
    auto before = file->parquet->written();
    file->parquet->WriteRowGroup(buffer.rows());
    bool alone, close;
    {
        std::lock_guard lock(partition.mutex);
        file->statistics.Merge(buffer.statistics());
        file->expected_bytes -= expected;
        alone = --file->in_flight == 0;
        close = alone && file->retired;
    }
    if (memory > 0 && alone) {
        compression = static_cast<double>(file->parquet->written() - before) / static_cast<double>(memory);
    }
    if (close) {
        files->Close(context, *file);
    }
}

//! Writes and closes all that a partition has.
void FileWriter::Impl::FlushPending(duckdb::ClientContext &context, Partition &partition) {
    std::unique_ptr<RowBuffer> pending;
    std::shared_ptr<OpenFile> done;
    {
        std::lock_guard lock(partition.mutex);
        pending = std::move(partition.pending);
        if ((!pending || pending->empty()) && partition.file) {
            partition.file->retired = true;
            done = partition.file->in_flight == 0 ? partition.file : nullptr;
            partition.file.reset();
        }
    }
    if (pending && !pending->empty()) {
        Flush(context, partition, *pending, true);
    } else if (done) {
        files->Close(context, *done);
    }
}

void FileWriter::Impl::AppendById(duckdb::ClientContext &context,
                                  std::map<uint32_t, std::unique_ptr<RowBuffer>> &buffers, duckdb::DataChunk &rows,
                                  uint32_t id, duckdb::idx_t from, duckdb::idx_t to) {
    auto &buffer = buffers[id];
    if (!buffer) {
        buffer = NewBuffer(context);
    }
    duckdb::DataChunk slice;
    slice.InitializeEmpty(layout.types);
    for (size_t i = 0; i < layout.types.size(); i++) {
        slice.data[i].Slice(rows.data[i], from, to);
    }
    slice.SetCardinality(to - from);
    buffer->Append(slice);
    if (buffer->IsFull()) {
        Flush(context, PartitionById(id), *buffer, false);
        buffer = NewBuffer(context);
    }
}

void FileWriter::Impl::FlushOverflow(duckdb::ClientContext &context, duckdb::ColumnDataCollection &rows) {
    std::map<uint32_t, std::unique_ptr<RowBuffer>> buffers;
    for (auto &chunk : rows.Chunks()) {
        const auto *ids = duckdb::FlatVector::GetData<uint32_t>(chunk.data.back());
        for (duckdb::idx_t from = 0, to = 0; from < chunk.size(); from = to) {
            for (to = from; to < chunk.size() && ids[to] == ids[from]; to++) {
            }
            AppendById(context, buffers, chunk, ids[from], from, to);
        }
    }
    rows.Reset();
    for (auto &[id, buffer] : buffers) {
        auto &partition = PartitionById(id);
        if (!buffer->empty()) {
            Flush(context, partition, *buffer, true);
        } else {
            FlushPending(context, partition);
        }
        buffer.reset();
    }
}

void FileWriter::Impl::Combine(duckdb::ClientContext &context, WriterLocal &local) {
    if (!local.staged_partitions.empty()) {
        Scatter(context, local);
    }
    if (local.run_rows && !local.run_rows->empty()) {
        HandOver(context, *local.run, std::move(local.run_rows));
    }
    local.run_rows.reset();
}

bool FileWriter::Impl::FinishSome(duckdb::ClientContext &context) {
    auto next = next_to_finish++;
    if (next < kOverflowBuckets) {
        if (overflow[next].rows) {
            FlushOverflow(context, *overflow[next].rows);
            overflow[next].rows.reset();
        }
        return true;
    }
    next -= kOverflowBuckets;
    if (next >= by_id.size()) {
        return false;
    }
    FlushPending(context, *by_id[next]);
    return true;
}

FileWriter::FileWriter(duckdb::ClientContext &context, WriteTarget target, PendingFiles &files)
    : impl_(std::make_unique<Impl>(context, std::move(target), files)) {}

FileWriter::~FileWriter() = default;

duckdb::unique_ptr<FileWriter::Local> FileWriter::MakeLocal() {
    return duckdb::make_uniq<WriterLocal>(impl_->partition_columns);
}

void FileWriter::Write(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk) {
    impl_->Write(context, static_cast<WriterLocal &>(local), chunk);
}

void FileWriter::Combine(duckdb::ClientContext &context, Local &local) {
    impl_->Combine(context, static_cast<WriterLocal &>(local));
}

bool FileWriter::FinishSome(duckdb::ClientContext &context) {
    return impl_->FinishSome(context);
}

std::vector<WrittenFile> FileWriter::Finish(duckdb::ClientContext &context) {
    while (impl_->FinishSome(context)) {
    }
    return impl_->files->Finish();
}

AddFile ToAddFile(WrittenFile file, bool data_change) {
    AddFile add;
    add.path = std::move(file.path);
    add.partition_values = std::move(file.partition_values);
    add.size = static_cast<int64_t>(file.size);
    add.modification_time = file.modification_time;
    add.data_change = data_change;
    add.stats = std::move(file.stats);
    return add;
}

}  // namespace birdfoot::duck
