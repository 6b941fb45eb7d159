// Spark's Cast.canANSIStoreAssign over DuckDB's types. Numbers go into numbers (out of range is an error when the row
// is written), dates and timestamps into each other, everything of one value into text, nested types by their parts.
// Two differences: binary data does not go into text (the two engines write it differently), and anything goes into a
// variant.
#include "duckdb/write/store_assignment.hpp"

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
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
#include "duckdb/write/decimal_of_real.hpp"
#include "duckdb/write/insert_options.hpp"
#include "duckdb/write/named_overflow.hpp"
#include "duckdb/write/prepare_changes.hpp"
#include "duckdb/write/type_leaves.hpp"

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

Error Refuse(const LogicalType &from, const LogicalType &to, const std::string &table, const std::string &column) {
    return Fail(
        Condition::INCOMPATIBLE_DATA_FOR_TABLE,
        "Cannot write incompatible data for the table {}. CANNOT_SAFELY_CAST: cannot safely cast `{}` \"{}\" to "
        "\"{}\". Write CAST in the query, if that is what you mean.",
        table, column, duckdb::StringUtil::Upper(NameInMessages(from)), duckdb::StringUtil::Upper(NameInMessages(to)));
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
            BF_RETURN_IF_ERROR(CheckAssignable(sources[i].second, targets[i].second, table,
                                               column + "." + targets[i].first, false, all_fields));
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
                    NameInMessages(from), NameInMessages(to), column, column);
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

//! A planned sub-query has no place, so whose cast it is cannot be told: where both could be meant it is DuckDB's.
bool IsCastOfSubquery(const duckdb::Expression &expression) {
    if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_CAST) {
        return false;
    }
    const auto &cast = static_cast<const duckdb::BoundCastExpression &>(expression);
    return !cast.try_cast && cast.child->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF &&
           !cast.child->GetQueryLocation().IsValid() &&
           CheckAssignable(cast.child->return_type, cast.return_type, "", "", false).ok();
}

bool IsFraction(const LogicalType &type) {
    return type.id() == LogicalTypeId::DOUBLE || type.id() == LogicalTypeId::FLOAT ||
           (type.id() == LogicalTypeId::DECIMAL && duckdb::DecimalType::GetScale(type) > 0);
}

//! Whether a cast of lists, maps or structs makes integers of fractions: DuckDB rounds them, Spark cuts them.
bool RoundsInside(const LogicalType &from, const LogicalType &to) {
    bool rounds = false;
    ForEachLeaf(from, to, [&](const LogicalType &leaf, const LogicalType &target) {
        rounds = rounds || (IsFraction(leaf) && target.IsIntegral());
    });
    return from.IsNested() && rounds;
}

//! A value as its column takes it. Structs, lists and maps that are written out part by part are taken part by part.
class StoredValue {
public:
    StoredValue(duckdb::ClientContext &context, const std::string &table, bool all_fields)
        : context_(context), table_(table), all_fields_(all_fields) {}

    using Value = duckdb::unique_ptr<duckdb::Expression>;

    Value Of(Value value, const LogicalType &target, const std::string &column) {
        while (IsImplicit(*value)) {
            value = std::move(static_cast<duckdb::BoundCastExpression &>(*value).child);
        }
        if (auto parts = OfParts(value, target, column)) {
            return parts;
        }
        const auto from = value->return_type;
        bool literal = value->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT;
        OkOrThrow(CheckAssignable(from, target, table_, column, literal, all_fields_));
        if (RoundsInside(from, target)) {
            Throw(Refuse(from, target, table_, column));
        }
        auto cast = CastForStorage(context_, std::move(value), target);
        const auto overflow =
            all_fields_ ? Condition::DELTA_CAST_OVERFLOW_IN_TABLE_WRITE : Condition::CAST_OVERFLOW_IN_TABLE_INSERT;
        return from.IsNumeric() && target.IsNumeric() ? WithNamedOverflow(std::move(cast), column, overflow)
                                                      : std::move(cast);
    }

private:
    //! Null for a value that is not made of parts.
    Value OfParts(Value &value, const LogicalType &target, const std::string &column) {
        if (value->GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) {
            return nullptr;
        }
        auto &function = static_cast<duckdb::BoundFunctionExpression &>(*value);
        const auto &name = function.function.name;
        if (name == "struct_pack" && target.id() == LogicalTypeId::STRUCT) {
            return OfStruct(function, target, column);
        }
        if (name == "list_value" && target.id() == LogicalTypeId::LIST) {
            return OfList(function, target, column + ".element");
        }
        if (name == "map" && target.id() == LogicalTypeId::MAP && function.children.size() == 2) {
            auto &children = function.children;
            children[0] = OfMapPart(std::move(children[0]), duckdb::MapType::KeyType(target), column + ".key");
            children[1] = OfMapPart(std::move(children[1]), duckdb::MapType::ValueType(target), column + ".value");
            return Call(name, std::move(children), target);
        }
        return nullptr;
    }

    Value OfList(duckdb::BoundFunctionExpression &list, const LogicalType &target, const std::string &element) {
        for (auto &child : list.children) {
            child = Of(std::move(child), ElementOf(target), element);
        }
        return Call("list_value", std::move(list.children), target);
    }

    //! The list of a map's keys or values.
    Value OfMapPart(Value list, const LogicalType &element_type, const std::string &element) {
        while (IsImplicit(*list)) {
            list = std::move(static_cast<duckdb::BoundCastExpression &>(*list).child);
        }
        const auto target = LogicalType::LIST(element_type);
        if (list->GetExpressionClass() == duckdb::ExpressionClass::BOUND_FUNCTION) {
            auto &function = static_cast<duckdb::BoundFunctionExpression &>(*list);
            if (function.function.name == "list_value") {
                return OfList(function, target, element);
            }
        }
        return Of(std::move(list), target, element);
    }

    Value OfStruct(duckdb::BoundFunctionExpression &function, const LogicalType &target, const std::string &column) {
        const auto from = function.return_type;
        const auto &sources = duckdb::StructType::GetChildTypes(from);
        const auto &targets = duckdb::StructType::GetChildTypes(target);
        duckdb::vector<Value> fields;
        size_t found = 0;
        for (const auto &[name, type] : targets) {
            Value field;
            for (size_t i = 0; i < sources.size() && !field; i++) {
                if (EqualsIgnoreCase(sources[i].first, name) && function.children[i]) {
                    field = Of(std::move(function.children[i]), type, column + "." + name);
                    found++;
                }
            }
            if (!field) {
                field = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
            }
            field->SetAlias(name);
            fields.push_back(std::move(field));
        }
        if (found < sources.size() || (all_fields_ && found < targets.size())) {
            OkOrThrow(CheckStruct(from, target, table_, column, all_fields_));  // says which are missing
        }
        return Call("struct_pack", std::move(fields), target);
    }

    Value Call(const std::string &name, duckdb::vector<Value> arguments, const LogicalType &target) {
        duckdb::ErrorData error;
        auto bound =
            duckdb::FunctionBinder(context_).BindScalarFunction(DEFAULT_SCHEMA, name, std::move(arguments), error);
        if (!bound) {
            error.Throw();
        }
        return duckdb::BoundCastExpression::AddCastToType(context_, std::move(bound), target);
    }

    duckdb::ClientContext &context_;
    const std::string &table_;
    const bool all_fields_;
};

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
            PrepareDelete(input.context, erase);
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

std::string NameInMessages(const LogicalType &type) {
    const auto delta = DeltaTypeOf(type, "");
    return delta.ok() ? delta->ToString() : type.ToString();
}

void CheckStored(duckdb::ClientContext &context, duckdb::unique_ptr<duckdb::Expression> &value,
                 const std::string &table, const std::string &column, bool all_fields) {
    if (!IsImplicit(*value) && !IsCastOfSubquery(*value)) {
        return;
    }
    auto target = value->return_type;
    auto source = std::move(static_cast<duckdb::BoundCastExpression &>(*value).child);
    auto alias = value->GetAlias();
    value = StoredValue(context, table, all_fields).Of(std::move(source), target, column);
    value->SetAlias(alias);
}

duckdb::unique_ptr<duckdb::Expression> CastForStorage(duckdb::ClientContext &context,
                                                      duckdb::unique_ptr<duckdb::Expression> expression,
                                                      const LogicalType &target) {
    const auto from = expression->return_type;
    if (IsFraction(from) && target.IsIntegral()) {
        expression = Truncated(context, std::move(expression));
    }
    if (from.id() == LogicalTypeId::TIMESTAMP_NS && IsTemporal(target) && target.id() != LogicalTypeId::DATE) {
        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
        arguments.push_back(std::move(expression));
        duckdb::ScalarFunction function("birdfoot_exact_micros", {LogicalType::TIMESTAMP_NS}, LogicalType::TIMESTAMP,
                                        ExactMicros);
        function.SetFallible();
        expression = duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::TIMESTAMP, std::move(function),
                                                                        std::move(arguments), nullptr);
    }
    if (MakesDecimalsOfReals(from, target)) {
        auto cast = CastWithDecimalsOfReals(context, from, target);
        return duckdb::make_uniq<duckdb::BoundCastExpression>(std::move(expression), target, std::move(cast));
    }
    return duckdb::BoundCastExpression::AddCastToType(context, std::move(expression), target);
}

void RegisterStoreAssignment(duckdb::DBConfig &config) {
    duckdb::OptimizerExtension extension;
    extension.pre_optimize_function = BeforeOptimizer;
    duckdb::OptimizerExtension::Register(config, std::move(extension));
}

}  // namespace birdfoot::duck
