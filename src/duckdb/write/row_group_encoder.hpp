// RowGroupEncoder: rows become the pages of a row group, through DuckDB's column writers. It does what ParquetWriter's
// PrepareRowGroup does, but remembers which columns had too many values for a dictionary: DuckDB tries each anew in
// every row group, at a third of the time that the whole takes.
#pragma once

#include "parquet_writer.hpp"

#include "duckdb/write/parquet_file.hpp"

namespace birdfoot::duck {

class RowGroupEncoder {
public:
    //! Of the layout's columns, for `writer`; both outlive it.
    RowGroupEncoder(duckdb::ClientContext &context, duckdb::ParquetWriter &writer, const ParquetLayout &layout,
                    DictionaryUse &dictionaries);

    //! Several threads may encode. The result is written by the columns' FinalizeWrite, or by the writer.
    void Encode(duckdb::ColumnDataCollection &rows, duckdb::PreparedRowGroup &result);
    duckdb::ColumnWriter &column(size_t position) { return *columns_[position]; }
    //! Of the column, in the schema of the file.
    const std::vector<duckdb_parquet::SchemaElement> &elements(size_t position) const { return elements_[position]; }
    size_t leaves(size_t position) const;

private:
    duckdb::unique_ptr<duckdb::ColumnWriterState> EncodeColumn(size_t position, duckdb::ColumnDataCollection &rows,
                                                               duckdb_parquet::RowGroup &group);

    DictionaryUse &dictionaries_;
    std::vector<duckdb::unique_ptr<duckdb::ColumnWriter>> columns_;
    std::vector<std::vector<duckdb_parquet::SchemaElement>> elements_;
};

}  // namespace birdfoot::duck
