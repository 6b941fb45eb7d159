#include "duckdb/write/parallel_work.hpp"

#include <algorithm>

#include "duckdb/execution/executor.hpp"
#include "duckdb/parallel/base_pipeline_event.hpp"
#include "duckdb/parallel/executor_task.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/parallel/thread_context.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

struct Steps {
    duckdb::Pipeline &pipeline;
    const duckdb::PhysicalOperator &op;
    std::vector<ParallelStep> steps;
    std::function<void()> finish;
};

class StepTask : public duckdb::ExecutorTask {
public:
    StepTask(duckdb::ClientContext &context, duckdb::shared_ptr<duckdb::Event> event, std::shared_ptr<Steps> steps,
             size_t step)
        : ExecutorTask(context, std::move(event), steps->op),
          context_(context),
          steps_(std::move(steps)),
          step_(step) {}

    duckdb::TaskExecutionResult ExecuteTask(duckdb::TaskExecutionMode) override {
        Guarded([&] {
            duckdb::ExecutionContext execution(context_, *thread_context, nullptr);
            steps_->steps[step_].work(execution);
            event->FinishTask();
        });
        return duckdb::TaskExecutionResult::TASK_FINISHED;
    }

private:
    duckdb::ClientContext &context_;
    std::shared_ptr<Steps> steps_;
    size_t step_;
};

void RunFrom(std::shared_ptr<Steps> steps, size_t step, duckdb::Event &event);

//! One step; the next one is begun when its tasks are done.
class StepEvent : public duckdb::BasePipelineEvent {
public:
    StepEvent(std::shared_ptr<Steps> steps, size_t step, duckdb::idx_t tasks)
        : BasePipelineEvent(steps->pipeline), steps_(std::move(steps)), step_(step), tasks_(tasks) {}

    void Schedule() override {
        auto &context = pipeline->GetClientContext();
        auto threads = static_cast<duckdb::idx_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
        duckdb::vector<duckdb::shared_ptr<duckdb::Task>> tasks;
        for (duckdb::idx_t i = 0; i < std::max<duckdb::idx_t>(1, std::min(threads, tasks_)); i++) {
            tasks.push_back(duckdb::make_shared_ptr<StepTask>(context, shared_from_this(), steps_, step_));
        }
        SetTasks(std::move(tasks));
    }
    void FinishEvent() override { RunFrom(steps_, step_ + 1, *this); }

private:
    std::shared_ptr<Steps> steps_;
    size_t step_;
    duckdb::idx_t tasks_;
};

void RunFrom(std::shared_ptr<Steps> steps, size_t step, duckdb::Event &event) {
    for (; step < steps->steps.size(); step++) {
        if (auto tasks = steps->steps[step].begin()) {
            return event.InsertEvent(duckdb::make_shared_ptr<StepEvent>(std::move(steps), step, tasks));
        }
    }
    steps->finish();
}

}  // namespace

void RunSteps(duckdb::Pipeline &pipeline, duckdb::Event &event, const duckdb::PhysicalOperator &op,
              std::vector<ParallelStep> steps, std::function<void()> finish) {
    Guarded([&] {
        RunFrom(std::make_shared<Steps>(Steps{pipeline, op, std::move(steps), std::move(finish)}), 0, event);
    });
}

}  // namespace birdfoot::duck
