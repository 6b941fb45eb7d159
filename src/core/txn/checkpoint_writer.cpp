// One thread replays and hands actions on in chunks, the other writes them: memory holds a few chunks, whatever the
// table's size. Rows are added and removed files, then what concerns the table; a V2 checkpoint puts files into
// sidecars and the rest into a manifest in JSON.
#include "core/txn/checkpoint_writer.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "core/base/uuid.hpp"
#include "core/log/replay.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "core/txn/checkpoint_rows.hpp"

namespace birdfoot {
namespace {

constexpr size_t kChunksInFlight = 4;

using Chunk = std::vector<Action>;

//! Chunks on their way from the replaying thread to the writing one.
class Pipe {
public:
    //! False once the writer is gone.
    bool Push(Chunk chunk) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || chunks_.size() < kChunksInFlight; });
        if (!closed_) {
            chunks_.push_back(std::move(chunk));
            changed_.notify_all();
        }
        return !closed_;
    }
    void Finish(Status status) {
        std::lock_guard lock(mutex_);
        finished_ = true;
        status_ = std::move(status);
        changed_.notify_all();
    }
    //! Waits for a chunk; none at the end.
    Result<std::optional<Chunk>> Pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return finished_ || !chunks_.empty(); });
        if (chunks_.empty()) {
            return status_.ok() ? Result<std::optional<Chunk>>(std::optional<Chunk>()) : status_.error();
        }
        auto chunk = std::move(chunks_.front());
        chunks_.pop_front();
        changed_.notify_all();
        return std::optional(std::move(chunk));
    }
    //! Waits too; true if Pop will give a chunk or an error.
    bool HasMore() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return finished_ || !chunks_.empty(); });
        return !chunks_.empty() || !status_.ok();
    }
    void Close() {
        std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Chunk> chunks_;
    bool finished_ = false;
    bool closed_ = false;
    Status status_;
};

//! Collects actions into chunks for the pipe.
class ChunkSink {
public:
    ChunkSink(Pipe &pipe, size_t rows) : pipe_(pipe), rows_(rows) {}
    Status Add(Action &&action) {
        chunk_.push_back(std::move(action));
        return chunk_.size() < rows_ ? Status() : Flush();
    }
    Status Flush() {
        if (!chunk_.empty() && !pipe_.Push(std::exchange(chunk_, {}))) {
            return Fail(Condition::BIRDFOOT_CANCELLED, "The checkpoint's writer has stopped.");
        }
        return {};
    }

private:
    Pipe &pipe_;
    size_t rows_;
    Chunk chunk_;
};

class Writer {
public:
    Writer(const Engine &engine, const Snapshot &snapshot, const CheckpointOptions &options, const Call &call)
        : engine_(engine),
          snapshot_(snapshot),
          options_(options),
          call_(call),
          log_folder_(snapshot.segment().log_folder) {
        written_.version = snapshot.version();
    }

    Result<CheckpointWritten> Run() {
        if (!engine_.parquet) {
            return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                        "A checkpoint is Parquet, and no Parquet writer was given. Embed the engine with one.");
        }
        BF_ASSIGN(columns_, ColumnsOf(snapshot_));
        BF_ASSIGN(auto table, TableActions());
        const bool v2 = TextProperty(snapshot_.metadata(), "delta.checkpointPolicy") == "v2" &&
                        HasFeature(snapshot_.protocol(), "v2Checkpoint");
        Pipe pipe;
        std::thread replay([&] { pipe.Finish(Replay(pipe, v2 ? Chunk() : table)); });
        auto status = v2 ? WriteV2(pipe, table) : WriteClassic(pipe);
        pipe.Close();
        replay.join();
        if (!status.ok()) {
            RemoveWhatWasWritten();
            return std::move(status).error();
        }
        BF_RETURN_IF_ERROR(WriteHint());
        return written_;
    }

private:
    //! Protocol, metadata, transactions that have not expired, domains.
    Result<Chunk> TableActions() {
        Chunk actions = {snapshot_.protocol(), snapshot_.metadata()};
        BF_ASSIGN(auto extras, ReplayExtras(engine_, snapshot_.segment(), call_));
        BF_ASSIGN(const auto keep, IntervalProperty(snapshot_.metadata(), "delta.setTransactionRetentionDuration"));
        for (auto &[app_id, transaction] : extras.transactions) {
            if (!keep || !transaction.last_updated || *transaction.last_updated > engine_.now_ms() - *keep) {
                actions.push_back(std::move(transaction));
            }
        }
        for (auto &[name, domain] : extras.domains) {
            actions.push_back(std::move(domain));
        }
        return actions;
    }

    //! On the other thread.
    Status Replay(Pipe &pipe, Chunk first) {
        ChunkSink sink(pipe, options_.batch_rows);
        for (auto &action : first) {
            BF_RETURN_IF_ERROR(sink.Add(std::move(action)));
        }
        FileRequest request;
        request.statistics = columns_.statistics_text || columns_.statistics;
        const auto counts = ReplayFiles(
            engine_, snapshot_.segment(), request,
            [&](AddFile &&add) -> Status {
                add.data_change = false;
                return sink.Add(std::move(add));
            },
            call_);
        if (!counts.ok()) {
            return counts.error();
        }
        written_.files_added = counts->seen;
        BF_ASSIGN(const auto keep, IntervalProperty(snapshot_.metadata(), "delta.deletedFileRetentionDuration"));
        BF_RETURN_IF_ERROR(ReplayTombstones(
            engine_, snapshot_.segment(), engine_.now_ms() - keep.value_or(0) + 1,
            [&](RemoveFile &&remove) -> Status {
                remove.data_change = false;
                return sink.Add(std::move(remove));
            },
            call_));
        return sink.Flush();
    }

    //! Writes one Parquet file from the pipe, at most `limit` actions.
    Status WriteFile(const std::string &path, bool sidecar, Pipe &pipe, uint64_t limit) {
        written_.files.push_back(path);
        CheckpointRows rows(snapshot_, columns_, sidecar);
        uint64_t actions = 0;
        BF_ASSIGN(const auto size, engine_.parquet->Write(
                                       path, rows.schema(),
                                       [&]() -> Result<std::optional<std::vector<ColumnVector>>> {
                                           if (actions >= limit) {
                                               return std::optional<std::vector<ColumnVector>>();
                                           }
                                           BF_ASSIGN(auto chunk, pipe.Pop());
                                           if (!chunk) {
                                               return std::optional<std::vector<ColumnVector>>();
                                           }
                                           actions += chunk->size();
                                           return std::optional(rows.Build(*std::move(chunk)));
                                       },
                                       call_));
        written_.size_in_bytes += size;
        written_.actions += actions;
        return {};
    }

    Status WriteClassic(Pipe &pipe) {
        return WriteFile(log_folder_ + "/" + ClassicCheckpointFileName(snapshot_.version()), false, pipe, UINT64_MAX);
    }

    Status WriteV2(Pipe &pipe, const Chunk &table) {
        std::string manifest = ActionToJson(CheckpointMetadata{snapshot_.version(), std::nullopt}) + "\n";
        while (pipe.HasMore()) {
            const std::string name = RandomUuid() + ".parquet";
            const std::string path = fmt::format("{}/{}/{}", log_folder_, kSidecarFolder, name);
            BF_RETURN_IF_ERROR(WriteFile(path, true, pipe, options_.actions_per_sidecar));
            BF_ASSIGN(const auto info, engine_.store->Head(path, call_));
            manifest +=
                ActionToJson(Sidecar{name, static_cast<int64_t>(info.size), info.modified_ms, std::nullopt}) + "\n";
        }
        for (const auto &action : table) {
            manifest += ActionToJson(action) + "\n";
        }
        const std::string name = V2CheckpointFileName(snapshot_.version(), RandomUuid(), true);
        written_.files.push_back(log_folder_ + "/" + name);
        BF_ASSIGN(const auto put, engine_.store->Put(written_.files.back(), manifest, PutMode::kCreateOnly, call_));
        if (put == PutResult::kAlreadyExists) {
            return Fail(Condition::BIRDFOOT_INTERNAL, "{} is there already.", written_.files.back());
        }
        written_.size_in_bytes += manifest.size();
        written_.actions += table.size() + 1;
        JsonWriter(v2_hint_)
            .BeginObject()
            .Key("path")
            .String(name)
            .Key("sizeInBytes")
            .Int(static_cast<int64_t>(manifest.size()))
            .Key("modificationTime")
            .Int(engine_.now_ms())
            .EndObject();
        return {};
    }

    void RemoveWhatWasWritten() {
        for (const auto &file : written_.files) {
            (void)engine_.store->Delete(file, {});  // a sidecar that stays does no harm; clean-up takes it
        }
    }

    //! After the checkpoint itself, and never back to an older one.
    Status WriteHint() {
        const std::string path = fmt::format("{}/{}", log_folder_, kLastCheckpoint);
        if (const auto text = engine_.store->Get(path, std::nullopt, call_); text.ok()) {
            const auto json = JsonDocument::Parse(*text);
            const auto version = json.ok() ? json->root()["version"].int64() : std::nullopt;
            if (version && *version > snapshot_.version() &&
                engine_.store->Head(log_folder_ + "/" + CommitFileName(*version), call_).ok()) {
                return {};
            }
        }
        std::string text;
        JsonWriter out(text);
        out.BeginObject()
            .Key("version")
            .Int(snapshot_.version())
            .Key("size")
            .Int(static_cast<int64_t>(written_.actions));
        out.Key("sizeInBytes").Int(static_cast<int64_t>(written_.size_in_bytes));
        out.Key("numOfAddFiles").Int(static_cast<int64_t>(written_.files_added));
        if (!v2_hint_.empty()) {
            out.Key("v2Checkpoint").Raw(v2_hint_);
        }
        out.EndObject();
        BF_RETURN_IF_ERROR(engine_.store->Put(path, text, PutMode::kOverwrite, call_));
        return {};
    }

    const Engine &engine_;
    const Snapshot &snapshot_;
    const CheckpointOptions &options_;
    const Call &call_;
    std::string log_folder_;
    CheckpointColumns columns_;
    CheckpointWritten written_;
    std::string v2_hint_;
};

}  // namespace

Result<CheckpointWritten> WriteCheckpoint(const Engine &engine, const Snapshot &snapshot, const Call &call,
                                          const CheckpointOptions &options) {
    const auto &checkpoint = snapshot.segment().checkpoint;
    if (checkpoint && checkpoint->version == snapshot.version()) {
        CheckpointWritten written;
        written.version = snapshot.version();
        written.files = checkpoint->files;
        written.existed = true;
        return written;
    }
    return Writer(engine, snapshot, options, call).Run();
}

}  // namespace birdfoot
