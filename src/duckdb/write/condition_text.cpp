#include "duckdb/write/condition_text.hpp"

#include <functional>
#include <vector>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/operator/logical_any_join.hpp"
#include "duckdb/planner/operator/logical_comparison_join.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

namespace {

using ExpressionPtr = duckdb::unique_ptr<duckdb::Expression>;

void CollectConditions(duckdb::ClientContext &context, const duckdb::LogicalOperator &op,
                       std::vector<std::string> &conditions) {
    switch (op.type) {
    case duckdb::LogicalOperatorType::LOGICAL_FILTER:
        for (const auto &expression : op.expressions) {
            conditions.push_back(TextOf(context, *expression));
        }
        return CollectConditions(context, *op.children[0], conditions);
    case duckdb::LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
        for (const auto &condition : op.Cast<duckdb::LogicalComparisonJoin>().conditions) {
            conditions.push_back(fmt::format("({} {} {})", TextOf(context, *condition.left),
                                             duckdb::ExpressionTypeToOperator(condition.comparison),
                                             TextOf(context, *condition.right)));
        }
        return;
    case duckdb::LogicalOperatorType::LOGICAL_ANY_JOIN:
        conditions.push_back(TextOf(context, *op.Cast<duckdb::LogicalAnyJoin>().condition));
        return;
    default: return;
    }
}

}  // namespace

std::string TextOf(duckdb::ClientContext &context, const duckdb::Expression &expression) {
    const std::function<void(ExpressionPtr &)> fold = [&](ExpressionPtr &part) {
        duckdb::Value value;
        if (part->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CAST && part->IsFoldable() &&
            duckdb::ExpressionExecutor::TryEvaluateScalar(context, *part, value)) {
            part = duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value));
            return;
        }
        duckdb::ExpressionIterator::EnumerateChildren(*part, fold);
    };
    auto copy = expression.Copy();
    fold(copy);
    return copy->ToString();
}

std::string ConditionOf(duckdb::ClientContext &context, const duckdb::LogicalOperator &op) {
    std::vector<std::string> conditions;
    CollectConditions(context, op, conditions);
    return fmt::format("{}", fmt::join(conditions, " AND "));
}

}  // namespace birdfoot::duck
