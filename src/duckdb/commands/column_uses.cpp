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

//! The constraints and generated columns that use a column, as messages list them; empty where there are none.
struct Users {
    std::string constraints;
    std::string generated;
};

Users UsersOf(const TableDefinition &table, const FieldPath &column) {
    Users users;
    const auto list = [](std::string &texts, std::string_view name, const std::string &text) {
        texts += fmt::format("{}{} -> {}", texts.empty() ? "" : ", ", name, text);
    };
    for (const auto &[key, text] : table.metadata.configuration) {
        if (key.starts_with(kConstraints) && Uses(text, column)) {
            list(users.constraints, std::string_view(key).substr(kConstraints.size()), text);
        }
    }
    for (const auto &field : table.schema.fields) {
        const auto text = field.metadata.StringOf(kGenerated);
        if (text && Uses(*text, column)) {
            list(users.generated, field.name, *text);
        }
    }
    return users;
}

}  // namespace

void RequireUnused(const TableDefinition &table, const FieldPath &column) {
    const auto users = UsersOf(table, column);
    if (!users.constraints.empty()) {
        Throw(Fail(Condition::DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE,
                   "Cannot alter column {} because this column is referenced by the following check constraint(s): {}. "
                   "Drop them first: ALTER TABLE … DROP CONSTRAINT.",
                   PathText(column), users.constraints));
    }
    if (!users.generated.empty()) {
        Throw(Fail(Condition::DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE,
                   "Cannot alter column {} because this column is referenced by the following generated column(s): {}.",
                   PathText(column), users.generated));
    }
}

void RequireNotGenerated(const TableDefinition &table, const FieldPath &column, const DataType &type) {
    const auto *field = table.schema.Find(column[0]);
    if (const auto text = field ? field->metadata.StringOf(kGenerated) : std::nullopt) {
        Throw(Fail(Condition::DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH,
                   "The expression type of the generated column {} is {}, but the column type would be {} ({}). A "
                   "generated column keeps its type; cast the data to it, or leave the column out.",
                   field->name, field->type.ToString(), type.ToString(), *text));
    }
}

void RequireUnusedToWiden(const TableDefinition &table, const WidenedColumn &widened) {
    RequireNotGenerated(table, widened.column, widened.to);
    const auto users = UsersOf(table, widened.column);
    const auto refuse = [&](Condition condition, std::string_view what, const std::string &which) {
        Throw(Fail(
            condition,
            "Column {} has data type {} and cannot be altered to data type {} because this column is referenced by "
            "the following {}: {}. Cast the data to {}.",
            PathText(widened.column), widened.from.ToString(), widened.to.ToString(), what, which,
            widened.from.ToString()));
    };
    if (!users.constraints.empty()) {
        refuse(Condition::DELTA_CONSTRAINT_DATA_TYPE_MISMATCH, "check constraint(s)", users.constraints);
    }
    if (!users.generated.empty()) {
        refuse(Condition::DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH, "generated column(s)", users.generated);
    }
}

}  // namespace birdfoot::duck
