// SplicedFile: a data file that is another one but for some of its columns. Those are encoded anew; of the others the
// pages are copied as they are, row group for row group, so that nobody decodes and encodes what does not change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"

#include "duckdb/write/parquet_file.hpp"

namespace birdfoot::duck {

class SpliceSource {
public:
    //! The file at `path`, of which the columns `replaced` are to be others. Null where one of them is not in it as a
    //! writer of today names it, or where its pages cannot be copied as they are: they are counted, since a file may
    //! say of itself what is not so. PROTOCOL.md, "Writer Requirements for Column Mapping": columns must have their
    //! ids in the new file, so they must have them in this one.
    static std::unique_ptr<SpliceSource> Open(duckdb::ClientContext &context, const std::string &path,
                                              const std::vector<StructField> &replaced, ColumnMappingMode mapping);
    ~SpliceSource();

    //! How many rows each row group has: never 0.
    std::vector<uint64_t> RowGroups() const;
    //! The part of the file's bytes, from 0 to 1, that is copied.
    double CopiedPart() const;

private:
    friend class SplicedFile;
    struct Impl;
    explicit SpliceSource(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

class SplicedFile {
public:
    //! Creates the file; its folder must exist. `layout` has the columns that `source` was opened for, in that order.
    SplicedFile(duckdb::ClientContext &context, const SpliceSource &source, const std::string &path,
                const ParquetLayout &layout, DictionaryUse &dictionaries);
    ~SplicedFile();

    //! The new columns of one of the source's row groups, all of its rows in their order. Several threads may call it,
    //! once for each group, in any order: groups wait for those before them, encoded.
    void WriteRowGroup(size_t group, duckdb::ColumnDataCollection &rows);
    //! Writes the footer and closes the file.
    void Close();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace birdfoot::duck
