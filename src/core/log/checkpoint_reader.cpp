// Checkpoints are read as columns, file by file, since files of one checkpoint may differ in what they have. Where the
// caller filters partitions, keys and partition values are read first and the other columns only of the files that are
// kept; statistics come from `stats`, and from `stats_parsed` for the rows that have no such text.
#include "core/log/checkpoint_reader.hpp"

#include <algorithm>
#include <unordered_map>

#include "core/log/checkpoint_columns.hpp"
#include "core/log/checkpoint_content.hpp"
#include "core/log/parsed_statistics.hpp"

namespace birdfoot {
namespace {

//! A protocol version; what is too large for one stays too large for every reader.
int32_t VersionOf(int64_t number) { return static_cast<int32_t>(std::clamp<int64_t>(number, -1, INT32_MAX)); }

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
    BF_ASSIGN(const auto content, OpenCheckpoint(engine, segment, true, call));
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
    BF_ASSIGN(const auto content, OpenCheckpoint(engine, segment, true, call));
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
    BF_ASSIGN(const auto content, OpenCheckpoint(engine, segment, false, call));
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
    BF_ASSIGN(const auto content, OpenCheckpoint(engine, segment, false, call));
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
    BF_ASSIGN(auto content, OpenCheckpoint(engine, segment, true, call));
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
