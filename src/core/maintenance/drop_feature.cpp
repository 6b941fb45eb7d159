// See drop_feature.hpp. The steps are delta-spark's: the traces of the feature go first; then three empty commits with
// a checkpoint each, so that readers that fail on one and go back find no way past them; then the commit that drops the
// feature and names the versions that are protected; and a checkpoint behind it.
#include "core/maintenance/drop_feature.hpp"

#include <algorithm>
#include <array>

#include "core/base/json.hpp"
#include "core/log/replay.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/schema/type_widening.hpp"
#include "core/table/log_cleanup.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "core/txn/checkpoint_writer.hpp"
#include "core/txn/commit_rules.hpp"

namespace birdfoot {
namespace {

constexpr int kBarriers = 3;
constexpr std::string_view kProtection = "checkpointProtection";
constexpr std::string_view kProtectedBefore = "delta.requireCheckpointProtectionBeforeVersion";
constexpr std::string_view kConstraintPrefix = "delta.constraints.";

struct Droppable {
    std::string_view name;
    bool in_history;                             // readers of old versions need it
    std::array<std::string_view, 4> properties;  // that go with it
};
constexpr Droppable kDroppable[] = {
    {"checkConstraints", false, {}},
    {"columnMapping", true, {"delta.columnMapping.mode", "delta.columnMapping.maxColumnId"}},
    {"deletionVectors", true, {"delta.enableDeletionVectors"}},
    {"v2Checkpoint", true, {"delta.checkpointPolicy"}},
    {"typeWidening", true, {"delta.enableTypeWidening"}},
    {"typeWidening-preview", true, {"delta.enableTypeWidening"}},
    {"vacuumProtocolCheck", true, {}},
    {"rowTracking",
     false,
     {"delta.enableRowTracking", "delta.rowTrackingSuspended", "delta.rowTracking.materializedRowIdColumnName",
      "delta.rowTracking.materializedRowCommitVersionColumnName"}},
    {"domainMetadata", false, {}},
    {"inCommitTimestamp",
     false,
     {"delta.enableInCommitTimestamps", "delta.inCommitTimestampEnablementVersion",
      "delta.inCommitTimestampEnablementTimestamp"}},
    {kProtection, false, {kProtectedBefore}},
};

bool Widens(std::string_view feature) { return feature.starts_with("typeWidening"); }

DataType WithoutTypeChanges(const DataType &type);
StructType WithoutTypeChanges(const StructType &schema) {
    auto result = schema;
    for (auto &field : result.fields) {
        field.metadata.Remove(kTypeChanges);
        field.type = WithoutTypeChanges(field.type);
    }
    return result;
}
DataType WithoutTypeChanges(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kStruct: return DataType::Struct(WithoutTypeChanges(type.struct_type()));
    case TypeKind::kArray:
        return DataType::Array(WithoutTypeChanges(type.array_type().element), type.array_type().contains_null);
    case TypeKind::kMap:
        return DataType::Map(WithoutTypeChanges(type.map_type().key), WithoutTypeChanges(type.map_type().value),
                             type.map_type().value_contains_null);
    default: return type;
    }
}

bool HasTypeChanges(const StructType &schema) {
    return SchemaToJson(WithoutTypeChanges(schema)) != SchemaToJson(schema);
}

Result<std::vector<AddFile>> FilesOf(const Engine &engine, const Snapshot &snapshot, bool vectors_only,
                                     const Call &call) {
    std::vector<AddFile> files;
    FileRequest request;
    if (vectors_only) {
        request.keep_file = [](const AddFile &add) { return add.deletion_vector.has_value(); };
    }
    BF_RETURN_IF_ERROR(ReplayFiles(
        engine, snapshot.segment(), request,
        [&](AddFile &&add) -> Status {
            files.push_back(std::move(add));
            return {};
        },
        call));
    return files;
}

//! One DROP FEATURE on its way.
class Dropping {
public:
    Dropping(const Engine &engine, const std::string &root, const Droppable &feature, const DropFeatureOptions &options,
             const Call &call)
        : engine_(engine), root_(root), feature_(feature), options_(options), call_(call) {}

    Status Run() {
        BF_RETURN_IF_ERROR(Reload());
        BF_RETURN_IF_ERROR(TakeTracesOut());
        if (feature_.in_history) {
            for (int i = 0; i < (options_.truncate_history ? 1 : kBarriers); ++i) {
                BF_RETURN_IF_ERROR(CommitEmpty());
                BF_RETURN_IF_ERROR(Checkpoint());
            }
        }
        if (options_.truncate_history) {
            BF_RETURN_IF_ERROR(TruncateHistory());
        }
        BF_RETURN_IF_ERROR(CommitDrop());
        return feature_.in_history && !options_.truncate_history ? Checkpoint() : Status();
    }

private:
    Status Reload() {
        BF_ASSIGN(snapshot_, LoadSnapshot(engine_, root_, LatestVersion{}, call_));
        return {};
    }

    Status Commit(ChangeSet changes, bool empty = false, PendingFiles *pending = nullptr) {
        Transaction transaction(root_, snapshot_);
        transaction.changes() = std::move(changes);
        auto options = options_.commit;
        options.commit_empty = empty;
        BF_ASSIGN(auto outcome, transaction.Commit(engine_, options, call_));
        if (auto *conflict = std::get_if<Conflict>(&outcome)) {
            return conflict->error;
        }
        if (auto *unknown = std::get_if<OutcomeUnknown>(&outcome)) {
            if (pending) {
                pending->Unknown();
            }
            return unknown->error;
        }
        if (pending) {
            pending->Committed();
        }
        return Reload();
    }

    Status CommitDefinition(TableDefinition changed, Operation operation, SchemaChange change, ChangeSet changes = {},
                            PendingFiles *pending = nullptr) {
        BF_ASSIGN(auto complete, CompleteChange(std::move(changed), DefinitionOf(*snapshot_), change));
        changes.metadata = std::move(complete.metadata);
        if (complete.protocol != snapshot_->protocol()) {
            changes.protocol = std::move(complete.protocol);
        }
        changes.operation = std::move(operation);
        return Commit(std::move(changes), false, pending);
    }

    Status CommitEmpty() {
        ChangeSet changes;
        changes.data_change = false;
        changes.operation = {"Empty Commit", {}, {}};
        return Commit(std::move(changes), true);
    }

    Status Checkpoint() {
        const auto written = WriteCheckpoint(engine_, *snapshot_, call_);
        if (written.ok()) {
            return {};
        }
        return Fail(Condition::DELTA_FEATURE_DROP_CHECKPOINT_FAILED,
                    "Dropping {} failed due to a failure in checkpoint creation: {}. Please try again.", feature_.name,
                    written.error().message());
    }

    Operation Unset(std::string_view property) const {
        return {"UNSET TBLPROPERTIES", {{"properties", fmt::format("[\"{}\"]", property)}, {"ifExists", "true"}}, {}};
    }

    //! Switches the feature off, so that nobody brings it back meanwhile, then writes anew what still has it.
    Status TakeTracesOut() {
        const auto &name = feature_.name;
        if (name == "checkConstraints") {
            return RequireNoConstraints();
        }
        if (name == "domainMetadata") {
            return RemoveDomains();
        }
        if (name == "v2Checkpoint" && TextProperty(snapshot_->metadata(), "delta.checkpointPolicy") == "v2") {
            auto changed = DefinitionOf(*snapshot_);
            changed.metadata.configuration["delta.checkpointPolicy"] = "classic";
            made_changes_ = true;
            return CommitDefinition(
                std::move(changed),
                {"SET TBLPROPERTIES", {{"properties", R"({"delta.checkpointPolicy":"classic"})"}}, {}},
                SchemaChange::kAltered);
        }
        if (name == "deletionVectors" || Widens(name)) {
            const auto &property = feature_.properties[0];
            auto changed = DefinitionOf(*snapshot_);
            if (changed.metadata.configuration.erase(std::string(property)) > 0) {
                made_changes_ = true;
                BF_RETURN_IF_ERROR(CommitDefinition(std::move(changed), Unset(property), SchemaChange::kAltered));
            }
        }
        BF_ASSIGN(const bool rewrite, NeedsRewrite(engine_, *snapshot_, name, call_));
        return rewrite ? Rewrite() : Status();
    }

    Status RequireNoConstraints() const {
        std::string names;
        for (const auto &[key, value] : snapshot_->metadata().configuration) {
            if (key.starts_with(kConstraintPrefix)) {
                names += (names.empty() ? "" : ", ") + key.substr(kConstraintPrefix.size());
            }
        }
        if (names.empty()) {
            return {};
        }
        return Fail(Condition::DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE,
                    "Cannot drop the CHECK constraints table feature. The following constraints must be dropped first: "
                    "{}.",
                    names);
    }

    Status RemoveDomains() {
        BF_ASSIGN(auto extras, ReplayExtras(engine_, snapshot_->segment(), call_));
        if (extras.domains.empty()) {
            return {};
        }
        ChangeSet changes;
        changes.operation = {
            "DOMAIN METADATA CLEANUP", {}, {{"domainMetadataRemovedCount", std::to_string(extras.domains.size())}}};
        for (auto &[name, domain] : extras.domains) {
            domain.removed = true;
            changes.domains.push_back(std::move(domain));
        }
        return Commit(std::move(changes));
    }

    //! The files that have the feature are written anew without it: the same rows, in other files.
    Status Rewrite() {
        if (!options_.rewrite) {
            return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                        "Cannot drop {} from {}: files would have to be written anew, which this program cannot do. "
                        "CREATE TABLE … AS makes a table without it.",
                        feature_.name, root_);
        }
        made_changes_ = true;
        auto target = DefinitionOf(*snapshot_);
        auto change = SchemaChange::kAltered;
        Operation operation{"REORG", {{"predicate", "[]"}, {"applyPurge", "true"}}, {}};
        if (feature_.name == "columnMapping") {
            BF_RETURN_IF_ERROR(CheckNamesWithoutMapping());
            for (const auto property : feature_.properties) {
                target.metadata.configuration.erase(std::string(property));
            }
            change = SchemaChange::kRewritten;
            operation = {"REMOVE COLUMN MAPPING", {}, {}};
        } else if (Widens(feature_.name)) {
            target.schema = WithoutTypeChanges(target.schema);
        }
        BF_ASSIGN(auto complete, CompleteChange(target, DefinitionOf(*snapshot_), change));
        BF_ASSIGN(const auto files, FilesOf(engine_, *snapshot_, feature_.name == "deletionVectors", call_));
        ChangeSet changes;
        PendingFiles pending(engine_.store);
        BF_ASSIGN(changes.adds, options_.rewrite(snapshot_, complete, files, pending));
        for (const auto &file : files) {
            changes.removes.push_back(MakeRemove(file, engine_.now_ms(), false));
        }
        changes.reads->AddRead();
        operation.metrics = {{"numRewrittenFiles", std::to_string(files.size())},
                             {"numAddedFiles", std::to_string(changes.adds.size())},
                             {"numRemovedFiles", std::to_string(files.size())}};
        return CommitDefinition(std::move(target), std::move(operation), change, std::move(changes), &pending);
    }

    Status CheckNamesWithoutMapping() const {
        const auto names = CheckColumnNames(WithoutColumnMapping(snapshot_->schema()), ColumnMappingMode::kNone);
        if (names.ok()) {
            return {};
        }
        return Fail(Condition::DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING,
                    "Column mapping cannot be removed. {} Please rename the columns first.", names.error().text());
    }

    //! Removes what is older than the retention that TRUNCATE HISTORY leaves, and looks at what is left.
    Status TruncateHistory() {
        if (feature_.in_history && made_changes_) {
            return Wait(
                Condition::DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD,
                fmt::format("Dropping {} was partially successful: it is no longer used in the current version of "
                            "the table, but still in historical ones.",
                            feature_.name));
        }
        BF_ASSIGN(const auto retention,
                  IntervalProperty(snapshot_->metadata(), "delta.dropFeatureTruncateHistory.retentionDuration"));
        BF_RETURN_IF_ERROR(CleanUpLog(engine_, *snapshot_, call_, retention.value_or(0)));
        BF_ASSIGN(const bool used, HistoryUsesIt());
        if (!used) {
            return {};
        }
        return feature_.name == kProtection
                   ? Wait(Condition::DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD,
                          "There are still traces of dropped features in the table history.")
                   : Wait(Condition::DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST,
                          fmt::format("Cannot drop {} because the Delta log contains historical versions that use it.",
                                      feature_.name));
    }

    Error Wait(Condition condition, const std::string &problem) const {
        const auto retention =
            TextProperty(snapshot_->metadata(), "delta.dropFeatureTruncateHistory.retentionDuration");
        return Fail(
            condition,
            "{} Please wait until the retention of TRUNCATE HISTORY has passed "
            "(delta.dropFeatureTruncateHistory.retentionDuration: {}), and repeat ALTER TABLE … DROP FEATURE {} "
            "TRUNCATE HISTORY.",
            problem, retention.value_or("none"), feature_.name);
    }

    //! Anything in what is left of the log that a reader without the feature could not read.
    Result<bool> HistoryUsesIt() {
        const auto &folder = snapshot_->segment().log_folder;
        BF_ASSIGN(const auto files, engine_.store->List(folder, "", call_));
        std::optional<Version> oldest_checkpoint;
        for (const auto &file : files) {
            const auto name = ParseLogFileName(file.name);
            if (!name) {
                continue;
            }
            if (name->kind == LogFileKind::kCheckpoint) {
                oldest_checkpoint = std::min(oldest_checkpoint.value_or(name->version), name->version);
                const bool v2 =
                    name->checkpoint == CheckpointKind::kV2Json || name->checkpoint == CheckpointKind::kV2Parquet;
                if (feature_.name == "v2Checkpoint" && v2) {
                    return true;
                }
            }
            if (name->kind != LogFileKind::kCommit) {
                continue;
            }
            BF_ASSIGN(const bool used, CommitUsesIt(folder + "/" + file.name, name->version));
            if (used) {
                return true;
            }
        }
        return oldest_checkpoint ? VersionUsesIt(*oldest_checkpoint) : Result<bool>(false);
    }

    Result<bool> CommitUsesIt(const std::string &file, Version version) {
        if (feature_.name == kProtection) {
            return version < IntProperty(snapshot_->metadata(), kProtectedBefore);
        }
        BF_ASSIGN(const auto text, engine_.store->Get(file, std::nullopt, call_));
        bool used = false;
        BF_RETURN_IF_ERROR(ParseActions(text, file, [&](Action &&action) -> Status {
            used = used || Uses(action);
            return {};
        }));
        return used;
    }

    //! What the oldest checkpoint stands for; its tombstones do not matter to readers.
    Result<bool> VersionUsesIt(Version version) {
        if (feature_.name == kProtection) {
            return false;
        }
        BF_ASSIGN(const auto there, LoadSnapshot(engine_, root_, AtVersion{version}, call_));
        if (Uses(Action(there->metadata()))) {
            return true;
        }
        if (feature_.name != "deletionVectors") {
            return false;
        }
        BF_ASSIGN(const auto files, FilesOf(engine_, *there, true, call_));
        return !files.empty();
    }

    //! A trace of the feature in one action.
    bool Uses(const Action &action) const {
        const auto &name = feature_.name;
        if (name == "deletionVectors") {
            if (const auto *add = std::get_if<AddFile>(&action)) {
                return add->deletion_vector.has_value();
            }
            if (const auto *remove = std::get_if<RemoveFile>(&action)) {
                return remove->deletion_vector.has_value();
            }
        }
        const auto *metadata = std::get_if<Metadata>(&action);
        if (!metadata) {
            return name == "v2Checkpoint" &&
                   (std::holds_alternative<CheckpointMetadata>(action) || std::holds_alternative<Sidecar>(action));
        }
        if (Widens(name)) {
            const auto schema = ParseSchema(metadata->schema_string);
            return !schema.ok() || HasTypeChanges(*schema);
        }
        const auto *feature = FindFeature(name);
        return IsFeatureActive(*feature, *metadata, StructType());
    }

    Status CommitDrop() {
        auto changed = DefinitionOf(*snapshot_);
        for (const auto property : feature_.properties) {
            changed.metadata.configuration.erase(std::string(property));
        }
        ChangeSet changes;
        if (feature_.name == "rowTracking") {
            BF_RETURN_IF_ERROR(TakeRowIdsOut(changes));
        }
        changes.protocol = WithoutFeature(snapshot_->protocol(), feature_.name);
        if (feature_.in_history && !options_.truncate_history) {
            changes.protocol = WithFeature(*std::move(changes.protocol), kProtection);
            changed.metadata.configuration[std::string(kProtectedBefore)] = std::to_string(snapshot_->version() + 1);
        }
        changes.metadata = std::move(changed.metadata);
        changes.operation = {"DROP FEATURE",
                             {{"featureName", std::string(feature_.name)},
                              {"truncateHistory", options_.truncate_history ? "true" : "false"}},
                             {}};
        return Commit(std::move(changes));
    }

    //! Ids that stayed would be given again, were row tracking turned on later.
    Status TakeRowIdsOut(ChangeSet &changes) {
        BF_ASSIGN(changes.adds, FilesOf(engine_, *snapshot_, false, call_));
        std::erase_if(changes.adds,
                      [](const auto &add) { return !add.base_row_id && !add.default_row_commit_version; });
        for (auto &add : changes.adds) {
            add.base_row_id.reset();
            add.default_row_commit_version.reset();
            add.data_change = false;
        }
        changes.reads->AddRead();
        BF_ASSIGN(auto extras, ReplayExtras(engine_, snapshot_->segment(), call_));
        if (auto found = extras.domains.find(std::string(kRowTrackingDomain)); found != extras.domains.end()) {
            changes.domains.push_back(std::move(found->second));
            changes.domains.back().removed = true;
        }
        return {};
    }

    const Engine &engine_;
    const std::string &root_;
    const Droppable &feature_;
    const DropFeatureOptions &options_;
    const Call &call_;
    SnapshotPtr snapshot_;
    bool made_changes_ = false;
};

Result<const Droppable *> FindDroppable(const Protocol &protocol, std::string_view name, bool truncate_history) {
    if (!HasFeature(protocol, name)) {
        if (FindProperty(name)) {
            return Fail(Condition::DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY,
                        "Cannot drop `{}` from this table because this is a delta table property and not a table "
                        "feature.",
                        name);
        }
        return FindFeature(name)
                   ? Fail(Condition::DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT,
                          "Cannot drop {} from this table because it is not currently present in the table's protocol.",
                          name)
                   : Fail(Condition::DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE,
                          "Cannot drop {} because it is not supported by this version: `birdfoot features` lists those "
                          "that are.",
                          name);
    }
    const auto found = std::find_if(std::begin(kDroppable), std::end(kDroppable),
                                    [&](const Droppable &feature) { return feature.name == name; });
    if (found == std::end(kDroppable)) {
        return Fail(Condition::DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE,
                    "Cannot drop {} because dropping this feature is not supported.", name);
    }
    if (truncate_history && !found->in_history && name != kProtection) {
        return Fail(Condition::DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED,
                    "The feature {} does not require history truncation: old versions can be read without it. Leave "
                    "TRUNCATE HISTORY out.",
                    name);
    }
    if (!truncate_history && name == kProtection) {
        return Fail(Condition::DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION,
                    "Could not drop the Checkpoint Protection feature. This feature can only be dropped by truncating "
                    "history: ALTER TABLE table_name DROP FEATURE checkpointProtection TRUNCATE HISTORY.");
    }
    if (const auto dependents = FeaturesThatNeed(protocol, name); !dependents.empty()) {
        return Fail(Condition::DELTA_FEATURE_DROP_DEPENDENT_FEATURE,
                    "Cannot drop table feature `{0}` because some other features ({1}) in this table depend on `{0}`. "
                    "Consider dropping them first.",
                    name, fmt::join(dependents, ", "));
    }
    return &*found;
}

}  // namespace

Result<bool> NeedsRewrite(const Engine &engine, const Snapshot &snapshot, std::string_view feature, const Call &call) {
    if (feature == "columnMapping") {
        return snapshot.mapping() != ColumnMappingMode::kNone || HasColumnMapping(snapshot.schema());
    }
    if (Widens(feature)) {
        return HasTypeChanges(snapshot.schema());
    }
    if (feature == "deletionVectors") {
        BF_ASSIGN(const auto files, FilesOf(engine, snapshot, true, call));
        return !files.empty();
    }
    return false;
}

Status DropFeature(const Engine &engine, const std::string &root, std::string_view feature,
                   const DropFeatureOptions &options, const Call &call) {
    BF_ASSIGN(const auto snapshot, LoadSnapshot(engine, root, LatestVersion{}, call));
    BF_RETURN_IF_ERROR(CheckWritable(snapshot->protocol(), snapshot->metadata(), snapshot->schema(), root));
    BF_ASSIGN(const auto *droppable, FindDroppable(snapshot->protocol(), feature, options.truncate_history));
    return Dropping(engine, root, *droppable, options, call).Run();
}

}  // namespace birdfoot
