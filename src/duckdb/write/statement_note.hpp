// StatementNote: what is found out about an UPDATE, DELETE or MERGE before the optimiser turns its plan over, for the
// operator that is planned behind it. It travels as a constant among the statement's expressions: a plan has no other
// place for it that lives as long.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/planner/logical_operator.hpp"

#include "duckdb/write/change_rows.hpp"

namespace birdfoot::duck {

struct StatementNote {
    //! Assignments are checked and made Spark's; each clause of a MERGE runs for its own rows alone.
    bool prepared = false;
    std::string condition;  // for history: of WHERE or ON; empty: all rows
    bool truncate = false;
    bool deterministic = false;  // which rows it is about
    bool evolves = false;        // structs may lack fields
    SnapshotPtr evolved_to;      // the table as the statement saw it, where it changes the schema
    // Positions in the columns of the child:
    duckdb::idx_t row_ids = 0;
    std::optional<duckdb::idx_t> clause_column;
    std::vector<RowClause> clauses;
    RowCount source_rows;
    // Of a MERGE, for history: condition and action of each clause, as far as the text is known.
    std::vector<std::pair<std::string, std::string>> parameters;
};

void SetNote(duckdb::LogicalOperator &op, StatementNote note);
//! An empty note if there is none.
StatementNote NoteOf(const duckdb::LogicalOperator &op);

}  // namespace birdfoot::duck
