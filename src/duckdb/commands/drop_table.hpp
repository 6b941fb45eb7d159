// DROP TABLE: of a managed table the name and its files, of an external one the name (specification, S38, S39).
#pragma once

#include "duckdb.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"

namespace birdfoot::duck {

class DeltaSchema;

void DropDeltaTable(duckdb::ClientContext &context, DeltaSchema &schema, const duckdb::DropInfo &info);

}  // namespace birdfoot::duck
