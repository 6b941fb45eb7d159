// DeltaCatalog's plans for INSERT and CREATE TABLE AS.
#include "duckdb/execution/operator/projection/physical_projection.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_create_table.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/insert.hpp"
#include "duckdb/write/store_assignment.hpp"

namespace birdfoot::duck {

namespace {

//! An ORDER BY is kept; the order of a plain query is of no interest to a table.
bool IsOrdered(duckdb::PhysicalOperator &plan) {
    return duckdb::PhysicalPlanGenerator::OrderPreservationRecursive(plan) ==
           duckdb::OrderPreservationType::FIXED_ORDER;
}

//! Casts the query's columns to those of the new table.
duckdb::PhysicalOperator &PlanCasts(duckdb::ClientContext &context, duckdb::PhysicalPlanGenerator &planner,
                                    duckdb::PhysicalOperator &plan, const StructType &schema) {
    duckdb::vector<duckdb::LogicalType> types;
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> expressions;
    for (size_t i = 0; i < schema.fields.size(); i++) {
        types.push_back(TypeOf(schema.fields[i].type));
        auto reference = duckdb::make_uniq<duckdb::BoundReferenceExpression>(plan.types[i], i);
        expressions.push_back(CastForStorage(context, std::move(reference), types.back()));
    }
    if (types == plan.types) {
        return plan;
    }
    auto &projection =
        planner.Make<duckdb::PhysicalProjection>(std::move(types), std::move(expressions), plan.estimated_cardinality);
    projection.children.push_back(plan);
    return projection;
}

}  // namespace

duckdb::PhysicalOperator &DeltaCatalog::PlanInsert(duckdb::ClientContext &context,
                                                   duckdb::PhysicalPlanGenerator &planner, duckdb::LogicalInsert &op,
                                                   duckdb::optional_ptr<duckdb::PhysicalOperator> plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = op.table.Cast<DeltaTableEntry>();
        table.RequireWritable();
        InsertTarget target;
        if (!op.column_index_map.empty()) {
            for (auto &column : table.GetColumns().Physical()) {
                target.given.push_back(op.column_index_map[column.Physical()] != duckdb::DConstants::INVALID_INDEX);
            }
            plan = planner.ResolveDefaultsProjection(op, *plan);
        }
        target.root = table.root();
        target.bound_to = table.snapshot();
        target.options = InsertOptionsOf(op);
        target.parallel = !IsOrdered(*plan);
        target.returning = op.return_chunk;
        target.assignment_checked = IsAssignmentChecked(op);
        auto &insert = planner.Make<DeltaInsert>(op.types, *this, std::move(target), op.estimated_cardinality);
        insert.children.push_back(*plan);
        (void)context;
        return insert;
    });
}

duckdb::PhysicalOperator &DeltaCatalog::PlanCreateTableAs(duckdb::ClientContext &context,
                                                          duckdb::PhysicalPlanGenerator &planner,
                                                          duckdb::LogicalCreateTable &op,
                                                          duckdb::PhysicalOperator &plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        if (read_only()) {
            Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be created. {}", op.info->Base().table,
                       ReadOnlyReason()));
        }
        InsertTarget target;
        target.create = CreateSpecOf(context, *op.info);
        target.create->as_select = true;
        target.schema = op.schema.name;
        target.name = op.info->Base().table;
        auto &child = PlanCasts(context, planner, plan, target.create->table.schema);
        target.parallel = !IsOrdered(child);
        auto &insert = planner.Make<DeltaInsert>(op.types, *this, std::move(target), op.estimated_cardinality);
        insert.children.push_back(child);
        return insert;
    });
}

}  // namespace birdfoot::duck
