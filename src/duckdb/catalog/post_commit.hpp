// PostCommitWork: checkpoints, checksums and log clean-up after a commit, off the caller's path: one background thread a
// database, at most one job a table, the newest version wins. A job that fails is logged, and nothing else.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "duckdb.hpp"
#include "duckdb/storage/object_cache.hpp"

#include "core/io/engine.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot::duck {

class PostCommitWork : public duckdb::ObjectCacheEntry {
public:
    static duckdb::shared_ptr<PostCommitWork> Of(duckdb::DatabaseInstance &db);
    explicit PostCommitWork(duckdb::DatabaseInstance &db);
    ~PostCommitWork() override;

    //! After a commit on the table of `before` (null for a new table at `root`): now, later or never, as
    //! birdfoot_checkpoints says.
    void After(const Engine &engine, const std::string &root, SnapshotPtr before, Version committed);
    //! Returns when no job is waiting or running.
    void Wait();

    static duckdb::string ObjectType() { return "birdfoot_post_commit"; }
    duckdb::string GetObjectType() override { return ObjectType(); }
    duckdb::optional_idx GetEstimatedCacheMemory() const override { return {}; }  // never evicted

private:
    struct Queue;
    std::shared_ptr<Queue> queue_;
};

//! For whoever is about to end the process: the command line awaits what it has set going.
void WaitForBackgroundWork(duckdb::DatabaseInstance &db);

}  // namespace birdfoot::duck
