#include <algorithm>
#include <functional>
#include <map>

#include "duckdb/planner/expression/bound_case_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"

#include "core/base/json.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/bound_rows.hpp"
#include "duckdb/write/condition_text.hpp"
#include "duckdb/write/prepare_changes.hpp"
#include "duckdb/write/statement_note.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::BoundColumnRefExpression;
using duckdb::ColumnBinding;
using duckdb::Expression;
using duckdb::ExpressionType;
using duckdb::LogicalType;

//! Replaces column references; `replace` returns null to leave one alone.
void ReplaceReferences(ExpressionPtr &expression,
                       const std::function<ExpressionPtr(const BoundColumnRefExpression &)> &replace) {
    if (IsReference(*expression)) {
        if (auto other = replace(expression->Cast<BoundColumnRefExpression>())) {
            expression = std::move(other);
        }
        return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(*expression,
                                                  [&](ExpressionPtr &child) { ReplaceReferences(child, replace); });
}

ExpressionPtr IsNotNull(ExpressionPtr child, bool negate = false) {
    auto type = negate ? ExpressionType::OPERATOR_IS_NULL : ExpressionType::OPERATOR_IS_NOT_NULL;
    auto test = duckdb::make_uniq<duckdb::BoundOperatorExpression>(type, LogicalType::BOOLEAN);
    test->children.push_back(std::move(child));
    return test;
}

ExpressionPtr IsNull(ExpressionPtr child) { return IsNotNull(std::move(child), true); }

ExpressionPtr And(ExpressionPtr left, ExpressionPtr right) {
    if (!left || !right) {
        return left ? std::move(left) : std::move(right);
    }
    return duckdb::make_uniq<duckdb::BoundConjunctionExpression>(ExpressionType::CONJUNCTION_AND, std::move(left),
                                                                 std::move(right));
}

ExpressionPtr Number(int32_t number) {
    return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value::INTEGER(number));
}

RowAction ActionOf(duckdb::MergeActionType type) {
    switch (type) {
    case duckdb::MergeActionType::MERGE_UPDATE: return RowAction::kUpdate;
    case duckdb::MergeActionType::MERGE_DELETE: return RowAction::kDelete;
    case duckdb::MergeActionType::MERGE_INSERT: return RowAction::kInsert;
    case duckdb::MergeActionType::MERGE_DO_NOTHING: return RowAction::kNothing;
    case duckdb::MergeActionType::MERGE_ERROR: return RowAction::kError;
    default: Throw(Fail(Condition::BIRDFOOT_INTERNAL, "A MERGE has an action of an unknown kind."));
    }
}

RowMatch MatchOf(duckdb::MergeActionCondition condition) {
    switch (condition) {
    case duckdb::MergeActionCondition::WHEN_MATCHED: return RowMatch::kMatched;
    case duckdb::MergeActionCondition::WHEN_NOT_MATCHED_BY_TARGET: return RowMatch::kNotMatched;
    default: return RowMatch::kNotMatchedBySource;
    }
}

//! {"predicate": …, "actionType": …} of each clause, a list for each kind of match.
std::vector<std::pair<std::string, std::string>> MergeParameters(const std::vector<RowClause> &clauses) {
    std::vector<std::pair<std::string, std::string>> parameters;
    for (const auto &[match, name] :
         {std::pair(RowMatch::kMatched, "matchedPredicates"), std::pair(RowMatch::kNotMatched, "notMatchedPredicates"),
          std::pair(RowMatch::kNotMatchedBySource, "notMatchedBySourcePredicates")}) {
        std::string json;
        JsonWriter writer(json);
        writer.BeginArray();
        for (const auto &clause : clauses) {
            const char *action = clause.action == RowAction::kDelete   ? "delete"
                                 : clause.action == RowAction::kUpdate ? "update"
                                 : clause.action == RowAction::kInsert ? "insert"
                                                                       : nullptr;
            if (clause.match != match || !action) {
                continue;
            }
            writer.BeginObject();
            if (clause.conditional) {
                writer.Key("predicate").String(clause.condition);
            }
            writer.Key("actionType").String(action).EndObject();
        }
        writer.EndArray();
        parameters.emplace_back(name, std::move(json));
    }
    return parameters;
}

class MergePreparation {
public:
    MergePreparation(duckdb::ClientContext &context, duckdb::Binder &binder, duckdb::LogicalMergeInto &merge)
        : context_(context), binder_(binder), merge_(merge), projection_(ProjectionBelow(merge)) {}

    void Run() {
        auto note = NoteOf(merge_);
        evolves_ = note.evolves || AutoMergeOf(context_);
        if (merge_.source_marker.IsValid()) {
            ReferToMarkedSource();
        }
        if (note.condition.empty()) {
            note.condition = ConditionOf(context_, *projection_.children[0]);
        }
        note.row_ids = merge_.row_id_start;
        note.deterministic = IsDeterministic(projection_, nullptr);
        note.source_rows = CountSource();
        for (auto &[condition, actions] : merge_.actions) {
            for (auto &action : actions) {
                AddClause(MatchOf(condition), *action);
            }
        }
        AddCase(And(MatchTest(RowMatch::kMatched), nullptr), kMatchedWithoutClause);
        InsertProjection();
        for (size_t i = 0; i < clauses_.size(); i++) {
            if (clauses_[i].action != RowAction::kError) {
                GuardRow(i);
            }
        }
        note.clause_column = projection_.expressions.size();
        projection_.expressions.push_back(ClauseReference());
        if (note.parameters.empty()) {
            note.parameters = MergeParameters(clauses_);
        }
        note.clauses = std::move(clauses_);
        note.prepared = true;
        for (auto &[condition, actions] : merge_.actions) {
            for (auto &action : actions) {
                action->condition.reset();
                action->expressions.clear();  // the note says which columns they are
            }
        }
        SetNote(merge_, std::move(note));
    }

private:
    //! An expression over the projection's columns, over what those are made of.
    ExpressionPtr Inlined(const Expression &expression) const {
        auto copy = expression.Copy();
        ReplaceReferences(copy, [this](const BoundColumnRefExpression &reference) -> ExpressionPtr {
            if (reference.binding.table_index != projection_.table_index) {
                return nullptr;
            }
            return projection_.expressions[reference.binding.column_index]->Copy();
        });
        return copy;
    }

    //! For NOT MATCHED BY SOURCE the binder puts a projection with a marker on the source, when sub-queries are planned
    //! already. It then changes the references to the source's columns in the topmost join alone (DuckDB 1.5.5,
    //! RewriteMergeBindings): here those of the joins below it follow.
    void ReferToMarkedSource() {
        const auto marked = BindingOf(*projection_.expressions[merge_.source_marker.GetIndex()]).table_index;
        if (const auto *source = FindProjection(*projection_.children[0], marked)) {
            ReferTo(*source, *projection_.children[0]);
        }
    }

    static const duckdb::LogicalProjection *FindProjection(const duckdb::LogicalOperator &op, duckdb::idx_t table) {
        if (op.type == duckdb::LogicalOperatorType::LOGICAL_PROJECTION &&
            op.Cast<duckdb::LogicalProjection>().table_index == table) {
            return &op.Cast<duckdb::LogicalProjection>();
        }
        for (const auto &child : op.children) {
            if (const auto *found = FindProjection(*child, table)) {
                return found;
            }
        }
        return nullptr;
    }

    static void ReferTo(const duckdb::LogicalProjection &source, duckdb::LogicalOperator &op) {
        if (&op == &source) {
            return;
        }
        duckdb::LogicalOperatorVisitor::EnumerateExpressions(op, [&](ExpressionPtr *expression) {
            ReplaceReferences(*expression, [&](const BoundColumnRefExpression &reference) -> ExpressionPtr {
                for (size_t i = 0; i + 1 < source.expressions.size(); i++) {  // the last one is the marker
                    if (BindingOf(*source.expressions[i]) == reference.binding) {
                        return duckdb::make_uniq<BoundColumnRefExpression>(reference.GetAlias(), reference.return_type,
                                                                           ColumnBinding(source.table_index, i));
                    }
                }
                return nullptr;
            });
        });
        for (auto &child : op.children) {
            ReferTo(source, *child);
        }
    }

    //! Counts the source's rows where it goes into the join: the last one on the way to the scan of the target.
    RowCount CountSource() {
        const auto target = BindingOf(*projection_.expressions[merge_.row_id_start]).table_index;
        duckdb::unique_ptr<duckdb::LogicalOperator> *source = nullptr;
        for (auto *op = projection_.children[0].get(); !op->children.empty();) {
            size_t side = 0;
            while (side < op->children.size() && !FindScan(*op->children[side], target)) {
                side++;
            }
            if (side == op->children.size()) {
                return nullptr;
            }
            if (op->children.size() == 2) {
                source = &op->children[1 - side];
            }
            op = op->children[side].get();
        }
        if (!source) {
            return nullptr;
        }
        auto count = std::make_shared<std::atomic<uint64_t>>(0);
        *source = CountRows(std::move(*source), count);
        return count;
    }

    ExpressionPtr RowId() const { return projection_.expressions[merge_.row_id_start]->Copy(); }

    //! Whether a row of the join is of that kind.
    ExpressionPtr MatchTest(RowMatch match) const {
        ExpressionPtr marker;
        if (merge_.source_marker.IsValid()) {
            marker = projection_.expressions[merge_.source_marker.GetIndex()]->Copy();
        }
        switch (match) {
        case RowMatch::kMatched: return And(IsNotNull(RowId()), marker ? IsNotNull(std::move(marker)) : nullptr);
        case RowMatch::kNotMatched: return IsNull(RowId());
        case RowMatch::kNotMatchedBySource: break;
        }
        return IsNull(std::move(marker));
    }

    void AddCase(ExpressionPtr when, int32_t number) {
        duckdb::BoundCaseCheck check;
        check.when_expr = std::move(when);
        check.then_expr = Number(number);
        numbering_->case_checks.push_back(std::move(check));
    }

    void AddClause(RowMatch match, duckdb::BoundMergeIntoAction &action) {
        RowClause clause;
        clause.action = ActionOf(action.action_type);
        clause.match = match;
        clause.conditional = action.condition != nullptr;
        if (action.condition) {
            clause.condition = TextOf(context_, *action.condition);
        }
        AddCase(And(MatchTest(match), action.condition ? Inlined(*action.condition) : nullptr),
                static_cast<int32_t>(clauses_.size()));
        switch (clause.action) {
        case RowAction::kUpdate:
            SetNewRowOfUpdate(clause, action.columns, action.expressions, merge_.bound_defaults, merge_.table,
                              projection_);
            CheckRow(context_, clause.row, projection_.expressions, merge_.table, !evolves_);
            break;
        case RowAction::kInsert:
            SetNewRowOfInsert(clause, action);
            CheckRow(context_, clause.row, projection_.expressions, merge_.table, !evolves_);
            break;
        case RowAction::kDelete:
            if (merge_.return_chunk) {
                clause.row = ProjectedOldRow();
            }
            break;
        case RowAction::kError:
            if (!action.expressions.empty()) {
                clause.row = {projection_.expressions.size()};
                projection_.expressions.push_back(Inlined(*action.expressions[0]));
            }
            break;
        default: break;
        }
        clauses_.push_back(std::move(clause));
    }

    const std::vector<duckdb::idx_t> &ProjectedOldRow() {
        if (old_row_.empty()) {
            for (auto &column :
                 OldRow(*projection_.children[0], *projection_.expressions[merge_.row_id_start], merge_.table)) {
                old_row_.push_back(projection_.expressions.size());
                projection_.expressions.push_back(std::move(column));
            }
        }
        return old_row_;
    }

    void SetNewRowOfInsert(RowClause &clause, const duckdb::BoundMergeIntoAction &action) {
        for (auto &column : merge_.table.GetColumns().Physical()) {
            auto position =
                action.column_index_map.empty() ? column.Physical().index : action.column_index_map[column.Physical()];
            const bool given = position != duckdb::DConstants::INVALID_INDEX;
            clause.given.push_back(given);
            clause.row.push_back(
                given ? BindingOf(*action.expressions[position]).column_index
                      : ProjectDefault(projection_, merge_.bound_defaults[column.StorageOid()], column.Type()));
        }
    }

    //! Below the projection another one: all that it uses, and the number of the clause, computed once a row.
    void InsertProjection() {
        lower_ = binder_.GenerateTableIndex();
        duckdb::vector<ExpressionPtr> passed;
        std::map<std::pair<duckdb::idx_t, duckdb::idx_t>, duckdb::idx_t> positions;
        const auto pass = [&](const BoundColumnRefExpression &reference) -> ExpressionPtr {
            const auto &binding = reference.binding;
            auto [found, is_new] =
                positions.emplace(std::pair(binding.table_index, binding.column_index), passed.size());
            if (is_new) {
                passed.push_back(reference.Copy());
            }
            return duckdb::make_uniq<BoundColumnRefExpression>(reference.GetAlias(), reference.return_type,
                                                               ColumnBinding(lower_, found->second));
        };
        for (auto &expression : projection_.expressions) {
            ReplaceReferences(expression, pass);
        }
        clause_position_ = passed.size();
        numbering_->else_expr = Null(LogicalType::INTEGER);
        passed.push_back(std::move(numbering_));
        auto lower = duckdb::make_uniq<duckdb::LogicalProjection>(lower_, std::move(passed));
        lower->children.push_back(std::move(projection_.children[0]));
        projection_.children[0] = std::move(lower);
    }

    ExpressionPtr ClauseReference() const {
        return duckdb::make_uniq<BoundColumnRefExpression>("clause", LogicalType::INTEGER,
                                                           ColumnBinding(lower_, clause_position_));
    }

    //! Computes a clause's values for its own rows alone.
    void GuardRow(size_t number) {
        for (auto column : clauses_[number].row) {
            auto &value = projection_.expressions[column];
            if (IsReference(*value) || value->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) {
                continue;
            }
            auto applies = duckdb::make_uniq<duckdb::BoundComparisonExpression>(
                ExpressionType::COMPARE_EQUAL, ClauseReference(), Number(static_cast<int32_t>(number)));
            auto none = Null(value->return_type);
            value =
                duckdb::make_uniq<duckdb::BoundCaseExpression>(std::move(applies), std::move(value), std::move(none));
        }
    }

    duckdb::ClientContext &context_;
    duckdb::Binder &binder_;
    duckdb::LogicalMergeInto &merge_;
    duckdb::LogicalProjection &projection_;
    bool evolves_ = false;  // then NULL stands for the fields that a struct lacks
    std::vector<RowClause> clauses_;
    std::vector<duckdb::idx_t> old_row_;
    duckdb::unique_ptr<duckdb::BoundCaseExpression> numbering_ =
        duckdb::make_uniq<duckdb::BoundCaseExpression>(LogicalType::INTEGER);
    duckdb::idx_t lower_ = 0;
    duckdb::idx_t clause_position_ = 0;
};

}  // namespace

void PrepareMerge(duckdb::ClientContext &context, duckdb::Binder &binder, duckdb::LogicalMergeInto &merge) {
    MergePreparation(context, binder, merge).Run();
}

}  // namespace birdfoot::duck
