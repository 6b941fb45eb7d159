// PartitionKeys: which partition each row of a chunk belongs to, as the text values of the log (PROTOCOL.md, "Partition
// Value Serialization"). Rows with the same values are found by their bytes; text is made once a distinct key.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "duckdb.hpp"

#include "core/schema/scalar.hpp"

namespace birdfoot::duck {

struct Partition;  // FileWriter's

struct PartitionColumn {
    size_t position = 0;  // in the chunks
    std::string name;     // physical
    DataType type;
    std::string logical_name;  // for messages
};

//! One a thread.
class PartitionKeys {
public:
    using TextValues = std::vector<std::optional<std::string>>;
    //! Finds or makes the partition of these values.
    using Find = std::function<Partition *(const TextValues &)>;

    explicit PartitionKeys(const std::vector<PartitionColumn> &columns) : columns_(columns) {}

    //! Fills `rows` with the partition of each row; true if it is the same for all of them.
    bool Assign(duckdb::DataChunk &chunk, const Find &find, std::vector<Partition *> &rows);

private:
    const std::vector<PartitionColumn> &columns_;
    std::unordered_map<std::string, Partition *> known_;
};

}  // namespace birdfoot::duck
