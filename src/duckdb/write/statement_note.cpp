#include "duckdb/write/statement_note.hpp"

#include "duckdb/planner/expression/bound_constant_expression.hpp"

namespace birdfoot::duck {

namespace {

class NoteExpression : public duckdb::BoundConstantExpression {
public:
    explicit NoteExpression(StatementNote note)
        : BoundConstantExpression(duckdb::Value::BOOLEAN(true)), note_(std::move(note)) {}

    duckdb::unique_ptr<duckdb::Expression> Copy() const override { return duckdb::make_uniq<NoteExpression>(note_); }
    const StatementNote &note() const { return note_; }

private:
    StatementNote note_;
};

const NoteExpression *Find(const duckdb::LogicalOperator &op) {
    return op.expressions.empty() ? nullptr : dynamic_cast<const NoteExpression *>(op.expressions.back().get());
}

}  // namespace

void SetNote(duckdb::LogicalOperator &op, StatementNote note) {
    if (Find(op)) {
        op.expressions.pop_back();
    }
    op.expressions.push_back(duckdb::make_uniq<NoteExpression>(std::move(note)));
}

StatementNote NoteOf(const duckdb::LogicalOperator &op) {
    const auto *expression = Find(op);
    return expression ? expression->note() : StatementNote();
}

}  // namespace birdfoot::duck
