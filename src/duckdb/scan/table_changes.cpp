// The change data feed: table_changes('name or path', start [, end]) and table_changes_by_path. The rows that were
// inserted, deleted and updated by the versions of a range, both ends included, with _change_type, _commit_version and
// _commit_timestamp. An end is a version, or a time.
#include "duckdb/main/extension/extension_loader.hpp"

#include "core/changes/table_changes.hpp"
#include "core/table/history.hpp"
#include "core/table/table_cache.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/parser/table_names.hpp"
#include "duckdb/scan/scan_function.hpp"
#include "duckdb/translate/documented_function.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::ClientContext;
using duckdb::FunctionData;
using duckdb::LogicalType;
using duckdb::Value;

namespace {

//! Whether the first argument may be a name of the catalog too.
struct ChangesInfo : public duckdb::TableFunctionInfo {
    explicit ChangesInfo(bool by_path_p) : by_path(by_path_p) {}
    const bool by_path;
};

NamedTable Named(ClientContext &context, const std::string &text, bool by_path) {
    static constexpr std::string_view kPrefix = "delta:";
    if (by_path) {
        return {
            NormalizeTableRoot(text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text), {}, LatestVersion{}};
    }
    auto table = TableNamed(context, text, "table_changes");
    if (!std::holds_alternative<LatestVersion>(table.target)) {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "'{}' names a version. table_changes takes the first and the last one as its other arguments.",
                   text));
    }
    return table;
}

//! A version as it stands, or the one of a time: the first at or after it for a start, the last at or before it for an
//! end.
Version VersionOf(ClientContext &context, const Engine &engine, const Snapshot &latest, const Value &value,
                  bool is_start) {
    const bool is_number = value.type().IsIntegral() || value.type().id() == duckdb::LogicalTypeId::DECIMAL ||
                           value.type().id() == duckdb::LogicalTypeId::SQLNULL;
    const auto target = TargetOf(context, duckdb::BoundAtClause(is_number ? "version" : "timestamp", value));
    if (const auto *version = std::get_if<AtVersion>(&target)) {
        return version->version;
    }
    const auto &time = std::get<AtTimestamp>(target);
    const auto call = CallOf(context);
    if (!is_start) {
        return ValueOrThrow(VersionAtTime(engine, latest, time, OutOfRange::kClamp, call)).version;
    }
    const auto first = ValueOrThrow(VersionFromTime(engine, latest, time.micros, call));
    if (!first) {
        Throw(Fail(Condition::DELTA_TIMESTAMP_GREATER_THAN_COMMIT,
                   "{} is after the latest version of the table {}, which is {}. Name an earlier time.",
                   value.ToString(), latest.root(), latest.version()));
    }
    return first->version;
}

duckdb::unique_ptr<FunctionData> BindChanges(ClientContext &context, duckdb::TableFunctionBindInput &input,
                                             duckdb::vector<LogicalType> &types,
                                             duckdb::vector<duckdb::string> &names) {
    return Guarded([&] {
        const auto &arguments = input.inputs;
        if (arguments[0].IsNull() || arguments[1].IsNull()) {
            Throw(Fail(Condition::DELTA_NO_START_FOR_CDC_READ,
                       "{} needs a table and the first version to read, of which none may be NULL.",
                       input.table_function.name));
        }
        const auto table =
            Named(context, duckdb::StringValue::Get(arguments[0]), input.info->Cast<ChangesInfo>().by_path);
        const auto &root = table.root;
        const auto engine = EngineOf(*context.db);
        const auto call = CallOf(context);
        const auto latest = ValueOrThrow(OpenNamed(context, table));
        ChangeRange range;
        range.start = VersionOf(context, engine, *latest, arguments[1], true);
        if (arguments.size() > 2 && !arguments[2].IsNull()) {
            range.end = VersionOf(context, engine, *latest, arguments[2], false);
        }
        auto changes = std::make_shared<TableChanges>(ValueOrThrow(PlanTableChanges(engine, root, range, call)));
        ScanSource source;
        source.snapshot = changes->snapshot;
        source.changes = std::move(changes);
        return BindScan(context, std::move(source), input.table_function, types, names);
    });
}

}  // namespace

void RegisterTableChanges(duckdb::ExtensionLoader &loader) {
    for (const bool by_path : {false, true}) {
        duckdb::TableFunctionSet set(by_path ? "table_changes_by_path" : "table_changes");
        auto function = ScanFunction();
        function.name = set.name;
        function.bind = BindChanges;
        function.function_info = duckdb::make_shared_ptr<ChangesInfo>(by_path);
        function.arguments = {LogicalType::VARCHAR, LogicalType::ANY};
        set.AddFunction(function);
        function.arguments.push_back(LogicalType::ANY);
        set.AddFunction(std::move(function));
        RegisterDocumented(loader, std::move(set), {by_path ? "path" : "table", "first", "last"},
                           "The rows that a range of versions of a Delta table inserted, deleted and updated");
    }
}

}  // namespace birdfoot::duck
