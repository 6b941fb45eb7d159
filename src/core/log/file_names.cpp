// File names of _delta_log (PROTOCOL.md, "File Types"): versions are 20 digits, so that names sort as versions do.
// Staged commits (_staged_commits) and whatever else stands there are no files of the log.
#include "core/log/file_names.hpp"

#include <charconv>

#include <fmt/format.h>

namespace birdfoot {
namespace {

constexpr size_t kVersionDigits = 20;
constexpr size_t kPartDigits = 10;

//! Takes `digits` decimal digits from the front of `text`; none if they are not there or are no version (two below the
//! largest, so that the next version is one too).
std::optional<int64_t> TakeNumber(std::string_view &text, size_t digits) {
    if (text.size() < digits) {
        return std::nullopt;
    }
    int64_t value = 0;
    const char *end = text.data() + digits;
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || text.front() == '-' || value > INT64_MAX - 2) {
        return std::nullopt;
    }
    text.remove_prefix(digits);
    return value;
}

bool Take(std::string_view &text, std::string_view prefix) {
    if (!text.starts_with(prefix)) {
        return false;
    }
    text.remove_prefix(prefix.size());
    return true;
}

//! What follows "<version>.checkpoint.": "parquet", "<part>.<parts>.parquet", "<uuid>.json" or "<uuid>.parquet".
bool ParseCheckpointRest(std::string_view rest, LogFileName &name) {
    if (rest == "parquet") {
        name.checkpoint = CheckpointKind::kClassic;
        return true;
    }
    std::string_view numbers = rest;
    const auto part = TakeNumber(numbers, kPartDigits);
    if (part && Take(numbers, ".")) {
        const auto parts = TakeNumber(numbers, kPartDigits);
        if (parts && numbers == ".parquet") {
            name.checkpoint = CheckpointKind::kMultiPart;
            name.part = static_cast<uint32_t>(*part);
            name.parts = static_cast<uint32_t>(*parts);
            return *parts <= UINT32_MAX && name.part >= 1 && name.part <= name.parts;
        }
    }
    // The unique part is a UUID by the protocol; any text without a dot is taken, since nothing depends on its form.
    const size_t dot = rest.find('.');
    if (dot == std::string_view::npos || dot == 0) {
        return false;
    }
    const auto ending = rest.substr(dot + 1);
    name.checkpoint = ending == "json" ? CheckpointKind::kV2Json : CheckpointKind::kV2Parquet;
    return ending == "json" || ending == "parquet";
}

}  // namespace

std::optional<LogFileName> ParseLogFileName(std::string_view name) {
    LogFileName parsed;
    const auto version = TakeNumber(name, kVersionDigits);
    if (!version || !Take(name, ".")) {
        return std::nullopt;
    }
    parsed.version = parsed.end_version = *version;
    if (name == "json") {
        parsed.kind = LogFileKind::kCommit;
        return parsed;
    }
    if (name == "crc") {
        parsed.kind = LogFileKind::kChecksum;
        return parsed;
    }
    if (Take(name, "checkpoint.")) {
        parsed.kind = LogFileKind::kCheckpoint;
        return ParseCheckpointRest(name, parsed) ? std::optional(parsed) : std::nullopt;
    }
    const auto end = TakeNumber(name, kVersionDigits);
    if (end && name == ".compacted.json" && *end > *version) {
        parsed.kind = LogFileKind::kCompaction;
        parsed.end_version = *end;
        return parsed;
    }
    return std::nullopt;
}

std::string CommitFileName(Version version) { return fmt::format("{:020}.json", version); }
std::string ChecksumFileName(Version version) { return fmt::format("{:020}.crc", version); }
std::string ClassicCheckpointFileName(Version version) { return fmt::format("{:020}.checkpoint.parquet", version); }
std::string V2CheckpointFileName(Version version, std::string_view uuid, bool json) {
    return fmt::format("{:020}.checkpoint.{}.{}", version, uuid, json ? "json" : "parquet");
}
std::string MultiPartCheckpointFileName(Version version, uint32_t part, uint32_t parts) {
    return fmt::format("{:020}.checkpoint.{:010}.{:010}.parquet", version, part, parts);
}

}  // namespace birdfoot
