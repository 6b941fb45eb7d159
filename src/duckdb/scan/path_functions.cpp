// Tables by their path alone: delta_scan('path'), as DuckDB's own extension has it, and FROM 'delta:path'.
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"

#include "core/table/table_cache.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/scan/scan_function.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::ClientContext;
using duckdb::FunctionData;
using duckdb::LogicalType;
using duckdb::Value;

namespace {

//! delta_scan('path' [, version => n | timestampAsOf => t]). Spark's names of the options work, and DuckDB's, of which
//! "timestamp" has to be quoted, since it is a keyword.
duckdb::unique_ptr<FunctionData> BindPath(ClientContext &context, duckdb::TableFunctionBindInput &input,
                                          duckdb::vector<LogicalType> &types, duckdb::vector<duckdb::string> &names) {
    return Guarded([&] {
        if (input.inputs[0].IsNull()) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "delta_scan needs the path of a table, not NULL."));
        }
        auto path = duckdb::StringValue::Get(input.inputs[0]);
        ScanSource source;
        VersionTarget target = LatestVersion{};
        if (auto named = TargetInName(context, path)) {
            path = named->first;
            target = named->second;
        }
        for (const auto &[unit, value] : input.named_parameters) {
            if (!std::holds_alternative<LatestVersion>(target)) {
                Throw(Fail(Condition::DELTA_ONEOF_IN_TIMETRAVEL, "Name either a version or a timestamp, not both."));
            }
            const bool by_version = duckdb::StringUtil::StartsWith(duckdb::StringUtil::Lower(unit), "version");
            target = TargetOf(context, duckdb::BoundAtClause(by_version ? "version" : "timestamp", value));
        }
        source.time_travel = !std::holds_alternative<LatestVersion>(target);
        const auto root = NormalizeTableRoot(path);
        CheckAccess(context, root);
        source.snapshot = ValueOrThrow(OpenSnapshot(EngineOf(*context.db), root, target, CallOf(context)));
        return BindScan(context, std::move(source), input.table_function, types, names);
    });
}

//! FROM 'delta:path' is delta_scan('path').
duckdb::unique_ptr<duckdb::TableRef> ReplaceName(ClientContext &, duckdb::ReplacementScanInput &input,
                                                 duckdb::optional_ptr<duckdb::ReplacementScanData>) {
    static constexpr std::string_view kPrefix = "delta:";
    const auto &name = input.table_name;
    if (!input.catalog_name.empty() || !input.schema_name.empty() || name.size() <= kPrefix.size() ||
        name.compare(0, kPrefix.size(), kPrefix) != 0) {
        return nullptr;
    }
    auto reference = duckdb::make_uniq<duckdb::TableFunctionRef>();
    duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
    arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(Value(name.substr(kPrefix.size()))));
    reference->function = duckdb::make_uniq<duckdb::FunctionExpression>("delta_scan", std::move(arguments));
    return reference;
}

}  // namespace

void RegisterScan(duckdb::ExtensionLoader &loader) {
    auto function = ScanFunction();
    function.bind = BindPath;
    for (const auto *name : {"version", "versionAsOf", "timestamp", "timestampAsOf"}) {
        function.named_parameters[name] = LogicalType::ANY;
    }
    loader.RegisterFunction(std::move(function));
    RegisterTableChanges(loader);
    duckdb::DBConfig::GetConfig(loader.GetDatabaseInstance()).replacement_scans.emplace_back(ReplaceName);
}

}  // namespace birdfoot::duck
