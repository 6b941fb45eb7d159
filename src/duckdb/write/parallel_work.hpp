// ParallelSteps: what an operator still has to do when its last row has come (encode what is buffered, rewrite files),
// on all threads of the query, before whatever depends on the operator goes on.
#pragma once

#include <functional>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/parallel/event.hpp"
#include "duckdb/parallel/pipeline.hpp"

namespace birdfoot::duck {

struct ParallelStep {
    //! Called once, when the step before is done: how many tasks are of use, at most; 0: nothing to do in parallel.
    std::function<duckdb::idx_t()> begin;
    //! Called once in each task.
    std::function<void(duckdb::ExecutionContext &)> work;
};

inline constexpr duckdb::idx_t kAllThreads = duckdb::NumericLimits<duckdb::idx_t>::Maximum();

//! Runs the steps one after the other, then `finish`, before what waits for `event`. Called in an operator's Finalize.
void RunSteps(duckdb::Pipeline &pipeline, duckdb::Event &event, const duckdb::PhysicalOperator &op,
              std::vector<ParallelStep> steps, std::function<void()> finish);

}  // namespace birdfoot::duck
