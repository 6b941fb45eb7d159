// Snapshot: one version of a table: protocol, metadata, parsed schema and the log files that make it up. Immutable and
// shared; it holds no files, engine or cache. Everything else about a table is a function that takes a const Snapshot&.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/io/engine.hpp"
#include "core/log/actions.hpp"
#include "core/log/log_segment.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"

namespace birdfoot {

//! Which version is wanted.
struct LatestVersion {};
struct AtVersion {
    Version version;
};
//! The last version committed at or before this time.
struct AtTimestamp {
    int64_t micros;             // since the epoch
    bool whole_second = false;  // the text had no fraction: for a time before the first commit, its second counts (S47)
};
using VersionTarget = std::variant<LatestVersion, AtVersion, AtTimestamp>;

class Snapshot {
public:
    Snapshot(std::string root, LogSegment segment, Protocol protocol, Metadata metadata, StructType schema,
             ColumnMappingMode mapping, std::optional<int64_t> in_commit_timestamp)
        : root_(std::move(root)),
          segment_(std::move(segment)),
          protocol_(std::move(protocol)),
          metadata_(std::move(metadata)),
          schema_(std::move(schema)),
          mapping_(mapping),
          in_commit_timestamp_(in_commit_timestamp) {}

    const std::string &root() const { return root_; }  // full path, no trailing slash
    Version version() const { return segment_.version; }
    const LogSegment &segment() const { return segment_; }
    const Protocol &protocol() const { return protocol_; }
    const Metadata &metadata() const { return metadata_; }
    const StructType &schema() const { return schema_; }  // logical; partition columns included
    ColumnMappingMode mapping() const { return mapping_; }
    //! The property's value, if the table sets it.
    std::optional<std::string> Property(const std::string &key) const;
    bool IsPartitionColumn(std::string_view logical_name) const;
    //! Milliseconds since the epoch: the in-commit timestamp where the version has one, else the commit file's time.
    int64_t timestamp_ms() const;
    std::optional<int64_t> in_commit_timestamp() const { return in_commit_timestamp_; }

private:
    std::string root_;
    LogSegment segment_;
    Protocol protocol_;
    Metadata metadata_;
    StructType schema_;
    ColumnMappingMode mapping_;
    std::optional<int64_t> in_commit_timestamp_;
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

//! Normalises what a user wrote: "file:///a%20b/" and "/a b/" are "/a b"; relative paths are made absolute.
std::string NormalizeTableRoot(std::string_view path);

//! Loads a version of the table at `root`: one listing, the tail, protocol and metadata from the checkpoint, features
//! gated. DELTA_MISSING_DELTA_TABLE / DELTA_PATH_DOES_NOT_EXIST where there is no table, DELTA_VERSION_NOT_FOUND with
//! the range there is, DELTA_TIMESTAMP_*, DELTA_UNSUPPORTED_FEATURES_FOR_READ with the features' names,
//! DELTA_VERSIONS_NOT_CONTIGUOUS, DELTA_STATE_RECOVER_ERROR (no protocol or metadata).
Result<SnapshotPtr> LoadSnapshot(const Engine &engine, const std::string &root, const VersionTarget &target,
                                 const Call &call);
//! The latest version, given one loaded earlier: looks only at what is new, and loads anew where `earlier` is no longer
//! what the log says (the table was removed and made again).
Result<SnapshotPtr> UpdateSnapshot(const Engine &engine, const SnapshotPtr &earlier, const Call &call);
//! True if there is a Delta table at `root`. A missing path is false, not an error.
Result<bool> IsDeltaTable(const Engine &engine, const std::string &root, const Call &call);

}  // namespace birdfoot
