#include "duckdb/write/parallel_work.hpp"

#include "duckdb/execution/executor.hpp"
#include "duckdb/parallel/base_pipeline_event.hpp"
#include "duckdb/parallel/executor_task.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/parallel/thread_context.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

class WorkTask : public duckdb::ExecutorTask {
public:
    WorkTask(duckdb::ClientContext &context, duckdb::shared_ptr<duckdb::Event> event,
             const duckdb::PhysicalOperator &op, std::shared_ptr<ParallelWork> work)
        : ExecutorTask(context, std::move(event), op), context_(context), work_(std::move(work)) {}

    duckdb::TaskExecutionResult ExecuteTask(duckdb::TaskExecutionMode) override {
        Guarded([&] {
            duckdb::ExecutionContext execution(context_, *thread_context, nullptr);
            work_->work(execution);
            event->FinishTask();
        });
        return duckdb::TaskExecutionResult::TASK_FINISHED;
    }

private:
    duckdb::ClientContext &context_;
    std::shared_ptr<ParallelWork> work_;
};

class WorkEvent : public duckdb::BasePipelineEvent {
public:
    WorkEvent(duckdb::Pipeline &pipeline, const duckdb::PhysicalOperator &op, ParallelWork work)
        : BasePipelineEvent(pipeline), op_(op), work_(std::make_shared<ParallelWork>(std::move(work))) {}

    void Schedule() override {
        auto &context = pipeline->GetClientContext();
        auto threads = static_cast<duckdb::idx_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
        auto count = std::max<duckdb::idx_t>(1, std::min(threads, work_->tasks));
        duckdb::vector<duckdb::shared_ptr<duckdb::Task>> tasks;
        for (duckdb::idx_t i = 0; i < count; i++) {
            tasks.push_back(duckdb::make_shared_ptr<WorkTask>(context, shared_from_this(), op_, work_));
        }
        SetTasks(std::move(tasks));
    }
    void FinishEvent() override { work_->finish(*this); }

private:
    const duckdb::PhysicalOperator &op_;
    std::shared_ptr<ParallelWork> work_;
};

}  // namespace

void RunAfter(duckdb::Pipeline &pipeline, duckdb::Event &event, const duckdb::PhysicalOperator &op, ParallelWork work) {
    event.InsertEvent(duckdb::make_shared_ptr<WorkEvent>(pipeline, op, std::move(work)));
}

}  // namespace birdfoot::duck
