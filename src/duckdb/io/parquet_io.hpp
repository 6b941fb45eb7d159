// The Parquet port on DuckDB's own reader and writer, without SQL: an InternalException that hostile bytes cause inside
// a query would close the user's database, while here it is caught and becomes an Error.
#pragma once

#include <memory>

#include "duckdb.hpp"

#include "core/io/parquet_io.hpp"

namespace birdfoot::duck {

class DuckParquetIo : public ParquetIo {
public:
    //! Lives in the database's own cache, so it must not keep the database alive.
    explicit DuckParquetIo(duckdb::weak_ptr<duckdb::DatabaseInstance> database) : database_(std::move(database)) {}

    Status Read(const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
                const Call &call) override;
    Result<ParquetFooter> ReadFooter(const std::string &file, const Call &call) override;
    Result<uint64_t> Write(const std::string &file, const std::vector<ColumnType> &schema,
                           const std::function<Result<std::optional<std::vector<ColumnVector>>>()> &next,
                           const Call &call) override;

private:
    //! Runs `body` with the context of a connection of its own, in a transaction; whatever it throws becomes an Error.
    Status WithContext(const std::function<Status(duckdb::ClientContext &)> &body);

    duckdb::weak_ptr<duckdb::DatabaseInstance> database_;
};

}  // namespace birdfoot::duck
