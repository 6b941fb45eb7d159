// See changes_text.hpp. A struct that is NULL gets its field all the same, its other fields are NULL then: as in Spark.
#include "duckdb/parser/changes_text.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/schema/schema_rules.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::duck {
namespace {

//! What is assigned to a column or to fields below it.
struct Target {
    std::string name;
    std::optional<std::string> value;
    std::vector<Target> fields;
};

[[noreturn]] void Conflict(const sql::ColumnPath &path) {
    Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
               "There is a conflict from these SET columns: `{}` is assigned to twice, by itself or with a field or "
               "struct of it. Assign to it once.",
               fmt::join(path, ".")));
}

void Add(std::vector<Target> &targets, const sql::ColumnPath &path, size_t depth, const std::string &value) {
    auto found = std::find_if(targets.begin(), targets.end(),
                              [&](const auto &target) { return EqualsIgnoreCase(target.name, path[depth]); });
    const bool is_new = found == targets.end();
    if (is_new) {
        targets.push_back({path[depth], std::nullopt, {}});
        found = targets.end() - 1;
    }
    if (depth + 1 == path.size()) {
        if (!is_new) {
            Conflict(path);
        }
        found->value = value;
    } else if (found->value) {
        Conflict(path);
    } else {
        Add(found->fields, path, depth + 1, value);
    }
}

//! The path without the name or alias of the table.
sql::ColumnPath Unqualified(const StructType &schema, const std::string &alias, sql::ColumnPath path) {
    if (path.size() > 1 && EqualsIgnoreCase(path[0], alias) && schema.Find(path[1])) {
        path.erase(path.begin());
    }
    return path;
}

//! The struct `access` with its fields changed.
std::string ChangedStruct(const DataType &type, const Target &target, const std::string &access,
                          const std::string &path) {
    if (type.kind() != TypeKind::kStruct) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "`{}` is no struct, so it has no field {}. Updating nested fields is only supported for structs. "
                   "Assign to the whole column.",
                   path, target.fields[0].name));
    }
    const auto &fields = type.struct_type().fields;
    for (const auto &assigned : target.fields) {
        if (!type.struct_type().Find(assigned.name)) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "No such struct field {} in `{}`. It has {}.", assigned.name,
                       path, SchemaToTree(type.struct_type())));
        }
    }
    std::string text = "struct_pack(";
    for (size_t i = 0; i < fields.size(); i++) {
        const auto &name = fields[i].name;
        const auto below = fmt::format("struct_extract({}, {})", access, sql::QuoteText(name));
        auto assigned = std::find_if(target.fields.begin(), target.fields.end(),
                                     [&](const auto &field) { return EqualsIgnoreCase(field.name, name); });
        text += (i == 0 ? "" : ", ") + sql::QuoteName(name) + " := ";
        if (assigned == target.fields.end()) {
            text += below;
        } else if (assigned->value) {
            text += "(" + *assigned->value + ")";
        } else {
            text += ChangedStruct(fields[i].type, *assigned, below, path + "." + name);
        }
    }
    return text + ")";
}

std::string Assignments(const StructType &schema, const std::string &alias, const sql::RowAction &action) {
    std::vector<Target> targets;
    for (const auto &assignment : action.assignments) {
        Add(targets, Unqualified(schema, alias, assignment.target), 0, assignment.value);
    }
    std::string text;
    for (const auto &target : targets) {
        text += (text.empty() ? "" : ", ") + sql::QuoteName(target.name) + " = ";
        if (target.value) {
            text += *target.value;
            continue;
        }
        const auto *field = schema.Find(target.name);
        if (!field) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                       "A column {} cannot be resolved: the table has no such column. It has {}.", target.name,
                       SchemaToTree(schema)));
        }
        const auto access = sql::QuoteName(alias) + "." + sql::QuoteName(field->name);
        text += ChangedStruct(field->type, target, access, field->name);
    }
    return text;
}

std::string InsertColumns(const StructType &schema, const std::string &alias, const sql::RowAction &action) {
    std::string text;
    for (const auto &assignment : action.assignments) {
        const auto path = Unqualified(schema, alias, assignment.target);
        if (path.size() > 1) {
            Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                       "INSERT names `{}`. Nested fields cannot be inserted by themselves. Name the column.",
                       fmt::join(path, ".")));
        }
        text += (text.empty() ? "" : ", ") + sql::QuoteName(path[0]);
    }
    return text;
}

//! UPDATE SET * and INSERT *: columns of the source by the names of the table's.
std::string AllColumns(const StructType &schema, const sql::Merge &merge, const sql::RowAction &action) {
    if (merge.source_alias.empty()) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "* needs a source of one name, whose columns are matched with the table's. Put the source into a "
                   "query with an alias: USING (SELECT …) s."));
    }
    for (const auto &name : action.except) {
        if (!schema.Find(name)) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "EXCEPT names the column {}, which the table does not have.",
                       name));
        }
    }
    std::string columns, values;
    for (const auto &field : schema.fields) {
        if (std::any_of(action.except.begin(), action.except.end(),
                        [&](const auto &name) { return EqualsIgnoreCase(name, field.name); })) {
            continue;
        }
        const auto column = sql::QuoteName(field.name);
        const auto value = sql::QuoteName(merge.source_alias) + "." + column;
        columns += (columns.empty() ? "" : ", ") + column + (action.insert ? "" : " = " + value);
        values += (values.empty() ? "" : ", ") + value;
    }
    if (columns.empty()) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "EXCEPT leaves no column. Leave some."));
    }
    return action.insert ? "INSERT (" + columns + ") VALUES (" + values + ")" : "UPDATE SET " + columns;
}

}  // namespace

std::string UpdateText(const DeltaTableEntry &table, const sql::Update &update) {
    table.RequireWritable();
    return update.before + " " + Assignments(table.snapshot()->schema(), update.alias, update.action) + " " +
           update.after;
}

std::string MergeText(const DeltaTableEntry &table, const sql::Merge &merge) {
    table.RequireWritable();
    if (merge.hides_clauses) {
        Throw(Fail(Condition::PARSE_SYNTAX_ERROR,
                   "When there are more than one clauses of a kind in a MERGE, only the last of them may omit its "
                   "condition: those behind it would never apply. Give it a condition, or put it last."));
    }
    const auto &schema = table.snapshot()->schema();
    auto text = merge.texts[0];
    for (size_t i = 0; i < merge.actions.size(); i++) {
        const auto &action = merge.actions[i];
        if (action.all) {
            text += AllColumns(schema, merge, action);
        } else if (action.insert) {
            text += "INSERT (" + InsertColumns(schema, merge.target_alias, action) + ")";
        } else {
            text += "UPDATE SET " + Assignments(schema, merge.target_alias, action);
        }
        text += " " + merge.texts[i + 1];
    }
    return text;
}

}  // namespace birdfoot::duck
