// The one thing that must never go wrong: a version belongs to whoever created its file, and we go on to another
// version only when we have seen whose this one is.
#include "core/txn/committer.hpp"

#include <algorithm>
#include <random>
#include <thread>

#include "core/log/replay.hpp"

namespace birdfoot {
namespace {

constexpr int kUnclearTries = 10;  // puts of one version whose answers were unclear
constexpr std::chrono::milliseconds kFirstDelay{20};
constexpr std::chrono::milliseconds kLongestDelay{2000};
constexpr int kLossesWithoutWaiting = 3;

void Sleep(const CommitOptions &options, std::chrono::milliseconds delay) {
    if (options.sleep) {
        options.sleep(delay);
    } else {
        std::this_thread::sleep_for(delay);
    }
}

bool IsSameObject(const ObjectInfo &a, const ObjectInfo &b) {
    if (!a.etag.empty() && !b.etag.empty()) {
        return a.etag == b.etag;
    }
    return a.size == b.size && a.modified_ms / 1000 == b.modified_ms / 1000;
}

//! The last commit read must still be there, as it was: else the table has been removed or made anew, or its log has
//! been cleaned up beyond the version read, and the next version is not free but gone.
Status CheckStillThere(const Engine &engine, const Snapshot &read, const Call &call) {
    const auto &segment = read.segment();
    if (segment.last_commit.name.empty()) {
        return {};
    }
    const auto now = engine.store->Head(segment.log_folder + "/" + segment.last_commit.name, call);
    if (!now.ok() && now.error().condition() != Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
        return now.error();
    }
    if (now.ok() && IsSameObject(*now, segment.last_commit)) {
        return {};
    }
    return Fail(
        Condition::DELTA_CONCURRENT_WRITE,
        "Version {} of {}, which this transaction read, is {}. Another process removed the table, made it anew or "
        "cleaned up its log. Run the statement again.",
        read.version(), read.root(), now.ok() ? "not the same any more" : "not there any more");
}

Status CheckNoTableYet(const Engine &engine, const std::string &root, const Call &call) {
    BF_ASSIGN(const auto files, engine.store->List(root + "/" + std::string(kLogFolder), "", call));
    for (const auto &file : files) {
        const auto name = ParseLogFileName(file.name);
        if (name && (name->kind == LogFileKind::kCommit || name->kind == LogFileKind::kCheckpoint)) {
            return Fail(
                Condition::DELTA_TABLE_ALREADY_EXISTS,
                "There is a Delta table at {} already. It was created since this statement began; use CREATE TABLE "
                "IF NOT EXISTS, or write to the table that is there.",
                root);
        }
    }
    return {};
}

}  // namespace

Result<CommitStart> StartCommit(const Engine &engine, const std::string &root, const Snapshot *read,
                                const ChangeSet &changes, const Call &call) {
    CommitStart start;
    if (!read) {
        BF_RETURN_IF_ERROR(CheckNoTableYet(engine, root, call));
        return start;
    }
    BF_RETURN_IF_ERROR(CheckStillThere(engine, *read, call));
    auto &base = start.base;
    base.version = read->version();
    base.protocol = read->protocol();
    base.metadata = read->metadata();
    base.timestamp_ms = read->timestamp_ms();
    const bool needs_mark = AssignsRowIds(base.protocol, base.metadata) && !changes.adds.empty();
    if (needs_mark || !changes.transactions.empty()) {
        BF_ASSIGN(const auto extras, ReplayExtras(engine, read->segment(), call));
        if (const auto mark = extras.domains.find(std::string(kRowTrackingDomain)); mark != extras.domains.end()) {
            base.row_id_high_water = RowIdHighWater(mark->second).value_or(-1);
        }
        start.written_before =
            std::any_of(changes.transactions.begin(), changes.transactions.end(), [&](const SetTransaction &ours) {
                const auto theirs = extras.transactions.find(ours.app_id);
                return theirs != extras.transactions.end() && theirs->second.version >= ours.version;
            });
    }
    return start;
}

Result<std::optional<Winner>> ReadWinner(const Engine &engine, const std::string &log_folder, Version version,
                                         const Call &call) {
    auto file = engine.store->Head(log_folder + "/" + CommitFileName(version), call);
    if (!file.ok()) {
        if (file.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
            return std::optional<Winner>();
        }
        return std::move(file).error();
    }
    BF_ASSIGN(auto commit, ReadCommit(engine, log_folder, *file, call));
    return std::optional<Winner>(Winner(std::move(commit), file->modified_ms));
}

Result<PutDecision> PutCommit(const Engine &engine, const std::string &log_folder, Version version,
                              std::string_view body, const std::string &txn_id, const CommitOptions &options,
                              const Call &call) {
    Call put_call;  // neither cancelled nor timed out half-way
    put_call.metrics = call.metrics;
    const std::string path = log_folder + "/" + CommitFileName(version);
    std::optional<Error> unclear;
    auto delay = kFirstDelay;
    for (int tries = 1;; ++tries) {
        const auto put = engine.store->Put(path, body, PutMode::kCreateOnly, put_call);
        if (put.ok() && *put == PutResult::kWritten) {
            return PutDecision{PutVerdict::kOurs, std::nullopt};
        }
        if (put.ok() && !unclear) {
            return PutDecision{PutVerdict::kTheirs, std::nullopt};
        }
        if (!put.ok()) {
            const bool final = engine.store->failed_puts_are_final() &&
                               put.error().condition() != Condition::BIRDFOOT_COMMIT_OUTCOME_UNKNOWN;
            if (final && !unclear) {
                return put.error();
            }
            unclear = put.error();
        }
        const auto winner = ReadWinner(engine, log_folder, version, put_call);
        if (winner.ok() && *winner) {
            const auto *info = (*winner)->info;
            return PutDecision{info && info->txn_id == txn_id ? PutVerdict::kOurs : PutVerdict::kTheirs, std::nullopt};
        }
        if (tries >= kUnclearTries || !call.Check().ok()) {
            return PutDecision{PutVerdict::kUnknown, std::move(unclear)};
        }
        Sleep(options, delay);
        delay = std::min(delay * 2, kLongestDelay);
    }
}

void WaitForTurn(int losses, const CommitOptions &options) {
    if (losses <= kLossesWithoutWaiting) {
        return;
    }
    thread_local std::minstd_rand random{std::random_device{}()};
    const int doublings = std::min(losses - kLossesWithoutWaiting, 7);
    Sleep(options, std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 1 << doublings)(random)));
}

}  // namespace birdfoot
