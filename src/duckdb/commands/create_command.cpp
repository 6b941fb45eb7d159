// See create_command.hpp.
#include "duckdb/commands/create_command.hpp"

#include "duckdb/catalog/catalog.hpp"

#include "core/table/new_table.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::duck {
namespace {

//! The marks of DEFAULT, GENERATED ALWAYS AS and IDENTITY in a field's metadata.
StructField FieldOf(const sql::ColumnDefinition &column) {
    auto field = column.field;
    if (column.default_value) {
        field.metadata.SetString(std::string(kCurrentDefault), *column.default_value);
    }
    if (column.generated_as) {
        field.metadata.SetString(std::string(kGenerationExpression), *column.generated_as);
    }
    if (column.identity) {
        IdentityColumn identity;
        identity.allow_explicit = !column.identity->always;
        identity.start = column.identity->start;
        identity.step = column.identity->step;
        SetIdentity(field, identity);
    }
    return field;
}

void AddProperties(std::map<std::string, std::string> &out, const sql::Properties &properties) {
    for (const auto &[key, value] : properties) {
        out[key] = value;
    }
}

}  // namespace

CreateSpec CreateSpecOf(const sql::CreateTable &statement) {
    CreateSpec spec;
    for (const auto &column : statement.columns) {
        spec.table.schema.fields.push_back(FieldOf(column));
    }
    for (const auto &constraint : statement.constraints) {
        auto [entry, is_new] = spec.constraints.emplace(ConstraintKey(constraint.name), constraint.expression);
        if (!is_new) {
            Throw(Fail(Condition::DELTA_CONSTRAINT_ALREADY_EXISTS,
                       "Constraint '{}' is given twice. Give each a name of its own.", constraint.name));
        }
    }
    if (statement.cluster_by) {
        spec.cluster_by = *statement.cluster_by;
    }
    spec.table.partition_columns = statement.partition_columns;
    spec.table.comment = statement.comment;
    AddProperties(spec.table.properties, statement.properties);
    spec.location = statement.location;
    for (const auto &[key, value] : statement.options) {
        if (!sql::EqualsWord(key, "PATH") || spec.location) {
            Throw(Fail(Condition::DELTA_ILLEGAL_OPTION,
                       "The option {} has no meaning for a table. OPTIONS take a path, as LOCATION does. Use "
                       "TBLPROPERTIES for "
                       "properties.",
                       key));
        }
        spec.location = value;
    }
    spec.if_not_exists = statement.mode == sql::CreateMode::kCreateIfNotExists;
    spec.or_replace = statement.mode == sql::CreateMode::kCreateOrReplace;
    spec.replace = statement.mode == sql::CreateMode::kReplace;
    return spec;
}

CreateSpec LikeSpecOf(const Snapshot &source, const sql::CreateTableLike &statement) {
    CreateSpec spec;
    const auto &metadata = source.metadata();
    spec.table.schema = source.schema();
    spec.table.partition_columns = metadata.partition_columns;
    spec.table.comment = metadata.description;
    for (const auto &[key, value] : metadata.configuration) {
        const auto *property = FindProperty(key);
        if (!property || property->kind != PropertyKind::kInternal) {  // the new table's writer keeps its own
            spec.table.properties[key] = value;
        }
    }
    AddProperties(spec.table.properties, statement.properties);
    spec.location = statement.location;
    spec.if_not_exists = statement.if_not_exists;
    return spec;
}

void CreateTableCommand::Run(duckdb::ClientContext &context, const RowSink &) const {
    auto &catalog = duckdb::Catalog::GetCatalog(context, address_.catalog).Cast<DeltaCatalog>();
    CreateDeltaTable(context, catalog, address_.schema, address_.table, spec_);
}

}  // namespace birdfoot::duck
