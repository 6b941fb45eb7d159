// See report_functions.hpp. A report is run once, when the scan begins, into a buffer that DuckDB manages (it may
// spill): its rows come from callbacks, and a table function is asked for them.
#include "duckdb/commands/report_functions.hpp"

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "core/table/report.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/parser/table_names.hpp"
#include "duckdb/translate/documented_function.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {
namespace {

using duckdb::ClientContext;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::Value;

struct ReportArguments {
    NamedTable table;  // without a root: no table was named
    std::optional<size_t> newest;
};

// One report: its columns, and how it is run. `wants` tells whether a column is read at all.
struct ReportKind {
    const char *function;
    const char *description;
    bool path_is_optional;
    StructType (*columns)(ClientContext &context, const ReportArguments &arguments);
    Status (*run)(ClientContext &context, const ReportArguments &arguments,
                  const std::function<bool(const char *)> &wants, const RowVisitor &visit);
};

Result<SnapshotPtr> Open(ClientContext &context, const ReportArguments &arguments) {
    return OpenNamed(context, arguments.table);
}

Status RunHistory(ClientContext &context, const ReportArguments &arguments, const std::function<bool(const char *)> &,
                  const RowVisitor &visit) {
    BF_ASSIGN(const auto snapshot, Open(context, arguments));
    return ReportHistory(EngineOf(*context.db), *snapshot, arguments.newest, visit, CallOf(context));
}

Status RunDetail(ClientContext &context, const ReportArguments &arguments, const std::function<bool(const char *)> &,
                 const RowVisitor &visit) {
    auto snapshot = Open(context, arguments);
    if (!snapshot.ok() && (!IsNoTable(snapshot.error()) ||
                           !duckdb::FileSystem::GetFileSystem(context).DirectoryExists(arguments.table.root))) {
        return snapshot.error();
    }
    const auto &name = arguments.table.name;
    BF_ASSIGN(auto row, ReportDetail(EngineOf(*context.db), arguments.table.root, snapshot.ok() ? *snapshot : nullptr,
                                     name.empty() ? std::nullopt : std::optional(name), CallOf(context)));
    return visit(std::move(row));
}

Status RunFiles(ClientContext &context, const ReportArguments &arguments,
                const std::function<bool(const char *)> &wants, const RowVisitor &visit) {
    BF_ASSIGN(const auto snapshot, Open(context, arguments));
    return ReportFiles(EngineOf(*context.db), *snapshot, wants("stats") || wants("numRecords"), visit, CallOf(context));
}

Status RunLog(ClientContext &context, const ReportArguments &arguments, const std::function<bool(const char *)> &,
              const RowVisitor &visit) {
    BF_RETURN_IF_ERROR(Open(context, arguments));  // says what is wrong with the path
    return ReportLog(EngineOf(*context.db), arguments.table.root, visit, CallOf(context));
}

Status RunFeatures(ClientContext &context, const ReportArguments &arguments, const std::function<bool(const char *)> &,
                   const RowVisitor &visit) {
    if (arguments.table.root.empty()) {
        return ReportFeatures(nullptr, visit);
    }
    BF_ASSIGN(const auto snapshot, Open(context, arguments));
    return ReportFeatures(snapshot.get(), visit);
}

Status RunProperties(ClientContext &context, const ReportArguments &arguments,
                     const std::function<bool(const char *)> &, const RowVisitor &visit) {
    BF_ASSIGN(const auto snapshot, Open(context, arguments));
    return ReportProperties(*snapshot, visit);
}

Status RunPartitions(ClientContext &context, const ReportArguments &arguments,
                     const std::function<bool(const char *)> &, const RowVisitor &visit) {
    BF_ASSIGN(const auto snapshot, Open(context, arguments));
    return ReportPartitions(EngineOf(*context.db), *snapshot, visit, CallOf(context));
}

template <StructType (*Columns)()>
StructType Always(ClientContext &, const ReportArguments &) {
    return Columns();
}

StructType ColumnsOfPartitions(ClientContext &context, const ReportArguments &arguments) {
    return ValueOrThrow(PartitionColumnsOf(*ValueOrThrow(Open(context, arguments))));
}

constexpr ReportKind kReports[] = {
    {"birdfoot_history", "The versions of a Delta table, newest first", false, Always<HistoryColumns>, RunHistory},
    {"birdfoot_detail", "What a Delta table is: location, size, layout, properties, protocol", false,
     Always<DetailColumns>, RunDetail},
    {"birdfoot_files", "The live data files of a Delta table, with statistics", false, Always<FileColumns>, RunFiles},
    {"birdfoot_log", "Every action of the commits of a Delta table that are still there", false, Always<LogColumns>,
     RunLog},
    {"birdfoot_features", "The features of a Delta table, or all that there are", true, Always<FeatureColumns>,
     RunFeatures},
    {"birdfoot_properties", "The properties of a Delta table", false, Always<PropertyColumns>, RunProperties},
    {"birdfoot_partitions", "The partitions of a Delta table that have files", false, ColumnsOfPartitions,
     RunPartitions},
};

struct ReportInfo : public duckdb::TableFunctionInfo {
    explicit ReportInfo(const ReportKind &kind) : kind(kind) {}
    const ReportKind &kind;
};

struct ReportBind : public duckdb::TableFunctionData {
    explicit ReportBind(const ReportKind &kind) : kind(kind) {}
    const ReportKind &kind;
    ReportArguments arguments;
    duckdb::vector<std::string> names;
    duckdb::vector<LogicalType> types;
};

struct ReportState : public duckdb::GlobalTableFunctionState {
    duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
    duckdb::ColumnDataScanState scan;
};

ReportArguments ArgumentsOf(ClientContext &context, const duckdb::TableFunctionBindInput &input) {
    ReportArguments arguments;
    if (!input.inputs.empty()) {
        if (input.inputs[0].IsNull()) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "The path of the table is NULL. Give the table's folder."));
        }
        arguments.table = TableNamed(context, input.inputs[0].ToString(), input.table_function.name);
    }
    for (const auto &[name, value] : input.named_parameters) {
        if (value.IsNull()) {
            continue;
        }
        if (name == "version") {
            if (!std::holds_alternative<LatestVersion>(arguments.table.target)) {
                Throw(Fail(Condition::DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS,
                           "'{}' asks for a version by its name and by a parameter. Leave one of them out.",
                           input.inputs[0].ToString()));
            }
            arguments.table.target = AtVersion{value.GetValue<int64_t>()};
        } else if (name == "newest") {
            arguments.newest = value.GetValue<uint64_t>();
        } else if (name == "name") {
            arguments.table.name = value.ToString();
        }
    }
    return arguments;
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(ClientContext &context, duckdb::TableFunctionBindInput &input,
                                              duckdb::vector<LogicalType> &types, duckdb::vector<std::string> &names) {
    return Guarded([&] {
        const auto &kind = input.info->Cast<ReportInfo>().kind;
        auto data = duckdb::make_uniq<ReportBind>(kind);
        data->arguments = ArgumentsOf(context, input);
        for (const auto &column : kind.columns(context, data->arguments).fields) {
            names.push_back(column.name);
            types.push_back(TypeOf(column.type));
        }
        data->names = names;
        data->types = types;
        return duckdb::unique_ptr<duckdb::FunctionData>(std::move(data));
    });
}

Value ToValue(const ReportValue &report, const LogicalType &type) {
    if (const auto *scalar = std::get_if<Scalar>(&report.value)) {
        return ValueOf(*scalar);
    }
    if (const auto *list = std::get_if<std::vector<std::string>>(&report.value)) {
        duckdb::vector<Value> items(list->begin(), list->end());
        return Value::LIST(LogicalType::VARCHAR, std::move(items));
    }
    if (const auto *map = std::get_if<ReportValue::Map>(&report.value)) {
        duckdb::vector<Value> keys;
        duckdb::vector<Value> values;
        std::set<std::string> seen;
        for (const auto &[key, value] : *map) {
            if (seen.insert(key).second) {
                keys.emplace_back(key);
                values.push_back(value ? Value(*value) : Value(LogicalType::VARCHAR));
            }
        }
        return Value::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR, std::move(keys), std::move(values));
    }
    if (const auto *fields = std::get_if<std::vector<ReportValue>>(&report.value)) {
        duckdb::vector<Value> values;
        for (size_t i = 0; i < fields->size(); i++) {
            values.push_back(ToValue((*fields)[i], duckdb::StructType::GetChildType(type, i)));
        }
        return Value::STRUCT(type, std::move(values));
    }
    return Value(type);
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> Init(ClientContext &context,
                                                          duckdb::TableFunctionInitInput &input) {
    return Guarded([&] {
        const auto &bind = input.bind_data->Cast<ReportBind>();
        duckdb::vector<LogicalType> types;
        for (const auto id : input.column_ids) {
            types.push_back(id < bind.types.size() ? bind.types[id] : LogicalType::BIGINT);
        }
        auto state = duckdb::make_uniq<ReportState>();
        state->rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(context, types);
        duckdb::ColumnDataAppendState append;
        state->rows->InitializeAppend(append);
        duckdb::DataChunk chunk;
        chunk.Initialize(context, types);
        const auto flush = [&] {
            state->rows->Append(append, chunk);
            chunk.Reset();
        };
        const auto wants = [&](const char *column) {
            return std::any_of(input.column_ids.begin(), input.column_ids.end(),
                               [&](auto id) { return id < bind.names.size() && bind.names[id] == column; });
        };
        OkOrThrow(bind.kind.run(context, bind.arguments, wants, [&](ReportRow &&row) -> Status {
            const auto at = chunk.size();
            for (idx_t i = 0; i < types.size(); i++) {
                const auto id = input.column_ids[i];
                chunk.SetValue(i, at, id < row.size() ? ToValue(row[id], types[i]) : Value(types[i]));
            }
            chunk.SetCardinality(at + 1);
            if (chunk.size() == STANDARD_VECTOR_SIZE) {
                flush();
            }
            return {};
        }));
        flush();
        state->rows->InitializeScan(state->scan);
        return duckdb::unique_ptr<duckdb::GlobalTableFunctionState>(std::move(state));
    });
}

void Next(ClientContext &, duckdb::TableFunctionInput &input, duckdb::DataChunk &output) {
    Guarded([&] {
        auto &state = input.global_state->Cast<ReportState>();
        state.rows->Scan(state.scan, output);
    });
}

duckdb::TableFunction Function(const ReportKind &kind, duckdb::vector<LogicalType> arguments) {
    duckdb::TableFunction function(kind.function, std::move(arguments), Next, Bind, Init);
    function.projection_pushdown = true;
    function.named_parameters["version"] = LogicalType::BIGINT;
    function.named_parameters["newest"] = LogicalType::UBIGINT;
    function.named_parameters["name"] = LogicalType::VARCHAR;
    function.function_info = duckdb::make_shared_ptr<ReportInfo>(kind);
    return function;
}

}  // namespace

void RegisterReportFunctions(duckdb::ExtensionLoader &loader) {
    for (const auto &kind : kReports) {
        duckdb::TableFunctionSet set(kind.function);
        set.AddFunction(Function(kind, {LogicalType::VARCHAR}));
        if (kind.path_is_optional) {
            set.AddFunction(Function(kind, {}));
        }
        RegisterDocumented(loader, std::move(set), {"path"}, kind.description);
    }
}

}  // namespace birdfoot::duck
