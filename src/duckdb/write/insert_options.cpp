#include "duckdb/write/insert_options.hpp"

#include "duckdb/planner/expression/bound_constant_expression.hpp"

#include "core/base/json.hpp"

namespace birdfoot::duck {

namespace {

// LogicalInsert::insert_values holds one list: the options as JSON, then whether the assignment was checked.
constexpr size_t kOptions = 0;
constexpr size_t kChecked = 1;

duckdb::Value &Slot(duckdb::LogicalInsert &insert, size_t slot) {
    if (insert.insert_values.empty()) {
        insert.insert_values.emplace_back();
        insert.insert_values[0].push_back(duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value("{}")));
        insert.insert_values[0].push_back(
            duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value::BOOLEAN(false)));
    }
    return static_cast<duckdb::BoundConstantExpression &>(*insert.insert_values[0][slot]).value;
}

const duckdb::Value *Slot(const duckdb::LogicalInsert &insert, size_t slot) {
    if (insert.insert_values.empty()) {
        return nullptr;
    }
    return &static_cast<const duckdb::BoundConstantExpression &>(*insert.insert_values[0][slot]).value;
}

}  // namespace

void SetInsertOptions(duckdb::LogicalInsert &insert, const InsertOptions &options) {
    std::string json;
    JsonWriter writer(json);
    writer.BeginObject()
        .Key("mode")
        .Int(static_cast<int64_t>(options.mode))
        .Key("predicate")
        .String(options.predicate)
        .Key("historyPredicate")
        .String(options.history_predicate)
        .Key("overwriteSchema")
        .Bool(options.overwrite_schema)
        .Key("mergeSchema")
        .Bool(options.merge_schema)
        .EndObject();
    Slot(insert, kOptions) = duckdb::Value(json);
}

InsertOptions InsertOptionsOf(const duckdb::LogicalInsert &insert) {
    InsertOptions options;
    const auto *value = Slot(insert, kOptions);
    if (!value) {
        return options;
    }
    auto document = JsonDocument::Parse(duckdb::StringValue::Get(*value));
    if (!document.ok()) {
        return options;
    }
    auto root = document->root();
    options.mode = static_cast<WriteMode>(root["mode"].int64().value_or(0));
    options.predicate = std::string(root["predicate"].string().value_or(""));
    options.history_predicate = std::string(root["historyPredicate"].string().value_or(""));
    options.overwrite_schema = root["overwriteSchema"].boolean().value_or(false);
    options.merge_schema = root["mergeSchema"].boolean().value_or(false);
    return options;
}

void MarkAssignmentChecked(duckdb::LogicalInsert &insert) { Slot(insert, kChecked) = duckdb::Value::BOOLEAN(true); }

bool IsAssignmentChecked(const duckdb::LogicalInsert &insert) {
    const auto *value = Slot(insert, kChecked);
    return value && duckdb::BooleanValue::Get(*value);
}

}  // namespace birdfoot::duck
