// ALTER TABLE, as far as it changes properties and comments; other changes are refused by name. Also what Spark's
// statements of the kind come down to.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/parser/parsed_data/alter_info.hpp"

namespace birdfoot::duck {

class DeltaSchema;
class DeltaTableEntry;

//! Keys in any spelling; features that a property asks for are added to the protocol.
void SetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table,
                        const std::map<std::string, std::string> &properties);
//! DELTA_UNSET_NON_EXISTENT_PROPERTY unless `if_exists`.
void UnsetTableProperties(duckdb::ClientContext &context, DeltaTableEntry &table, const std::vector<std::string> &keys,
                          bool if_exists);
void SetTableComment(duckdb::ClientContext &context, DeltaTableEntry &table, std::optional<std::string> comment);
//! `column` may be a dotted path into structs.
void SetColumnComment(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &column,
                      std::optional<std::string> comment);

//! What DuckDB's grammar makes of ALTER TABLE and COMMENT ON.
void AlterDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, duckdb::AlterInfo &info);

}  // namespace birdfoot::duck
