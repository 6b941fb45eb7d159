// What follows a commit. A checkpoint is worth its price when readers would otherwise replay a tail that costs them
// more than a tenth of it: with the table growing, checkpoints become rarer, and appends stay as cheap as in a small
// table.
#include "core/log/checksum.hpp"
#include "core/table/log_cleanup.hpp"
#include "core/table/table_cache.hpp"
#include "core/table/table_properties.hpp"
#include "core/txn/checkpoint_writer.hpp"
#include "core/txn/transaction.hpp"

namespace birdfoot {
namespace {

// Measured on 1 M files and on logs of 20 k commits, in nanoseconds; only their ratio matters.
constexpr uint64_t kOpenCommit = 50'000;
constexpr uint64_t kParseHundredBytes = 250;
constexpr uint64_t kStartCheckpoint = 3'000'000;
constexpr uint64_t kWriteHundredBytes = 2'000;
constexpr uint64_t kWorthShare = 10;

bool IsTailWorthACheckpoint(const LogSegment &segment) {
    if (!segment.checkpoint) {
        return true;
    }
    uint64_t bytes = 0;
    for (const auto &commit : segment.commits) {
        bytes += commit.size;
    }
    const uint64_t replay = segment.commits.size() * kOpenCommit + bytes / 100 * kParseHundredBytes;
    const uint64_t write = kStartCheckpoint + segment.checkpoint->size_in_bytes / 100 * kWriteHundredBytes;
    return replay > write / kWorthShare;
}

}  // namespace

bool WantsCheckpoint(const Snapshot &snapshot) {
    const auto &segment = snapshot.segment();
    const Version last = segment.checkpoint ? segment.checkpoint->version : 0;
    const bool due = snapshot.version() - last >= IntProperty(snapshot.metadata(), "delta.checkpointInterval");
    // An interval that a table was given is kept to; only that of all others is our own to judge.
    return due && (snapshot.Property("delta.checkpointInterval") || IsTailWorthACheckpoint(segment));
}

PostCommitReport RunPostCommit(const Engine &engine, const SnapshotPtr &snapshot, const Call &call) {
    PostCommitReport report;
    const auto warn = [&](std::string_view what, const Error &error) {
        report.warnings.push_back(fmt::format("Version {} of {} is committed, but {} failed: {}", snapshot->version(),
                                              snapshot->root(), what, error.message()));
    };
    const auto checksum = WriteChecksum(engine, snapshot->segment(), snapshot->protocol(), snapshot->metadata(), call);
    if (!checksum.ok()) {
        warn("writing its checksum", checksum.error());
    }
    if (!engine.parquet || !WantsCheckpoint(*snapshot)) {
        return report;
    }
    // A snapshot that has grown commit by commit does not know of the checkpoints written meanwhile, our own or
    // others'.
    const auto listed = LoadSnapshot(engine, snapshot->root(), AtVersion{snapshot->version()}, call);
    if (!listed.ok()) {
        warn("looking for its last checkpoint", listed.error());
        return report;
    }
    if (engine.cache) {
        engine.cache->Put(*listed);
    }
    if (!WantsCheckpoint(**listed)) {
        return report;
    }
    const auto checkpoint = WriteCheckpoint(engine, **listed, call);
    if (!checkpoint.ok()) {
        warn("writing a checkpoint", checkpoint.error());
        return report;
    }
    report.checkpoint_written = !checkpoint->existed;
    if (const auto cleanup = CleanUpLog(engine, *snapshot, call); !cleanup.ok()) {
        warn("cleaning up the log", cleanup.error());
    }
    return report;
}

}  // namespace birdfoot
