// Actions: their JSON is read leniently (unknown members are skipped, optional ones may be missing or null) and written
// as delta-spark writes it, field by field in its order.
#include "core/log/actions.hpp"

#include <type_traits>

namespace birdfoot {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

// ---- reading ----

//! Reads members of one action; remembers the first that has the wrong type.
class Fields {
public:
    explicit Fields(JsonValue object) : object_(object) {}

    std::string Text(std::string_view name) {
        auto text = OptionalText(name);
        if (!text) {
            Missing(name, "a string");
        }
        return std::move(text).value_or("");
    }
    std::optional<std::string> OptionalText(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        if (const auto text = value.string()) {
            return std::string(*text);
        }
        Missing(name, "a string");
        return std::nullopt;
    }
    int64_t Number(std::string_view name) {
        const auto number = OptionalNumber(name);
        if (!number) {
            Missing(name, "a number");
        }
        return number.value_or(0);
    }
    std::optional<int64_t> OptionalNumber(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        const auto number = value.int64();
        if (!number) {
            Missing(name, "an integer");
        }
        return number;
    }
    std::optional<bool> OptionalFlag(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        const auto flag = value.boolean();
        if (!flag) {
            Missing(name, "true or false");
        }
        return flag;
    }
    //! A map of strings; scalars of other types count as their text, as they do for other readers.
    std::optional<PartitionValues> OptionalMap(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        if (!value.is_object()) {
            Missing(name, "an object");
        }
        PartitionValues map;
        map.reserve(value.size());
        (void)value.ForEachMember([&](std::string_view key, JsonValue member) -> Status {
            if (member.is_null()) {
                map.emplace_back(key, std::nullopt);
            } else if (const auto text = member.string()) {
                map.emplace_back(key, std::string(*text));
            } else {
                map.emplace_back(key, member.ToText());
            }
            return {};
        });
        return map;
    }
    PartitionValues Map(std::string_view name) {
        auto map = OptionalMap(name);
        return map ? *std::move(map) : PartitionValues();
    }
    std::map<std::string, std::string> TextMap(JsonValue value) {
        std::map<std::string, std::string> map;
        (void)value.ForEachMember([&](std::string_view key, JsonValue member) -> Status {
            if (!member.is_null()) {
                const auto text = member.string();
                map.emplace(key, text ? std::string(*text) : member.ToText());
            }
            return {};
        });
        return map;
    }
    std::optional<std::vector<std::string>> OptionalList(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        std::vector<std::string> list;
        if (!value.is_array()) {
            Missing(name, "an array of strings");
        }
        (void)value.ForEachElement([&](JsonValue element) -> Status {
            if (const auto text = element.string()) {
                list.emplace_back(*text);
            } else {
                Missing(name, "an array of strings");
            }
            return {};
        });
        return list;
    }
    std::optional<DeletionVectorDescriptor> OptionalVector(std::string_view name) {
        const auto value = object_[name];
        if (value.is_null()) {
            return std::nullopt;
        }
        Fields fields(value);
        DeletionVectorDescriptor vector;
        vector.storage_type = fields.Text("storageType");
        vector.path_or_inline = fields.Text("pathOrInlineDv");
        vector.offset = fields.OptionalNumber("offset");
        vector.size_in_bytes = fields.Number("sizeInBytes");
        vector.cardinality = fields.Number("cardinality");
        if (!fields.problem_.empty()) {
            problem_ = fmt::format("in '{}': {}", name, fields.problem_);
        }
        return vector;
    }
    JsonValue object() const { return object_; }
    const std::string &problem() const { return problem_; }

private:
    void Missing(std::string_view name, std::string_view wanted) {
        if (problem_.empty()) {
            problem_ = fmt::format("'{}' is not {}", name, wanted);
        }
    }
    JsonValue object_;
    std::string problem_;
};

AddFile ReadAdd(Fields &fields) {
    AddFile add;
    add.path = fields.Text("path");
    add.partition_values = fields.Map("partitionValues");
    add.size = fields.OptionalNumber("size").value_or(0);
    add.modification_time = fields.OptionalNumber("modificationTime").value_or(0);
    add.data_change = fields.OptionalFlag("dataChange").value_or(false);
    add.stats = fields.OptionalText("stats");
    add.tags = fields.OptionalMap("tags");
    add.deletion_vector = fields.OptionalVector("deletionVector");
    add.base_row_id = fields.OptionalNumber("baseRowId");
    add.default_row_commit_version = fields.OptionalNumber("defaultRowCommitVersion");
    add.clustering_provider = fields.OptionalText("clusteringProvider");
    return add;
}

RemoveFile ReadRemove(Fields &fields) {
    RemoveFile remove;
    remove.path = fields.Text("path");
    remove.deletion_timestamp = fields.OptionalNumber("deletionTimestamp");
    remove.data_change = fields.OptionalFlag("dataChange").value_or(true);
    remove.extended_file_metadata = fields.OptionalFlag("extendedFileMetadata");
    remove.partition_values = fields.OptionalMap("partitionValues");
    remove.size = fields.OptionalNumber("size");
    remove.stats = fields.OptionalText("stats");
    remove.tags = fields.OptionalMap("tags");
    remove.deletion_vector = fields.OptionalVector("deletionVector");
    remove.base_row_id = fields.OptionalNumber("baseRowId");
    remove.default_row_commit_version = fields.OptionalNumber("defaultRowCommitVersion");
    return remove;
}

Metadata ReadMetadata(Fields &fields) {
    Metadata metadata;
    metadata.id = fields.OptionalText("id").value_or("");
    metadata.name = fields.OptionalText("name");
    metadata.description = fields.OptionalText("description");
    const auto format = fields.object()["format"];
    metadata.format_provider = std::string(format["provider"].string().value_or("parquet"));
    metadata.format_options = fields.TextMap(format["options"]);
    metadata.schema_string = fields.OptionalText("schemaString").value_or("");
    metadata.partition_columns = fields.OptionalList("partitionColumns").value_or(std::vector<std::string>());
    metadata.created_time = fields.OptionalNumber("createdTime");
    metadata.configuration = fields.TextMap(fields.object()["configuration"]);
    return metadata;
}

Protocol ReadProtocol(Fields &fields) {
    Protocol protocol;
    const auto version = [&](std::string_view name) {
        const int64_t number = fields.Number(name);
        return static_cast<int32_t>(std::min<int64_t>(std::max<int64_t>(number, -1), INT32_MAX));
    };
    protocol.min_reader_version = version("minReaderVersion");
    protocol.min_writer_version = version("minWriterVersion");
    protocol.reader_features = fields.OptionalList("readerFeatures");
    protocol.writer_features = fields.OptionalList("writerFeatures");
    return protocol;
}

//! A number of milliseconds that no timestamp can hold is none: what is reckoned with it would overflow.
std::optional<int64_t> TimeIn(JsonValue value) {
    const auto millis = value.int64();
    return millis && *millis > INT64_MIN / 1000 && *millis < INT64_MAX / 1000 ? millis : std::nullopt;
}

//! Nothing in commitInfo is required or of a certain type: what does not fit is as if it were missing.
CommitInfo ReadCommitInfo(JsonValue object) {
    CommitInfo info;
    info.timestamp = object["timestamp"].int64();
    info.in_commit_timestamp = TimeIn(object["inCommitTimestamp"]);
    if (const auto operation = object["operation"].string()) {
        info.operation = std::string(*operation);
    }
    info.is_blind_append = object["isBlindAppend"].boolean();
    if (const auto id = object["txnId"].string()) {
        info.txn_id = std::string(*id);
    }
    info.json = object.ToText();
    return info;
}

//! None for an action that we do not know.
std::optional<Action> ReadAction(std::string_view name, Fields &fields) {
    if (name == "add") {
        return ReadAdd(fields);
    }
    if (name == "remove") {
        return ReadRemove(fields);
    }
    if (name == "commitInfo") {
        return ReadCommitInfo(fields.object());
    }
    if (name == "metaData") {
        return ReadMetadata(fields);
    }
    if (name == "protocol") {
        return ReadProtocol(fields);
    }
    if (name == "txn") {
        return SetTransaction{fields.Text("appId"), fields.Number("version"), fields.OptionalNumber("lastUpdated")};
    }
    if (name == "domainMetadata") {
        return DomainMetadata{fields.Text("domain"), fields.OptionalText("configuration").value_or(""),
                              fields.OptionalFlag("removed").value_or(false)};
    }
    if (name == "cdc") {
        return AddCdcFile{fields.Text("path"), fields.Map("partitionValues"), fields.OptionalNumber("size").value_or(0),
                          fields.OptionalMap("tags")};
    }
    if (name == "checkpointMetadata") {
        return CheckpointMetadata{fields.Number("version"), fields.OptionalMap("tags")};
    }
    if (name == "sidecar") {
        return Sidecar{fields.Text("path"), fields.OptionalNumber("sizeInBytes").value_or(0),
                       fields.OptionalNumber("modificationTime").value_or(0), fields.OptionalMap("tags")};
    }
    return std::nullopt;
}

Status VisitValue(JsonValue line, std::string_view file, const std::function<Status(Action &&)> &visit) {
    if (!line.is_object()) {
        return Fail(Condition::DELTA_LOG_FILE_MALFORMED, "{} holds a value that is no action (not a JSON object).",
                    file);
    }
    return line.ForEachMember([&](std::string_view name, JsonValue member) -> Status {
        if (!member.is_object()) {
            return {};
        }
        Fields fields(member);
        auto action = ReadAction(name, fields);
        if (!fields.problem().empty()) {
            return Fail(Condition::DELTA_LOG_FILE_MALFORMED, "{} holds a '{}' action in which {}.", file, name,
                        fields.problem());
        }
        return action ? visit(*std::move(action)) : Status();
    });
}

//! Where the JSON object at the start of `text` ends, by its braces; the end of the text if they do not close.
size_t ObjectEnd(std::string_view text) {
    size_t depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                in_string = false;
            }
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        } else if (depth == 0) {
            break;  // neither an object nor an array
        }
    }
    return text.size();
}

// ---- writing ----

template <typename Map>
void WriteMap(JsonWriter &out, std::string_view name, const Map &map) {
    out.Key(name).BeginObject();
    for (const auto &[key, value] : map) {
        out.Key(key);
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
            out.String(value);
        } else if (value) {
            out.String(*value);
        } else {
            out.Null();
        }
    }
    out.EndObject();
}

void WriteTags(JsonWriter &out, const std::optional<Tags> &tags) {
    if (tags) {
        WriteMap(out, "tags", *tags);
    }
}

void WriteList(JsonWriter &out, std::string_view name, const std::vector<std::string> &list) {
    out.Key(name).BeginArray();
    for (const auto &text : list) {
        out.String(text);
    }
    out.EndArray();
}

void WriteVector(JsonWriter &out, const std::optional<DeletionVectorDescriptor> &vector) {
    if (!vector) {
        return;
    }
    out.Key("deletionVector").BeginObject();
    out.Key("storageType").String(vector->storage_type).Key("pathOrInlineDv").String(vector->path_or_inline);
    out.Optional("offset", vector->offset);
    out.Key("sizeInBytes").Int(vector->size_in_bytes).Key("cardinality").Int(vector->cardinality).EndObject();
}

void Write(JsonWriter &out, const AddFile &add) {
    out.Key("add").BeginObject().Key("path").String(add.path);
    WriteMap(out, "partitionValues", add.partition_values);
    out.Key("size").Int(add.size).Key("modificationTime").Int(add.modification_time);
    out.Key("dataChange").Bool(add.data_change).Optional("stats", add.stats);
    WriteTags(out, add.tags);
    WriteVector(out, add.deletion_vector);
    out.Optional("baseRowId", add.base_row_id).Optional("defaultRowCommitVersion", add.default_row_commit_version);
    out.Optional("clusteringProvider", add.clustering_provider).EndObject();
}

void Write(JsonWriter &out, const RemoveFile &remove) {
    out.Key("remove").BeginObject().Key("path").String(remove.path);
    out.Optional("deletionTimestamp", remove.deletion_timestamp).Key("dataChange").Bool(remove.data_change);
    out.Optional("extendedFileMetadata", remove.extended_file_metadata);
    if (remove.partition_values) {
        WriteMap(out, "partitionValues", *remove.partition_values);
    }
    out.Optional("size", remove.size);
    WriteTags(out, remove.tags);
    WriteVector(out, remove.deletion_vector);
    out.Optional("baseRowId", remove.base_row_id)
        .Optional("defaultRowCommitVersion", remove.default_row_commit_version)
        .Optional("stats", remove.stats)
        .EndObject();
}

void Write(JsonWriter &out, const Metadata &metadata) {
    out.Key("metaData").BeginObject().Key("id").String(metadata.id);
    out.Optional("name", metadata.name).Optional("description", metadata.description);
    out.Key("format").BeginObject().Key("provider").String(metadata.format_provider);
    WriteMap(out, "options", metadata.format_options);
    out.EndObject().Key("schemaString").String(metadata.schema_string);
    WriteList(out, "partitionColumns", metadata.partition_columns);
    WriteMap(out, "configuration", metadata.configuration);
    out.Optional("createdTime", metadata.created_time).EndObject();
}

void Write(JsonWriter &out, const Protocol &protocol) {
    out.Key("protocol").BeginObject().Key("minReaderVersion").Int(protocol.min_reader_version);
    out.Key("minWriterVersion").Int(protocol.min_writer_version);
    if (protocol.reader_features) {
        WriteList(out, "readerFeatures", *protocol.reader_features);
    }
    if (protocol.writer_features) {
        WriteList(out, "writerFeatures", *protocol.writer_features);
    }
    out.EndObject();
}

void Write(JsonWriter &out, const SetTransaction &transaction) {
    out.Key("txn").BeginObject().Key("appId").String(transaction.app_id).Key("version").Int(transaction.version);
    out.Optional("lastUpdated", transaction.last_updated).EndObject();
}

void Write(JsonWriter &out, const DomainMetadata &domain) {
    out.Key("domainMetadata").BeginObject().Key("domain").String(domain.domain);
    out.Key("configuration").String(domain.configuration).Key("removed").Bool(domain.removed).EndObject();
}

void Write(JsonWriter &out, const CommitInfo &info) {
    out.Key("commitInfo").Raw(info.json.empty() ? std::string_view("{}") : std::string_view(info.json));
}

void Write(JsonWriter &out, const AddCdcFile &cdc) {
    out.Key("cdc").BeginObject().Key("path").String(cdc.path);
    WriteMap(out, "partitionValues", cdc.partition_values);
    out.Key("size").Int(cdc.size);
    WriteTags(out, cdc.tags);
    out.Key("dataChange").Bool(false).EndObject();
}

void Write(JsonWriter &out, const CheckpointMetadata &checkpoint) {
    out.Key("checkpointMetadata").BeginObject().Key("version").Int(checkpoint.version);
    WriteTags(out, checkpoint.tags);
    out.EndObject();
}

void Write(JsonWriter &out, const Sidecar &sidecar) {
    out.Key("sidecar").BeginObject().Key("path").String(sidecar.path).Key("sizeInBytes").Int(sidecar.size_in_bytes);
    out.Key("modificationTime").Int(sidecar.modification_time);
    WriteTags(out, sidecar.tags);
    out.EndObject();
}

}  // namespace

std::string DeletionVectorDescriptor::UniqueId() const {
    std::string id = storage_type + path_or_inline;
    if (offset) {
        id += fmt::format("@{}", *offset);
    }
    return id;
}

std::string DecodePath(std::string_view path) {
    // "file:///x" and "file:/x" are the local path "/x"; a host behind "//" stays part of the name.
    if (path.starts_with("file:///")) {
        path.remove_prefix(7);
    } else if (path.starts_with("file:/") && !path.starts_with("file://")) {
        path.remove_prefix(5);
    }
    const auto digit = [](char c) -> int {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    std::string out;
    out.reserve(path.size());
    for (size_t i = 0; i < path.size(); ++i) {
        if (path[i] == '%' && i + 2 < path.size() && digit(path[i + 1]) >= 0 && digit(path[i + 2]) >= 0) {
            out += static_cast<char>(digit(path[i + 1]) * 16 + digit(path[i + 2]));
            i += 2;
        } else {
            out += path[i];
        }
    }
    return out;
}

std::string FileKey(std::string_view path, const std::optional<DeletionVectorDescriptor> &vector) {
    std::string key = DecodePath(path);
    if (vector) {
        key += '\0';
        key += vector->UniqueId();
    }
    return key;
}

Status ParseActions(std::string_view text, std::string_view file, const std::function<Status(Action &&)> &visit) {
    while (true) {
        const size_t start = text.find_first_not_of(kSpace);
        if (start == std::string_view::npos) {
            return {};
        }
        text.remove_prefix(start);
        // Nearly always a value is a line. One that spans lines is found by its braces.
        size_t end = std::min(text.find('\n'), text.size());
        auto document = JsonDocument::Parse(text.substr(0, end));
        if (!document.ok()) {
            end = ObjectEnd(text);
            document = JsonDocument::Parse(text.substr(0, end));
        }
        if (!document.ok()) {
            return Fail(Condition::DELTA_LOG_FILE_MALFORMED, "{} is damaged: {}", file, document.error().text());
        }
        BF_RETURN_IF_ERROR(VisitValue(document->root(), file, visit));
        text.remove_prefix(end);
    }
}

std::string ActionToJson(const Action &action) {
    std::string text;
    JsonWriter out(text);
    out.BeginObject();
    std::visit([&](const auto &kind) { Write(out, kind); }, action);
    out.EndObject();
    return text;
}

RemoveFile MakeRemove(const AddFile &add, int64_t deletion_timestamp, bool data_change) {
    RemoveFile remove;
    remove.path = add.path;
    remove.deletion_timestamp = deletion_timestamp;
    remove.data_change = data_change;
    remove.extended_file_metadata = true;
    remove.partition_values = add.partition_values;
    remove.size = add.size;
    remove.stats = add.stats;
    remove.tags = add.tags;
    remove.deletion_vector = add.deletion_vector;
    remove.base_row_id = add.base_row_id;
    remove.default_row_commit_version = add.default_row_commit_version;
    return remove;
}

AddFile FileOf(const RemoveFile &remove) {
    AddFile file;
    file.path = remove.path;
    file.partition_values = remove.partition_values.value_or(PartitionValues());
    file.size = remove.size.value_or(0);
    file.stats = remove.stats;
    file.tags = remove.tags;
    file.deletion_vector = remove.deletion_vector;
    file.base_row_id = remove.base_row_id;
    file.default_row_commit_version = remove.default_row_commit_version;
    return file;
}

}  // namespace birdfoot
