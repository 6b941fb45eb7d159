// From a table's name in a statement to the table: the search path, catalogs named like schemas, and paths.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/planner/binder.hpp"

#include "core/table/snapshot.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

//! Catalog (perhaps empty: the search path decides), schema (the same) and name, as DuckDB's binder takes them.
struct TableAddress {
    std::string catalog;
    std::string schema;
    std::string table;
};
TableAddress AddressOf(duckdb::ClientContext &context, const sql::TableName &name);

//! The table; null if it is none of ours. Throws what DuckDB says where nothing has that name.
DeltaTableEntry *FindDeltaTable(duckdb::ClientContext &context, const sql::TableName &name);
//! DELTA_TABLE_ONLY_OPERATION if the table is none of ours; `operation` is named in it.
DeltaTableEntry &DeltaTableOf(duckdb::ClientContext &context, const sql::TableName &name, const std::string &operation);

//! The folder of a table, for looking at it. A path need not hold a table: whoever looks says so better.
struct TableRoot {
    std::string root;
    std::string name;  // qualified; empty for a path
};
TableRoot RootOf(duckdb::ClientContext &context, const sql::TableName &name, const std::string &operation);

//! What a text names, as functions and the command line take it: a path, path@v3, delta:path, delta.`path`, or a table
//! of a catalog. A word without a slash is a path where no table has that name.
struct NamedTable {
    std::string root;
    std::string name;  // qualified; empty for a path
    VersionTarget target = LatestVersion{};
};
NamedTable TableNamed(duckdb::ClientContext &context, const std::string &text, const std::string &operation);
//! Where there is no table, says what there is.
Result<SnapshotPtr> OpenNamed(duckdb::ClientContext &context, const NamedTable &table);

//! Where a new table of that name goes; for the binder, the statement then writes that catalog.
//! BIRDFOOT_INVALID_INPUT if the catalog is none of ours.
struct NewTableAddress {
    std::string catalog;
    std::string schema;
    std::string table;
};
NewTableAddress NewTableOf(duckdb::ClientContext &context, duckdb::Binder &binder, const sql::TableName &name);

}  // namespace birdfoot::duck
