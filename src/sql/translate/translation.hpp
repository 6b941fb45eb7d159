// From Spark's expressions, as tables store them (CHECK constraints, invariants, generated columns, defaults), to
// DuckDB's text with the same meaning: the types of columns are known, every operand is cast as Spark casts it with
// ANSI mode on, and what Spark fails on fails. An operator, cast or function is understood only where its answers are
// known to be Spark's (tests/golden/spark_expressions.json compares them one by one); everything else is refused by its
// name.
//
// The text calls functions named spark_…, which the engine must have (duckdb/translate/spark_functions), and relies on
// the session's time zone being Spark's.
#pragma once

#include <string>
#include <vector>

#include "core/schema/types.hpp"
#include "sql/expression.hpp"

namespace birdfoot::sql {

struct Translation {
    std::string text;                  // DuckDB's; columns are quoted names
    DataType type;                     // Spark's type of the value; the text has DuckDB's type of it
    std::vector<std::string> columns;  // the top columns that it reads, as the schema spells them, each once
    bool varies = false;               // gives another value another time (now())
    //! Spark takes it in a CHECK constraint, but not in a generated column; the name of what it does not take there.
    std::string check_only;
};

//! DELTA_UNSUPPORTED_EXPRESSION names what is not understood, UNRESOLVED_COLUMN a column that is not there,
//! DATATYPE_MISMATCH operands that do not go together in Spark.
Result<Translation> Translate(const Expression &expression, const StructType &columns);
//! The same, of a text as it is stored.
Result<Translation> TranslateText(std::string_view text, const StructType &columns);

//! A column or a field of one, as an expression names it.
struct ColumnUse {
    std::vector<std::string> path;
};
//! Those that an expression reads and the schema has, each once.
std::vector<ColumnUse> ColumnsOf(const Expression &expression, const StructType &columns);

//! True of a tree of DuckDB's dialect that says the same in Spark's: operators, literals and functions of which neither
//! name nor meaning differs.
bool MeansTheSame(const Expression &expression);

//! The value cast as Spark casts what is assigned to a column of this type; the type of the translation becomes `type`.
//! DATATYPE_MISMATCH where Spark refuses to assign.
Result<Translation> AssignTo(Translation value, const DataType &type);
//! The default of a column: a constant of another type is cast as in CAST.
Result<Translation> AssignDefault(Translation value, const DataType &type);

}  // namespace birdfoot::sql
