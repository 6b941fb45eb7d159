// ParallelWork: what an operator still has to do when its last row has come (encode what is buffered, rewrite files),
// on all threads of the query, before whatever depends on the operator goes on.
#pragma once

#include <functional>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/parallel/event.hpp"
#include "duckdb/parallel/pipeline.hpp"

namespace birdfoot::duck {

struct ParallelWork {
    duckdb::idx_t tasks = 1;                               // at most; never more than there are threads
    std::function<void(duckdb::ExecutionContext &)> work;  // in each task
    //! Once, after all of them; may add more work behind itself with RunAfter(pipeline, event, …).
    std::function<void(duckdb::Event &)> finish;
};

//! Lets the work run after `event`, in whose Finalize or finish this is called.
void RunAfter(duckdb::Pipeline &pipeline, duckdb::Event &event, const duckdb::PhysicalOperator &op, ParallelWork work);

}  // namespace birdfoot::duck
