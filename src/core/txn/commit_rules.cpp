// The rules. A change set that breaks one for a reason within the engine is a bug of ours and says "internal error";
// what a user can cause has a condition of its own.
#include "core/txn/commit_rules.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/table/new_table.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_rules.hpp"

namespace birdfoot {
namespace {

const std::string kInCommitTimestamps = "delta.enableInCommitTimestamps";
const std::string kInCommitVersion = "delta.inCommitTimestampEnablementVersion";
const std::string kInCommitTimestamp = "delta.inCommitTimestampEnablementTimestamp";
const std::string kRowTracking = "delta.enableRowTracking";

template <typename... Args>
Error Bug(fmt::format_string<Args...> format, Args &&...args) {
    return Fail(Condition::BIRDFOOT_INTERNAL, "internal error: {}. Nothing was committed.",
                fmt::format(format, std::forward<Args>(args)...));
}

std::optional<std::string> VectorIdOf(const std::optional<DeletionVectorDescriptor> &vector) {
    return vector ? std::optional(vector->UniqueId()) : std::nullopt;
}

bool IsTextEqual(const std::map<std::string, std::string> &map, const std::string &key, std::string_view text) {
    const auto found = map.find(key);
    return found != map.end() && EqualsIgnoreCase(found->second, text);
}

// ---- one action a path ----

using RemovesByPath = std::map<std::string, const RemoveFile *>;

Result<RemovesByPath> CheckOneActionAPath(const ChangeSet &changes) {
    RemovesByPath removes;
    for (const auto &remove : changes.removes) {
        if (!removes.emplace(DecodePath(remove.path), &remove).second) {
            return Bug("the transaction removes {} twice", remove.path);
        }
    }
    std::set<std::string> adds;
    for (const auto &add : changes.adds) {
        auto path = DecodePath(add.path);
        const auto removed = removes.find(path);
        if (removed != removes.end() &&
            VectorIdOf(removed->second->deletion_vector) == VectorIdOf(add.deletion_vector)) {
            return Bug("the transaction adds and removes {} with the same deletion vector", add.path);
        }
        if (!adds.insert(std::move(path)).second) {
            return Bug("the transaction adds {} twice", add.path);
        }
    }
    std::set<std::string> names;
    for (const auto &domain : changes.domains) {
        if (!names.insert(domain.domain).second) {
            return Bug("the transaction sets the metadata domain {} twice", domain.domain);
        }
        if (domain.domain == kRowTrackingDomain && !domain.removed) {
            return Bug("the transaction sets the high-water mark of row ids itself");
        }
    }
    std::set<std::string> app_ids;
    for (const auto &transaction : changes.transactions) {
        if (!app_ids.insert(transaction.app_id).second) {
            return Fail(Condition::DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS,
                        "The transaction records application {} twice. Use one txnVersion for each txnAppId of a "
                        "transaction.",
                        transaction.app_id);
        }
    }
    return removes;
}

// ---- flags and append-only ----

Status CheckFlags(const ChangeSet &changes) {
    if (changes.data_change) {
        return {};
    }
    const auto changes_data = [](const auto &file) { return file.data_change; };
    if (std::any_of(changes.adds.begin(), changes.adds.end(), changes_data) ||
        std::any_of(changes.removes.begin(), changes.removes.end(), changes_data)) {
        return Bug("a transaction that only re-arranges rows has a file with dataChange");
    }
    return {};
}

Status CheckAppendOnly(const Snapshot &read, const ChangeSet &changes, const std::string &root) {
    if (!IsSwitchedOn(read.metadata(), "delta.appendOnly") || !HasFeature(read.protocol(), "appendOnly")) {
        return {};
    }
    for (const auto &remove : changes.removes) {
        if (remove.data_change) {
            return Fail(
                Condition::DELTA_CANNOT_MODIFY_APPEND_ONLY,
                "Table {} is configured to only allow appends, and {} changes or removes rows. To permit it, use "
                "ALTER TABLE … SET TBLPROPERTIES ('delta.appendOnly' = 'false').",
                root, changes.operation.name);
        }
    }
    return {};
}

// ---- constraints ----

void CollectConstraints(const StructType &type, const std::string &prefix, std::vector<std::string> &constraints);

void CollectConstraintsBelow(const DataType &type, const std::string &path, std::vector<std::string> &constraints) {
    switch (type.kind()) {
    case TypeKind::kStruct: CollectConstraints(type.struct_type(), path + ".", constraints); break;
    case TypeKind::kArray: CollectConstraintsBelow(type.array_type().element, path + ".element", constraints); break;
    case TypeKind::kMap:
        CollectConstraintsBelow(type.map_type().key, path + ".key", constraints);
        CollectConstraintsBelow(type.map_type().value, path + ".value", constraints);
        break;
    default: break;
    }
}

void CollectConstraints(const StructType &type, const std::string &prefix, std::vector<std::string> &constraints) {
    for (const auto &field : type.fields) {
        const std::string path = prefix + field.name;
        if (!field.nullable) {
            constraints.push_back("NOT NULL " + path);
        }
        if (field.metadata.JsonOf("delta.invariants")) {
            constraints.push_back("INVARIANT " + path);
        }
        if (field.metadata.JsonOf("delta.generationExpression")) {
            constraints.push_back("GENERATED " + path);
        }
        if (field.metadata.JsonOf("delta.identity.start")) {
            constraints.push_back("IDENTITY " + path);
        }
        CollectConstraintsBelow(field.type, path, constraints);
    }
}

Status CheckAcknowledged(const Metadata &metadata, const StructType &schema, const RemovesByPath &removes,
                         const ChangeSet &changes, const std::string &root) {
    const bool adds_rows = std::any_of(changes.adds.begin(), changes.adds.end(), [&](const AddFile &add) {
        return add.data_change && !removes.contains(DecodePath(add.path));
    });
    if (!adds_rows) {
        return {};
    }
    const auto &acknowledged = changes.acknowledged_constraints;
    for (const auto &constraint : TableConstraints(metadata, schema)) {
        if (std::find(acknowledged.begin(), acknowledged.end(), constraint) == acknowledged.end()) {
            return Fail(
                Condition::BIRDFOOT_UNSUPPORTED,
                "Table {} has the constraint '{}', which {} cannot check. Nothing was committed. Write to it with "
                "an engine that checks it, or drop the constraint.",
                root, constraint, changes.operation.name);
        }
    }
    return {};
}

// ---- files ----

std::optional<int64_t> RowsOf(const AddFile &add) {
    if (!add.stats) {
        return std::nullopt;
    }
    const auto document = JsonDocument::Parse(*add.stats);
    return document.ok() ? document->root()["numRecords"].int64() : std::nullopt;
}

Status CheckPartitionValues(const AddFile &add, const std::set<std::string> &columns) {
    const auto known = [&](const auto &entry) { return columns.contains(entry.first); };
    if (add.partition_values.size() == columns.size() &&
        std::all_of(add.partition_values.begin(), add.partition_values.end(), known)) {
        return {};
    }
    std::vector<std::string> names;
    for (const auto &entry : add.partition_values) {
        names.push_back(entry.first);
    }
    return Fail(
        Condition::DELTA_ADD_FILE_PARTITIONING_MISMATCH,
        "The file {} has values for the partition columns [{}], but the table is partitioned by [{}]. Nothing was "
        "committed.",
        add.path, fmt::join(names, ", "), fmt::join(columns, ", "));
}

Status CheckFile(const AddFile &add, bool may_have_vectors) {
    if (add.path.empty() || add.size < 0) {
        return Bug("the file '{}' has no path or a size of {}", add.path, add.size);
    }
    std::optional<int64_t> rows;
    if (add.stats) {
        const auto document = JsonDocument::Parse(*add.stats);
        if (!document.ok() || !document->root().is_object()) {
            return Bug("the statistics of {} are no JSON object", add.path);
        }
        rows = document->root()["numRecords"].int64();
        if (rows.value_or(0) < 0) {
            return Bug("the statistics of {} count {} rows", add.path, *rows);
        }
    }
    if (add.deletion_vector) {
        if (!may_have_vectors) {
            return Bug("{} has a deletion vector, but the table does not have the feature", add.path);
        }
        if (!rows || add.deletion_vector->cardinality > *rows || add.deletion_vector->cardinality < 1) {
            return Bug("the deletion vector of {} marks {} of {} rows", add.path, add.deletion_vector->cardinality,
                       rows.value_or(-1));
        }
    }
    return {};
}

Status CheckFiles(const Metadata &metadata, const StructType &schema, const Protocol &protocol,
                  const ChangeSet &changes) {
    if (changes.adds.empty()) {
        return {};
    }
    const auto mode = metadata.configuration.find("delta.columnMapping.mode");
    BF_ASSIGN(const auto mapping, ParseColumnMappingMode(mode == metadata.configuration.end() ? "none" : mode->second));
    std::set<std::string> columns;
    for (const auto &name : metadata.partition_columns) {
        const auto *field = schema.Find(name);
        if (!field) {
            return Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                        "The partition column {} is not in the table's schema.", name);
        }
        columns.insert(PhysicalName(*field, mapping));
    }
    const bool may_have_vectors = HasFeature(protocol, "deletionVectors");
    for (const auto &add : changes.adds) {
        BF_RETURN_IF_ERROR(CheckPartitionValues(add, columns));
        BF_RETURN_IF_ERROR(CheckFile(add, may_have_vectors));
    }
    return {};
}

// ---- protocol ----

Status RaiseProtocol(const Snapshot *read, const StructType &schema, ChangeSet &changes) {
    if (changes.metadata) {
        Protocol needed = changes.protocol ? *changes.protocol
                          : read           ? read->protocol()
                                           : LowestProtocol(*changes.metadata, schema);
        for (const auto &feature : TableFeatures()) {
            if (IsFeatureActive(feature, *changes.metadata, schema) && !HasFeature(needed, feature.name)) {
                needed = WithFeature(std::move(needed), feature.name);
            }
        }
        if (!read || needed != read->protocol()) {
            changes.protocol = std::move(needed);
        }
    }
    const Protocol &protocol = changes.protocol ? *changes.protocol : read->protocol();
    if (!changes.domains.empty() && !HasFeature(protocol, "domainMetadata")) {
        return Bug("the transaction sets the metadata domain {}, but the table does not have the feature",
                   changes.domains.front().domain);
    }
    return {};
}

}  // namespace

bool IsSwitchedOn(const Metadata &metadata, const std::string &property) {
    return IsTextEqual(metadata.configuration, property, "true");
}

std::vector<std::string> TableConstraints(const Metadata &metadata, const StructType &schema) {
    std::vector<std::string> constraints;
    CollectConstraints(schema, "", constraints);
    for (auto it = metadata.configuration.lower_bound(std::string(kConstraintPrefix));
         it != metadata.configuration.end() && it->first.starts_with(kConstraintPrefix); ++it) {
        constraints.push_back(it->first.substr(kConstraintPrefix.size()));
    }
    return constraints;
}

Status ApplyFixedRules(const Snapshot *read, ChangeSet &changes, const std::string &root) {
    if (!read && !changes.metadata) {
        return Bug("a new table has no metadata");
    }
    std::optional<StructType> new_schema;
    if (changes.metadata) {
        BF_ASSIGN(new_schema, ParseSchema(changes.metadata->schema_string));
    }
    const Metadata &metadata = changes.metadata ? *changes.metadata : read->metadata();
    const StructType &schema = new_schema ? *new_schema : read->schema();
    BF_ASSIGN(const auto removes, CheckOneActionAPath(changes));
    BF_RETURN_IF_ERROR(CheckFlags(changes));
    if (read) {
        BF_RETURN_IF_ERROR(CheckAppendOnly(*read, changes, root));
        BF_RETURN_IF_ERROR(CheckWritable(read->protocol(), read->metadata(), read->schema(), root));
    }
    BF_RETURN_IF_ERROR(RaiseProtocol(read, schema, changes));
    const Protocol &protocol = changes.protocol ? *changes.protocol : read->protocol();
    if (changes.protocol || changes.metadata) {
        BF_RETURN_IF_ERROR(CheckWritable(protocol, metadata, schema, root));
    }
    BF_RETURN_IF_ERROR(CheckFiles(metadata, schema, protocol, changes));
    return CheckAcknowledged(metadata, schema, removes, changes, root);
}

// ---- row tracking ----

bool AssignsRowIds(const Protocol &protocol, const Metadata &metadata) {
    return HasFeature(protocol, "rowTracking") && !IsSwitchedOn(metadata, "delta.rowTrackingSuspended");
}

std::optional<int64_t> RowIdHighWater(const DomainMetadata &domain) {
    if (domain.domain != kRowTrackingDomain || domain.removed) {
        return std::nullopt;
    }
    const auto document = JsonDocument::Parse(domain.configuration);
    return document.ok() ? document->root()["rowIdHighWaterMark"].int64() : std::nullopt;
}

Result<FreshFiles> FindFreshFiles(ChangeSet &changes) {
    RemovesByPath removes;
    for (const auto &remove : changes.removes) {
        removes.emplace(DecodePath(remove.path), &remove);
    }
    FreshFiles fresh;
    for (size_t i = 0; i < changes.adds.size(); ++i) {
        auto &add = changes.adds[i];
        if (const auto removed = removes.find(DecodePath(add.path)); removed != removes.end()) {
            add.base_row_id = add.base_row_id ? add.base_row_id : removed->second->base_row_id;
            add.default_row_commit_version = add.default_row_commit_version
                                                 ? add.default_row_commit_version
                                                 : removed->second->default_row_commit_version;
        }
        if (!add.base_row_id) {
            const auto rows = RowsOf(add);
            if (!rows) {
                return Fail(
                    Condition::DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS,
                    "Cannot assign row IDs to {} without its number of rows. Have statistics collected on write: "
                    "they must not be switched off for a table with row tracking.",
                    add.path);
            }
            fresh.without_row_ids.emplace_back(i, *rows);
        }
        if (!add.default_row_commit_version) {
            fresh.without_version.push_back(i);
        }
    }
    return fresh;
}

void TakeRowIdsBack(const FreshFiles &fresh, ChangeSet &changes) {
    for (const auto &[index, rows] : fresh.without_row_ids) {
        changes.adds[index].base_row_id.reset();
    }
    for (const size_t index : fresh.without_version) {
        changes.adds[index].default_row_commit_version.reset();
    }
    std::erase_if(changes.domains, [](const auto &domain) { return domain.domain == kRowTrackingDomain; });
}

Status AssignRowIds(const CommitBase &base, const FreshFiles &fresh, ChangeSet &changes) {
    const Protocol &protocol = changes.protocol ? *changes.protocol : base.protocol;
    const Metadata &metadata = changes.metadata ? *changes.metadata : base.metadata;
    if (!AssignsRowIds(protocol, metadata)) {
        return {};
    }
    int64_t high_water = base.row_id_high_water;
    for (const auto &[index, rows] : fresh.without_row_ids) {
        int64_t highest = 0;
        if (rows < 0 || __builtin_add_overflow(high_water, rows, &highest) || highest == INT64_MAX) {
            return Fail(
                Condition::DELTA_LOG_FILE_MALFORMED,
                "The table's highest row id is {}, which leaves no room for the {} rows of {}. The delta.rowTracking "
                "domain of its log is damaged.",
                high_water, rows, changes.adds[index].path);
        }
        changes.adds[index].base_row_id = high_water + 1;
        high_water = highest;
    }
    for (const size_t index : fresh.without_version) {
        changes.adds[index].default_row_commit_version = base.version + 1;
    }
    if (high_water != base.row_id_high_water) {
        changes.domains.push_back(
            {std::string(kRowTrackingDomain), fmt::format(R"({{"rowIdHighWaterMark":{}}})", high_water), false});
    }
    return {};
}

// ---- in-commit timestamps ----

std::optional<int64_t> StampInCommit(const CommitBase &base, ChangeSet &changes, int64_t now_ms) {
    const Metadata &metadata = changes.metadata ? *changes.metadata : base.metadata;
    if (!IsSwitchedOn(metadata, kInCommitTimestamps)) {
        return std::nullopt;
    }
    const int64_t stamp = base.exists() ? std::max(now_ms, base.timestamp_ms + 1) : now_ms;
    if (!changes.metadata) {
        return stamp;
    }
    auto &configuration = changes.metadata->configuration;
    const auto &before = base.metadata.configuration;
    if (!base.exists()) {
        configuration.erase(kInCommitVersion);  // a table that always had them says nothing
        configuration.erase(kInCommitTimestamp);
    } else if (!IsSwitchedOn(base.metadata, kInCommitTimestamps)) {
        configuration[kInCommitVersion] = std::to_string(base.version + 1);
        configuration[kInCommitTimestamp] = std::to_string(stamp);
    } else if (before.contains(kInCommitVersion) && before.contains(kInCommitTimestamp)) {
        configuration[kInCommitVersion] = before.at(kInCommitVersion);  // REPLACE TABLE would lose them
        configuration[kInCommitTimestamp] = before.at(kInCommitTimestamp);
    }
    return stamp;
}

// ---- the commit's bytes ----

namespace {

//! Whether all rows kept their ids, as far as core can tell: none were copied into new files.
bool KeepsRowIds(const CommitBase &base, const ChangeSet &changes) {
    if (base.row_tracking_was_off) {
        return false;
    }
    std::set<std::string> removed;
    for (const auto &remove : changes.removes) {
        removed.insert(DecodePath(remove.path));
    }
    return removed.empty() || std::all_of(changes.adds.begin(), changes.adds.end(),
                                          [&](const AddFile &add) { return removed.contains(DecodePath(add.path)); });
}

template <typename Pairs>
void WriteTexts(JsonWriter &out, std::string_view name, const Pairs &pairs) {
    out.Key(name).BeginObject();
    for (const auto &[key, value] : pairs) {
        out.Key(key).String(value);
    }
    out.EndObject();
}

}  // namespace

std::string CommitBody(const CommitBase &base, const ChangeSet &changes, const CommitProvenance &provenance,
                       int64_t now_ms, std::optional<int64_t> in_commit_timestamp) {
    std::string body;
    JsonWriter out(body);
    out.BeginObject().Key("commitInfo").BeginObject();
    out.Optional("inCommitTimestamp", in_commit_timestamp).Key("timestamp").Int(now_ms);
    out.Key("operation").String(changes.operation.name);
    WriteTexts(out, "operationParameters", changes.operation.parameters);
    out.Optional("readVersion", provenance.read_version).Key("isolationLevel").String(provenance.isolation_level);
    out.Key("isBlindAppend").Bool(changes.IsBlindAppend());
    if (provenance.history_metrics) {
        WriteTexts(out, "operationMetrics", changes.operation.metrics);
    }
    out.Optional("userMetadata", changes.user_metadata);
    const Protocol &protocol = changes.protocol ? *changes.protocol : base.protocol;
    const Metadata &metadata = changes.metadata ? *changes.metadata : base.metadata;
    if (AssignsRowIds(protocol, metadata) && IsSwitchedOn(metadata, kRowTracking)) {
        out.Key("tags").BeginObject().Key("delta.rowTracking.preserved");
        out.String(KeepsRowIds(base, changes) ? "true" : "false").EndObject();
    }
    out.Key("engineInfo").String(provenance.engine_info).Key("txnId").String(provenance.txn_id);
    out.EndObject().EndObject();
    body += '\n';
    for (const auto &action : changes.Actions()) {
        body += ActionToJson(action);
        body += '\n';
    }
    return body;
}

}  // namespace birdfoot
