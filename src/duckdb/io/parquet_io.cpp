// The Parquet port: reading. Each row group is a piece of work; the threads of the database take them in turn, and give
// their batches to the visitor one at a time. Only the leaves asked for are decoded.
#include "duckdb/io/parquet_io.hpp"

#include <atomic>
#include <mutex>

#include "duckdb/parallel/task_executor.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "parquet_reader.hpp"

#include "duckdb/io/parquet_columns.hpp"
#include "duckdb/io/parquet_footer.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::ClientContext;
using duckdb::LogicalTypeId;
using duckdb::ParquetColumnSchema;
using duckdb::ParquetReader;

namespace {

//! Of the columns below one, those to decode. No children: all of it.
struct Projection {
    size_t index = 0;
    std::vector<Projection> children;

    Projection &Child(size_t child) {
        for (auto &have : children) {
            if (have.index == child) {
                return have;
            }
        }
        return children.emplace_back(Projection{child, {}});
    }
    duckdb::ColumnIndex ToColumnIndex() const {
        duckdb::vector<duckdb::ColumnIndex> indexes;
        for (const auto &child : children) {
            indexes.push_back(child.ToColumnIndex());
        }
        return duckdb::ColumnIndex(index, std::move(indexes));
    }
};

//! A column of a file: positions from the root. Empty: the file does not have it.
using Position = std::vector<size_t>;

Position Find(const ParquetColumnSchema &root, const std::vector<std::string> &path) {
    Position position;
    const auto *at = &root;
    for (const auto &name : path) {
        if (at->type.id() != LogicalTypeId::STRUCT) {
            return {};
        }
        const ParquetColumnSchema *found = nullptr;
        for (size_t i = 0; i < at->children.size() && !found; ++i) {
            if (at->children[i].name == name) {
                found = &at->children[i];
                position.push_back(i);
            }
        }
        if (!found) {
            return {};
        }
        at = found;
    }
    return position;
}

const ParquetColumnSchema &At(const ParquetColumnSchema &root, const Position &position) {
    const auto *at = &root;
    for (auto index : position) {
        at = &at->children[index];
    }
    return *at;
}

//! Keeps the rows of a sorted list: what ReadRequest::only_rows asks for.
class OnlyRows : public duckdb::DeleteFilter {
public:
    explicit OnlyRows(const std::vector<int64_t> &rows) : rows_(rows) {}

    duckdb::idx_t Filter(duckdb::row_t start, duckdb::idx_t count, duckdb::SelectionVector &selection) override {
        selection.Initialize(STANDARD_VECTOR_SIZE);
        duckdb::idx_t kept = 0;
        const auto end = start + static_cast<int64_t>(count);
        for (auto row = std::lower_bound(rows_.begin(), rows_.end(), start); row != rows_.end() && *row < end; ++row) {
            selection.set_index(kept++, static_cast<duckdb::idx_t>(*row - start));
        }
        return kept;
    }

private:
    const std::vector<int64_t> &rows_;
};

std::string PathText(const std::vector<std::string> &path) { return fmt::format("{}", fmt::join(path, ".")); }

//! An opened file with what is read of it. Shared by the threads that read its row groups.
class OpenFile {
public:
    OpenFile(ClientContext &context, const ReadRequest &request, uint32_t number)
        : request_(request), number_(number), reader_(OpenParquet(context, request.files[number])) {
        auto &root = *reader_->root_schema;
        for (const auto &column : request.columns) {
            columns_.push_back(Add(Find(root, column.path)));
        }
        for (const auto &path : request.any_not_null) {
            auto position = Find(root, path);
            if (!position.empty()) {
                tested_.push_back(Add(FirstLeafOf(position, root)));
                tested_.back().resize(position.size());
            }
        }
        if (request.row_numbers) {
            projections_.push_back(Projection{reader_->columns.size(), {}});
            reader_->columns.emplace_back("file_row_number", duckdb::LogicalType::BIGINT);
            reader_->AddVirtualColumn(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER);
        }
        for (const auto &projection : projections_) {
            reader_->column_ids.push_back(duckdb::MultiFileLocalColumnId(projection.index));
            reader_->column_indexes.push_back(projection.ToColumnIndex());
            types_.push_back(reader_->columns[projection.index].type);
        }
        if (request.only_rows) {
            reader_->deletion_filter = duckdb::make_uniq<OnlyRows>(*request.only_rows);
        }
        PickRowGroups();
    }

    const std::string &path() const { return request_.files[number_]; }
    size_t row_groups() const { return groups_.size(); }

    //! Reads the n-th of the row groups that are worth it.
    Status ReadRowGroup(ClientContext &context, size_t n, ReadBatch &batch,
                        const std::function<Status(const ReadBatch &)> &give, const Call &call) {
        duckdb::ParquetReaderScanState state;
        reader_->InitializeScan(context, state, {groups_[n]});
        duckdb::DataChunk chunk;
        if (types_.empty()) {
            return GiveNulls(reader_->GetFileMetadata()->row_groups[groups_[n]].num_rows, batch, give);
        }
        chunk.Initialize(context, types_);
        while (true) {
            BF_RETURN_IF_ERROR(call.Check());
            chunk.Reset();
            auto result = reader_->Scan(context, state, chunk);
            if (result.GetResultType() == duckdb::AsyncResultType::FINISHED) {
                return {};
            }
            if (chunk.size() > 0) {
                BF_RETURN_IF_ERROR(Give(chunk, batch, give));
            }
        }
    }

private:
    //! Extends a position to a leaf: whether a struct is there shows in any of its leaves.
    static Position FirstLeafOf(Position position, const ParquetColumnSchema &root) {
        const auto *at = &At(root, position);
        while (at->type.id() == LogicalTypeId::STRUCT && !at->children.empty()) {
            position.push_back(0);
            at = &at->children[0];
        }
        return position;
    }

    Position Add(Position position) {
        if (position.empty()) {
            return position;
        }
        Projection *at = nullptr;
        for (auto &have : projections_) {
            if (have.index == position[0]) {
                at = &have;
            }
        }
        if (!at) {
            at = &projections_.emplace_back(Projection{position[0], {}});
        }
        for (size_t i = 1; i < position.size(); ++i) {
            at = &at->Child(position[i]);
        }
        return position;
    }

    //! Row groups that hold a row asked for, as far as the footer tells.
    void PickRowGroups() {
        const auto &groups = reader_->GetFileMetadata()->row_groups;
        int64_t first_row = 0;
        for (size_t i = 0; i < groups.size(); ++i) {
            const auto end = first_row + groups[i].num_rows;
            bool wanted = groups[i].num_rows > 0 && MayHoldTested(groups[i]);
            if (request_.only_rows) {
                const auto &rows = *request_.only_rows;
                auto row = std::lower_bound(rows.begin(), rows.end(), first_row);
                wanted = wanted && row != rows.end() && *row < end;
            }
            if (wanted) {
                groups_.push_back(i);
            }
            first_row = end;
        }
    }

    //! False if the footer says that all columns of any_not_null are NULL in this row group.
    bool MayHoldTested(const duckdb_parquet::RowGroup &group) const {
        if (request_.any_not_null.empty()) {
            return true;
        }
        for (const auto &position : tested_) {
            const auto &column = At(*reader_->root_schema, position);
            if (!column.children.empty() || column.column_index >= group.columns.size()) {
                return true;
            }
            const auto &chunk = group.columns[column.column_index].meta_data;
            if (!chunk.__isset.statistics || !chunk.statistics.__isset.null_count ||
                chunk.statistics.null_count != chunk.num_values) {
                return true;
            }
        }
        return false;
    }

    duckdb::Vector &VectorOf(duckdb::DataChunk &chunk, const Position &position) const {
        size_t column = 0;
        while (projections_[column].index != position[0]) {
            ++column;
        }
        auto *vector = &chunk.data[column];
        vector->Flatten(chunk.size());
        for (size_t i = 1; i < position.size(); ++i) {
            vector = duckdb::StructVector::GetEntries(*vector)[position[i]].get();
            vector->Flatten(chunk.size());
        }
        return *vector;
    }

    Status Give(duckdb::DataChunk &chunk, ReadBatch &batch,
                const std::function<Status(const ReadBatch &)> &give) const {
        std::vector<uint32_t> rows;
        for (uint32_t row = 0; row < chunk.size(); ++row) {
            rows.push_back(row);
        }
        if (!request_.any_not_null.empty()) {
            std::vector<duckdb::ValidityMask *> masks;
            for (const auto &position : tested_) {
                masks.push_back(&duckdb::FlatVector::Validity(VectorOf(chunk, position)));
            }
            std::erase_if(rows, [&](uint32_t row) {
                return std::none_of(masks.begin(), masks.end(), [row](auto *mask) { return mask->RowIsValid(row); });
            });
        }
        if (rows.empty()) {
            return {};
        }
        std::deque<std::string> arena;
        batch.rows = rows.size();
        batch.columns.resize(columns_.size());
        for (size_t i = 0; i < columns_.size(); ++i) {
            const auto &wanted = request_.columns[i];
            if (columns_[i].empty()) {
                FillNulls(wanted.kind, rows.size(), batch.columns[i]);
                continue;
            }
            auto status = ReadColumn(VectorOf(chunk, columns_[i]), chunk.size(), rows.data(), rows.size(), wanted.kind,
                                     PathText(wanted.path), arena, batch.columns[i]);
            if (!status.ok()) {
                return status.error().Prefixed(request_.files[number_]);
            }
        }
        if (request_.row_numbers) {
            auto &vector = chunk.data.back();
            vector.Flatten(chunk.size());
            auto *numbers = duckdb::FlatVector::GetData<int64_t>(vector);
            batch.row.clear();
            for (auto row : rows) {
                batch.row.push_back(numbers[row]);
            }
            batch.file.assign(rows.size(), number_);
        }
        return give(batch);
    }

    //! The file has none of the columns asked for.
    Status GiveNulls(int64_t rows, ReadBatch &batch, const std::function<Status(const ReadBatch &)> &give) const {
        for (int64_t done = 0; done < rows; done += STANDARD_VECTOR_SIZE) {
            batch.rows = static_cast<size_t>(std::min<int64_t>(rows - done, STANDARD_VECTOR_SIZE));
            batch.columns.resize(columns_.size());
            for (size_t i = 0; i < columns_.size(); ++i) {
                FillNulls(request_.columns[i].kind, batch.rows, batch.columns[i]);
            }
            BF_RETURN_IF_ERROR(give(batch));
        }
        return {};
    }

    static void FillNulls(ColumnKind kind, size_t rows, ColumnVector &out) {
        out = {};
        out.kind = kind;
        out.valid.assign(rows, 0);
        switch (kind) {
        case ColumnKind::kDouble: out.doubles.resize(rows); break;
        case ColumnKind::kString:
        case ColumnKind::kDecimal: out.strings.resize(rows); break;
        case ColumnKind::kList:
        case ColumnKind::kMap:
            out.offsets.resize(rows + 1);
            out.children.resize(kind == ColumnKind::kMap ? 2 : 1);
            break;
        default: out.ints.resize(rows);
        }
    }

    const ReadRequest &request_;
    const uint32_t number_;
    duckdb::shared_ptr<ParquetReader> reader_;
    std::vector<Projection> projections_;  // one a top-level column, then the row number
    std::vector<Position> columns_;        // one a column of the request
    std::vector<Position> tested_;
    duckdb::vector<duckdb::LogicalType> types_;
    std::vector<size_t> groups_;
};

//! One Read call: hands out row groups, file after file, and batches to the visitor.
class ReadCall {
public:
    ReadCall(ClientContext &context, const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
             const Call &call)
        : context_(context), request_(request), visit_(visit), call_(call) {}

    Status Run() {
        auto first = Next();
        duckdb::TaskExecutor executor(context_);
        if (first && (request_.files.size() > 1 || first->file->row_groups() > 1)) {
            const auto threads = duckdb::TaskScheduler::GetScheduler(context_).NumberOfThreads();
            for (int64_t i = 1; i < static_cast<int64_t>(threads); ++i) {
                executor.ScheduleTask(duckdb::make_uniq<Worker>(executor, *this));
            }
        }
        Work(std::move(first));
        executor.WorkOnTasks();
        return std::move(status_);
    }

private:
    struct Piece {
        std::shared_ptr<OpenFile> file;
        size_t row_group;
    };

    class Worker : public duckdb::BaseExecutorTask {
    public:
        Worker(duckdb::TaskExecutor &executor, ReadCall &owner) : BaseExecutorTask(executor), owner_(owner) {}
        void ExecuteTask() override { owner_.Work(owner_.Next()); }
        duckdb::string TaskType() const override { return "BirdfootParquetRead"; }

    private:
        ReadCall &owner_;
    };

    //! Never throws.
    void Work(std::optional<Piece> piece) {
        ReadBatch batch;
        auto give = [this](const ReadBatch &ready) -> Status {
            std::lock_guard lock(visit_mutex_);
            if (stop_) {
                return Fail(Condition::BIRDFOOT_CANCELLED, "Another thread failed.");
            }
            return visit_(ready);
        };
        for (; piece; piece = Next()) {
            try {
                auto status = piece->file->ReadRowGroup(context_, piece->row_group, batch, give, call_);
                if (!status.ok()) {
                    Stop(status.error());
                }
            } catch (...) {
                Stop(DamageFromException(piece->file->path()));
            }
        }
    }

    std::optional<Piece> Next() {
        std::lock_guard lock(mutex_);
        while (!stop_) {
            if (file_ && next_group_ < file_->row_groups()) {
                return Piece{file_, next_group_++};
            }
            if (next_file_ == request_.files.size()) {
                return {};
            }
            const auto number = next_file_++;
            try {
                file_ = std::make_shared<OpenFile>(context_, request_, static_cast<uint32_t>(number));
                next_group_ = 0;
            } catch (...) {
                StopLocked(DamageFromException(request_.files[number]));
            }
        }
        return {};
    }

    void Stop(const Error &error) {
        std::lock_guard lock(mutex_);
        StopLocked(error);
    }
    void StopLocked(const Error &error) {
        if (!stop_) {
            stop_ = true;
            status_ = error;
        }
    }

    ClientContext &context_;
    const ReadRequest &request_;
    const std::function<Status(const ReadBatch &)> &visit_;
    const Call &call_;
    std::mutex mutex_;
    std::mutex visit_mutex_;
    std::atomic<bool> stop_{false};
    Status status_;
    std::shared_ptr<OpenFile> file_;
    size_t next_file_ = 0;
    size_t next_group_ = 0;
};

ColumnKind KindOf(LogicalTypeId id) {
    switch (id) {
    case LogicalTypeId::BOOLEAN: return ColumnKind::kBool;
    case LogicalTypeId::FLOAT:
    case LogicalTypeId::DOUBLE: return ColumnKind::kDouble;
    case LogicalTypeId::DATE: return ColumnKind::kDate;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::TIMESTAMP_NS: return ColumnKind::kTimestamp;
    case LogicalTypeId::DECIMAL: return ColumnKind::kDecimal;
    case LogicalTypeId::STRUCT:
    case LogicalTypeId::VARIANT: return ColumnKind::kStruct;
    case LogicalTypeId::MAP: return ColumnKind::kMap;
    case LogicalTypeId::LIST: return ColumnKind::kList;
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER: return ColumnKind::kInt64;
    default: return ColumnKind::kString;
    }
}

ParquetField FieldOf(const ParquetColumnSchema &column) {
    ParquetField field;
    field.name = column.name;
    field.kind = KindOf(column.type.id());
    field.type = column.type.ToString();
    field.ntz = column.type.id() == LogicalTypeId::TIMESTAMP;
    field.binary = column.type.id() == LogicalTypeId::BLOB;
    if (column.type.id() == LogicalTypeId::VARIANT) {
        return field;  // its parts are no columns of their own
    }
    if (column.type.id() == LogicalTypeId::DECIMAL) {
        field.precision = duckdb::DecimalType::GetWidth(column.type);
        field.scale = duckdb::DecimalType::GetScale(column.type);
    }
    if (column.type.id() == LogicalTypeId::MAP && column.children.size() == 1) {
        for (const auto &child : column.children[0].children) {
            field.children.push_back(FieldOf(child));
        }
    } else {
        for (const auto &child : column.children) {
            field.children.push_back(FieldOf(child));
        }
    }
    return field;
}

}  // namespace

Status DuckParquetIo::WithContext(const std::function<Status(ClientContext &)> &body) {
    auto database = database_.lock();
    if (!database) {
        return Fail(Condition::BIRDFOOT_INTERNAL, "internal error: the database is closed.");
    }
    try {
        duckdb::Connection connection(*database);
        Status status;
        connection.context->RunFunctionInTransaction([&] {
            // Caught in here: what leaves this function makes DuckDB judge whether the database is still sound.
            try {
                status = body(*connection.context);
            } catch (...) {
                status = ErrorFromException(Condition::FAILED_READ_FILE);
            }
        });
        return status;
    } catch (...) {
        return ErrorFromException(Condition::FAILED_READ_FILE);
    }
}

Status DuckParquetIo::Read(const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
                           const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    return WithContext([&](ClientContext &context) { return ReadCall(context, request, visit, call).Run(); });
}

Result<ParquetFooter> DuckParquetIo::ReadFooter(const std::string &file, const Call &call) {
    BF_RETURN_IF_ERROR(call.Check());
    ParquetFooter footer;
    BF_RETURN_IF_ERROR(WithContext([&](ClientContext &context) -> Status {
        auto reader = OpenParquet(context, file);
        footer.rows = reader->GetFileMetadata()->num_rows;
        for (const auto &child : reader->root_schema->children) {
            footer.fields.push_back(FieldOf(child));
        }
        return {};
    }));
    return footer;
}

}  // namespace birdfoot::duck
