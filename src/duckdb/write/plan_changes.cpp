// DeltaCatalog's plans for DELETE, UPDATE and MERGE. Where the push-down has taken the whole condition of a DELETE into
// the choice of files, nothing is scanned.
#include "duckdb/execution/operator/scan/physical_table_scan.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/operator/logical_delete.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_merge_into.hpp"
#include "duckdb/planner/operator/logical_update.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/change_rows.hpp"
#include "duckdb/write/statement_note.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

namespace {

void CollectScans(const duckdb::PhysicalOperator &op, const std::string &root,
                  std::vector<const duckdb::FunctionData *> &scans) {
    if (op.type == duckdb::PhysicalOperatorType::TABLE_SCAN) {
        const auto &scan = op.Cast<duckdb::PhysicalTableScan>();
        if (scan.bind_data && IsDeltaScanOf(scan.function, *scan.bind_data, root)) {
            scans.push_back(scan.bind_data.get());
        }
    }
    for (auto &child : op.GetChildren()) {  // of joins for sub-queries these are more than `children`
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

duckdb::idx_t PositionOf(const duckdb::Expression &expression) {
    return expression.Cast<duckdb::BoundReferenceExpression>().index;
}

ChangeTarget TargetOf(ChangeStatement statement, const DeltaTableEntry &table, const StatementNote &note) {
    ChangeTarget target;
    target.statement = statement;
    target.root = table.root();
    target.evolved_to = note.evolved_to;
    target.parameters.emplace_back(
        "predicate", JsonList(note.condition.empty() ? std::vector<std::string>() : std::vector{note.condition}));
    target.parameters.insert(target.parameters.end(), note.parameters.begin(), note.parameters.end());
    return target;
}

//! Notes the scans of the table in the plan below. They are of the snapshot that the transaction has pinned, perhaps
//! under another spelling of the table's path.
void SetScans(ChangeTarget &target, const DeltaTableEntry &table, const duckdb::PhysicalOperator &plan,
              const StatementNote &note) {
    CollectScans(plan, table.snapshot()->root(), target.scans);
    if (note.deterministic && target.scans.size() == 1) {
        target.only_read = ReadOfScan(*target.scans.front());
    }
}

//! Sets where the row ids are: {file, row} and, where rows are tracked, {id}.
void SetRowIds(ChangeTarget &target, const DeltaTableEntry &table, duckdb::idx_t first) {
    target.file_column = first;
    target.row_column = first + 1;
    if (table.GetRowIdColumns().size() > 2) {
        target.row_id_column = first + 2;
    }
}

void RequirePrepared(const StatementNote &note) {
    if (!note.prepared) {
        Throw(
            Fail(Condition::BIRDFOOT_UNSUPPORTED,
                 "The optimizer or its extensions are switched off, so an UPDATE, a MERGE or a DELETE … RETURNING of a "
                 "Delta table cannot be prepared. Run PRAGMA enable_optimizer, and RESET disabled_optimizers."));
    }
}

DeltaTableEntry &WritableTable(duckdb::TableCatalogEntry &entry) {
    auto &table = entry.Cast<DeltaTableEntry>();
    table.RequireWritable();
    return table;
}

}  // namespace

duckdb::PhysicalOperator &DeltaCatalog::PlanDelete(duckdb::ClientContext &context,
                                                   duckdb::PhysicalPlanGenerator &planner, duckdb::LogicalDelete &op) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = WritableTable(op.table);
        const auto *scan = op.return_chunk ? nullptr : BareScan(op, table.snapshot()->root());
        if (!scan) {
            auto &plan = planner.CreatePlan(*op.children[0]);
            return PlanDelete(context, planner, op, plan);
        }
        auto note = NoteOf(op);
        auto target = TargetOf(note.truncate ? ChangeStatement::kTruncate : ChangeStatement::kDelete, table, note);
        target.whole_files = FilesOfScan(*scan);
        target.only_read = ReadOfScan(*scan);
        return planner.Make<DeltaChangeRows>(op.types, *this, std::move(target), op.estimated_cardinality);
    });
}

duckdb::PhysicalOperator &DeltaCatalog::PlanDelete(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner,
                                                   duckdb::LogicalDelete &op, duckdb::PhysicalOperator &plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = WritableTable(op.table);
        auto note = NoteOf(op);
        auto target = TargetOf(ChangeStatement::kDelete, table, note);
        SetScans(target, table, plan, note);
        target.file_column = PositionOf(*op.expressions.at(0));
        target.row_column = PositionOf(*op.expressions.at(1));
        auto &clause = target.clauses.emplace_back();
        if (op.return_chunk) {
            RequirePrepared(note);
            target.returning = true;
            const auto row_ids = table.GetRowIdColumns().size();
            for (size_t i = 0; i < table.GetColumns().LogicalColumnCount(); i++) {
                clause.row.push_back(PositionOf(*op.expressions[row_ids + i]));
            }
        }
        auto &change = planner.Make<DeltaChangeRows>(op.types, *this, std::move(target), op.estimated_cardinality);
        change.children.push_back(plan);
        return change;
    });
}

duckdb::PhysicalOperator &DeltaCatalog::PlanUpdate(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner,
                                                   duckdb::LogicalUpdate &op, duckdb::PhysicalOperator &plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = WritableTable(op.table);
        auto note = NoteOf(op);
        RequirePrepared(note);
        auto target = TargetOf(ChangeStatement::kUpdate, table, note);
        SetScans(target, table, plan, note);
        SetRowIds(target, table, note.row_ids);
        target.clauses = std::move(note.clauses);
        target.returning = op.return_chunk;
        auto &change = planner.Make<DeltaChangeRows>(op.types, *this, std::move(target), op.estimated_cardinality);
        change.children.push_back(plan);
        return change;
    });
}

duckdb::PhysicalOperator &DeltaCatalog::PlanMergeInto(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner,
                                                      duckdb::LogicalMergeInto &op, duckdb::PhysicalOperator &plan) {
    return Guarded([&]() -> duckdb::PhysicalOperator & {
        auto &table = WritableTable(op.table);
        auto note = NoteOf(op);
        RequirePrepared(note);
        auto target = TargetOf(ChangeStatement::kMerge, table, note);
        SetScans(target, table, plan, note);
        SetRowIds(target, table, note.row_ids);
        target.clause_column = note.clause_column;
        target.source_rows = note.source_rows;
        target.clauses = std::move(note.clauses);
        target.returning = op.return_chunk;
        auto &change = planner.Make<DeltaChangeRows>(op.types, *this, std::move(target), op.estimated_cardinality);
        change.children.push_back(plan);
        return change;
    });
}

}  // namespace birdfoot::duck
