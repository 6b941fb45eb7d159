// Names of the files in _delta_log (PROTOCOL.md, "File Types").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace birdfoot {

using Version = int64_t;

inline constexpr std::string_view kLogFolder = "_delta_log";
inline constexpr std::string_view kLastCheckpoint = "_last_checkpoint";
inline constexpr std::string_view kSidecarFolder = "_sidecars";
inline constexpr std::string_view kChangeDataFolder = "_change_data";

enum class CheckpointKind : uint8_t { kClassic, kMultiPart, kV2Json, kV2Parquet };
enum class LogFileKind : uint8_t { kCommit, kCompaction, kChecksum, kCheckpoint };

struct LogFileName {
    LogFileKind kind = LogFileKind::kCommit;
    Version version = 0;      // of a compaction: its first version
    Version end_version = 0;  // of a compaction: its last version; else the same
    CheckpointKind checkpoint = CheckpointKind::kClassic;
    uint32_t part = 0;   // multi-part: 1-based
    uint32_t parts = 0;  // multi-part: how many
};

//! None for any other file.
std::optional<LogFileName> ParseLogFileName(std::string_view name);
std::string CommitFileName(Version version);
std::string ChecksumFileName(Version version);
std::string ClassicCheckpointFileName(Version version);
std::string V2CheckpointFileName(Version version, std::string_view uuid, bool json);
std::string MultiPartCheckpointFileName(Version version, uint32_t part, uint32_t parts);

}  // namespace birdfoot
