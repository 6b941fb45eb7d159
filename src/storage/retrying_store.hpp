// RetryingStore: a decorator that tries again what failed with an I/O error, where trying again is harmless: reads,
// lists, overwrites, deletes. A create-only put is never repeated here: after an unclear answer only its caller can
// tell from the content whose object it found.
#pragma once

#include <chrono>
#include <functional>

#include "core/io/object_store.hpp"

namespace birdfoot::storage {

struct RetryPolicy {
    int attempts = 4;                            // the first one included
    std::chrono::milliseconds first_delay{100};  // doubled each time, with jitter
    std::chrono::milliseconds longest_delay{5000};
    //! Sleeps; replaced by tests.
    std::function<void(std::chrono::milliseconds)> sleep;
};

class RetryingStore final : public ObjectStore {
public:
    explicit RetryingStore(std::shared_ptr<ObjectStore> inner, RetryPolicy policy = {});

    Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &call) override;
    Result<ObjectInfo> Head(const std::string &path, const Call &call) override;
    Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from, const Call &call) override;
    Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &call) override;
    Result<std::vector<std::string>> ListFolders(const std::string &folder, const Call &call) override;
    Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) override;
    bool failed_puts_are_final() const override { return inner_->failed_puts_are_final(); }
    Status Delete(const std::string &path, const Call &call) override;
    Status DeleteFolder(const std::string &folder, const Call &call) override;

private:
    template <typename Do>
    auto Repeat(const Call &call, Do &&attempt);

    std::shared_ptr<ObjectStore> inner_;
    RetryPolicy policy_;
};

}  // namespace birdfoot::storage
