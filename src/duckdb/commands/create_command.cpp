// See create_command.hpp.
#include "duckdb/commands/create_command.hpp"

#include "duckdb/catalog/catalog.hpp"

#include "core/table/new_table.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::duck {
namespace {

[[noreturn]] void NotYet(const std::string &what) {
    Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED, "{} not supported yet in this version. Leave it out.", what));
}

void CheckColumn(const sql::ColumnDefinition &column) {
    const auto &name = column.field.name;
    if (column.default_value) {
        NotYet("Column " + name + ": DEFAULT is");
    }
    if (column.generated_as) {
        NotYet("Column " + name + ": generated columns are");
    }
    if (column.identity) {
        NotYet("Column " + name + ": identity columns are");
    }
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
        CheckColumn(column);
        spec.table.schema.fields.push_back(column.field);
    }
    if (!statement.constraints.empty()) {
        NotYet("CHECK constraints (" + statement.constraints[0].name + ") are");
    }
    if (statement.cluster_by) {
        NotYet("CLUSTER BY is");
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
    if (source.mapping() != ColumnMappingMode::kNone) {
        NotYet("CREATE TABLE LIKE a table with column mapping is");
    }
    CreateSpec spec;
    const auto &metadata = source.metadata();
    spec.table.schema = source.schema();
    spec.table.partition_columns = metadata.partition_columns;
    spec.table.comment = metadata.description;
    spec.table.properties = metadata.configuration;
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
