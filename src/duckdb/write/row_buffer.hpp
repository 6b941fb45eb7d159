// RowBuffer: rows on their way into a row group, with their statistics. The rows live in DuckDB's buffer manager, so
// they spill to disk when memory is short.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"

#include "duckdb/write/leaf_statistics.hpp"

namespace birdfoot::duck {

inline constexpr uint64_t kRowGroupRows = 122'880;  // DuckDB's, so that its scans parallelise as over its own files
inline constexpr uint64_t kRowGroupBytes = 128ull << 20;

class RowBuffer {
public:
    RowBuffer(duckdb::ClientContext &context, const duckdb::vector<duckdb::LogicalType> &types,
              const StatisticsPlan &plan)
        : rows_(context, types), statistics_(plan) {}

    void Append(duckdb::DataChunk &chunk) {
        if (!appending_) {
            rows_.InitializeAppend(state_);
            appending_ = true;
        }
        statistics_.Update(chunk);
        rows_.Append(state_, chunk);
    }
    void Combine(RowBuffer &other) {
        Unpin();
        other.Unpin();
        statistics_.Merge(other.statistics_);
        rows_.Combine(other.rows_);
    }
    //! Lets the rows be written to disk where memory is short.
    void Unpin() {
        state_.current_chunk_state.handles.clear();
        appending_ = false;
    }
    bool IsFull() const { return rows_.Count() >= kRowGroupRows || rows_.SizeInBytes() >= kRowGroupBytes; }
    bool empty() const { return rows_.Count() == 0; }
    duckdb::ColumnDataCollection &rows() { return rows_; }
    const StatisticsCollector &statistics() const { return statistics_; }

private:
    duckdb::ColumnDataCollection rows_;
    duckdb::ColumnDataAppendState state_;
    bool appending_ = false;
    StatisticsCollector statistics_;
};

}  // namespace birdfoot::duck
