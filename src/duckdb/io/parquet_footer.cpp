// Opening a Parquet file with DuckDB's reader.
#include "duckdb/io/parquet_footer.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

//! A footer that contradicts itself would make DuckDB read beyond its own arrays.
void CheckFooter(const duckdb_parquet::FileMetaData &footer, const duckdb::string &path) {
    int64_t rows = 0;
    for (const auto &group : footer.row_groups) {
        if (group.num_rows < 0 || group.columns.size() != footer.row_groups[0].columns.size()) {
            Throw(Fail(Condition::FAILED_READ_FILE, "{} is no sound Parquet file: its row groups do not agree.", path));
        }
        rows += group.num_rows;
    }
    if (rows != footer.num_rows) {
        Throw(Fail(Condition::FAILED_READ_FILE, "{} is no sound Parquet file: it says {} rows, its row groups {}.",
                   path, footer.num_rows, rows));
    }
}

}  // namespace

duckdb::ParquetOptions ParquetOptionsOf() {
    duckdb::ParquetOptions options;
    options.can_have_nan = true;
    return options;
}

duckdb::shared_ptr<duckdb::ParquetReader> OpenParquet(duckdb::ClientContext &context, const duckdb::OpenFileInfo &file,
                                                      duckdb::ParquetOptions options) {
    duckdb::shared_ptr<duckdb::ParquetReader> reader;
    try {
        reader = duckdb::make_shared_ptr<duckdb::ParquetReader>(context, file, std::move(options));
    } catch (const duckdb::Exception &) {
        if (!duckdb::FileSystem::GetFileSystem(context).FileExists(file.path)) {
            Throw(Fail(Condition::BIRDFOOT_OBJECT_NOT_FOUND, "{} was not found: it does not exist.", file.path));
        }
        throw;
    }
    CheckFooter(*reader->GetFileMetadata(), file.path);
    return reader;
}

}  // namespace birdfoot::duck
