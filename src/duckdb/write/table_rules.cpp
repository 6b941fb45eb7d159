// Each rule has an executor a thread. A generated column that was given is compared null-safely, as the check
// (column <=> expression) that Spark makes of it; only TRUE passes.
#include "duckdb/write/table_rules.hpp"

#include <algorithm>

#include "core/table/table_rules.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/translate/types.hpp"
#include "sql/expression.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

std::string ShowValue(const duckdb::Value &value) { return value.IsNull() ? "null" : value.ToString(); }

//! The value at a path below a column.
duckdb::Value ValueAt(duckdb::DataChunk &chunk, size_t position, duckdb::idx_t row,
                      const std::vector<std::string> &path) {
    auto value = chunk.GetValue(position, row);
    for (size_t i = 1; i < path.size() && !value.IsNull(); i++) {
        const auto &children = duckdb::StructType::GetChildTypes(value.type());
        const auto found = std::find_if(children.begin(), children.end(),
                                        [&](const auto &child) { return EqualsIgnoreCase(child.first, path[i]); });
        if (found == children.end()) {
            break;
        }
        value = duckdb::StructValue::GetChildren(value)[static_cast<size_t>(found - children.begin())];
    }
    return value;
}

[[noreturn]] void ThrowViolated(const BoundRule &rule, duckdb::DataChunk &chunk, duckdb::idx_t row) {
    std::string values;
    for (size_t i = 0; i < rule.columns.size(); i++) {
        std::string name;
        for (const auto &part : rule.columns[i].path) {
            name += (name.empty() ? "" : ".") + part;
        }
        values +=
            fmt::format("\n - {} : {}", name, ShowValue(ValueAt(chunk, rule.positions[i], row, rule.columns[i].path)));
    }
    Throw(Fail(Condition::DELTA_VIOLATE_CONSTRAINT_WITH_VALUES, "CHECK constraint {} {} violated by row with values:{}",
               rule.name, rule.text, values));
}

sql::Expression ParseRule(const std::string &text, const std::string &name) {
    auto parsed = sql::ParseExpression(text);
    if (!parsed.ok()) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION, "The expression of {} cannot be read: {}", name,
                   parsed.error().text()));
    }
    return std::move(*parsed);
}

BoundRule MakeRule(duckdb::ClientContext &context, const StructType &schema, std::string name,
                   const sql::Expression &expression, const DataType &type) {
    BoundRule rule;
    rule.name = std::move(name);
    rule.text = "(" + sql::ToSparkText(expression, sql::NameQuotes::kWhereNeeded) + ")";
    auto translation = sql::Translate(expression, schema);
    if (!translation.ok()) {
        Throw(translation.error().Prefixed(fmt::format("The table has the constraint {} {}", rule.name, rule.text)));
    }
    rule.columns = sql::ColumnsOf(expression, schema);
    for (const auto &column : rule.columns) {
        rule.positions.push_back(*schema.IndexOf(column.path[0]));
    }
    rule.expression = BindTranslation(context, ValueOrThrow(sql::AssignTo(std::move(*translation), type)), schema);
    return rule;
}

sql::Expression ColumnNode(const std::string &name) {
    sql::Expression node;
    node.kind = sql::ExpressionKind::kColumn;
    node.name = {name};
    return node;
}

//! column <=> CAST(expression AS its type)
sql::Expression EqualTo(const StructField &field, sql::Expression expression) {
    sql::Expression node;
    node.kind = sql::ExpressionKind::kBinaryOperator;
    node.text = "<=>";
    node.children = {ColumnNode(field.name), std::move(expression)};
    return node;
}

}  // namespace

BoundRule BindGenerated(duckdb::ClientContext &context, const StructType &schema, const GeneratedColumn &column) {
    const auto &field = schema.fields[column.column];
    return MakeRule(context, schema, "Generated Column", ParseRule(column.expression, "generated column " + field.name),
                    field.type);
}

TableRules::TableRules(duckdb::ClientContext &context, const Metadata &metadata, const Protocol &protocol,
                       const StructType &schema, const std::vector<size_t> &computed) {
    const DataType boolean(TypeKind::kBoolean);
    for (const auto &generated : GeneratedColumns(protocol, schema)) {
        const auto &field = schema.fields[generated.column];
        if (std::find(computed.begin(), computed.end(), generated.column) == computed.end()) {
            auto expression = ParseRule(generated.expression, "generated column " + field.name);
            rules_.push_back(
                MakeRule(context, schema, "Generated Column", EqualTo(field, std::move(expression)), boolean));
        }
    }
    for (const auto &check : ValueOrThrow(CheckConstraints(metadata, schema))) {
        rules_.push_back(MakeRule(context, schema, check.name, ParseRule(check.expression, check.name), boolean));
    }
}

std::unique_ptr<TableRules::Local> TableRules::MakeLocal(duckdb::ClientContext &context) const {
    auto local = std::make_unique<Local>();
    for (const auto &rule : rules_) {
        local->executors.push_back(std::make_unique<duckdb::ExpressionExecutor>(context, *rule.expression));
    }
    local->result.Initialize(context, {duckdb::LogicalType::BOOLEAN});
    return local;
}

void TableRules::Check(Local &local, duckdb::DataChunk &chunk) const {
    for (size_t i = 0; i < rules_.size(); i++) {
        local.result.Reset();
        local.executors[i]->ExecuteExpression(chunk, local.result.data[0]);
        duckdb::UnifiedVectorFormat format;
        local.result.data[0].ToUnifiedFormat(chunk.size(), format);
        const auto *passed = duckdb::UnifiedVectorFormat::GetData<bool>(format);
        for (duckdb::idx_t row = 0; row < chunk.size(); row++) {
            const auto index = format.sel->get_index(row);
            if (!format.validity.RowIsValid(index) || !passed[index]) {
                ThrowViolated(rules_[i], chunk, row);
            }
        }
    }
}

}  // namespace birdfoot::duck
