// See alter_commands.hpp. From Spark's words to changes; what a change means is said elsewhere.
#include "duckdb/commands/alter_commands.hpp"

#include "core/maintenance/clustering.hpp"
#include "duckdb/catalog/delta_schema.hpp"
#include "duckdb/commands/alter_rules.hpp"
#include "duckdb/commands/alter_table.hpp"
#include "duckdb/commands/rename_table.hpp"
#include "duckdb/commands/rewrite_table.hpp"
#include "duckdb/parser/table_names.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

using Action = std::function<void(duckdb::ClientContext &context, DeltaTableEntry &table)>;

class AlterCommand : public Command {
public:
    AlterCommand(sql::TableName table, std::string catalog, Action action)
        : table_(std::move(table)), catalog_(std::move(catalog)), action_(std::move(action)) {}
    std::string Name() const override { return "ALTER TABLE"; }
    std::optional<std::string> Writes() const override { return catalog_; }
    void Run(duckdb::ClientContext &context, const RowSink &) const override {
        action_(context, DeltaTableOf(context, table_, "ALTER TABLE"));
    }

private:
    const sql::TableName table_;
    const std::string catalog_;
    const Action action_;
};

std::optional<FieldPlace> PlaceOf(const std::optional<sql::ColumnPosition> &position) {
    return position ? std::optional<FieldPlace>({position->first, position->first ? "" : position->after})
                    : std::nullopt;
}

AddedColumn AddedColumnOf(const sql::ColumnDefinition &column) {
    const auto &name = column.field.name;
    if (column.default_value) {
        Throw(Fail(Condition::WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED,
                   "Column {}: DEFAULT values are not supported when adding new columns to previously existing Delta "
                   "tables. Add the column without a default value first, then run ALTER TABLE … ALTER COLUMN … SET "
                   "DEFAULT for rows that are inserted later.",
                   name));
    }
    if (column.generated_as || column.identity) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "Column {}: a column that fills itself cannot be added to a table that has rows. Create the table "
                   "with it.",
                   name));
    }
    AddedColumn added;
    added.parent = {column.path.begin(), column.path.end() - (column.path.empty() ? 0 : 1)};
    added.field = column.field;
    added.place = PlaceOf(column.position).value_or(FieldPlace());
    return added;
}

ColumnChange ChangeOf(const sql::ChangeColumn &column) {
    ColumnChange change;
    change.column = column.column;
    change.type = column.type;
    change.char_type = column.type_text;
    change.comment = column.comment;
    change.place = PlaceOf(column.position);
    change.nullable = column.nullable;
    return change;
}

//! The schema of the table's own catalog that a new name of it is in.
std::string SchemaOfNewName(const DeltaTableEntry &table, const sql::TableName &name) {
    const auto &parts = name.parts;
    const auto &catalog = table.ParentCatalog().GetName();
    if (name.path || parts.size() > 3 || (parts.size() == 3 && !EqualsIgnoreCase(parts[0], catalog))) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "A table can be renamed within its catalog {} only, not to {}. CREATE TABLE … AS copies it.",
                   catalog, name.ToText()));
    }
    if (parts.size() == 1 || (parts.size() == 2 && EqualsIgnoreCase(parts[0], catalog))) {
        return table.ParentSchema().name;
    }
    return parts[parts.size() - 2];
}

struct ActionOf {
    Action operator()(const sql::AddColumns &add) const {
        std::vector<AddedColumn> columns;
        for (const auto &column : add.columns) {
            columns.push_back(AddedColumnOf(column));
        }
        return By([columns, add](const TableDefinition &table, const auto &) {
            return AddColumns(table, columns, add.if_not_exists);
        });
    }
    Action operator()(const sql::DropColumns &drop) const {
        return [drop](duckdb::ClientContext &context, DeltaTableEntry &table) {
            DropTableColumns(context, table, drop.columns, drop.if_exists);
        };
    }
    Action operator()(const sql::RenameColumn &rename) const {
        return [rename](duckdb::ClientContext &context, DeltaTableEntry &table) {
            RenameTableColumn(context, table, rename.column, rename.new_name);
        };
    }
    Action operator()(const sql::ChangeColumns &change) const {
        std::vector<ColumnChange> changes;
        std::vector<sql::ChangeColumn> rules;
        for (const auto &column : change.changes) {
            if (column.sync_identity || column.set_default || column.drop_default) {
                rules.push_back(column);
            } else {
                changes.push_back(ChangeOf(column));
            }
        }
        return [changes, rules](duckdb::ClientContext &context, DeltaTableEntry &table) {
            for (const auto &column : rules) {
                if (column.sync_identity) {
                    SyncIdentity(context, table, column.column);
                } else {
                    SetColumnDefault(context, table, column.column, column.set_default);
                }
            }
            if (!changes.empty()) {
                AlterColumns(context, table, changes);
            }
        };
    }
    Action operator()(const sql::ReplaceColumns &replace) const {
        StructType columns;
        for (const auto &column : replace.columns) {
            columns.fields.push_back(AddedColumnOf(column).field);
        }
        return By([columns](const TableDefinition &table, const std::vector<FieldPath> &clustering) {
            return ReplaceColumns(table, columns, clustering);
        });
    }
    Action operator()(const sql::SetProperties &set) const {
        Properties properties(set.properties.begin(), set.properties.end());
        return [properties](duckdb::ClientContext &context, DeltaTableEntry &table) {
            SetTableProperties(context, table, properties);
        };
    }
    Action operator()(const sql::UnsetProperties &unset) const {
        return [unset](duckdb::ClientContext &context, DeltaTableEntry &table) {
            UnsetTableProperties(context, table, unset.keys, unset.if_exists);
        };
    }
    Action operator()(const sql::ClusterBy &cluster) const {
        return By([cluster](const TableDefinition &table, const std::vector<FieldPath> &before) {
            return ClusterBy(table, before, cluster.columns);
        });
    }
    Action operator()(const sql::RenameTable &rename) const {
        return [rename](duckdb::ClientContext &context, DeltaTableEntry &table) {
            RenameTable(context, table.ParentSchema().Cast<DeltaSchema>(), table,
                        SchemaOfNewName(table, rename.new_name), rename.new_name.parts.back());
        };
    }
    Action operator()(const sql::SetLocation &set) const {
        return [set](duckdb::ClientContext &context, DeltaTableEntry &table) {
            SetTableLocation(context, table.ParentSchema().Cast<DeltaSchema>(), table, set.location);
        };
    }
    Action operator()(const sql::AddConstraint &add) const {
        return [add](duckdb::ClientContext &context, DeltaTableEntry &table) {
            AddTableConstraint(context, table, add.constraint);
        };
    }
    Action operator()(const sql::DropConstraint &drop) const {
        return [drop](duckdb::ClientContext &context, DeltaTableEntry &table) {
            DropTableConstraint(context, table, drop.name, drop.if_exists);
        };
    }
    Action operator()(const sql::DropFeature &drop) const {
        return [drop](duckdb::ClientContext &context, DeltaTableEntry &table) {
            DropTableFeature(context, table, drop.feature, drop.truncate_history);
        };
    }

private:
    static Action By(Alter alter) {
        return [alter](duckdb::ClientContext &context, DeltaTableEntry &table) { AlterTable(context, table, alter); };
    }
};

}  // namespace

std::shared_ptr<const Command> MakeAlterCommand(const sql::AlterTable &statement, std::string catalog) {
    return std::make_shared<AlterCommand>(statement.table, std::move(catalog),
                                          std::visit(ActionOf(), statement.action));
}

}  // namespace birdfoot::duck
