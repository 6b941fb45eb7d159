// Spark's Cast.canANSIStoreAssign over DuckDB's types. Numbers go into numbers (out of range is an error when the row
// is written), dates and timestamps into each other, everything of one value into text, nested types by their parts.
// Two differences: binary data does not go into text (the two engines write it differently), and anything goes into a
// variant.
#include "duckdb/write/store_assignment.hpp"

#include "duckdb/function/function_binder.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/optimizer/optimizer.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/operator/logical_expression_get.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/insert_options.hpp"
#include "duckdb/write/prepare_changes.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;

bool IsTemporal(const LogicalType &type) {
    switch (type.id()) {
    case LogicalTypeId::DATE:
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
    case LogicalTypeId::TIMESTAMP_NS: return true;
    default: return false;
    }
}

bool IsList(const LogicalType &type) { return type.id() == LogicalTypeId::LIST || type.id() == LogicalTypeId::ARRAY; }

const LogicalType &ElementOf(const LogicalType &type) {
    return type.id() == LogicalTypeId::LIST ? duckdb::ListType::GetChildType(type)
                                            : duckdb::ArrayType::GetChildType(type);
}

std::string NameOf(const LogicalType &type) {
    auto delta = DeltaTypeOf(type, "");
    return delta.ok() ? delta->ToString() : type.ToString();
}

Error Refuse(const LogicalType &from, const LogicalType &to, const std::string &table, const std::string &column) {
    return Fail(
        Condition::INCOMPATIBLE_DATA_FOR_TABLE,
        "Cannot write incompatible data for the table {}. CANNOT_SAFELY_CAST: cannot safely cast `{}` \"{}\" to "
        "\"{}\". Write CAST in the query, if that is what you mean.",
        table, column, duckdb::StringUtil::Upper(NameOf(from)), duckdb::StringUtil::Upper(NameOf(to)));
}

Status CheckStruct(const LogicalType &from, const LogicalType &to, const std::string &table, const std::string &column,
                   bool all_fields) {
    const auto &sources = duckdb::StructType::GetChildTypes(from);
    const auto &targets = duckdb::StructType::GetChildTypes(to);
    if (duckdb::StructType::IsUnnamed(from)) {
        if (sources.size() != targets.size()) {
            return Refuse(from, to, table, column);
        }
        for (size_t i = 0; i < sources.size(); i++) {
            BF_RETURN_IF_ERROR(
                CheckAssignable(sources[i].second, targets[i].second, table, column + "." + targets[i].first, false,
                                all_fields));
        }
        return {};
    }
    // DuckDB matches fields by name, gives NULL for those that are missing and drops the others without a word.
    for (const auto &[name, type] : sources) {
        const LogicalType *target = nullptr;
        for (const auto &[target_name, target_type] : targets) {
            target = EqualsIgnoreCase(name, target_name) ? &target_type : target;
        }
        if (!target) {
            return Fail(
                Condition::INCOMPATIBLE_DATA_FOR_TABLE,
                "Cannot write incompatible data for the table {}. EXTRA_STRUCT_FIELDS: the struct `{}` has no field "
                "`{}`. Leave it out of the query, or write with schema evolution.",
                table, column, name);
        }
        BF_RETURN_IF_ERROR(CheckAssignable(type, *target, table, column + "." + name, false, all_fields));
    }
    if (all_fields && sources.size() != targets.size()) {
        return Fail(Condition::INCOMPATIBLE_DATA_FOR_TABLE,
                    "Cannot cast {} to {} for `{}`. All nested columns must match. Give all fields of the struct, or "
                    "assign to the field alone (SET {}.field = …).",
                    NameOf(from), NameOf(to), column, column);
    }
    return {};
}

//! TIMESTAMP_NS → TIMESTAMP; DuckDB's cast drops digits.
void ExactMicros(duckdb::DataChunk &arguments, duckdb::ExpressionState &, duckdb::Vector &result) {
    duckdb::UnaryExecutor::Execute<int64_t, int64_t>(
        arguments.data[0], result, arguments.size(), [](int64_t nanos) -> int64_t {
            if (nanos == duckdb::timestamp_t::infinity().value || nanos == duckdb::timestamp_t::ninfinity().value) {
                return nanos;  // refused by name when it is written
            }
            if (nanos % 1000 != 0) {
                Throw(Fail(
                    Condition::BIRDFOOT_INVALID_INPUT,
                    "A timestamp has digits below the microsecond, which Delta Lake cannot keep. Cut them off with "
                    "date_trunc('microseconds', …)."));
            }
            return nanos / 1000;
        });
}

duckdb::unique_ptr<duckdb::Expression> Truncated(duckdb::ClientContext &context,
                                                 duckdb::unique_ptr<duckdb::Expression> expression) {
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
    arguments.push_back(std::move(expression));
    duckdb::ErrorData error;
    auto bound =
        duckdb::FunctionBinder(context).BindScalarFunction(DEFAULT_SCHEMA, "trunc", std::move(arguments), error);
    if (!bound) {
        error.Throw();
    }
    return bound;
}

//! DuckDB gives the casts that it adds the place of what they are put on; a CAST of the user has its own.
bool IsImplicit(const duckdb::Expression &expression) {
    if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST) {
        return false;
    }
    const auto &cast = static_cast<const duckdb::BoundCastExpression &>(expression);
    return !cast.try_cast && cast.GetQueryLocation() == cast.child->GetQueryLocation();
}

class InsertChecker {
public:
    InsertChecker(duckdb::ClientContext &context, duckdb::LogicalInsert &insert) : context_(context), insert_(insert) {
        NameColumns();
    }

    void Check() {
        if (insert_.children.empty()) {
            return;
        }
        auto &child = *insert_.children[0];
        if (child.type == duckdb::LogicalOperatorType::LOGICAL_EXPRESSION_GET) {
            return CheckValues(child, {});
        }
        if (child.type != duckdb::LogicalOperatorType::LOGICAL_PROJECTION) {
            return;
        }
        std::vector<std::optional<size_t>> values(child.expressions.size());  // column of VALUES below
        for (size_t i = 0; i < child.expressions.size(); i++) {
            auto &expression = child.expressions[i];
            if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
                values[i] = static_cast<duckdb::BoundColumnRefExpression &>(*expression).binding.column_index;
            } else {
                CheckExpression(expression, i);
            }
        }
        if (child.children[0]->type == duckdb::LogicalOperatorType::LOGICAL_EXPRESSION_GET) {
            CheckValues(*child.children[0], values);
        }
    }

private:
    void NameColumns() {
        auto count = insert_.expected_types.size();
        for (auto &column : insert_.table.GetColumns().Physical()) {
            auto position = insert_.column_index_map.empty() ? column.Physical().index
                                                             : insert_.column_index_map[column.Physical()];
            if (position < count) {
                columns_.resize(count);
                columns_[position] = column.Name();
            }
        }
    }

    void CheckValues(duckdb::LogicalOperator &op, const std::vector<std::optional<size_t>> &outputs) {
        auto &rows = static_cast<duckdb::LogicalExpressionGet &>(op).expressions;
        for (auto &row : rows) {
            for (size_t i = 0; i < (outputs.empty() ? row.size() : outputs.size()); i++) {
                auto column = outputs.empty() ? std::optional(i) : outputs[i];
                if (column && *column < row.size()) {
                    CheckExpression(row[*column], i);
                }
            }
        }
    }

    void CheckExpression(duckdb::unique_ptr<duckdb::Expression> &expression, size_t position) {
        if (position < columns_.size()) {
            CheckStored(context_, expression, insert_.table.name, columns_[position], false);
        }
    }

    duckdb::ClientContext &context_;
    duckdb::LogicalInsert &insert_;
    std::vector<std::string> columns_;
};

bool IsOurs(const duckdb::TableCatalogEntry &table) { return table.catalog.GetCatalogType() == kStorageType; }

void Visit(duckdb::OptimizerExtensionInput &input, duckdb::LogicalOperator &op) {
    switch (op.type) {
    case duckdb::LogicalOperatorType::LOGICAL_INSERT:
        if (auto &insert = static_cast<duckdb::LogicalInsert &>(op); IsOurs(insert.table)) {
            InsertChecker(input.context, insert).Check();
            MarkAssignmentChecked(insert);
        }
        break;
    case duckdb::LogicalOperatorType::LOGICAL_DELETE:
        if (auto &erase = static_cast<duckdb::LogicalDelete &>(op); IsOurs(erase.table)) {
            PrepareDelete(erase);
        }
        break;
    case duckdb::LogicalOperatorType::LOGICAL_UPDATE:
        if (auto &update = static_cast<duckdb::LogicalUpdate &>(op); IsOurs(update.table)) {
            PrepareUpdate(input.context, update);
        }
        break;
    case duckdb::LogicalOperatorType::LOGICAL_MERGE_INTO:
        if (auto &merge = static_cast<duckdb::LogicalMergeInto &>(op); IsOurs(merge.table)) {
            PrepareMerge(input.context, input.optimizer.binder, merge);
        }
        break;
    default: break;
    }
    for (auto &child : op.children) {
        Visit(input, *child);
    }
}

void BeforeOptimizer(duckdb::OptimizerExtensionInput &input, duckdb::unique_ptr<duckdb::LogicalOperator> &plan) {
    Guarded([&] { Visit(input, *plan); });
}

}  // namespace

Status CheckAssignable(const LogicalType &from, const LogicalType &to, const std::string &table,
                       const std::string &column, bool literal, bool all_fields) {
    if (from == to || from.id() == LogicalTypeId::SQLNULL || to.id() == LogicalTypeId::VARIANT) {
        return {};
    }
    if (from.IsNumeric() && to.IsNumeric()) {
        return {};
    }
    if (IsTemporal(from) && IsTemporal(to)) {
        return {};
    }
    if (from.id() == LogicalTypeId::VARCHAR && literal && IsTemporal(to)) {
        return {};
    }
    if (to.id() == LogicalTypeId::VARCHAR && !from.IsNested() && from.id() != LogicalTypeId::BLOB) {
        return {};
    }
    if (IsList(from) && IsList(to)) {
        return CheckAssignable(ElementOf(from), ElementOf(to), table, column + ".element", false, all_fields);
    }
    if (from.id() == LogicalTypeId::MAP && to.id() == LogicalTypeId::MAP) {
        BF_RETURN_IF_ERROR(CheckAssignable(duckdb::MapType::KeyType(from), duckdb::MapType::KeyType(to), table,
                                           column + ".key", false, all_fields));
        return CheckAssignable(duckdb::MapType::ValueType(from), duckdb::MapType::ValueType(to), table,
                               column + ".value", false, all_fields);
    }
    if (from.id() == LogicalTypeId::STRUCT && to.id() == LogicalTypeId::STRUCT) {
        return CheckStruct(from, to, table, column, all_fields);
    }
    return Refuse(from, to, table, column);
}

void CheckStored(duckdb::ClientContext &context, duckdb::unique_ptr<duckdb::Expression> &value,
                 const std::string &table, const std::string &column, bool all_fields) {
    if (!IsImplicit(*value)) {
        return;
    }
    auto target = value->return_type;
    auto source = std::move(static_cast<duckdb::BoundCastExpression &>(*value).child);
    while (IsImplicit(*source)) {  // NULL is made an INTEGER first
        source = std::move(static_cast<duckdb::BoundCastExpression &>(*source).child);
    }
    bool literal = source->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT;
    OkOrThrow(CheckAssignable(source->return_type, target, table, column, literal, all_fields));
    auto alias = value->GetAlias();
    value = CastForStorage(context, std::move(source), target);
    value->SetAlias(alias);
}

duckdb::unique_ptr<duckdb::Expression> CastForStorage(duckdb::ClientContext &context,
                                                      duckdb::unique_ptr<duckdb::Expression> expression,
                                                      const LogicalType &target) {
    const auto from = expression->return_type;
    bool fraction = from.id() == LogicalTypeId::DOUBLE || from.id() == LogicalTypeId::FLOAT ||
                    (from.id() == LogicalTypeId::DECIMAL && duckdb::DecimalType::GetScale(from) > 0);
    if (fraction && target.IsIntegral()) {
        expression = Truncated(context, std::move(expression));
    }
    if (from.id() == LogicalTypeId::TIMESTAMP_NS && IsTemporal(target) && target.id() != LogicalTypeId::DATE) {
        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
        arguments.push_back(std::move(expression));
        duckdb::ScalarFunction function("birdfoot_exact_micros", {LogicalType::TIMESTAMP_NS}, LogicalType::TIMESTAMP,
                                        ExactMicros);
        expression = duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::TIMESTAMP, std::move(function),
                                                                        std::move(arguments), nullptr);
    }
    return duckdb::BoundCastExpression::AddCastToType(context, std::move(expression), target);
}

void RegisterStoreAssignment(duckdb::DBConfig &config) {
    duckdb::OptimizerExtension extension;
    extension.pre_optimize_function = BeforeOptimizer;
    duckdb::OptimizerExtension::Register(config, std::move(extension));
}

}  // namespace birdfoot::duck
