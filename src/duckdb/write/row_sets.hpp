// RowSets: the rows that a statement takes out of the files of its table. Each thread keeps plain lists; they become
// one bitmap a file when all rows have come.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "duckdb.hpp"

#include "core/scan/deletion_vector.hpp"

namespace birdfoot::duck {

class RowSets {
public:
    using Lists = std::unordered_map<uint64_t, std::vector<uint64_t>>;  // file id → rows; one a thread

    //! Notes the rows of a chunk by two of its columns: the file's id and the row's number.
    static void Collect(duckdb::DataChunk &chunk, duckdb::idx_t file_column, duckdb::idx_t row_column, Lists &lists) {
        duckdb::UnifiedVectorFormat files, rows;
        chunk.data[file_column].ToUnifiedFormat(chunk.size(), files);
        chunk.data[row_column].ToUnifiedFormat(chunk.size(), rows);
        const auto *ids = duckdb::UnifiedVectorFormat::GetData<uint64_t>(files);
        const auto *numbers = duckdb::UnifiedVectorFormat::GetData<int64_t>(rows);
        std::vector<uint64_t> *list = nullptr;
        uint64_t last = 0;
        for (duckdb::idx_t i = 0; i < chunk.size(); i++) {
            auto id = ids[files.sel->get_index(i)];
            if (!list || id != last) {
                list = &lists[id];
                last = id;
            }
            list->push_back(static_cast<uint64_t>(numbers[rows.sel->get_index(i)]));
        }
    }
    void Merge(Lists lists) {
        std::lock_guard lock(mutex_);
        for (auto &[file, rows] : lists) {
            sets_[file].AddMany(rows.data(), rows.size());
        }
    }
    std::map<uint64_t, RowSet> Take() { return std::move(sets_); }

private:
    std::mutex mutex_;
    std::map<uint64_t, RowSet> sets_;
};

}  // namespace birdfoot::duck
