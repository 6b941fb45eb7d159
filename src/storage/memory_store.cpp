// The map of objects, under one lock; bytes are shared so that a Get copies outside of it.
#include "storage/memory_store.hpp"

#include <chrono>

#include "storage/store_calls.hpp"

namespace birdfoot::storage {

MemoryStore::MemoryStore(std::function<int64_t()> now_ms) : now_ms_(std::move(now_ms)) {
    if (!now_ms_) {
        now_ms_ = [] {
            const auto now = std::chrono::system_clock::now().time_since_epoch();
            return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
        };
    }
}

ObjectInfo MemoryStore::InfoOf(std::string name, const Object &object) {
    return {std::move(name), object.bytes->size(), object.modified_ms, std::to_string(object.etag)};
}

Result<std::string> MemoryStore::Get(const std::string &path, std::optional<ByteRange> range, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountGet(call);
    std::shared_ptr<const std::string> bytes;
    {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(path);
        if (found == objects_.end()) {
            return NoSuchObject(path);
        }
        bytes = found->second.bytes;
    }
    if (!range) {
        range = ByteRange{0, bytes->size()};
    }
    BF_RETURN_IF_ERROR(CheckRange(path, *range, bytes->size()));
    CountBytes(call, range->length);
    return bytes->substr(range->offset, range->length);
}

Result<ObjectInfo> MemoryStore::Head(const std::string &path, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountHead(call);
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(path);
    if (found == objects_.end()) {
        return NoSuchObject(path);
    }
    return InfoOf(path.substr(path.rfind('/') + 1), found->second);
}

Result<std::vector<ObjectInfo>> MemoryStore::List(const std::string &folder, const std::string &from,
                                                  const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountList(call);
    const std::string prefix = folder + "/";
    std::vector<ObjectInfo> found;
    const std::lock_guard lock(mutex_);
    for (auto it = objects_.lower_bound(prefix + from); it != objects_.end() && it->first.starts_with(prefix);) {
        std::string name = it->first.substr(prefix.size());
        if (const auto slash = name.find('/'); slash != std::string::npos) {
            it = objects_.lower_bound(prefix + name.substr(0, slash) + static_cast<char>('/' + 1));
            continue;
        }
        found.push_back(InfoOf(std::move(name), it->second));
        ++it;
    }
    return found;
}

Result<std::vector<ObjectInfo>> MemoryStore::ListRecursive(const std::string &folder, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountList(call);
    const std::string prefix = folder + "/";
    std::vector<ObjectInfo> found;
    const std::lock_guard lock(mutex_);
    for (auto it = objects_.lower_bound(prefix); it != objects_.end() && it->first.starts_with(prefix); ++it) {
        found.push_back(InfoOf(it->first.substr(prefix.size()), it->second));
    }
    return found;
}

Result<PutResult> MemoryStore::Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    CountPut(call);
    auto content = std::make_shared<const std::string>(bytes);
    const std::lock_guard lock(mutex_);
    if (mode == PutMode::kCreateOnly && objects_.contains(path)) {
        return PutResult::kAlreadyExists;
    }
    objects_[path] = {std::move(content), now_ms_(), next_etag_++};
    return PutResult::kWritten;
}

Status MemoryStore::Delete(const std::string &path, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const std::lock_guard lock(mutex_);
    objects_.erase(path);
    return {};
}

Status MemoryStore::DeleteFolder(const std::string &folder, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const std::string prefix = folder + "/";
    const std::lock_guard lock(mutex_);
    for (auto it = objects_.lower_bound(prefix); it != objects_.end() && it->first.starts_with(prefix);) {
        it = objects_.erase(it);
    }
    return {};
}

void MemoryStore::SetModified(const std::string &path, int64_t modified_ms) {
    const std::lock_guard lock(mutex_);
    objects_.at(path).modified_ms = modified_ms;
}

}  // namespace birdfoot::storage
