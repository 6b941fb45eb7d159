// ReadSet: reads are registered from any thread of a statement.
#include "core/txn/read_set.hpp"

#include <algorithm>

namespace birdfoot {

size_t ReadSet::AddRead() {
    const std::lock_guard lock(mutex_);
    reads_.emplace_back();
    return reads_.size() - 1;
}

void ReadSet::Narrow(size_t read, Predicate predicate) {
    const std::lock_guard lock(mutex_);
    if (read < reads_.size() && !reads_[read].narrowed) {
        reads_[read].predicate = std::move(predicate);
        reads_[read].narrowed = true;
    }
}

void ReadSet::TouchesWhatItReads(size_t read) {
    const std::lock_guard lock(mutex_);
    if (read < reads_.size()) {
        reads_[read].touched = true;
    }
}

bool ReadSet::touched_is_read() const {
    const std::lock_guard lock(mutex_);
    return !reads_.empty() && std::all_of(reads_.begin(), reads_.end(), [](const Read &read) { return read.touched; });
}

void ReadSet::ReadTransaction(std::string app_id) {
    const std::lock_guard lock(mutex_);
    app_ids_.insert(std::move(app_id));
}

bool ReadSet::empty() const {
    const std::lock_guard lock(mutex_);
    return reads_.empty();
}

bool ReadSet::reads_whole_table() const {
    const std::lock_guard lock(mutex_);
    for (const auto &read : reads_) {
        if (read.predicate.is_true() || read.predicate.kind == PredicateKind::kUnknown) {
            return true;
        }
    }
    return false;
}

std::vector<Predicate> ReadSet::predicates() const {
    const std::lock_guard lock(mutex_);
    std::vector<Predicate> predicates;
    predicates.reserve(reads_.size());
    for (const auto &read : reads_) {
        predicates.push_back(read.predicate);
    }
    return predicates;
}

std::set<std::string> ReadSet::app_ids() const {
    const std::lock_guard lock(mutex_);
    return app_ids_;
}

}  // namespace birdfoot
