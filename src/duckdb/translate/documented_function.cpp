#include "duckdb/translate/documented_function.hpp"

#include "duckdb/parser/parsed_data/create_table_function_info.hpp"

namespace birdfoot::duck {

void RegisterDocumented(duckdb::ExtensionLoader &loader, duckdb::TableFunctionSet functions,
                        const std::vector<std::string> &arguments, const std::string &description) {
    duckdb::CreateTableFunctionInfo info(std::move(functions));
    for (const auto &function : info.functions.functions) {
        duckdb::FunctionDescription entry;
        entry.parameter_types = function.arguments;
        for (size_t i = 0; i < function.arguments.size(); i++) {
            entry.parameter_names.push_back(arguments[i]);
        }
        for (const auto &[name, type] : function.named_parameters) {  // in the order in which DuckDB shows their types
            entry.parameter_names.push_back(name);
        }
        entry.description = description;
        info.descriptions.push_back(std::move(entry));
    }
    loader.RegisterFunction(std::move(info));
}

}  // namespace birdfoot::duck
