// RowChecks: what every row must satisfy before it is written: NOT NULL (nested too), the lengths of char(n) and
// varchar(n), and dates and timestamps that Delta can hold. What is said in expressions is TableRules' business.
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"

namespace birdfoot::duck {

class RowChecks {
public:
    RowChecks(const StructType &schema, const Metadata &metadata);

    //! Throws for the first column that breaks a rule, naming its path. May flatten the chunk's structs and lists.
    void Check(duckdb::DataChunk &chunk) const;

    struct Node {
        std::string path;
        TypeKind kind = TypeKind::kVoid;
        bool not_null = false;
        bool empty_is_null = false;                     // a string partition column
        bool temporal = false;                          // has an infinity in DuckDB
        uint64_t max_length = 0;                        // characters; 0: any
        std::string length_type;                        // "varchar(5)", for the message
        std::vector<std::pair<size_t, Node>> children;  // field, or 0 element, or 0 key and 1 value

        bool idle() const { return !not_null && !temporal && max_length == 0 && children.empty(); }
    };

private:
    std::vector<std::pair<size_t, Node>> columns_;
};

}  // namespace birdfoot::duck
