// Version checksum files, <version>.crc (PROTOCOL.md, "Version Checksum File"): sums over a version's state in one
// small JSON file. They are read to be checked and to spare a count; what they say never overrides the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/log/replay.hpp"

namespace birdfoot {

struct Checksum {
    std::optional<std::string> txn_id;
    int64_t table_size_bytes = 0;
    int64_t num_files = 0;
    int64_t num_metadata = 1;
    int64_t num_protocol = 1;
    std::optional<int64_t> in_commit_timestamp;
    std::optional<std::vector<SetTransaction>> transactions;
    std::optional<std::vector<DomainMetadata>> domains;
    Metadata metadata;
    Protocol protocol;
    std::optional<int64_t> num_deleted_records;  // sum of the vectors' cardinalities
    std::optional<int64_t> num_deletion_vectors;
};

//! None for anything that is no complete checksum.
std::optional<Checksum> ParseChecksum(std::string_view text);
//! In the order of delta-spark's fields.
std::string ChecksumToJson(const Checksum &checksum);

//! The segment's checksum, where there is one and it agrees with the protocol and metadata that the log says.
Result<std::optional<Checksum>> ReadChecksum(const Engine &engine, const LogSegment &segment, const Protocol &protocol,
                                             const Metadata &metadata, const Call &call);

//! Writes <version>.crc: from the previous version's where that is there and good, else by counting where the table has
//! no more than kMaxCountedFiles files. False if neither is possible, or if the file is there already.
inline constexpr uint64_t kMaxCountedFiles = 1'000;
Result<bool> WriteChecksum(const Engine &engine, const LogSegment &segment, const Protocol &protocol,
                           const Metadata &metadata, const Call &call);

}  // namespace birdfoot
