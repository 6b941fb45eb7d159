// MemoryStore: objects in a map. For tests, and for tables that live as long as the process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "core/io/object_store.hpp"

namespace birdfoot::storage {

class MemoryStore final : public ObjectStore {
public:
    //! `now_ms` stamps what is written; the wall clock if empty.
    explicit MemoryStore(std::function<int64_t()> now_ms = {});

    Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &call) override;
    Result<ObjectInfo> Head(const std::string &path, const Call &call) override;
    Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from, const Call &call) override;
    Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &call) override;
    Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) override;
    bool failed_puts_are_final() const override { return true; }
    Status Delete(const std::string &path, const Call &call) override;
    Status DeleteFolder(const std::string &folder, const Call &call) override;

    //! Changes an object's time, as a copy of a table would; it must exist.
    void SetModified(const std::string &path, int64_t modified_ms);

private:
    struct Object {
        std::shared_ptr<const std::string> bytes;
        int64_t modified_ms = 0;
        uint64_t etag = 0;
    };
    static ObjectInfo InfoOf(std::string name, const Object &object);

    std::function<int64_t()> now_ms_;
    std::mutex mutex_;
    std::map<std::string, Object> objects_;  // std::string compares by bytes, as unsigned characters
    uint64_t next_etag_ = 1;
};

}  // namespace birdfoot::storage
