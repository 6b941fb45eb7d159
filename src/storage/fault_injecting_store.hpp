// FaultInjectingStore: a decorator for tests. It fails chosen calls in the ways in which real stores fail: nothing
// happened, it happened but the answer was lost, everything fails from here on, lists that do not show the newest
// objects.
#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "core/io/object_store.hpp"

namespace birdfoot::storage {

enum class Fault : uint8_t {
    kFails,       // BIRDFOOT_IO, nothing happened
    kAnswerLost,  // it happened, but the caller gets BIRDFOOT_IO
    kDies,        // kFails for this call and all that follow, as if the process had been killed
};

class FaultInjectingStore final : public ObjectStore {
public:
    explicit FaultInjectingStore(std::shared_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

    //! The k-th call from now on (1 is the next) fails.
    void FailCall(uint64_t k, Fault fault);
    //! The next `times` puts whose path contains `part` fail.
    void FailPuts(std::string part, Fault fault, int times);
    //! Lists leave out the last `count` objects that were put through this store.
    void StaleLists(size_t count);
    //! Runs before each call, outside of any lock; it may use the store (for interleavings).
    void SetBefore(std::function<void(std::string_view operation, const std::string &path)> before);
    //! All faults are over.
    void Heal();
    uint64_t calls() const;

    Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &call) override;
    Result<ObjectInfo> Head(const std::string &path, const Call &call) override;
    Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from, const Call &call) override;
    Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &call) override;
    Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) override;
    Status Delete(const std::string &path, const Call &call) override;
    Status DeleteFolder(const std::string &folder, const Call &call) override;

private:
    std::optional<Fault> Begin(std::string_view operation, const std::string &path);
    template <typename Answer, typename Do>
    Answer Run(std::string_view operation, const std::string &path, Do &&inner_call);
    std::vector<ObjectInfo> WithoutNewest(const std::string &folder, std::vector<ObjectInfo> listed);

    std::shared_ptr<ObjectStore> inner_;
    mutable std::mutex mutex_;
    uint64_t calls_ = 0;
    uint64_t fail_at_ = 0;  // 0: none
    Fault fault_ = Fault::kFails;
    bool dead_ = false;
    std::string put_part_;
    Fault put_fault_ = Fault::kFails;
    int put_times_ = 0;
    size_t stale_ = 0;
    std::deque<std::string> put_paths_;  // the last ones, newest at the end
    std::function<void(std::string_view, const std::string &)> before_;
};

}  // namespace birdfoot::storage
