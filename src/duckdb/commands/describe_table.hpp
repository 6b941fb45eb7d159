// DESCRIBE EXTENDED, DESCRIBE of a column, and SHOW CREATE TABLE.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/commands/command.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

using DescribeRow = std::array<std::optional<std::string>, 3>;  // col_name, data_type, comment

//! All columns and what the table is; with a `column`, that one as name and value pairs. DELTA_COLUMN_NOT_FOUND.
std::vector<DescribeRow> DescribeRows(const DeltaTableEntry &table, const sql::TableName &name,
                                      const sql::ColumnPath &column);
//! The table's CREATE TABLE in Spark's spelling.
std::string CreateTextOf(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::TableName &name);

class DescribeTableCommand : public Command {
public:
    explicit DescribeTableCommand(std::vector<DescribeRow> rows) : rows_(std::move(rows)) {}
    std::string Name() const override { return "DESCRIBE TABLE"; }
    std::vector<std::pair<std::string, duckdb::LogicalType>> Columns() const override;
    void Run(duckdb::ClientContext &context, const RowSink &emit) const override;

private:
    const std::vector<DescribeRow> rows_;
};

}  // namespace birdfoot::duck
