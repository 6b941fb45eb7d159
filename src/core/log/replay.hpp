// Replay: from the files of a LogSegment to the state of the table (PROTOCOL.md, "Action Reconciliation"). A checkpoint
// is streamed as columns against a hash of the tail's keys alone, so memory grows with the tail and with what is kept,
// never with the table.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/log/log_segment.hpp"

namespace birdfoot {

//! The small part of a table's state.
struct TableState {
    std::optional<Protocol> protocol;
    std::optional<Metadata> metadata;
    std::optional<CommitInfo> last_commit_info;  // of the segment's version, if its commit file is there
};

//! Protocol and metadata: from the tail, else from the checkpoint, of which only those columns are read.
Result<TableState> ReplayState(const Engine &engine, const LogSegment &segment, const Call &call);
//! The same without looking for an older checkpoint where this one cannot be read.
Result<TableState> ReplayStateOnce(const Engine &engine, const LogSegment &segment, const Call &call);
//! What the commits after `after` say alone; the checkpoint is not read.
Result<TableState> ReplayStateSince(const Engine &engine, const LogSegment &segment, Version after, const Call &call);

//! What ReplayFiles is to give.
struct FileRequest {
    //! Tells, from the partition values alone, whether a file may be kept; empty: all. It is asked once a distinct set
    //! of values where that is cheap, and before the rest of a file's columns is read.
    std::function<bool(const PartitionValues &)> keep;
    //! Tells from the file as a whole (statistics included, if asked for); empty: all.
    std::function<bool(const AddFile &)> keep_file;
    bool statistics = true;  // fill AddFile::stats (from stats_parsed where the JSON text is missing)
    bool tags = true;
};

struct FileCounts {
    uint64_t seen = 0;  // live files, kept or not
    uint64_t kept = 0;
    uint64_t seen_bytes = 0;
    uint64_t kept_bytes = 0;
};

//! Visits the live files of the version, in no particular order.
Result<FileCounts> ReplayFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                               const std::function<Status(AddFile &&)> &visit, const Call &call);

//! Everything else that a checkpoint must hold.
struct TableExtras {
    std::map<std::string, SetTransaction> transactions;  // by app id
    std::map<std::string, DomainMetadata> domains;       // live ones, by domain
};
Result<TableExtras> ReplayExtras(const Engine &engine, const LogSegment &segment, const Call &call);
//! The tombstones not older than `expired_before_ms` (deletion timestamp, milliseconds).
Status ReplayTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                        const std::function<Status(RemoveFile &&)> &visit, const Call &call);

}  // namespace birdfoot
