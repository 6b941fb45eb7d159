// Reading checkpoints (PROTOCOL.md, "Checkpoints"): classic, multi-part and V2 ones, as columns. What the commits after
// the checkpoint say comes in as the set of keys that they have named; rows with such a key are passed over.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/log/key_set.hpp"
#include "core/log/replay.hpp"

namespace birdfoot {

//! Errors of the functions below that are the checkpoint's fault are known by this; BIRDFOOT_UNSUPPORTED (no Parquet
//! reader), a cancelled call and the visitor's own errors are not.
bool BlamesCheckpoint(const Error &error, const LogSegment &segment);

//! Runs `run(segment, &may_retry)`. Where it fails because the checkpoint cannot be read, it runs again on an older one
//! and the commits after that, unless it has set `may_retry` to false.
template <typename Run>
auto WithOlderCheckpoint(const Engine &engine, const LogSegment &segment, const Call &call, Run run)
    -> decltype(run(segment, static_cast<bool *>(nullptr))) {
    bool may_retry = true;
    auto result = run(segment, &may_retry);
    LogSegment current;
    std::set<std::string> damaged;
    for (const LogSegment *tried = &segment; !result.ok() && may_retry && BlamesCheckpoint(result.error(), *tried);
         tried = &current) {
        damaged.insert(tried->checkpoint->files.front());
        auto older = OlderSegment(engine, segment, damaged, call);
        if (!older.ok()) {
            return result;  // what went wrong first says more
        }
        current = *std::move(older);
        result = run(current, &may_retry);
    }
    return result;
}

Result<TableState> ReadCheckpointState(const Engine &engine, const LogSegment &segment, const Call &call);
Result<TableExtras> ReadCheckpointExtras(const Engine &engine, const LogSegment &segment, const Call &call);
//! Full paths of the sidecars that the checkpoint names.
Result<std::vector<std::string>> CheckpointSidecars(const Engine &engine, const LogSegment &segment, const Call &call);
//! `see` is told the size of every live file, `emit` gets those whose partition is kept.
Status ReadCheckpointFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                           const KeySet &seen, const std::function<void(int64_t)> &see,
                           const std::function<Status(AddFile &&)> &emit, const Call &call);
Status ReadCheckpointTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                                const KeySet &seen, const std::function<Status(RemoveFile &&)> &visit,
                                const Call &call);

}  // namespace birdfoot
