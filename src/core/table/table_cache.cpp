// A refresh asks for two objects by name and lists nothing; see UpdateSnapshot.
#include "core/table/table_cache.hpp"

#include <unordered_set>

#include "core/log/replay.hpp"

namespace birdfoot {
namespace {

constexpr auto kWait = std::chrono::milliseconds(20);

//! True if both are the same version of the same table, not of one made again under its path.
bool SameVersion(const Snapshot &a, const Snapshot &b) {
    return a.root() == b.root() && a.version() == b.version() && a.metadata().id == b.metadata().id &&
           a.segment().last_commit.size == b.segment().last_commit.size &&
           a.segment().last_commit.modified_ms == b.segment().last_commit.modified_ms &&
           a.segment().last_commit.etag == b.segment().last_commit.etag;
}

//! True if `later` holds, parsed, every commit after `earlier` and continues the same log.
bool Continues(const Snapshot &later, const Snapshot &earlier) {
    const auto &tail = later.segment().tail;
    if (later.version() <= earlier.version() || later.segment().first_in_tail() > earlier.version() + 1 ||
        tail.empty()) {
        return false;
    }
    for (const auto &commit : later.segment().commits) {
        const auto name = ParseLogFileName(commit.name);
        if (name && name->version == earlier.version()) {
            const auto &last = earlier.segment().last_commit;
            return commit.size == last.size && commit.modified_ms == last.modified_ms && commit.etag == last.etag;
        }
    }
    return later.segment().checkpoint && later.segment().checkpoint->version == earlier.version() &&
           later.segment().checkpoint->files ==
               (earlier.segment().checkpoint ? earlier.segment().checkpoint->files : std::vector<std::string>());
}

//! The files of `earlier` with the commits of `later` applied.
LiveFiles ApplyCommits(const std::vector<AddFile> &files, const Snapshot &earlier, const Snapshot &later) {
    std::unordered_set<std::string> touched;
    std::vector<const AddFile *> added;
    const auto &tail = later.segment().tail;
    for (auto commit = tail.rbegin(); commit != tail.rend() && (*commit)->version > earlier.version(); ++commit) {
        for (auto it = (*commit)->actions.rbegin(); it != (*commit)->actions.rend(); ++it) {
            if (const auto *add = std::get_if<AddFile>(&*it)) {
                if (touched.insert(FileKey(add->path, add->deletion_vector)).second) {
                    added.push_back(add);
                }
            } else if (const auto *remove = std::get_if<RemoveFile>(&*it)) {
                touched.insert(FileKey(remove->path, remove->deletion_vector));
            }
        }
    }
    auto result = std::make_shared<std::vector<AddFile>>();
    result->reserve(files.size() + added.size());
    for (const auto &file : files) {
        if (!touched.contains(FileKey(file.path, file.deletion_vector))) {
            result->push_back(file);
        }
    }
    for (auto it = added.rbegin(); it != added.rend(); ++it) {
        result->push_back(**it);
    }
    return result;
}

//! Null if there are too many.
Result<LiveFiles> ReadFiles(const Engine &engine, const Snapshot &snapshot, const Call &call) {
    auto files = std::make_shared<std::vector<AddFile>>();
    bool too_many = false;
    const auto counts = ReplayFiles(
        engine, snapshot.segment(), {},
        [&](AddFile &&add) -> Status {
            if (files->size() == TableCache::kMaxLiveFiles) {
                too_many = true;
                return Fail(Condition::BIRDFOOT_CANCELLED, "There are too many files to keep.");
            }
            files->push_back(std::move(add));
            return {};
        },
        call);
    if (too_many) {
        return LiveFiles();
    }
    if (!counts.ok()) {
        return counts.error();
    }
    return LiveFiles(std::move(files));
}

}  // namespace

std::shared_ptr<TableCache::Entry> TableCache::EntryOf(const std::string &root) {
    std::lock_guard lock(mutex_);
    const auto known = tables_.find(root);
    if (known != tables_.end()) {
        by_use_.splice(by_use_.begin(), by_use_, known->second.use);
        return known->second.entry;
    }
    if (tables_.size() >= kMaxTables) {
        tables_.erase(by_use_.back());
        by_use_.pop_back();
    }
    by_use_.push_front(root);
    return tables_.emplace(root, Slot{std::make_shared<Entry>(), by_use_.begin()}).first->second.entry;
}

Result<SnapshotPtr> TableCache::Latest(const Engine &engine, const std::string &root, const Call &call) {
    const auto entry = EntryOf(root);
    std::unique_lock refresh(entry->refresh, std::defer_lock);
    while (!refresh.try_lock_for(kWait)) {
        BF_RETURN_IF_ERROR(call.Check());
    }
    SnapshotPtr known;
    {
        std::lock_guard lock(entry->mutex);
        known = entry->snapshot;
    }
    auto latest = known ? UpdateSnapshot(engine, known, call) : LoadSnapshot(engine, root, LatestVersion(), call);
    std::lock_guard lock(entry->mutex);
    if (!latest.ok()) {
        entry->snapshot = entry->files_of = nullptr;
        entry->files = nullptr;
    } else {
        entry->snapshot = *latest;
    }
    return latest;
}

Result<LiveFiles> TableCache::Files(const Engine &engine, const SnapshotPtr &snapshot, const Call &call) {
    const auto entry = EntryOf(snapshot->root());
    SnapshotPtr known;
    LiveFiles files;
    {
        std::lock_guard lock(entry->mutex);
        known = entry->files_of;
        files = entry->files;
    }
    if (known && SameVersion(*known, *snapshot)) {
        return files;
    }
    if (known && files && Continues(*snapshot, *known)) {
        files = ApplyCommits(*files, *known, *snapshot);
        if (files->size() > kMaxLiveFiles) {
            files = nullptr;
        }
    } else if (known && !files && Continues(*snapshot, *known)) {
        // There were too many, and few commits change that; a newer checkpoint makes us look again.
    } else {
        BF_ASSIGN(files, ReadFiles(engine, *snapshot, call));
    }
    std::lock_guard lock(entry->mutex);
    // A reader of an older version takes nothing from those of the newest.
    if (!entry->files_of || entry->files_of == known || entry->files_of->version() <= snapshot->version()) {
        if (!entry->snapshot || snapshot->version() >= entry->snapshot->version()) {
            entry->files_of = snapshot;
            entry->files = files;
        }
    }
    return files;
}

void TableCache::Put(const SnapshotPtr &snapshot) {
    const auto entry = EntryOf(snapshot->root());
    std::lock_guard lock(entry->mutex);
    if (!entry->snapshot || entry->snapshot->version() < snapshot->version() ||
        (SameVersion(*entry->snapshot, *snapshot) &&
         entry->snapshot->segment().first_in_tail() < snapshot->segment().first_in_tail())) {
        entry->snapshot = snapshot;
    }
}

void TableCache::Forget(const std::string &root) {
    std::lock_guard lock(mutex_);
    const auto known = tables_.find(root);
    if (known != tables_.end()) {
        by_use_.erase(known->second.use);
        tables_.erase(known);
    }
}

Result<SnapshotPtr> OpenSnapshot(const Engine &engine, const std::string &root, const VersionTarget &target,
                                 const Call &call) {
    if (!engine.cache || !std::holds_alternative<LatestVersion>(target)) {
        return LoadSnapshot(engine, root, target, call);
    }
    return engine.cache->Latest(engine, root, call);
}

Result<LiveFiles> CachedFiles(const Engine &engine, const SnapshotPtr &snapshot, const Call &call) {
    return engine.cache ? engine.cache->Files(engine, snapshot, call) : Result<LiveFiles>(LiveFiles());
}

}  // namespace birdfoot
