// See bind_changes.hpp. A struct that is NULL gets its field all the same, its other fields are NULL then: as in Spark.
#include "duckdb/parser/bind_changes.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "duckdb/parser/tableref/basetableref.hpp"

#include "core/schema/schema_rules.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/parser/delta_statement.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/bound_source.hpp"
#include "duckdb/write/pending_schema.hpp"
#include "duckdb/write/statement_note.hpp"
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

bool Contains(const std::vector<std::string> &names, const std::string &name) {
    return std::any_of(names.begin(), names.end(), [&](const auto &other) { return EqualsIgnoreCase(other, name); });
}

//! For UPDATE SET * and INSERT *: the columns that the source may lack.
struct MayLack {
    std::vector<std::string> source;  // what it has
    bool all = false;                 // where the schema evolves
    std::vector<std::string> names;   // otherwise: those that fill themselves
    StructType types;                 // of the source, where the schema evolves

    bool Missing(const std::string &name) const { return !Contains(source, name) && (all || Contains(names, name)); }
};

bool LacksFields(const DataType &given, const DataType &type) {
    if (given.kind() != TypeKind::kStruct || type.kind() != TypeKind::kStruct) {
        return false;
    }
    const auto &fields = type.struct_type().fields;
    return std::any_of(fields.begin(), fields.end(), [&](const auto &field) {
        const auto *found = given.struct_type().Find(field.name);
        return !found || LacksFields(found->type, field.type);
    });
}

//! The source's struct with those fields of the table's that it lacks. Where there is nothing to keep NULL stays NULL.
std::string WithKeptFields(const DataType &given, const DataType &type, const std::string &source,
                           const std::string &target) {
    if (!LacksFields(given, type)) {
        return source;
    }
    std::string text;
    for (const auto &field : type.struct_type().fields) {
        const auto part = [&](const std::string &of) {
            return fmt::format("struct_extract({}, {})", of, sql::QuoteText(field.name));
        };
        const auto *found = given.struct_type().Find(field.name);
        text += (text.empty() ? "" : ", ") + sql::QuoteName(field.name) +
                " := " + (found ? WithKeptFields(found->type, field.type, part(source), part(target)) : part(target));
    }
    return fmt::format("CASE WHEN {} IS NOT NULL OR {} IS NOT NULL THEN struct_pack({}) END", source, target, text);
}

//! UPDATE SET * and INSERT *: columns of the source by the names of the table's.
std::string AllColumns(const StructType &schema, const sql::Merge &merge, const sql::RowAction &action,
                       const MayLack &may_lack) {
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
        if (Contains(action.except, field.name) || may_lack.Missing(field.name)) {
            continue;
        }
        if (!may_lack.source.empty() && !Contains(may_lack.source, field.name)) {
            Throw(Fail(Condition::UNRESOLVED_COLUMN,
                       "Cannot resolve {} in {} clause given columns {}: * needs all of the table's columns in the "
                       "source. Name those that there are, or leave others out with * EXCEPT ({}).",
                       field.name, action.insert ? "INSERT" : "UPDATE", fmt::join(may_lack.source, ", "), field.name));
        }
        const auto column = sql::QuoteName(field.name);
        auto value = sql::QuoteName(merge.source_alias) + "." + column;
        if (const auto *given = may_lack.types.Find(field.name); given && !action.insert) {
            value = WithKeptFields(given->type, field.type, value, sql::QuoteName(merge.target_alias) + "." + column);
        }
        columns += (columns.empty() ? "" : ", ") + column + (action.insert ? "" : " = " + value);
        values += (values.empty() ? "" : ", ") + value;
    }
    if (columns.empty()) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "{} leaves no column. Leave some.",
                   action.except.empty() ? "The source" : "EXCEPT"));
    }
    return action.insert ? "INSERT (" + columns + ") VALUES (" + values + ")" : "UPDATE SET " + columns;
}

std::string MergeText(const StructType &schema, const sql::Merge &merge, const MayLack &may_lack) {
    auto text = merge.texts[0];
    for (size_t i = 0; i < merge.actions.size(); i++) {
        const auto &action = merge.actions[i];
        if (action.all) {
            text += AllColumns(schema, merge, action, may_lack);
        } else if (action.insert) {
            text += "INSERT (" + InsertColumns(schema, merge.target_alias, action) + ")";
        } else {
            text += "UPDATE SET " + Assignments(schema, merge.target_alias, action);
        }
        text += " " + merge.texts[i + 1];
    }
    return text;
}

duckdb::unique_ptr<duckdb::SQLStatement> ParseText(duckdb::ClientContext &context, const std::string &text) {
    auto options = context.GetParserOptions();
    options.parser_override_setting = duckdb::AllowParserOverride::DEFAULT_OVERRIDE;
    return ParseOne(text, options);
}

duckdb::BoundStatement BindText(duckdb::ClientContext &context, duckdb::Binder &binder, const std::string &text) {
    return duckdb::Binder::CreateBinder(context, &binder)->Bind(*ParseText(context, text));
}

//! Takes the source of a MERGE out of it.
BoundSource SourceOf(duckdb::ClientContext &context, duckdb::Binder &binder, duckdb::MergeIntoStatement &merge,
                     std::string alias) {
    if (alias.empty() && merge.source->type == duckdb::TableReferenceType::BASE_TABLE) {
        alias = merge.source->Cast<duckdb::BaseTableRef>().table_name;
    }
    return {context, binder, std::move(merge.source), merge.cte_map, alias};
}

//! Those columns of the source that may become the table's: which a clause assigns to.
QueryColumns Assigned(const duckdb::MergeIntoStatement &merge, const QueryColumns &columns,
                      std::vector<std::string> names = {}) {
    for (const auto &[condition, actions] : merge.actions) {
        for (const auto &action : actions) {
            if (action->update_info) {
                names.insert(names.end(), action->update_info->columns.begin(), action->update_info->columns.end());
            }
            names.insert(names.end(), action->insert_columns.begin(), action->insert_columns.end());
        }
    }
    QueryColumns assigned;
    for (size_t i = 0; i < columns.names.size(); i++) {
        if (Contains(names, columns.names[i])) {
            assigned.names.push_back(columns.names[i]);
            assigned.types.push_back(columns.types[i]);
        }
    }
    return assigned;
}

//! Below a projection (RETURNING), or beside what WITH names.
duckdb::LogicalOperator *FindIn(duckdb::LogicalOperator &op, duckdb::LogicalOperatorType type) {
    if (op.type == type) {
        return &op;
    }
    for (auto &child : op.children) {
        if (auto *found = FindIn(*child, type)) {
            return found;
        }
    }
    return nullptr;
}

duckdb::LogicalOperator &FindChange(duckdb::LogicalOperator &op, duckdb::LogicalOperatorType type) {
    return *FindIn(op, type);
}

//! The generated and identity columns.
std::vector<std::string> SelfFilling(const Snapshot &table) {
    std::vector<std::string> names;
    for (const auto &column : GeneratedColumns(table.protocol(), table.schema())) {
        names.push_back(table.schema().fields[column.column].name);
    }
    for (const auto &column : IdentityColumns(table.protocol(), table.schema())) {
        names.push_back(table.schema().fields[column.column].name);
    }
    return names;
}

//! The columns that are assigned to under the target's alias.
std::vector<std::string> Qualified(const sql::Merge &merge) {
    std::vector<std::string> names;
    for (const auto &action : merge.actions) {
        for (const auto &[path, value] : action.assignments) {
            if (path.size() == 1 || (path.size() == 2 && EqualsIgnoreCase(path[0], merge.target_alias))) {
                names.push_back(path.back());
            }
        }
    }
    return names;
}

//! Adds columns to the schema that the statement is to be bound to. Says whether there were any.
bool Evolve(TableWork &work, const QueryColumns &columns) {
    auto data = ValueOrThrow(SchemaOf(columns));
    std::lock_guard lock(work.mutex);
    return AddMissingColumns(work, data);
}

duckdb::BoundStatement WithEvolution(duckdb::BoundStatement bound, const TableWork &work, bool evolved) {
    StatementNote note;
    note.evolves = true;
    note.evolved_to = evolved ? work.View() : nullptr;
    SetNote(FindChange(*bound.plan, duckdb::LogicalOperatorType::LOGICAL_MERGE_INTO), std::move(note));
    return bound;
}

}  // namespace

duckdb::BoundStatement BindUpdate(duckdb::ClientContext &context, duckdb::Binder &binder, const DeltaTableEntry &table,
                                  const sql::Update &update) {
    table.RequireWritable();
    return BindText(context, binder,
                    update.before + " " + Assignments(table.snapshot()->schema(), update.alias, update.action) + " " +
                        update.after);
}

duckdb::BoundStatement BindMerge(duckdb::ClientContext &context, duckdb::Binder &binder, const DeltaTableEntry &table,
                                 const sql::Merge &merge) {
    table.RequireWritable();
    if (merge.hides_clauses) {
        Throw(Fail(Condition::PARSE_SYNTAX_ERROR,
                   "When there are more than one clauses of a kind in a MERGE, only the last of them may omit its "
                   "condition: those behind it would never apply. Give it a condition, or put it last."));
    }
    const bool all = std::any_of(merge.actions.begin(), merge.actions.end(), [](const auto &a) { return a.all; });
    const bool evolves = merge.schema_evolution || AutoMergeOf(context);
    MayLack may_lack;
    if (all && !evolves) {
        may_lack.names = SelfFilling(*table.snapshot());
    }
    if (!evolves && !all) {
        return BindText(context, binder, MergeText(table.snapshot()->schema(), merge, may_lack));
    }
    auto parsed = ParseText(context, sql::PlainText(merge));
    auto source = SourceOf(context, binder, parsed->Cast<duckdb::MergeIntoStatement>(), merge.source_alias);
    const auto columns = source.Columns();
    may_lack.source = columns.names;
    may_lack.all = evolves;
    const auto bind = [&](const StructType &schema) {
        auto statement = ParseText(context, MergeText(schema, merge, may_lack));
        statement->Cast<duckdb::MergeIntoStatement>().source = source.Take();
        return duckdb::Binder::CreateBinder(context, &binder)->Bind(*statement);
    };
    if (!evolves) {
        return bind(table.snapshot()->schema());
    }
    auto &work = DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
    MetadataGuard guard(work);
    if (all) {
        may_lack.types = ValueOrThrow(SchemaOf(columns));
    }
    const auto &plain = parsed->Cast<duckdb::MergeIntoStatement>();
    const bool evolved = Evolve(work, all ? columns : Assigned(plain, columns, Qualified(merge)));
    return WithEvolution(bind(work.schema), work, evolved);
}

std::optional<duckdb::BoundStatement> BindEvolvingMerge(duckdb::ClientContext &context, duckdb::Binder &binder,
                                                        const duckdb::MergeIntoStatement &merge) {
    if (!AutoMergeOf(context) || merge.target->type != duckdb::TableReferenceType::BASE_TABLE) {
        return std::nullopt;
    }
    const auto &target = merge.target->Cast<duckdb::BaseTableRef>();
    auto catalog = target.catalog_name, schema = target.schema_name;
    duckdb::Binder::BindSchemaOrCatalog(context, catalog, schema);
    auto entry = duckdb::Catalog::GetEntry<duckdb::TableCatalogEntry>(context, catalog, schema, target.table_name,
                                                                      duckdb::OnEntryNotFound::RETURN_NULL);
    if (!entry || entry->ParentCatalog().GetCatalogType() != kStorageType) {
        return std::nullopt;
    }
    const auto &table = entry->Cast<DeltaTableEntry>();
    table.RequireWritable();
    auto &work = DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
    MetadataGuard guard(work);
    auto copied = merge.Copy();
    auto &copy = copied->Cast<duckdb::MergeIntoStatement>();
    auto source = SourceOf(context, binder, copy, copy.source->alias);
    if (!Evolve(work, Assigned(merge, source.Columns()))) {
        return std::nullopt;  // that was not what it failed for
    }
    copy.source = source.Take();
    return WithEvolution(duckdb::Binder::CreateBinder(context, &binder)->Bind(*copied), work, true);
}

duckdb::BoundStatement BindTruncate(duckdb::ClientContext &context, duckdb::Binder &binder,
                                    const sql::Truncate &truncate) {
    auto bound = BindText(context, binder, "DELETE FROM " + truncate.table.ToDuckDb(CatalogNameOf(*context.db)));
    StatementNote note;
    note.truncate = true;
    SetNote(FindChange(*bound.plan, duckdb::LogicalOperatorType::LOGICAL_DELETE), std::move(note));
    return bound;
}

}  // namespace birdfoot::duck
