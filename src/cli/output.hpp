// How rows are printed. A format takes a result, fetches it to its end and writes to a file descriptor; rows stream,
// except as a table on a terminal and as Parquet.
#pragma once

#include "duckdb.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace birdfoot::cli {

enum class Format { kTable, kJson, kCsv, kParquet, kMarkdown };

struct OutputOptions {
    Format format = Format::kTable;
    std::optional<std::string> null_text;  //!< for table (NULL where none is given), csv and markdown (nothing)
    std::string file;                      //!< empty: standard output
    bool counts = false;                   //!< rows changed are a result too, whatever the format
};

//! Buffered writing that survives signals and says when the other end is gone.
class Output {
public:
    explicit Output(const std::string &file);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    std::string &buffer() { return buffer_; }
    void FlushIfLarge();
    void Flush();
    bool is_terminal() const;

private:
    int descriptor_;
    std::string buffer_;
};

//! Prints the rows of a query, and how many rows a statement changed; statements without either print nothing.
void PrintResult(duckdb::QueryResult &result, duckdb::ClientContext &context, const OutputOptions &options,
                 Output &output);

//! One JSON object a row. 64-bit integers and decimals keep every digit; NaN and infinities are strings; binary is as
//! DuckDB prints it; timestamps with a zone are in UTC; maps with text keys are objects, others lists of key and value.
void PrintJson(duckdb::QueryResult &result, duckdb::ClientContext &context, Output &output);

}  // namespace birdfoot::cli
