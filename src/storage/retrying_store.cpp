// Retries with exponential, jittered delays; a full disk is not retried, and neither is anything after a cancel.
#include "storage/retrying_store.hpp"

#include <algorithm>
#include <random>
#include <thread>

namespace birdfoot::storage {

RetryingStore::RetryingStore(std::shared_ptr<ObjectStore> inner, RetryPolicy policy)
    : inner_(std::move(inner)), policy_(std::move(policy)) {
    if (!policy_.sleep) {
        policy_.sleep = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); };
    }
}

template <typename Do>
auto RetryingStore::Repeat(const Call &call, Do &&attempt) {
    thread_local std::minstd_rand random{std::random_device{}()};
    auto result = attempt();
    auto delay = policy_.first_delay;
    for (int tried = 1; tried < policy_.attempts; ++tried) {
        if (result.ok() || result.error().condition() != Condition::BIRDFOOT_IO || !call.Check().ok()) {
            break;
        }
        const auto half = delay.count() / 2;
        policy_.sleep(std::chrono::milliseconds(half + std::uniform_int_distribution<long>(0, half)(random)));
        delay = std::min(delay * 2, policy_.longest_delay);
        result = attempt();
    }
    return result;
}

Result<std::string> RetryingStore::Get(const std::string &path, std::optional<ByteRange> range, const Call &call) {
    return Repeat(call, [&] { return inner_->Get(path, range, call); });
}

Result<ObjectInfo> RetryingStore::Head(const std::string &path, const Call &call) {
    return Repeat(call, [&] { return inner_->Head(path, call); });
}

Result<std::vector<ObjectInfo>> RetryingStore::List(const std::string &folder, const std::string &from,
                                                    const Call &call) {
    return Repeat(call, [&] { return inner_->List(folder, from, call); });
}

Result<std::vector<ObjectInfo>> RetryingStore::ListRecursive(const std::string &folder, const Call &call) {
    return Repeat(call, [&] { return inner_->ListRecursive(folder, call); });
}

Result<std::vector<std::string>> RetryingStore::ListFolders(const std::string &folder, const Call &call) {
    return Repeat(call, [&] { return inner_->ListFolders(folder, call); });
}

Result<PutResult> RetryingStore::Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) {
    if (mode == PutMode::kCreateOnly) {
        return inner_->Put(path, bytes, mode, call);
    }
    return Repeat(call, [&] { return inner_->Put(path, bytes, mode, call); });
}

Status RetryingStore::Delete(const std::string &path, const Call &call) {
    return Repeat(call, [&] { return inner_->Delete(path, call); });
}

Status RetryingStore::DeleteFolder(const std::string &folder, const Call &call) {
    return Repeat(call, [&] { return inner_->DeleteFolder(folder, call); });
}

}  // namespace birdfoot::storage
