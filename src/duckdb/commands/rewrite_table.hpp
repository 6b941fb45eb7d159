// Changes of a table that ask for its rows in other files: taking column mapping off, dropping a feature whose traces
// are in files.
#pragma once

#include <string>

#include "duckdb.hpp"

namespace birdfoot::duck {

class DeltaTableEntry;

//! Column mapping comes off: all files are written anew under the names that the columns have now. The property is set
//! to 'none', or goes where `unset`. DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING.
void RemoveColumnMapping(duckdb::ClientContext &context, DeltaTableEntry &table, bool unset);

//! ALTER TABLE … DROP FEATURE, in commits of its own.
void DropTableFeature(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &feature,
                      bool truncate_history);

}  // namespace birdfoot::duck
