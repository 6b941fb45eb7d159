// DROP TABLE: of a managed table the name and its files, of an external one the name (specification, S38, S39).
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"

namespace birdfoot::duck {

class DeltaSchema;
class DeltaTransaction;

//! At the commit the folder is moved aside in one step, then deleted; `name` is for the error.
void DeleteFolderAtCommit(duckdb::DatabaseInstance &db, DeltaTransaction &transaction, const std::string &folder,
                          const std::string &name);

void DropDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, const duckdb::DropInfo &info);

}  // namespace birdfoot::duck
