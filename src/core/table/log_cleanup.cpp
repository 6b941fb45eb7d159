// The rules of the protocol, with one more: the checkpoint that history is cut at must really be readable, since what it
// stands for is deleted. Staged commits are left alone: they belong to catalog-managed tables.
#include "core/table/log_cleanup.hpp"

#include <algorithm>
#include <set>

#include "core/log/checkpoint_reader.hpp"
#include "core/table/history.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {
namespace {

constexpr int64_t kDayMs = 86'400'000;

int64_t Midnight(int64_t millis) { return millis - ((millis % kDayMs) + kDayMs) % kDayMs; }

//! The segment of the newest checkpoint at or before `version`, if that checkpoint can be read.
Result<std::optional<LogSegment>> ReadableCheckpoint(const Engine &engine, const Snapshot &latest, Version version,
                                                     const Call &call) {
    auto segment = ListLogSegment(engine, latest.root(), version, call);
    if (!segment.ok() || !segment->checkpoint) {
        return std::optional<LogSegment>();
    }
    BF_ASSIGN(auto base, ListLogSegment(engine, latest.root(), segment->checkpoint->version, call));
    const auto state = ReadCheckpointState(engine, base, call);
    if (!state.ok()) {
        return BlamesCheckpoint(state.error(), base) ? Result<std::optional<LogSegment>>(std::optional<LogSegment>())
                                                     : state.error();
    }
    FileRequest request;
    request.statistics = false;
    request.keep_file = [](const AddFile &) { return false; };
    const auto files = ReadCheckpointFiles(
        engine, base, request, KeySet(), [](int64_t) {}, [](AddFile &&) -> Status { return {}; }, call);
    return files.ok() && state->protocol && state->metadata ? std::optional(std::move(base)) : std::optional<LogSegment>();
}

//! True for a file of the log that no version from `first_kept` on needs.
bool Expired(const LogFileName &name, Version first_kept) {
    // A compaction that begins at or before it would bring back what the checkpoint has reconciled.
    return name.kind == LogFileKind::kCompaction ? name.version <= first_kept : name.version < first_kept;
}

//! The sidecars that the checkpoints left in the log name, by file name.
Result<std::set<std::string>> SidecarsInUse(const Engine &engine, const std::string &log_folder,
                                            const std::vector<ObjectInfo> &kept, const Call &call) {
    std::set<std::string> used;
    for (const auto &file : kept) {
        const auto name = ParseLogFileName(file.name);
        if (!name || name->kind != LogFileKind::kCheckpoint || name->checkpoint == CheckpointKind::kMultiPart ||
            file.size == 0) {
            continue;
        }
        LogSegment segment;
        segment.log_folder = log_folder;
        segment.version = name->version;
        segment.checkpoint = CheckpointFiles{name->version, name->checkpoint, {log_folder + "/" + file.name}, file.size};
        BF_ASSIGN(const auto sidecars, CheckpointSidecars(engine, segment, call));
        for (const auto &path : sidecars) {
            used.insert(path.substr(path.rfind('/') + 1));
        }
    }
    return used;
}

Result<uint64_t> CleanUpSidecars(const Engine &engine, const std::string &log_folder,
                                 const std::vector<ObjectInfo> &kept, const Call &call) {
    const std::string folder = fmt::format("{}/{}", log_folder, kSidecarFolder);
    BF_ASSIGN(const auto sidecars, engine.store->List(folder, "", call));
    const int64_t young = Midnight(engine.now_ms() - kDayMs);  // a checkpoint may just be on its way
    if (std::none_of(sidecars.begin(), sidecars.end(), [&](const auto &file) { return file.modified_ms < young; })) {
        return uint64_t{0};
    }
    BF_ASSIGN(const auto used, SidecarsInUse(engine, log_folder, kept, call));
    uint64_t deleted = 0;
    for (const auto &file : sidecars) {
        if (file.modified_ms < young && !used.contains(file.name)) {
            BF_RETURN_IF_ERROR(engine.store->Delete(folder + "/" + file.name, call));
            ++deleted;
        }
    }
    return deleted;
}

//! The version that history may be cut at; none if nothing has expired or something guards it.
Result<std::optional<Version>> CutOff(const Engine &engine, const Snapshot &latest, const Call &call) {
    if (!BoolProperty(latest.metadata(), "delta.enableExpiredLogCleanup")) {
        return std::optional<Version>();
    }
    BF_ASSIGN(const auto retention, IntervalProperty(latest.metadata(), "delta.logRetentionDuration"));
    const int64_t cut_off = Midnight(engine.now_ms() - retention.value_or(0));
    BF_ASSIGN(const auto commit,
              VersionAtTime(engine, latest, AtTimestamp{cut_off * 1000}, OutOfRange::kClamp, call));
    if (commit.timestamp_ms > cut_off) {
        return std::optional<Version>();
    }
    BF_ASSIGN(const auto base, ReadableCheckpoint(engine, latest, commit.version, call));
    if (!base) {
        return std::optional<Version>();
    }
    if (HasFeature(latest.protocol(), "checkpointProtection") &&
        base->version < IntProperty(latest.metadata(), "delta.requireCheckpointProtectionBeforeVersion")) {
        return std::optional<Version>();
    }
    return std::optional(base->version);
}

}  // namespace

Result<CleanupReport> CleanUpLog(const Engine &engine, const Snapshot &latest, const Call &call) {
    CleanupReport report;
    BF_ASSIGN(const auto cut_off, CutOff(engine, latest, call));
    if (!cut_off) {
        return report;
    }
    report.first_kept = *cut_off;
    const auto &log_folder = latest.segment().log_folder;
    BF_ASSIGN(const auto files, engine.store->List(log_folder, "", call));
    std::vector<ObjectInfo> kept;
    for (const auto &file : files) {  // oldest first: whatever stops us leaves no gap
        const auto name = ParseLogFileName(file.name);
        if (name && Expired(*name, *cut_off)) {
            BF_RETURN_IF_ERROR(call.Check());
            BF_RETURN_IF_ERROR(engine.store->Delete(log_folder + "/" + file.name, call));
            ++report.deleted_files;
        } else {
            kept.push_back(file);
        }
    }
    BF_ASSIGN(const auto sidecars, CleanUpSidecars(engine, log_folder, kept, call));
    report.deleted_files += sidecars;
    return report;
}

}  // namespace birdfoot
