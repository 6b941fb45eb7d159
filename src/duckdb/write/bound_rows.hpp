// The rows of an UPDATE or MERGE in its bound plan: where the old one is read, and the columns of the projection below
// the statement that make the new one.
#pragma once

#include <vector>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/planner/column_binding.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"

#include "duckdb/write/change_rows.hpp"

namespace birdfoot::duck {

using ExpressionPtr = duckdb::unique_ptr<duckdb::Expression>;

bool IsReference(const duckdb::Expression &expression);
//! Of a reference.
const duckdb::ColumnBinding &BindingOf(const duckdb::Expression &expression);
ExpressionPtr Null(const duckdb::LogicalType &type);

//! BIRDFOOT_INTERNAL if the statement is not over a projection.
duckdb::LogicalProjection &ProjectionBelow(duckdb::LogicalOperator &op);

//! Makes sure that the projection has a column with a column's default, and returns which.
duckdb::idx_t ProjectDefault(duckdb::LogicalProjection &projection, const ExpressionPtr &value,
                             const duckdb::LogicalType &type);

//! For each column of the table the projection's column with its new value.
void SetNewRowOfUpdate(RowClause &clause, const duckdb::vector<duckdb::PhysicalIndex> &columns,
                       const duckdb::vector<ExpressionPtr> &values, const duckdb::vector<ExpressionPtr> &defaults,
                       duckdb::TableCatalogEntry &table, duckdb::LogicalProjection &projection);

//! Checks and casts the columns `row` of `values` as what is stored in the table's (CheckStored).
void CheckRow(duckdb::ClientContext &context, const std::vector<duckdb::idx_t> &row,
              duckdb::vector<ExpressionPtr> &values, duckdb::TableCatalogEntry &table, bool all_fields);

//! The scan of that table index at or below `op`; null if there is none.
duckdb::LogicalGet *FindScan(duckdb::LogicalOperator &op, duckdb::idx_t table);

//! References to all columns of the statement's table, which its scan, that of `row_id`, is made to read.
std::vector<ExpressionPtr> OldRow(duckdb::LogicalOperator &plan, const duckdb::Expression &row_id,
                                  const duckdb::TableCatalogEntry &table);

//! Whether nothing in the plan below differs from run to run (but for `values`, which say nothing of which rows).
bool IsDeterministic(duckdb::LogicalOperator &op, const duckdb::LogicalOperator *values);

}  // namespace birdfoot::duck
