#include "duckdb/write/returned_rows.hpp"

namespace birdfoot::duck {

void ReturnedRows::Add(Local &local, duckdb::DataChunk &rows, const char *action) const {
    const auto &types = rows_.Types();
    duckdb::DataChunk result;
    result.InitializeEmpty(types);
    const bool names_action = target_.statement == ChangeStatement::kMerge;
    for (size_t i = 0; i + names_action < types.size(); i++) {
        result.data[i].Reference(rows.data[i]);
    }
    if (names_action) {
        result.data.back().Reference(duckdb::Value(action));
    }
    result.SetCardinality(rows.size());
    local.Append(result);
}

void ReturnedRows::AddDeleted(Local &local, const RowClause &clause, duckdb::DataChunk &rows) {
    duckdb::SelectionVector first(STANDARD_VECTOR_SIZE);
    const auto count = FirstTime(rows, first);
    duckdb::vector<duckdb::LogicalType> types;
    for (auto column : clause.row) {
        types.push_back(rows.data[column].GetType());
    }
    duckdb::DataChunk old_rows;
    old_rows.InitializeEmpty(types);
    for (size_t i = 0; i < types.size(); i++) {
        old_rows.data[i].Slice(rows.data[clause.row[i]], first, count);
    }
    old_rows.SetCardinality(count);
    Add(local, old_rows, "DELETE");
}

duckdb::idx_t ReturnedRows::FirstTime(duckdb::DataChunk &rows, duckdb::SelectionVector &first) {
    duckdb::UnifiedVectorFormat file_format, row_format;
    rows.data[target_.file_column].ToUnifiedFormat(rows.size(), file_format);
    rows.data[target_.row_column].ToUnifiedFormat(rows.size(), row_format);
    const auto *files = duckdb::UnifiedVectorFormat::GetData<uint64_t>(file_format);
    const auto *numbers = duckdb::UnifiedVectorFormat::GetData<int64_t>(row_format);
    duckdb::idx_t count = 0;
    std::lock_guard lock(mutex_);
    for (duckdb::idx_t i = 0; i < rows.size(); i++) {
        auto &seen = deleted_[files[file_format.sel->get_index(i)]];
        const auto number = static_cast<uint64_t>(numbers[row_format.sel->get_index(i)]);
        if (!seen.Contains(number)) {
            seen.Add(number);
            first.set_index(count++, i);
        }
    }
    return count;
}

void ReturnedRows::Combine(Local &local) {
    std::lock_guard lock(mutex_);
    rows_.Combine(local);
}

}  // namespace birdfoot::duck
