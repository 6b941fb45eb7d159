// The table function under all scans, for the functions that users call by name.
#pragma once

#include "duckdb.hpp"
#include "duckdb/function/table_function.hpp"

#include "duckdb/scan/delta_scan.hpp"

namespace birdfoot::duck {

//! The function with all its callbacks; what is scanned is decided when it is bound.
duckdb::TableFunction ScanFunction();
//! Binds `function`, which becomes a scan of `source`.
duckdb::unique_ptr<duckdb::FunctionData> BindScan(duckdb::ClientContext &context, ScanSource source,
                                                  duckdb::TableFunction &function,
                                                  duckdb::vector<duckdb::LogicalType> &types,
                                                  duckdb::vector<duckdb::string> &names);

//! table_changes and table_changes_by_path.
void RegisterTableChanges(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
