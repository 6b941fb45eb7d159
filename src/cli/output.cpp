#include "cli/output.hpp"

#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "duckdb/common/box_renderer.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/relation/materialized_relation.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

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

void PrintTable(duckdb::QueryResult &result, duckdb::ClientContext &context, const std::string &null_text,
                Output &output) {
    const auto rows = Materialize(result, context);
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

void WriteParquet(duckdb::QueryResult &result, duckdb::ClientContext &context, const std::string &file) {
    auto rows = Materialize(result, context);
    auto names = result.names;
    duckdb::QueryResult::DeduplicateColumns(names);
    const auto relation =
        duckdb::make_shared_ptr<duckdb::MaterializedRelation>(context.shared_from_this(), std::move(rows), names);
    relation->WriteParquet(file.empty() ? "/dev/stdout" : file);
}

}  // namespace

Output::Output(const std::string &file) : descriptor_(STDOUT_FILENO) {
    if (!file.empty()) {
        descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            throw std::system_error(errno, std::generic_category(), "cannot write '" + file + "'");
        }
    }
}

Output::~Output() {
    if (descriptor_ != STDOUT_FILENO) {
        close(descriptor_);
    }
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
        WriteParquet(result, context, options.file);
    }
    output.Flush();
}

}  // namespace birdfoot::cli
