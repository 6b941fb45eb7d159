// The faults, decided in one place (Begin) and applied in another (Run).
#include "storage/fault_injecting_store.hpp"

#include <algorithm>

namespace birdfoot::storage {
namespace {

constexpr size_t kRememberedPuts = 64;

}  // namespace

void FaultInjectingStore::FailCall(uint64_t k, Fault fault) {
    const std::lock_guard lock(mutex_);
    fail_at_ = calls_ + k;
    fault_ = fault;
}

void FaultInjectingStore::FailPuts(std::string part, Fault fault, int times) {
    const std::lock_guard lock(mutex_);
    put_part_ = std::move(part);
    put_fault_ = fault;
    put_times_ = times;
}

void FaultInjectingStore::StaleLists(size_t count) {
    const std::lock_guard lock(mutex_);
    stale_ = count;
}

void FaultInjectingStore::SetBefore(std::function<void(std::string_view, const std::string &)> before) {
    const std::lock_guard lock(mutex_);
    before_ = std::move(before);
}

void FaultInjectingStore::Heal() {
    const std::lock_guard lock(mutex_);
    fail_at_ = 0;
    put_times_ = 0;
    stale_ = 0;
    dead_ = false;
}

uint64_t FaultInjectingStore::calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
}

std::optional<Fault> FaultInjectingStore::Begin(std::string_view operation, const std::string &path) {
    std::function<void(std::string_view, const std::string &)> before;
    {
        const std::lock_guard lock(mutex_);
        before = before_;
    }
    if (before) {
        before(operation, path);
    }
    const std::lock_guard lock(mutex_);
    ++calls_;
    if (dead_) {
        return Fault::kFails;
    }
    std::optional<Fault> fault;
    if (calls_ == fail_at_) {
        fault = fault_;
    } else if (operation == "put" && put_times_ > 0 && path.find(put_part_) != std::string::npos) {
        --put_times_;
        fault = put_fault_;
    }
    if (fault == Fault::kDies) {
        dead_ = true;
        return Fault::kFails;
    }
    return fault;
}

template <typename Answer, typename Do>
Answer FaultInjectingStore::Run(std::string_view operation, const std::string &path, Do &&inner_call) {
    const auto fault = Begin(operation, path);
    const auto lost = [&] { return Fail(Condition::BIRDFOOT_IO, "Injected fault: {} of {} failed.", operation, path); };
    if (fault == Fault::kFails) {
        return lost();
    }
    Answer answer = inner_call();
    if (fault == Fault::kAnswerLost) {
        return lost();
    }
    return answer;
}

std::vector<ObjectInfo> FaultInjectingStore::WithoutNewest(const std::string &folder, std::vector<ObjectInfo> listed) {
    const std::lock_guard lock(mutex_);
    const size_t hidden = std::min(stale_, put_paths_.size());
    std::erase_if(listed, [&](const ObjectInfo &info) {
        return std::find(put_paths_.end() - static_cast<ptrdiff_t>(hidden), put_paths_.end(),
                         folder + "/" + info.name) != put_paths_.end();
    });
    return listed;
}

Result<std::string> FaultInjectingStore::Get(const std::string &path, std::optional<ByteRange> range,
                                             const Call &call) {
    return Run<Result<std::string>>("get", path, [&] { return inner_->Get(path, range, call); });
}

Result<ObjectInfo> FaultInjectingStore::Head(const std::string &path, const Call &call) {
    return Run<Result<ObjectInfo>>("head", path, [&] { return inner_->Head(path, call); });
}

Result<std::vector<ObjectInfo>> FaultInjectingStore::List(const std::string &folder, const std::string &from,
                                                          const Call &call) {
    using Answer = Result<std::vector<ObjectInfo>>;
    return Run<Answer>("list", folder, [&]() -> Answer {
        BF_ASSIGN(auto listed, inner_->List(folder, from, call));
        return WithoutNewest(folder, std::move(listed));
    });
}

Result<std::vector<ObjectInfo>> FaultInjectingStore::ListRecursive(const std::string &folder, const Call &call) {
    using Answer = Result<std::vector<ObjectInfo>>;
    return Run<Answer>("list", folder, [&]() -> Answer {
        BF_ASSIGN(auto listed, inner_->ListRecursive(folder, call));
        return WithoutNewest(folder, std::move(listed));
    });
}

Result<PutResult> FaultInjectingStore::Put(const std::string &path, std::string_view bytes, PutMode mode,
                                           const Call &call) {
    return Run<Result<PutResult>>("put", path, [&] {
        auto result = inner_->Put(path, bytes, mode, call);
        if (result.ok() && *result == PutResult::kWritten) {
            const std::lock_guard lock(mutex_);
            put_paths_.push_back(path);
            if (put_paths_.size() > kRememberedPuts) {
                put_paths_.pop_front();
            }
        }
        return result;
    });
}

Status FaultInjectingStore::Delete(const std::string &path, const Call &call) {
    return Run<Status>("delete", path, [&] { return inner_->Delete(path, call); });
}

Status FaultInjectingStore::DeleteFolder(const std::string &folder, const Call &call) {
    return Run<Status>("delete", folder, [&] { return inner_->DeleteFolder(folder, call); });
}

}  // namespace birdfoot::storage
