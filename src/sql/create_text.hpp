// The CREATE TABLE of a table that exists, in Spark's spelling: what SHOW CREATE TABLE gives. The parser reads it back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/schema/types.hpp"
#include "sql/statement.hpp"

namespace birdfoot::sql {

struct TableDescription {
    TableName name;
    StructType schema;  // comments, CHAR lengths, defaults, generated and identity columns from its metadata
    std::vector<std::string> partition_columns;
    std::vector<ColumnPath> cluster_columns;
    std::optional<std::string> location;
    std::optional<std::string> comment;
    std::map<std::string, std::string> properties;  // delta.constraints.x become CONSTRAINT x CHECK (…)
};

std::string CreateTableText(const TableDescription &table);

}  // namespace birdfoot::sql
