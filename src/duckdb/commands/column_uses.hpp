// Which columns the expressions of a table use: CHECK constraints and generated columns stand in the way of changes of
// columns that they name.
#pragma once

#include "core/schema/schema_change.hpp"
#include "core/schema/type_widening.hpp"
#include "core/table/table_definition.hpp"

namespace birdfoot::duck {

//! DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE or DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE where an expression uses
//! the column, a part of it or what it is a part of. One that we cannot read may use anything.
void RequireUnused(const TableDefinition &table, const FieldPath &column);
//! DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH for a generated column, whose type is its expression's.
void RequireNotGenerated(const TableDefinition &table, const FieldPath &column, const DataType &type);
//! Both for a type that data brings along, with DELTA_CONSTRAINT_DATA_TYPE_MISMATCH or
//! DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH where an expression uses the column.
void RequireUnusedToWiden(const TableDefinition &table, const WidenedColumn &widened);

}  // namespace birdfoot::duck
