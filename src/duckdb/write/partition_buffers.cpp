#include "duckdb/write/partition_buffers.hpp"

#include <algorithm>

namespace birdfoot::duck {

Partition *PartitionBuffers::Find(const PartitionKeys::TextValues &texts) {
    std::lock_guard lock(mutex_);
    auto &partition = partitions_[texts];
    if (!partition) {
        PartitionValues values;
        for (size_t i = 0; i < texts.size(); i++) {
            values.emplace_back(columns_[i].name, texts[i]);
        }
        partition = std::make_unique<Partition>(static_cast<uint32_t>(by_id_.size()), std::move(values));
        by_id_.push_back(partition.get());
    }
    return partition.get();
}

Partition &PartitionBuffers::ById(uint32_t id) {
    std::lock_guard lock(mutex_);
    return *by_id_[id];
}

PartitionPlace PartitionBuffers::PlaceOf(duckdb::ClientContext &context, Partition &partition) {
    partition.last_used = rows_written_.load();
    if (auto place = partition.place.load(); place != PartitionPlace::kUndecided) {
        return place;
    }
    Partition *idle = nullptr;
    {
        std::lock_guard lock(mutex_);
        if (partition.place != PartitionPlace::kUndecided) {
            return partition.place;
        }
        if (direct_.size() >= kDirectPartitions) {
            auto oldest = std::min_element(direct_.begin(), direct_.end(), [](const auto *a, const auto *b) {
                return a->last_used.load() < b->last_used.load();
            });
            if ((*oldest)->last_used + kIdleRows >= rows_written_) {
                partition.place = PartitionPlace::kOverflow;
                return PartitionPlace::kOverflow;
            }
            idle = *oldest;
            idle->place = PartitionPlace::kUndecided;
            direct_.erase(oldest);
        }
        direct_.push_back(&partition);
        partition.place = PartitionPlace::kDirect;
    }
    if (idle) {
        FlushPending(context, *idle);
    }
    return PartitionPlace::kDirect;
}

void PartitionBuffers::Append(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows) {
    if (PlaceOf(context, partition) == PartitionPlace::kOverflow) {
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

void PartitionBuffers::HandOver(duckdb::ClientContext &context, Partition &partition,
                                std::unique_ptr<RowBuffer> buffer) {
    auto place = PlaceOf(context, partition);
    if (buffer->IsFull()) {
        return Flush(context, partition, *buffer, place == PartitionPlace::kOverflow);
    }
    if (place == PartitionPlace::kOverflow) {
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

void PartitionBuffers::AppendOverflow(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows) {
    auto types = layout_.types;
    types.push_back(duckdb::LogicalType::UINTEGER);
    duckdb::DataChunk tagged;
    tagged.InitializeEmpty(types);
    for (size_t i = 0; i < layout_.types.size(); i++) {
        tagged.data[i].Reference(rows.data[i]);
    }
    tagged.data.back().Reference(duckdb::Value::UINTEGER(partition.id));
    tagged.SetCardinality(rows.size());

    auto &bucket = overflow_[partition.id % kOverflowBuckets];
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
void PartitionBuffers::Flush(duckdb::ClientContext &context, Partition &partition, RowBuffer &buffer, bool last) {
    if (context.IsInterrupted()) {
        throw duckdb::InterruptException();
    }
    buffer.Unpin();
    auto memory = buffer.rows().SizeInBytes();
    auto expected = static_cast<uint64_t>(static_cast<double>(memory) * compression_);
    std::shared_ptr<OpenFile> file;
    {
        std::lock_guard lock(partition.mutex);
        if (!partition.file) {
            partition.file = files_.Open(context, partition.values);
        }
        file = partition.file;
        file->in_flight++;
        file->expected_bytes += expected;
        // Full with this row group: the next one goes elsewhere.
        if (last || file->parquet->written() + file->expected_bytes >= target_.target_file_bytes) {
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
        compression_ = static_cast<double>(file->parquet->written() - before) / static_cast<double>(memory);
    }
    if (close) {
        files_.Close(context, *file);
    }
}

//! Writes and closes all that a partition has.
void PartitionBuffers::FlushPending(duckdb::ClientContext &context, Partition &partition) {
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
        files_.Close(context, *done);
    }
}

void PartitionBuffers::AppendById(duckdb::ClientContext &context,
                                  std::map<uint32_t, std::unique_ptr<RowBuffer>> &buffers, duckdb::DataChunk &rows,
                                  uint32_t id, duckdb::idx_t from, duckdb::idx_t to) {
    auto &buffer = buffers[id];
    if (!buffer) {
        buffer = NewBuffer(context);
    }
    duckdb::DataChunk slice;
    slice.InitializeEmpty(layout_.types);
    for (size_t i = 0; i < layout_.types.size(); i++) {
        slice.data[i].Slice(rows.data[i], from, to);
    }
    slice.SetCardinality(to - from);
    buffer->Append(slice);
    if (buffer->IsFull()) {
        Flush(context, ById(id), *buffer, false);
        buffer = NewBuffer(context);
    }
}

void PartitionBuffers::FlushOverflow(duckdb::ClientContext &context, duckdb::ColumnDataCollection &rows) {
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
        auto &partition = ById(id);
        if (!buffer->empty()) {
            Flush(context, partition, *buffer, true);
        } else {
            FlushPending(context, partition);
        }
        buffer.reset();
    }
}

bool PartitionBuffers::FinishSome(duckdb::ClientContext &context) {
    auto next = next_to_finish_++;
    if (next < kOverflowBuckets) {
        if (overflow_[next].rows) {
            FlushOverflow(context, *overflow_[next].rows);
            overflow_[next].rows.reset();
        }
        return true;
    }
    next -= kOverflowBuckets;
    if (next >= by_id_.size()) {
        return false;
    }
    FlushPending(context, *by_id_[next]);
    return true;
}

}  // namespace birdfoot::duck
