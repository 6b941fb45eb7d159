// Opening a Parquet file with DuckDB's reader, for the port and for the scan: what has to be asked for each time, and
// the checks that DuckDB leaves out.
#pragma once

#include "duckdb.hpp"
#include "parquet_reader.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

//! Options that every reader of ours has: NaN may lie outside of the bounds in the footer, binary stays binary whatever
//! the session says.
duckdb::ParquetOptions ParquetOptionsOf();

//! Opens a file. BIRDFOOT_OBJECT_NOT_FOUND (thrown) if it is not there.
duckdb::shared_ptr<duckdb::ParquetReader> OpenParquet(duckdb::ClientContext &context, const duckdb::OpenFileInfo &file,
                                                      duckdb::ParquetOptions options = ParquetOptionsOf());

//! Inside a catch block, while `file` is being read: what is no ordinary exception is the file's fault, for DuckDB's
//! reader meets damaged bytes with any of them, and leaves as FAILED_READ_FILE.
[[noreturn]] void RethrowDamage(const duckdb::string &file);
Error DamageFromException(const duckdb::string &file);  // the same as an Error

}  // namespace birdfoot::duck
