// Store assignment: which values an INSERT may put into which column. DuckDB adds casts of its own to the query of an
// INSERT and would turn text into numbers without a word; Spark's ANSI rules say which of them are meant. They are
// checked before the optimiser folds them away, and those that DuckDB does otherwise than Spark are made anew.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/optimizer/optimizer_extension.hpp"
#include "duckdb/planner/expression.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

//! Registers what is done to every statement that writes to one of our tables, before it is optimised.
void RegisterStoreAssignment(duckdb::DBConfig &config);

//! INCOMPATIBLE_DATA_FOR_TABLE names the column and both types where Spark would refuse the assignment. A `literal`
//! text is taken for a date or timestamp, as DuckDB's literals are.
Status CheckAssignable(const duckdb::LogicalType &from, const duckdb::LogicalType &to, const std::string &table,
                       const std::string &column, bool literal, bool all_fields = false);

//! What messages call a type: Delta's name for it, or DuckDB's where Delta has none.
std::string NameInMessages(const duckdb::LogicalType &type);

//! The same for a value that DuckDB has cast to the type of its column, which is then cast as CastForStorage does it.
//! An UPDATE or MERGE takes a struct only with all its fields (`all_fields`).
void CheckStored(duckdb::ClientContext &context, duckdb::unique_ptr<duckdb::Expression> &value,
                 const std::string &table, const std::string &column, bool all_fields);

//! A cast to a column's type as Spark does it: fractions are cut, not rounded, and decimals made of the digits of
//! reals; digits that timestamps would lose are an error.
duckdb::unique_ptr<duckdb::Expression> CastForStorage(duckdb::ClientContext &context,
                                                      duckdb::unique_ptr<duckdb::Expression> expression,
                                                      const duckdb::LogicalType &target);

}  // namespace birdfoot::duck
