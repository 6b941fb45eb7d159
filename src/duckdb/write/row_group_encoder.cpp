#include "duckdb/write/row_group_encoder.hpp"

#include <algorithm>

#include "writer/primitive_column_writer.hpp"

namespace birdfoot::duck {

namespace {

//! Then it is tried again: data may be sorted.
constexpr int kGroupsWithout = 7;

}  // namespace

bool DictionaryUse::Try(size_t column, uint64_t rows) {
    std::lock_guard lock(mutex_);
    auto &failed = failed_[column];
    // DuckDB gives up at a fifth of the rows: what was too much in a small row group may do in a large one.
    if (failed.left == 0 || rows > failed.rows + failed.rows / 4) {
        return true;
    }
    failed.left--;
    return false;
}

void DictionaryUse::Found(size_t column, uint64_t rows, bool dictionary) {
    std::lock_guard lock(mutex_);
    auto &failed = failed_[column];
    if (rows >= failed.rows || failed.left == 0) {
        failed = dictionary ? Failed() : Failed{kGroupsWithout, rows};
    }
}

RowGroupEncoder::RowGroupEncoder(duckdb::ClientContext &context, duckdb::ParquetWriter &writer,
                                 const ParquetLayout &layout, DictionaryUse &dictionaries)
    : dictionaries_(dictionaries) {
    writer.InitializeSchemaElements();  // the columns ask it for their types
    duckdb::vector<duckdb_parquet::SchemaElement> schema(1);
    for (size_t i = 0; i < layout.names.size(); i++) {
        auto &column = columns_.emplace_back(duckdb::ColumnWriter::CreateWriterRecursive(
            context, writer, {}, layout.types[i], layout.names[i], true, &layout.field_ids, nullptr));
        const auto first = static_cast<std::ptrdiff_t>(schema.size());
        column->FinalizeSchema(schema);
        elements_.emplace_back(schema.begin() + first, schema.end());
    }
}

size_t RowGroupEncoder::leaves(size_t position) const {
    const auto &elements = elements_[position];
    return static_cast<size_t>(
        std::count_if(elements.begin(), elements.end(), [](const auto &element) { return element.__isset.type; }));
}

void RowGroupEncoder::Encode(duckdb::ColumnDataCollection &rows, duckdb::PreparedRowGroup &result) {
    result.row_group.num_rows = static_cast<int64_t>(rows.Count());
    result.row_group.__isset.file_offset = true;
    for (size_t i = 0; i < columns_.size(); i++) {
        result.states.push_back(EncodeColumn(i, rows, result.row_group));
    }
}

duckdb::unique_ptr<duckdb::ColumnWriterState> RowGroupEncoder::EncodeColumn(size_t position,
                                                                            duckdb::ColumnDataCollection &rows,
                                                                            duckdb_parquet::RowGroup &group) {
    auto &column = *columns_[position];
    const duckdb::vector<duckdb::column_t> ids{position};
    const bool plain = elements_[position].size() == 1 && column.HasAnalyze();
    const bool tries = !plain || dictionaries_.Try(position, rows.Count());
    const auto count = group.num_rows;
    group.num_rows = tries ? count : 0;  // a new state makes room for a dictionary of a fifth of the rows
    auto result = column.InitializeWriteState(group);
    group.num_rows = count;
    auto &state = *result;
    if (column.HasAnalyze()) {
        if (tries) {
            for (auto &chunk : rows.Chunks(ids)) {
                column.Analyze(state, nullptr, chunk.data[0], chunk.size());
            }
        }
        column.FinalizeAnalyze(state);
    }
    state.definition_levels.reserve(rows.Count());
    for (auto &chunk : rows.Chunks(ids)) {
        column.Prepare(state, nullptr, chunk.data[0], chunk.size(), true);
    }
    column.BeginWrite(state);
    if (plain && tries) {
        const auto &page = state.Cast<duckdb::PrimitiveColumnWriterState>().write_info.at(0).page_header;
        dictionaries_.Found(position, rows.Count(), page.data_page_header.encoding != duckdb_parquet::Encoding::PLAIN);
    }
    for (auto &chunk : rows.Chunks(ids)) {
        column.Write(state, chunk.data[0], chunk.size());
    }
    return result;
}

}  // namespace birdfoot::duck
