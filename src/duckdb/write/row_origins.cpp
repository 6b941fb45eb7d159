#include "duckdb/write/row_origins.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

void FileOrigins::Append(RowOrigin origin) {
    const auto expected = [&] {
        const auto &run = runs_.back();
        return run.origin == kNewRow ? kNewRow : run.origin + (rows_ - run.first);
    };
    if (runs_.empty() || expected() != origin) {
        runs_.push_back({rows_, origin});
    }
    rows_++;
    old_ = old_ || origin != kNewRow;
}

RowOrigin FileOrigins::Of(uint64_t row) const {
    if (row >= rows_) {
        return kNewRow;
    }
    auto run = std::upper_bound(runs_.begin(), runs_.end(), row,
                                [](uint64_t value, const Run &candidate) { return value < candidate.first; });
    --run;
    return run->origin == kNewRow ? kNewRow : run->origin + (row - run->first);
}

RowOrigin RowOrigins::Source::Of(uint64_t row) const {
    if (written_) {
        return written_->Of(row);
    }
    if (row > UINT32_MAX) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "A data file has more than {} rows. Their changes cannot be told in a transaction of several "
                   "statements; COMMIT in between.",
                   UINT32_MAX));
    }
    return (file_ << 32) | row;
}

RowOrigins::Source RowOrigins::SourceOf(const std::string &path) {
    if (const auto *written = Find(path)) {
        return {written, 0};
    }
    const auto [number, is_new] = numbers_.emplace(path, paths_.size());
    if (is_new) {
        paths_.push_back(path);
    }
    return {nullptr, number->second};
}

const FileOrigins *RowOrigins::Find(const std::string &path) const {
    auto found = written_.find(path);
    return found == written_.end() ? nullptr : &found->second;
}

duckdb::Vector OriginsOf(duckdb::DataChunk &rows, duckdb::idx_t file_column, duckdb::idx_t row_column,
                         const std::function<RowOrigins::Source(uint64_t)> &source_of) {
    duckdb::UnifiedVectorFormat files, numbers;
    rows.data[file_column].ToUnifiedFormat(rows.size(), files);
    rows.data[row_column].ToUnifiedFormat(rows.size(), numbers);
    const auto *ids = duckdb::UnifiedVectorFormat::GetData<uint64_t>(files);
    const auto *positions = duckdb::UnifiedVectorFormat::GetData<int64_t>(numbers);
    duckdb::Vector origins(duckdb::LogicalType::UBIGINT, std::max<duckdb::idx_t>(rows.size(), STANDARD_VECTOR_SIZE));
    auto *values = duckdb::FlatVector::GetData<RowOrigin>(origins);
    std::optional<std::pair<uint64_t, RowOrigins::Source>> last;
    for (duckdb::idx_t i = 0; i < rows.size(); i++) {
        const auto id = ids[files.sel->get_index(i)];
        if (!last || last->first != id) {
            last.emplace(id, source_of(id));
        }
        values[i] = last->second.Of(static_cast<uint64_t>(positions[numbers.sel->get_index(i)]));
    }
    return origins;
}

const std::string &RowOrigins::PathOf(RowOrigin origin) const { return paths_[(origin >> 32) & INT32_MAX]; }

}  // namespace birdfoot::duck
