// Replay: the tail is walked newest version first, each key's newest action wins; then the checkpoint is streamed
// against the keys that the tail has named. What a checkpoint holds is read in checkpoint_reader.
#include "core/log/replay.hpp"

#include <algorithm>

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

//! The newest action of each key in the tail. Actions of a kept tail are pointed to, others are copied.
template <typename Item>
class TailItems {
public:
    explicit TailItems(const LogSegment &segment) : kept_(!segment.tail.empty()) {}

    void Add(const Item &item) {
        if (kept_) {
            pointers_.push_back(&item);
        } else {
            copies_.push_back(item);
        }
    }
    //! Oldest first.
    Status Visit(const std::function<Status(const Item &)> &visit) const {
        for (auto it = pointers_.rbegin(); it != pointers_.rend(); ++it) {
            BF_RETURN_IF_ERROR(visit(**it));
        }
        for (auto it = copies_.rbegin(); it != copies_.rend(); ++it) {
            BF_RETURN_IF_ERROR(visit(*it));
        }
        return {};
    }

private:
    bool kept_;
    std::vector<const Item *> pointers_;
    std::vector<Item> copies_;
};

//! Walks the tail, newest first: every key goes into `seen`, the newest action of a key to `adds` or `removes` (which
//! may be null).
Status WalkFiles(const Engine &engine, const LogSegment &segment, KeySet &seen, TailItems<AddFile> *adds,
                 TailItems<RemoveFile> *removes, const Call &call) {
    return VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            for (auto it = commit.actions.rbegin(); it != commit.actions.rend(); ++it) {
                if (const auto *add = std::get_if<AddFile>(&*it)) {
                    if (seen.Insert(FileKey(add->path, add->deletion_vector)) && adds) {
                        adds->Add(*add);
                    }
                } else if (const auto *remove = std::get_if<RemoveFile>(&*it)) {
                    if (seen.Insert(FileKey(remove->path, remove->deletion_vector)) && removes) {
                        removes->Add(*remove);
                    }
                }
            }
            BF_RETURN_IF_ERROR(call.Check());
            return true;
        },
        call);
}

uint64_t Bytes(int64_t size) { return static_cast<uint64_t>(std::max<int64_t>(size, 0)); }

//! The checkpoint's files come first, the tail's after them: the order in which the table got them, about.
Result<FileCounts> ReplayFilesOf(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                                 const std::function<Status(AddFile &&)> &visit, bool *may_retry, const Call &call) {
    FileCounts counts;
    const auto see = [&](int64_t size) {
        ++counts.seen;
        counts.seen_bytes += Bytes(size);
    };
    const auto emit = [&](AddFile &&add) -> Status {
        if (!request.statistics) {
            add.stats.reset();
        }
        if (!request.tags) {
            add.tags.reset();
        }
        if (request.keep_file && !request.keep_file(add)) {
            return {};
        }
        ++counts.kept;
        counts.kept_bytes += Bytes(add.size);
        *may_retry = false;
        return visit(std::move(add));
    };
    KeySet seen;
    TailItems<AddFile> adds(segment);
    BF_RETURN_IF_ERROR(WalkFiles(engine, segment, seen, &adds, nullptr, call));
    if (segment.checkpoint) {
        BF_RETURN_IF_ERROR(ReadCheckpointFiles(engine, segment, request, seen, see, emit, call));
    }
    BF_RETURN_IF_ERROR(adds.Visit([&](const AddFile &add) -> Status {
        see(add.size);
        return !request.keep || request.keep(add.partition_values) ? emit(AddFile(add)) : Status();
    }));
    return counts;
}

Status ReplayTombstonesOf(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                          const std::function<Status(RemoveFile &&)> &visit, bool *may_retry, const Call &call) {
    KeySet seen;
    TailItems<RemoveFile> removes(segment);
    BF_RETURN_IF_ERROR(WalkFiles(engine, segment, seen, nullptr, &removes, call));
    const auto emit = [&](RemoveFile &&remove) -> Status {
        *may_retry = false;
        return visit(std::move(remove));
    };
    if (segment.checkpoint) {
        BF_RETURN_IF_ERROR(ReadCheckpointTombstones(engine, segment, expired_before_ms, seen, emit, call));
    }
    return removes.Visit([&](const RemoveFile &remove) -> Status {
        return remove.deletion_timestamp.value_or(0) >= expired_before_ms ? emit(RemoveFile(remove)) : Status();
    });
}

Result<TableExtras> ReplayExtrasOf(const Engine &engine, const LogSegment &segment, const Call &call) {
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

}  // namespace

Result<TableState> ReplayStateSince(const Engine &engine, const LogSegment &segment, Version after, const Call &call) {
    TableState state;
    BF_RETURN_IF_ERROR(VisitTail(
        engine, segment,
        [&](const CommitActions &commit) -> Result<bool> {
            if (commit.version <= after) {
                return false;
            }
            TakeState(commit, segment.version, state);
            return !state.protocol || !state.metadata;
        },
        call));
    return state;
}

Result<TableState> ReplayStateOnce(const Engine &engine, const LogSegment &segment, const Call &call) {
    BF_ASSIGN(auto state, ReplayStateSince(engine, segment, -1, call));
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

Result<TableState> ReplayState(const Engine &engine, const LogSegment &segment, const Call &call) {
    return WithOlderCheckpoint(engine, segment, call,
                               [&](const LogSegment &s, bool *) { return ReplayStateOnce(engine, s, call); });
}

Result<FileCounts> ReplayFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                               const std::function<Status(AddFile &&)> &visit, const Call &call) {
    return WithOlderCheckpoint(engine, segment, call, [&](const LogSegment &s, bool *may_retry) {
        return ReplayFilesOf(engine, s, request, visit, may_retry, call);
    });
}

Result<TableExtras> ReplayExtras(const Engine &engine, const LogSegment &segment, const Call &call) {
    return WithOlderCheckpoint(engine, segment, call,
                               [&](const LogSegment &s, bool *) { return ReplayExtrasOf(engine, s, call); });
}

Status ReplayTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                        const std::function<Status(RemoveFile &&)> &visit, const Call &call) {
    return WithOlderCheckpoint(engine, segment, call, [&](const LogSegment &s, bool *may_retry) {
        return ReplayTombstonesOf(engine, s, expired_before_ms, visit, may_retry, call);
    });
}

}  // namespace birdfoot
