// Tables by their path alone: delta_scan('path'), as DuckDB's own extension has it, and FROM 'delta:path'.
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"

#include "core/table/snapshot.hpp"
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

//! delta_scan('path' [, version => n | timestampAsOf => t]). Spark's names of the options work, and DuckDB's, of which
//! "timestamp" has to be quoted, since it is a keyword.
duckdb::unique_ptr<FunctionData> BindPath(ClientContext &context, duckdb::TableFunctionBindInput &input,
                                          duckdb::vector<LogicalType> &types, duckdb::vector<duckdb::string> &names) {
    return Guarded([&] {
        if (input.inputs[0].IsNull()) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT, "delta_scan needs the path of a table, not NULL."));
        }
        auto table = TableNamed(context, duckdb::StringValue::Get(input.inputs[0]), "delta_scan");
        auto &target = table.target;
        ScanSource source;
        for (const auto &[unit, value] : input.named_parameters) {
            if (!std::holds_alternative<LatestVersion>(target)) {
                Throw(Fail(Condition::DELTA_ONEOF_IN_TIMETRAVEL, "Name either a version or a timestamp, not both."));
            }
            const bool by_version = duckdb::StringUtil::StartsWith(duckdb::StringUtil::Lower(unit), "version");
            target = TargetOf(context, duckdb::BoundAtClause(by_version ? "version" : "timestamp", value));
        }
        const bool latest = std::holds_alternative<LatestVersion>(target);
        if (auto *transaction = latest ? DeltaTransaction::Any(context) : nullptr) {
            source = transaction->Read(context, table.root);
        }
        source.time_travel = !latest;
        if (!source.snapshot) {
            source.snapshot = ValueOrThrow(OpenNamed(context, table));
        }
        return BindScan(context, std::move(source), input.table_function, types, names);
    });
}

//! Whether FROM 'folder' names a table's folder. A word without a slash is the name of a table that is missing.
bool IsTableFolder(ClientContext &context, const std::string &name) {
    if (name.find('/') == std::string::npos || name.find("://") != std::string::npos) {
        return false;
    }
    const auto target = TargetInName(context, name);
    const auto root = NormalizeTableRoot(target ? target->first : name);
    return duckdb::DBConfig::GetConfig(context).CanAccessFile(root + "/", duckdb::FileType::FILE_TYPE_DIR) &&
           ValueOrThrow(IsDeltaTable(EngineOf(*context.db), root, CallOf(context)));
}

//! FROM 'delta:path', and FROM 'folder' where the folder is a table, are delta_scan('path').
duckdb::unique_ptr<duckdb::TableRef> ReplaceName(ClientContext &context, duckdb::ReplacementScanInput &input,
                                                 duckdb::optional_ptr<duckdb::ReplacementScanData>) {
    static constexpr std::string_view kPrefix = "delta:";
    const auto &name = input.table_name;
    if (!input.catalog_name.empty() || !input.schema_name.empty()) {
        return nullptr;
    }
    const bool prefixed = name.size() > kPrefix.size() && name.starts_with(kPrefix);
    if (!prefixed && !Guarded([&] { return IsTableFolder(context, name); })) {
        return nullptr;
    }
    auto reference = duckdb::make_uniq<duckdb::TableFunctionRef>();
    duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
    arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(Value(name)));
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
    duckdb::TableFunctionSet functions(function.name);
    functions.AddFunction(std::move(function));
    RegisterDocumented(loader, std::move(functions), {"path"}, "The rows of a Delta table");
    RegisterTableChanges(loader);
    duckdb::DBConfig::GetConfig(loader.GetDatabaseInstance()).replacement_scans.emplace_back(ReplaceName);
}

}  // namespace birdfoot::duck
