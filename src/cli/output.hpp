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

//! Buffered writing that survives signals and says when the other end is gone. A file appears under its name when
//! Finish() is called: until then what was there stays, so a statement may read the file that it replaces.
class Output {
public:
    //! Standard output where `file` is empty.
    explicit Output(const std::string &file);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    std::string &buffer() { return buffer_; }
    void FlushIfLarge();
    void Flush();
    void Finish();
    bool is_terminal() const;
    //! For Parquet, which DuckDB writes by name, one result a file; throws at the second one.
    std::string TakeWholeFile();

private:
    int descriptor_;
    std::string file_;       // where it ends up; empty: standard output
    std::string temporary_;  // what is written meanwhile, beside it; empty: written in place
    bool taken_ = false;
    std::string buffer_;
};

//! Prints the rows of a query, and how many rows a statement changed; statements without either print nothing.
void PrintResult(duckdb::QueryResult &result, duckdb::ClientContext &context, const OutputOptions &options,
                 Output &output);

//! One JSON object a row. 64-bit integers and decimals keep every digit; NaN and infinities are strings; binary is as
//! DuckDB prints it; timestamps with a zone are in UTC; maps with text keys are objects, others lists of key and value.
void PrintJson(duckdb::QueryResult &result, duckdb::ClientContext &context, Output &output);

}  // namespace birdfoot::cli
