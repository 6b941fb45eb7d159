// TableCondition: a condition over the columns of a table, bound: to be asked of rows, and as core's predicate to be
// asked of files. For replaceWhere.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression.hpp"

#include "core/scan/predicate.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"

namespace birdfoot::duck {

class TableCondition {
public:
    //! `text` is DuckDB's. Refuses sub-queries and conditions that do not give the same answer twice.
    TableCondition(duckdb::ClientContext &context, std::string text, const StructType &schema,
                   ColumnMappingMode mapping);

    const std::string &text() const { return text_; }
    //! What it asks of files, in physical columns.
    const Predicate &predicate() const { return predicate_; }
    //! Positions in the schema of the columns that it reads, ascending.
    const std::vector<size_t> &columns() const { return columns_; }

    //! One a thread.
    class Evaluator {
    public:
        //! `all_columns`: the chunks have the schema's columns; else those of columns(), in that order.
        Evaluator(duckdb::ClientContext &context, const TableCondition &condition, bool all_columns);
        //! The rows of which it is true; `matches` holds as many as the chunk has rows.
        duckdb::idx_t Select(duckdb::DataChunk &chunk, duckdb::SelectionVector &matches);

    private:
        duckdb::unique_ptr<duckdb::Expression> expression_;
        duckdb::ExpressionExecutor executor_;
    };

private:
    std::string text_;
    duckdb::unique_ptr<duckdb::Expression> expression_;  // over BoundColumnRefExpressions of table 0
    std::vector<size_t> columns_;
    Predicate predicate_;
};

}  // namespace birdfoot::duck
