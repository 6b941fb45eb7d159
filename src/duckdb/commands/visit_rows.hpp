// Reading the rows of a table within a command, with the transaction's own changes, when no plan does.
#pragma once

#include <functional>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/catalog/delta_transaction.hpp"

namespace birdfoot::duck {

//! Gives every live row of the table to `visit`, a chunk at a time, with all columns of its schema. The read is
//! registered: what others add meanwhile is a conflict.
void VisitRows(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
               const std::function<void(duckdb::DataChunk &)> &visit);

}  // namespace birdfoot::duck
