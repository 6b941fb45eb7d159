// ParquetFile: one data file being written, on DuckDB's ParquetWriter.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "parquet_field_id.hpp"

#include "core/base/result.hpp"
#include "core/log/actions.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "duckdb/write/row_origins.hpp"

namespace duckdb {
class ParquetWriter;
}

namespace birdfoot::duck {

//! What the files of a table look like: columns in the file's order, under their physical names.
struct ParquetLayout {
    duckdb::vector<duckdb::LogicalType> types;
    duckdb::vector<std::string> names;
    duckdb::ChildFieldIDs field_ids;  // nested; none without column mapping
    std::string codec = "snappy";
    std::string extension;  // ".snappy.parquet"
    bool origins = false;   // the rows' last column is none of the file's, but where they come from
};

//! The type that a column has in a data file: physical names inside, a variant as struct<metadata, value>. Refuses a
//! variant or void inside another type, naming `path`.
Result<duckdb::LogicalType> FileTypeOf(const DataType &type, ColumnMappingMode mapping, const std::string &path);
void AddFieldIds(const StructField &field, ColumnMappingMode mapping, duckdb::ChildFieldIDs &ids);
//! Reads delta.parquet.compression.codec into the layout; DELTA_INVALID_CONFIGURATION_VALUE names what there is.
Status SetCodec(const Metadata &metadata, ParquetLayout &layout);

//! Whether the columns of the files of one write are worth a dictionary, as their last row groups tell. Thread-safe.
class DictionaryUse {
public:
    explicit DictionaryUse(const ParquetLayout &layout) : failed_(layout.names.size()) {}

    //! Whether to try, for the next row group, of so many rows.
    bool Try(size_t column, uint64_t rows);
    void Found(size_t column, uint64_t rows, bool dictionary);

private:
    struct Failed {
        int left = 0;       // row groups that are still to go without one
        uint64_t rows = 0;  // of the row group that had too many values
    };
    std::mutex mutex_;
    std::vector<Failed> failed_;
};

//! DuckDB's writer for a new file of that layout; its folder must exist. In this one place, since the writer's
//! constructor changes between DuckDB's versions.
std::unique_ptr<duckdb::ParquetWriter> MakeParquetWriter(duckdb::ClientContext &context, const std::string &path,
                                                         const ParquetLayout &layout);

class ParquetFile {
public:
    //! Creates the file; its folder must exist.
    ParquetFile(duckdb::ClientContext &context, const std::string &path, const ParquetLayout &layout,
                DictionaryUse &dictionaries);
    ~ParquetFile();

    //! Encodes and appends the rows; several threads may do so at once.
    void WriteRowGroup(duckdb::ColumnDataCollection &rows);
    //! Bytes written so far, without the footer.
    uint64_t written() const;
    //! Writes the footer and closes the file.
    void Close();
    //! Of the rows written, in the file's order; empty if the layout has none.
    FileOrigins TakeOrigins();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace birdfoot::duck
