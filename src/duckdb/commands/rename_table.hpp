// ALTER TABLE … RENAME TO and SET LOCATION: changes of names in a warehouse, not of tables. They leave no trace in a
// table's history.
#pragma once

#include <string>

#include "duckdb.hpp"

namespace birdfoot::duck {

class DeltaSchema;
class DeltaTableEntry;

//! The table gets the name `new_name` in the schema `new_schema` of the same warehouse. The folder of a managed table
//! moves with it, at the COMMIT; object stores cannot move folders.
void RenameTable(duckdb::ClientContext &context, DeltaSchema &schema, DeltaTableEntry &table,
                 const std::string &new_schema, const std::string &new_name);

//! The name of an external table stands for the table at `location`, which must have the same columns.
//! DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER, DELTA_MISSING_DELTA_TABLE, DELTA_SET_LOCATION_SCHEMA_MISMATCH.
void SetTableLocation(duckdb::ClientContext &context, DeltaSchema &schema, DeltaTableEntry &table,
                      const std::string &location);

}  // namespace birdfoot::duck
