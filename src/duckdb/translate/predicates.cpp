// Predicates: DuckDB's filters to core's small tree.
#include "duckdb/translate/predicates.hpp"

#include "duckdb/planner/expression/list.hpp"
#include "duckdb/planner/filter/bloom_filter.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/list.hpp"

#include "duckdb/translate/types.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {

using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;
using duckdb::TableFilter;
using duckdb::TableFilterType;
using duckdb::Value;

namespace {

//! A column or a field of one, as it is stored.
struct Column {
    std::vector<std::string> path;
    DataType type;

    Column Field(const StructField &field, ColumnMappingMode mapping) const {
        Column child{path, field.type};
        child.path.push_back(PhysicalName(field, mapping));
        return child;
    }
};

std::optional<CompareOp> OpOf(ExpressionType type) {
    switch (type) {
    case ExpressionType::COMPARE_EQUAL: return CompareOp::kEqual;
    case ExpressionType::COMPARE_NOTEQUAL: return CompareOp::kNotEqual;
    case ExpressionType::COMPARE_LESSTHAN: return CompareOp::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO: return CompareOp::kLessEqual;
    case ExpressionType::COMPARE_GREATERTHAN: return CompareOp::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO: return CompareOp::kGreaterEqual;
    default: return {};
    }
}

bool IsExactNumber(const DataType &type) { return type.is_integer() || type.kind() == TypeKind::kDecimal; }

//! True if DuckDB compares a column of one type with a literal of the other as core does.
bool Comparable(const DataType &column, const DataType &literal) {
    if (IsExactNumber(column) && IsExactNumber(literal)) {
        return true;
    }
    if (column.kind() == literal.kind()) {
        return !column.is_nested() && column.kind() != TypeKind::kVariant && column.kind() != TypeKind::kVoid;
    }
    return column.kind() == TypeKind::kDate && literal.kind() == TypeKind::kTimestampNtz;
}

//! `column op value`, under the rules of `=`: NULL compares to nothing.
Predicate CompareWith(const Column &column, CompareOp op, const Value &value) {
    auto literal = ScalarOf(value);
    if (!literal) {
        return Predicate::Unknown();
    }
    if (literal->is_null()) {
        return Predicate::Null();
    }
    if (!Comparable(column.type, literal->type())) {
        return Predicate::Unknown();
    }
    return Predicate::Compare(column.path, column.type, op, *std::move(literal));
}

Predicate CompareWith(const Column &column, ExpressionType type, const Value &value) {
    if (auto op = OpOf(type)) {
        return CompareWith(column, *op, value);
    }
    const bool distinct = type == ExpressionType::COMPARE_DISTINCT_FROM;
    if (!distinct && type != ExpressionType::COMPARE_NOT_DISTINCT_FROM) {
        return Predicate::Unknown();
    }
    if (value.IsNull()) {
        return distinct ? Predicate::IsNotNull(column.path, column.type) : Predicate::IsNull(column.path, column.type);
    }
    // Neither is ever NULL, so both negate plainly.
    auto equal = CompareWith(column, CompareOp::kEqual, value);
    if (equal.kind == PredicateKind::kUnknown) {
        return equal;
    }
    auto same = Predicate::And({Predicate::IsNotNull(column.path, column.type), std::move(equal)});
    if (!distinct) {
        return same;
    }
    return Predicate::Or(
        {Predicate::IsNull(column.path, column.type), CompareWith(column, CompareOp::kNotEqual, value)});
}

//! Text that begins with `prefix`: by bytes, [prefix, the next text that does not begin with it).
Predicate BeginsWith(const Column &column, const std::string &prefix) {
    auto lower = CompareWith(column, CompareOp::kGreaterEqual, Value(prefix));
    if (lower.kind == PredicateKind::kUnknown) {
        return lower;
    }
    auto end = prefix;
    while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xFF) {
        end.pop_back();
    }
    if (end.empty()) {
        return lower;
    }
    end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
    return Predicate::And({std::move(lower), Predicate::Compare(column.path, column.type, CompareOp::kLess,
                                                                Scalar::Text(column.type, std::move(end)))});
}

class Translator {
public:
    Translator(ColumnMappingMode mapping, const FieldOf &field_of) : mapping_(mapping), field_of_(field_of) {}

    Predicate Term(const Expression &expression) const {
        if (expression.IsVolatile()) {
            return Predicate::Unknown();
        }
        switch (expression.GetExpressionClass()) {
        case ExpressionClass::BOUND_COMPARISON: return Comparison(expression.Cast<duckdb::BoundComparisonExpression>());
        case ExpressionClass::BOUND_BETWEEN: return Between(expression.Cast<duckdb::BoundBetweenExpression>());
        case ExpressionClass::BOUND_CONJUNCTION: {
            auto &conjunction = expression.Cast<duckdb::BoundConjunctionExpression>();
            auto children = Terms(conjunction.children);
            return conjunction.GetExpressionType() == ExpressionType::CONJUNCTION_AND
                       ? Predicate::And(std::move(children))
                       : Predicate::Or(std::move(children));
        }
        case ExpressionClass::BOUND_OPERATOR: return Operator(expression.Cast<duckdb::BoundOperatorExpression>());
        case ExpressionClass::BOUND_FUNCTION: return Function(expression.Cast<duckdb::BoundFunctionExpression>());
        case ExpressionClass::BOUND_CONSTANT: return Constant(expression.Cast<duckdb::BoundConstantExpression>().value);
        default: return Boolean(expression);
        }
    }

private:
    std::vector<Predicate> Terms(const duckdb::vector<duckdb::unique_ptr<Expression>> &expressions) const {
        std::vector<Predicate> terms;
        for (const auto &expression : expressions) {
            terms.push_back(Term(*expression));
        }
        return terms;
    }

    static Predicate Constant(const Value &value) {
        if (value.type().id() != duckdb::LogicalTypeId::BOOLEAN) {
            return Predicate::Unknown();
        }
        return value.IsNull()                     ? Predicate::Null()
               : duckdb::BooleanValue::Get(value) ? Predicate::True()
                                                  : Predicate::False();
    }

    //! A boolean column as a filter.
    Predicate Boolean(const Expression &expression) const {
        auto column = ColumnOf(expression);
        if (!column || column->type.kind() != TypeKind::kBoolean) {
            return Predicate::Unknown();
        }
        return CompareWith(*column, CompareOp::kEqual, Value::BOOLEAN(true));
    }

    Predicate Comparison(const duckdb::BoundComparisonExpression &comparison) const {
        const auto *column_side = comparison.left.get();
        const auto *value_side = comparison.right.get();
        auto type = comparison.GetExpressionType();
        if (column_side->GetExpressionClass() == ExpressionClass::BOUND_CONSTANT) {
            std::swap(column_side, value_side);
            type = duckdb::FlipComparisonExpression(type);
        }
        auto column = ColumnOf(*column_side);
        if (!column || value_side->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
            return Predicate::Unknown();
        }
        return CompareWith(*column, type, value_side->Cast<duckdb::BoundConstantExpression>().value);
    }

    Predicate Between(const duckdb::BoundBetweenExpression &between) const {
        auto column = ColumnOf(*between.input);
        if (!column || between.lower->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT ||
            between.upper->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
            return Predicate::Unknown();
        }
        const auto &lower = between.lower->Cast<duckdb::BoundConstantExpression>().value;
        const auto &upper = between.upper->Cast<duckdb::BoundConstantExpression>().value;
        return Predicate::And(
            {CompareWith(*column, between.lower_inclusive ? CompareOp::kGreaterEqual : CompareOp::kGreater, lower),
             CompareWith(*column, between.upper_inclusive ? CompareOp::kLessEqual : CompareOp::kLess, upper)});
    }

    Predicate Operator(const duckdb::BoundOperatorExpression &expression) const {
        const auto type = expression.GetExpressionType();
        if (type == ExpressionType::OPERATOR_NOT) {
            return Predicate::Not(Term(*expression.children[0]));
        }
        auto column = ColumnOf(*expression.children[0]);
        if (!column) {
            return Predicate::Unknown();
        }
        switch (type) {
        case ExpressionType::OPERATOR_IS_NULL: return Predicate::IsNull(column->path, column->type);
        case ExpressionType::OPERATOR_IS_NOT_NULL: return Predicate::IsNotNull(column->path, column->type);
        case ExpressionType::COMPARE_IN:
        case ExpressionType::COMPARE_NOT_IN: break;
        default: return Predicate::Unknown();
        }
        std::vector<Predicate> equal;
        for (size_t i = 1; i < expression.children.size(); ++i) {
            if (expression.children[i]->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
                return Predicate::Unknown();
            }
            const auto &value = expression.children[i]->Cast<duckdb::BoundConstantExpression>().value;
            equal.push_back(CompareWith(*column, CompareOp::kEqual, value));
        }
        auto in = Predicate::Or(std::move(equal));
        return type == ExpressionType::COMPARE_IN ? in : Predicate::Not(std::move(in));
    }

    Predicate Function(const duckdb::BoundFunctionExpression &function) const {
        const auto &name = function.function.name;
        if (name != "prefix" && name != "starts_with" && name != "^@") {
            return Boolean(function);
        }
        auto column = ColumnOf(*function.children[0]);
        if (!column || column->type.kind() != TypeKind::kString ||
            function.children[1]->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
            return Predicate::Unknown();
        }
        const auto &value = function.children[1]->Cast<duckdb::BoundConstantExpression>().value;
        if (value.IsNull() || value.type().id() != duckdb::LogicalTypeId::VARCHAR) {
            return Predicate::Unknown();
        }
        return BeginsWith(*column, duckdb::StringValue::Get(value));
    }

    //! The column that an expression is, or the field of one, or one under a cast that keeps all values and their
    //! order.
    std::optional<Column> ColumnOf(const Expression &expression) const {
        switch (expression.GetExpressionClass()) {
        case ExpressionClass::BOUND_COLUMN_REF:
        case ExpressionClass::BOUND_REF: {
            const auto *field = field_of_(expression);
            return field ? std::optional(Column().Field(*field, mapping_)) : std::nullopt;
        }
        case ExpressionClass::BOUND_CAST: {
            auto &cast = expression.Cast<duckdb::BoundCastExpression>();
            auto column = cast.try_cast ? std::nullopt : ColumnOf(*cast.child);
            return column && CastKeepsOrder(column->type, cast.return_type) ? column : std::nullopt;
        }
        case ExpressionClass::BOUND_FUNCTION: return FieldOfStruct(expression.Cast<duckdb::BoundFunctionExpression>());
        default: return {};
        }
    }

    std::optional<Column> FieldOfStruct(const duckdb::BoundFunctionExpression &function) const {
        const bool by_position = function.function.name == "struct_extract_at";
        if (!by_position && function.function.name != "struct_extract") {
            return {};
        }
        auto parent = ColumnOf(*function.children[0]);
        if (!parent || parent->type.kind() != TypeKind::kStruct ||
            function.children[1]->GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) {
            return {};
        }
        const auto &fields = parent->type.struct_type();
        const auto &key = function.children[1]->Cast<duckdb::BoundConstantExpression>().value;
        if (by_position) {
            const auto position = key.GetValue<int64_t>() - 1;
            if (position < 0 || position >= static_cast<int64_t>(fields.fields.size())) {
                return {};
            }
            return parent->Field(fields.fields[static_cast<size_t>(position)], mapping_);
        }
        const auto *field = fields.Find(key.ToString());
        return field ? std::optional(parent->Field(*field, mapping_)) : std::nullopt;
    }

    static bool CastKeepsOrder(const DataType &from, const duckdb::LogicalType &to) {
        auto target = DeltaTypeOf(to, "");
        if (!target.ok()) {
            return false;
        }
        if (from.is_integer()) {
            // To a wider integer or to a decimal: exact, or an error of the query.
            return target->is_integer() ? target->kind() >= from.kind() : target->kind() == TypeKind::kDecimal;
        }
        if (from.kind() == TypeKind::kDecimal) {
            return target->kind() == TypeKind::kDecimal && target->scale() >= from.scale();
        }
        return from.kind() == TypeKind::kDate && to.id() == duckdb::LogicalTypeId::TIMESTAMP;
    }

    ColumnMappingMode mapping_;
    const FieldOf &field_of_;
};

Predicate FilterTerm(const TableFilter &filter, ColumnMappingMode mapping, const Column &column,
                     const StructField *field) {
    const auto children = [&](const auto &filters) {
        std::vector<Predicate> terms;
        for (const auto &child : filters) {
            terms.push_back(FilterTerm(*child, mapping, column, field));
        }
        return terms;
    };
    switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
        auto &comparison = filter.Cast<duckdb::ConstantFilter>();
        return CompareWith(column, comparison.comparison_type, comparison.constant);
    }
    case TableFilterType::IS_NULL: return Predicate::IsNull(column.path, column.type);
    case TableFilterType::IS_NOT_NULL: return Predicate::IsNotNull(column.path, column.type);
    case TableFilterType::CONJUNCTION_AND:
        return Predicate::And(children(filter.Cast<duckdb::ConjunctionAndFilter>().child_filters));
    case TableFilterType::CONJUNCTION_OR:
        return Predicate::Or(children(filter.Cast<duckdb::ConjunctionOrFilter>().child_filters));
    case TableFilterType::STRUCT_EXTRACT: {
        auto &extract = filter.Cast<duckdb::StructFilter>();
        if (column.type.kind() != TypeKind::kStruct || extract.child_idx >= column.type.struct_type().fields.size()) {
            return Predicate::Unknown();
        }
        const auto &child = column.type.struct_type().fields[extract.child_idx];
        return FilterTerm(*extract.child_filter, mapping, column.Field(child, mapping), nullptr);
    }
    case TableFilterType::OPTIONAL_FILTER: {
        auto &optional = filter.Cast<duckdb::OptionalFilter>();
        return optional.child_filter ? FilterTerm(*optional.child_filter, mapping, column, field)
                                     : Predicate::Unknown();
    }
    case TableFilterType::IN_FILTER: {
        std::vector<Predicate> equal;
        for (const auto &value : filter.Cast<duckdb::InFilter>().values) {
            equal.push_back(CompareWith(column, CompareOp::kEqual, value));
        }
        return Predicate::Or(std::move(equal));
    }
    case TableFilterType::DYNAMIC_FILTER: {
        const auto &data = filter.Cast<duckdb::DynamicFilter>().filter_data;
        if (!data) {
            return Predicate::Unknown();
        }
        std::lock_guard lock(data->lock);
        return data->initialized && data->filter ? FilterTerm(*data->filter, mapping, column, field)
                                                 : Predicate::Unknown();
    }
    case TableFilterType::EXPRESSION_FILTER: {
        if (!field) {
            return Predicate::Unknown();
        }
        const FieldOf field_of = [field](const Expression &) { return field; };
        return Translator(mapping, field_of).Term(*filter.Cast<duckdb::ExpressionFilter>().expr);
    }
    default: return Predicate::Unknown();
    }
}

}  // namespace

Predicate PredicateOf(const Expression &filter, ColumnMappingMode mapping, const FieldOf &field_of) {
    return Translator(mapping, field_of).Term(filter);
}

Predicate PredicateOf(const TableFilter &filter, ColumnMappingMode mapping, const StructField &field) {
    return FilterTerm(filter, mapping, Column().Field(field, mapping), &field);
}

namespace {

bool CompareMaySatisfy(const duckdb::ConstantFilter &filter, const Value &constant) {
    const auto &literal = filter.constant;
    switch (filter.comparison_type) {
    case ExpressionType::COMPARE_DISTINCT_FROM: return duckdb::ValueOperations::DistinctFrom(constant, literal);
    case ExpressionType::COMPARE_NOT_DISTINCT_FROM: return duckdb::ValueOperations::NotDistinctFrom(constant, literal);
    default: return !constant.IsNull() && (!OpOf(filter.comparison_type) || filter.Compare(constant));
    }
}

}  // namespace

bool MaySatisfy(duckdb::ClientContext &context, const TableFilter &filter, const Value &constant) {
    switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON:
        return CompareMaySatisfy(filter.Cast<duckdb::ConstantFilter>(), constant);
    case TableFilterType::IS_NULL: return constant.IsNull();
    case TableFilterType::IS_NOT_NULL: return !constant.IsNull();
    case TableFilterType::IN_FILTER: {
        const auto &values = filter.Cast<duckdb::InFilter>().values;
        return !constant.IsNull() &&
               std::any_of(values.begin(), values.end(), [&](const Value &value) { return value == constant; });
    }
    case TableFilterType::CONJUNCTION_OR: {
        const auto &children = filter.Cast<duckdb::ConjunctionOrFilter>().child_filters;
        return std::any_of(children.begin(), children.end(),
                           [&](const auto &child) { return MaySatisfy(context, *child, constant); });
    }
    case TableFilterType::CONJUNCTION_AND: {
        const auto &children = filter.Cast<duckdb::ConjunctionAndFilter>().child_filters;
        return std::all_of(children.begin(), children.end(),
                           [&](const auto &child) { return MaySatisfy(context, *child, constant); });
    }
    case TableFilterType::STRUCT_EXTRACT: {
        // A field of a NULL struct is NULL.
        auto &extract = filter.Cast<duckdb::StructFilter>();
        if (constant.type().id() != duckdb::LogicalTypeId::STRUCT ||
            extract.child_idx >= duckdb::StructType::GetChildCount(constant.type())) {
            return true;
        }
        const auto child = constant.IsNull()
                               ? Value(duckdb::StructType::GetChildType(constant.type(), extract.child_idx))
                               : duckdb::StructValue::GetChildren(constant)[extract.child_idx];
        return MaySatisfy(context, *extract.child_filter, child);
    }
    case TableFilterType::OPTIONAL_FILTER: {
        // Not all of them mean NULLs to be dropped.
        auto &optional = filter.Cast<duckdb::OptionalFilter>();
        return constant.IsNull() || !optional.child_filter || MaySatisfy(context, *optional.child_filter, constant);
    }
    case TableFilterType::DYNAMIC_FILTER: {
        const auto &data = filter.Cast<duckdb::DynamicFilter>().filter_data;
        if (!data) {
            return true;
        }
        std::lock_guard lock(data->lock);
        return !data->initialized || !data->filter || MaySatisfy(context, *data->filter, constant);
    }
    case TableFilterType::EXPRESSION_FILTER: {
        duckdb::ExpressionExecutor executor(context, *filter.Cast<duckdb::ExpressionFilter>().expr);
        return filter.Cast<duckdb::ExpressionFilter>().EvaluateWithConstant(executor, constant);
    }
    case TableFilterType::BLOOM_FILTER:
        return constant.IsNull() || filter.Cast<duckdb::BFTableFilter>().FilterValue(constant);
    default: return true;
    }
}

}  // namespace birdfoot::duck
