// PostCommitWork: checkpoints, checksums and log clean-up after a commit, off the caller's path: one background thread
// a database, at most one job a table, the newest version wins. A job that fails is logged, and nothing else. The last
// connection that has committed something waits for the thread when it closes, and so does the end of the process.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/storage/storage_extension.hpp"

#include "core/io/engine.hpp"
#include "core/log/file_names.hpp"

namespace birdfoot::duck {

//! Lives in the storage extension of its database, and so as long as that.
class PostCommitWork : public duckdb::StorageExtensionInfo {
public:
    explicit PostCommitWork(duckdb::DatabaseInstance &db);
    ~PostCommitWork() override;

    //! After a commit on the table at `root`: now, later or never, as birdfoot_checkpoints says.
    static void After(duckdb::ClientContext &context, const Engine &engine, const std::string &root, Version committed);
    //! Returns when no job of this database is waiting or running.
    static void Wait(duckdb::DatabaseInstance &db);

    class Queue;

private:
    std::shared_ptr<Queue> queue_;
};

//! For whoever is about to end the process: the command line awaits what it has set going.
inline void WaitForBackgroundWork(duckdb::DatabaseInstance &db) { PostCommitWork::Wait(db); }

}  // namespace birdfoot::duck
