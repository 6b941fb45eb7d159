#include "duckdb/translate/spark_names.hpp"

#include "duckdb/function/scalar_function.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/transaction/meta_transaction.hpp"

namespace birdfoot::duck {
namespace {

void CurrentTimestamp(duckdb::DataChunk &, duckdb::ExpressionState &state, duckdb::Vector &result) {
    const auto start = duckdb::MetaTransaction::Get(state.GetContext()).start_timestamp;
    result.Reference(duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(start)));
}

//! a <=> b is a IS NOT DISTINCT FROM b, so that joins by it hash.
duckdb::unique_ptr<duckdb::Expression> NullSafeEqual(duckdb::FunctionBindExpressionInput &input) {
    auto &left = input.children[0], &right = input.children[1];
    duckdb::LogicalType type;
    if (!duckdb::BoundComparisonExpression::TryBindComparison(input.context, left->return_type, right->return_type,
                                                              type,
                                                              duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM)) {
        throw duckdb::BinderException("Cannot compare values of type %s and %s by <=>. Cast one of them.",
                                      left->return_type.ToString(), right->return_type.ToString());
    }
    const auto cast = [&](duckdb::unique_ptr<duckdb::Expression> &side) {
        return duckdb::BoundCastExpression::AddCastToType(input.context, std::move(side), type);
    };
    return duckdb::make_uniq<duckdb::BoundComparisonExpression>(duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM,
                                                                cast(left), cast(right));
}

void NeverRun(duckdb::DataChunk &, duckdb::ExpressionState &, duckdb::Vector &) {
    throw duckdb::InvalidInputException("<=> is replaced when it is bound");
}

}  // namespace

void RegisterSparkNames(duckdb::ExtensionLoader &loader) {
    duckdb::ScalarFunction now("current_timestamp", {}, duckdb::LogicalType::TIMESTAMP_TZ, CurrentTimestamp);
    now.SetStability(duckdb::FunctionStability::CONSISTENT_WITHIN_QUERY);
    loader.RegisterFunction(std::move(now));
    duckdb::ScalarFunction equal("<=>", {duckdb::LogicalType::ANY, duckdb::LogicalType::ANY},
                                 duckdb::LogicalType::BOOLEAN, NeverRun);
    equal.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    equal.SetBindExpressionCallback(NullSafeEqual);
    loader.AddFunctionOverload(std::move(equal));
}

}  // namespace birdfoot::duck
