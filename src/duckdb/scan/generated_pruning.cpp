// An expression over one column is taken. Of equality follows equality of the values made of it, unless a zone takes
// part; of an order follows an order where the expression is one of those that keep it. Where instants are cut to a day
// or an hour of the wall clock, the writer's zone may have been another: bounds are moved by more than zones differ. Of
// what a zone turns into an instant, as date_trunc and CAST(… AS TIMESTAMP) do, nothing follows. Numbers with a
// fraction are left out: 0.0 equals -0.0, and is another text.
#include "duckdb/scan/generated_pruning.hpp"

#include <algorithm>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "core/schema/value_text.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/translate/values.hpp"
#include "sql/expression.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

constexpr int64_t kZones = 28 * 3600 * kMicrosPerSecond;  // the largest difference of two zones is 26 hours

bool IsBase(const sql::Expression &node) { return node.kind == sql::ExpressionKind::kColumn; }

//! The base column, or it as a date.
bool IsDateOfBase(const sql::Expression &node) {
    if (node.kind == sql::ExpressionKind::kCast) {
        return node.type.kind() == TypeKind::kDate && IsBase(node.children[0]);
    }
    const bool date = node.kind == sql::ExpressionKind::kFunction && (node.text == "DATE" || node.text == "TO_DATE");
    return IsBase(node) || (date && node.children.size() == 1 && IsBase(node.children[0]));
}

//! yyyy, MM, dd, HH, mm, ss in this order, so that texts are in the order of times.
bool KeepsOrder(const std::string &pattern) {
    constexpr std::string_view kOrder = "yMdHms";
    size_t next = 0;
    for (size_t i = 0; i < pattern.size();) {
        const auto letter = kOrder.find(pattern[i]);
        if (letter == std::string_view::npos) {
            if (pattern[i] == '\'' || (pattern[i] >= 'a' && pattern[i] <= 'z') ||
                (pattern[i] >= 'A' && pattern[i] <= 'Z')) {
                return false;
            }
            i++;
            continue;
        }
        const size_t width = letter == 0 ? 4 : 2;
        if (letter != next || pattern.substr(i, width) != std::string(width, pattern[i])) {
            return false;
        }
        next++;
        i += width;
    }
    return next > 0;
}

bool IsMonotone(const sql::Expression &node, TypeKind base) {
    const bool time = base == TypeKind::kDate || base == TypeKind::kTimestamp || base == TypeKind::kTimestampNtz;
    if (time && !IsBase(node) && IsDateOfBase(node)) {
        return true;
    }
    if (node.kind != sql::ExpressionKind::kFunction || node.children.empty()) {
        return false;
    }
    const auto &arguments = node.children;
    if (time && node.text == "YEAR") {
        return IsDateOfBase(arguments[0]);
    }
    if (time && node.text == "TRUNC" && arguments.size() == 2) {
        return arguments[1].kind == sql::ExpressionKind::kText && IsDateOfBase(arguments[0]);
    }
    if (time && node.text == "DATE_FORMAT" && arguments.size() == 2) {
        return IsDateOfBase(arguments[0]) && arguments[1].kind == sql::ExpressionKind::kText &&
               KeepsOrder(arguments[1].text);
    }
    if (base == TypeKind::kString && (node.text == "SUBSTRING" || node.text == "SUBSTR") && arguments.size() == 3) {
        const bool from_start = arguments[1].kind == sql::ExpressionKind::kNumber && arguments[1].text.size() == 1 &&
                                (arguments[1].text == "0" || arguments[1].text == "1");
        return IsBase(arguments[0]) && from_start && arguments[2].kind == sql::ExpressionKind::kNumber;
    }
    return base == TypeKind::kString && node.text == "LEFT" && arguments.size() == 2 && IsBase(arguments[0]) &&
           arguments[1].kind == sql::ExpressionKind::kNumber;
}

//! Whether an instant is read or made on the way.
bool UsesZone(const duckdb::Expression &expression) {
    bool uses = expression.return_type.id() == duckdb::LogicalTypeId::TIMESTAMP_TZ;
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [&](const duckdb::Expression &child) { uses = uses || UsesZone(child); });
    return uses;
}

}  // namespace

GeneratedPruning::GeneratedPruning(const Snapshot &snapshot) {
    const auto &schema = snapshot.schema();
    for (const auto &generated : GeneratedColumns(snapshot.protocol(), schema)) {
        const auto &field = schema.fields[generated.column];
        const auto expression = sql::ParseExpression(generated.expression);
        if (!snapshot.IsPartitionColumn(field.name) || !expression.ok()) {
            continue;
        }
        const auto uses = sql::ColumnsOf(*expression, schema);
        if (uses.size() != 1 || uses[0].path.size() != 1) {
            continue;  // of several columns, or of a field: nothing is concluded
        }
        const auto &base = *schema.Find(uses[0].path[0]);
        if (base.type.kind() == TypeKind::kFloat || base.type.kind() == TypeKind::kDouble) {
            continue;
        }
        Column column;
        column.base = {PhysicalName(base, snapshot.mapping())};
        column.base_field = base;
        column.field = field;
        column.physical = PhysicalName(field, snapshot.mapping());
        column.expression = generated.expression;
        column.monotone = IsMonotone(*expression, base.type.kind());
        column.of_time = base.type.kind() != TypeKind::kString;
        columns_.push_back(std::move(column));
    }
}

Predicate GeneratedPruning::Extend(duckdb::ClientContext &context, const Predicate &compare,
                                   const Column &column) const {
    const auto &field = column.field;
    const auto &literal = compare.literal;
    const bool zoned = column.base_field.type.kind() == TypeKind::kTimestamp;
    const bool equal = compare.op == CompareOp::kEqual;
    if (compare.op == CompareOp::kNotEqual || !literal.type().SameAs(column.base_field.type) ||
        (!column.monotone && (!equal || zoned))) {
        return Predicate::True();
    }
    StructType schema;
    schema.fields.push_back(column.base_field);
    auto translation = sql::TranslateText(column.expression, schema);
    if (!translation.ok() || !translation->type.SameAs(field.type)) {
        return Predicate::True();
    }
    auto bound = BindTranslation(context, *translation, schema);
    if (field.type.kind() == TypeKind::kTimestamp || (!zoned && UsesZone(*bound))) {
        return Predicate::True();
    }
    duckdb::ExpressionExecutor executor(context, *bound);
    const auto made_of = [&](const Scalar &scalar) {
        duckdb::DataChunk chunk;
        chunk.Initialize(context, {TypeOf(column.base_field.type)});
        chunk.SetValue(0, 0, ValueOf(scalar));
        chunk.SetCardinality(1);
        duckdb::Vector result(bound->return_type);
        executor.ExecuteExpression(chunk, result);
        auto value = ScalarOf(result.GetValue(0));
        if (!value || (!value->is_null() && !value->type().SameAs(field.type))) {
            throw duckdb::InvalidInputException("no value of the partition column's type");
        }
        return *value;
    };
    const auto moved = [&](int64_t by) {
        int64_t micros = 0;
        return zoned && !__builtin_add_overflow(literal.integer(), by, &micros)
                   ? Scalar::Integer(literal.type(), micros)
                   : literal;
    };
    // An empty text is a NULL partition. Years of other than four digits begin with a sign, so their texts are in no
    // order.
    const auto compared = [&](CompareOp op, const Scalar &value) {
        auto null = Predicate::IsNull({column.physical}, field.type);
        if (value.is_null()) {
            return null;
        }
        auto term = Predicate::Compare({column.physical}, field.type, op, value);
        if (field.type.kind() != TypeKind::kString) {
            return term;
        }
        std::vector<Predicate> any;
        any.push_back(std::move(term));
        if (op == CompareOp::kLessEqual || value.text().empty()) {
            any.push_back(std::move(null));
        }
        if (column.of_time) {
            any.push_back(
                Predicate::Compare({column.physical}, field.type, CompareOp::kLess, Scalar::Text(field.type, "0")));
        }
        return Predicate::Or(std::move(any));
    };
    if (equal && !zoned) {
        return compared(CompareOp::kEqual, made_of(literal));
    }
    const auto bounded = [&](CompareOp op, const Scalar &scalar) {
        const auto value = made_of(scalar);
        return value.is_null() ? Predicate::True() : compared(op, value);
    };
    std::vector<Predicate> bounds;
    if (equal || compare.op == CompareOp::kGreater || compare.op == CompareOp::kGreaterEqual) {
        bounds.push_back(bounded(CompareOp::kGreaterEqual, moved(-kZones)));
    }
    if (equal || compare.op == CompareOp::kLess || compare.op == CompareOp::kLessEqual) {
        bounds.push_back(bounded(CompareOp::kLessEqual, moved(kZones)));
    }
    return Predicate::And(std::move(bounds));
}

Predicate GeneratedPruning::Extend(duckdb::ClientContext &context, const Predicate &predicate) const {
    if (columns_.empty()) {
        return predicate;
    }
    std::vector<Predicate> parts;
    switch (predicate.kind) {
    case PredicateKind::kAnd:
    case PredicateKind::kOr:
        for (const auto &child : predicate.children) {
            parts.push_back(Extend(context, child));
        }
        return predicate.kind == PredicateKind::kAnd ? Predicate::And(std::move(parts))
                                                     : Predicate::Or(std::move(parts));
    case PredicateKind::kCompare: break;
    default: return predicate;
    }
    parts.push_back(predicate);
    for (const auto &column : columns_) {
        if (column.base != predicate.column) {
            continue;
        }
        try {
            parts.push_back(Extend(context, predicate, column));
        } catch (const duckdb::InterruptException &) {
            throw;
        } catch (const std::exception &) {
            // The value cannot be computed, so nothing follows.
        }
    }
    return Predicate::And(std::move(parts));
}

}  // namespace birdfoot::duck
