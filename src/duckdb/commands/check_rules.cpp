// See check_rules.hpp.
#include "duckdb/commands/check_rules.hpp"

#include <algorithm>

#include "duckdb/execution/expression_executor.hpp"

#include "core/table/table_definition.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

sql::Expression Parse(const std::string &text, const std::string &what) {
    auto parsed = sql::ParseExpression(text);
    if (!parsed.ok()) {
        Throw(parsed.error().Prefixed(what));
    }
    return std::move(*parsed);
}

void CheckGenerated(const StructField &field, const std::string &text, const StructType &schema) {
    if (field.type.kind() == TypeKind::kVariant) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN,
                   "{} cannot be the result of a generated column ({}).", field.type.ToString(), field.name));
    }
    StructType base;  // generated columns read none of their kind
    for (const auto &other : schema.fields) {
        if (!other.metadata.JsonOf(kGenerationExpression)) {
            base.fields.push_back(other);
        }
    }
    const auto what = "The generated column " + field.name;
    const auto translation = sql::Translate(Parse(text, what), base);
    if (!translation.ok()) {
        if (translation.error().condition() == Condition::UNRESOLVED_COLUMN) {
            Throw(Fail(Condition::DELTA_INVALID_GENERATED_COLUMN_REFERENCES,
                       "A generated column cannot use a non-existent column or another generated column. {}: {}",
                       field.name, translation.error().text()));
        }
        Throw(translation.error().Prefixed(what));
    }
    if (translation->varies || !translation->check_only.empty()) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN,
                   "{} cannot be used in a generated column ({}). Spark takes it in CHECK constraints alone. Write the "
                   "expression without it.",
                   translation->check_only.empty() ? "A function of the clock" : translation->check_only, field.name));
    }
    if (!translation->type.SameAs(field.type)) {
        Throw(Fail(
            Condition::DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH,
            "The expression type of the generated column {} is {}, but the column type is {}. Cast the expression, or "
            "give the column that type.",
            field.name, translation->type.ToString(), field.type.ToString()));
    }
}

void CheckIdentity(const StructField &field, const IdentityColumn &identity, const Metadata &metadata) {
    if (field.type.kind() != TypeKind::kLong) {
        Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE,
                   "DataType {} is not supported for IDENTITY columns ({}). Make it BIGINT.", field.type.ToString(),
                   field.name));
    }
    if (identity.step == 0) {
        Throw(
            Fail(Condition::DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP, "IDENTITY column step cannot be 0 ({}).", field.name));
    }
    if (field.metadata.JsonOf(kGenerationExpression)) {
        Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION,
                   "IDENTITY column {} cannot be specified with a generated column expression.", field.name));
    }
    if (IsPartitionColumn(metadata, field.name)) {
        Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED,
                   "PARTITIONED BY IDENTITY column {} is not supported.", field.name));
    }
}

void CheckDefault(duckdb::ClientContext &context, const StructField &field, const std::string &text) {
    const auto what = "The default of column " + field.name;
    auto translation = sql::Translate(Parse(text, what), {});
    if (!translation.ok()) {
        Throw(translation.error().Prefixed(what));
    }
    auto assigned = sql::AssignDefault(std::move(*translation), field.type);
    if (!assigned.ok()) {
        Throw(assigned.error().Prefixed(what));
    }
    if (!assigned->varies) {  // a constant: what fails for it fails now
        duckdb::ExpressionExecutor::EvaluateScalar(context, *BindTranslation(context, *assigned, {}));
    }
}

}  // namespace

void CheckConstraintText(const std::string &name, const std::string &expression, const StructType &schema) {
    const auto translation = sql::Translate(Parse(expression, "The constraint " + name), schema);
    if (!translation.ok()) {
        Throw(translation.error().Prefixed("The constraint " + name));
    }
    if (translation->type.kind() != TypeKind::kBoolean) {
        Throw(Fail(Condition::DELTA_NON_BOOLEAN_CHECK_CONSTRAINT,
                   "CHECK constraint '{}' ({}) should be a boolean expression. Its value is of type {}.", name,
                   expression, translation->type.ToString()));
    }
}

void CheckTableRules(duckdb::ClientContext &context, const Metadata &metadata, const StructType &schema) {
    for (const auto &field : schema.fields) {
        if (const auto text = field.metadata.StringOf(kGenerationExpression)) {
            CheckGenerated(field, *text, schema);
        }
        if (const auto identity = IdentityOf(field)) {
            CheckIdentity(field, *identity, metadata);
        }
        if (const auto text = field.metadata.StringOf(kCurrentDefault)) {
            CheckDefault(context, field, *text);
        }
    }
    for (const auto &check : ValueOrThrow(CheckConstraints(metadata, schema))) {
        CheckConstraintText(check.name, check.expression, schema);
    }
}

}  // namespace birdfoot::duck
