// Predicates: DuckDB's filters, in both shapes that they come in (expressions in the first push-down, table filters
// when a scan starts), to core's small tree. A term is translated exactly or not at all: then it is *unknown*. Nothing
// looks through a cast that could change an order, a function, or a comparison of strings with numbers.
#pragma once

#include <functional>
#include <optional>

#include "duckdb.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/table_filter.hpp"

#include "core/scan/predicate.hpp"
#include "core/schema/column_mapping.hpp"

namespace birdfoot::duck {

//! The schema field that a column reference of an expression stands for; null for virtual columns and other tables'.
using FieldOf = std::function<const StructField *(const duckdb::Expression &reference)>;

//! A term of a conjunction of filters (its columns: BoundColumnRefExpressions).
Predicate PredicateOf(const duckdb::Expression &filter, ColumnMappingMode mapping, const FieldOf &field_of);

//! A filter on one column. Dynamic filters are taken as they stand at this moment.
Predicate PredicateOf(const duckdb::TableFilter &filter, ColumnMappingMode mapping, const StructField &field);

//! Whether a value of a column, constant in a file, may satisfy a filter. Errors of the filter's own expressions are
//! thrown.
bool MaySatisfy(duckdb::ClientContext &context, const duckdb::TableFilter &filter, const duckdb::Value &constant);

}  // namespace birdfoot::duck
