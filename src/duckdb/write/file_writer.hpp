// FileWriter: the one writer of data files, for INSERT, CTAS, UPDATE, MERGE, rewrites and change data: our own
// statistics, Spark's names and folders, row groups and target size, on DuckDB's ParquetWriter. Thread-safe through its
// Locals.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/log/actions.hpp"
#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/txn/pending_files.hpp"
#include "duckdb/write/row_origins.hpp"

namespace birdfoot::duck {

//! What is written where.
struct WriteTarget {
    std::string root;
    Metadata metadata;  // partition columns, properties (statistics, target size, codec, random prefixes)
    StructType schema;  // logical, in the order of the chunks' columns; partition columns included
    ColumnMappingMode mapping = ColumnMappingMode::kNone;
    uint64_t target_file_bytes = 128ull << 20;
    bool change_data = false;  // below _change_data/, with _change_type as the chunks' last column
    bool row_ids = false;      // with row ids and commit versions as the chunks' two columns behind the schema's
    bool origins = false;      // with the rows' origins as the chunks' last column; it is not written
    bool materialize_partition_columns = false;  // the feature: partition columns are in the files too
    Protocol protocol;
    std::vector<size_t> computed;  // generated columns that a ColumnFiller has made
    bool tight_bounds = false;     // write "tightBounds":true, as tables with deletion vectors have it
};

struct WrittenFile {
    std::string path;  // as in the log: relative, percent-encoded
    PartitionValues partition_values;
    uint64_t size = 0;
    int64_t modification_time = 0;
    int64_t rows = 0;
    std::string stats;  // JSON; empty for change data
    FileOrigins origins;
};

class FileWriter {
public:
    //! `files` is told of every file before its first byte; it outlives the writer. Throws for what cannot be written.
    FileWriter(duckdb::ClientContext &context, WriteTarget target, PendingFiles &files);
    ~FileWriter();

    //! One a thread.
    class Local {
    public:
        virtual ~Local() = default;
    };
    duckdb::unique_ptr<Local> MakeLocal();
    //! `chunk` has the schema's columns, of exactly the types TypeOf(column) gives. Checks NOT NULL (nested too),
    //! char/varchar lengths and infinities, CHECK constraints, invariants and generated columns; throws with the
    //! column's name or the constraint's. May flatten the chunk's vectors.
    void Check(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk);
    //! Checks the rows and writes them.
    void Write(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk);
    void WriteChecked(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk);
    void Combine(duckdb::ClientContext &context, Local &local);
    //! After every Combine: writes one of the buffers that are left; false when there is none. Several threads may call
    //! it.
    bool FinishSome(duckdb::ClientContext &context);
    //! Writes what is left and closes all files; call once. In the order in which they were begun.
    std::vector<WrittenFile> Finish(duckdb::ClientContext &context);

    struct Impl;

private:
    std::unique_ptr<Impl> impl_;
};

AddFile ToAddFile(WrittenFile file, bool data_change);

}  // namespace birdfoot::duck
