// InsertOptions: what a statement that DuckDB's grammar lacks says about the INSERT that it is rewritten to. They
// travel inside the bound INSERT, in a list of DuckDB's that it does not use, so that they belong to that plan alone.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/planner/operator/logical_insert.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

enum class WriteMode : uint8_t {
    kAppend,
    kOverwrite,            // all files go
    kOverwritePartitions,  // those of the partitions that get new rows go
    kReplaceWhere,         // the rows that satisfy `predicate` go, and every new one must satisfy it
};

struct InsertOptions {
    WriteMode mode = WriteMode::kAppend;
    std::string predicate;          // DuckDB's text
    std::string history_predicate;  // as history shows it
    // The statement may change the schema; the metadata it was bound to becomes the table's when it runs.
    bool overwrite_schema = false;
    bool merge_schema = false;
};

void SetInsertOptions(duckdb::LogicalInsert &insert, const InsertOptions &options);
InsertOptions InsertOptionsOf(const duckdb::LogicalInsert &insert);

//! The store assignment of this INSERT was checked.
void MarkAssignmentChecked(duckdb::LogicalInsert &insert);
bool IsAssignmentChecked(const duckdb::LogicalInsert &insert);

}  // namespace birdfoot::duck
