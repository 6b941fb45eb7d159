// The rules of the protocol, with one more: the checkpoint that history is cut at must really be readable, since what
// it stands for is deleted. Staged commits are left alone: they belong to catalog-managed tables.
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

//! Reads the checkpoint of `version` from end to end.
Result<bool> CheckpointIsReadable(const Engine &engine, const Snapshot &latest, Version version, const Call &call) {
    BF_ASSIGN(const auto segment, ListLogSegment(engine, latest.root(), version, call));
    if (!segment.checkpoint || segment.checkpoint->version != version) {
        return false;
    }
    const auto state = ReadCheckpointState(engine, segment, call);
    if (!state.ok()) {
        return BlamesCheckpoint(state.error(), segment) ? Result<bool>(false) : state.error();
    }
    FileRequest request;
    request.statistics = false;
    const auto files = ReadCheckpointFiles(
        engine, segment, request, KeySet(), [](int64_t) {}, [](AddFile &&) -> Status { return {}; }, call);
    if (!files.ok()) {
        return BlamesCheckpoint(files.error(), segment) ? Result<bool>(false) : files.error();
    }
    return state->protocol.has_value() && state->metadata.has_value();
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
        segment.checkpoint =
            CheckpointFiles{name->version, name->checkpoint, {log_folder + "/" + file.name}, file.size};
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

//! The newest version not newer than the retention; none if nothing has expired or the table switches clean-up off.
Result<std::optional<Version>> ExpiredVersion(const Engine &engine, const Snapshot &latest,
                                              std::optional<int64_t> retention_ms, const Call &call) {
    constexpr int64_t kMinute = 60'000;
    int64_t cut_off = 0;
    if (retention_ms) {
        cut_off = (engine.now_ms() - *retention_ms) / kMinute * kMinute;
    } else if (!BoolProperty(latest.metadata(), "delta.enableExpiredLogCleanup")) {
        return std::optional<Version>();
    } else {
        BF_ASSIGN(const auto retention, IntervalProperty(latest.metadata(), "delta.logRetentionDuration"));
        cut_off = Midnight(engine.now_ms() - retention.value_or(0));
    }
    BF_ASSIGN(const auto commit, VersionAtTime(engine, latest, AtTimestamp{cut_off * 1000}, OutOfRange::kClamp, call));
    return commit.timestamp_ms > cut_off ? std::optional<Version>() : std::optional(commit.version);
}

//! The version that history is cut at: that of the newest checkpoint not newer than `expired`. None if there is nothing
//! to delete, or if the feature checkpointProtection guards what there is.
Result<std::optional<Version>> CutOff(const Engine &engine, const Snapshot &latest, Version expired,
                                      const std::vector<ObjectInfo> &files, const Call &call) {
    const auto segment = ListLogSegment(engine, latest.root(), expired, call);
    if (!segment.ok() || !segment->checkpoint) {
        return std::optional<Version>();
    }
    const Version version = segment->checkpoint->version;
    const bool any = std::any_of(files.begin(), files.end(), [&](const ObjectInfo &file) {
        const auto name = ParseLogFileName(file.name);
        return name && Expired(*name, version);
    });
    if (!any || (HasFeature(latest.protocol(), "checkpointProtection") &&
                 version < IntProperty(latest.metadata(), "delta.requireCheckpointProtectionBeforeVersion"))) {
        return std::optional<Version>();
    }
    BF_ASSIGN(const bool readable, CheckpointIsReadable(engine, latest, version, call));
    return readable ? std::optional(version) : std::optional<Version>();
}

}  // namespace

Result<CleanupReport> CleanUpLog(const Engine &engine, const Snapshot &latest, const Call &call,
                                 std::optional<int64_t> retention_ms) {
    CleanupReport report;
    BF_ASSIGN(const auto expired, ExpiredVersion(engine, latest, retention_ms, call));
    if (!expired) {
        return report;
    }
    const auto &log_folder = latest.segment().log_folder;
    BF_ASSIGN(const auto files, engine.store->List(log_folder, "", call));
    BF_ASSIGN(const auto cut_off, CutOff(engine, latest, *expired, files, call));
    if (!cut_off) {
        return report;
    }
    report.first_kept = *cut_off;
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
