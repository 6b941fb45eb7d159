// DeltaInsert: the operator behind INSERT and CREATE TABLE AS: a parallel sink that writes files, and at its end adds
// them to the pending change of the transaction, with whatever they replace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/physical_operator.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/commands/create_table.hpp"
#include "duckdb/write/insert_options.hpp"

namespace birdfoot::duck {

//! What is inserted into.
struct InsertTarget {
    std::string root;      // of an existing table
    SnapshotPtr bound_to;  // what the statement saw of it
    // CREATE TABLE AS: the table is made when the statement runs, in the same transaction.
    std::optional<CreateSpec> create;
    std::string schema;
    std::string name;

    InsertOptions options;
    std::vector<bool> given;  // a column each: whether the statement has values for it; empty: for all
    bool parallel = true;
    bool returning = false;
    bool assignment_checked = true;
};

class DeltaInsert : public duckdb::PhysicalOperator {
public:
    DeltaInsert(duckdb::PhysicalPlan &plan, duckdb::vector<duckdb::LogicalType> types, DeltaCatalog &catalog,
                InsertTarget target, duckdb::idx_t estimated_cardinality)
        : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), estimated_cardinality),
          catalog_(catalog),
          target_(std::move(target)) {}

    duckdb::string GetName() const override { return "DELTA_INSERT"; }
    duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override;

    bool IsSink() const override { return true; }
    bool ParallelSink() const override { return target_.parallel; }
    bool SinkOrderDependent() const override { return !target_.parallel; }
    duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext &context) const override;
    duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext &context) const override;
    duckdb::SinkResultType Sink(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                duckdb::OperatorSinkInput &input) const override;
    duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext &context,
                                          duckdb::OperatorSinkCombineInput &input) const override;
    duckdb::SinkFinalizeType Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event, duckdb::ClientContext &context,
                                      duckdb::OperatorSinkFinalizeInput &input) const override;

    bool IsSource() const override { return true; }
    duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(duckdb::ClientContext &context) const override;

protected:
    duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                             duckdb::OperatorSourceInput &input) const override;

private:
    DeltaCatalog &catalog_;
    const InsertTarget target_;
};

}  // namespace birdfoot::duck
