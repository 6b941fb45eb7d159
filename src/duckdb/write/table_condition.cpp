#include "duckdb/write/table_condition.hpp"

#include <algorithm>

#include "duckdb/parser/parser.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_binder/where_binder.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/predicates.hpp"
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

namespace {

constexpr duckdb::idx_t kTable = 0;

size_t PositionOf(const duckdb::Expression &expression) {
    return static_cast<const duckdb::BoundColumnRefExpression &>(expression).binding.column_index;
}

void Collect(duckdb::Expression &expression, std::vector<size_t> &columns) {
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
        columns.push_back(PositionOf(expression));
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [&](duckdb::unique_ptr<duckdb::Expression> &child) { Collect(*child, columns); });
}

//! Column references become references into a chunk.
void MakeReferences(duckdb::unique_ptr<duckdb::Expression> &expression, const std::vector<size_t> &columns,
                    bool all_columns) {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
        auto position = PositionOf(*expression);
        if (!all_columns) {
            auto found = std::lower_bound(columns.begin(), columns.end(), position);
            position = static_cast<size_t>(found - columns.begin());
        }
        expression = duckdb::make_uniq<duckdb::BoundReferenceExpression>(expression->return_type, position);
        return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(*expression, [&](duckdb::unique_ptr<duckdb::Expression> &child) {
        MakeReferences(child, columns, all_columns);
    });
}

duckdb::unique_ptr<duckdb::Expression> ForChunks(duckdb::unique_ptr<duckdb::Expression> expression,
                                                 const std::vector<size_t> &columns, bool all_columns) {
    MakeReferences(expression, columns, all_columns);
    return expression;
}

duckdb::unique_ptr<duckdb::Expression> Bind(duckdb::ClientContext &context, const std::string &text,
                                            const StructType &schema) {
    auto parsed = duckdb::Parser::ParseExpressionList(text);
    if (parsed.size() != 1) {
        Throw(Fail(Condition::PARSE_SYNTAX_ERROR, "'{}' is not one condition. Join conditions with AND.", text));
    }
    if (parsed[0]->HasSubquery()) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_SUBQUERY,
                   "Subqueries are not supported in replaceWhere ('{}'). Write the values themselves.", text));
    }
    duckdb::vector<duckdb::string> names;
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto &field : schema.fields) {
        names.push_back(field.name);
        types.push_back(TypeOf(field.type));
    }
    auto binder = duckdb::Binder::CreateBinder(context);
    binder->bind_context.AddGenericBinding(kTable, "target", names, types);
    duckdb::WhereBinder where(*binder, context);
    auto bound = where.Bind(parsed[0]);
    if (bound->IsVolatile()) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                   "The condition '{}' may give another answer each time. replaceWhere needs one that does not.",
                   text));
    }
    return bound;
}

}  // namespace

TableCondition::TableCondition(duckdb::ClientContext &context, std::string text, const StructType &schema,
                               ColumnMappingMode mapping)
    : text_(std::move(text)), expression_(Bind(context, text_, schema)) {
    Collect(*expression_, columns_);
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    predicate_ = PredicateOf(*expression_, mapping, [&](const duckdb::Expression &reference) -> const StructField * {
        return &schema.fields[PositionOf(reference)];
    });
}

TableCondition::Evaluator::Evaluator(duckdb::ClientContext &context, const TableCondition &condition, bool all_columns)
    : expression_(ForChunks(condition.expression_->Copy(), condition.columns_, all_columns)),
      executor_(context, *expression_) {}

duckdb::idx_t TableCondition::Evaluator::Select(duckdb::DataChunk &chunk, duckdb::SelectionVector &matches) {
    return executor_.SelectExpression(chunk, matches);
}

}  // namespace birdfoot::duck
