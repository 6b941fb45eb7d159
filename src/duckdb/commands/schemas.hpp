// CREATE SCHEMA and DROP SCHEMA in a warehouse.
#pragma once

#include "duckdb.hpp"
#include "duckdb/parser/parsed_data/create_schema_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"

namespace birdfoot::duck {

class DeltaCatalog;

void CreateDeltaSchema(duckdb::ClientContext &context, DeltaCatalog &catalog, const duckdb::CreateSchemaInfo &info);
//! Refuses a schema that is not empty, unless CASCADE; and with CASCADE one that holds what is neither a table nor a
//! name.
void DropDeltaSchema(duckdb::ClientContext &context, DeltaCatalog &catalog, const duckdb::DropInfo &info);

}  // namespace birdfoot::duck
