#include "duckdb/write/prepare_changes.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_case_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_comparison_expression.hpp"
#include "duckdb/planner/expression/bound_conjunction_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_operator_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/logical_operator_visitor.hpp"
#include "duckdb/planner/operator/logical_any_join.hpp"
#include "duckdb/planner/operator/logical_comparison_join.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/planner/operator/logical_projection.hpp"

#include "core/base/json.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/statement_note.hpp"
#include "duckdb/write/store_assignment.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::BoundColumnRefExpression;
using duckdb::ColumnBinding;
using duckdb::Expression;
using duckdb::ExpressionType;
using duckdb::LogicalType;
using ExpressionPtr = duckdb::unique_ptr<Expression>;

bool IsReference(const Expression &expression) {
    return expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF;
}

const ColumnBinding &BindingOf(const Expression &expression) {
    return expression.Cast<BoundColumnRefExpression>().binding;
}

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

ExpressionPtr Null(const LogicalType &type) {
    return duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
}

duckdb::LogicalProjection &ProjectionBelow(duckdb::LogicalOperator &op) {
    if (op.children.size() != 1 || op.children[0]->type != duckdb::LogicalOperatorType::LOGICAL_PROJECTION) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The plan of the statement has no projection."));
    }
    return op.children[0]->Cast<duckdb::LogicalProjection>();
}

//! As history shows it: constants that the binder casts are shown as what they become.
std::string TextOf(duckdb::ClientContext &context, const Expression &expression) {
    const std::function<void(ExpressionPtr &)> fold = [&](ExpressionPtr &part) {
        duckdb::Value value;
        if (part->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CAST && part->IsFoldable() &&
            duckdb::ExpressionExecutor::TryEvaluateScalar(context, *part, value)) {
            part = duckdb::make_uniq<duckdb::BoundConstantExpression>(std::move(value));
            return;
        }
        duckdb::ExpressionIterator::EnumerateChildren(*part, fold);
    };
    auto copy = expression.Copy();
    fold(copy);
    return copy->ToString();
}

//! The conditions of the filters and of the join at the top of a plan.
void CollectConditions(duckdb::ClientContext &context, const duckdb::LogicalOperator &op,
                       std::vector<std::string> &conditions) {
    switch (op.type) {
    case duckdb::LogicalOperatorType::LOGICAL_FILTER:
        for (const auto &expression : op.expressions) {
            conditions.push_back(TextOf(context, *expression));
        }
        return CollectConditions(context, *op.children[0], conditions);
    case duckdb::LogicalOperatorType::LOGICAL_COMPARISON_JOIN:
        for (const auto &condition : op.Cast<duckdb::LogicalComparisonJoin>().conditions) {
            conditions.push_back(fmt::format("({} {} {})", TextOf(context, *condition.left),
                                             duckdb::ExpressionTypeToOperator(condition.comparison),
                                             TextOf(context, *condition.right)));
        }
        return;
    case duckdb::LogicalOperatorType::LOGICAL_ANY_JOIN:
        conditions.push_back(TextOf(context, *op.Cast<duckdb::LogicalAnyJoin>().condition));
        return;
    default: return;
    }
}

std::string ConditionOf(duckdb::ClientContext &context, const duckdb::LogicalOperator &op) {
    std::vector<std::string> conditions;
    CollectConditions(context, op, conditions);
    return fmt::format("{}", fmt::join(conditions, " AND "));
}

//! WHERE, or the table: the sub-queries of SET are joined above it, each from the right.
const duckdb::LogicalOperator &BelowValues(const duckdb::LogicalOperator &values) {
    const auto *op = &values;
    while (op->type != duckdb::LogicalOperatorType::LOGICAL_FILTER && !op->children.empty()) {
        op = op->children[0].get();
    }
    return *op;
}

//! Makes sure that the projection has a column with a column's default, and returns which.
duckdb::idx_t ProjectDefault(duckdb::LogicalProjection &projection, const ExpressionPtr &value,
                             const LogicalType &type) {
    auto expression = value ? value->Copy() : Null(type);
    if (expression->return_type != type) {
        expression = duckdb::make_uniq<duckdb::BoundConstantExpression>(duckdb::Value(type));
    }
    projection.expressions.push_back(std::move(expression));
    return projection.expressions.size() - 1;
}

//! For each column of the table the projection's column with its new value.
void SetNewRowOfUpdate(RowClause &clause, const duckdb::vector<duckdb::PhysicalIndex> &columns,
                       const duckdb::vector<ExpressionPtr> &values, const duckdb::vector<ExpressionPtr> &defaults,
                       duckdb::TableCatalogEntry &table, duckdb::LogicalProjection &projection) {
    clause.row.resize(table.GetColumns().PhysicalColumnCount());
    clause.given.resize(clause.row.size());
    clause.kept.resize(clause.row.size());
    for (size_t i = 0; i < columns.size(); i++) {
        const auto index = columns[i].index;
        const auto &column = table.GetColumns().GetColumn(columns[i]);
        const bool is_default = values[i]->GetExpressionType() == ExpressionType::VALUE_DEFAULT;
        clause.row[index] = is_default ? ProjectDefault(projection, defaults[index], column.Type())
                                       : BindingOf(*values[i]).column_index;
        clause.kept[index] = values[i]->GetAlias() == kUnchanged;
        clause.given[index] = !is_default && !clause.kept[index];
    }
}

void CheckRow(duckdb::ClientContext &context, const std::vector<duckdb::idx_t> &row,
              duckdb::vector<ExpressionPtr> &values, duckdb::TableCatalogEntry &table, bool all_fields) {
    for (auto &column : table.GetColumns().Physical()) {
        CheckStored(context, values[row[column.Physical().index]], table.name, column.Name(), all_fields);
    }
}

//! Whether nothing in the plan below differs from run to run (but for `values`, which say nothing of which rows).
bool IsDeterministic(duckdb::LogicalOperator &op, const duckdb::LogicalOperator *values) {
    bool varies = false;
    if (&op != values) {
        duckdb::LogicalOperatorVisitor::EnumerateExpressions(
            op, [&](ExpressionPtr *expression) { varies = varies || (*expression)->IsVolatile(); });
    }
    return !varies && std::all_of(op.children.begin(), op.children.end(),
                                  [&](auto &child) { return IsDeterministic(*child, values); });
}

duckdb::LogicalGet *FindScan(duckdb::LogicalOperator &op, duckdb::idx_t table) {
    if (op.type == duckdb::LogicalOperatorType::LOGICAL_GET && op.Cast<duckdb::LogicalGet>().table_index == table) {
        return &op.Cast<duckdb::LogicalGet>();
    }
    for (auto &child : op.children) {
        if (auto *found = FindScan(*child, table)) {
            return found;
        }
    }
    return nullptr;
}

//! References to all columns of the statement's table, which its scan, that of `row_id`, is made to read.
std::vector<ExpressionPtr> OldRow(duckdb::LogicalOperator &plan, const Expression &row_id,
                                  const duckdb::TableCatalogEntry &table) {
    auto *scan = FindScan(plan, BindingOf(row_id).table_index);
    if (!scan) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The plan of the statement has no scan of its table."));
    }
    std::vector<ExpressionPtr> row;
    for (auto &column : table.GetColumns().Logical()) {
        const auto &read = scan->GetColumnIds();
        const auto found = std::find_if(read.begin(), read.end(), [&](const duckdb::ColumnIndex &index) {
            return index.GetPrimaryIndex() == column.Logical().index && !index.HasChildren();
        });
        const auto position = static_cast<duckdb::idx_t>(found - read.begin());
        if (found == read.end()) {
            scan->AddColumnId(column.Logical().index);
        }
        row.push_back(duckdb::make_uniq<BoundColumnRefExpression>(column.Name(), column.Type(),
                                                                  ColumnBinding(scan->table_index, position)));
    }
    return row;
}

// ---- MERGE ----

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

void PrepareMerge(duckdb::ClientContext &context, duckdb::Binder &binder, duckdb::LogicalMergeInto &merge) {
    MergePreparation(context, binder, merge).Run();
}

}  // namespace birdfoot::duck
