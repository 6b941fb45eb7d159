#include "duckdb/write/row_counter.hpp"

#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"

namespace birdfoot::duck {

namespace {

class PhysicalRowCounter : public duckdb::PhysicalOperator {
public:
    PhysicalRowCounter(duckdb::PhysicalPlan &plan, duckdb::vector<duckdb::LogicalType> types, RowCount count,
                       duckdb::idx_t estimated_cardinality)
        : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), estimated_cardinality),
          count_(std::move(count)) {}

    duckdb::string GetName() const override { return "COUNT_ROWS"; }
    bool ParallelOperator() const override { return true; }
    //! Before the first of its pipelines begins, which may be before the statement's sink does.
    duckdb::unique_ptr<duckdb::GlobalOperatorState> GetGlobalOperatorState(
        duckdb::ClientContext &context) const override {
        *count_ = 0;
        return PhysicalOperator::GetGlobalOperatorState(context);
    }
    duckdb::OperatorResultType Execute(duckdb::ExecutionContext &, duckdb::DataChunk &input, duckdb::DataChunk &chunk,
                                       duckdb::GlobalOperatorState &, duckdb::OperatorState &) const override {
        *count_ += input.size();
        chunk.Reference(input);
        return duckdb::OperatorResultType::NEED_MORE_INPUT;
    }

private:
    RowCount count_;
};

//! Its columns are its child's.
class LogicalRowCounter : public duckdb::LogicalExtensionOperator {
public:
    explicit LogicalRowCounter(RowCount count) : count_(std::move(count)) {}

    duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override { return children[0]->GetColumnBindings(); }
    void ResolveTypes() override { types = children[0]->types; }
    duckdb::string GetExtensionName() const override { return "birdfoot"; }
    duckdb::string GetName() const override { return "COUNT_ROWS"; }
    bool SupportSerialization() const override { return false; }

    duckdb::PhysicalOperator &CreatePlan(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner) override {
        auto &child = planner.CreatePlan(*children[0]);
        auto &counter = planner.Make<PhysicalRowCounter>(child.types, count_, child.estimated_cardinality);
        counter.children.push_back(child);
        return counter;
    }

private:
    RowCount count_;
};

}  // namespace

duckdb::unique_ptr<duckdb::LogicalOperator> CountRows(duckdb::unique_ptr<duckdb::LogicalOperator> child,
                                                      RowCount count) {
    auto counter = duckdb::make_uniq<LogicalRowCounter>(std::move(count));
    if (child->has_estimated_cardinality) {
        counter->SetEstimatedCardinality(child->estimated_cardinality);
    }
    counter->children.push_back(std::move(child));
    return counter;
}

}  // namespace birdfoot::duck
