// PendingFiles: a deletion that fails leaves an orphan for VACUUM; it never fails a statement, and it is not cancelled
// with it.
#include "core/txn/pending_files.hpp"

#include <algorithm>

namespace birdfoot {

PendingFiles::~PendingFiles() { AbandonAll(); }

void PendingFiles::Writing(std::string path) {
    const std::lock_guard lock(mutex_);
    paths_.push_back(std::move(path));
}

void PendingFiles::Abandon(const std::string &path) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = std::find(paths_.begin(), paths_.end(), path);
        if (found == paths_.end()) {
            return;  // not ours, or no longer
        }
        paths_.erase(found);
    }
    (void)store_->Delete(path, Call());
}

void PendingFiles::Committed() {
    const std::lock_guard lock(mutex_);
    paths_.clear();
}

void PendingFiles::Unknown() {
    const std::lock_guard lock(mutex_);
    paths_.clear();
}

void PendingFiles::AbandonAll() {
    std::vector<std::string> paths;
    {
        const std::lock_guard lock(mutex_);
        paths.swap(paths_);
    }
    for (const auto &path : paths) {
        (void)store_->Delete(path, Call());
    }
}

}  // namespace birdfoot
