// Call: what travels with every function that does I/O, so that a user can stop it, bound it and see what it cost.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "core/base/result.hpp"

namespace birdfoot {

//! What a call cost; counters may be raised from several threads.
struct CallMetrics {
    std::atomic<uint64_t> gets{0};
    std::atomic<uint64_t> heads{0};
    std::atomic<uint64_t> lists{0};
    std::atomic<uint64_t> puts{0};
    std::atomic<uint64_t> bytes_read{0};
};

struct Call {
    //! True once the user has asked to stop; may be empty. Called often, so it must be cheap and thread-safe.
    std::function<bool()> cancelled;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    CallMetrics *metrics = nullptr;  // not owned, may be null

    //! BIRDFOOT_CANCELLED when the user or the deadline says stop.
    Status Check() const {
        if (cancelled && cancelled()) {
            return Fail(Condition::BIRDFOOT_CANCELLED, "The statement was cancelled.");
        }
        if (deadline && std::chrono::steady_clock::now() > *deadline) {
            return Fail(Condition::BIRDFOOT_CANCELLED, "The statement ran out of its time.");
        }
        return {};
    }
};

}  // namespace birdfoot
