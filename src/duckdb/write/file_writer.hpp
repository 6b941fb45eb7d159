// FileWriter: the one writer of data files, for INSERT, CTAS, UPDATE, MERGE, rewrites and change data: our own statistics,
// Spark's names and folders, row groups and target size, on DuckDB's ParquetWriter. Thread-safe through its Locals.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/log/actions.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/txn/pending_files.hpp"

namespace birdfoot::duck {

//! What is written where.
struct WriteTarget {
    std::string root;
    Metadata metadata;  // partition columns, properties (statistics, target size, codec, random prefixes)
    StructType schema;  // logical, in the order of the chunks' columns; partition columns included
    ColumnMappingMode mapping = ColumnMappingMode::kNone;
    uint64_t target_file_bytes = 128ull << 20;
    bool change_data = false;  // below _change_data/, with _change_type as the chunks' last column
};

struct WrittenFile {
    std::string path;  // as in the log: relative, percent-encoded
    PartitionValues partition_values;
    uint64_t size = 0;
    int64_t modification_time = 0;
    int64_t rows = 0;
    std::string stats;  // JSON
};

class FileWriter {
public:
    //! `files` is told of every file before its first byte; it outlives the writer.
    FileWriter(duckdb::ClientContext &context, WriteTarget target, PendingFiles &files);
    ~FileWriter();

    //! One a thread.
    class Local {
    public:
        virtual ~Local() = default;
    };
    duckdb::unique_ptr<Local> MakeLocal();
    //! `chunk` has the schema's columns, of exactly the types TypeOf(column) gives. Checks NOT NULL (nested too),
    //! char/varchar lengths; throws with the column's name.
    void Write(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk);
    void Combine(duckdb::ClientContext &context, Local &local);
    //! Closes all files; call once, after every Combine.
    std::vector<WrittenFile> Finish(duckdb::ClientContext &context);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

AddFile ToAddFile(WrittenFile file, bool data_change);

}  // namespace birdfoot::duck
