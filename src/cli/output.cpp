#include "cli/output.hpp"

#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "duckdb/common/box_renderer.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/relation/materialized_relation.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace birdfoot::cli {

namespace {

constexpr size_t kBufferSize = 1 << 18;

//! The rows of a chunk as text, as DuckDB casts them in this session.
class TextChunk {
public:
    TextChunk(duckdb::DataChunk &chunk, duckdb::ClientContext &context) {
        for (auto &column : chunk.data) {
            auto &text = texts_.emplace_back(duckdb::LogicalType::VARCHAR, chunk.size());
            duckdb::VectorOperations::Cast(context, column, text, chunk.size());
            text.Flatten(chunk.size());
        }
    }
    bool IsNull(size_t column, size_t row) { return duckdb::FlatVector::IsNull(texts_[column], row); }
    std::string_view Get(size_t column, size_t row) {
        const auto &text = duckdb::FlatVector::GetData<duckdb::string_t>(texts_[column])[row];
        return {text.GetData(), text.GetSize()};
    }

private:
    std::vector<duckdb::Vector> texts_;
};

void AppendCsv(std::string &out, std::string_view text) {
    if (!text.empty() && text.find_first_of(",\"\n\r") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string_view(&c, 1);
    }
    out += '"';
}

void AppendMarkdown(std::string &out, std::string_view text) {
    for (const char c : text) {
        if (c == '\n' || c == '\r') {
            out += c == '\n' ? "<br>" : "";
        } else {
            out += c == '|' ? "\\|" : std::string_view(&c, 1);
        }
    }
}

void PrintCsv(duckdb::QueryResult &result, duckdb::ClientContext &context, const std::string &null_text,
              Output &output) {
    auto &out = output.buffer();
    for (size_t i = 0; i < result.names.size(); ++i) {
        out += i == 0 ? "" : ",";
        AppendCsv(out, result.names[i]);
    }
    out += '\n';
    while (auto chunk = result.Fetch()) {
        TextChunk texts(*chunk, context);
        for (size_t row = 0; row < chunk->size(); ++row) {
            for (size_t i = 0; i < chunk->ColumnCount(); ++i) {
                out += i == 0 ? "" : ",";
                if (texts.IsNull(i, row)) {
                    out += null_text;
                } else if (const auto text = texts.Get(i, row); !null_text.empty() && text == null_text) {
                    out += '"';  // text that looks like NULL is told apart by its quotes
                    out += text;
                    out += '"';
                } else {
                    AppendCsv(out, text);
                }
            }
            out += '\n';
            output.FlushIfLarge();
        }
    }
}

void PrintMarkdown(duckdb::QueryResult &result, duckdb::ClientContext &context, const std::string &null_text,
                   Output &output) {
    auto &out = output.buffer();
    for (const auto &name : result.names) {
        out += "| ";
        AppendMarkdown(out, name);
        out += ' ';
    }
    out += "|\n";
    for (const auto &type : result.types) {
        out += type.IsNumeric() ? "|--:" : "|---";
    }
    out += "|\n";
    while (auto chunk = result.Fetch()) {
        TextChunk texts(*chunk, context);
        for (size_t row = 0; row < chunk->size(); ++row) {
            for (size_t i = 0; i < chunk->ColumnCount(); ++i) {
                out += "| ";
                AppendMarkdown(out, texts.IsNull(i, row) ? std::string_view(null_text) : texts.Get(i, row));
                out += ' ';
            }
            out += "|\n";
            output.FlushIfLarge();
        }
    }
}

duckdb::unique_ptr<duckdb::ColumnDataCollection> Materialize(duckdb::QueryResult &result,
                                                             duckdb::ClientContext &context) {
    auto rows =
        duckdb::make_uniq<duckdb::ColumnDataCollection>(duckdb::BufferManager::GetBufferManager(context), result.types);
    duckdb::ColumnDataAppendState state;
    rows->InitializeAppend(state);
    while (auto chunk = result.Fetch()) {
        rows->Append(state, *chunk);
    }
    return rows;
}

//! One text of several lines, such as SHOW CREATE TABLE answers with: the box would show its line ends as \n.
bool IsOneText(const duckdb::ColumnDataCollection &rows) {
    if (rows.Count() != 1 || rows.Types().size() != 1 || rows.Types()[0].id() != duckdb::LogicalTypeId::VARCHAR) {
        return false;
    }
    const auto value = rows.GetRows().GetValue(0, 0);
    return !value.IsNull() && value.ToString().find('\n') != std::string::npos;
}

void PrintTable(duckdb::QueryResult &result, duckdb::ClientContext &context, const std::string &null_text,
                Output &output) {
    const auto rows = Materialize(result, context);
    if (IsOneText(*rows)) {
        output.buffer() += rows->GetRows().GetValue(0, 0).ToString() + "\n";
        return;
    }
    duckdb::BoxRendererConfig config;
    config.null_value = null_text;
    if (output.is_terminal()) {
        config.max_rows = 40;
    } else {
        config.max_rows = std::numeric_limits<uint32_t>::max();
        config.max_width = std::numeric_limits<uint32_t>::max();
    }
    output.buffer() += duckdb::BoxRenderer(config).ToString(context, result.names, *rows);
}

//! EXPLAIN answers with drawings: they are printed as they are, not squeezed into a cell.
void PrintPlan(duckdb::QueryResult &result, Output &output) {
    while (auto chunk = result.Fetch()) {
        for (size_t row = 0; row < chunk->size(); ++row) {
            output.buffer() += chunk->GetValue(chunk->ColumnCount() - 1, row).ToString();
            output.buffer() += '\n';
        }
    }
}

void PrintChangedRows(duckdb::QueryResult &result, Output &output) {
    while (auto chunk = result.Fetch()) {
        for (size_t row = 0; row < chunk->size(); ++row) {
            const auto count = chunk->GetValue(0, row).ToString();
            output.buffer() += count + (count == "1" ? " row\n" : " rows\n");
        }
    }
}

void Drain(duckdb::QueryResult &result) {
    while (result.Fetch()) {
    }
}

void WriteParquet(duckdb::QueryResult &result, duckdb::ClientContext &context, Output &output) {
    const auto file = output.TakeWholeFile();
    auto rows = Materialize(result, context);
    auto names = result.names;
    duckdb::QueryResult::DeduplicateColumns(names);
    const auto relation =
        duckdb::make_shared_ptr<duckdb::MaterializedRelation>(context.shared_from_this(), std::move(rows), names);
    relation->WriteParquet(file);
}

[[noreturn]] void CannotWrite(const std::string &file) {
    throw std::system_error(errno, std::generic_category(), "cannot write '" + file + "'");
}

//! Those that a new file gets here, or the ones of the file that is replaced.
mode_t PermissionsOf(const std::string &file) {
    struct stat there = {};
    if (stat(file.c_str(), &there) == 0) {
        return there.st_mode & 0777;
    }
    const auto mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace

Output::Output(const std::string &file) : descriptor_(STDOUT_FILENO), file_(file) {
    if (file.empty()) {
        return;
    }
    std::error_code ignored;
    const auto status = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {  // /dev/null, a pipe, a folder
        descriptor_ = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        const auto target =
            std::filesystem::canonical(file, ignored);  // what a link points to is replaced, not the link
        file_ = ignored ? file : target.string();
        temporary_ = file_ + ".XXXXXX";
        descriptor_ = mkostemp(temporary_.data(), O_CLOEXEC);
    }
    if (descriptor_ < 0) {
        CannotWrite(file);
    }
}

Output::~Output() {
    if (descriptor_ != STDOUT_FILENO) {
        close(descriptor_);
    }
    if (!temporary_.empty()) {
        unlink(temporary_.c_str());
    }
}

void Output::Finish() {
    Flush();
    if (temporary_.empty()) {
        return;
    }
    if (chmod(temporary_.c_str(), PermissionsOf(file_)) != 0 || rename(temporary_.c_str(), file_.c_str()) != 0) {
        CannotWrite(file_);
    }
    temporary_.clear();
}

std::string Output::TakeWholeFile() {
    if (std::exchange(taken_, true)) {
        throw duckdb::InvalidInputException(
            "A Parquet file holds one result, and this is the second one. Ask for one, or give each a file of its "
            "own.");
    }
    return !temporary_.empty() ? temporary_ : !file_.empty() ? file_ : "/dev/stdout";
}

bool Output::is_terminal() const { return isatty(descriptor_) != 0; }

void Output::FlushIfLarge() {
    if (buffer_.size() >= kBufferSize) {
        Flush();
    }
}

void Output::Flush() {
    if (!buffer_.empty()) {
        AllowProgress(false);
    }
    size_t written = 0;
    while (written < buffer_.size()) {
        const auto count = write(descriptor_, buffer_.data() + written, buffer_.size() - written);
        if (count >= 0) {
            written += static_cast<size_t>(count);
        } else if (errno != EINTR || StopSignal() != 0) {
            const int error = errno;
            buffer_.clear();
            throw std::system_error(error, std::generic_category(), "cannot write the result");
        }
    }
    buffer_.clear();
}

void PrintResult(duckdb::QueryResult &result, duckdb::ClientContext &context, const OutputOptions &options,
                 Output &output) {
    const auto kind = result.properties.return_type;
    const bool rows = kind == duckdb::StatementReturnType::QUERY_RESULT;
    if (kind == duckdb::StatementReturnType::NOTHING) {
        Drain(result);
    } else if (options.format == Format::kJson) {
        PrintJson(result, context, output);
    } else if (options.format == Format::kTable && !rows) {
        PrintChangedRows(result, output);
    } else if (options.format == Format::kTable && result.statement_type == duckdb::StatementType::EXPLAIN_STATEMENT) {
        PrintPlan(result, output);
    } else if (options.format == Format::kTable) {
        PrintTable(result, context, options.null_text.value_or("NULL"), output);
    } else if (!rows && !options.counts) {
        Drain(result);  // the other formats are one document of rows, into which a count does not fit
    } else if (options.format == Format::kCsv) {
        PrintCsv(result, context, options.null_text.value_or(""), output);
    } else if (options.format == Format::kMarkdown) {
        PrintMarkdown(result, context, options.null_text.value_or(""), output);
    } else {
        WriteParquet(result, context, output);
    }
    output.Flush();
}

}  // namespace birdfoot::cli
