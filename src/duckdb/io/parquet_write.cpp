// The Parquet port: writing. The file is written under a temporary name and renamed, so it is there whole or not at
// all.
#include <unistd.h>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "parquet_writer.hpp"

#include "core/base/uuid.hpp"
#include "duckdb/io/parquet_columns.hpp"
#include "duckdb/io/parquet_io.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

constexpr duckdb::idx_t kRowGroupRows =
    122'880;  // DuckDB's own default; bounds memory for checkpoints with wide statistics
constexpr duckdb::idx_t kRowGroupBytes = 64ull << 20;
constexpr duckdb::idx_t kDictionaryPageBytes = 1ull << 20;

class CheckpointWriter {
public:
    CheckpointWriter(duckdb::ClientContext &context, const std::string &file, const std::vector<ColumnType> &schema)
        : schema_(schema) {
        duckdb::vector<duckdb::LogicalType> types;
        duckdb::vector<duckdb::string> names;
        for (const auto &column : schema) {
            types.push_back(WrittenType(column));
            names.push_back(column.name);
        }
        buffer_ = duckdb::make_uniq<duckdb::ColumnDataCollection>(context, types);
        buffer_->InitializeAppend(append_);
        chunk_.Initialize(context, types);
        // Spark's encodings (V1), Snappy, and no Bloom filters: nobody looks up a key in a checkpoint.
        writer_ = duckdb::make_uniq<duckdb::ParquetWriter>(
            context, duckdb::FileSystem::GetFileSystem(context), file, types, names,
            duckdb_parquet::CompressionCodec::SNAPPY, duckdb::ChildFieldIDs(), duckdb::ShreddingType(),
            duckdb::vector<duckdb::pair<duckdb::string, duckdb::string>>(), nullptr, duckdb::optional_idx(),
            kDictionaryPageBytes, false, 0.01, 0, duckdb::ParquetVersion::V1, duckdb::GeoParquetVersion::NONE);
    }

    void Append(const std::vector<ColumnVector> &columns) {
        const auto rows = columns.empty() ? 0 : columns[0].size();
        for (size_t from = 0; from < rows; from += STANDARD_VECTOR_SIZE) {
            const auto count = std::min<size_t>(rows - from, STANDARD_VECTOR_SIZE);
            chunk_.Reset();
            for (size_t i = 0; i < schema_.size(); ++i) {
                WriteColumn(columns.at(i), from, count, schema_[i], chunk_.data[i]);
            }
            chunk_.SetCardinality(count);
            buffer_->Append(append_, chunk_);
            if (buffer_->Count() >= kRowGroupRows || buffer_->SizeInBytes() >= kRowGroupBytes) {
                Flush();
            }
        }
    }

    void Finish() {
        Flush();
        writer_->Finalize();
    }

private:
    void Flush() {
        if (buffer_->Count() > 0) {
            writer_->Flush(*buffer_, transform_);
            buffer_->InitializeAppend(append_);
        }
    }

    const std::vector<ColumnType> &schema_;
    duckdb::unique_ptr<duckdb::ColumnDataCollection> buffer_;
    duckdb::ColumnDataAppendState append_;
    duckdb::DataChunk chunk_;
    duckdb::unique_ptr<duckdb::ParquetWriter> writer_;
    duckdb::unique_ptr<duckdb::ParquetWriteTransformData> transform_;
};

//! ".<name>.<uuid>.tmp" in the same folder: never taken for a file of the log.
std::string TemporaryName(const std::string &file) {
    const auto slash = file.rfind('/');
    const auto folder = slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
    return folder + "." + file.substr(folder.size()) + "." + RandomUuid() + ".tmp";
}

}  // namespace

Result<uint64_t> DuckParquetIo::Write(const std::string &file, const std::vector<ColumnType> &schema,
                                      const std::function<Result<std::optional<std::vector<ColumnVector>>>()> &next,
                                      const Call &call) {
    uint64_t size = 0;
    BF_RETURN_IF_ERROR(WithContext([&](duckdb::ClientContext &context) -> Status {
        auto &files = duckdb::FileSystem::GetFileSystem(context);
        const auto temporary = TemporaryName(file);
        const auto folder = file.substr(0, std::min(file.rfind('/'), file.size()));
        if (!duckdb::FileSystem::IsRemoteFile(file) && !files.DirectoryExists(folder)) {
            files.CreateDirectoriesRecursive(folder);  // a log's first sidecar
        }
        auto write = [&]() -> Status {
            CheckpointWriter writer(context, temporary, schema);
            while (true) {
                BF_RETURN_IF_ERROR(call.Check());
                BF_ASSIGN(auto columns, next());
                if (!columns) {
                    break;
                }
                writer.Append(*columns);
            }
            writer.Finish();
            return {};
        };
        auto status = Status();
        try {
            status = write();
            if (status.ok()) {
                auto handle = files.OpenFile(temporary, duckdb::FileFlags::FILE_FLAGS_WRITE);
                handle->Sync();
                size = static_cast<uint64_t>(handle->GetFileSize());
                handle->Close();
                files.MoveFile(temporary, file);
            }
        } catch (...) {
            status = ErrorFromException(Condition::BIRDFOOT_IO);
        }
        if (!status.ok()) {
            files.TryRemoveFile(temporary);
        }
        return status;
    }));
    return size;
}

}  // namespace birdfoot::duck
