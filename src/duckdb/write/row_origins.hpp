// RowOrigins: where the rows of a transaction's files come from: from which row of which file of the snapshot, and
// whether they were changed on the way. With it the change data of several statements is their net effect: a row that
// was made and changed is one insert, a row changed twice one update, a row made and deleted nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "duckdb.hpp"

namespace birdfoot::duck {

//! The origin of a row as a number, as it runs through a FileWriter beside the row: kNewRow; or the row's number (32
//! bits), its file's (31 bits) and whether it was changed.
using RowOrigin = uint64_t;
inline constexpr RowOrigin kNewRow = UINT64_MAX;

constexpr bool IsChanged(RowOrigin origin) { return (origin >> 63) != 0; }
//! The same row with other values.
constexpr RowOrigin Changed(RowOrigin origin) { return origin | (uint64_t{1} << 63); }

//! The origins of a file's rows, in the file's order. Copied rows come in long runs.
class FileOrigins {
public:
    void Append(RowOrigin origin);
    RowOrigin Of(uint64_t row) const;
    uint64_t rows() const { return rows_; }
    //! Whether a row is another than new.
    bool HasOldRows() const { return old_; }

private:
    struct Run {
        uint64_t first = 0;
        RowOrigin origin = kNewRow;  // of the first row; those behind it count on
    };
    std::vector<Run> runs_;
    uint64_t rows_ = 0;
    bool old_ = false;
};

class RowOrigins {
public:
    //! A file that a statement reads rows from. Valid while the file is part of the transaction.
    class Source {
    public:
        RowOrigin Of(uint64_t row) const;

    private:
        friend class RowOrigins;
        Source(const FileOrigins *written, uint64_t file) : written_(written), file_(file) {}
        const FileOrigins *written_;  // null: a file of the snapshot
        uint64_t file_;
    };
    //! Paths are as in the log.
    Source SourceOf(const std::string &path);

    //! A file that the transaction has written; without origins all its rows are new.
    void Add(const std::string &path, FileOrigins origins) { written_[path] = std::move(origins); }
    void Forget(const std::string &path) { written_.erase(path); }
    //! Null if the transaction has not written the file.
    const FileOrigins *Find(const std::string &path) const;
    //! The file of an origin other than kNewRow, and the row in it.
    const std::string &PathOf(RowOrigin origin) const;
    static uint64_t RowOf(RowOrigin origin) { return origin & UINT32_MAX; }

private:
    std::map<std::string, FileOrigins> written_;
    std::map<std::string, uint64_t> numbers_;  // of files of the snapshot
    std::vector<std::string> paths_;
};

//! The origins of a chunk's rows, by two of its columns: the file's id and the row's number.
duckdb::Vector OriginsOf(duckdb::DataChunk &rows, duckdb::idx_t file_column, duckdb::idx_t row_column,
                         const std::function<RowOrigins::Source(uint64_t)> &source_of);

}  // namespace birdfoot::duck
