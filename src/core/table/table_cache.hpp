// TableCache: the only cache of the engine. For each path the last snapshot with its parsed tail, and the live files of
// small tables, so that a second query neither lists nor replays. What it gives is always checked against the store
// first: the snapshot's own commit must still be the same file, and the next one must not be there.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/table/snapshot.hpp"

namespace birdfoot {

using LiveFiles = std::shared_ptr<const std::vector<AddFile>>;

class TableCache {
public:
    static constexpr size_t kMaxLiveFiles = 20'000;  // of a table whose files are kept
    static constexpr size_t kMaxTables = 64;

    //! The latest snapshot of the table, from here if it is still good.
    Result<SnapshotPtr> Latest(const Engine &engine, const std::string &root, const Call &call);
    //! The live files of a snapshot with all that the log says of them; null if there are more than kMaxLiveFiles.
    Result<LiveFiles> Files(const Engine &engine, const SnapshotPtr &snapshot, const Call &call);
    //! A writer knows the newest version already, or a newer checkpoint for the version that is here.
    void Put(const SnapshotPtr &snapshot);
    void Forget(const std::string &root);

private:
    struct Entry {
        std::timed_mutex refresh;  // one thread at a time asks the store
        std::mutex mutex;          // guards what follows
        SnapshotPtr snapshot;
        SnapshotPtr files_of;  // the snapshot that `files` belongs to
        LiveFiles files;       // null: there were too many
    };
    std::shared_ptr<Entry> EntryOf(const std::string &root);

    std::mutex mutex_;
    std::list<std::string> by_use_;  // most recent first
    struct Slot {
        std::shared_ptr<Entry> entry;
        std::list<std::string>::iterator use;
    };
    std::unordered_map<std::string, Slot> tables_;
};

//! LoadSnapshot through the engine's cache, where it has one.
Result<SnapshotPtr> OpenSnapshot(const Engine &engine, const std::string &root, const VersionTarget &target,
                                 const Call &call);
//! The live files through the engine's cache; null where it has none or the table is too large: then ReplayFiles is
//! asked.
Result<LiveFiles> CachedFiles(const Engine &engine, const SnapshotPtr &snapshot, const Call &call);

}  // namespace birdfoot
