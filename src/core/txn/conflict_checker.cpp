// The checks, in delta-spark's order, one function each: protocol, metadata, domains, application ids, files added,
// files removed that were read, files removed twice.
#include "core/txn/conflict_checker.hpp"

#include <algorithm>
#include <type_traits>

#include "core/scan/statistics.hpp"
#include "core/table/table_features.hpp"
#include "core/txn/metadata_conflicts.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kBackfill = "ROW TRACKING BACKFILL";
constexpr std::string_view kUnbackfill = "ROW TRACKING UNBACKFILL";

//! Operations that replace a table's whole state without reading it through scans: they are the next version or none.
bool TakesOnlyTheNextVersion(std::string_view operation) {
    return operation == "RESTORE" || operation == "CLONE" || operation == "CONVERT";
}

std::optional<std::string> VectorIdOf(const std::optional<DeletionVectorDescriptor> &vector) {
    return vector ? std::optional(vector->UniqueId()) : std::nullopt;
}

//! What all rows of a file have in a partition column; nothing is known if the log does not say.
ColumnFacts FactsOfPartition(const PartitionValues *values, const std::pair<const std::string, DataType> &column) {
    ColumnFacts facts;
    for (size_t i = 0; values && i < values->size(); ++i) {
        const auto &[name, text] = (*values)[i];
        if (name != column.first) {
            continue;
        }
        const auto value = Scalar::FromPartitionValue(column.second, text);
        if (value.ok()) {
            facts.all_null = value->is_null();
            facts.none_null = !value->is_null();
        }
        if (value.ok() && !value->is_null()) {
            facts.min = *value;
            facts.max = *value;
            facts.nan_is_bounded = true;
        }
    }
    return facts;
}

}  // namespace

std::string_view IsolationLevelName(IsolationLevel level) {
    switch (level) {
    case IsolationLevel::kSerializable: return "Serializable";
    case IsolationLevel::kWriteSerializable: return "WriteSerializable";
    case IsolationLevel::kSnapshotIsolation: break;
    }
    return "SnapshotIsolation";
}

IsolationLevel IsolationLevelFor(const Metadata &metadata, const ChangeSet &changes) {
    const auto re_arranges = [](const auto &file) { return !file.data_change; };
    if (!changes.metadata && !changes.protocol && !(changes.adds.empty() && changes.removes.empty()) &&
        std::all_of(changes.adds.begin(), changes.adds.end(), re_arranges) &&
        std::all_of(changes.removes.begin(), changes.removes.end(), re_arranges)) {
        return IsolationLevel::kSnapshotIsolation;
    }
    const auto level = metadata.configuration.find("delta.isolationLevel");
    return level != metadata.configuration.end() && EqualsIgnoreCase(level->second, "WriteSerializable")
               ? IsolationLevel::kWriteSerializable
               : IsolationLevel::kSerializable;
}

// ---- the winner ----

Winner::Winner(CommitActionsPtr actions, int64_t file_time)
    : commit(std::move(actions)), version(commit->version), file_time_ms(file_time) {
    for (const auto &action : commit->actions) {
        std::visit(
            [&](const auto &one) {
                using T = std::decay_t<decltype(one)>;
                if constexpr (std::is_same_v<T, AddFile>) {
                    adds.push_back(&one);
                } else if constexpr (std::is_same_v<T, RemoveFile>) {
                    removes.push_back(&one);
                } else if constexpr (std::is_same_v<T, Metadata>) {
                    metadata = &one;
                } else if constexpr (std::is_same_v<T, Protocol>) {
                    protocol = &one;
                } else if constexpr (std::is_same_v<T, SetTransaction>) {
                    transactions.push_back(&one);
                } else if constexpr (std::is_same_v<T, DomainMetadata>) {
                    domains.push_back(&one);
                } else if constexpr (std::is_same_v<T, CommitInfo>) {
                    info = &one;
                }
            },
            action);
    }
}

std::string_view Winner::operation() const {
    return info && info->operation ? std::string_view(*info->operation) : "an unknown operation";
}
bool Winner::is_blind_append() const { return info && info->is_blind_append.value_or(false); }
bool Winner::only_row_ids() const { return operation() == kBackfill || operation() == kUnbackfill; }
bool Winner::only_re_arranges() const {
    const auto re_arranges = [](const auto *file) { return !file->data_change; };
    const bool rows_are_somewhere = removes.empty() || !adds.empty();
    return rows_are_somewhere && std::all_of(adds.begin(), adds.end(), re_arranges) &&
           std::all_of(removes.begin(), removes.end(), re_arranges);
}
int64_t Winner::timestamp_ms() const {
    return info && info->in_commit_timestamp ? *info->in_commit_timestamp : file_time_ms;
}

// ---- the checker ----

ConflictChecker::ConflictChecker(const Snapshot &read, const ChangeSet &changes, IsolationLevel level)
    : read_(read), changes_(changes), level_(level), predicates_(changes.reads->predicates()) {
    for (const auto &name : read.metadata().partition_columns) {
        if (const auto *field = read.schema().Find(name)) {
            partition_columns_.emplace(PhysicalName(*field, read.mapping()), field->type);
        }
    }
}

void ConflictChecker::IndexFiles() {
    our_removes_.clear();
    our_adds_.clear();
    for (size_t i = 0; i < changes_.removes.size(); ++i) {
        our_removes_.emplace(DecodePath(changes_.removes[i].path), i);
    }
    for (size_t i = 0; i < changes_.adds.size(); ++i) {
        our_adds_.emplace(DecodePath(changes_.adds[i].path), i);
    }
}

ConflictVerdict ConflictChecker::Check(const CommitBase &base, const Winner &winner) {
    ConflictVerdict verdict;
    IndexFiles();
    const auto check = [&]() -> std::optional<Error> {
        if (TakesOnlyTheNextVersion(changes_.operation.name)) {
            return Conflict(Condition::DELTA_CONCURRENT_WRITE, winner, "was written since");
        }
        if (auto error = CheckProtocol(base, winner)) {
            return error;
        }
        if (auto error = CheckMetadata(base, winner)) {
            return error;
        }
        if (auto error = CheckDomains(winner)) {
            return error;
        }
        if (auto error = CheckTransactions(winner)) {
            return error;
        }
        if (auto error = CheckAdds(winner)) {
            return error;
        }
        if (auto error = CheckReads(winner)) {
            return error;
        }
        return CheckDeletes(base, winner, verdict);
    };
    verdict.conflict = check();
    std::set<std::string> removed;
    for (const auto *remove : winner.removes) {
        removed.insert(DecodePath(remove->path));
    }
    for (const auto *add : winner.adds) {
        if (auto path = DecodePath(add->path); add->data_change && !removed.contains(path)) {
            added_since_.insert(std::move(path));
        }
    }
    return verdict;
}

Error ConflictChecker::Conflict(Condition condition, const Winner &winner, std::string_view what) const {
    return Fail(condition, "This {} read version {} of {}, but version {} ({}) {}. Run the statement again.",
                changes_.operation.name, read_.version(), read_.root(), winner.version, winner.operation(), what);
}

std::optional<Error> ConflictChecker::CheckProtocol(const CommitBase &base, const Winner &winner) const {
    if (!winner.protocol || *winner.protocol == base.protocol) {
        return std::nullopt;
    }
    if (changes_.protocol) {
        return Conflict(Condition::DELTA_PROTOCOL_CHANGED, winner, "changed the table's protocol, as this one does");
    }
    if (auto problem = ProtocolChangeThatFailsOthers(base.protocol, *winner.protocol)) {
        return Conflict(Condition::DELTA_PROTOCOL_CHANGED, winner, *problem);
    }
    const Metadata &metadata = winner.metadata ? *winner.metadata : base.metadata;
    const auto schema = ParseSchema(metadata.schema_string);
    const auto writable =
        schema.ok() ? CheckWritable(*winner.protocol, metadata, *schema, read_.root()) : Status(schema.error());
    if (!writable.ok()) {
        return Conflict(Condition::DELTA_PROTOCOL_CHANGED, winner,
                        fmt::format("changed the table's protocol ({})", writable.error().text()));
    }
    return std::nullopt;
}

std::optional<Error> ConflictChecker::CheckMetadata(const CommitBase &base, const Winner &winner) const {
    if (!winner.metadata || (*winner.metadata == base.metadata && !changes_.metadata)) {
        return std::nullopt;
    }
    if (changes_.metadata) {
        return Conflict(Condition::DELTA_METADATA_CHANGED, winner, "changed the table's metadata, as this one does");
    }
    if (winner.info && IsIdentityOnly(*winner.info)) {
        return std::nullopt;
    }
    const Protocol &protocol = winner.protocol ? *winner.protocol : base.protocol;
    if (auto problem = MetadataChangeThatFailsOthers(base.metadata, *winner.metadata, protocol)) {
        return Conflict(Condition::DELTA_METADATA_CHANGED, winner, *problem);
    }
    return std::nullopt;
}

std::optional<Error> ConflictChecker::CheckDomains(const Winner &winner) const {
    for (const auto *theirs : winner.domains) {
        for (const auto &ours : changes_.domains) {
            if (ours.domain == theirs->domain && ours.domain != kRowTrackingDomain) {
                return Conflict(Condition::DELTA_CONCURRENT_TRANSACTION, winner,
                                fmt::format("changed the metadata domain {}, as this one does", ours.domain));
            }
        }
    }
    return std::nullopt;
}

std::optional<Error> ConflictChecker::CheckTransactions(const Winner &winner) const {
    const auto read = changes_.reads->app_ids();
    for (const auto *transaction : winner.transactions) {
        if (read.contains(transaction->app_id)) {
            return Conflict(
                Condition::DELTA_CONCURRENT_TRANSACTION, winner,
                fmt::format("wrote for the same application {}. Do two instances of one streaming query run "
                            "at the same time?",
                            transaction->app_id));
        }
    }
    return std::nullopt;
}

bool ConflictChecker::MayMatch(const PartitionValues *values, const std::optional<std::string> &stats) const {
    if (predicates_.empty() || changes_.reads->reads_whole_table()) {
        return !predicates_.empty();
    }
    const auto statistics = FileStatistics::Parse(stats);
    const auto facts = [&](const std::vector<std::string> &column, const DataType &type) {
        const auto partition = column.size() == 1 ? partition_columns_.find(column[0]) : partition_columns_.end();
        return partition == partition_columns_.end() ? statistics.Facts(column, type)
                                                     : FactsOfPartition(values, *partition);
    };
    return std::any_of(predicates_.begin(), predicates_.end(),
                       [&](const Predicate &predicate) { return Evaluate(predicate, facts) != Ternary::kFalse; });
}

std::string ConflictChecker::PartitionHint(const PartitionValues *values) const {
    if (partition_columns_.empty() || !values || values->empty()) {
        return "";
    }
    std::vector<std::string> parts;
    for (const auto &name : read_.metadata().partition_columns) {
        const auto *field = read_.schema().Find(name);
        const auto physical = field ? PhysicalName(*field, read_.mapping()) : name;
        const auto value =
            std::find_if(values->begin(), values->end(), [&](const auto &entry) { return entry.first == physical; });
        parts.push_back(name + "=" + (value == values->end() ? "null" : value->second.value_or("null")));
    }
    return fmt::format(" in the partition [{}]", fmt::join(parts, ", "));
}

std::optional<Error> ConflictChecker::CheckAdds(const Winner &winner) const {
    std::set<std::string> removed;
    bool re_arranges = false;
    for (const auto *remove : winner.removes) {
        removed.insert(DecodePath(remove->path));
        re_arranges = re_arranges || !remove->data_change;
    }
    const bool need_not_see =
        level_ == IsolationLevel::kSnapshotIsolation || winner.only_row_ids() ||
        (level_ == IsolationLevel::kWriteSerializable && winner.is_blind_append() && !changes_.metadata);
    for (const auto *add : winner.adds) {
        const auto path = DecodePath(add->path);
        if (our_adds_.contains(path) && !our_removes_.contains(path)) {
            return Conflict(Condition::DELTA_CONCURRENT_WRITE, winner, fmt::format("added the same file {}", path));
        }
        if (need_not_see || (!add->data_change && re_arranges)) {
            continue;  // its rows were in the files that the same commit removed
        }
        if (changes_.touched_is_read && removed.contains(path)) {
            continue;  // another vector for a file that we know: CheckDeletes
        }
        if (MayMatch(&add->partition_values, add->stats)) {
            return Conflict(
                Condition::DELTA_CONCURRENT_APPEND, winner,
                fmt::format("added data that it should have read{}", PartitionHint(&add->partition_values)));
        }
    }
    return std::nullopt;
}

std::optional<Error> ConflictChecker::CheckReads(const Winner &winner) const {
    // Who only re-arranges, and who read exactly what it touches, has read the files that it removes: CheckDeletes.
    // Rows that are elsewhere now are the rows that were read.
    if (level_ == IsolationLevel::kSnapshotIsolation || changes_.touched_is_read || winner.only_re_arranges()) {
        return std::nullopt;
    }
    for (const auto *remove : winner.removes) {
        const auto *values = remove->partition_values ? &*remove->partition_values : nullptr;
        if (!added_since_.contains(DecodePath(remove->path)) && MayMatch(values, remove->stats)) {
            return Conflict(Condition::DELTA_CONCURRENT_DELETE_READ, winner,
                            fmt::format("deleted data that it read{}", PartitionHint(values)));
        }
    }
    return std::nullopt;
}

//! Rows are followed by their ids, where both sides kept them.
bool ConflictChecker::FollowsRows(const CommitBase &base, const Winner &winner) const {
    return level_ != IsolationLevel::kSnapshotIsolation && winner.only_re_arranges() && !base.row_tracking_was_off &&
           IsSwitchedOn(read_.metadata(), "delta.enableRowTracking") &&
           IsSwitchedOn(base.metadata, "delta.enableRowTracking");
}

std::optional<Error> ConflictChecker::CheckDeletes(const CommitBase &base, const Winner &winner,
                                                   ConflictVerdict &verdict) const {
    const bool follows_rows = FollowsRows(base, winner);
    std::map<std::string, const AddFile *> added;
    for (const auto *add : winner.adds) {
        added.emplace(DecodePath(add->path), add);
    }
    for (const auto *remove : winner.removes) {
        const auto path = DecodePath(remove->path);
        const auto again = added.find(path);
        const auto our_remove = our_removes_.find(path);
        const auto our_add = our_adds_.find(path);
        VectorChange change{remove, again == added.end() ? nullptr : again->second, std::nullopt, std::nullopt};
        if (our_remove == our_removes_.end()) {
            if (changes_.touched_is_read && change.after && !added_since_.contains(path)) {
                verdict.vector_changes.push_back(change);
            }
            continue;
        }
        const auto &removed_by_us = changes_.removes[our_remove->second];
        const bool same_rows = VectorIdOf(removed_by_us.deletion_vector) == VectorIdOf(remove->deletion_vector);
        if (follows_rows && same_rows && !change.after && removed_by_us.base_row_id) {
            verdict.moved.push_back(our_remove->second);
            continue;
        }
        const bool both_replace_the_vector =
            changes_.touched_is_read && change.after && our_add != our_adds_.end() && same_rows;
        if (!both_replace_the_vector) {
            const auto *values = remove->partition_values ? &*remove->partition_values : nullptr;
            return Conflict(
                Condition::DELTA_CONCURRENT_DELETE_DELETE, winner,
                fmt::format("deleted data from {} that this one deletes too{}", remove->path, PartitionHint(values)));
        }
        change.our_add = our_add->second;
        change.our_remove = our_remove->second;
        verdict.vector_changes.push_back(change);
    }
    return std::nullopt;
}

// ---- rebase ----

void Rebase(CommitBase &base, const Winner &winner, ChangeSet &changes) {
    base.version = winner.version;
    base.timestamp_ms = winner.timestamp_ms();
    const bool tracked = IsSwitchedOn(base.metadata, "delta.enableRowTracking");
    if (winner.protocol) {
        base.protocol = *winner.protocol;
    }
    if (winner.metadata) {
        base.metadata = *winner.metadata;
    }
    base.row_tracking_was_off |= !tracked && IsSwitchedOn(base.metadata, "delta.enableRowTracking");
    for (const auto *domain : winner.domains) {
        base.row_id_high_water = RowIdHighWater(*domain).value_or(base.row_id_high_water);
    }
    // A file of ours that the winner committed again, as a backfill does: remove and add say what its last add says.
    std::map<std::string, const AddFile *> again;
    for (const auto *add : winner.adds) {
        again.emplace(DecodePath(add->path), add);
    }
    const auto take_over = [&](auto &file) {
        if (const auto found = again.find(DecodePath(file.path)); found != again.end()) {
            file.base_row_id = found->second->base_row_id;
            file.default_row_commit_version = found->second->default_row_commit_version;
        }
    };
    std::for_each(changes.removes.begin(), changes.removes.end(), take_over);
    std::for_each(changes.adds.begin(), changes.adds.end(), take_over);
}

}  // namespace birdfoot
