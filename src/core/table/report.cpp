// See report.hpp. History reads what other writers put into commitInfo: values of parameters and metrics that are no
// strings (delta-rs) are given as their JSON text.
#include "core/table/report.hpp"

#include <algorithm>
#include <set>

#include "core/log/checksum.hpp"
#include "core/log/replay.hpp"
#include "core/table/history.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kClusteringDomain = "delta.clustering";

const DataType kText(TypeKind::kString);
const DataType kLong(TypeKind::kLong);
const DataType kInt(TypeKind::kInteger);
const DataType kBool(TypeKind::kBoolean);
const DataType kTime(TypeKind::kTimestamp);

DataType TextMap() { return DataType::Map(kText, kText, true); }
DataType TextList() { return DataType::Array(kText, false); }

StructField Column(std::string name, DataType type) {
    StructField field;
    field.name = std::move(name);
    field.type = std::move(type);
    return field;
}

DataType TextStruct(std::initializer_list<const char *> names) {
    StructType type;
    for (const auto *name : names) {
        type.fields.push_back(Column(name, kText));
    }
    return DataType::Struct(std::move(type));
}

std::optional<std::string> TextOf(JsonValue json) {
    if (json.is_null()) {
        return std::nullopt;
    }
    const auto text = json.string();
    return text ? std::string(*text) : json.ToText();
}

std::optional<int64_t> NumberOf(JsonValue json) {
    if (const auto number = json.int64()) {
        return number;
    }
    return std::nullopt;
}

Result<ReportValue> MapOf(JsonValue json) {
    if (!json.is_object()) {
        return ReportValue();
    }
    ReportValue::Map map;
    BF_RETURN_IF_ERROR(json.ForEachMember([&](std::string_view name, JsonValue value) -> Status {
        map.emplace_back(name, TextOf(value));
        return {};
    }));
    return ReportValue(std::move(map));
}

ReportValue StructOf(JsonValue json, std::initializer_list<const char *> names) {
    if (!json.is_object()) {
        return {};
    }
    std::vector<ReportValue> fields;
    for (const auto *name : names) {
        fields.push_back(ReportValue::Text(TextOf(json[name])));
    }
    return fields;
}

std::string Joined(const std::vector<std::string> &parts) {
    std::string out;
    for (const auto &part : parts) {
        out += (out.empty() ? "" : ".") + part;
    }
    return out;
}

Result<std::vector<std::string>> ClusteringColumns(const Engine &engine, const Snapshot &snapshot, const Call &call) {
    std::vector<std::string> columns;
    if (!HasFeature(snapshot.protocol(), "clustering")) {
        return columns;
    }
    BF_ASSIGN(const auto extras, ReplayExtras(engine, snapshot.segment(), call));
    const auto domain = extras.domains.find(std::string(kClusteringDomain));
    if (domain == extras.domains.end()) {
        return columns;
    }
    BF_ASSIGN(const auto document, JsonDocument::Parse(domain->second.configuration));
    BF_RETURN_IF_ERROR(document.root()["clusteringColumns"].ForEachElement([&](JsonValue column) -> Status {
        std::vector<std::string> path;
        BF_RETURN_IF_ERROR(column.ForEachElement([&](JsonValue part) -> Status {
            path.push_back(TextOf(part).value_or(""));
            return {};
        }));
        columns.push_back(Joined(LogicalPath(snapshot.schema(), path, snapshot.mapping())));
        return {};
    }));
    return columns;
}

struct FileTotals {
    int64_t files = 0;
    int64_t bytes = 0;
};

Result<FileTotals> TotalsOf(const Engine &engine, const Snapshot &snapshot, const Call &call) {
    BF_ASSIGN(const auto checksum,
              ReadChecksum(engine, snapshot.segment(), snapshot.protocol(), snapshot.metadata(), call));
    if (checksum) {
        return FileTotals{checksum->num_files, checksum->table_size_bytes};
    }
    FileRequest request;
    request.statistics = false;
    request.tags = false;
    FileTotals totals;
    BF_RETURN_IF_ERROR(ReplayFiles(
        engine, snapshot.segment(), request,
        [&](AddFile &&add) -> Status {
            totals.files++;
            totals.bytes += add.size;
            return {};
        },
        call));
    return totals;
}

ReportValue VectorOf(const std::optional<DeletionVectorDescriptor> &vector) {
    if (!vector) {
        return {};
    }
    return std::vector<ReportValue>{ReportValue::Text(vector->storage_type), ReportValue::Text(vector->path_or_inline),
                                    ReportValue::Int(vector->offset), ReportValue::Int(vector->size_in_bytes),
                                    ReportValue::Long(vector->cardinality)};
}

std::optional<int64_t> RecordsIn(const std::optional<std::string> &stats) {
    if (!stats) {
        return std::nullopt;
    }
    const auto document = JsonDocument::Parse(*stats);
    return document.ok() ? document->root()["numRecords"].int64() : std::nullopt;
}

ReportValue MapOf(const std::optional<Tags> &tags) { return tags ? ReportValue(*tags) : ReportValue(); }

}  // namespace

ReportValue ReportValue::Text(std::optional<std::string> text) {
    return text ? ReportValue(Scalar::Text(kText, std::move(*text))) : ReportValue();
}
ReportValue ReportValue::Long(std::optional<int64_t> number) {
    return number ? ReportValue(Scalar::Integer(kLong, *number)) : ReportValue();
}
ReportValue ReportValue::Int(std::optional<int64_t> number) {
    return number ? ReportValue(Scalar::Integer(kInt, *number)) : ReportValue();
}
ReportValue ReportValue::Bool(std::optional<bool> truth) {
    return truth ? ReportValue(Scalar::Bool(*truth)) : ReportValue();
}
ReportValue ReportValue::TimeMs(std::optional<int64_t> milliseconds) {
    int64_t micros = 0;
    if (!milliseconds || __builtin_mul_overflow(*milliseconds, 1000, &micros)) {
        return {};
    }
    return Scalar::Integer(kTime, micros);
}

StructType HistoryColumns() {
    return {{Column("version", kLong), Column("timestamp", kTime), Column("userId", kText), Column("userName", kText),
             Column("operation", kText), Column("operationParameters", TextMap()),
             Column("job", TextStruct({"jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType"})),
             Column("notebook", TextStruct({"notebookId"})), Column("clusterId", kText), Column("readVersion", kLong),
             Column("isolationLevel", kText), Column("isBlindAppend", kBool), Column("operationMetrics", TextMap()),
             Column("userMetadata", kText), Column("engineInfo", kText)}};
}

Status ReportHistory(const Engine &engine, const Snapshot &latest, std::optional<size_t> limit, const RowVisitor &visit,
                     const Call &call) {
    BF_ASSIGN(const auto history, ReadHistory(engine, latest, limit, call));
    for (const auto &commit : history) {
        JsonValue info;
        std::optional<JsonDocument> document;
        if (commit.commit_info) {
            BF_ASSIGN(document, JsonDocument::Parse(*commit.commit_info));
            info = document->root();
        }
        BF_ASSIGN(auto parameters, MapOf(info["operationParameters"]));
        BF_ASSIGN(auto metrics, MapOf(info["operationMetrics"]));
        BF_RETURN_IF_ERROR(visit({
            ReportValue::Long(commit.version),
            ReportValue::TimeMs(commit.timestamp_ms),
            ReportValue::Text(TextOf(info["userId"])),
            ReportValue::Text(TextOf(info["userName"])),
            ReportValue::Text(TextOf(info["operation"])),
            std::move(parameters),
            StructOf(info["job"], {"jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType"}),
            StructOf(info["notebook"], {"notebookId"}),
            ReportValue::Text(TextOf(info["clusterId"])),
            ReportValue::Long(NumberOf(info["readVersion"])),
            ReportValue::Text(TextOf(info["isolationLevel"])),
            ReportValue::Bool(info["isBlindAppend"].boolean()),
            std::move(metrics),
            ReportValue::Text(TextOf(info["userMetadata"])),
            ReportValue::Text(TextOf(info["engineInfo"])),
        }));
    }
    return {};
}

StructType DetailColumns() {
    return {{Column("format", kText), Column("id", kText), Column("name", kText), Column("description", kText),
             Column("location", kText), Column("createdAt", kTime), Column("lastModified", kTime),
             Column("partitionColumns", TextList()), Column("clusteringColumns", TextList()), Column("numFiles", kLong),
             Column("sizeInBytes", kLong), Column("properties", TextMap()), Column("minReaderVersion", kInt),
             Column("minWriterVersion", kInt), Column("tableFeatures", TextList())}};
}

Result<ReportRow> ReportDetail(const Engine &engine, const std::string &root, const SnapshotPtr &snapshot,
                               std::optional<std::string> name, const Call &call) {
    if (!snapshot) {
        ReportRow row(DetailColumns().fields.size());
        row[4] = ReportValue::Text(root);
        return row;
    }
    const auto &metadata = snapshot->metadata();
    const auto &protocol = snapshot->protocol();
    BF_ASSIGN(const auto totals, TotalsOf(engine, *snapshot, call));
    BF_ASSIGN(auto clustering, ClusteringColumns(engine, *snapshot, call));
    ReportValue::Map properties(metadata.configuration.begin(), metadata.configuration.end());
    return ReportRow{
        ReportValue::Text("delta"),
        ReportValue::Text(metadata.id),
        ReportValue::Text(name ? std::move(name) : metadata.name),
        ReportValue::Text(metadata.description),
        ReportValue::Text(root),
        ReportValue::TimeMs(metadata.created_time),
        ReportValue::TimeMs(snapshot->timestamp_ms()),
        metadata.partition_columns,
        std::move(clustering),
        ReportValue::Long(totals.files),
        ReportValue::Long(totals.bytes),
        std::move(properties),
        ReportValue::Int(protocol.min_reader_version),
        ReportValue::Int(protocol.min_writer_version),
        WriterFeatureNames(protocol),
    };
}

StructType FileColumns() {
    StructType vector{{Column("storageType", kText), Column("pathOrInlineDv", kText), Column("offset", kInt),
                       Column("sizeInBytes", kInt), Column("cardinality", kLong)}};
    return {{Column("path", kText), Column("partitionValues", TextMap()), Column("size", kLong),
             Column("modificationTime", kTime), Column("numRecords", kLong), Column("stats", kText),
             Column("tags", TextMap()), Column("deletionVector", DataType::Struct(std::move(vector))),
             Column("baseRowId", kLong), Column("defaultRowCommitVersion", kLong),
             Column("clusteringProvider", kText)}};
}

Status ReportFiles(const Engine &engine, const Snapshot &snapshot, bool statistics, const RowVisitor &visit,
                   const Call &call) {
    FileRequest request;
    request.statistics = statistics;
    const auto counts = ReplayFiles(
        engine, snapshot.segment(), request,
        [&](AddFile &&add) -> Status {
            const auto records = statistics ? RecordsIn(add.stats) : std::nullopt;
            return visit({
                ReportValue::Text(std::move(add.path)),
                ReportValue::Map(std::move(add.partition_values)),
                ReportValue::Long(add.size),
                ReportValue::TimeMs(add.modification_time),
                ReportValue::Long(records),
                ReportValue::Text(std::move(add.stats)),
                MapOf(add.tags),
                VectorOf(add.deletion_vector),
                ReportValue::Long(add.base_row_id),
                ReportValue::Long(add.default_row_commit_version),
                ReportValue::Text(std::move(add.clustering_provider)),
            });
        },
        call);
    return counts.ok() ? Status() : Status(counts.error());
}

StructType LogColumns() { return {{Column("version", kLong), Column("action", kText), Column("content", kText)}}; }

Status ReportLog(const Engine &engine, const std::string &root, const RowVisitor &visit, const Call &call) {
    const auto folder = fmt::format("{}/{}", root, kLogFolder);
    BF_ASSIGN(const auto objects, engine.store->List(folder, "", call));
    for (const auto &object : objects) {
        const auto name = ParseLogFileName(object.name);
        if (!name || name->kind != LogFileKind::kCommit) {
            continue;
        }
        BF_ASSIGN(const auto text, engine.store->Get(folder + "/" + object.name, std::nullopt, call));
        for (std::string_view rest = text; rest.find_first_not_of(" \t\r\n") != std::string_view::npos;) {
            size_t consumed = 0;
            BF_ASSIGN(const auto document, JsonDocument::ParsePrefix(rest, &consumed));
            rest.remove_prefix(consumed);
            BF_RETURN_IF_ERROR(document.root().ForEachMember([&](std::string_view kind, JsonValue action) -> Status {
                return visit({ReportValue::Long(name->version), ReportValue::Text(std::string(kind)),
                              ReportValue::Text(action.ToText())});
            }));
        }
    }
    return {};
}

StructType FeatureColumns() {
    return {{Column("feature", kText), Column("kind", kText), Column("active", kBool), Column("read", kBool),
             Column("write", kBool), Column("remark", kText)}};
}

Status ReportFeatures(const Snapshot *snapshot, const RowVisitor &visit) {
    const auto row = [&](std::string_view name, const TableFeature *feature, std::optional<bool> active) {
        std::optional<std::string> kind;
        if (feature != nullptr) {
            kind = feature->kind == FeatureKind::kWriter ? "writer" : "reader and writer";
        }
        return visit({ReportValue::Text(std::string(name)), ReportValue::Text(std::move(kind)),
                      ReportValue::Bool(active),
                      ReportValue::Bool(feature != nullptr && feature->read == Support::kYes),
                      ReportValue::Bool(feature != nullptr && feature->write == Support::kYes),
                      ReportValue::Text(feature != nullptr && !feature->remark.empty()
                                            ? std::optional(std::string(feature->remark))
                                            : std::nullopt)});
    };
    if (snapshot == nullptr) {
        for (const auto &feature : TableFeatures()) {
            BF_RETURN_IF_ERROR(row(feature.name, &feature, std::nullopt));
        }
        return {};
    }
    for (const auto &name : WriterFeatureNames(snapshot->protocol())) {
        const auto *feature = FindFeature(name);
        const auto active = feature != nullptr
                                ? std::optional(IsFeatureActive(*feature, snapshot->metadata(), snapshot->schema()))
                                : std::nullopt;
        BF_RETURN_IF_ERROR(row(name, feature, active));
    }
    return {};
}

StructType PropertyColumns() { return {{Column("key", kText), Column("value", kText)}}; }

Status ReportProperties(const Snapshot &snapshot, const RowVisitor &visit) {
    auto all = snapshot.metadata().configuration;
    const auto &protocol = snapshot.protocol();
    all["delta.minReaderVersion"] = std::to_string(protocol.min_reader_version);
    all["delta.minWriterVersion"] = std::to_string(protocol.min_writer_version);
    for (const auto *features : {&protocol.reader_features, &protocol.writer_features}) {
        if (*features) {
            for (const auto &feature : **features) {
                all["delta.feature." + feature] = "supported";
            }
        }
    }
    for (const auto &[key, value] : all) {
        BF_RETURN_IF_ERROR(visit({ReportValue::Text(key), ReportValue::Text(value)}));
    }
    return {};
}

Result<StructType> PartitionColumnsOf(const Snapshot &snapshot) {
    StructType columns;
    for (const auto &name : snapshot.metadata().partition_columns) {
        if (const auto *field = snapshot.schema().Find(name)) {
            columns.fields.push_back(*field);
        }
    }
    if (columns.fields.empty()) {
        return Fail(
            Condition::DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE,
            "SHOW PARTITIONS is not allowed on a table that is not partitioned: {}. It has no partition columns. "
            "DESCRIBE DETAIL says how a table is laid out.",
            snapshot.root());
    }
    return columns;
}

Status ReportPartitions(const Engine &engine, const Snapshot &snapshot, const RowVisitor &visit, const Call &call) {
    BF_ASSIGN(const auto columns, PartitionColumnsOf(snapshot));
    // By text: equal texts are equal values. Two texts of one value (as other writers may have them) meet in `rows`.
    std::set<std::vector<std::optional<std::string>>> seen;
    std::vector<std::vector<Scalar>> rows;
    FileRequest request;
    request.statistics = false;
    request.tags = false;
    const auto add_row = [&](const AddFile &add) -> Status {
        std::vector<std::optional<std::string>> texts;
        for (const auto &column : columns.fields) {
            const auto name = PhysicalName(column, snapshot.mapping());
            const auto found = std::find_if(add.partition_values.begin(), add.partition_values.end(),
                                            [&](const auto &value) { return value.first == name; });
            texts.push_back(found == add.partition_values.end() ? std::nullopt : found->second);
        }
        if (!seen.insert(texts).second) {
            return {};
        }
        std::vector<Scalar> row;
        for (size_t i = 0; i < texts.size(); i++) {
            BF_ASSIGN(auto value, Scalar::FromPartitionValue(columns.fields[i].type, texts[i]));
            row.push_back(std::move(value));
        }
        rows.push_back(std::move(row));
        return {};
    };
    const auto counts = ReplayFiles(
        engine, snapshot.segment(), request, [&](AddFile &&add) { return add_row(add); }, call);
    if (!counts.ok()) {
        return counts.error();
    }
    const auto order = [](const std::vector<Scalar> &a, const std::vector<Scalar> &b) {
        for (size_t i = 0; i < a.size(); i++) {
            if (a[i].is_null() != b[i].is_null()) {
                return a[i].is_null();
            }
            const auto compared = a[i].is_null() ? std::nullopt : Scalar::Compare(a[i], b[i]);
            if (compared && *compared != 0) {
                return *compared < 0;
            }
        }
        return false;
    };
    std::sort(rows.begin(), rows.end(), order);
    rows.erase(std::unique(rows.begin(), rows.end(),
                           [&](const auto &a, const auto &b) { return !order(a, b) && !order(b, a); }),
               rows.end());
    for (const auto &row : rows) {
        BF_RETURN_IF_ERROR(visit(ReportRow(row.begin(), row.end())));
    }
    return {};
}

}  // namespace birdfoot
