#include "duckdb/translate/spark_expressions.hpp"

#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/expression/lambda_expression.hpp"
#include "duckdb/parser/expression/operator_expression.hpp"
#include "duckdb/parser/parsed_expression_iterator.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_binder/where_binder.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

namespace {

constexpr duckdb::idx_t kTable = 0;

//! A user's macro of the same name must not take the place of DuckDB's function.
void Qualify(duckdb::ParsedExpression &expression) {
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::FUNCTION) {
        auto &function = expression.Cast<duckdb::FunctionExpression>();
        if (!function.is_operator) {
            function.catalog = SYSTEM_CATALOG;
            function.schema = DEFAULT_SCHEMA;
        }
    }
    duckdb::ParsedExpressionIterator::EnumerateChildren(expression,
                                                        [](duckdb::ParsedExpression &child) { Qualify(child); });
}

using ParsedPtr = duckdb::unique_ptr<duckdb::ParsedExpression>;

void PutInPlace(ParsedPtr &expression, const std::string &name, const duckdb::ParsedExpression &value) {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::COLUMN_REF) {
        if (expression->Cast<duckdb::ColumnRefExpression>().GetColumnName() == name) {
            expression = value.Copy();
        }
        return;
    }
    duckdb::ParsedExpressionIterator::EnumerateChildren(*expression,
                                                        [&](ParsedPtr &child) { PutInPlace(child, name, value); });
}

//! The translation's way to name a value, list_transform([value], lambda name: body)[1], becomes the body.
void InlineLambdas(ParsedPtr &expression) {
    duckdb::ParsedExpressionIterator::EnumerateChildren(*expression, [](ParsedPtr &child) { InlineLambdas(child); });
    const auto is_call = [](const duckdb::ParsedExpression &part, std::string_view name) {
        return part.GetExpressionClass() == duckdb::ExpressionClass::FUNCTION &&
               part.Cast<duckdb::FunctionExpression>().function_name == name;
    };
    if (expression->GetExpressionType() != duckdb::ExpressionType::ARRAY_EXTRACT) {
        return;
    }
    auto &transform = *expression->Cast<duckdb::OperatorExpression>().children[0];
    if (!is_call(transform, "list_transform")) {
        return;
    }
    auto &arguments = transform.Cast<duckdb::FunctionExpression>().children;
    if (arguments.size() != 2 || !is_call(*arguments[0], "list_value") ||
        arguments[1]->GetExpressionClass() != duckdb::ExpressionClass::LAMBDA) {
        return;
    }
    auto &lambda = arguments[1]->Cast<duckdb::LambdaExpression>();
    const auto &values = arguments[0]->Cast<duckdb::FunctionExpression>().children;
    if (values.size() != 1 || lambda.lhs->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) {
        return;
    }
    auto body = std::move(lambda.expr);
    PutInPlace(body, lambda.lhs->Cast<duckdb::ColumnRefExpression>().GetColumnName(), *values[0]);
    expression = std::move(body);
}

void MakeReferences(duckdb::unique_ptr<duckdb::Expression> &expression) {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
        const auto position = expression->Cast<duckdb::BoundColumnRefExpression>().binding.column_index;
        expression = duckdb::make_uniq<duckdb::BoundReferenceExpression>(expression->return_type, position);
        return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        *expression, [](duckdb::unique_ptr<duckdb::Expression> &child) { MakeReferences(child); });
}

//! Under a default collation text would not be compared by its bytes.
void RefuseCollation(duckdb::ClientContext &context) {
    duckdb::Value collation;
    if (context.TryGetCurrentSetting("default_collation", collation) && !collation.IsNull() &&
        !collation.ToString().empty()) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                   "The table's expressions compare text by its bytes, but the default collation is '{}'. RESET "
                   "default_collation.",
                   collation.ToString()));
    }
}

}  // namespace

duckdb::unique_ptr<duckdb::ParsedExpression> ParseTranslation(const sql::Translation &translation) {
    auto parsed = duckdb::Parser::ParseExpressionList(translation.text);
    Qualify(*parsed.at(0));
    return std::move(parsed[0]);
}

duckdb::unique_ptr<duckdb::ParsedExpression> ParseDefault(const sql::Translation &translation) {
    auto parsed = ParseTranslation(translation);
    InlineLambdas(parsed);
    return parsed;
}

duckdb::unique_ptr<duckdb::Expression> BindTranslation(duckdb::ClientContext &context,
                                                       const sql::Translation &translation, const StructType &schema) {
    RefuseCollation(context);
    duckdb::vector<duckdb::string> names;
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto &field : schema.fields) {
        names.push_back(field.name);
        types.push_back(TypeOf(field.type));
    }
    auto binder = duckdb::Binder::CreateBinder(context);
    binder->bind_context.AddGenericBinding(kTable, "target", names, types);
    duckdb::WhereBinder where(*binder, context);
    where.target_type = TypeOf(translation.type);  // else it casts to a condition
    auto parsed = ParseTranslation(translation);
    auto bound = where.Bind(parsed);
    MakeReferences(bound);
    return bound;
}

std::string SparkTextOf(const duckdb::ParsedExpression &expression, const std::string &what) {
    auto parsed = sql::ParseExpression(expression.ToString(), sql::Dialect::kDuckDb);
    if (!parsed.ok() || !sql::MeansTheSame(*parsed)) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                   "{} is {}. A table keeps its expressions in Spark's words, and it is not known to mean the same "
                   "there. Write "
                   "the statement in Spark's way, with USING delta.",
                   what, expression.ToString()));
    }
    return sql::ToSparkText(*parsed);
}

}  // namespace birdfoot::duck
