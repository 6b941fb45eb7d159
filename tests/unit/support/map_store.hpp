// A store in a map, for tests of the log: times are set by hand, calls are counted, files can be hidden from listings
// as a stale listing would, and reads can be made to fail.
#pragma once

#include <map>
#include <mutex>
#include <set>

#include "core/io/engine.hpp"

namespace birdfoot::test {

class MapStore : public ObjectStore {
public:
    struct Object {
        std::string bytes;
        int64_t modified_ms = 0;
    };
    std::map<std::string, Object> objects;
    std::set<std::string> hidden;  // full paths that List leaves out
    int64_t now_ms = 1'000;        // time of the next Put
    int gets = 0, heads = 0, lists = 0, puts = 0;

    void Set(const std::string &path, std::string bytes, std::optional<int64_t> modified_ms = std::nullopt) {
        objects[path] = {std::move(bytes), modified_ms.value_or(now_ms)};
    }

    Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &) override {
        std::lock_guard lock(mutex_);
        ++gets;
        const auto it = objects.find(path);
        if (it == objects.end()) {
            return Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "There is no {}.", path);
        }
        return range ? it->second.bytes.substr(range->offset, range->length) : it->second.bytes;
    }
    Result<ObjectInfo> Head(const std::string &path, const Call &) override {
        std::lock_guard lock(mutex_);
        ++heads;
        const auto it = objects.find(path);
        if (it == objects.end()) {
            return Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "There is no {}.", path);
        }
        return ObjectInfo{path.substr(path.rfind('/') + 1), it->second.bytes.size(), it->second.modified_ms, ""};
    }
    Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from, const Call &) override {
        std::lock_guard lock(mutex_);
        ++lists;
        std::vector<ObjectInfo> found;
        for (auto it = objects.lower_bound(folder + "/" + from); it != objects.end(); ++it) {
            if (!it->first.starts_with(folder + "/")) {
                break;
            }
            auto name = it->first.substr(folder.size() + 1);
            if (name.find('/') == std::string::npos && !hidden.contains(it->first)) {
                found.push_back({std::move(name), it->second.bytes.size(), it->second.modified_ms, ""});
            }
        }
        return found;
    }
    Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &) override {
        std::lock_guard lock(mutex_);
        ++lists;
        std::vector<ObjectInfo> found;
        for (auto it = objects.lower_bound(folder + "/"); it != objects.end() && it->first.starts_with(folder + "/");
             ++it) {
            found.push_back({it->first.substr(folder.size() + 1), it->second.bytes.size(), it->second.modified_ms, ""});
        }
        return found;
    }
    Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &) override {
        std::lock_guard lock(mutex_);
        ++puts;
        if (mode == PutMode::kCreateOnly && objects.contains(path)) {
            return PutResult::kAlreadyExists;
        }
        objects[path] = {std::string(bytes), now_ms};
        return PutResult::kWritten;
    }
    Status Delete(const std::string &path, const Call &) override {
        std::lock_guard lock(mutex_);
        objects.erase(path);
        return {};
    }
    Status DeleteFolder(const std::string &folder, const Call &) override {
        std::lock_guard lock(mutex_);
        std::erase_if(objects, [&](const auto &entry) { return entry.first.starts_with(folder + "/"); });
        return {};
    }

private:
    std::mutex mutex_;
};

}  // namespace birdfoot::test
