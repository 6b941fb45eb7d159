// The contract's second implementation of ParquetIo: files whose columns stand in memory. A file is written through the
// port, or made from rows in JSON.
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "core/base/json.hpp"
#include "core/io/parquet_io.hpp"
#include "unit/support/map_store.hpp"

namespace birdfoot::test {

class FakeParquet : public ParquetIo {
public:
    struct File {
        std::vector<ColumnType> schema;
        std::vector<ColumnVector> columns;
        size_t rows = 0;
        std::deque<std::string> texts;  // what the columns' strings point to
    };

    //! Files appear in the store too, since core lists them there; a file that the store lacks is not found.
    explicit FakeParquet(std::shared_ptr<MapStore> store) : store_(std::move(store)) {}

    std::map<std::string, File> files;
    size_t batch_rows = 3;  // of a read
    int reads = 0, footers = 0;
    std::vector<std::string> paths_read;  // columns asked for, "add.path"

    Status Read(const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
                const Call &call) override;
    Result<ParquetFooter> ReadFooter(const std::string &file, const Call &call) override;
    Result<uint64_t> Write(const std::string &file, const std::vector<ColumnType> &schema,
                           const std::function<Result<std::optional<std::vector<ColumnVector>>>()> &next,
                           const Call &call) override;

    //! A file of these rows, one JSON object each; members that the schema lacks are left out.
    void SetRows(const std::string &file, const std::vector<ColumnType> &schema, const std::vector<std::string> &rows);
    //! The file without a column: {"add", "stats"}.
    void DropColumn(const std::string &file, const std::vector<std::string> &path);
    //! Rows as JSON objects without null members, for comparing.
    std::vector<std::string> Rows(const std::string &file) const;

private:
    Result<const File *> Find(const std::string &path) const;
    std::shared_ptr<MapStore> store_;
};

}  // namespace birdfoot::test
