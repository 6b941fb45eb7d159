// Expressions that a table stores, in Spark's words, as DuckDB's bound expressions over the table's rows.
#pragma once

#include <string>

#include "duckdb.hpp"
#include "duckdb/parser/parsed_expression.hpp"
#include "duckdb/planner/expression.hpp"

#include "core/schema/types.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

//! The text of a translation, parsed. Its functions are DuckDB's own, whatever a user has named alike.
duckdb::unique_ptr<duckdb::ParsedExpression> ParseTranslation(const sql::Translation &translation);

//! The same for a DEFAULT, in which DuckDB takes no lambda: what one names is put in its place.
duckdb::unique_ptr<duckdb::ParsedExpression> ParseDefault(const sql::Translation &translation);

//! Bound over chunks with the schema's columns (BoundReferenceExpressions), of the type that DuckDB has for the
//! translation's.
duckdb::unique_ptr<duckdb::Expression> BindTranslation(duckdb::ClientContext &context,
                                                       const sql::Translation &translation, const StructType &schema);

//! An expression of DuckDB's grammar in Spark's words. Only what means the same in both is taken: which function or
//! type a name stands for may differ. DELTA_UNSUPPORTED_EXPRESSION. `what` is for the message.
std::string SparkTextOf(const duckdb::ParsedExpression &expression, const std::string &what);

}  // namespace birdfoot::duck
