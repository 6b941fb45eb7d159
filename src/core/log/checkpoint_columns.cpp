#include "core/log/checkpoint_columns.hpp"

namespace birdfoot {

std::optional<std::string> TextAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(std::string(column.strings[row]));
}
std::optional<int64_t> IntAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(column.ints[row]);
}
std::optional<bool> BoolAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(column.ints[row] != 0);
}
std::optional<PartitionValues> MapAt(const ColumnVector &column, size_t row) {
    if (column.is_null(row)) {
        return std::nullopt;
    }
    PartitionValues map;
    for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
        map.emplace_back(TextAt(column.children[0], i).value_or(""), TextAt(column.children[1], i));
    }
    return map;
}
std::map<std::string, std::string> TextMapAt(const ColumnVector &column, size_t row) {
    std::map<std::string, std::string> map;
    for (auto &[key, value] : MapAt(column, row).value_or(PartitionValues())) {
        if (value) {
            map.emplace(std::move(key), *std::move(value));
        }
    }
    return map;
}
std::optional<std::vector<std::string>> ListAt(const ColumnVector &column, size_t row) {
    if (column.is_null(row)) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
        list.push_back(TextAt(column.children[0], i).value_or(""));
    }
    return list;
}

}  // namespace birdfoot
