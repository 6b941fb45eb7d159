// DeltaDelete: the operator behind DELETE and TRUNCATE. A sink of row ids, which become row sets a file and are sealed
// at the end; where whole files go it is a source alone, and the log is all that is touched.
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/physical_operator.hpp"

#include "core/scan/plan.hpp"
#include "duckdb/catalog/delta_catalog.hpp"

namespace birdfoot::duck {

struct DeleteTarget {
    std::string root;
    std::string predicate;                            // for history; empty: all rows
    std::vector<const duckdb::FunctionData *> scans;  // of the table, in the plan below
    duckdb::idx_t file_column = 0;                    // of the child: the file's id
    duckdb::idx_t row_column = 0;                     // and the row's number
    std::vector<ScanFile> whole_files;                // without a child: the files that go
};

class DeltaDelete : public duckdb::PhysicalOperator {
public:
    DeltaDelete(duckdb::PhysicalPlan &plan, duckdb::vector<duckdb::LogicalType> types, DeltaCatalog &catalog,
                DeleteTarget target, duckdb::idx_t estimated_cardinality)
        : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), estimated_cardinality),
          catalog_(catalog),
          target_(std::move(target)) {}

    duckdb::string GetName() const override { return "DELTA_DELETE"; }
    duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override;

    bool IsSink() const override { return !children.empty(); }
    bool ParallelSink() const override { return true; }
    bool SinkOrderDependent() const override { return false; }
    duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(duckdb::ClientContext &context) const override;
    duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(duckdb::ExecutionContext &context) const override;
    duckdb::SinkResultType Sink(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                duckdb::OperatorSinkInput &input) const override;
    duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext &context,
                                          duckdb::OperatorSinkCombineInput &input) const override;
    duckdb::SinkFinalizeType Finalize(duckdb::Pipeline &pipeline, duckdb::Event &event, duckdb::ClientContext &context,
                                      duckdb::OperatorSinkFinalizeInput &input) const override;

    bool IsSource() const override { return true; }

protected:
    duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                             duckdb::OperatorSourceInput &input) const override;

private:
    int64_t DeleteWholeFiles(duckdb::ClientContext &context) const;

    DeltaCatalog &catalog_;
    const DeleteTarget target_;
};

}  // namespace birdfoot::duck
