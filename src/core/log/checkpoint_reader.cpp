// Checkpoints are read as columns, file by file, since files of one checkpoint may differ in what they have. Where the
// caller filters partitions, keys and partition values are read first and the other columns only of the files that are
// kept; statistics come from `stats`, and from `stats_parsed` for the rows that have no such text.
#include "core/log/checkpoint_reader.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/log/parsed_statistics.hpp"

namespace birdfoot {
namespace {

using Path = std::vector<std::string>;

// ---- reading values of a batch ----

std::optional<std::string> TextAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(std::string(column.strings[row]));
}
std::optional<int64_t> IntAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(column.ints[row]);
}
std::optional<bool> BoolAt(const ColumnVector &column, size_t row) {
    return column.is_null(row) ? std::nullopt : std::optional(column.ints[row] != 0);
}
std::optional<PartitionValues> MapAt(const ColumnVector &column, size_t row) {
    if (column.is_null(row)) {
        return std::nullopt;
    }
    PartitionValues map;
    for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
        map.emplace_back(TextAt(column.children[0], i).value_or(""), TextAt(column.children[1], i));
    }
    return map;
}
std::map<std::string, std::string> TextMapAt(const ColumnVector &column, size_t row) {
    std::map<std::string, std::string> map;
    for (auto &[key, value] : MapAt(column, row).value_or(PartitionValues())) {
        if (value) {
            map.emplace(std::move(key), *std::move(value));
        }
    }
    return map;
}
std::optional<std::vector<std::string>> ListAt(const ColumnVector &column, size_t row) {
    if (column.is_null(row)) {
        return std::nullopt;
    }
    std::vector<std::string> list;
    for (size_t i = column.offsets[row]; i < column.offsets[row + 1]; ++i) {
        list.push_back(TextAt(column.children[0], i).value_or(""));
    }
    return list;
}

//! A protocol version; what is too large for one stays too large for every reader.
int32_t VersionOf(int64_t number) { return static_cast<int32_t>(std::clamp<int64_t>(number, -1, INT32_MAX)); }

//! Collects requests under one struct ("add", "remove" …) and gives each its place.
class Columns {
public:
    explicit Columns(std::string parent) : parent_(std::move(parent)) {}
    size_t Want(Path path, ColumnKind kind) {
        path.insert(path.begin(), parent_);
        requests.push_back({std::move(path), kind});
        return requests.size() - 1;
    }
    std::vector<ColumnRequest> requests;

private:
    std::string parent_;
};

// ---- what is read ----

//! Path and vector, together the key.
struct KeyColumns {
    size_t path, storage_type, path_or_inline, offset;

    explicit KeyColumns(Columns &columns)
        : path(columns.Want({"path"}, ColumnKind::kString)),
          storage_type(columns.Want({"deletionVector", "storageType"}, ColumnKind::kString)),
          path_or_inline(columns.Want({"deletionVector", "pathOrInlineDv"}, ColumnKind::kString)),
          offset(columns.Want({"deletionVector", "offset"}, ColumnKind::kInt64)) {}

    //! True if the tail has named this row's key.
    bool IsIn(const KeySet &seen, const ReadBatch &batch, size_t row) const {
        if (seen.empty()) {
            return false;
        }
        const auto text = batch.columns[path].strings[row];
        const bool has_vector = !batch.columns[storage_type].is_null(row);
        if (!has_vector && text.find('%') == std::string_view::npos && !text.starts_with("file:")) {
            return seen.Contains(text);
        }
        std::optional<DeletionVectorDescriptor> vector;
        if (has_vector) {
            vector.emplace();
            vector->storage_type = batch.columns[storage_type].strings[row];
            vector->path_or_inline = TextAt(batch.columns[path_or_inline], row).value_or("");
            vector->offset = IntAt(batch.columns[offset], row);
        }
        return seen.Contains(FileKey(text, vector));
    }
};

//! What add and remove have in common beside the key.
struct FileColumns {
    KeyColumns key;
    size_t partition_values, size, vector_size, cardinality, tags, base_row_id, row_commit_version;

    explicit FileColumns(Columns &columns)
        : key(columns),
          partition_values(columns.Want({"partitionValues"}, ColumnKind::kMap)),
          size(columns.Want({"size"}, ColumnKind::kInt64)),
          vector_size(columns.Want({"deletionVector", "sizeInBytes"}, ColumnKind::kInt64)),
          cardinality(columns.Want({"deletionVector", "cardinality"}, ColumnKind::kInt64)),
          tags(columns.Want({"tags"}, ColumnKind::kMap)),
          base_row_id(columns.Want({"baseRowId"}, ColumnKind::kInt64)),
          row_commit_version(columns.Want({"defaultRowCommitVersion"}, ColumnKind::kInt64)) {}

    template <typename File>
    void Fill(const ReadBatch &batch, size_t row, File &file) const {
        const auto &c = batch.columns;
        file.path = TextAt(c[key.path], row).value_or("");
        file.tags = MapAt(c[tags], row);
        file.base_row_id = IntAt(c[base_row_id], row);
        file.default_row_commit_version = IntAt(c[row_commit_version], row);
        if (!c[key.storage_type].is_null(row)) {
            auto &vector = file.deletion_vector.emplace();
            vector.storage_type = c[key.storage_type].strings[row];
            vector.path_or_inline = TextAt(c[key.path_or_inline], row).value_or("");
            vector.offset = IntAt(c[key.offset], row);
            vector.size_in_bytes = IntAt(c[vector_size], row).value_or(0);
            vector.cardinality = IntAt(c[cardinality], row).value_or(0);
        }
    }
};

struct AddColumns {
    FileColumns file;
    size_t modification_time, data_change, clustering_provider;
    std::optional<size_t> stats;

    AddColumns(Columns &columns, bool with_stats)
        : file(columns),
          modification_time(columns.Want({"modificationTime"}, ColumnKind::kInt64)),
          data_change(columns.Want({"dataChange"}, ColumnKind::kBool)),
          clustering_provider(columns.Want({"clusteringProvider"}, ColumnKind::kString)) {
        if (with_stats) {
            stats = columns.Want({"stats"}, ColumnKind::kString);
        }
    }

    AddFile Read(const ReadBatch &batch, size_t row) const {
        const auto &c = batch.columns;
        AddFile add;
        file.Fill(batch, row, add);
        add.partition_values = MapAt(c[file.partition_values], row).value_or(PartitionValues());
        add.size = IntAt(c[file.size], row).value_or(0);
        add.modification_time = IntAt(c[modification_time], row).value_or(0);
        add.data_change = BoolAt(c[data_change], row).value_or(false);
        add.clustering_provider = TextAt(c[clustering_provider], row);
        if (stats) {
            add.stats = TextAt(c[*stats], row);
        }
        return add;
    }
};

struct RemoveColumns {
    FileColumns file;
    size_t deletion_timestamp, data_change, extended, stats;

    explicit RemoveColumns(Columns &columns)
        : file(columns),
          deletion_timestamp(columns.Want({"deletionTimestamp"}, ColumnKind::kInt64)),
          data_change(columns.Want({"dataChange"}, ColumnKind::kBool)),
          extended(columns.Want({"extendedFileMetadata"}, ColumnKind::kBool)),
          stats(columns.Want({"stats"}, ColumnKind::kString)) {}

    RemoveFile Read(const ReadBatch &batch, size_t row) const {
        const auto &c = batch.columns;
        RemoveFile remove;
        file.Fill(batch, row, remove);
        remove.partition_values = MapAt(c[file.partition_values], row);
        remove.size = IntAt(c[file.size], row);
        remove.deletion_timestamp = IntAt(c[deletion_timestamp], row);
        remove.data_change = BoolAt(c[data_change], row).value_or(true);
        remove.extended_file_metadata = BoolAt(c[extended], row);
        remove.stats = TextAt(c[stats], row);
        return remove;
    }
};

// ---- which files make up the checkpoint ----

struct CheckpointContent {
    std::vector<Action> manifest;     // of a JSON manifest
    std::vector<std::string> heads;   // Parquet files that may hold any action
    std::vector<std::string> bodies;  // Parquet files that may hold add and remove: heads and sidecars
};

Result<std::shared_ptr<ParquetIo>> ParquetOf(const Engine &engine, const LogSegment &segment) {
    if (!engine.parquet) {
        return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                    "Checkpoint {} is Parquet, and no Parquet reader was given. Embed the engine with one.",
                    segment.checkpoint->files.front());
    }
    return engine.parquet;
}

std::string SidecarPath(const LogSegment &segment, std::string_view path) {
    // Sidecars stand in the table's own folder, whatever folder they are named with.
    const auto decoded = DecodePath(path);
    return fmt::format("{}/{}/{}", segment.log_folder, kSidecarFolder, decoded.substr(decoded.rfind('/') + 1));
}

Status ReadSidecars(const Engine &engine, const LogSegment &segment, const std::string &head,
                    std::vector<std::string> &bodies, const Call &call) {
    BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
    Columns columns("sidecar");
    const size_t path = columns.Want({"path"}, ColumnKind::kString);
    ReadRequest request;
    request.files = {head};
    request.columns = columns.requests;
    request.any_not_null = {{"sidecar", "path"}};
    return parquet->Read(
        request,
        [&](const ReadBatch &batch) -> Status {
            for (size_t row = 0; row < batch.rows; ++row) {
                if (const auto name = TextAt(batch.columns[path], row)) {
                    bodies.push_back(SidecarPath(segment, *name));
                }
            }
            return {};
        },
        call);
}

Result<CheckpointContent> Open(const Engine &engine, const LogSegment &segment, bool with_sidecars, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    const auto &checkpoint = *segment.checkpoint;
    CheckpointContent content;
    if (checkpoint.kind == CheckpointKind::kV2Json) {
        BF_ASSIGN(const auto text, engine.store->Get(checkpoint.files.front(), std::nullopt, call));
        BF_RETURN_IF_ERROR(ParseActions(text, checkpoint.files.front(), [&](Action &&action) -> Status {
            if (const auto *sidecar = std::get_if<Sidecar>(&action)) {
                content.bodies.push_back(SidecarPath(segment, sidecar->path));
            }
            content.manifest.push_back(std::move(action));
            return {};
        }));
        return content;
    }
    content.heads = content.bodies = checkpoint.files;
    if (with_sidecars && checkpoint.kind != CheckpointKind::kMultiPart) {
        BF_RETURN_IF_ERROR(ReadSidecars(engine, segment, checkpoint.files.front(), content.bodies, call));
    }
    return content;
}

// ---- files ----

//! Asks `keep` once for each distinct set of partition values.
class PartitionFilter {
public:
    explicit PartitionFilter(const std::function<bool(const PartitionValues &)> &keep) : keep_(keep) {}

    bool Keeps(const ColumnVector &map, size_t row) {
        key_.clear();
        if (!map.is_null(row)) {
            for (size_t i = map.offsets[row]; i < map.offsets[row + 1]; ++i) {
                AppendPart(map.children[0], i);
                AppendPart(map.children[1], i);
            }
        }
        const auto known = answers_.find(key_);
        if (known != answers_.end()) {
            return known->second;
        }
        if (answers_.size() >= kMaxAnswers) {
            answers_.clear();
        }
        const bool answer = keep_(MapAt(map, row).value_or(PartitionValues()));
        answers_.emplace(key_, answer);
        return answer;
    }

private:
    static constexpr size_t kMaxAnswers = 100'000;
    void AppendPart(const ColumnVector &column, size_t i) {
        const auto text = column.is_null(i) ? std::string_view() : column.strings[i];
        const uint64_t length = column.is_null(i) ? UINT64_MAX : text.size();
        key_.append(reinterpret_cast<const char *>(&length), sizeof(length)).append(text);
    }
    const std::function<bool(const PartitionValues &)> &keep_;
    std::string key_;
    std::unordered_map<std::string, bool> answers_;
};

//! Reads the live adds of one file of the checkpoint.
class FileReader {
public:
    FileReader(ParquetIo &parquet, std::string file, const FileRequest &request, const KeySet &seen,
               const std::function<void(int64_t)> &see, const std::function<Status(AddFile &&)> &emit, const Call &call)
        : parquet_(parquet),
          file_(std::move(file)),
          request_(request),
          seen_(seen),
          see_(see),
          emit_(emit),
          call_(call) {}

    Status Run(PartitionFilter *filter) {
        BF_RETURN_IF_ERROR(FindStatistics());
        if (!filter) {
            return ReadRows(nullptr, true);
        }
        BF_RETURN_IF_ERROR(ChooseRows(*filter));
        return rows_.empty() ? Status() : ReadRows(&rows_, false);
    }

private:
    //! Which forms of statistics the file has.
    Status FindStatistics() {
        if (!request_.statistics) {
            return {};
        }
        BF_ASSIGN(footer_, parquet_.ReadFooter(file_, call_));
        for (const auto &field : footer_.fields) {
            for (const auto &child : field.children) {
                if (field.name == "add" && child.name == "stats") {
                    text_ = true;
                } else if (field.name == "add" && child.name == "stats_parsed") {
                    parsed_ = &child;
                }
            }
        }
        return {};
    }

    //! First pass: the rows that are live and whose partition is kept.
    Status ChooseRows(PartitionFilter &filter) {
        Columns columns("add");
        const KeyColumns key(columns);
        const size_t values = columns.Want({"partitionValues"}, ColumnKind::kMap);
        const size_t size = columns.Want({"size"}, ColumnKind::kInt64);
        ReadRequest request = RequestFor(columns);
        request.row_numbers = true;
        BF_RETURN_IF_ERROR(parquet_.Read(
            request,
            [&](const ReadBatch &batch) -> Status {
                for (size_t row = 0; row < batch.rows; ++row) {
                    if (batch.columns[key.path].is_null(row) || key.IsIn(seen_, batch, row)) {
                        continue;
                    }
                    ++live_;
                    see_(IntAt(batch.columns[size], row).value_or(0));
                    if (filter.Keeps(batch.columns[values], row)) {
                        rows_.push_back(batch.row[row]);
                    }
                }
                return call_.Check();
            },
            call_));
        std::sort(rows_.begin(), rows_.end());
        return {};
    }

    //! Reads all columns: of all live files, or of the rows chosen.
    Status ReadRows(const std::vector<int64_t> *rows, bool count) {
        Columns columns("add");
        const AddColumns add(columns, text_);
        ParsedStatistics parsed;
        const bool both = text_ && parsed_ != nullptr;
        if (parsed_ && !text_) {
            parsed = ParsedStatistics(*parsed_, {"add"}, columns.requests);
        }
        ReadRequest request = RequestFor(columns);
        // Few rows are asked for by number; of many, those that were not chosen are passed over.
        const bool few = rows && rows->size() * 4 < live_;
        if (few) {
            request.only_rows = *rows;
        }
        request.row_numbers = both || (rows && !few);
        std::vector<int64_t> without_text;
        BF_RETURN_IF_ERROR(parquet_.Read(
            request,
            [&](const ReadBatch &batch) -> Status {
                for (size_t row = 0; row < batch.rows; ++row) {
                    const auto &key = add.file.key;
                    if (batch.columns[key.path].is_null(row) || key.IsIn(seen_, batch, row) ||
                        (rows && !few && !std::binary_search(rows->begin(), rows->end(), batch.row[row]))) {
                        continue;
                    }
                    live_ += count;
                    if (count) {
                        see_(IntAt(batch.columns[add.file.size], row).value_or(0));
                    }
                    if (both && batch.columns[*add.stats].is_null(row)) {
                        without_text.push_back(batch.row[row]);
                        continue;
                    }
                    auto file = add.Read(batch, row);
                    if (parsed_ && !text_) {
                        file.stats = parsed.JsonOf(batch, row);
                    }
                    BF_RETURN_IF_ERROR(emit_(std::move(file)));
                }
                return call_.Check();
            },
            call_));
        if (without_text.empty()) {
            return {};
        }
        text_ = false;
        std::sort(without_text.begin(), without_text.end());
        return ReadRows(&without_text, false);
    }

    ReadRequest RequestFor(const Columns &columns) const {
        ReadRequest request;
        request.files = {file_};
        request.columns = columns.requests;
        request.any_not_null = {{"add", "path"}};
        return request;
    }

    ParquetIo &parquet_;
    std::string file_;
    const FileRequest &request_;
    const KeySet &seen_;
    const std::function<void(int64_t)> &see_;
    const std::function<Status(AddFile &&)> &emit_;
    const Call &call_;
    ParquetFooter footer_;
    bool text_ = false;                     // add.stats is there
    const ParquetField *parsed_ = nullptr;  // add.stats_parsed, if there
    std::vector<int64_t> rows_;             // chosen, ascending
    size_t live_ = 0;
};

Status ReadFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request, const KeySet &seen,
                 const std::function<void(int64_t)> &see, const std::function<Status(AddFile &&)> &emit,
                 const Call &call) {
    BF_ASSIGN(const auto content, Open(engine, segment, true, call));
    for (const auto &action : content.manifest) {
        const auto *add = std::get_if<AddFile>(&action);
        if (!add || seen.Contains(FileKey(add->path, add->deletion_vector))) {
            continue;
        }
        see(add->size);
        if (!request.keep || request.keep(add->partition_values)) {
            BF_RETURN_IF_ERROR(emit(AddFile(*add)));
        }
    }
    PartitionFilter filter(request.keep);
    for (const auto &file : content.bodies) {
        BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
        FileReader reader(*parquet, file, request, seen, see, emit, call);
        BF_RETURN_IF_ERROR(reader.Run(request.keep ? &filter : nullptr));
    }
    return {};
}

Status ReadTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms, const KeySet &seen,
                      const std::function<Status(RemoveFile &&)> &visit, const Call &call) {
    BF_ASSIGN(const auto content, Open(engine, segment, true, call));
    for (const auto &action : content.manifest) {
        const auto *remove = std::get_if<RemoveFile>(&action);
        if (remove && remove->deletion_timestamp.value_or(0) >= expired_before_ms &&
            !seen.Contains(FileKey(remove->path, remove->deletion_vector))) {
            BF_RETURN_IF_ERROR(visit(RemoveFile(*remove)));
        }
    }
    if (content.bodies.empty()) {
        return {};
    }
    BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
    Columns columns("remove");
    const RemoveColumns remove(columns);
    ReadRequest request;
    request.files = content.bodies;
    request.columns = columns.requests;
    request.any_not_null = {{"remove", "path"}};
    return parquet->Read(
        request,
        [&](const ReadBatch &batch) -> Status {
            for (size_t row = 0; row < batch.rows; ++row) {
                if (!batch.columns[remove.file.key.path].is_null(row) &&
                    IntAt(batch.columns[remove.deletion_timestamp], row).value_or(0) >= expired_before_ms &&
                    !remove.file.key.IsIn(seen, batch, row)) {
                    BF_RETURN_IF_ERROR(visit(remove.Read(batch, row)));
                }
            }
            return call.Check();
        },
        call);
}

// ---- protocol, metadata, transactions, domains ----

Result<TableState> ReadState(const Engine &engine, const LogSegment &segment, const Call &call) {
    BF_ASSIGN(const auto content, Open(engine, segment, false, call));
    TableState state;
    for (const auto &action : content.manifest) {
        if (const auto *protocol = std::get_if<Protocol>(&action)) {
            state.protocol = *protocol;
        } else if (const auto *metadata = std::get_if<Metadata>(&action)) {
            state.metadata = *metadata;
        }
    }
    if (content.heads.empty()) {
        return state;
    }
    BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
    Columns columns("protocol");
    const size_t reader = columns.Want({"minReaderVersion"}, ColumnKind::kInt64);
    const size_t writer = columns.Want({"minWriterVersion"}, ColumnKind::kInt64);
    const size_t reader_features = columns.Want({"readerFeatures"}, ColumnKind::kList);
    const size_t writer_features = columns.Want({"writerFeatures"}, ColumnKind::kList);
    Columns meta("metaData");
    const size_t id = columns.requests.size() + meta.Want({"id"}, ColumnKind::kString);
    meta.Want({"name"}, ColumnKind::kString);
    meta.Want({"description"}, ColumnKind::kString);
    meta.Want({"format", "provider"}, ColumnKind::kString);
    meta.Want({"format", "options"}, ColumnKind::kMap);
    meta.Want({"schemaString"}, ColumnKind::kString);
    meta.Want({"partitionColumns"}, ColumnKind::kList);
    meta.Want({"configuration"}, ColumnKind::kMap);
    meta.Want({"createdTime"}, ColumnKind::kInt64);
    ReadRequest request;
    request.files = content.heads;
    request.columns = columns.requests;
    request.columns.insert(request.columns.end(), meta.requests.begin(), meta.requests.end());
    request.any_not_null = {{"protocol", "minReaderVersion"}, {"metaData", "id"}};
    BF_RETURN_IF_ERROR(parquet->Read(
        request,
        [&](const ReadBatch &batch) -> Status {
            const auto &c = batch.columns;
            for (size_t row = 0; row < batch.rows; ++row) {
                if (!c[reader].is_null(row)) {
                    auto &protocol = state.protocol.emplace();
                    protocol.min_reader_version = VersionOf(c[reader].ints[row]);
                    protocol.min_writer_version = VersionOf(IntAt(c[writer], row).value_or(0));
                    protocol.reader_features = ListAt(c[reader_features], row);
                    protocol.writer_features = ListAt(c[writer_features], row);
                }
                if (!c[id].is_null(row)) {
                    auto &metadata = state.metadata.emplace();
                    metadata.id = c[id].strings[row];
                    metadata.name = TextAt(c[id + 1], row);
                    metadata.description = TextAt(c[id + 2], row);
                    metadata.format_provider = TextAt(c[id + 3], row).value_or("parquet");
                    metadata.format_options = TextMapAt(c[id + 4], row);
                    metadata.schema_string = TextAt(c[id + 5], row).value_or("");
                    metadata.partition_columns = ListAt(c[id + 6], row).value_or(std::vector<std::string>());
                    metadata.configuration = TextMapAt(c[id + 7], row);
                    metadata.created_time = IntAt(c[id + 8], row);
                }
            }
            return {};
        },
        call));
    return state;
}

Result<TableExtras> ReadExtras(const Engine &engine, const LogSegment &segment, const Call &call) {
    BF_ASSIGN(const auto content, Open(engine, segment, false, call));
    TableExtras extras;
    for (const auto &action : content.manifest) {
        if (const auto *transaction = std::get_if<SetTransaction>(&action)) {
            extras.transactions.emplace(transaction->app_id, *transaction);
        } else if (const auto *domain = std::get_if<DomainMetadata>(&action)) {
            extras.domains.emplace(domain->domain, *domain);
        }
    }
    if (content.heads.empty()) {
        return extras;
    }
    BF_ASSIGN(const auto parquet, ParquetOf(engine, segment));
    ReadRequest request;
    request.files = content.heads;
    request.columns = {{{"txn", "appId"}, ColumnKind::kString},
                       {{"txn", "version"}, ColumnKind::kInt64},
                       {{"txn", "lastUpdated"}, ColumnKind::kInt64},
                       {{"domainMetadata", "domain"}, ColumnKind::kString},
                       {{"domainMetadata", "configuration"}, ColumnKind::kString},
                       {{"domainMetadata", "removed"}, ColumnKind::kBool}};
    request.any_not_null = {{"txn", "appId"}, {"domainMetadata", "domain"}};
    BF_RETURN_IF_ERROR(parquet->Read(
        request,
        [&](const ReadBatch &batch) -> Status {
            const auto &c = batch.columns;
            for (size_t row = 0; row < batch.rows; ++row) {
                if (auto app_id = TextAt(c[0], row)) {
                    SetTransaction transaction{*app_id, IntAt(c[1], row).value_or(0), IntAt(c[2], row)};
                    extras.transactions.emplace(*std::move(app_id), std::move(transaction));
                }
                if (auto name = TextAt(c[3], row)) {
                    DomainMetadata domain{*name, TextAt(c[4], row).value_or(""), BoolAt(c[5], row).value_or(false)};
                    extras.domains.emplace(*std::move(name), std::move(domain));
                }
            }
            return {};
        },
        call));
    return extras;
}

std::string BlameText(const LogSegment &segment) {
    return fmt::format("Checkpoint {} cannot be read", segment.checkpoint->files.front());
}

//! Says which checkpoint an error is about, unless it is no fault of the file.
Error Blame(const LogSegment &segment, const Error &error) {
    const bool of_the_file = error.kind() == ErrorKind::kIo || error.kind() == ErrorKind::kCorruptTable ||
                             error.kind() == ErrorKind::kNotFound;
    return of_the_file ? error.Prefixed(BlameText(segment)) : error;
}

//! Remembers the visitor's own error, which is no fault of the checkpoint either.
template <typename Item>
class Visitor {
public:
    explicit Visitor(const std::function<Status(Item &&)> &visit) : visit_(visit) {}
    Status operator()(Item &&item) {
        auto status = visit_(std::move(item));
        if (!status.ok()) {
            error_ = status.error();
        }
        return status;
    }
    Status Finish(const LogSegment &segment, const Status &status) const {
        return status.ok() ? Status() : error_ ? *error_ : Blame(segment, status.error());
    }

private:
    const std::function<Status(Item &&)> &visit_;
    std::optional<Error> error_;
};

}  // namespace

bool BlamesCheckpoint(const Error &error, const LogSegment &segment) {
    return segment.checkpoint && error.text().starts_with(BlameText(segment));
}

Result<TableState> ReadCheckpointState(const Engine &engine, const LogSegment &segment, const Call &call) {
    auto state = ReadState(engine, segment, call);
    return state.ok() ? std::move(state) : Blame(segment, state.error());
}

Result<TableExtras> ReadCheckpointExtras(const Engine &engine, const LogSegment &segment, const Call &call) {
    auto extras = ReadExtras(engine, segment, call);
    return extras.ok() ? std::move(extras) : Blame(segment, extras.error());
}

Result<std::vector<std::string>> CheckpointSidecars(const Engine &engine, const LogSegment &segment, const Call &call) {
    BF_ASSIGN(auto content, Open(engine, segment, true, call));
    std::erase_if(content.bodies, [&](const auto &file) {
        return std::find(content.heads.begin(), content.heads.end(), file) != content.heads.end();
    });
    return std::move(content.bodies);
}

Status ReadCheckpointFiles(const Engine &engine, const LogSegment &segment, const FileRequest &request,
                           const KeySet &seen, const std::function<void(int64_t)> &see,
                           const std::function<Status(AddFile &&)> &emit, const Call &call) {
    Visitor<AddFile> visitor(emit);
    return visitor.Finish(segment, ReadFiles(engine, segment, request, seen, see, std::ref(visitor), call));
}

Status ReadCheckpointTombstones(const Engine &engine, const LogSegment &segment, int64_t expired_before_ms,
                                const KeySet &seen, const std::function<Status(RemoveFile &&)> &visit,
                                const Call &call) {
    Visitor<RemoveFile> visitor(visit);
    return visitor.Finish(segment, ReadTombstones(engine, segment, expired_before_ms, seen, std::ref(visitor), call));
}

}  // namespace birdfoot
