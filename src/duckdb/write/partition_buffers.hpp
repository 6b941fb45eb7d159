// PartitionBuffers: the partitions of one write, with the rows and the open file of each. Up to kDirectPartitions have
// a buffer and an open file; the rows of the others wait in kOverflowBuckets collections, which spill, and are written
// a partition at a time. So ten million rows of a thousand partitions make a thousand files, without a thousand open
// ones.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/write/data_files.hpp"
#include "duckdb/write/partition_keys.hpp"
#include "duckdb/write/row_buffer.hpp"

namespace birdfoot::duck {

enum class PartitionPlace : uint8_t { kUndecided, kDirect, kOverflow };

struct Partition {
    Partition(uint32_t id, PartitionValues values) : id(id), values(std::move(values)) {}

    const uint32_t id;
    const PartitionValues values;
    std::atomic<PartitionPlace> place{PartitionPlace::kUndecided};
    std::atomic<uint64_t> last_used{0};  // rows written by all partitions until then
    std::mutex mutex;
    std::unique_ptr<RowBuffer> pending;
    std::shared_ptr<OpenFile> file;
};

//! Thread-safe.
class PartitionBuffers {
public:
    PartitionBuffers(const WriteTarget &target, const ParquetLayout &layout, const StatisticsPlan &plan,
                     const std::vector<PartitionColumn> &columns, DataFiles &files)
        : target_(target), layout_(layout), plan_(plan), columns_(columns), files_(files) {}

    Partition *Find(const PartitionKeys::TextValues &texts);
    std::unique_ptr<RowBuffer> NewBuffer(duckdb::ClientContext &context) const {
        return std::make_unique<RowBuffer>(context, layout_.types, plan_);
    }
    void CountRows(uint64_t rows) { rows_written_ += rows; }

    void Append(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows);
    //! Takes a buffer that a thread has filled by itself; writes it at once if it is full.
    void HandOver(duckdb::ClientContext &context, Partition &partition, std::unique_ptr<RowBuffer> buffer);
    //! Writes one of the partitions or buckets that have rows left; false when there is none. After all else.
    bool FinishSome(duckdb::ClientContext &context);

private:
    static constexpr size_t kDirectPartitions = 128;
    static constexpr size_t kOverflowBuckets = 64;
    //! A direct partition that got no row while this many were written makes room for another one.
    static constexpr uint64_t kIdleRows = 1'000'000;

    //! Rows of partitions without a buffer of their own; the last column is the partition's id.
    struct OverflowBucket {
        std::mutex mutex;
        std::unique_ptr<duckdb::ColumnDataCollection> rows;
        std::set<uint32_t> partitions;
    };

    Partition &ById(uint32_t id);
    PartitionPlace PlaceOf(duckdb::ClientContext &context, Partition &partition);
    void AppendOverflow(duckdb::ClientContext &context, Partition &partition, duckdb::DataChunk &rows);
    void Flush(duckdb::ClientContext &context, Partition &partition, RowBuffer &buffer, bool last);
    void FlushPending(duckdb::ClientContext &context, Partition &partition);
    void FlushOverflow(duckdb::ClientContext &context, duckdb::ColumnDataCollection &rows);
    void AppendById(duckdb::ClientContext &context, std::map<uint32_t, std::unique_ptr<RowBuffer>> &buffers,
                    duckdb::DataChunk &rows, uint32_t id, duckdb::idx_t from, duckdb::idx_t to);

    const WriteTarget &target_;
    const ParquetLayout &layout_;
    const StatisticsPlan &plan_;
    const std::vector<PartitionColumn> &columns_;
    DataFiles &files_;

    std::mutex mutex_;  // of the three below
    std::map<PartitionKeys::TextValues, std::unique_ptr<Partition>> partitions_;
    std::vector<Partition *> by_id_;
    std::vector<Partition *> direct_;
    std::array<OverflowBucket, kOverflowBuckets> overflow_;
    std::atomic<uint64_t> rows_written_{0};
    std::atomic<double> compression_{0.5};  // bytes in the file for a byte in memory, as seen last
    std::atomic<size_t> next_to_finish_{0};
};

}  // namespace birdfoot::duck
