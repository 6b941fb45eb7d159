// Partitions by generated columns (PROTOCOL.md, "Generated Columns"): what a filter on a column says of the partition
// column that is made of it. `at >= '2024-03-01'` with day = CAST(at AS DATE) leaves out all earlier days.
#pragma once

#include <vector>

#include "duckdb.hpp"

#include "core/scan/predicate.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot::duck {

class GeneratedPruning {
public:
    explicit GeneratedPruning(const Snapshot &snapshot);

    //! The predicate, and what follows from it for partition columns. No row that satisfies the one fails the other,
    //! whatever zone the writer of a partition was in.
    Predicate Extend(duckdb::ClientContext &context, const Predicate &predicate) const;

private:
    struct Column {
        std::vector<std::string> base;  // physical path of the column it is made of
        StructField base_field;         // as a column of its own
        StructField field;              // the partition column
        std::string physical;
        std::string expression;
        bool monotone = false;  // it never decreases where the base grows
        bool of_time = false;
    };
    Predicate Extend(duckdb::ClientContext &context, const Predicate &compare, const Column &column) const;

    std::vector<Column> columns_;
};

}  // namespace birdfoot::duck
