// COPY … TO 'path' (FORMAT delta, …): a write by name into the table at a path, as DataFrameWriter.save does it.
#pragma once

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

namespace birdfoot::duck {

//! Registers the copy function `delta`. Options: MODE ('append', 'overwrite', 'error', 'ignore'; default 'error'),
//! PARTITION_BY (columns), REPLACE_WHERE 'condition', MERGE_SCHEMA, OVERWRITE_SCHEMA, PARTITION_OVERWRITE_MODE
//! ('static', 'dynamic').
void RegisterCopyTo(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
