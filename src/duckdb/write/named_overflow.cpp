#include "duckdb/write/named_overflow.hpp"

#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/write/store_assignment.hpp"

namespace birdfoot::duck {
namespace {

struct Assignment : duckdb::FunctionData {
    Assignment(duckdb::BoundCastInfo cast_p, std::string column_p, Condition condition_p)
        : cast(std::move(cast_p)), column(std::move(column_p)), condition(condition_p) {}

    duckdb::unique_ptr<duckdb::FunctionData> Copy() const override {
        return duckdb::make_uniq<Assignment>(cast.Copy(), column, condition);
    }
    bool Equals(const duckdb::FunctionData &other) const override {
        const auto &assignment = other.Cast<Assignment>();
        return cast.function == assignment.cast.function && column == assignment.column &&
               condition == assignment.condition;
    }

    const duckdb::BoundCastInfo cast;  // of numbers: without a local state
    const std::string column;
    const Condition condition;
};

void Assign(duckdb::DataChunk &arguments, duckdb::ExpressionState &state, duckdb::Vector &result) {
    const auto &assignment = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<Assignment>();
    std::string problem;
    duckdb::CastParameters parameters(assignment.cast.cast_data.get(), false, &problem, nullptr);
    if (assignment.cast.function(arguments.data[0], result, arguments.size(), parameters)) {
        return;
    }
    Throw(Fail(
        assignment.condition,
        "Fail to assign a value of \"{}\" type to the \"{}\" type column `{}` due to an overflow ({}). Use try_cast "
        "on the value to make it NULL instead, or give the column a wider type.",
        duckdb::StringUtil::Upper(NameInMessages(arguments.data[0].GetType())),
        duckdb::StringUtil::Upper(NameInMessages(result.GetType())), assignment.column, problem));
}

}  // namespace

duckdb::unique_ptr<duckdb::Expression> WithNamedOverflow(duckdb::unique_ptr<duckdb::Expression> cast,
                                                         const std::string &column, Condition condition) {
    if (cast->GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST) {
        return cast;
    }
    const auto target = cast->return_type;
    auto &bound = cast->Cast<duckdb::BoundCastExpression>();
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
    arguments.push_back(std::move(bound.child));
    duckdb::ScalarFunction function("birdfoot_assign", {arguments[0]->return_type}, target, Assign);
    function.SetFallible();  // else it would run for values of a dictionary that no row has
    auto assigned = duckdb::make_uniq<duckdb::BoundFunctionExpression>(
        target, std::move(function), std::move(arguments),
        duckdb::make_uniq<Assignment>(std::move(bound.bound_cast), column, condition));
    assigned->SetAlias(cast->GetAlias());
    return assigned;
}

}  // namespace birdfoot::duck
