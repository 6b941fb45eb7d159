// DeltaFileReader: what DuckDB's Parquet scan asks for each file.
#include "duckdb/scan/delta_file_reader.hpp"

#include <array>

#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "parquet_reader.hpp"

#include "core/scan/deletion_vector.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/io/parquet_footer.hpp"
#include "duckdb/scan/file_columns.hpp"
#include "duckdb/scan/file_list.hpp"
#include "duckdb/scan/file_mapping.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::BoundReferenceExpression;
using duckdb::Expression;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::MultiFileColumnDefinition;
using duckdb::ReaderInitializeType;
using duckdb::TableFilterSet;
using duckdb::Value;

namespace {

constexpr auto kFileRowNumber = duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER;

//! Gives the rows of a file that are not in a set, or those that are.
class RowFilter : public duckdb::DeleteFilter {
public:
    RowFilter(std::shared_ptr<const RowSet> rows, bool only_rows) : rows_(std::move(rows)), only_rows_(only_rows) {}

    idx_t Filter(duckdb::row_t start, idx_t count, duckdb::SelectionVector &selection) override {
        selection.Initialize(STANDARD_VECTOR_SIZE);
        static_assert(std::is_same_v<duckdb::sel_t, uint32_t>);
        const auto others = rows_->KeptOffsets(static_cast<uint64_t>(start), count, selection.data());
        return only_rows_ ? Invert(selection.data(), others, count) : others;
    }

private:
    //! From the sorted offsets that are there to those that are not.
    static idx_t Invert(uint32_t *offsets, idx_t others, idx_t count) {
        std::array<uint32_t, STANDARD_VECTOR_SIZE> kept;
        idx_t at = 0;
        idx_t found = 0;
        for (uint32_t offset = 0; offset < count; ++offset) {
            if (at < others && offsets[at] == offset) {
                ++at;
            } else {
                kept[found++] = offset;
            }
        }
        std::copy(kept.begin(), kept.begin() + found, offsets);
        return found;
    }

    const std::shared_ptr<const RowSet> rows_;
    const bool only_rows_;
};

MultiFileColumnDefinition DefinitionOf(const ScanColumn &column) {
    MultiFileColumnDefinition definition(column.name, column.duck_type);
    definition.identifier = Value::INTEGER(column.id);
    // A file that lacks the column has NULLs in it.
    definition.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(Value(column.duck_type));
    for (const auto &child : column.children) {
        definition.children.push_back(DefinitionOf(child));
    }
    return definition;
}

}  // namespace

duckdb::unique_ptr<duckdb::MultiFileReader> DeltaFileReader::Create(const duckdb::TableFunction &function) {
    return duckdb::make_uniq<DeltaFileReader>(function.function_info->Cast<ScanInfo>().scan);
}

duckdb::unique_ptr<duckdb::MultiFileReader> DeltaFileReader::Copy() const {
    auto copy = duckdb::make_uniq<DeltaFileReader>(scan_);
    copy->function_name = function_name;
    return copy;
}

duckdb::shared_ptr<duckdb::MultiFileList> DeltaFileReader::CreateFileList(duckdb::ClientContext &,
                                                                          const duckdb::vector<duckdb::string> &,
                                                                          const duckdb::FileGlobInput &) {
    return duckdb::make_shared_ptr<DeltaFileList>(scan_);
}

bool DeltaFileReader::Bind(duckdb::MultiFileOptions &, duckdb::MultiFileList &, duckdb::vector<LogicalType> &types,
                           duckdb::vector<duckdb::string> &names, duckdb::MultiFileReaderBindData &bind_data) {
    for (const auto &column : scan_->columns()) {
        bind_data.schema.push_back(DefinitionOf(column));
        names.push_back(column.name);
        types.push_back(column.duck_type);
    }
    // Names and field ids of files are resolved by TieColumns; what DuckDB matches are ids of ours.
    bind_data.mapping = duckdb::MultiFileColumnMappingMode::BY_FIELD_ID;
    return true;
}

void DeltaFileReader::BindOptions(duckdb::MultiFileOptions &options, duckdb::MultiFileList &,
                                  duckdb::vector<LogicalType> &, duckdb::vector<duckdb::string> &,
                                  duckdb::MultiFileReaderBindData &) {
    options.auto_detect_hive_partitioning = false;
    options.hive_partitioning = false;
    options.union_by_name = false;
}

const ScanFile &DeltaFileReader::FileOf(const duckdb::OpenFileInfo &file) const {
    return scan_->FileOf(file.extended_info->options.at("birdfoot_file_id").GetValue<uint64_t>());
}

duckdb::shared_ptr<duckdb::BaseFileReader> DeltaFileReader::CreateReader(duckdb::ClientContext &context,
                                                                         duckdb::GlobalTableFunctionState &,
                                                                         const duckdb::OpenFileInfo &file, idx_t,
                                                                         const duckdb::MultiFileBindData &) {
    auto options = ParquetOptionsOf();
    options.variant_legacy_encoding = scan_->has_variant();  // Spark writes variants as unmarked structs
    duckdb::shared_ptr<duckdb::ParquetReader> reader;
    try {
        reader = OpenParquet(context, file, std::move(options));
    } catch (...) {
        auto error = ErrorFromException(Condition::FAILED_READ_FILE);
        if (error.condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
            const auto &snapshot = scan_->snapshot();
            const auto *change = scan_->ChangeOf(FileOf(file));
            Throw(
                Fail(Condition::DELTA_FILE_NOT_FOUND,
                     "The data file {} of version {} of the table {} was not found: it does not exist. VACUUM may have "
                     "removed it, or it was deleted by hand; a newer version of the table may be readable.",
                     file.path, change ? change->version : snapshot.version(), snapshot.root()));
        }
        throw;
    }
    TieColumns(*scan_, *reader);
    return reader;
}

ReaderInitializeType DeltaFileReader::InitializeReader(
    duckdb::MultiFileReaderData &data, const duckdb::MultiFileBindData &bind_data,
    const duckdb::vector<MultiFileColumnDefinition> &columns, const duckdb::vector<duckdb::ColumnIndex> &column_ids,
    duckdb::optional_ptr<TableFilterSet> filters, duckdb::ClientContext &context, duckdb::MultiFileGlobalState &state) {
    const auto result =
        MultiFileReader::InitializeReader(data, bind_data, columns, column_ids, filters, context, state);
    if (result != ReaderInitializeType::INITIALIZED) {
        return result;
    }
    const auto &file = FileOf(data.reader->file);
    if (const auto *change = scan_->ChangeOf(file); change && change->rows) {
        data.reader->deletion_filter = duckdb::make_uniq<RowFilter>(change->rows, change->only_rows);
    } else if (!change && file.add.deletion_vector) {
        auto deleted = ValueOrThrow(
            ReadDeletionVector(scan_->engine(), scan_->snapshot().root(), *file.add.deletion_vector, CallOf(context)));
        data.reader->deletion_filter =
            duckdb::make_uniq<RowFilter>(std::make_shared<const RowSet>(std::move(deleted)), false);
    }
    return result;
}

void DeltaFileReader::FinalizeBind(duckdb::MultiFileReaderData &data, const duckdb::MultiFileOptions &options,
                                   const duckdb::MultiFileReaderBindData &bind_data,
                                   const duckdb::vector<MultiFileColumnDefinition> &columns,
                                   const duckdb::vector<duckdb::ColumnIndex> &column_ids,
                                   duckdb::ClientContext &context,
                                   duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) {
    MultiFileReader::FinalizeBind(data, options, bind_data, columns, column_ids, context, state);
    const FileMapping mapping(*scan_, FileOf(data.reader->file), data);
    for (idx_t i = 0; i < column_ids.size(); ++i) {
        if (auto constant = mapping.ConstantOf(column_ids[i].GetPrimaryIndex())) {
            data.constant_map.Add(duckdb::MultiFileGlobalIndex(i), *std::move(constant));
        }
    }
}

ReaderInitializeType DeltaFileReader::CreateMapping(duckdb::ClientContext &context, duckdb::MultiFileReaderData &data,
                                                    const duckdb::vector<MultiFileColumnDefinition> &columns,
                                                    const duckdb::vector<duckdb::ColumnIndex> &column_ids,
                                                    duckdb::optional_ptr<TableFilterSet> filters,
                                                    duckdb::MultiFileList &files,
                                                    const duckdb::MultiFileReaderBindData &bind_data,
                                                    const duckdb::virtual_column_map_t &virtual_columns) {
    FileMapping mapping(*scan_, FileOf(data.reader->file), data);
    std::optional<TableFilterSet> applied;
    if (filters) {
        applied = mapping.FiltersFor(context, *filters, column_ids);
        if (!applied) {
            return ReaderInitializeType::SKIP_READING_FILE;
        }
    }
    const auto result = MultiFileReader::CreateMapping(
        context, data, columns, column_ids, applied ? &*applied : nullptr, files, bind_data, virtual_columns);
    if (result == ReaderInitializeType::INITIALIZED) {
        mapping.Finish(column_ids);
    }
    return result;
}

duckdb::unique_ptr<Expression> DeltaFileReader::GetVirtualColumnExpression(
    duckdb::ClientContext &context, duckdb::MultiFileReaderData &data,
    const duckdb::vector<MultiFileColumnDefinition> &local_columns, idx_t &column_id, const LogicalType &type,
    duckdb::MultiFileLocalIndex local_index, duckdb::optional_ptr<MultiFileColumnDefinition> &global_column) {
    if (column_id == kRowIdColumn || column_id == kRowVersionColumn) {
        column_id = kFileRowNumber;  // what is made of it is put together once the mapping is there
        return duckdb::make_uniq<BoundReferenceExpression>(LogicalType::BIGINT, local_index.GetIndex());
    }
    return MultiFileReader::GetVirtualColumnExpression(context, data, local_columns, column_id, type, local_index,
                                                       global_column);
}

void DeltaFileReader::FinalizeChunk(duckdb::ClientContext &, const duckdb::MultiFileBindData &,
                                    duckdb::BaseFileReader &reader, const duckdb::MultiFileReaderData &,
                                    duckdb::DataChunk &input, duckdb::DataChunk &output,
                                    duckdb::ExpressionExecutor &executor,
                                    duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState>) {
    executor.SetChunk(input);
    for (idx_t i = 0; i < executor.expressions.size(); ++i) {
        try {
            executor.ExecuteExpression(i, output.data[i]);
        } catch (...) {
            Throw(ErrorFromException(Condition::FAILED_READ_FILE).Prefixed("File " + reader.GetFileName()));
        }
    }
    output.SetCardinality(input.size());
}

duckdb::TablePartitionInfo DeltaFileReader::GetPartitionInfo(duckdb::ClientContext &,
                                                             const duckdb::MultiFileReaderBindData &,
                                                             duckdb::TableFunctionPartitionInput &input) {
    for (auto column : input.partition_ids) {
        if (column >= scan_->columns().size() || !scan_->columns()[column].partition) {
            return duckdb::TablePartitionInfo::NOT_PARTITIONED;
        }
    }
    return duckdb::TablePartitionInfo::SINGLE_VALUE_PARTITIONS;
}

}  // namespace birdfoot::duck
