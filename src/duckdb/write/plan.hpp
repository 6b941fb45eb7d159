// The operators that write, as the catalog plans them.
#pragma once

#include "duckdb.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/operator/logical_create_table.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"

namespace birdfoot::duck {

//! INSERT into `op.table`, a DeltaTableEntry of the current version in a catalog that may be written. `plan` is none for
//! INSERT … DEFAULT VALUES.
duckdb::PhysicalOperator &PlanDeltaInsert(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                          duckdb::LogicalInsert &op, duckdb::optional_ptr<duckdb::PhysicalOperator> plan);
//! CREATE TABLE AS: creates the table with CreateDeltaTable (as_select) when it starts to run, then adds the rows.
duckdb::PhysicalOperator &PlanDeltaCreateTableAs(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                                 duckdb::LogicalCreateTable &op, duckdb::PhysicalOperator &plan);

}  // namespace birdfoot::duck
