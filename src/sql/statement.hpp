// The statements that DuckDB has no grammar for, or another one: what their texts say, as structs. Names are unquoted
// and keep their case. Queries and conditions inside are text in DuckDB's spelling (back-quotes and time travel
// rewritten); expressions that are stored in a table are Spark's text, as it was typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/schema/types.hpp"

namespace birdfoot::sql {

//! A table: lake.sales.orders or delta.`/data/events` as its parts, '/data/events' and 'delta:/data/events' as a path.
struct TableName {
    std::vector<std::string> parts;
    std::optional<std::string> path;

    //! The name in DuckDB's SQL; a path becomes a table of the catalog `path_catalog`.
    std::string ToDuckDb(std::string_view path_catalog = "delta") const;
    //! For messages and history, as Spark quotes it.
    std::string ToText() const;
};

using ColumnPath = std::vector<std::string>;  // a.b.c
using Properties = std::vector<std::pair<std::string, std::string>>;

//! VERSION AS OF / TIMESTAMP AS OF behind a table of a command. `value` is DuckDB text of a constant: 3, '3',
//! '2024-01-01'.
struct TimeTravel {
    bool by_version = true;
    std::string value;
};

struct Identity {
    bool always = true;  // GENERATED ALWAYS, else BY DEFAULT
    int64_t start = 1;
    int64_t step = 1;
};

struct ColumnPosition {
    bool first = false;
    std::string after;  // if not first
};

struct ColumnDefinition {
    ColumnPath path;  // more than one part only in ALTER TABLE
    //! Name, type, nullability; metadata holds the comment and the text of CHAR and VARCHAR types.
    StructField field;
    std::optional<std::string> default_value;  // Spark's text
    std::optional<std::string> generated_as;   // Spark's text
    std::optional<Identity> identity;
    std::optional<ColumnPosition> position;  // ALTER TABLE
};

struct NamedConstraint {
    std::string name;
    std::string expression;  // Spark's text
};

enum class CreateMode : uint8_t { kCreate, kCreateIfNotExists, kCreateOrReplace, kReplace };

struct CreateTable {
    CreateMode mode = CreateMode::kCreate;
    bool external = false;
    TableName table;
    std::optional<std::string> provider;  // of USING; "delta" in whatever case, since others are refused
    std::vector<ColumnDefinition> columns;
    bool has_columns = false;
    std::vector<std::string> partition_columns;
    std::optional<std::vector<ColumnPath>> cluster_by;
    std::optional<std::string> location;
    std::optional<std::string> comment;
    Properties properties;
    Properties options;
    std::vector<NamedConstraint> constraints;
    std::optional<std::string> query;
};

struct CreateTableLike {
    bool if_not_exists = false;
    TableName table;
    TableName source;
    std::optional<std::string> location;
    Properties properties;
};

struct CloneTable {
    CreateMode mode = CreateMode::kCreate;
    bool shallow = true;
    TableName table;
    TableName source;  // parquet.`p` and iceberg.`p` too
    std::optional<TimeTravel> travel;
    Properties properties;
    std::optional<std::string> location;
};

struct PartitionValue {
    std::string column;
    std::optional<std::string> value;  // DuckDB text of a constant; none: dynamic
};

enum class InsertMode : uint8_t { kInto, kOverwrite, kReplaceWhere };

struct Insert {
    InsertMode mode = InsertMode::kInto;
    bool schema_evolution = false;
    TableName table;
    std::vector<PartitionValue> partition;
    bool if_not_exists = false;  // OVERWRITE … PARTITION (…) IF NOT EXISTS
    std::vector<std::string> columns;
    bool by_name = false;
    std::string replace_where;  // DuckDB's text
    std::string query;          // VALUES …, TABLE t and FROM t too; a WITH before the INSERT stands in front of it
};

//! a.b = value; without a value a column that INSERT (…) names.
struct Assignment {
    ColumnPath target;
    std::string value;  // DuckDB's text
};
struct RowAction {
    bool insert = false;              // else an update
    bool all = false;                 // SET *, INSERT *: by name, as Delta means it; DuckDB goes by position
    std::vector<std::string> except;  // … EXCEPT (a, b)
    std::vector<Assignment> assignments;
};
//! An UPDATE whose SET names fields of structs or qualifies columns. What stands around the assignments is DuckDB's
//! text.
struct Update {
    TableName table;
    std::string alias;  // the table's own name, if it has no other
    std::string before;
    RowAction action;
    std::string after;
};
struct Truncate {
    TableName table;
};
//! A MERGE with something in it that DuckDB's grammar lacks or means otherwise.
struct Merge {
    TableName target;
    std::string target_alias;
    std::string source_alias;  // empty if the source has none or several
    bool schema_evolution = false;
    //! A clause without a condition stands before another one of its kind, which would never come to its turn.
    bool hides_clauses = false;
    std::vector<RowAction> actions;
    std::vector<std::string> texts;  // around the actions: one more than those
};

//! A text that DuckDB parses, with the same parameters; it does not mean the same.
std::string PlainText(const Update &update);
std::string PlainText(const Merge &merge);

// ALTER TABLE
struct AddColumns {
    std::vector<ColumnDefinition> columns;
    bool if_not_exists = false;
};
struct DropColumns {
    bool if_exists = false;
    std::vector<ColumnPath> columns;
};
struct RenameColumn {
    ColumnPath column;
    std::string new_name;
};
struct ChangeColumn {
    ColumnPath column;
    std::optional<DataType> type;
    std::optional<std::string> type_text;  // catalog text, if CHAR or VARCHAR is in it
    std::optional<std::string> comment;
    std::optional<ColumnPosition> position;
    std::optional<bool> nullable;  // true: DROP NOT NULL, false: SET NOT NULL
    std::optional<std::string> set_default;
    bool drop_default = false;
    bool sync_identity = false;
};
struct ChangeColumns {
    std::vector<ChangeColumn> changes;
};
struct ReplaceColumns {
    std::vector<ColumnDefinition> columns;
};
struct SetProperties {
    Properties properties;
};
struct UnsetProperties {
    bool if_exists = false;
    std::vector<std::string> keys;
};
struct RenameTable {
    TableName new_name;
};
struct SetLocation {
    std::string location;
};
struct AddConstraint {
    NamedConstraint constraint;
};
struct DropConstraint {
    bool if_exists = false;
    std::string name;
};
struct DropFeature {
    std::string feature;
    bool truncate_history = false;
};
struct ClusterBy {
    std::vector<ColumnPath> columns;  // none: CLUSTER BY NONE
};
using AlterAction =
    std::variant<AddColumns, DropColumns, RenameColumn, ChangeColumns, ReplaceColumns, SetProperties, UnsetProperties,
                 RenameTable, SetLocation, AddConstraint, DropConstraint, DropFeature, ClusterBy>;
struct AlterTable {
    TableName table;
    AlterAction action;
};

// Maintenance
struct Optimize {
    TableName table;
    bool full = false;
    std::string where;  // DuckDB's text; empty: all
    std::vector<ColumnPath> zorder_by;
};
struct Vacuum {
    TableName table;
    //! No word behind the table's name: DuckDB's grammar has this too, for tables of its own.
    bool plain = false;
    bool full = false;
    bool lite = false;
    bool dry_run = false;
    std::optional<double> retain_hours;
    std::optional<TableName> inventory_table;
    std::optional<std::string> inventory_query;
};
struct Restore {
    TableName table;
    TimeTravel travel;
};
struct Reorg {
    TableName table;
    std::string where;
    std::optional<int64_t> upgrade_uniform;  // ICEBERG_COMPAT_VERSION; none: PURGE
};
struct Convert {
    TableName source;  // parquet.`p`, iceberg.`p` or a name
    bool no_statistics = false;
    std::vector<ColumnDefinition> partition_columns;
};
struct Generate {
    std::string mode;
    TableName table;
};
struct RepairTable {  // FSCK REPAIR TABLE
    TableName table;
    bool dry_run = false;
};

// Looking at tables
struct DescribeHistory {
    TableName table;
    std::optional<int64_t> limit;
};
struct DescribeDetail {
    TableName table;
};
struct DescribeTable {  // with EXTENDED or a column; the rest is DuckDB's
    TableName table;
    bool extended = false;
    ColumnPath column;
};
struct ShowProperties {
    TableName table;
    std::optional<std::string> key;
};
struct ShowPartitions {
    TableName table;
    std::vector<PartitionValue> partition;
};
struct ShowCreateTable {
    TableName table;
};
struct ShowColumns {
    TableName table;
};
struct ShowTables {
    std::vector<std::string> schema;  // empty: the current one
    std::optional<std::string> pattern;
};

// The session
struct SetOption {
    std::string key;
    std::string value;
};
struct ShowOption {  // SET key
    std::string key;
};
struct ResetOption {
    std::string key;
};

using Statement = std::variant<CreateTable, CreateTableLike, CloneTable, Insert, Update, Merge, Truncate, AlterTable,
                               Optimize, Vacuum, Restore, Reorg, Convert, Generate, RepairTable, DescribeHistory,
                               DescribeDetail, DescribeTable, ShowProperties, ShowPartitions, ShowCreateTable,
                               ShowColumns, ShowTables, SetOption, ShowOption, ResetOption>;

}  // namespace birdfoot::sql
