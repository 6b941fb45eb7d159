#include "duckdb/write/work_changes.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/json.hpp"
#include "core/log/replay.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_properties.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/row_checks.hpp"

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

std::vector<AddFile>::iterator FindAdded(ChangeSet &changes, const AddFile &file) {
    auto key = FileKey(file.path, file.deletion_vector);
    return std::find_if(changes.adds.begin(), changes.adds.end(),
                        [&](const AddFile &add) { return FileKey(add.path, add.deletion_vector) == key; });
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
    FileTotals totals;
    for (const auto &file : files) {
        totals.Count(file.size);
        auto added = FindAdded(changes, file);
        if (added == changes.adds.end()) {
            changes.removes.push_back(MakeRemove(file, now_ms, true));
            continue;
        }
        // A file of the snapshot that was added again with another vector has its tombstone already, and stays.
        bool is_ours = std::none_of(changes.removes.begin(), changes.removes.end(),
                                    [&](const RemoveFile &remove) { return remove.path == file.path; });
        changes.adds.erase(added);
        if (is_ours) {
            work.files.Abandon(ResolvePath(work.transaction.root(), file.path));
        }
    }
    return totals;
}

void ReplaceFile(TableWork &work, const AddFile &old, AddFile replacement, int64_t now_ms) {
    auto &changes = work.transaction.changes();
    if (auto added = FindAdded(changes, old); added != changes.adds.end()) {
        *added = std::move(replacement);
        return;
    }
    changes.removes.push_back(MakeRemove(old, now_ms, true));
    changes.adds.push_back(std::move(replacement));
}

FileTotals AddFiles(TableWork &work, std::vector<WrittenFile> files) {
    FileTotals totals;
    for (auto &file : files) {
        totals.Count(static_cast<int64_t>(file.size));
        work.transaction.changes().adds.push_back(ToAddFile(std::move(file), true));
    }
    return totals;
}

void AcknowledgeConstraints(TableWork &work) {
    auto &known = work.transaction.changes().acknowledged_constraints;
    for (auto &name : EnforcedConstraints(work.schema)) {
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
