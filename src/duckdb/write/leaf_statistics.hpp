// StatisticsCollector: the exact statistics of the rows of a row group or file, gathered from the vectors as they pass
// (PROTOCOL.md, "Per-file Statistics"). DuckDB's own are of no use: NaN, all-NULL row groups and long strings go wrong.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/scan/statistics.hpp"

namespace birdfoot::duck {

//! Which leaves of a file's columns are gathered; one a writer, shared by its collectors.
class StatisticsPlan {
public:
    struct Node {
        size_t position = 0;     // of a column in the file, or of a field in its struct
        size_t leaf = SIZE_MAX;  // index into leaves()
        std::vector<Node> children;
    };

    //! `leaves` with physical paths; `columns` are the file's, in its order. Leaves of other columns count as all NULL.
    StatisticsPlan(std::vector<IndexedLeaf> leaves, const std::vector<StructField> &columns, ColumnMappingMode mapping);

    const std::vector<IndexedLeaf> &leaves() const { return leaves_; }
    const std::vector<Node> &roots() const { return roots_; }
    bool IsAbsent(size_t leaf) const { return absent_[leaf]; }

private:
    std::vector<IndexedLeaf> leaves_;
    std::vector<bool> absent_;
    std::vector<Node> roots_;
};

class StatisticsCollector {
public:
    explicit StatisticsCollector(const StatisticsPlan &plan) : plan_(&plan), leaves_(plan.leaves().size()) {}

    //! Counts the chunk's rows; flattens its structs.
    void Update(duckdb::DataChunk &chunk);
    void Merge(const StatisticsCollector &other);

    int64_t rows() const { return rows_; }
    std::vector<LeafStatistics> Leaves() const;

    //! What is known of one leaf. -0.0 lies below 0.0 here, so that both readings of a zero bound are safe.
    struct Leaf {
        int64_t null_count = 0;
        bool any = false;  // a value that is neither NULL nor NaN was seen; bounds are valid
        bool any_nan = false;
        int64_t min_integer = 0, max_integer = 0;
        double min_real = 0, max_real = 0;
        duckdb::hugeint_t min_huge, max_huge;
        std::string min_text, max_text;
    };

private:
    void Visit(duckdb::Vector &vector, duckdb::idx_t count, const StatisticsPlan::Node &node,
               const std::vector<bool> *null_parent);

    const StatisticsPlan *plan_;
    int64_t rows_ = 0;
    std::vector<Leaf> leaves_;
};

}  // namespace birdfoot::duck
