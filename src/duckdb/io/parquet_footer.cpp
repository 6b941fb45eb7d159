// Opening a Parquet file with DuckDB's reader. Its footer is read here, with DuckDB's own code but within bounds:
// DuckDB has none, and a file of twenty bytes whose footer says that it lists fifty million columns would take ten
// gigabytes before the first of them is missed. What the footer says is then held against itself.
#include "duckdb/io/parquet_footer.hpp"

#include <cstring>

#include "duckdb/common/error_data.hpp"
#include "parquet_file_metadata_cache.hpp"
#include "thrift/protocol/TCompactProtocol.h"
#include "thrift/transport/TVirtualTransport.h"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

namespace thrift = duckdb_apache::thrift;

constexpr duckdb::idx_t kTail = 8;             // the footer's length and the mark
constexpr duckdb::idx_t kFirstRead = 1 << 15;  // enough for most footers
constexpr size_t kDeepest = 512;               // levels of a schema: DuckDB walks them by recursion

[[noreturn]] void Unsound(const duckdb::string &path, const std::string &why) {
    Throw(Fail(Condition::FAILED_READ_FILE,
               "{} is no sound Parquet file: {}. Restore it, or the table to a version without it.", path, why));
}

//! The bytes of a footer, for DuckDB's Thrift reader.
class FooterBytes : public thrift::transport::TVirtualTransport<FooterBytes> {
public:
    FooterBytes(const uint8_t *data, size_t size) : data_(data), left_(size) {}

    uint32_t read(uint8_t *buffer, uint32_t length) {
        if (length > left_) {
            throw thrift::transport::TTransportException("its footer ends too soon");
        }
        std::memcpy(buffer, data_, length);
        data_ += length;
        left_ -= length;
        return length;
    }

private:
    const uint8_t *data_;
    size_t left_;
};

duckdb::unique_ptr<duckdb_parquet::FileMetaData> ParseFooter(const uint8_t *data, uint32_t size,
                                                             const duckdb::string &path) {
    // The elements of its long lists are structs, of two bytes at the least.
    const auto bound = static_cast<int32_t>(std::min<uint32_t>(size, INT32_MAX));
    thrift::protocol::TCompactProtocolT<FooterBytes> protocol(std::make_shared<FooterBytes>(data, size), bound,
                                                              bound / 2 + 1);
    auto footer = duckdb::make_uniq<duckdb_parquet::FileMetaData>();
    try {
        footer->read(&protocol);
    } catch (const thrift::TException &exception) {
        Unsound(path, exception.what());
    }
    return footer;
}

//! Counts the leaves of the schema, which lists its nodes depth first, each with the number of its children.
size_t CountLeaves(const duckdb_parquet::FileMetaData &footer, const duckdb::string &path) {
    std::vector<int32_t> open = {1};  // children still to come, of the root and what is below it
    size_t leaves = 0;
    for (const auto &node : footer.schema) {
        if (open.empty() || open.size() > kDeepest) {
            Unsound(path, open.empty() ? "its schema has nodes without a parent" : "its schema is nested too deep");
        }
        --open.back();
        const bool leaf = node.__isset.type && node.num_children <= 0;
        leaves += leaf;
        if (!leaf) {
            open.push_back(node.num_children);
        }
        while (!open.empty() && open.back() <= 0) {
            open.pop_back();
        }
    }
    if (!open.empty()) {
        Unsound(path, "its schema lacks nodes");
    }
    return leaves;
}

//! A footer that contradicts itself would make DuckDB read beyond its own arrays.
void CheckFooter(const duckdb_parquet::FileMetaData &footer, const duckdb::string &path) {
    const auto leaves = CountLeaves(footer, path);
    int64_t rows = 0;
    for (const auto &group : footer.row_groups) {
        if (group.num_rows < 0 || group.num_rows > INT64_MAX - rows || group.columns.size() != leaves) {
            Unsound(path, "its row groups do not agree with its schema");
        }
        rows += group.num_rows;
        for (const auto &column : group.columns) {
            if (column.__isset.crypto_metadata) {
                Unsound(path, "it is encrypted");
            }
        }
    }
    if (rows != footer.num_rows) {
        Unsound(path, fmt::format("it says {} rows, its row groups {}", footer.num_rows, rows));
    }
}

//! DuckDB asks a Bloom filter for the bits of a number. A zero has two signs and NaN many forms: row groups that hold
//! an equal number would be skipped.
void ForgetBloomFiltersOfReals(duckdb_parquet::FileMetaData &footer) {
    for (auto &group : footer.row_groups) {
        for (auto &column : group.columns) {
            const auto type = column.meta_data.type;
            if (type == duckdb_parquet::Type::FLOAT || type == duckdb_parquet::Type::DOUBLE) {
                column.meta_data.__isset.bloom_filter_offset = false;
            }
        }
    }
}

duckdb::shared_ptr<duckdb::ParquetFileMetadataCache> ReadFooter(duckdb::ClientContext &context,
                                                                const duckdb::OpenFileInfo &file) {
    auto files = duckdb::CachingFileSystem::Get(context);
    const auto handle = files.OpenFile(context, file, duckdb::FileFlags::FILE_FLAGS_READ);
    const auto file_size = handle->GetFileSize();
    if (file_size < kTail + 4) {
        Unsound(file.path, "it is too short");
    }
    auto size = std::min(file_size, kFirstRead);
    duckdb::data_ptr_t data = nullptr;
    auto pin = handle->Read(data, size, file_size - size);
    const auto *tail = data + size - kTail;
    if (std::memcmp(tail + 4, "PAR1", 4) != 0) {
        Unsound(file.path, std::memcmp(tail + 4, "PARE", 4) == 0 ? "it is encrypted" : "it does not end with PAR1");
    }
    const auto length = duckdb::Load<uint32_t>(tail);
    if (length == 0 || file_size - kTail - 4 < length) {
        Unsound(file.path, fmt::format("it says that its footer has {} bytes", length));
    }
    if (length + kTail > size) {
        size = length + kTail;
        pin = handle->Read(data, size, file_size - size);
    }
    auto footer = ParseFooter(data + size - kTail - length, length, file.path);
    CheckFooter(*footer, file.path);
    ForgetBloomFiltersOfReals(*footer);
    return duckdb::make_shared_ptr<duckdb::ParquetFileMetadataCache>(
        std::move(footer), *handle, nullptr, duckdb::make_uniq<duckdb_parquet::FileCryptoMetaData>(), length);
}

}  // namespace

duckdb::ParquetOptions ParquetOptionsOf() {
    duckdb::ParquetOptions options;
    options.can_have_nan = true;
    return options;
}

duckdb::shared_ptr<duckdb::ParquetReader> OpenParquet(duckdb::ClientContext &context, const duckdb::OpenFileInfo &file,
                                                      duckdb::ParquetOptions options) {
    try {
        return duckdb::make_shared_ptr<duckdb::ParquetReader>(context, file, std::move(options),
                                                              ReadFooter(context, file));
    } catch (const duckdb::Exception &) {
        if (!duckdb::FileSystem::GetFileSystem(context).FileExists(file.path)) {
            Throw(Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "{} was not found: it does not exist.", file.path));
        }
        RethrowDamage(file.path);
    } catch (...) {
        RethrowDamage(file.path);
    }
}

void RethrowDamage(const duckdb::string &file) {
    std::string why;
    try {
        throw;
    } catch (const duckdb::Exception &exception) {
        const duckdb::ErrorData data(exception);
        if (data.Type() != duckdb::ExceptionType::INTERNAL && data.Type() != duckdb::ExceptionType::FATAL) {
            throw;
        }
        why = data.RawMessage();
    } catch (const std::bad_alloc &) {
        RethrowOrdinary();
    } catch (const std::exception &exception) {
        why = exception.what();
    } catch (...) {
        RethrowOrdinary();
    }
    Unsound(file, why);
}

Error DamageFromException(const duckdb::string &file) {
    try {
        RethrowDamage(file);
    } catch (...) {
        return ErrorFromException(Condition::FAILED_READ_FILE);
    }
}

}  // namespace birdfoot::duck
