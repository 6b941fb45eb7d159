#include "duckdb/commands/column_uses.hpp"

#include <algorithm>
#include <vector>

#include "duckdb/translate/errors.hpp"
#include "sql/expression.hpp"

namespace birdfoot::duck {
namespace {

constexpr std::string_view kConstraints = "delta.constraints.";
constexpr std::string_view kGenerated = "delta.generationExpression";

//! The path of a column or of a field of one; empty for any other expression.
FieldPath PathOf(const sql::Expression &expression) {
    if (expression.kind == sql::ExpressionKind::kColumn) {
        return expression.name;
    }
    if (expression.kind == sql::ExpressionKind::kField) {
        auto path = PathOf(expression.children.at(0));
        if (!path.empty()) {
            path.push_back(expression.text);
        }
        return path;
    }
    return {};
}

bool Uses(const sql::Expression &expression, const FieldPath &column) {
    if (const auto path = PathOf(expression); !path.empty()) {
        const auto shared = std::min(path.size(), column.size());
        return std::equal(path.begin(), path.begin() + static_cast<ptrdiff_t>(shared), column.begin(),
                          EqualsIgnoreCase);
    }
    return std::any_of(expression.children.begin(), expression.children.end(),
                       [&](const auto &child) { return Uses(child, column); });
}

bool Uses(const std::string &text, const FieldPath &column) {
    const auto expression = sql::ParseExpression(text);
    return !expression.ok() || Uses(*expression, column);
}

}  // namespace

void RequireUnused(const TableDefinition &table, const FieldPath &column) {
    std::string constraints;
    for (const auto &[key, text] : table.metadata.configuration) {
        if (key.starts_with(kConstraints) && Uses(text, column)) {
            constraints +=
                fmt::format("{}{} -> {}", constraints.empty() ? "" : ", ", key.substr(kConstraints.size()), text);
        }
    }
    if (!constraints.empty()) {
        Throw(Fail(Condition::DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE,
                   "Cannot alter column {} because this column is referenced by the following check constraint(s): {}. "
                   "Drop them first: ALTER TABLE … DROP CONSTRAINT.",
                   PathText(column), constraints));
    }
    std::string generated;
    for (const auto &field : table.schema.fields) {
        const auto text = field.metadata.StringOf(kGenerated);
        if (text && Uses(*text, column)) {
            generated += fmt::format("{}{} -> {}", generated.empty() ? "" : ", ", field.name, *text);
        }
    }
    if (!generated.empty()) {
        Throw(Fail(Condition::DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE,
                   "Cannot alter column {} because this column is referenced by the following generated column(s): {}.",
                   PathText(column), generated));
    }
}

}  // namespace birdfoot::duck
