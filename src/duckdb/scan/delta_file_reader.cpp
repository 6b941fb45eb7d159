// DeltaFileReader: what DuckDB's Parquet scan asks for each file.
#include "duckdb/scan/delta_file_reader.hpp"

#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/list.hpp"
#include "parquet_reader.hpp"

#include "core/scan/deletion_vector.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/io/parquet_footer.hpp"
#include "duckdb/scan/file_columns.hpp"
#include "duckdb/scan/file_list.hpp"
#include "duckdb/scan/legacy_calendar.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/predicates.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {

using duckdb::BoundConstantExpression;
using duckdb::BoundReferenceExpression;
using duckdb::column_t;
using duckdb::Expression;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::MultiFileColumnDefinition;
using duckdb::ReaderInitializeType;
using duckdb::TableFilter;
using duckdb::TableFilterSet;
using duckdb::TableFilterType;
using duckdb::Value;

namespace {

constexpr auto kFileRowNumber = duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER;

class VectorFilter : public duckdb::DeleteFilter {
public:
    explicit VectorFilter(RowSet deleted) : deleted_(std::move(deleted)) {}

    idx_t Filter(duckdb::row_t start, idx_t count, duckdb::SelectionVector &selection) override {
        selection.Initialize(STANDARD_VECTOR_SIZE);
        static_assert(std::is_same_v<duckdb::sel_t, uint32_t>);
        return deleted_.KeptOffsets(static_cast<uint64_t>(start), count, selection.data());
    }

private:
    const RowSet deleted_;
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

//! `known`, or where that is NULL: base + offset. NULL where the base is.
void FallBackFunction(duckdb::DataChunk &arguments, duckdb::ExpressionState &, duckdb::Vector &result) {
    duckdb::UnifiedVectorFormat known;
    duckdb::UnifiedVectorFormat base;
    duckdb::UnifiedVectorFormat offset;
    arguments.data[0].ToUnifiedFormat(arguments.size(), known);
    arguments.data[1].ToUnifiedFormat(arguments.size(), base);
    arguments.data[2].ToUnifiedFormat(arguments.size(), offset);
    auto *values = duckdb::FlatVector::GetData<int64_t>(result);
    auto &mask = duckdb::FlatVector::Validity(result);
    for (idx_t i = 0; i < arguments.size(); ++i) {
        const auto at_known = known.sel->get_index(i);
        const auto at_base = base.sel->get_index(i);
        if (known.validity.RowIsValid(at_known)) {
            values[i] = duckdb::UnifiedVectorFormat::GetData<int64_t>(known)[at_known];
        } else if (base.validity.RowIsValid(at_base)) {
            values[i] = duckdb::UnifiedVectorFormat::GetData<int64_t>(base)[at_base] +
                        duckdb::UnifiedVectorFormat::GetData<int64_t>(offset)[offset.sel->get_index(i)];
        } else {
            mask.SetInvalid(i);
        }
    }
}

duckdb::unique_ptr<Expression> FallBack(duckdb::unique_ptr<Expression> known, std::optional<int64_t> base,
                                        duckdb::unique_ptr<Expression> offset) {
    duckdb::ScalarFunction function("row_tracking", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT},
                                    LogicalType::BIGINT, FallBackFunction);
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    duckdb::vector<duckdb::unique_ptr<Expression>> arguments;
    arguments.push_back(std::move(known));
    arguments.push_back(
        duckdb::make_uniq<BoundConstantExpression>(base ? Value::BIGINT(*base) : Value(LogicalType::BIGINT)));
    arguments.push_back(std::move(offset));
    return duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::BIGINT, std::move(function),
                                                              std::move(arguments), nullptr);
}

//! What of a filter has to hold for each row: without the parts that are there to skip row groups. Null: nothing.
duckdb::unique_ptr<TableFilter> Required(const TableFilter &filter) {
    switch (filter.filter_type) {
    case TableFilterType::OPTIONAL_FILTER:
    case TableFilterType::DYNAMIC_FILTER:
    case TableFilterType::BLOOM_FILTER: return nullptr;
    case TableFilterType::CONJUNCTION_AND: {
        auto all = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
        for (const auto &child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
            if (auto required = Required(*child)) {
                all->child_filters.push_back(std::move(required));
            }
        }
        if (all->child_filters.empty()) {
            return nullptr;
        }
        return all;
    }
    case TableFilterType::CONJUNCTION_OR:
        for (const auto &child : filter.Cast<duckdb::ConjunctionOrFilter>().child_filters) {
            auto required = Required(*child);
            if (!required || !required->Equals(*child)) {
                return nullptr;
            }
        }
        return filter.Copy();
    case TableFilterType::STRUCT_EXTRACT: {
        auto &extract = filter.Cast<duckdb::StructFilter>();
        auto child = Required(*extract.child_filter);
        if (!child) {
            return nullptr;
        }
        return duckdb::make_uniq<duckdb::StructFilter>(extract.child_idx, extract.child_name, std::move(child));
    }
    default: return filter.Copy();
    }
}

//! DuckDB skips row groups of NULLs for IS DISTINCT FROM, although they satisfy it.
bool ComparesNulls(const TableFilter &filter) {
    const auto any = [](const auto &children) {
        return std::any_of(children.begin(), children.end(), [](const auto &child) { return ComparesNulls(*child); });
    };
    switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
        const auto type = filter.Cast<duckdb::ConstantFilter>().comparison_type;
        return type == duckdb::ExpressionType::COMPARE_DISTINCT_FROM ||
               type == duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM;
    }
    case TableFilterType::CONJUNCTION_AND:
        return any(filter.Cast<duckdb::ConjunctionAndFilter>().child_filters);
    case TableFilterType::CONJUNCTION_OR: return any(filter.Cast<duckdb::ConjunctionOrFilter>().child_filters);
    case TableFilterType::STRUCT_EXTRACT: return ComparesNulls(*filter.Cast<duckdb::StructFilter>().child_filter);
    case TableFilterType::OPTIONAL_FILTER: {
        const auto &child = filter.Cast<duckdb::OptionalFilter>().child_filter;
        return child && ComparesNulls(*child);
    }
    default: return false;
    }
}

void ReplaceReference(duckdb::unique_ptr<Expression> &expression,
                      const std::function<duckdb::unique_ptr<Expression>(duckdb::unique_ptr<Expression>)> &wrap) {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
        expression = wrap(std::move(expression));
        return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        *expression, [&](duckdb::unique_ptr<Expression> &child) { ReplaceReference(child, wrap); });
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

const ScanFile &DeltaFileReader::FileOf(const duckdb::BaseFileReader &reader) const {
    return scan_->FileOf(reader.file.extended_info->options.at("birdfoot_file_id").GetValue<uint64_t>());
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
            Throw(
                Fail(Condition::DELTA_FILE_NOT_FOUND,
                     "The data file {} of version {} of the table {} was not found: it does not exist. VACUUM may have "
                     "removed it, or it was deleted by hand; a newer version of the table may be readable.",
                     file.path, snapshot.version(), snapshot.root()));
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
    const auto &file = FileOf(*data.reader);
    if (result == ReaderInitializeType::INITIALIZED && file.add.deletion_vector) {
        auto deleted = ValueOrThrow(
            ReadDeletionVector(scan_->engine(), scan_->snapshot().root(), *file.add.deletion_vector, CallOf(context)));
        data.reader->deletion_filter = duckdb::make_uniq<VectorFilter>(std::move(deleted));
    }
    return result;
}

//! How one file's columns become those asked for.
struct DeltaFileReader::FileMapping {
    FileMapping(const BoundScan &scan_p, const ScanFile &file_p, duckdb::MultiFileReaderData &data_p)
        : scan(scan_p), file(file_p), data(data_p), reader(data_p.reader->Cast<duckdb::ParquetReader>()) {}

    //! The value that a column has in all rows of the file, if there is such a thing.
    std::optional<Value> ConstantOf(column_t column) const {
        if (column == kFileIdColumn) {
            return Value::UBIGINT(BoundScan::FileId(file));
        }
        if (column == kRowIdColumn) {
            const bool none = !scan.tracks_rows() || (!file.add.base_row_id && !Stored(scan.row_id_column()));
            return none ? std::optional(Value(LogicalType::BIGINT)) : std::nullopt;
        }
        if (column == kRowVersionColumn) {
            if (scan.tracks_rows() && Stored(scan.row_version_column())) {
                return {};
            }
            const auto &version = file.add.default_row_commit_version;
            return scan.tracks_rows() && version ? Value::BIGINT(*version) : Value(LogicalType::BIGINT);
        }
        if (column >= scan.columns().size()) {
            return {};
        }
        const auto &wanted = scan.columns()[column];
        if (wanted.partition) {
            return ValueOf(file.partition[*wanted.partition]);
        }
        if (wanted.type.kind() == TypeKind::kVoid || !FindTied(reader.columns, wanted.id)) {
            return Value(wanted.duck_type);
        }
        return {};
    }

    //! The position of a column of that name in the file.
    std::optional<idx_t> Stored(const std::string &name) const {
        for (idx_t i = 0; !name.empty() && i < reader.columns.size(); ++i) {
            if (reader.columns[i].name == name) {
                return i;
            }
        }
        return {};
    }

    //! The filters that the reader is to apply; none at all if the file cannot satisfy one.
    std::optional<TableFilterSet> FiltersFor(duckdb::ClientContext &context, const TableFilterSet &filters,
                                             const duckdb::vector<duckdb::ColumnIndex> &column_ids) const {
        TableFilterSet kept;
        for (const auto &[position, filter] : filters.filters) {
            const auto column = column_ids[position].GetPrimaryIndex();
            bool constant = false;
            for (const auto &entry : data.constant_map) {
                if (entry.column_idx.GetIndex() == position) {
                    constant = true;
                    if (!MaySatisfy(context, *filter, entry.value)) {
                        return {};
                    }
                }
            }
            if (constant || column == kRowIdColumn || column == kRowVersionColumn) {
                continue;  // those two are filtered above the scan: SupportsPushdown
            }
            if (auto applied = FilterFor(*filter, column)) {
                kept.filters[position] = std::move(applied);
            }
        }
        return kept;
    }

    //! DuckDB would turn a filter's constant into the file's type where the two differ, and that may round (1.5 becomes
    //! 2): such columns, and those that are rebased, are filtered after they have been converted, by an expression that
    //! skips no row groups.
    duckdb::unique_ptr<TableFilter> FilterFor(const TableFilter &filter, column_t column) const {
        if (column >= scan.columns().size()) {
            return filter.Copy();
        }
        const auto &wanted = scan.columns()[column];
        const auto local = *FindTied(reader.columns, wanted.id);
        if (IsSame(wanted, reader.columns[local]) && !calendar.Concerns(reader.root_schema->children[local]) &&
            !ComparesNulls(filter)) {
            return filter.Copy();
        }
        auto required = Required(filter);
        if (!required) {
            return nullptr;
        }
        const BoundReferenceExpression reference(wanted.duck_type, 0ull);
        return duckdb::make_uniq<duckdb::ExpressionFilter>(required->ToExpression(reference));
    }

    //! Row ids and commit versions of rows that were moved are stored in the file; the others follow from the file's
    //! own.
    void AddRowTracking(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
        for (idx_t i = 0; i < column_ids.size(); ++i) {
            const auto column = column_ids[i].GetPrimaryIndex();
            const bool is_id = column == kRowIdColumn;
            if ((!is_id && column != kRowVersionColumn) || ConstantOf(column)) {
                continue;
            }
            duckdb::unique_ptr<Expression> known =
                duckdb::make_uniq<BoundConstantExpression>(Value(LogicalType::BIGINT));
            if (auto stored = Stored(is_id ? scan.row_id_column() : scan.row_version_column())) {
                known =
                    duckdb::make_uniq<BoundReferenceExpression>(reader.columns[*stored].type, reader.column_ids.size());
                if (known->return_type != LogicalType::BIGINT) {
                    known = duckdb::BoundCastExpression::AddDefaultCastToType(std::move(known), LogicalType::BIGINT);
                }
                reader.column_ids.push_back(duckdb::MultiFileLocalColumnId(*stored));
                reader.column_indexes.push_back(duckdb::ColumnIndex(*stored));
            }
            auto &expression = data.expressions[i];  // the row number, see GetVirtualColumnExpression
            expression = is_id ? FallBack(std::move(known), file.add.base_row_id, std::move(expression))
                               : FallBack(std::move(known), file.add.default_row_commit_version,
                                          duckdb::make_uniq<BoundConstantExpression>(Value::BIGINT(0)));
        }
    }

    //! Maps that are in the file as in the table would be taken apart and put together again.
    void DropNeedlessRemaps(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
        for (idx_t i = 0; i < column_ids.size(); ++i) {
            const auto column = column_ids[i].GetPrimaryIndex();
            auto &expression = data.expressions[i];
            if (column >= scan.columns().size() ||
                expression->GetExpressionClass() != duckdb::ExpressionClass::BOUND_FUNCTION) {
                continue;
            }
            auto local = FindTied(reader.columns, scan.columns()[column].id);
            auto &first = expression->Cast<duckdb::BoundFunctionExpression>().children[0];
            if (local && IsSame(scan.columns()[column], reader.columns[*local]) &&
                first->GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
                expression = std::move(first);
            }
        }
    }

    void RebaseColumns(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
        for (idx_t i = 0; i < column_ids.size(); ++i) {
            const auto column = column_ids[i].GetPrimaryIndex();
            auto local = column < scan.columns().size() ? FindTied(reader.columns, scan.columns()[column].id)
                                                        : std::optional<size_t>();
            if (!local || !calendar.Concerns(reader.root_schema->children[*local]) ||
                data.expressions[i]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) {
                continue;
            }
            const auto &node = reader.root_schema->children[*local];
            const auto wrap = [&](duckdb::unique_ptr<Expression> value) {
                return calendar.Rebase(std::move(value), node, reader.file.path);
            };
            // Where a filter stands on the column, the reader converts it before; else the expression does after.
            auto in_reader = reader.expression_map.find(*local);
            const auto position = FilterPosition(*local);
            if (in_reader != reader.expression_map.end()) {
                ReplaceReference(in_reader->second, wrap);
            } else if (position) {
                reader.expression_map[*local] = wrap(duckdb::make_uniq<BoundReferenceExpression>(node.type, 0ull));
            } else {
                ReplaceReference(data.expressions[i], wrap);
            }
        }
    }

    //! True if a filter stands on a column of the file.
    bool FilterPosition(size_t local) const {
        if (!reader.filters) {
            return false;
        }
        for (const auto &[position, filter] : reader.filters->filters) {
            if (reader.column_ids[duckdb::MultiFileLocalIndex(position)].GetId() == local) {
                return true;
            }
        }
        return false;
    }

    const BoundScan &scan;
    const ScanFile &file;
    duckdb::MultiFileReaderData &data;
    duckdb::ParquetReader &reader;
    const LegacyCalendar calendar = LegacyCalendar::Of(*reader.GetFileMetadata());
};

void DeltaFileReader::FinalizeBind(duckdb::MultiFileReaderData &data, const duckdb::MultiFileOptions &options,
                                   const duckdb::MultiFileReaderBindData &bind_data,
                                   const duckdb::vector<MultiFileColumnDefinition> &columns,
                                   const duckdb::vector<duckdb::ColumnIndex> &column_ids,
                                   duckdb::ClientContext &context,
                                   duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) {
    MultiFileReader::FinalizeBind(data, options, bind_data, columns, column_ids, context, state);
    const FileMapping mapping(*scan_, FileOf(*data.reader), data);
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
    FileMapping mapping(*scan_, FileOf(*data.reader), data);
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
        mapping.AddRowTracking(column_ids);
        mapping.DropNeedlessRemaps(column_ids);
        mapping.RebaseColumns(column_ids);
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
