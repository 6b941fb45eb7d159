#include "duckdb/write/bound_rows.hpp"

#include <algorithm>

#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/write/prepare_changes.hpp"
#include "duckdb/write/store_assignment.hpp"

namespace birdfoot::duck {

using duckdb::BoundColumnRefExpression;
using duckdb::ColumnBinding;
using duckdb::Expression;
using duckdb::ExpressionType;
using duckdb::LogicalType;

bool IsReference(const Expression &expression) {
    return expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF;
}

const ColumnBinding &BindingOf(const Expression &expression) {
    return expression.Cast<BoundColumnRefExpression>().binding;
}

ExpressionPtr Null(const LogicalType &type) {
    return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
}

duckdb::LogicalProjection &ProjectionBelow(duckdb::LogicalOperator &op) {
    if (op.children.size() != 1 || op.children[0]->type != duckdb::LogicalOperatorType::LOGICAL_PROJECTION) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The plan of the statement has no projection."));
    }
    return op.children[0]->Cast<duckdb::LogicalProjection>();
}

duckdb::idx_t ProjectDefault(duckdb::LogicalProjection &projection, const ExpressionPtr &value,
                             const LogicalType &type) {
    auto expression = value ? value->Copy() : Null(type);
    if (expression->return_type != type) {
        expression = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
    }
    projection.expressions.push_back(std::move(expression));
    return projection.expressions.size() - 1;
}

void SetNewRowOfUpdate(RowClause &clause, const duckdb::vector<duckdb::PhysicalIndex> &columns,
                       const duckdb::vector<ExpressionPtr> &values, const duckdb::vector<ExpressionPtr> &defaults,
                       duckdb::TableCatalogEntry &table, duckdb::LogicalProjection &projection) {
    clause.row.resize(table.GetColumns().PhysicalColumnCount());
    clause.given.resize(clause.row.size());
    clause.kept.resize(clause.row.size());
    for (size_t i = 0; i < columns.size(); i++) {
        const auto index = columns[i].index;
        const auto &column = table.GetColumns().GetColumn(columns[i]);
        const bool is_default = values[i]->GetExpressionType() == ExpressionType::VALUE_DEFAULT;
        clause.row[index] = is_default ? ProjectDefault(projection, defaults[index], column.Type())
                                       : BindingOf(*values[i]).column_index;
        clause.kept[index] = values[i]->GetAlias() == kUnchanged;
        clause.given[index] = !is_default && !clause.kept[index];
    }
}

void CheckRow(duckdb::ClientContext &context, const std::vector<duckdb::idx_t> &row,
              duckdb::vector<ExpressionPtr> &values, duckdb::TableCatalogEntry &table, bool all_fields) {
    for (auto &column : table.GetColumns().Physical()) {
        CheckStored(context, values[row[column.Physical().index]], table.name, column.Name(), all_fields);
    }
}

duckdb::LogicalGet *FindScan(duckdb::LogicalOperator &op, duckdb::idx_t table) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET && op.Cast<duckdb::LogicalGet>().table_index == table) {
        return &op.Cast<duckdb::LogicalGet>();
    }
    for (auto &child : op.children) {
        if (auto *found = FindScan(*child, table)) {
            return found;
        }
    }
    return nullptr;
}

std::vector<ExpressionPtr> OldRow(duckdb::LogicalOperator &plan, const Expression &row_id,
                                  const duckdb::TableCatalogEntry &table) {
    auto *scan = FindScan(plan, BindingOf(row_id).table_index);
    if (!scan) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The plan of the statement has no scan of its table."));
    }
    std::vector<ExpressionPtr> row;
    for (auto &column : table.GetColumns().Logical()) {
        const auto &read = scan->GetColumnIds();
        const auto found = std::find_if(read.begin(), read.end(), [&](const duckdb::ColumnIndex &index) {
            return index.GetPrimaryIndex() == column.Logical().index && !index.HasChildren();
        });
        const auto position = static_cast<duckdb::idx_t>(found - read.begin());
        if (found == read.end()) {
            scan->AddColumnId(column.Logical().index);
        }
        row.push_back(duckdb::make_uniq<BoundColumnRefExpression>(column.Name(), column.Type(),
                                                                  ColumnBinding(scan->table_index, position)));
    }
    return row;
}

bool IsDeterministic(duckdb::LogicalOperator &op, const duckdb::LogicalOperator *values) {
    bool varies = false;
    if (&op != values) {
        duckdb::LogicalOperatorVisitor::EnumerateExpressions(
            op, [&](ExpressionPtr *expression) { varies = varies || (*expression)->IsVolatile(); });
    }
    return !varies && std::all_of(op.children.begin(), op.children.end(),
                                  [&](auto &child) { return IsDeterministic(*child, values); });
}

}  // namespace birdfoot::duck
