// See alter_commands.hpp.
#include "duckdb/commands/alter_commands.hpp"

#include "duckdb/commands/alter_rules.hpp"
#include "duckdb/commands/alter_table.hpp"
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

std::string Joined(const sql::ColumnPath &path) {
    std::string text;
    for (const auto &part : path) {
        text += (text.empty() ? "" : ".") + part;
    }
    return text;
}

struct ActionOf {
    Action operator()(const sql::SetProperties &set) const {
        std::map<std::string, std::string> properties(set.properties.begin(), set.properties.end());
        return [properties](duckdb::ClientContext &context, DeltaTableEntry &table) {
            SetTableProperties(context, table, properties);
        };
    }
    Action operator()(const sql::UnsetProperties &unset) const {
        return [unset](duckdb::ClientContext &context, DeltaTableEntry &table) {
            UnsetTableProperties(context, table, unset.keys, unset.if_exists);
        };
    }
    Action operator()(const sql::ChangeColumns &change) const {
        for (const auto &column : change.changes) {
            if (column.type || column.position || column.nullable) {
                NotYet("ALTER COLUMN of a column's type, place or nullability");
            }
        }
        return [change](duckdb::ClientContext &context, DeltaTableEntry &table) {
            for (const auto &column : change.changes) {
                if (column.sync_identity) {
                    SyncIdentity(context, table, column.column);
                } else if (column.set_default || column.drop_default) {
                    SetColumnDefault(context, table, column.column, column.set_default);
                }
                if (column.comment) {
                    SetColumnComment(context, table, Joined(column.column), column.comment);
                }
            }
        };
    }
    Action operator()(const sql::AddColumns &) const { NotYet("ADD COLUMNS"); }
    Action operator()(const sql::DropColumns &) const { NotYet("DROP COLUMNS"); }
    Action operator()(const sql::RenameColumn &) const { NotYet("RENAME COLUMN"); }
    Action operator()(const sql::ReplaceColumns &) const { NotYet("REPLACE COLUMNS"); }
    Action operator()(const sql::RenameTable &) const { NotYet("RENAME TO"); }
    Action operator()(const sql::SetLocation &) const { NotYet("SET LOCATION"); }
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
    Action operator()(const sql::DropFeature &) const { NotYet("DROP FEATURE"); }
    Action operator()(const sql::ClusterBy &) const { NotYet("CLUSTER BY"); }

private:
    [[noreturn]] static void NotYet(const std::string &what) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "ALTER TABLE … {} is not supported yet in this version. Run it in Spark meanwhile.", what));
    }
};

}  // namespace

std::shared_ptr<const Command> MakeAlterCommand(const sql::AlterTable &statement, std::string catalog) {
    return std::make_shared<AlterCommand>(statement.table, std::move(catalog),
                                          std::visit(ActionOf(), statement.action));
}

}  // namespace birdfoot::duck
