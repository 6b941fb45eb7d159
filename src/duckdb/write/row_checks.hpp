// RowChecks: what every row must satisfy before it is written: NOT NULL (nested too), the lengths of char(n) and
// varchar(n), and dates and timestamps that Delta can hold. What is said in expressions is TableRules' business.
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"

namespace birdfoot::duck {

//! What a column, or a part of it, must satisfy.
struct RowCheck {
    size_t position = 0;  // in what holds it: a column, a field; 0 an element; 0 a key and 1 its value
    std::string path;
    TypeKind kind = TypeKind::kVoid;
    bool not_null = false;
    bool empty_is_null = false;  // a string partition column
    bool temporal = false;       // has an infinity in DuckDB
    uint64_t max_length = 0;     // characters; 0: any
    std::string length_type;     // "varchar(5)", for the message
    std::vector<RowCheck> children;

    bool idle() const { return !not_null && !temporal && max_length == 0 && children.empty(); }
};

class RowChecks {
public:
    RowChecks(const StructType &schema, const Metadata &metadata);

    //! Throws for the first column that breaks a rule, naming its path. May flatten the chunk's structs and lists.
    void Check(duckdb::DataChunk &chunk) const;

private:
    std::vector<RowCheck> columns_;
};

}  // namespace birdfoot::duck
