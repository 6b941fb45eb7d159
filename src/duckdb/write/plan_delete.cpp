// DeltaCatalog's plan for DELETE. Where the push-down has taken the whole condition into the choice of files, nothing
// is scanned.
#include "duckdb/execution/operator/scan/physical_table_scan.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_delete.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/delete.hpp"

namespace birdfoot::duck {

namespace {

void CollectScans(duckdb::PhysicalOperator &op, const std::string &root,
                  std::vector<const duckdb::FunctionData *> &scans) {
    if (op.type == duckdb::PhysicalOperatorType::TABLE_SCAN) {
        auto &scan = op.Cast<duckdb::PhysicalTableScan>();
        if (scan.bind_data && IsDeltaScanOf(scan.function, *scan.bind_data, root)) {
            scans.push_back(scan.bind_data.get());
        }
    }
    for (auto &child : op.children) {
        CollectScans(child, root, scans);
    }
}

//! The scan, if it is bare and the log knows how many rows each of its files has.
const duckdb::FunctionData *BareScan(const duckdb::LogicalDelete &op, const std::string &root) {
    if (op.children.size() != 1 || op.children[0]->type != duckdb::LogicalOperatorType::LOGICAL_GET) {
        return nullptr;
    }
    auto &get = op.children[0]->Cast<duckdb::LogicalGet>();
    if (!get.table_filters.filters.empty() || !get.bind_data || get.dynamic_filters ||
        !IsDeltaScanOf(get.function, *get.bind_data, root)) {
        return nullptr;
    }
    for (const auto &file : FilesOfScan(*get.bind_data)) {
        if (!file.live_rows()) {
            return nullptr;
        }
    }
    return get.bind_data.get();
}

std::string HistoryText(const duckdb::FunctionData &scan) {
    auto text = PredicateOfScan(scan);
    return text == Predicate::True().ToString() ? "" : text;
}

DeltaTableEntry &TargetOf(duckdb::LogicalDelete &op) {
    auto &table = op.table.Cast<DeltaTableEntry>();
    table.RequireWritable();
    if (op.return_chunk) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "DELETE … RETURNING is not supported for Delta tables. SELECT the rows before you delete them."));
    }
    return table;
}

}  // namespace

duckdb::PhysicalOperator &DeltaCatalog::PlanDelete(duckdb::ClientContext &context,
                                                   duckdb::PhysicalPlanGenerator &planner, duckdb::LogicalDelete &op) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = TargetOf(op);
        const auto *scan = BareScan(op, table.root());
        if (!scan) {
            auto &plan = planner.CreatePlan(*op.children[0]);
            return PlanDelete(context, planner, op, plan);
        }
        DeleteTarget target;
        target.root = table.root();
        target.predicate = HistoryText(*scan);
        target.whole_files = FilesOfScan(*scan);
        return planner.Make<DeltaDelete>(op.types, *this, std::move(target), op.estimated_cardinality);
    });
}

duckdb::PhysicalOperator &DeltaCatalog::PlanDelete(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner,
                                                   duckdb::LogicalDelete &op, duckdb::PhysicalOperator &plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = TargetOf(op);
        DeleteTarget target;
        target.root = table.root();
        CollectScans(plan, table.root(), target.scans);
        if (!target.scans.empty()) {
            target.predicate = HistoryText(*target.scans[0]);
        }
        target.file_column = op.expressions.at(0)->Cast<duckdb::BoundReferenceExpression>().index;
        target.row_column = op.expressions.at(1)->Cast<duckdb::BoundReferenceExpression>().index;
        auto &erase = planner.Make<DeltaDelete>(op.types, *this, std::move(target), op.estimated_cardinality);
        erase.children.push_back(plan);
        return erase;
    });
}

}  // namespace birdfoot::duck
