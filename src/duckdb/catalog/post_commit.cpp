// The background thread's life: it holds the database weakly while it waits and strongly while it works. Should the
// last owner let go meanwhile, the database ends on this thread, which then must not join itself; for that case a guard
// at the end of the process waits for every thread of this kind.
#include "duckdb/catalog/post_commit.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "duckdb/main/client_context.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/main/database.hpp"

#include "core/table/table_cache.hpp"
#include "core/txn/transaction.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/warnings.hpp"

namespace birdfoot::duck {

namespace {

//! Counts the threads that run; its end, which is that of the process, waits for them.
class RunningThreads {
public:
    ~RunningThreads() {
        std::unique_lock lock(mutex_);
        none_left_.wait(lock, [&] { return running_ == 0; });
    }
    void Begin() {
        std::lock_guard lock(mutex_);
        running_++;
    }
    void End() {
        std::lock_guard lock(mutex_);
        running_--;
        none_left_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable none_left_;
    int running_ = 0;
};
RunningThreads running_threads;

struct Job {
    Engine engine;
    std::string root;
    Version committed = 0;
};

void RunJob(duckdb::DatabaseInstance &db, const Job &job) {
    try {
        Call call;
        auto snapshot = OpenSnapshot(job.engine, job.root, LatestVersion{}, call);
        if (!snapshot.ok()) {
            Warn(db, "After version " + std::to_string(job.committed) + " of " + job.root + ": " +
                         snapshot.error().message());
            return;
        }
        for (auto &warning : RunPostCommit(job.engine, *snapshot, call).warnings) {
            Warn(db, warning);
        }
    } catch (...) {
        Warn(db, ErrorFromException(Condition::BIRDFOOT_INTERNAL).message());
    }
}

}  // namespace

class PostCommitWork::Queue : public std::enable_shared_from_this<PostCommitWork::Queue> {
public:
    explicit Queue(duckdb::DatabaseInstance &db) : db_(db.shared_from_this()) {}

    void Add(Job job) {
        std::lock_guard lock(mutex_);
        for (auto &waiting : jobs_) {
            if (waiting.root == job.root) {
                waiting = std::move(job);
                return;
            }
        }
        jobs_.push_back(std::move(job));
        if (!running_) {
            Start();
        }
    }

    void Wait() {
        std::unique_lock lock(mutex_);
        idle_.wait(lock, [&] { return !running_; });
    }

    void Join() {
        std::lock_guard lock(mutex_);
        connections_++;
    }
    //! A connection closes; the last one waits.
    void Leave() {
        std::unique_lock lock(mutex_);
        if (--connections_ == 0) {
            idle_.wait(lock, [&] { return !running_; });
        }
    }

    //! No job is begun any more; the one that runs ends.
    void Stop() {
        std::unique_lock lock(mutex_);
        jobs_.clear();
        if (std::this_thread::get_id() != thread_id_) {
            idle_.wait(lock, [&] { return !running_; });
        }
    }

private:
    //! A thread lives as long as there are jobs. Under the lock.
    void Start() {
        running_ = true;
        running_threads.Begin();
        std::thread([self = shared_from_this()]() mutable {
            self->Run();
            self.reset();
            running_threads.End();
        }).detach();
    }

    void Run() {
        std::unique_lock lock(mutex_);
        thread_id_ = std::this_thread::get_id();
        while (!jobs_.empty()) {
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            if (auto db = db_.lock()) {
                RunJob(*db, job);
                job = {};
            }
            lock.lock();
        }
        thread_id_ = {};
        running_ = false;
        idle_.notify_all();
    }

    duckdb::weak_ptr<duckdb::DatabaseInstance> db_;
    std::mutex mutex_;
    std::condition_variable idle_;
    std::deque<Job> jobs_;
    bool running_ = false;
    int connections_ = 0;
    std::thread::id thread_id_;
};

namespace {

//! In every connection that has committed something: the last of a database waits for the background as it closes.
class AwaitAtLastClose : public duckdb::ClientContextState {
public:
    explicit AwaitAtLastClose(std::shared_ptr<PostCommitWork::Queue> queue) : queue_(std::move(queue)) {
        queue_->Join();
    }
    ~AwaitAtLastClose() override { queue_->Leave(); }

private:
    std::shared_ptr<PostCommitWork::Queue> queue_;
};

PostCommitWork *WorkOf(duckdb::DatabaseInstance &db) {
    auto extension = duckdb::StorageExtension::Find(duckdb::DBConfig::GetConfig(db), kStorageType);
    return extension ? static_cast<PostCommitWork *>(extension->storage_info.get()) : nullptr;
}

}  // namespace

PostCommitWork::PostCommitWork(duckdb::DatabaseInstance &db) : queue_(std::make_shared<Queue>(db)) {}

PostCommitWork::~PostCommitWork() { queue_->Stop(); }

void PostCommitWork::After(duckdb::ClientContext &context, const Engine &engine, const std::string &root,
                           Version committed) {
    auto &db = *context.db;
    Job job{engine, root, committed};
    switch (CheckpointModeOf(db)) {
    case CheckpointMode::kOff: return;
    case CheckpointMode::kInline: RunJob(db, job); return;
    case CheckpointMode::kBackground: break;
    }
    auto queue = WorkOf(db)->queue_;
    context.registered_state->GetOrCreate<AwaitAtLastClose>("birdfoot_post_commit", queue);
    queue->Add(std::move(job));
}

void PostCommitWork::Wait(duckdb::DatabaseInstance &db) {
    if (auto *work = WorkOf(db)) {
        work->queue_->Wait();
    }
}

}  // namespace birdfoot::duck
