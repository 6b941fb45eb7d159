#include "duckdb/write/prepare_changes.hpp"

#include "duckdb/write/bound_rows.hpp"
#include "duckdb/write/condition_text.hpp"
#include "duckdb/write/statement_note.hpp"

namespace birdfoot::duck {

namespace {

//! WHERE, or the table: the sub-queries of SET are joined above it, each from the right.
const duckdb::LogicalOperator &BelowValues(const duckdb::LogicalOperator &values) {
    const auto *op = &values;
    while (op->type != duckdb::LogicalOperatorType::LOGICAL_FILTER && !op->children.empty()) {
        op = op->children[0].get();
    }
    return *op;
}

}  // namespace

void PrepareDelete(duckdb::ClientContext &context, duckdb::LogicalDelete &erase) {
    auto note = NoteOf(erase);
    note.deterministic = IsDeterministic(*erase.children[0], nullptr);
    note.condition = ConditionOf(context, *erase.children[0]);
    if (erase.return_chunk) {
        for (auto &column : OldRow(*erase.children[0], *erase.expressions[0], erase.table)) {
            erase.expressions.push_back(std::move(column));  // behind the row ids
        }
    }
    note.prepared = true;
    SetNote(erase, std::move(note));
}

void PrepareUpdate(duckdb::ClientContext &context, duckdb::LogicalUpdate &update) {
    auto &projection = ProjectionBelow(update);
    StatementNote note;
    note.condition = ConditionOf(context, BelowValues(*projection.children[0]));
    note.deterministic = IsDeterministic(projection, &projection);
    note.row_ids = projection.expressions.size() - update.table.GetRowIdColumns().size();
    RowClause clause;
    clause.action = RowAction::kUpdate;
    SetNewRowOfUpdate(clause, update.columns, update.expressions, update.bound_defaults, update.table, projection);
    CheckRow(context, clause.row, projection.expressions, update.table, true);
    note.clauses.push_back(std::move(clause));
    note.prepared = true;
    SetNote(update, std::move(note));
}

}  // namespace birdfoot::duck
