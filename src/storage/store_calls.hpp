// What every store says and counts alike: a missing object, a range beyond the end, the metrics of a Call.
#pragma once

#include <string>

#include "core/io/object_store.hpp"

namespace birdfoot::storage {

inline Error NoSuchObject(const std::string &path) {
    return Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "The file {} does not exist (not found).", path);
}

inline Status CheckRange(const std::string &path, const ByteRange &range, uint64_t size) {
    if (range.offset <= size && range.length <= size - range.offset) {
        return {};
    }
    return Fail(Condition::BIRDFOOT_IO, "Bytes {} to {} of {} were asked for, but it has only {}.", range.offset,
                range.offset + range.length, path, size);
}

inline void CountGet(const Call &call) {
    if (call.metrics) {
        ++call.metrics->gets;
    }
}
inline void CountHead(const Call &call) {
    if (call.metrics) {
        ++call.metrics->heads;
    }
}
inline void CountList(const Call &call) {
    if (call.metrics) {
        ++call.metrics->lists;
    }
}
inline void CountPut(const Call &call) {
    if (call.metrics) {
        ++call.metrics->puts;
    }
}
inline void CountBytes(const Call &call, uint64_t bytes) {
    if (call.metrics) {
        call.metrics->bytes_read += bytes;
    }
}

}  // namespace birdfoot::storage
