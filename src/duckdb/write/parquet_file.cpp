// The Parquet side of FileWriter (PROTOCOL.md, "Data Files" and "Column Mapping": physical names and field ids). V1
// pages, since every reader of Delta knows them. Shredded variants are not written.
#include "duckdb/write/parquet_file.hpp"

#include <array>
#include <limits>

#include "writer/primitive_column_writer.hpp"

#include "duckdb/translate/types.hpp"
#include "duckdb/write/row_group_encoder.hpp"

namespace birdfoot::duck {

namespace {

using duckdb_parquet::CompressionCodec;

struct Codec {
    std::string_view name;
    CompressionCodec::type codec;
    std::string_view extension;  // parquet-mr's
};
constexpr std::array<Codec, 9> kCodecs{{
    {"snappy", CompressionCodec::SNAPPY, ".snappy"},
    {"zstd", CompressionCodec::ZSTD, ".zstd"},
    {"gzip", CompressionCodec::GZIP, ".gz"},
    {"lz4_raw", CompressionCodec::LZ4_RAW, ".lz4raw"},
    {"lz4", CompressionCodec::LZ4_RAW, ".lz4raw"},
    {"brotli", CompressionCodec::BROTLI, ".br"},
    {"uncompressed", CompressionCodec::UNCOMPRESSED, ""},
    {"none", CompressionCodec::UNCOMPRESSED, ""},
    {"", CompressionCodec::SNAPPY, ".snappy"},
}};

const Codec *FindCodec(std::string_view name) {
    for (const auto &codec : kCodecs) {
        if (EqualsIgnoreCase(codec.name, name)) {
            return &codec;
        }
    }
    return nullptr;
}

duckdb::FieldID &AddId(duckdb::ChildFieldIDs &ids, const std::string &name, std::optional<int64_t> id) {
    auto field_id = id ? duckdb::FieldID(static_cast<int32_t>(*id)) : duckdb::FieldID();
    return ids.ids->emplace(name, std::move(field_id)).first->second;
}

void AddTypeIds(const DataType &type, ColumnMappingMode mapping, duckdb::ChildFieldIDs &ids) {
    switch (type.kind()) {
    case TypeKind::kStruct:
        for (const auto &field : type.struct_type().fields) {
            AddFieldIds(field, mapping, ids);
        }
        break;
    case TypeKind::kArray:  // elements, keys and values have no ids of their own in Delta
        AddTypeIds(type.array_type().element, mapping, AddId(ids, "element", {}).child_field_ids);
        break;
    case TypeKind::kMap:
        AddTypeIds(type.map_type().key, mapping, AddId(ids, "key", {}).child_field_ids);
        AddTypeIds(type.map_type().value, mapping, AddId(ids, "value", {}).child_field_ids);
        break;
    default: break;
    }
}

Result<duckdb::LogicalType> NestedTypeOf(const DataType &type, ColumnMappingMode mapping, const std::string &path) {
    switch (type.kind()) {
    case TypeKind::kVariant:
    case TypeKind::kVoid:
        return Fail(
            Condition::BIRDFOOT_UNSUPPORTED,
            "Column {} is a {} inside another type. Only a {} column of its own can be written. Use another type.",
            path, type.ToString(), type.ToString());
    case TypeKind::kStruct: {
        duckdb::child_list_t<duckdb::LogicalType> children;
        for (const auto &field : type.struct_type().fields) {
            BF_ASSIGN(auto child, NestedTypeOf(field.type, mapping, path + "." + field.name));
            children.emplace_back(PhysicalName(field, mapping), std::move(child));
        }
        return duckdb::LogicalType::STRUCT(std::move(children));
    }
    case TypeKind::kArray: {
        BF_ASSIGN(auto element, NestedTypeOf(type.array_type().element, mapping, path + ".element"));
        return duckdb::LogicalType::LIST(std::move(element));
    }
    case TypeKind::kMap: {
        BF_ASSIGN(auto key, NestedTypeOf(type.map_type().key, mapping, path + ".key"));
        BF_ASSIGN(auto value, NestedTypeOf(type.map_type().value, mapping, path + ".value"));
        return duckdb::LogicalType::MAP(std::move(key), std::move(value));
    }
    default: return TypeOf(type);
    }
}

}  // namespace

Result<duckdb::LogicalType> FileTypeOf(const DataType &type, ColumnMappingMode mapping, const std::string &path) {
    if (type.kind() == TypeKind::kVariant) {
        return duckdb::LogicalType::STRUCT(
            {{"metadata", duckdb::LogicalType::BLOB}, {"value", duckdb::LogicalType::BLOB}});
    }
    return NestedTypeOf(type, mapping, path);
}

void AddFieldIds(const StructField &field, ColumnMappingMode mapping, duckdb::ChildFieldIDs &ids) {
    if (mapping == ColumnMappingMode::kNone) {
        return;
    }
    AddTypeIds(field.type, mapping, AddId(ids, PhysicalName(field, mapping), FieldId(field)).child_field_ids);
}

Status SetCodec(const Metadata &metadata, ParquetLayout &layout) {
    auto property = metadata.configuration.find("delta.parquet.compression.codec");
    const auto *codec = FindCodec(property == metadata.configuration.end() ? "" : property->second);
    if (!codec) {
        return Fail(
            Condition::DELTA_INVALID_CONFIGURATION_VALUE,
            "The table property delta.parquet.compression.codec is '{}'. That is no codec of Parquet that can be "
            "written. Use snappy, zstd, gzip, lz4_raw, brotli or uncompressed.",
            property->second);
    }
    layout.codec = codec->name;
    layout.extension = std::string(codec->extension) + ".parquet";
    return {};
}

namespace {

//! The layout's types without that of the origins.
duckdb::vector<duckdb::LogicalType> FileTypes(const ParquetLayout &layout) {
    auto types = layout.types;
    if (layout.origins) {
        types.pop_back();
    }
    return types;
}

}  // namespace

std::unique_ptr<duckdb::ParquetWriter> MakeParquetWriter(duckdb::ClientContext &context, const std::string &path,
                                                         const ParquetLayout &layout) {
    constexpr int64_t kZstdLevel = 3;
    return std::make_unique<duckdb::ParquetWriter>(
        context, duckdb::FileSystem::GetFileSystem(context), path, FileTypes(layout), layout.names,
        FindCodec(layout.codec)->codec, layout.field_ids.Copy(), duckdb::ShreddingType(),
        duckdb::vector<std::pair<duckdb::string, duckdb::string>>(), nullptr, duckdb::optional_idx(),
        duckdb::PrimitiveColumnWriter::MAX_UNCOMPRESSED_DICT_PAGE_SIZE, true, 0.01, kZstdLevel,
        duckdb::ParquetVersion::V1, duckdb::GeoParquetVersion::NONE);
}

struct ParquetFile::Impl {
    Impl(duckdb::ClientContext &context, const std::string &path, const ParquetLayout &layout,
         DictionaryUse &dictionaries)
        : context(context),
          types(FileTypes(layout)),
          has_origins(layout.origins),
          writer(MakeParquetWriter(context, path, layout)),
          encoder(context, *writer, layout, dictionaries) {}

    //! Takes the last column off; its values are appended to `column`.
    duckdb::unique_ptr<duckdb::ColumnDataCollection> TakeOrigins(duckdb::ColumnDataCollection &rows,
                                                                 std::vector<RowOrigin> &column) const;

    duckdb::ClientContext &context;
    const duckdb::vector<duckdb::LogicalType> types;
    const bool has_origins;
    const std::unique_ptr<duckdb::ParquetWriter> writer;
    RowGroupEncoder encoder;
    std::mutex mutex;  // so that origins come in the order of the row groups
    FileOrigins origins;
};

duckdb::unique_ptr<duckdb::ColumnDataCollection> ParquetFile::Impl::TakeOrigins(duckdb::ColumnDataCollection &rows,
                                                                                std::vector<RowOrigin> &column) const {
    auto left = duckdb::make_uniq<duckdb::ColumnDataCollection>(context, types);
    duckdb::ColumnDataAppendState state;
    left->InitializeAppend(state);
    duckdb::DataChunk chunk;
    chunk.InitializeEmpty(types);
    for (auto &all : rows.Chunks()) {
        for (size_t i = 0; i < types.size(); i++) {
            chunk.data[i].Reference(all.data[i]);
        }
        chunk.SetCardinality(all.size());
        left->Append(state, chunk);
        const auto *values = duckdb::FlatVector::GetData<RowOrigin>(all.data.back());
        column.insert(column.end(), values, values + all.size());
    }
    return left;
}

ParquetFile::ParquetFile(duckdb::ClientContext &context, const std::string &path, const ParquetLayout &layout,
                         DictionaryUse &dictionaries)
    : impl_(std::make_unique<Impl>(context, path, layout, dictionaries)) {}

ParquetFile::~ParquetFile() = default;

void ParquetFile::WriteRowGroup(duckdb::ColumnDataCollection &rows) {
    duckdb::PreparedRowGroup group;
    if (!impl_->has_origins) {
        impl_->encoder.Encode(rows, group);
        rows.Reset();
        impl_->writer->FlushRowGroup(group);
        return;
    }
    std::vector<RowOrigin> origins;
    auto left = impl_->TakeOrigins(rows, origins);
    rows.Reset();
    impl_->encoder.Encode(*left, group);
    left->Reset();
    std::lock_guard lock(impl_->mutex);
    impl_->writer->FlushRowGroup(group);
    for (auto origin : origins) {
        impl_->origins.Append(origin);
    }
}

FileOrigins ParquetFile::TakeOrigins() { return std::move(impl_->origins); }

uint64_t ParquetFile::written() const { return impl_->writer->FileSize(); }

void ParquetFile::Close() { impl_->writer->Finalize(); }

}  // namespace birdfoot::duck
