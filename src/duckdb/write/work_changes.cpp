#include "duckdb/write/work_changes.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "core/base/json.hpp"
#include "core/log/replay.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "core/txn/commit_rules.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

//! "134217728", "128mb", "1g"
std::optional<uint64_t> ParseBytes(std::string_view text) {
    uint64_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    std::string_view unit(end, text.data() + text.size() - end);
    constexpr std::pair<std::string_view, int> kUnits[] = {{"", 0},   {"b", 0},   {"k", 10}, {"kb", 10},
                                                           {"m", 20}, {"mb", 20}, {"g", 30}, {"gb", 30}};
    for (const auto &[name, shift] : kUnits) {
        if (EqualsIgnoreCase(unit, name)) {
            return value << shift;
        }
    }
    return std::nullopt;
}

//! Where a file is among those that the transaction adds, by path and vector.
std::unordered_map<std::string, size_t> AddedFiles(const ChangeSet &changes) {
    std::unordered_map<std::string, size_t> positions;
    for (size_t i = 0; i < changes.adds.size(); i++) {
        positions.emplace(FileKey(changes.adds[i].path, changes.adds[i].deletion_vector), i);
    }
    return positions;
}

int64_t ToNumber(const std::string &text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

WriteTarget TargetOf(const TableWork &work) { return TargetOf(work.transaction.root(), DefinitionOf(work)); }

WriteTarget TargetOf(const std::string &root, const TableDefinition &table) {
    WriteTarget target;
    target.root = root;
    target.metadata = table.metadata;
    target.schema = table.schema;
    target.mapping = table.mapping;
    target.protocol = table.protocol;
    if (auto text = TextProperty(table.metadata, "delta.targetFileSize"); text && !text->empty()) {
        auto bytes = ParseBytes(*text);
        if (!bytes || *bytes == 0) {
            Throw(Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                       "The table property delta.targetFileSize is '{}'. It must be a number of bytes, as 104857600 or "
                       "100mb.",
                       *text));
        }
        target.target_file_bytes = *bytes;
    }
    target.materialize_partition_columns = HasFeature(table.protocol, "materializePartitionColumns");
    target.tight_bounds = HasFeature(table.protocol, "deletionVectors");
    return target;
}

TableDefinition DefinitionOf(const TableWork &work) {
    return {work.metadata, work.protocol, work.schema, work.mapping};
}

void SetDefinition(TableWork &work, TableDefinition definition) {
    work.SetMetadata(std::move(definition.metadata), std::move(definition.schema), definition.mapping,
                     std::move(definition.protocol));
}

std::vector<ScanFile> LiveFiles(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                                const Predicate &predicate) {
    auto overlay = work.Overlay();
    const auto &snapshot = work.transaction.snapshot();
    auto plan = !snapshot || work.replaced
                    ? PlanScan(*work.View(), {}, predicate, overlay.get())
                    : PlanScan(transaction.engine(), *snapshot, predicate, overlay.get(), CallOf(context));
    return std::move(ValueOrThrow(std::move(plan)).files);
}

FileTotals RemoveFiles(TableWork &work, const std::vector<AddFile> &files, int64_t now_ms) {
    auto &changes = work.transaction.changes();
    auto added = AddedFiles(changes);
    // A file of the snapshot that was added again with another vector has its tombstone already, and stays.
    std::unordered_set<std::string> buried;
    if (!added.empty()) {
        for (const auto &remove : changes.removes) {
            buried.insert(remove.path);
        }
    }
    std::vector<bool> dropped(changes.adds.size());
    FileTotals totals;
    for (const auto &file : files) {
        totals.Count(file.size);
        auto found = added.find(FileKey(file.path, file.deletion_vector));
        if (found == added.end()) {
            changes.removes.push_back(MakeRemove(file, now_ms, true));
            continue;
        }
        dropped[found->second] = true;
        work.origins.Forget(file.path);
        if (!buried.contains(file.path)) {
            work.files.Abandon(ResolvePath(work.transaction.root(), file.path));
        }
    }
    size_t position = 0;
    std::erase_if(changes.adds, [&](const AddFile &) { return dropped[position++]; });
    return totals;
}

void ReplaceFiles(TableWork &work, std::vector<ReplacedFile> files, int64_t now_ms) {
    auto &changes = work.transaction.changes();
    auto added = AddedFiles(changes);
    for (auto &[old, replacement] : files) {
        if (auto found = added.find(FileKey(old.path, old.deletion_vector)); found != added.end()) {
            changes.adds[found->second] = std::move(replacement);
            continue;
        }
        changes.removes.push_back(MakeRemove(old, now_ms, true));
        changes.adds.push_back(std::move(replacement));
    }
}

FileTotals AddFiles(TableWork &work, std::vector<WrittenFile> files) {
    FileTotals totals;
    for (auto &file : files) {
        totals.Count(static_cast<int64_t>(file.size));
        work.origins.Add(file.path, std::move(file.origins));
        work.transaction.changes().adds.push_back(ToAddFile(std::move(file), true));
    }
    return totals;
}

void AddChangeFiles(TableWork &work, std::vector<AddCdcFile> files) {
    auto &cdc = work.transaction.changes().cdc;
    cdc.insert(cdc.end(), std::make_move_iterator(files.begin()), std::make_move_iterator(files.end()));
}

void AcknowledgeConstraints(TableWork &work) {
    auto &known = work.transaction.changes().acknowledged_constraints;
    for (auto &name : TableConstraints(work.metadata, work.schema)) {
        // The writer knows generated and identity columns at the top alone, where they may be.
        const auto space = name.find(' ');
        const bool of_column = name.starts_with("GENERATED ") || name.starts_with("IDENTITY ");
        if (of_column && !work.schema.Find(std::string_view(name).substr(space + 1))) {
            continue;
        }
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            known.push_back(std::move(name));
        }
    }
}

void RecordOperation(TableWork &work, Operation operation) {
    auto &recorded = work.transaction.changes().operation;
    if (recorded.parameters.empty() && recorded.metrics.empty()) {
        recorded = std::move(operation);
        return;
    }
    for (auto &[name, value] : operation.metrics) {
        auto &total = recorded.metrics[name];
        total = std::to_string(ToNumber(total) + ToNumber(value));
    }
}

std::string JsonList(const std::vector<std::string> &values) {
    std::string json;
    JsonWriter writer(json);
    writer.BeginArray();
    for (const auto &value : values) {
        writer.String(value);
    }
    writer.EndArray();
    return json;
}

bool ClaimIdempotentWrite(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work) {
    auto write = ValueOrThrow(IdempotentWriteOf(context));
    if (!write) {
        return true;
    }
    std::optional<int64_t> last;
    if (const auto &snapshot = work.transaction.snapshot()) {
        auto extras = ValueOrThrow(ReplayExtras(transaction.engine(), snapshot->segment(), CallOf(context)));
        if (auto found = extras.transactions.find(write->app_id); found != extras.transactions.end()) {
            last = found->second.version;
        }
    }
    std::lock_guard lock(work.mutex);
    auto &changes = work.transaction.changes();
    for (const auto &mark : changes.transactions) {
        if (mark.app_id == write->app_id) {
            last = std::max(last.value_or(mark.version), mark.version);
        }
    }
    if (last && *last >= write->version) {
        return false;
    }
    changes.reads->ReadTransaction(write->app_id);
    std::erase_if(changes.transactions, [&](const auto &mark) { return mark.app_id == write->app_id; });
    changes.transactions.push_back({write->app_id, write->version, transaction.engine().now_ms()});
    return true;
}

bool TracksRows(const TableWork &work) { return BoolProperty(work.metadata, "delta.enableRowTracking"); }

bool WritesVectors(const TableWork &work) {
    return HasFeature(work.protocol, "deletionVectors") && BoolProperty(work.metadata, "delta.enableDeletionVectors");
}

void RequireNotAppendOnly(const TableWork &work) {
    if (BoolProperty(work.metadata, "delta.appendOnly")) {
        Throw(Fail(
            Condition::DELTA_CANNOT_MODIFY_APPEND_ONLY,
            "This table is configured to only allow appends: {}. The statement would remove rows. If you would like "
            "to permit that, use ALTER TABLE … SET TBLPROPERTIES ('delta.appendOnly' = 'false').",
            work.transaction.root()));
    }
}

}  // namespace birdfoot::duck
