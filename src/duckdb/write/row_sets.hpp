// RowSets: the rows that a statement takes out of the files of its table. Each thread keeps plain lists; they become
// one bitmap a file when all rows have come.
#pragma once

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/scan/deletion_vector.hpp"

namespace birdfoot::duck {

class RowSets {
public:
    using Lists = std::unordered_map<uint64_t, std::vector<uint64_t>>;  // file id → rows; one a thread

    //! Returns how many of the rows were in no list before.
    uint64_t Merge(Lists lists) {
        std::lock_guard lock(mutex_);
        uint64_t added = 0;
        for (auto &[file, rows] : lists) {
            auto &set = sets_[file];
            auto before = set.cardinality();
            set.AddMany(rows.data(), rows.size());
            added += set.cardinality() - before;
        }
        return added;
    }
    std::map<uint64_t, RowSet> Take() { return std::move(sets_); }

private:
    std::mutex mutex_;
    std::map<uint64_t, RowSet> sets_;
};

}  // namespace birdfoot::duck
