// Listing the log: which files make up a version. The listing is the truth; _last_checkpoint only says where it may
// start. A commit that a listing lacks although its neighbours are there is asked for by name before it counts as lost,
// since the listing of an object store may be stale.
#include "core/log/log_segment.hpp"

#include <algorithm>
#include <map>

namespace birdfoot {
namespace {

constexpr Version kMaxProbes = 16;  // commits asked for by name where a listing has a hole

struct CheckpointCandidate {
    CheckpointFiles files;  // names, not paths, until it is picked
    int64_t modified_ms = 0;
};

//! The files of a listing, sorted by what they are.
struct Listing {
    std::map<Version, ObjectInfo> commits;
    std::vector<ObjectInfo> compactions;
    std::map<Version, ObjectInfo> checksums;
    std::multimap<Version, CheckpointCandidate> checkpoints;  // complete ones
    std::set<Version> incomplete;                             // versions of multi-part checkpoints that lack parts

    bool empty() const { return commits.empty() && checkpoints.empty(); }
    Version latest() const {
        const Version commit = commits.empty() ? -1 : commits.rbegin()->first;
        const Version checkpoint = checkpoints.empty() ? -1 : checkpoints.rbegin()->first;
        return std::max(commit, checkpoint);
    }
};

//! The parts of a multi-part checkpoint: it counts once all of them are there.
struct Parts {
    std::map<uint32_t, ObjectInfo> files;
};

void AddCheckpoint(Listing &listing, const LogFileName &name, std::vector<ObjectInfo> files) {
    CheckpointCandidate candidate;
    candidate.files.version = name.version;
    candidate.files.kind = name.checkpoint;
    for (auto &file : files) {
        candidate.files.size_in_bytes += file.size;
        candidate.modified_ms = std::max(candidate.modified_ms, file.modified_ms);
        candidate.files.files.push_back(std::move(file.name));
    }
    listing.checkpoints.emplace(name.version, std::move(candidate));
}

Listing SortFiles(std::vector<ObjectInfo> files) {
    Listing listing;
    std::map<std::pair<Version, uint32_t>, Parts> multi_part;
    for (auto &file : files) {
        const auto name = ParseLogFileName(file.name);
        if (!name) {
            continue;
        }
        switch (name->kind) {
        case LogFileKind::kCommit: listing.commits.emplace(name->version, std::move(file)); break;
        case LogFileKind::kCompaction: listing.compactions.push_back(std::move(file)); break;
        case LogFileKind::kChecksum: listing.checksums.emplace(name->version, std::move(file)); break;
        case LogFileKind::kCheckpoint:
            if (file.size == 0) {
                break;  // a writer died before the first byte
            }
            if (name->checkpoint == CheckpointKind::kMultiPart) {
                multi_part[{name->version, name->parts}].files.emplace(name->part, std::move(file));
            } else {
                AddCheckpoint(listing, *name, {std::move(file)});
            }
            break;
        }
    }
    for (auto &[key, parts] : multi_part) {
        if (parts.files.size() != key.second) {
            listing.incomplete.insert(key.first);
            continue;
        }
        std::vector<ObjectInfo> in_order;
        for (auto &[part, file] : parts.files) {
            in_order.push_back(std::move(file));
        }
        LogFileName name;
        name.version = key.first;
        name.checkpoint = CheckpointKind::kMultiPart;
        AddCheckpoint(listing, name, std::move(in_order));
    }
    return listing;
}

//! Which of two checkpoints of one version is read: those that hold more of what newer writers know.
int Preference(CheckpointKind kind) {
    switch (kind) {
    case CheckpointKind::kV2Parquet: return 3;
    case CheckpointKind::kV2Json: return 2;
    case CheckpointKind::kClassic: return 1;
    case CheckpointKind::kMultiPart: return 0;
    }
    return 0;
}

const CheckpointCandidate *PickCheckpoint(const Listing &listing, const std::string &log_folder, Version at_most,
                                          const std::set<std::string> &damaged) {
    const CheckpointCandidate *best = nullptr;
    for (auto it = listing.checkpoints.rbegin(); it != listing.checkpoints.rend(); ++it) {
        const auto &files = it->second.files;
        if (files.version > at_most || damaged.contains(log_folder + "/" + files.files.front())) {
            continue;
        }
        if (best && files.version < best->files.version) {
            break;
        }
        if (!best || Preference(files.kind) > Preference(best->files.kind)) {
            best = &it->second;
        }
    }
    return best;
}

//! The first version that can be read: the oldest from which a checkpoint, or commit 0, leads to the end of the log.
std::optional<Version> EarliestVersion(const Listing &listing) {
    Version earliest = listing.latest();
    bool from_commits = listing.commits.contains(earliest);
    while (from_commits && listing.commits.contains(earliest - 1)) {
        --earliest;
    }
    if (earliest == 0 && from_commits) {
        return 0;
    }
    // Commits alone lead nowhere unless they begin at 0 or right behind a checkpoint.
    const auto checkpoint = listing.checkpoints.lower_bound(from_commits ? earliest - 1 : earliest);
    return checkpoint == listing.checkpoints.end() ? std::nullopt : std::optional(checkpoint->first);
}

Error VersionNotFound(const Listing &listing, const std::string &log_folder, Version version) {
    const auto earliest = EarliestVersion(listing);
    const auto root = log_folder.substr(0, log_folder.rfind('/'));
    return Fail(Condition::DELTA_VERSION_NOT_FOUND,
                "Cannot time travel Delta table {} to version {}. Available versions: [{}, {}].", root, version,
                earliest.value_or(listing.latest()), listing.latest());
}

//! No checkpoint leads to the end of the log, and neither does commit 0.
Error NoBase(const Listing &listing, Version version) {
    if (!listing.incomplete.empty()) {
        return Fail(
            Condition::DELTA_MISSING_PART_FILES,
            "Couldn't find all part files of the checkpoint at version {}, and no older one leads to version {}.",
            *listing.incomplete.rbegin(), version);
    }
    return Fail(Condition::DELTA_TRUNCATED_TRANSACTION_LOG,
                "Unable to reconstruct state at version {}: the log begins at version {}, and there is no complete "
                "checkpoint at or after it. The commits before were deleted by hand or by log clean-up.",
                version, listing.commits.empty() ? version : listing.commits.begin()->first);
}

//! Why the segment's version cannot be read: the commit `missing` is not there.
Error Unreachable(const Listing &listing, const LogSegment &segment, Version missing, std::optional<Version> wanted,
                  const std::set<std::string> &damaged) {
    if (!damaged.empty()) {
        return Fail(Condition::DELTA_LOG_FILE_MALFORMED,
                    "The checkpoint {} cannot be read, and the commits that it stands for are gone.",
                    *damaged.rbegin());
    }
    if (wanted && *wanted < EarliestVersion(listing).value_or(0)) {
        return VersionNotFound(listing, segment.log_folder, *wanted);
    }
    if (missing == 0) {
        return NoBase(listing, segment.version);
    }
    const auto next = listing.commits.lower_bound(missing);
    return Fail(
        Condition::DELTA_VERSIONS_NOT_CONTIGUOUS,
        "Versions ({}, {}) are not contiguous: {} is missing in {}. It was deleted, or a copy of the table left "
        "it out; put it back or restore the table from a copy.",
        missing - 1, next == listing.commits.end() ? segment.version : next->first, CommitFileName(missing),
        segment.log_folder);
}

//! None if there is no such object.
Result<std::optional<ObjectInfo>> HeadCommit(const Engine &engine, const std::string &log_folder, Version version,
                                             const Call &call) {
    auto info = engine.store->Head(log_folder + "/" + CommitFileName(version), call);
    if (info.ok()) {
        info->name = CommitFileName(version);
        return std::optional(*std::move(info));
    }
    if (info.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
        return std::optional<ObjectInfo>();
    }
    return std::move(info).error();
}

//! Puts commits that exist although the listing lacks them into the listing: those from `from` up to `to`.
Status ProbeCommits(const Engine &engine, const std::string &log_folder, Listing &listing, Version from, Version to,
                    const Call &call) {
    for (Version v = from; v <= to && v - from < kMaxProbes; ++v) {
        BF_ASSIGN(auto info, HeadCommit(engine, log_folder, v, call));
        if (!info) {
            return {};
        }
        listing.commits.emplace(v, *std::move(info));
    }
    return {};
}

//! The first version of [from, to] whose commit the listing lacks; none if all are there.
std::optional<Version> FirstMissing(const Listing &listing, Version from, Version to) {
    Version next = from;
    for (auto it = listing.commits.lower_bound(from); it != listing.commits.end() && it->first <= to; ++it) {
        if (it->first != next) {
            return next;
        }
        ++next;
    }
    return next <= to ? std::optional(next) : std::nullopt;
}

void TakeFiles(const Listing &listing, LogSegment &segment) {
    const Version first = segment.first_in_tail();
    for (auto it = listing.commits.lower_bound(first); it != listing.commits.end() && it->first <= segment.version;
         ++it) {
        segment.commits.push_back(it->second);
    }
    for (const auto &file : listing.compactions) {
        const auto name = ParseLogFileName(file.name);
        if (name && name->version >= first && name->end_version <= segment.version) {
            segment.compactions.push_back(file);
        }
    }
    if (const auto checksum = listing.checksums.find(segment.version); checksum != listing.checksums.end()) {
        segment.checksum = checksum->second;
    }
    if (const auto commit = listing.commits.find(segment.version); commit != listing.commits.end()) {
        segment.last_commit = commit->second;
    }
}

//! The segment of `wanted` (none: the latest) out of a listing that holds at least one commit or checkpoint.
Result<LogSegment> PickSegment(const Engine &engine, const std::string &log_folder, Listing &listing,
                               std::optional<Version> wanted, const std::set<std::string> &damaged, const Call &call) {
    if (wanted && *wanted > listing.latest()) {
        BF_RETURN_IF_ERROR(ProbeCommits(engine, log_folder, listing, listing.latest() + 1, *wanted, call));
        if (*wanted > listing.latest()) {
            return VersionNotFound(listing, log_folder, *wanted);
        }
    }
    LogSegment segment;
    segment.log_folder = log_folder;
    segment.version = wanted.value_or(listing.latest());
    if (const auto *checkpoint = PickCheckpoint(listing, log_folder, segment.version, damaged)) {
        segment.checkpoint = checkpoint->files;
        for (auto &file : segment.checkpoint->files) {
            file = log_folder + "/" + file;
        }
        segment.last_commit.modified_ms = checkpoint->modified_ms;
    }
    const Version first = segment.first_in_tail();
    auto missing = FirstMissing(listing, first, segment.version);
    if (missing) {
        BF_RETURN_IF_ERROR(ProbeCommits(engine, log_folder, listing, *missing, segment.version, call));
        missing = FirstMissing(listing, first, segment.version);
    }
    if (missing) {
        return Unreachable(listing, segment, *missing, wanted, damaged);
    }
    TakeFiles(listing, segment);
    return segment;
}

//! The version that _last_checkpoint names; 0 where there is no usable hint.
Version ReadHint(const Engine &engine, const std::string &log_folder, const Call &call) {
    const auto text = engine.store->Get(fmt::format("{}/{}", log_folder, kLastCheckpoint), std::nullopt, call);
    if (!text.ok()) {
        return 0;
    }
    const auto json = JsonDocument::Parse(*text);
    return json.ok() ? std::max<Version>(json->root()["version"].int64().value_or(0), 0) : 0;
}

Result<Listing> List(const Engine &engine, const std::string &log_folder, Version from, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    BF_ASSIGN(auto files, engine.store->List(log_folder, fmt::format("{:020}.", from), call));
    return SortFiles(std::move(files));
}

//! There is neither a commit nor a checkpoint: says whether there is anything else.
Error NoTable(const Engine &engine, const std::string &root, const Listing &listing, const Call &call) {
    if (!listing.incomplete.empty()) {
        return NoBase(listing, *listing.incomplete.rbegin());
    }
    const auto files = engine.store->List(root, "", call);
    const auto log_files = engine.store->List(fmt::format("{}/{}", root, kLogFolder), "", call);
    if ((files.ok() && !files->empty()) || (log_files.ok() && !log_files->empty())) {
        return Fail(Condition::DELTA_MISSING_DELTA_TABLE,
                    "`{}` is not a Delta table: it has no commit and no checkpoint in _delta_log.", root);
    }
    return Fail(Condition::DELTA_PATH_DOES_NOT_EXIST,
                "`{}` doesn't exist, or is not a Delta table: no file was found there and none in its _delta_log.",
                root);
}

bool SameFile(const ObjectInfo &a, const ObjectInfo &b) {
    return a.size == b.size && (a.etag.empty() && b.etag.empty() ? a.modified_ms == b.modified_ms : a.etag == b.etag);
}

}  // namespace

Result<LogSegment> ListLogSegment(const Engine &engine, const std::string &root, std::optional<Version> version,
                                  const Call &call, const std::set<std::string> &damaged) {
    const std::string log_folder = fmt::format("{}/{}", root, kLogFolder);
    const Version hint = damaged.empty() ? ReadHint(engine, log_folder, call) : 0;
    if (hint > 0 && hint <= version.value_or(hint)) {
        BF_ASSIGN(auto listing, List(engine, log_folder, hint, call));
        if (PickCheckpoint(listing, log_folder, version.value_or(INT64_MAX), damaged)) {
            auto segment = PickSegment(engine, log_folder, listing, version, damaged, call);
            if (segment.ok()) {
                return segment;
            }
        }
    }
    BF_ASSIGN(auto listing, List(engine, log_folder, 0, call));
    if (listing.empty()) {
        return NoTable(engine, root, listing, call);
    }
    return PickSegment(engine, log_folder, listing, version, damaged, call);
}

namespace {

constexpr size_t kLongTail = 20;  // commits; from here on every kLookEvery-th new version looks for a checkpoint
constexpr Version kLookEvery = 10;

//! The listing from the earlier version on, put together with what the earlier segment knows.
Result<LogSegment> ExtendByListing(const Engine &engine, const LogSegment &earlier, const Call &call) {
    BF_ASSIGN(auto listing, List(engine, earlier.log_folder, earlier.version, call));
    for (const auto &commit : earlier.commits) {
        listing.commits.emplace(ParseLogFileName(commit.name)->version, commit);
    }
    listing.compactions.insert(listing.compactions.end(), earlier.compactions.begin(), earlier.compactions.end());
    if (listing.checkpoints.empty() && earlier.checkpoint) {
        CheckpointCandidate candidate{*earlier.checkpoint, 0};
        for (auto &file : candidate.files.files) {
            file.erase(0, earlier.log_folder.size() + 1);
        }
        listing.checkpoints.emplace(earlier.checkpoint->version, std::move(candidate));
    }
    BF_ASSIGN(auto segment, PickSegment(engine, earlier.log_folder, listing, std::nullopt, {}, call));
    for (const auto &commit : earlier.tail) {
        if (commit->first_version >= segment.first_in_tail()) {
            segment.tail.push_back(commit);
        }
    }
    return segment;
}

}  // namespace

Result<std::optional<LogSegment>> ExtendLogSegment(const Engine &engine, const LogSegment &earlier, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    BF_ASSIGN(const auto same, HeadCommit(engine, earlier.log_folder, earlier.version, call));
    if (!same || !SameFile(*same, earlier.last_commit)) {
        return std::optional<LogSegment>();
    }
    LogSegment extended = earlier;
    extended.checksum.reset();
    for (Version probes = 0;; ++probes) {
        BF_ASSIGN(auto next, HeadCommit(engine, earlier.log_folder, extended.version + 1, call));
        if (!next) {
            break;
        }
        ++extended.version;
        extended.commits.push_back(*next);
        extended.last_commit = *std::move(next);
        const bool look = extended.commits.size() > kLongTail && extended.version % kLookEvery == 0;
        if (look || probes == kMaxProbes) {
            BF_ASSIGN(auto listed, ExtendByListing(engine, earlier, call));
            return std::optional(std::move(listed));
        }
    }
    if (extended.version == earlier.version) {
        extended.checksum = earlier.checksum;
    }
    return std::optional(std::move(extended));
}

Result<LogSegment> OlderSegment(const Engine &engine, const LogSegment &segment, const std::set<std::string> &damaged,
                                const Call &call) {
    const auto root = segment.log_folder.substr(0, segment.log_folder.size() - kLogFolder.size() - 1);
    BF_ASSIGN(auto older, ListLogSegment(engine, root, segment.version, call, damaged));
    BF_RETURN_IF_ERROR(ReadTail(engine, older, call));
    return older;
}

Result<VersionRange> AvailableVersions(const Engine &engine, const std::string &root, const Call &call) {
    BF_ASSIGN(auto listing, List(engine, fmt::format("{}/{}", root, kLogFolder), 0, call));
    if (listing.empty()) {
        return NoTable(engine, root, listing, call);
    }
    const auto earliest = EarliestVersion(listing);
    if (!earliest) {
        return NoBase(listing, listing.latest());
    }
    return VersionRange{*earliest, listing.latest()};
}

Result<CommitActionsPtr> ReadCommit(const Engine &engine, const std::string &log_folder, const ObjectInfo &file,
                                    const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const std::string path = log_folder + "/" + file.name;
    BF_ASSIGN(const auto text, engine.store->Get(path, std::nullopt, call));
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
        // What a crash leaves where a writer did not wait for the disk. To read on would lose the rows of that commit.
        return Fail(Condition::DELTA_LOG_FILE_MALFORMED,
                    "The log file {} is empty, where every commit has at least one action. Its writer, or the machine, "
                    "may have "
                    "stopped too early. Restore the file; or, if it is the latest version, delete it and write again.",
                    path);
    }
    auto commit = std::make_shared<CommitActions>();
    if (const auto name = ParseLogFileName(file.name)) {
        commit->version = name->end_version;
        commit->first_version = name->version;
    }
    BF_RETURN_IF_ERROR(ParseActions(text, path, [&](Action &&action) -> Status {
        commit->actions.push_back(std::move(action));
        return {};
    }));
    return CommitActionsPtr(std::move(commit));
}

namespace {

//! The compaction that begins at `first` and reaches furthest, short of the segment's own version, whose commit is
//! always read for its commitInfo.
const ObjectInfo *CompactionFrom(const LogSegment &segment, Version first) {
    const ObjectInfo *best = nullptr;
    Version best_end = 0;
    for (const auto &file : segment.compactions) {
        const auto name = ParseLogFileName(file.name);
        if (name && name->version == first && name->end_version < segment.version && name->end_version > best_end) {
            best = &file;
            best_end = name->end_version;
        }
    }
    return best;
}

//! A file to read for the tail: a commit, or a compaction in the place of several.
struct TailFile {
    const ObjectInfo *file;
    Version first;
    Version last;
};

//! Oldest first.
std::vector<TailFile> TailFiles(const LogSegment &segment, Version from) {
    std::vector<TailFile> files;
    const Version first = segment.first_in_tail();
    for (Version v = from; v <= segment.version;) {
        if (const auto *compaction = CompactionFrom(segment, v)) {
            files.push_back({compaction, v, ParseLogFileName(compaction->name)->end_version});
        } else {
            files.push_back({&segment.commits[static_cast<size_t>(v - first)], v, v});
        }
        v = files.back().last + 1;
    }
    return files;
}

//! Gives the file's actions, newest version first: a compaction that cannot be read is no loss, its commits are there.
Status ReadTailFile(const Engine &engine, const LogSegment &segment, const TailFile &file,
                    const std::function<Result<bool>(CommitActionsPtr)> &visit, bool *go_on, const Call &call) {
    auto actions = ReadCommit(engine, segment.log_folder, *file.file, call);
    if (actions.ok()) {
        BF_ASSIGN(*go_on, visit(*std::move(actions)));
        return {};
    }
    if (file.first == file.last || actions.error().kind() == ErrorKind::kCancelled) {
        return std::move(actions).error();
    }
    for (Version v = file.last; v >= file.first && *go_on; --v) {
        const auto &commit = segment.commits[static_cast<size_t>(v - segment.first_in_tail())];
        BF_ASSIGN(auto single, ReadCommit(engine, segment.log_folder, commit, call));
        BF_ASSIGN(*go_on, visit(std::move(single)));
    }
    return {};
}

}  // namespace

Status ReadTail(const Engine &engine, LogSegment &segment, const Call &call) {
    uint64_t bytes = 0;
    for (const auto &commit : segment.commits) {
        bytes += commit.size;
    }
    if (bytes > kMaxKeptTail) {
        segment.tail.clear();
        return {};
    }
    const Version from = segment.tail.empty() ? segment.first_in_tail() : segment.tail.back()->version + 1;
    for (const auto &file : TailFiles(segment, from)) {
        const size_t before = segment.tail.size();
        bool go_on = true;
        BF_RETURN_IF_ERROR(ReadTailFile(
            engine, segment, file,
            [&](CommitActionsPtr actions) -> Result<bool> {
                segment.tail.insert(segment.tail.begin() + static_cast<ptrdiff_t>(before), std::move(actions));
                return true;
            },
            &go_on, call));
    }
    return {};
}

Status VisitTail(const Engine &engine, const LogSegment &segment,
                 const std::function<Result<bool>(const CommitActions &)> &visit, const Call &call) {
    bool go_on = true;
    if (!segment.tail.empty()) {
        for (auto it = segment.tail.rbegin(); it != segment.tail.rend() && go_on; ++it) {
            BF_ASSIGN(go_on, visit(**it));
        }
        return {};
    }
    const auto files = TailFiles(segment, segment.first_in_tail());
    for (auto it = files.rbegin(); it != files.rend() && go_on; ++it) {
        BF_RETURN_IF_ERROR(ReadTailFile(
            engine, segment, *it, [&](CommitActionsPtr actions) { return visit(*actions); }, &go_on, call));
    }
    return {};
}

}  // namespace birdfoot
