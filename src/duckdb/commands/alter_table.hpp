// ALTER TABLE and COMMENT ON, whoever spelt them: DuckDB's grammar or Spark's statements. What a change means is
// core's; here it meets the transaction: the pending definition of the table, the rows that a change asks something of,
// and names.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/parser/parsed_data/alter_info.hpp"

#include "core/maintenance/alter.hpp"

namespace birdfoot::duck {

class DeltaSchema;
class DeltaTableEntry;

//! From the table as the transaction sees it, and its clustering columns, to what it is to be.
using Alter = std::function<Result<Alteration>(const TableDefinition &table, const std::vector<FieldPath> &clustering)>;

//! The clustering columns in the eyes of the transaction.
std::vector<FieldPath> ClusteringOf(duckdb::ClientContext &context, DeltaTableEntry &table);

//! Makes the result part of the transaction's change. Where row tracking comes on, files without row ids are added
//! again.
void AlterTable(duckdb::ClientContext &context, DeltaTableEntry &table, const Alter &alter);

//! Keys in any spelling. Column mapping set to 'none', or unset, is taken off: all files are written anew.
void SetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const Properties &properties);
void UnsetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<std::string> &keys,
                          bool if_exists);

//! Changes columns. What is to be NOT NULL from now on is looked for in the rows first:
//! DELTA_NOT_NULL_CONSTRAINT_VIOLATED. Columns whose type changes must not be used in expressions.
void AlterColumns(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<ColumnChange> &changes);
//! The columns must not be used in expressions of the table: DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE,
//! DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE.
void DropTableColumns(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<FieldPath> &columns,
                      bool if_exists);
void RenameTableColumn(duckdb::ClientContext &context, DeltaTableEntry &table, const FieldPath &column,
                       const std::string &new_name);

//! What DuckDB's grammar makes of ALTER TABLE and COMMENT ON.
void AlterDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, duckdb::AlterInfo &info);

}  // namespace birdfoot::duck
