// ParquetIo: the port to Parquet. It knows Parquet, not Delta: core passes the names and types of a checkpoint in. Used
// for checkpoints and sidecars only; table data is read and written by the engine itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/call.hpp"

namespace birdfoot {

//! What a column holds, as core sees it. Integers of any width arrive as kInt64.
enum class ColumnKind : uint8_t {
    kBool,       // ints: 0 / 1
    kInt64,      // ints
    kDouble,     // doubles (FLOAT widened)
    kString,     // strings: UTF-8 or any bytes
    kDate,       // ints: days since 1970-01-01
    kTimestamp,  // ints: microseconds since the epoch, with or without zone; an INT64 without logical type too
    kDecimal,    // strings: the exact text, e.g. "-12.30"
    kStruct,     // children
    kMap,        // offsets; children[0] keys, children[1] values
    kList,       // offsets; children[0] elements
};

//! A column of rows, read or to be written. Only the vectors of its kind are filled; `valid` has one byte a row.
struct ColumnVector {
    ColumnKind kind = ColumnKind::kString;
    std::vector<uint8_t> valid;
    std::vector<int64_t> ints;
    std::vector<double> doubles;
    std::vector<std::string_view> strings;  // read: valid during the call; write: the caller keeps the bytes alive
    std::vector<uint32_t> offsets;          // rows + 1 entries
    std::vector<ColumnVector> children;     // fields of a struct; entries of a map or list, not rows

    bool is_null(size_t row) const { return !valid[row]; }
    size_t size() const { return valid.size(); }
};

//! The type of a column to read (`path` names a leaf, map or list from the root) or to write.
struct ColumnType {
    std::string name;
    ColumnKind kind = ColumnKind::kString;
    bool int32 = false;     // written as INT32 instead of INT64
    bool float32 = false;   // written as FLOAT
    bool binary = false;    // kString without the UTF-8 mark
    bool ntz = false;       // kTimestamp without zone
    uint8_t precision = 0;  // kDecimal
    uint8_t scale = 0;      // kDecimal
    std::vector<ColumnType> children{};
};

struct ColumnRequest {
    std::vector<std::string> path;  // {"add", "path"}
    ColumnKind kind;                // kMap: map<string, string>; kList: list<string>
};

struct ReadRequest {
    std::vector<std::string> files;                      // full paths, read in any order
    std::vector<ColumnRequest> columns;                  // a column that a file lacks arrives as all NULL
    std::vector<std::vector<std::string>> any_not_null;  // keep rows where one of these paths is not null; empty: all
    bool row_numbers = false;                            // fill Batch::file / Batch::row
    //! Only these rows of files[0] (sorted, from an earlier read's row numbers); empty: all.
    std::optional<std::vector<int64_t>> only_rows;
};

struct ReadBatch {
    size_t rows = 0;
    std::vector<ColumnVector> columns;  // in the order of the request
    std::vector<int64_t> row;           // physical row number within its file, if asked for
    std::vector<uint32_t> file;         // index into ReadRequest::files, if asked for
};

//! A node of a file's schema. Lists and maps show the logical children only (element; key, value).
struct ParquetField {
    std::string name;
    ColumnKind kind = ColumnKind::kString;
    std::string type;  // DuckDB's or Parquet's own name for it, for messages
    uint8_t precision = 0;
    uint8_t scale = 0;
    bool ntz = false;     // kTimestamp: marked as not adjusted to UTC
    bool binary = false;  // kString: without the UTF-8 mark
    std::vector<ParquetField> children;
};

struct ParquetFooter {
    int64_t rows = 0;
    std::vector<ParquetField> fields;
};

class ParquetIo {
public:
    virtual ~ParquetIo() = default;

    //! Calls `visit` with batches, one at a time; what a batch points to is valid during the call. Stops at its error.
    //! BIRDFOOT_OBJECT_NOT_FOUND for a missing file, FAILED_READ_FILE for bytes that are not Parquet or a column of
    //! another type than asked for.
    virtual Status Read(const ReadRequest &request, const std::function<Status(const ReadBatch &)> &visit,
                        const Call &call) = 0;
    virtual Result<ParquetFooter> ReadFooter(const std::string &file, const Call &call) = 0;
    //! Writes one file (atomically: it is there whole or not at all), taking batches from `next` until it gives none.
    //! Every field is optional; zero batches make a file without rows. Returns its size in bytes.
    virtual Result<uint64_t> Write(const std::string &file, const std::vector<ColumnType> &schema,
                                   const std::function<Result<std::optional<std::vector<ColumnVector>>>()> &next,
                                   const Call &call) = 0;
};

}  // namespace birdfoot
