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
//! The same for a type that data brings along: DELTA_CONSTRAINT_DATA_TYPE_MISMATCH or
//! DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH.
void RequireUnusedToWiden(const TableDefinition &table, const WidenedColumn &widened);

}  // namespace birdfoot::duck
