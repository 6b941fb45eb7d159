// Replay: the tail is walked newest version first, each key's newest action wins; then the checkpoint is streamed against
// the keys that the tail has named. What a checkpoint holds is read in checkpoint_reader.
#include "core/log/replay.hpp"

#include <unordered_set>

#include "core/log/checkpoint_reader.hpp"

namespace birdfoot {
namespace {

//! Takes protocol, metadata and commitInfo of one commit where they are still wanted.
void TakeState(const CommitActions &commit, Version version, TableState &state) {
    for (auto it = commit.actions.rbegin(); it != commit.actions.rend(); ++it) {
        if (const auto *protocol = std::get_if<Protocol>(&*it); protocol && !state.protocol) {
            state.protocol = *protocol;
        } else if (const auto *metadata = std::get_if<Metadata>(&*it); metadata && !state.metadata) {
            state.metadata = *metadata;
        } else if (const auto *info = std::get_if<CommitInfo>(&*it); info && commit.version == version) {
            state.last_commit_info = *info;
        }
    }
}

//! Emits a file if it is wanted, and counts it.
class FileSink {
public:
    FileSink(const FileRequest &request, const std::function<Status(AddFile &&)> &visit)
        : request_(request), visit_(visit) {}

    bool KeepsPartition(const PartitionValues &values) const { return !request_.keep || request_.keep(values); }
    void See(int64_t size) {
        ++counts_.seen;
        counts_.seen_bytes += static_cast<uint64_t>(std::max<int64_t>(size, 0));
    }
    //! The partition has been asked for already.
    Status Emit(AddFile &&add) {
        if (!request_.statistics) {
            add.stats.reset();
        }
        if (!request_.tags) {
            add.tags.reset();
        }
        if (request_.keep_file && !request_.keep_file(add)) {
            return {};
        }
        ++counts_.kept;
        counts_.kept_bytes += static_cast<uint64_t>(std::max<int64_t>(add.size, 0));
        return visit_(std::move(add));
    }
    const FileCounts &counts() const { return counts_; }

private:
    const FileRequest &request_;
    const std::function<Status(AddFile &&)> &visit_;
    FileCounts counts_;
};

}  // namespace

Result<TableState> ReplayState(const Engine &engine, const LogSegment &segment, const Call &call) {
    TableState state;
    BF_RETURN_IF_ERROR(VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            TakeState(commit, segment.version, state);
            return !state.protocol || !state.metadata;
        },
        call));
    if (segment.checkpoint && (!state.protocol || !state.metadata)) {
        BF_ASSIGN(auto base, ReadCheckpointState(engine, segment, call));
        if (!state.protocol) {
            state.protocol = std::move(base.protocol);
        }
        if (!state.metadata) {
            state.metadata = std::move(base.metadata);
        }
    }
    return state;
}

Result<FileCounts> ReplayFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                               const std::function<Status(AddFile &&)> &visit, const Call &call) {
    FileSink sink(request, visit);
    KeySet seen;
    BF_RETURN_IF_ERROR(VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            for (auto it = commit.actions.rbegin(); it != commit.actions.rend(); ++it) {
                if (const auto *add = std::get_if<AddFile>(&*it)) {
                    if (!seen.Insert(FileKey(add->path, add->deletion_vector))) {
                        continue;
                    }
                    sink.See(add->size);
                    if (sink.KeepsPartition(add->partition_values)) {
                        BF_RETURN_IF_ERROR(sink.Emit(AddFile(*add)));
                    }
                } else if (const auto *remove = std::get_if<RemoveFile>(&*it)) {
                    seen.Insert(FileKey(remove->path, remove->deletion_vector));
                }
            }
            BF_RETURN_IF_ERROR(call.Check());
            return true;
        },
        call));
    if (segment.checkpoint) {
        BF_RETURN_IF_ERROR(ReadCheckpointFiles(
            engine, segment, request, seen, [&](int64_t size) { sink.See(size); },
            [&](AddFile &&add) { return sink.Emit(std::move(add)); }, call));
    }
    return sink.counts();
}

Result<TableExtras> ReplayExtras(const Engine &engine, const LogSegment &segment, const Call &call) {
    TableExtras extras;
    BF_RETURN_IF_ERROR(VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            for (auto it = commit.actions.rbegin(); it != commit.actions.rend(); ++it) {
                if (const auto *transaction = std::get_if<SetTransaction>(&*it)) {
                    extras.transactions.emplace(transaction->app_id, *transaction);
                } else if (const auto *domain = std::get_if<DomainMetadata>(&*it)) {
                    extras.domains.emplace(domain->domain, *domain);
                }
            }
            return true;
        },
        call));
    if (segment.checkpoint) {
        BF_ASSIGN(auto base, ReadCheckpointExtras(engine, segment, call));
        extras.transactions.merge(base.transactions);
        extras.domains.merge(base.domains);
    }
    std::erase_if(extras.domains, [](const auto &entry) { return entry.second.removed; });
    return extras;
}

Status ReplayTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                        const std::function<Status(RemoveFile &&)> &visit, const Call &call) {
    KeySet seen;
    BF_RETURN_IF_ERROR(VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            for (auto it = commit.actions.rbegin(); it != commit.actions.rend(); ++it) {
                if (const auto *remove = std::get_if<RemoveFile>(&*it)) {
                    if (seen.Insert(FileKey(remove->path, remove->deletion_vector)) &&
                        remove->deletion_timestamp.value_or(0) >= expired_before_ms) {
                        BF_RETURN_IF_ERROR(visit(RemoveFile(*remove)));
                    }
                } else if (const auto *add = std::get_if<AddFile>(&*it)) {
                    seen.Insert(FileKey(add->path, add->deletion_vector));
                }
            }
            BF_RETURN_IF_ERROR(call.Check());
            return true;
        },
        call));
    if (!segment.checkpoint) {
        return {};
    }
    return ReadCheckpointTombstones(engine, segment, expired_before_ms, seen, visit, call);
}

}  // namespace birdfoot
