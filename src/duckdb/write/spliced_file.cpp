// The Parquet side of a splice. Row groups keep their order, and their chunks lie one behind the other in the order of
// the schema: readers that share a file between tasks find a row group by its first column.
#include "duckdb/write/spliced_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

#include "thrift/protocol/TCompactProtocol.h"
#include "thrift/transport/TVirtualTransport.h"

#include "duckdb/io/parquet_footer.hpp"
#include "duckdb/scan/legacy_calendar.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/row_group_encoder.hpp"

namespace birdfoot::duck {

namespace {

namespace thrift = duckdb_apache::thrift;
using duckdb_parquet::ColumnChunk;
using duckdb_parquet::PageType;

//! A column of the table: a node below the root of the file's schema, with all that is below it.
struct RootColumn {
    std::string name;
    size_t element = 0, elements = 0;  // in the schema
    size_t leaf = 0, leaves = 0;       // in each row group
    std::optional<size_t> replaced;    // by the column at this position of the layout
};

std::vector<RootColumn> RootColumnsOf(const duckdb_parquet::FileMetaData &footer) {
    std::vector<RootColumn> columns;
    size_t leaf = 0;
    for (size_t i = 1; i < footer.schema.size();) {
        RootColumn column{footer.schema[i].name, i, 0, leaf, 0, {}};
        for (int64_t open = 1; open > 0; i++) {
            const auto children = std::max(footer.schema[i].num_children, 0);
            open += children - 1;
            leaf += children == 0;
        }
        column.elements = i - column.element;
        column.leaves = leaf - column.leaf;
        columns.push_back(std::move(column));
    }
    return columns;
}

int64_t StartOf(const duckdb_parquet::ColumnMetaData &column) {
    const bool dictionary = column.__isset.dictionary_page_offset && column.dictionary_page_offset > 0;
    return dictionary ? std::min(column.dictionary_page_offset, column.data_page_offset) : column.data_page_offset;
}

//! The bytes of a column chunk, for DuckDB's Thrift reader.
class ChunkBytes : public thrift::transport::TVirtualTransport<ChunkBytes> {
public:
    ChunkBytes(duckdb::FileHandle &file, int64_t start, int64_t end) : file_(file), position_(start), end_(end) {}

    uint32_t read(uint8_t *buffer, uint32_t length) {
        if (length > end_ - position_) {
            throw thrift::transport::TTransportException("the chunk ends too soon");
        }
        if (position_ < window_ || position_ + length > window_ + static_cast<int64_t>(held_)) {
            window_ = position_;
            held_ = static_cast<size_t>(std::min<int64_t>(kWindow, end_ - position_));
            if (length > held_) {
                throw thrift::transport::TTransportException("the header is too long");
            }
            file_.Read(bytes_.data(), held_, static_cast<duckdb::idx_t>(window_));
        }
        std::memcpy(buffer, bytes_.data() + (position_ - window_), length);
        position_ += length;
        return length;
    }
    void Skip(int64_t length) {
        if (length < 0 || length > end_ - position_) {
            throw thrift::transport::TTransportException("the page ends too late");
        }
        position_ += length;
    }
    bool AtEnd() const { return position_ == end_; }

private:
    static constexpr int64_t kWindow = 4096;
    duckdb::FileHandle &file_;
    int64_t position_;
    const int64_t end_;
    std::array<uint8_t, kWindow> bytes_{};
    int64_t window_ = 0;
    size_t held_ = 0;
};

//! Whether the chunk's pages fill it, and have as many values as it says.
bool IsWhole(duckdb::FileHandle &file, const duckdb_parquet::ColumnMetaData &column) {
    const auto start = StartOf(column);
    auto bytes = std::make_shared<ChunkBytes>(file, start, start + column.total_compressed_size);
    thrift::protocol::TCompactProtocolT<ChunkBytes> protocol(bytes, 1 << 20, 1 << 16);
    int64_t values = 0;
    try {
        while (!bytes->AtEnd()) {
            duckdb_parquet::PageHeader page;
            page.read(&protocol);
            bytes->Skip(page.compressed_page_size);
            values += page.type == PageType::DATA_PAGE      ? page.data_page_header.num_values
                      : page.type == PageType::DATA_PAGE_V2 ? page.data_page_header_v2.num_values
                                                            : 0;
        }
    } catch (const thrift::TException &) {
        return false;
    }
    return values == column.num_values;
}

bool CanCopy(duckdb::FileHandle &file, const ColumnChunk &chunk, int64_t file_size) {
    const auto &column = chunk.meta_data;
    const auto start = StartOf(column);
    return chunk.__isset.meta_data && !chunk.__isset.file_path && start >= 4 && column.total_compressed_size > 0 &&
           column.total_compressed_size <= file_size - start && IsWhole(file, column);
}

}  // namespace

struct SpliceSource::Impl {
    std::string path;
    duckdb_parquet::FileMetaData footer;
    std::vector<RootColumn> columns;
    int64_t copied_bytes = 0, bytes = 0;

    //! Says which of the columns are replaced. False where they are not all there, or where names and ids leave a
    //! doubt.
    bool SetReplaced(const std::vector<StructField> &replaced, ColumnMappingMode mapping);
};

bool SpliceSource::Impl::SetReplaced(const std::vector<StructField> &replaced, ColumnMappingMode mapping) {
    std::map<std::string, RootColumn *> by_name;
    std::set<int32_t> ids;
    for (auto &column : columns) {
        const auto &element = footer.schema[column.element];
        const bool one_name = by_name.emplace(column.name, &column).second;
        const bool has_id = element.__isset.field_id && ids.insert(element.field_id).second;
        if (!one_name || (mapping != ColumnMappingMode::kNone && !has_id)) {
            return false;
        }
    }
    for (size_t i = 0; i < replaced.size(); i++) {
        const auto found = by_name.find(PhysicalName(replaced[i], mapping));
        if (found == by_name.end()) {
            return false;
        }
        const auto id = mapping == ColumnMappingMode::kNone ? std::nullopt : FieldId(replaced[i]);
        if (id && footer.schema[found->second->element].field_id != *id) {
            return false;
        }
        found->second->replaced = i;
    }
    return true;
}

SpliceSource::SpliceSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SpliceSource::~SpliceSource() = default;

std::unique_ptr<SpliceSource> SpliceSource::Open(duckdb::ClientContext &context, const std::string &path,
                                                 const std::vector<StructField> &replaced, ColumnMappingMode mapping) {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->footer = *OpenParquet(context, duckdb::OpenFileInfo(path))->GetFileMetadata();
    const auto calendar = LegacyCalendar::Of(impl->footer);
    if (calendar.datetime || calendar.int96) {
        return nullptr;  // the file would no longer say so, or say it of new values too
    }
    impl->columns = RootColumnsOf(impl->footer);
    if (!impl->SetReplaced(replaced, mapping)) {
        return nullptr;
    }
    auto file = duckdb::FileSystem::GetFileSystem(context).OpenFile(path, duckdb::FileFlags::FILE_FLAGS_READ);
    const auto file_size = static_cast<int64_t>(file->GetFileSize());
    for (const auto &group : impl->footer.row_groups) {
        if (group.num_rows == 0) {
            return nullptr;
        }
        for (const auto &column : impl->columns) {
            for (size_t leaf = column.leaf; leaf < column.leaf + column.leaves; leaf++) {
                const auto &chunk = group.columns[leaf];
                impl->bytes += chunk.meta_data.total_compressed_size;
                if (!column.replaced) {
                    if (!CanCopy(*file, chunk, file_size)) {
                        return nullptr;
                    }
                    impl->copied_bytes += chunk.meta_data.total_compressed_size;
                }
            }
        }
    }
    return std::unique_ptr<SpliceSource>(new SpliceSource(std::move(impl)));
}

std::vector<uint64_t> SpliceSource::RowGroups() const {
    std::vector<uint64_t> rows;
    for (const auto &group : impl_->footer.row_groups) {
        rows.push_back(static_cast<uint64_t>(group.num_rows));
    }
    return rows;
}

double SpliceSource::CopiedPart() const {
    return impl_->bytes > 0 ? static_cast<double>(impl_->copied_bytes) / static_cast<double>(impl_->bytes) : 0;
}

struct SplicedFile::Impl {
    Impl(duckdb::ClientContext &context, const SpliceSource::Impl &source, const std::string &path,
         const ParquetLayout &layout, DictionaryUse &dictionaries);

    //! Writes the next row group.
    void WriteNext(duckdb::PreparedRowGroup &encoded);
    //! Copies the chunk's bytes to the end of the file.
    ColumnChunk Copy(const ColumnChunk &chunk);
    int64_t Position() { return static_cast<int64_t>(writer->GetWriter().GetTotalWritten()); }

    const SpliceSource::Impl &source;
    duckdb::unique_ptr<duckdb::FileHandle> source_file;
    std::unique_ptr<duckdb::ParquetWriter> writer;  // the file; what is to be a row group of it is decided here
    RowGroupEncoder encoder;
    std::vector<size_t> first_leaves;  // of each new column, among the leaves of them all
    std::mutex mutex;                  // of the file and what is below
    duckdb_parquet::FileMetaData footer;
    std::map<size_t, std::unique_ptr<duckdb::PreparedRowGroup>> waiting;  // for row groups before them
    std::vector<uint8_t> buffer;
};

SplicedFile::Impl::Impl(duckdb::ClientContext &context, const SpliceSource::Impl &source_p, const std::string &path,
                        const ParquetLayout &layout, DictionaryUse &dictionaries)
    : source(source_p),
      source_file(duckdb::FileSystem::GetFileSystem(context).OpenFile(source.path, duckdb::FileFlags::FILE_FLAGS_READ)),
      writer(MakeParquetWriter(context, path, layout)),
      encoder(context, *writer, layout, dictionaries) {
    size_t leaf = 0;
    for (size_t i = 0; i < layout.names.size(); i++) {
        first_leaves.push_back(leaf);
        leaf += encoder.leaves(i);
    }
}

ColumnChunk SplicedFile::Impl::Copy(const ColumnChunk &chunk) {
    constexpr int64_t kStep = 1 << 20;
    const auto start = StartOf(chunk.meta_data);
    const auto shift = Position() - start;
    const auto end = start + chunk.meta_data.total_compressed_size;
    for (auto from = start; from < end; from += kStep) {
        buffer.resize(static_cast<size_t>(std::min(kStep, end - from)));
        source_file->Read(buffer.data(), buffer.size(), static_cast<duckdb::idx_t>(from));
        writer->GetWriter().WriteData(buffer.data(), buffer.size());
    }
    ColumnChunk copy;
    copy.__set_meta_data(chunk.meta_data);
    auto &column = copy.meta_data;
    column.data_page_offset += shift;
    if (start == chunk.meta_data.data_page_offset) {
        column.__isset.dictionary_page_offset = false;
    } else {
        column.dictionary_page_offset += shift;
    }
    column.__isset.index_page_offset = false;  // what lies outside of the chunk stays behind
    column.__isset.bloom_filter_offset = false;
    column.__isset.bloom_filter_length = false;
    // The bounds of old, which each writer ordered as it liked: who reads them asks who wrote the file.
    column.statistics.__isset.min = false;
    column.statistics.__isset.max = false;
    return copy;
}

SplicedFile::SplicedFile(duckdb::ClientContext &context, const SpliceSource &source, const std::string &path,
                         const ParquetLayout &layout, DictionaryUse &dictionaries)
    : impl_(std::make_unique<Impl>(context, *source.impl_, path, layout, dictionaries)) {}

SplicedFile::~SplicedFile() = default;

void SplicedFile::Impl::WriteNext(duckdb::PreparedRowGroup &encoded) {
    const auto &old = source.footer.row_groups[footer.row_groups.size()];
    duckdb_parquet::RowGroup group;
    group.num_rows = old.num_rows;
    group.__set_file_offset(Position());
    int64_t copied = 0;
    for (const auto &column : source.columns) {
        if (column.replaced) {
            const auto position = *column.replaced;
            encoder.column(position).FinalizeWrite(*encoded.states[position]);
            const auto first = encoded.row_group.columns.begin() + static_cast<std::ptrdiff_t>(first_leaves[position]);
            group.columns.insert(group.columns.end(), first,
                                 first + static_cast<std::ptrdiff_t>(encoder.leaves(position)));
            continue;
        }
        for (size_t leaf = column.leaf; leaf < column.leaf + column.leaves; leaf++) {
            group.columns.push_back(Copy(old.columns[leaf]));
            copied += old.columns[leaf].meta_data.total_uncompressed_size;
        }
    }
    group.total_byte_size = encoded.row_group.total_byte_size + copied;
    group.__set_total_compressed_size(Position() - group.file_offset);
    footer.num_rows += group.num_rows;
    footer.row_groups.push_back(std::move(group));
}

void SplicedFile::WriteRowGroup(size_t index, duckdb::ColumnDataCollection &rows) {
    auto encoded = std::make_unique<duckdb::PreparedRowGroup>();
    impl_->encoder.Encode(rows, *encoded);
    std::lock_guard lock(impl_->mutex);
    auto &waiting = impl_->waiting;
    waiting.emplace(index, std::move(encoded));
    while (!waiting.empty() && waiting.begin()->first == impl_->footer.row_groups.size()) {
        impl_->WriteNext(*waiting.begin()->second);
        waiting.erase(waiting.begin());
    }
}

void SplicedFile::Close() {
    const auto &source = impl_->source;
    auto &footer = impl_->footer;
    footer.version = source.footer.version;
    footer.schema.push_back(source.footer.schema[0]);
    for (const auto &column : source.columns) {
        const auto first = source.footer.schema.begin() + static_cast<std::ptrdiff_t>(column.element);
        if (column.replaced) {
            const auto &elements = impl_->encoder.elements(*column.replaced);
            footer.schema.insert(footer.schema.end(), elements.begin(), elements.end());
        } else {
            footer.schema.insert(footer.schema.end(), first, first + static_cast<std::ptrdiff_t>(column.elements));
        }
    }
    if (source.footer.__isset.column_orders) {
        duckdb_parquet::ColumnOrder order;
        order.__set_TYPE_ORDER(duckdb_parquet::TypeDefinedOrder());
        footer.__set_column_orders(
            duckdb::vector<duckdb_parquet::ColumnOrder>(footer.row_groups[0].columns.size(), order));
    }
    footer.__set_created_by("Birdfoot version " BIRDFOOT_VERSION " (build DuckDB " +
                            std::string(duckdb::DuckDB::LibraryVersion()) + ")");
    const auto size = impl_->writer->Write(footer);
    auto &file = impl_->writer->GetWriter();
    file.Write<uint32_t>(size);
    file.WriteData(duckdb::const_data_ptr_cast("PAR1"), 4);
    file.Close();
}

}  // namespace birdfoot::duck
