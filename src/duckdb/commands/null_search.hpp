// Looking for NULLs in the rows that are there, for a column that is to be NOT NULL.
#pragma once

#include "duckdb.hpp"

#include "core/schema/schema_change.hpp"
#include "duckdb/catalog/delta_transaction.hpp"

namespace birdfoot::duck {

//! DELTA_NOT_NULL_CONSTRAINT_VIOLATED if a row has NULL there, or in a struct around it. Only files are read whose
//! statistics do not tell. Rows with NULL that somebody else adds meanwhile are a conflict.
void RequireNoNulls(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                    const FieldPath &column);

}  // namespace birdfoot::duck
