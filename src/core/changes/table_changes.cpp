// A version's `cdc` files are its changes, exclusively; without any, its added and removed files are. A path both
// removed and added in one version changed its vector: the difference of the vectors is the change.
#include "core/changes/table_changes.hpp"

#include <algorithm>
#include <map>

#include "core/table/history.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"

namespace birdfoot {
namespace {

bool FeedEnabled(const Metadata &metadata) {
    return BoolProperty(metadata, "delta.enableChangeDataFeed") ||
           BoolProperty(metadata, "delta.enableChangeDataCapture");
}

Error MissingChangeData(Version start, Version end, Version version) {
    return Fail(
        Condition::DELTA_MISSING_CHANGE_DATA,
        "Error getting change data for range [{}, {}] as change data was not recorded for version [{}]: the change "
        "data feed was not enabled there. `DESCRIBE HISTORY` shows when it was enabled; to record changes from now "
        "on, use `ALTER TABLE … SET TBLPROPERTIES (delta.enableChangeDataFeed = true)`.",
        start, end, version);
}

//! True if data of type `from` can be read as `to`: the same, or widened.
bool ReadsAs(const DataType &from, const DataType &to);

//! True if every column of `from` is still there under its name, and readable; `to` may have more.
bool ReadsAs(const StructType &from, const StructType &to) {
    return std::all_of(from.fields.begin(), from.fields.end(), [&](const StructField &field) {
        const auto *found = to.Find(field.name);
        return found && ReadsAs(field.type, found->type) &&
               PhysicalName(field, ColumnMappingMode::kName) == PhysicalName(*found, ColumnMappingMode::kName);
    });
}

bool ReadsAs(const DataType &from, const DataType &to) {
    if (from.kind() == to.kind()) {
        switch (from.kind()) {
        case TypeKind::kStruct: return ReadsAs(from.struct_type(), to.struct_type());
        case TypeKind::kArray: return ReadsAs(from.array_type().element, to.array_type().element);
        case TypeKind::kMap:
            return ReadsAs(from.map_type().key, to.map_type().key) &&
                   ReadsAs(from.map_type().value, to.map_type().value);
        case TypeKind::kDecimal:
            return to.scale() >= from.scale() && to.precision() - to.scale() >= from.precision() - from.scale();
        default: return true;
        }
    }
    if (from.is_integer() && to.is_integer()) {
        return from.kind() < to.kind();
    }
    const bool small_integer = from.is_integer() && from.kind() != TypeKind::kLong;
    switch (to.kind()) {
    case TypeKind::kDouble: return from.kind() == TypeKind::kFloat || small_integer;
    case TypeKind::kDecimal: return from.is_integer() && to.precision() - to.scale() >= (small_integer ? 10 : 20);
    case TypeKind::kTimestampNtz: return from.kind() == TypeKind::kDate;
    default: return from.kind() == TypeKind::kVoid;
    }
}

//! A MERGE that changed no row may have rewritten files without writing change data.
bool ChangedNothing(const CommitInfo &info) {
    if (info.operation != "MERGE") {
        return false;
    }
    const auto json = JsonDocument::Parse(info.json);
    if (!json.ok()) {
        return false;
    }
    const auto metrics = json->root()["operationMetrics"];
    return std::ranges::all_of(std::array{"numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted"},
                               [&](const char *name) { return metrics[name].string() == "0"; });
}

class Planner {
public:
    Planner(const Engine &engine, const std::string &root, const Call &call)
        : engine_(engine), root_(root), call_(call) {}

    Result<TableChanges> Run(const ChangeRange &range) {
        BF_ASSIGN(const auto latest, LoadSnapshot(engine_, root_, LatestVersion(), call_));
        BF_RETURN_IF_ERROR(ResolveRange(range, *latest));
        if (changes_.start > latest->version()) {
            changes_.snapshot = latest;
            return std::move(changes_);
        }
        changes_.snapshot = latest;
        if (changes_.end != latest->version()) {
            BF_ASSIGN(changes_.snapshot, LoadSnapshot(engine_, root_, AtVersion{changes_.end}, call_));
        }
        BF_ASSIGN(const auto start, StartSnapshot());
        BF_ASSIGN(const auto times, CommitTimes(engine_, *latest, changes_.start, changes_.end, call_));
        for (Version version = changes_.start; version <= changes_.end; ++version) {
            ObjectInfo file;
            file.name = CommitFileName(version);
            auto commit = ReadCommit(engine_, latest->segment().log_folder, file, call_);
            if (!commit.ok()) {
                return commit.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND
                           ? Fail(Condition::DELTA_LOG_FILE_NOT_FOUND,
                                  "The changes of version {} are gone: {} was deleted, by log clean-up perhaps.",
                                  version, file.name)
                           : std::move(commit).error();
            }
            const auto time =
                std::find_if(times.begin(), times.end(), [&](const auto &t) { return t.version == version; });
            BF_RETURN_IF_ERROR(AddVersion(**commit, time == times.end() ? 0 : time->timestamp_ms));
        }
        BF_RETURN_IF_ERROR(CheckSchema(start->metadata(), start->schema(), changes_.start,
                                       Condition::DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA));
        return std::move(changes_);
    }

private:
    Status ResolveRange(const ChangeRange &range, const Snapshot &latest) {
        if (range.start < 0 || range.end.value_or(0) < 0) {
            return Fail(Condition::DELTA_VERSION_INVALID, "Version {} is invalid: versions begin at 0.",
                        std::min(range.start, range.end.value_or(0)));
        }
        if (range.end && *range.end < range.start) {
            return Fail(Condition::DELTA_INVALID_CDC_RANGE,
                        "CDC range from start {} to end {} was invalid. End cannot be before start.", range.start,
                        *range.end);
        }
        if (range.start > latest.version() && !range.allow_out_of_range) {
            return Fail(Condition::DELTA_CDC_START_VERSION_AFTER_LATEST,
                        "Start version {} for change data feed exceeds the latest table version {}.", range.start,
                        latest.version());
        }
        changes_.start = range.start;
        changes_.end = std::min(range.end.value_or(latest.version()), latest.version());
        return {};
    }

    //! The feed is on at the start. What is off or changed later shows in the commits.
    Result<SnapshotPtr> StartSnapshot() {
        SnapshotPtr start = changes_.snapshot;
        if (changes_.start != changes_.end) {
            BF_ASSIGN(start, LoadSnapshot(engine_, root_, AtVersion{changes_.start}, call_));
        }
        if (!FeedEnabled(start->metadata())) {
            return MissingChangeData(changes_.start, changes_.end, changes_.start);
        }
        return start;
    }

    Status CheckSchema(const Metadata &metadata, const StructType &schema, Version version, Condition condition) const {
        if (ReadsAs(schema, changes_.snapshot->schema()) &&
            metadata.partition_columns == changes_.snapshot->metadata().partition_columns) {
            return {};
        }
        return Fail(
            condition,
            "Retrieving table changes between version {} and {} failed because of an incompatible schema: columns "
            "of version {} were dropped, renamed, repartitioned or changed in type by version {}. Read the changes "
            "up to version {} and from there on separately.",
            changes_.start, changes_.end, version, changes_.end, std::max(version, changes_.start));
    }

    Status AddVersion(const CommitActions &commit, int64_t timestamp_ms) {
        version_ = commit.version;
        timestamp_ms_ = timestamp_ms;
        std::vector<const AddCdcFile *> cdc;
        std::map<std::string, const AddFile *> adds;  // by decoded path
        std::map<std::string, const RemoveFile *> removes;
        bool changed_nothing = false;
        for (const auto &action : commit.actions) {
            if (const auto *metadata = std::get_if<Metadata>(&action)) {
                BF_RETURN_IF_ERROR(CheckMetadata(*metadata));
            } else if (const auto *change = std::get_if<AddCdcFile>(&action)) {
                cdc.push_back(change);
            } else if (const auto *add = std::get_if<AddFile>(&action); add && add->data_change) {
                adds[DecodePath(add->path)] = add;
            } else if (const auto *remove = std::get_if<RemoveFile>(&action); remove && remove->data_change) {
                removes[DecodePath(remove->path)] = remove;
            } else if (const auto *info = std::get_if<CommitInfo>(&action)) {
                changed_nothing = ChangedNothing(*info);
            }
        }
        if (!cdc.empty()) {
            for (const auto *change : cdc) {
                AddFile file;
                file.path = change->path;
                file.partition_values = change->partition_values;
                file.size = change->size;
                file.tags = change->tags;
                BF_RETURN_IF_ERROR(Emit(std::move(file), ChangeKind::kInFile, nullptr, false));
            }
            return {};
        }
        return changed_nothing ? Status() : AddFiles(adds, removes);
    }

    Status CheckMetadata(const Metadata &metadata) const {
        if (!FeedEnabled(metadata)) {
            return MissingChangeData(changes_.start, changes_.end, version_);
        }
        if (version_ == changes_.start) {
            return {};
        }
        BF_ASSIGN(const auto schema, ParseSchema(metadata.schema_string));
        return CheckSchema(metadata, schema, version_, Condition::DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE);
    }

    Status AddFiles(const std::map<std::string, const AddFile *> &adds,
                    const std::map<std::string, const RemoveFile *> &removes) {
        for (const auto &[path, remove] : removes) {
            if (!remove->partition_values && !changes_.snapshot->metadata().partition_columns.empty()) {
                return Fail(
                    Condition::DELTA_MISSING_CHANGE_DATA,
                    "Version {} removed {} without saying its partition values, so its deleted rows cannot be told.",
                    version_, path);
            }
            const auto added = adds.find(path);
            if (added == adds.end()) {
                BF_RETURN_IF_ERROR(EmitLive(FileOf(*remove), ChangeKind::kDelete));
            } else {
                BF_RETURN_IF_ERROR(EmitDifference(*added->second, *remove));
            }
        }
        for (const auto &[path, add] : adds) {
            if (!removes.contains(path)) {
                BF_RETURN_IF_ERROR(EmitLive(*add, ChangeKind::kInsert));
            }
        }
        return {};
    }

    //! All rows of the file that its own vector leaves.
    Status EmitLive(AddFile file, ChangeKind kind) {
        std::shared_ptr<const RowSet> deleted;
        if (file.deletion_vector) {
            BF_ASSIGN(auto rows, ReadDeletionVector(engine_, root_, *file.deletion_vector, call_));
            deleted = std::make_shared<const RowSet>(std::move(rows));
        }
        return Emit(std::move(file), kind, std::move(deleted), false);
    }

    //! One file, another vector: rows that only the new one has were deleted, rows that only the old one had came back.
    Status EmitDifference(const AddFile &add, const RemoveFile &remove) {
        RowSet before;
        RowSet after;
        if (remove.deletion_vector) {
            BF_ASSIGN(before, ReadDeletionVector(engine_, root_, *remove.deletion_vector, call_));
        }
        if (add.deletion_vector) {
            BF_ASSIGN(after, ReadDeletionVector(engine_, root_, *add.deletion_vector, call_));
        }
        auto deleted = after.Clone();
        deleted.Subtract(before);
        before.Subtract(after);
        if (!deleted.empty()) {
            BF_RETURN_IF_ERROR(
                Emit(AddFile(add), ChangeKind::kDelete, std::make_shared<const RowSet>(std::move(deleted)), true));
        }
        if (!before.empty()) {
            BF_RETURN_IF_ERROR(
                Emit(AddFile(add), ChangeKind::kInsert, std::make_shared<const RowSet>(std::move(before)), true));
        }
        return {};
    }

    Status Emit(AddFile add, ChangeKind kind, std::shared_ptr<const RowSet> rows, bool only_rows) {
        ChangeFile change;
        add.deletion_vector.reset();
        change.file.path = ResolvePath(root_, add.path);
        for (const auto &name : changes_.snapshot->metadata().partition_columns) {
            const auto *field = changes_.snapshot->schema().Find(name);
            const auto physical = PhysicalName(*field, changes_.snapshot->mapping());
            const auto value = std::find_if(add.partition_values.begin(), add.partition_values.end(),
                                            [&](const auto &v) { return v.first == physical; });
            BF_ASSIGN(auto scalar,
                      Scalar::FromPartitionValue(field->type,
                                                 value == add.partition_values.end() ? std::nullopt : value->second));
            change.file.partition.push_back(std::move(scalar));
        }
        change.file.statistics = FileStatistics::Parse(add.stats);
        change.file.add = std::move(add);
        change.kind = kind;
        change.version = version_;
        change.timestamp_ms = timestamp_ms_;
        change.rows = std::move(rows);
        change.only_rows = only_rows;
        changes_.files.push_back(std::move(change));
        return {};
    }

    const Engine &engine_;
    const std::string &root_;
    const Call &call_;
    TableChanges changes_;
    Version version_ = 0;
    int64_t timestamp_ms_ = 0;
};

}  // namespace

std::string_view ChangeTypeText(ChangeKind kind) {
    switch (kind) {
    case ChangeKind::kInsert: return "insert";
    case ChangeKind::kDelete: return "delete";
    case ChangeKind::kInFile: break;
    }
    return "";
}

Result<TableChanges> PlanTableChanges(const Engine &engine, const std::string &root, const ChangeRange &range,
                                      const Call &call) {
    return Planner(engine, root, call).Run(range);
}

}  // namespace birdfoot
