// Commit times. A listing gives every commit file's time in one call; in-commit timestamps stand in the commits
// themselves and are searched by halving, since they rise strictly.
#include "core/table/history.hpp"

#include <algorithm>

#include "core/schema/scalar.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {
namespace {

constexpr uint64_t kCommitInfoPrefix = 64 * 1024;  // of a large commit, read in search of its commitInfo

struct CommitFile {
    Version version = 0;
    ObjectInfo file;
    int64_t file_time_ms = 0;  // made strictly rising
};

//! The commits of the versions that can be read, up to the snapshot's, with monotonised file times.
Result<std::vector<CommitFile>> ListCommits(const Engine &engine, const Snapshot &latest, const Call &call) {
    BF_ASSIGN(const auto range, AvailableVersions(engine, latest.root(), call));
    BF_ASSIGN(auto files,
              engine.store->List(latest.segment().log_folder, fmt::format("{:020}.", range.earliest), call));
    std::vector<CommitFile> commits;
    for (auto &file : files) {
        const auto name = ParseLogFileName(file.name);
        if (!name || name->kind != LogFileKind::kCommit || name->version > latest.version()) {
            continue;
        }
        const int64_t time =
            commits.empty() ? file.modified_ms : std::max(file.modified_ms, commits.back().file_time_ms + 1);
        commits.push_back({name->version, std::move(file), time});
    }
    if (commits.empty()) {
        return Fail(Condition::DELTA_NO_RECREATABLE_HISTORY_FOUND, "No recreatable commits found at {}.",
                    latest.segment().log_folder);
    }
    return commits;
}

std::optional<CommitInfo> InfoIn(std::string_view text, std::string_view path) {
    std::optional<CommitInfo> info;
    (void)ParseActions(text, path, [&](Action &&action) -> Status {
        if (auto *found = std::get_if<CommitInfo>(&action)) {
            info = std::move(*found);
            return Fail(Condition::BIRDFOOT_CANCELLED, "found");  // the rest is of no interest
        }
        return {};
    });
    return info;
}

//! The commit's commitInfo; of a large commit, whose first line it nearly always is, only the beginning is read.
Result<std::optional<CommitInfo>> ReadInfo(const Engine &engine, const std::string &folder, const ObjectInfo &file,
                                           const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const std::string path = folder + "/" + file.name;
    if (file.size > kCommitInfoPrefix) {
        BF_ASSIGN(auto text, engine.store->Get(path, ByteRange{0, kCommitInfoPrefix}, call));
        if (auto info = InfoIn(text, path)) {
            return info;
        }
    }
    BF_ASSIGN(const auto text, engine.store->Get(path, std::nullopt, call));
    return InfoIn(text, path);
}

//! From which version on the table's commits carry in-commit timestamps; none if they do not.
std::optional<Version> FirstInCommitVersion(const Snapshot &latest) {
    if (!BoolProperty(latest.metadata(), "delta.enableInCommitTimestamps")) {
        return std::nullopt;
    }
    // Without the property they were there from the beginning.
    return std::max<int64_t>(IntProperty(latest.metadata(), "delta.inCommitTimestampEnablementVersion"), 0);
}

//! The times of commits, asked for one by one.
class Times {
public:
    Times(const Engine &engine, const Snapshot &latest, const std::vector<CommitFile> &commits, const Call &call)
        : engine_(engine), latest_(latest), commits_(commits), call_(call), first_(FirstInCommitVersion(latest)) {}

    //! The index of the first commit with an in-commit timestamp.
    size_t first_in_commit() const {
        return static_cast<size_t>(
            std::partition_point(commits_.begin(), commits_.end(),
                                 [&](const CommitFile &c) { return !first_ || c.version < *first_; }) -
            commits_.begin());
    }
    Result<int64_t> At(size_t index) const {
        const auto &commit = commits_[index];
        if (!first_ || commit.version < *first_) {
            return commit.file_time_ms;
        }
        if (commit.version == latest_.version() && latest_.in_commit_timestamp()) {
            return *latest_.in_commit_timestamp();
        }
        BF_ASSIGN(const auto info, ReadInfo(engine_, latest_.segment().log_folder, commit.file, call_));
        return InCommitTime(commit, info);
    }
    Result<int64_t> InCommitTime(const CommitFile &commit, const std::optional<CommitInfo> &info) const {
        if (!info || !info->in_commit_timestamp) {
            return Fail(
                Condition::DELTA_LOG_FILE_MALFORMED,
                "{}/{} has no inCommitTimestamp in its commitInfo, although the table has in-commit timestamps from "
                "version {} on.",
                latest_.segment().log_folder, commit.file.name, *first_);
        }
        return *info->in_commit_timestamp;
    }
    bool HasInCommitTime(const CommitFile &commit) const { return first_ && commit.version >= *first_; }

    //! The number of commits of [from, to) made at or before `time`; times rise within the range.
    Result<size_t> CountUpTo(size_t from, size_t to, int64_t time) const {
        size_t low = from;
        size_t high = to;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            BF_ASSIGN(const int64_t at, At(middle));
            if (at <= time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low - from;
    }

private:
    const Engine &engine_;
    const Snapshot &latest_;
    const std::vector<CommitFile> &commits_;
    const Call &call_;
    std::optional<Version> first_;
};

int64_t FloorMillis(int64_t micros) { return micros / 1000 - (micros % 1000 < 0 ? 1 : 0); }

std::string TimeText(int64_t millis) {
    const auto text = Scalar::Integer(DataType(TypeKind::kTimestamp), millis * 1000).ToStatisticsJson().value_or("");
    return text.size() > 2 ? text.substr(1, text.size() - 2) : text;
}

//! The index of the last commit at or before `time`; none if the first is later. In-commit timestamps and file times
//! are two clocks: the enablement decides which of them is searched.
Result<std::optional<size_t>> LastUpTo(const Times &times, const std::vector<CommitFile> &commits, int64_t time) {
    const size_t split = times.first_in_commit();
    if (split < commits.size()) {
        BF_ASSIGN(const int64_t enabled_at, times.At(split));
        if (enabled_at <= time) {
            BF_ASSIGN(const size_t count, times.CountUpTo(split, commits.size(), time));
            return std::optional(split + count - 1);
        }
    }
    BF_ASSIGN(const size_t count, times.CountUpTo(0, split, time));
    return count == 0 ? std::optional<size_t>() : std::optional(count - 1);
}

}  // namespace

Result<std::vector<HistoryRow>> ReadHistory(const Engine &engine, const Snapshot &latest, std::optional<size_t> limit,
                                            const Call &call) {
    BF_ASSIGN(const auto commits, ListCommits(engine, latest, call));
    const Times times(engine, latest, commits, call);
    std::vector<HistoryRow> rows;
    for (auto it = commits.rbegin(); it != commits.rend() && rows.size() < limit.value_or(SIZE_MAX); ++it) {
        auto info = ReadInfo(engine, latest.segment().log_folder, it->file, call);
        if (!info.ok()) {
            if (info.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
                continue;  // clean-up runs elsewhere
            }
            return std::move(info).error();
        }
        HistoryRow row;
        row.version = it->version;
        row.timestamp_ms = it->file_time_ms;
        if (times.HasInCommitTime(*it)) {
            BF_ASSIGN(row.timestamp_ms, times.InCommitTime(*it, *info));
        }
        if (*info) {
            row.commit_info = std::move((*info)->json);
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

Result<VersionAndTime> VersionAtTime(const Engine &engine, const Snapshot &latest, const AtTimestamp &time,
                                     OutOfRange out_of_range, const Call &call) {
    BF_ASSIGN(const auto commits, ListCommits(engine, latest, call));
    const Times times(engine, latest, commits, call);
    const int64_t wanted = FloorMillis(time.micros);
    BF_ASSIGN(const auto last, LastUpTo(times, commits, wanted));
    if (!last) {
        BF_ASSIGN(const int64_t first_time, times.At(0));
        const bool same_second = time.whole_second && first_time - wanted < 1000;
        if (out_of_range == OutOfRange::kError && !same_second) {
            return Fail(
                Condition::DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION,
                "The provided timestamp ({}) is before the earliest version available to this table ({}). Please use "
                "a timestamp after {}.",
                TimeText(wanted), TimeText(first_time), TimeText(first_time));
        }
        return VersionAndTime{commits.front().version, first_time};
    }
    BF_ASSIGN(const int64_t found, times.At(*last));
    if (*last + 1 == commits.size() && found < wanted && out_of_range == OutOfRange::kError) {
        return Fail(Condition::DELTA_TIMESTAMP_GREATER_THAN_COMMIT,
                    "Timestamp {} is after the table's latest version ({}). Use a timestamp at or before {}.",
                    TimeText(wanted), TimeText(found), TimeText(found));
    }
    return VersionAndTime{commits[*last].version, found};
}

Result<std::optional<VersionAndTime>> VersionFromTime(const Engine &engine, const Snapshot &latest, int64_t micros,
                                                      const Call &call) {
    BF_ASSIGN(const auto commits, ListCommits(engine, latest, call));
    const Times times(engine, latest, commits, call);
    // A commit at exactly this millisecond counts only if the time has no part below it.
    const int64_t before = FloorMillis(std::max(micros, INT64_MIN + 1) - 1);
    BF_ASSIGN(const auto last, LastUpTo(times, commits, before));
    const size_t index = last ? *last + 1 : 0;
    if (index >= commits.size()) {
        return std::optional<VersionAndTime>();
    }
    BF_ASSIGN(const int64_t time, times.At(index));
    return std::optional(VersionAndTime{commits[index].version, time});
}

Result<std::vector<VersionAndTime>> CommitTimes(const Engine &engine, const Snapshot &latest, Version from, Version to,
                                                const Call &call) {
    BF_ASSIGN(const auto commits, ListCommits(engine, latest, call));
    const Times times(engine, latest, commits, call);
    std::vector<VersionAndTime> result;
    for (size_t i = 0; i < commits.size(); ++i) {
        if (commits[i].version >= from && commits[i].version <= to) {
            BF_ASSIGN(const int64_t time, times.At(i));
            result.push_back({commits[i].version, time});
        }
    }
    return result;
}

}  // namespace birdfoot
