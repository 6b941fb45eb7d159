// `stats_parsed` of a checkpoint (PROTOCOL.md, "Per-file Statistics" as struct): from its columns to the JSON text that
// `stats` would hold, in Spark's form. Columns come as leaves; which there are is said by the file's footer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/parquet_io.hpp"

namespace birdfoot {

class ParsedStatistics {
public:
    ParsedStatistics() = default;
    //! `field` is add.stats_parsed of a footer; the leaves' requests are appended to `requests`, `path` before their
    //! names.
    ParsedStatistics(const ParquetField &field, std::vector<std::string> path, std::vector<ColumnRequest> &requests);

    //! None if no leaf has a value.
    std::optional<std::string> JsonOf(const ReadBatch &batch, size_t row) const;

private:
    struct Node {
        std::string key;  // the name as JSON, with its colon
        ColumnKind kind = ColumnKind::kStruct;
        bool ntz = false;
        size_t column = 0;  // of a leaf: its place among the requests
        std::vector<Node> children;
    };
    static std::optional<Node> Build(const ParquetField &field, std::vector<std::string> &path,
                                     std::vector<ColumnRequest> &requests);
    static bool Append(const Node &node, const ReadBatch &batch, size_t row, std::string &out);

    std::vector<Node> roots_;
};

}  // namespace birdfoot
