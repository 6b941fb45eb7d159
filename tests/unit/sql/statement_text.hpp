// A compact text of a parsed statement, for comparisons in tests.
#pragma once

#include <string>

#include "sql/parser.hpp"

namespace birdfoot::sql {

class StatementText {
public:
    static std::string Of(const Reading &reading) {
        if (const auto *rewritten = std::get_if<Rewritten>(&reading)) {
            return "text " + rewritten->text;
        }
        if (const auto *parsed = std::get_if<Parsed>(&reading)) {
            return parsed->prefix + std::visit(StatementText(), parsed->statement);
        }
        return "unchanged";
    }

    std::string operator()(const CreateTable &s) const {
        std::string out = Mode(s.mode) + (s.external ? " external" : "") + " " + s.table.ToText();
        out += s.provider ? " using " + *s.provider : "";
        out += s.has_columns ? " (" + Columns(s.columns) + ")" : "";
        for (const auto &constraint : s.constraints) {
            out += " check " + constraint.name + "{" + constraint.expression + "}";
        }
        out += s.partition_columns.empty() ? "" : " partitioned" + List(s.partition_columns);
        out += s.cluster_by ? " cluster" + Paths(*s.cluster_by) : "";
        out += Optional(" location ", s.location) + Optional(" comment ", s.comment);
        out += s.properties.empty() ? "" : " properties" + Pairs(s.properties);
        out += s.options.empty() ? "" : " options" + Pairs(s.options);
        return out + Optional(" as ", s.query);
    }
    std::string operator()(const CreateTableLike &s) const {
        return std::string("like") + (s.if_not_exists ? "?" : "") + " " + s.table.ToText() + " " + s.source.ToText() +
               Optional(" location ", s.location) + (s.properties.empty() ? "" : " properties" + Pairs(s.properties));
    }
    std::string operator()(const CloneTable &s) const {
        return Mode(s.mode) + (s.shallow ? " shallow" : " deep") + " clone " + s.table.ToText() + " of " +
               s.source.ToText() + (s.travel ? Travel(*s.travel) : "") +
               (s.properties.empty() ? "" : " properties" + Pairs(s.properties)) + Optional(" location ", s.location);
    }
    std::string operator()(const Insert &s) const {
        std::string out = s.mode == InsertMode::kOverwrite ? "overwrite " : "insert ";
        out += s.table.ToText();
        out += s.schema_evolution ? " evolve" : "";
        out += s.partition.empty() ? "" : " partition" + Partition(s.partition);
        out += s.if_not_exists ? " if not exists" : "";
        out += s.columns.empty() ? "" : " columns" + List(s.columns);
        out += s.by_name ? " by name" : "";
        out += s.mode == InsertMode::kReplaceWhere ? " replace where{" + s.replace_where + "}" : "";
        return out + " " + s.query;
    }
    std::string operator()(const Update &s) const {
        return "update " + s.table.ToText() + " alias " + s.alias + ": " + s.before + "<" + Action(s.action) + ">" +
               s.after;
    }
    std::string operator()(const Merge &s) const {
        std::string out = "merge " + s.target.ToText() + " alias " + s.target_alias + " using " + s.source_alias +
                          (s.schema_evolution ? " evolve" : "") + (s.hides_clauses ? " hides" : "") + ": " + s.texts[0];
        for (size_t i = 0; i < s.actions.size(); i++) {
            out += "<" + Action(s.actions[i]) + ">" + s.texts[i + 1];
        }
        return out;
    }
    std::string operator()(const Truncate &s) const { return "truncate " + s.table.ToText(); }
    std::string Action(const RowAction &action) const {
        std::string out = action.insert ? "insert" : "update";
        out += action.all ? " *" : "";
        out += action.except.empty() ? "" : " except" + List(action.except);
        for (const auto &assignment : action.assignments) {
            out += " " + Path(assignment.target) + (assignment.value.empty() ? "" : "=" + assignment.value);
        }
        return out;
    }
    std::string operator()(const AlterTable &s) const {
        return "alter " + s.table.ToText() + " " + std::visit(*this, s.action);
    }
    std::string operator()(const AddColumns &s) const {
        return std::string("add") + (s.if_not_exists ? "?" : "") + " (" + Columns(s.columns) + ")";
    }
    std::string operator()(const DropColumns &s) const {
        return std::string("drop") + (s.if_exists ? "?" : "") + Paths(s.columns);
    }
    std::string operator()(const RenameColumn &s) const { return "rename " + Path(s.column) + " " + s.new_name; }
    std::string operator()(const ChangeColumns &s) const {
        std::string out = "change";
        for (const auto &c : s.changes) {
            out += " " + Path(c.column);
            out += c.type ? " type " + c.type->ToString() : "";
            out +=
                Optional(" of ", c.type_text) + Optional(" comment ", c.comment) + Optional(" default ", c.set_default);
            out += c.position ? Position(*c.position) : "";
            out += c.nullable ? (*c.nullable ? " null" : " not null") : "";
            out += c.drop_default ? " drop default" : "";
            out += c.sync_identity ? " sync identity" : "";
            out += ";";
        }
        return out;
    }
    std::string operator()(const ReplaceColumns &s) const { return "replace (" + Columns(s.columns) + ")"; }
    std::string operator()(const SetProperties &s) const { return "set" + Pairs(s.properties); }
    std::string operator()(const UnsetProperties &s) const {
        return std::string("unset") + (s.if_exists ? "?" : "") + List(s.keys);
    }
    std::string operator()(const RenameTable &s) const { return "rename to " + s.new_name.ToText(); }
    std::string operator()(const SetLocation &s) const { return "set location " + s.location; }
    std::string operator()(const AddConstraint &s) const {
        return "add check " + s.constraint.name + "{" + s.constraint.expression + "}";
    }
    std::string operator()(const DropConstraint &s) const {
        return std::string("drop constraint") + (s.if_exists ? "? " : " ") + s.name;
    }
    std::string operator()(const DropFeature &s) const {
        return "drop feature " + s.feature + (s.truncate_history ? " truncate" : "");
    }
    std::string operator()(const ClusterBy &s) const { return "cluster" + Paths(s.columns); }
    std::string operator()(const Optimize &s) const {
        return "optimize " + s.table.ToText() + (s.full ? " full" : "") +
               (s.where.empty() ? "" : " where{" + s.where + "}") +
               (s.zorder_by.empty() ? "" : " zorder" + Paths(s.zorder_by));
    }
    std::string operator()(const Vacuum &s) const {
        return "vacuum " + s.table.ToText() + (s.plain ? " plain" : "") + (s.full ? " full" : "") +
               (s.lite ? " lite" : "") + (s.dry_run ? " dry" : "") +
               (s.retain_hours ? fmt::format(" retain {}", *s.retain_hours) : "") +
               (s.inventory_table ? " inventory " + s.inventory_table->ToText() : "") +
               Optional(" inventory query ", s.inventory_query);
    }
    std::string operator()(const Restore &s) const { return "restore " + s.table.ToText() + Travel(s.travel); }
    std::string operator()(const Reorg &s) const {
        return "reorg " + s.table.ToText() + (s.where.empty() ? "" : " where{" + s.where + "}") +
               (s.upgrade_uniform ? fmt::format(" uniform {}", *s.upgrade_uniform) : " purge");
    }
    std::string operator()(const Convert &s) const {
        return "convert " + s.source.ToText() + (s.no_statistics ? " no statistics" : "") +
               (s.partition_columns.empty() ? "" : " (" + Columns(s.partition_columns) + ")");
    }
    std::string operator()(const Generate &s) const { return "generate " + s.mode + " " + s.table.ToText(); }
    std::string operator()(const RepairTable &s) const {
        return "repair " + s.table.ToText() + (s.dry_run ? " dry" : "");
    }
    std::string operator()(const DescribeHistory &s) const {
        return "history " + s.table.ToText() + (s.limit ? fmt::format(" limit {}", *s.limit) : "");
    }
    std::string operator()(const DescribeDetail &s) const { return "detail " + s.table.ToText(); }
    std::string operator()(const DescribeTable &s) const {
        return "describe " + s.table.ToText() + (s.extended ? " extended" : "") +
               (s.column.empty() ? "" : " column " + Path(s.column));
    }
    std::string operator()(const ShowProperties &s) const {
        return "show properties " + s.table.ToText() + Optional(" ", s.key);
    }
    std::string operator()(const ShowPartitions &s) const {
        return "show partitions " + s.table.ToText() + (s.partition.empty() ? "" : Partition(s.partition));
    }
    std::string operator()(const ShowCreateTable &s) const { return "show create " + s.table.ToText(); }
    std::string operator()(const ShowColumns &s) const { return "show columns " + s.table.ToText(); }
    std::string operator()(const ShowTables &s) const {
        return "show tables" + (s.schema.empty() ? "" : " " + Path(s.schema)) + Optional(" like ", s.pattern);
    }
    std::string operator()(const SetOption &s) const { return "set " + s.key + " = " + s.value; }
    std::string operator()(const ShowOption &s) const { return "show option " + s.key; }
    std::string operator()(const ResetOption &s) const { return "reset " + s.key; }

private:
    static std::string Mode(CreateMode mode) {
        constexpr const char *kNames[] = {"create", "create?", "create or replace", "replace"};
        return kNames[static_cast<size_t>(mode)];
    }
    static std::string Optional(std::string_view label, const std::optional<std::string> &text) {
        return text ? std::string(label) + *text : "";
    }
    static std::string Path(const std::vector<std::string> &parts) {
        std::string out;
        for (const auto &part : parts) {
            out += (out.empty() ? "" : ".") + part;
        }
        return out;
    }
    static std::string List(const std::vector<std::string> &items) {
        std::string out;
        for (const auto &item : items) {
            out += (out.empty() ? "" : ",") + item;
        }
        return "(" + out + ")";
    }
    static std::string Paths(const std::vector<ColumnPath> &paths) {
        std::vector<std::string> items;
        for (const auto &path : paths) {
            items.push_back(Path(path));
        }
        return List(items);
    }
    static std::string Pairs(const Properties &pairs) {
        std::vector<std::string> items;
        for (const auto &[key, value] : pairs) {
            items.push_back(key + "=" + value);
        }
        return List(items);
    }
    static std::string Partition(const std::vector<PartitionValue> &values) {
        std::vector<std::string> items;
        for (const auto &value : values) {
            items.push_back(value.column + Optional("=", value.value));
        }
        return List(items);
    }
    static std::string Travel(const TimeTravel &travel) {
        return (travel.by_version ? " version " : " timestamp ") + travel.value;
    }
    static std::string Position(const ColumnPosition &position) {
        return position.first ? " first" : " after " + position.after;
    }
    static std::string Columns(const std::vector<ColumnDefinition> &columns) {
        std::string out;
        for (const auto &column : columns) {
            out += (out.empty() ? "" : ", ") + Path(column.path) + ":" + column.field.type.ToString();
            out += column.field.nullable ? "" : "!";
            out += Optional(" of ", column.field.metadata.StringOf("__CHAR_VARCHAR_TYPE_STRING"));
            out += Optional(" comment ", column.field.metadata.StringOf("comment"));
            out += Optional(" default ", column.default_value) + Optional(" generated ", column.generated_as);
            out += column.identity ? fmt::format(" identity {} {}{}", column.identity->start, column.identity->step,
                                                 column.identity->always ? "!" : "")
                                   : "";
            out += column.position ? Position(*column.position) : "";
        }
        return out;
    }
};

}  // namespace birdfoot::sql
