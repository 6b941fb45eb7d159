// The scan of a Delta table: DuckDB's Parquet scan with our file list and reader in it. Every callback is guarded: no
// InternalException may leave, whatever a table's bytes are.
#include "duckdb/scan/delta_scan.hpp"

#include "duckdb/common/multi_file/multi_file_function.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/function/partition_stats.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"
#include "duckdb/storage/storage_index.hpp"
#include "parquet_multi_file_info.hpp"

#include "duckdb/io/parquet_footer.hpp"
#include "duckdb/scan/bound_scan.hpp"
#include "duckdb/scan/delta_file_reader.hpp"
#include "duckdb/scan/file_list.hpp"
#include "duckdb/scan/scan_function.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {

using duckdb::ClientContext;
using duckdb::column_t;
using duckdb::FunctionData;
using duckdb::LogicalType;
using duckdb::MultiFileBindData;
using duckdb::MultiFileReader;
using duckdb::Value;

namespace {

using Base = duckdb::MultiFileFunction<duckdb::ParquetMultiFileInfo>;

const DeltaFileList &ListOf(const FunctionData &bind_data) {
    return bind_data.Cast<MultiFileBindData>().file_list->Cast<DeltaFileList>();
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitGlobal(ClientContext &context,
                                                                duckdb::TableFunctionInitInput &input) {
    return Guarded([&] { return Base::MultiFileInitGlobal(context, input); });
}

duckdb::unique_ptr<duckdb::LocalTableFunctionState> InitLocal(duckdb::ExecutionContext &context,
                                                              duckdb::TableFunctionInitInput &input,
                                                              duckdb::GlobalTableFunctionState *state) {
    return Guarded([&] { return Base::MultiFileInitLocal(context, input, state); });
}

void Scan(ClientContext &context, duckdb::TableFunctionInput &input, duckdb::DataChunk &output) {
    if (!input.local_state) {
        return;  // there was no file left for this thread
    }
    const auto &reader = input.local_state->Cast<duckdb::MultiFileLocalState>().reader;
    try {
        Base::MultiFileScan(context, input, output);
    } catch (...) {
        reader ? RethrowDamage(reader->GetFileName()) : RethrowOrdinary();
    }
}

bool AsksForRowTracking(const duckdb::LogicalGet &get, const duckdb::Expression &expression) {
    if (expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_COLUMN_REF) {
        const auto &binding = expression.Cast<duckdb::BoundColumnRefExpression>().binding;
        const auto &columns = get.GetColumnIds();
        if (binding.table_index != get.table_index || binding.column_index >= columns.size()) {
            return false;
        }
        const auto column = columns[binding.column_index].GetPrimaryIndex();
        return column == kRowIdColumn || column == kRowVersionColumn;
    }
    bool asks = false;
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [&](const duckdb::Expression &child) { asks = asks || AsksForRowTracking(get, child); });
    return asks;
}

void PushdownFilters(ClientContext &context, duckdb::LogicalGet &get, FunctionData *bind_data,
                     duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> &filters) {
    Guarded([&] {
        Base::MultiFileComplexFilterPushdown(context, get, bind_data, filters);
        for (const auto &filter : filters) {
            if (AsksForRowTracking(get, *filter)) {
                // Those come from two columns of a file, and a filter inside the reader sees but one.
                get.function.filter_pushdown = false;
            }
        }
    });
}

duckdb::unique_ptr<duckdb::NodeStatistics> Cardinality(ClientContext &context, const FunctionData *bind_data) {
    return Guarded([&] { return ListOf(*bind_data).GetCardinality(context); });
}

duckdb::unique_ptr<duckdb::BaseStatistics> Statistics(ClientContext &, const FunctionData *bind_data, column_t column) {
    return Guarded([&]() -> duckdb::unique_ptr<duckdb::BaseStatistics> {
        const auto &list = ListOf(*bind_data);
        return column < list.scan().columns().size() ? list.Statistics(column) : nullptr;
    });
}

double Progress(ClientContext &context, const FunctionData *bind_data, const duckdb::GlobalTableFunctionState *state) {
    return Guarded([&] { return Base::MultiFileProgress(context, bind_data, state); });
}

duckdb::OperatorPartitionData PartitionData(ClientContext &context, duckdb::TableFunctionGetPartitionInput &input) {
    return Guarded([&] { return Base::MultiFileGetPartitionData(context, input); });
}

duckdb::TablePartitionInfo PartitionInfo(ClientContext &context, duckdb::TableFunctionPartitionInput &input) {
    return Guarded([&] { return Base::MultiFileGetPartitionInfo(context, input); });
}

duckdb::BindInfo GetBindInfo(const duckdb::optional_ptr<FunctionData> bind_data) {
    return Guarded([&] {
        auto entry = ListOf(*bind_data).scan().source().entry;
        return entry ? duckdb::BindInfo(*entry) : duckdb::BindInfo(duckdb::ScanType::EXTERNAL);
    });
}

//! Rows of a change feed have no ids of their own.
duckdb::virtual_column_map_t VirtualColumnsOf(const BoundScan &scan) {
    auto columns = DeltaVirtualColumns(scan.snapshot());
    if (scan.source().changes) {
        columns.erase(kRowIdColumn);
        columns.erase(kRowVersionColumn);
    }
    return columns;
}

duckdb::virtual_column_map_t GetVirtualColumns(ClientContext &, duckdb::optional_ptr<FunctionData> bind_data) {
    return Guarded([&] {
        auto &data = bind_data->Cast<MultiFileBindData>();
        data.virtual_columns = VirtualColumnsOf(ListOf(data).scan());
        return data.virtual_columns;
    });
}

duckdb::vector<column_t> GetRowIdColumns(ClientContext &, duckdb::optional_ptr<FunctionData>) {
    return DeltaRowIdColumns();
}

bool PushdownExpression(ClientContext &, const duckdb::LogicalGet &, duckdb::Expression &) { return true; }

//! What the log says of one file, for aggregates that need no more.
class FileAggregates : public duckdb::PartitionRowGroup {
public:
    FileAggregates(const BoundScan &scan, std::shared_ptr<const ScanPlan> plan, const ScanFile &file)
        : scan_(scan), plan_(std::move(plan)), file_(file) {}

    duckdb::unique_ptr<duckdb::BaseStatistics> GetColumnStatistics(const duckdb::StorageIndex &index) override {
        return Guarded([&]() -> duckdb::unique_ptr<duckdb::BaseStatistics> {
            const auto *column = ColumnOf(index);
            if (!column) {
                return nullptr;
            }
            const auto facts = scan_.Facts(file_, {column->physical}, column->type);
            if (!facts.min || !facts.max || facts.all_null == true) {
                return nullptr;
            }
            auto statistics = duckdb::BaseStatistics::CreateUnknown(column->duck_type);
            duckdb::NumericStats::SetMin(statistics, ValueOf(*facts.min));
            duckdb::NumericStats::SetMax(statistics, ValueOf(*facts.max));
            if (facts.none_null == true) {
                statistics.Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
            }
            return statistics.ToUnique();
        });
    }

    bool MinMaxIsExact(const duckdb::BaseStatistics &, const duckdb::StorageIndex &index) override {
        const auto *column = ColumnOf(index);
        return column && (column->partition ? file_.live_rows().value_or(0) > 0
                                            : !file_.add.deletion_vector && file_.statistics.tight_bounds());
    }

private:
    //! Integers and dates alone: bounds of the others are cut, rounded or silent about NaN.
    const ScanColumn *ColumnOf(const duckdb::StorageIndex &index) const {
        if (index.HasChildren() || index.GetPrimaryIndex() >= scan_.columns().size()) {
            return nullptr;
        }
        const auto &column = scan_.columns()[index.GetPrimaryIndex()];
        const bool suits = column.type.is_integer() || column.type.kind() == TypeKind::kDate;
        return suits ? &column : nullptr;
    }

    const BoundScan &scan_;
    const std::shared_ptr<const ScanPlan> plan_;
    const ScanFile &file_;
};

//! count(*), min and max from the log. Not for an older version: its files may be gone, and that has to show; nor for
//! changes, whose files tell less.
duckdb::vector<duckdb::PartitionStatistics> GetPartitionStats(ClientContext &, duckdb::GetPartitionStatsInput &input) {
    return Guarded([&]() -> duckdb::vector<duckdb::PartitionStatistics> {
        const auto &list = ListOf(*input.bind_data);
        if (list.scan().source().time_travel || list.scan().source().changes) {
            return {};
        }
        const auto &planned = list.Planned();
        duckdb::vector<duckdb::PartitionStatistics> partitions;
        duckdb::idx_t start = 0;
        for (size_t i = 0; i < planned.size(); ++i) {
            const auto &file = planned.at(i);
            const auto rows = file.live_rows();
            if (!rows || *rows < 0 || *rows > INT64_MAX - static_cast<int64_t>(start)) {
                return {};  // DuckDB adds them up
            }
            duckdb::PartitionStatistics partition;
            partition.row_start = start;
            partition.count = static_cast<duckdb::idx_t>(*rows);
            partition.count_type = duckdb::CountType::COUNT_EXACT;
            partition.partition_row_group = duckdb::make_shared_ptr<FileAggregates>(list.scan(), planned.plan, file);
            start += partition.count;
            partitions.push_back(std::move(partition));
        }
        return partitions;
    });
}

std::string Count(uint64_t files, uint64_t bytes) {
    return fmt::format("{} ({})", files, duckdb::StringUtil::BytesToHumanReadableString(bytes));
}

//! What EXPLAIN says of a scan: what the log, the partitions and the statistics spared.
duckdb::InsertionOrderPreservingMap<duckdb::string> ToString(duckdb::TableFunctionToStringInput &input) {
    return Guarded([&] {
        const auto &list = ListOf(*input.bind_data);
        const auto &snapshot = list.scan().snapshot();
        duckdb::InsertionOrderPreservingMap<duckdb::string> lines;
        lines["Table"] = snapshot.root();
        lines["Version"] = std::to_string(snapshot.version());
        if (!list.consumed().is_true()) {
            lines["Partition Filters"] = list.consumed().ToString();
        }
        // A plan that is shown before it is optimised does not know its filters yet: planning it would look at all
        // files.
        const auto *planned = list.PlannedAlready();
        if (!planned) {
            return lines;
        }
        const auto &metrics = planned->metrics;
        lines["Files"] = Count(planned->size(), metrics.total_bytes - metrics.bytes_spared) + " of " +
                         Count(metrics.total_files, metrics.total_bytes);
        if (metrics.pruned_by_partition > 0) {
            lines["Files Pruned by Partition"] = std::to_string(metrics.pruned_by_partition);
        }
        if (metrics.skipped_by_statistics > 0) {
            lines["Files Skipped by Statistics"] = std::to_string(metrics.skipped_by_statistics);
        }
        return lines;
    });
}

duckdb::InsertionOrderPreservingMap<duckdb::string> DynamicToString(duckdb::TableFunctionDynamicToStringInput &input) {
    return Guarded([&] {
        auto &state = input.global_state->Cast<duckdb::MultiFileGlobalState>();
        duckdb::InsertionOrderPreservingMap<duckdb::string> lines;
        uint64_t read = 0;
        for (const auto &reader : state.readers) {
            read += reader->file_state != duckdb::MultiFileFileState::SKIPPED ? 1 : 0;
        }
        lines["Total Files Read"] = std::to_string(read);
        if (auto late = state.file_list.Cast<DeltaFileList>().late_pruned()) {
            lines["Files Skipped by Joins and Limits"] = std::to_string(late);
        }
        return lines;
    });
}

}  // namespace

duckdb::TableFunction ScanFunction() {
    auto function = duckdb::ParquetScanFunction::GetFunctionSet().GetFunctionByOffset(0);
    function.name = "delta_scan";
    function.arguments = {LogicalType::VARCHAR};
    function.named_parameters.clear();
    function.function = Scan;
    function.init_global = InitGlobal;
    function.init_local = InitLocal;
    function.pushdown_complex_filter = PushdownFilters;
    function.pushdown_expression = PushdownExpression;
    function.cardinality = Cardinality;
    function.statistics = Statistics;
    function.table_scan_progress = Progress;
    function.get_partition_data = PartitionData;
    function.get_partition_info = PartitionInfo;
    function.get_partition_stats = GetPartitionStats;
    function.get_bind_info = GetBindInfo;
    function.get_virtual_columns = GetVirtualColumns;
    function.get_row_id_columns = GetRowIdColumns;
    function.to_string = ToString;
    function.dynamic_to_string = DynamicToString;
    function.serialize = nullptr;
    function.deserialize = nullptr;
    function.get_multi_file_reader = DeltaFileReader::Create;
    return function;
}

duckdb::unique_ptr<FunctionData> BindScan(ClientContext &context, ScanSource source, duckdb::TableFunction &function,
                                          duckdb::vector<LogicalType> &types, duckdb::vector<duckdb::string> &names) {
    auto scan = std::make_shared<BoundScan>(context, std::move(source));
    function.function_info = duckdb::make_shared_ptr<ScanInfo>(scan);
    duckdb::vector<Value> inputs{Value("")};
    duckdb::named_parameter_map_t parameters;
    duckdb::vector<LogicalType> input_types;
    duckdb::vector<duckdb::string> input_names;
    duckdb::TableFunctionRef reference;
    duckdb::TableFunctionBindInput input(inputs, parameters, input_types, input_names, nullptr, nullptr, function,
                                         reference);
    auto bind_data = Base::MultiFileBind(context, input, types, names);
    bind_data->Cast<MultiFileBindData>().virtual_columns = VirtualColumnsOf(*scan);
    return bind_data;
}

duckdb::TableFunction MakeDeltaScan(ClientContext &context, ScanSource source,
                                    duckdb::unique_ptr<FunctionData> &bind_data) {
    return Guarded([&] {
        auto function = ScanFunction();
        duckdb::vector<LogicalType> types;
        duckdb::vector<duckdb::string> names;
        bind_data = BindScan(context, std::move(source), function, types, names);
        return function;
    });
}

const ScanFile &FileOfScan(const FunctionData &bind_data, uint64_t file_id) {
    return ListOf(bind_data).scan().FileOf(file_id);
}

bool IsDeltaScanOf(const duckdb::TableFunction &function, const FunctionData &bind_data, const std::string &root) {
    if (function.init_global != InitGlobal) {
        return false;
    }
    const auto &source = ListOf(bind_data).scan().source();
    return !source.time_travel && source.snapshot->root() == root;
}

bool HasFile(const FunctionData &bind_data, uint64_t file_id) { return ListOf(bind_data).scan().HasFile(file_id); }

std::vector<ScanFile> FilesOfScan(const FunctionData &bind_data) {
    const auto &planned = ListOf(bind_data).Planned();
    std::vector<ScanFile> files;
    files.reserve(planned.size());
    for (size_t i = 0; i < planned.size(); i++) {
        files.push_back(planned.at(i));
    }
    return files;
}

ScanRead ReadOfScan(const FunctionData &bind_data) {
    const auto &list = ListOf(bind_data);
    return {list.scan().source().reads, list.read()};
}

std::string PredicateOfScan(const FunctionData &bind_data) { return ListOf(bind_data).predicate().ToString(); }

duckdb::virtual_column_map_t DeltaVirtualColumns(const Snapshot &) {
    duckdb::virtual_column_map_t columns;
    const auto add = [&](column_t id, const char *name, LogicalType type) {
        columns.insert({id, duckdb::TableColumn(name, std::move(type))});
    };
    add(MultiFileReader::COLUMN_IDENTIFIER_FILENAME, "filename", LogicalType::VARCHAR);
    add(MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, "file_row_number", LogicalType::BIGINT);
    add(MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, "file_index", LogicalType::UBIGINT);
    add(kFileIdColumn, "_file_id", LogicalType::UBIGINT);
    add(kRowIdColumn, "_row_id", LogicalType::BIGINT);
    add(kRowVersionColumn, "_row_commit_version", LogicalType::BIGINT);
    add(duckdb::COLUMN_IDENTIFIER_EMPTY, "", LogicalType::BOOLEAN);
    return columns;
}

duckdb::vector<column_t> DeltaRowIdColumns() {
    return {kFileIdColumn, MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
}

duckdb::vector<column_t> DeltaRowTrackingColumns() { return {kRowIdColumn, kRowVersionColumn}; }

}  // namespace birdfoot::duck
