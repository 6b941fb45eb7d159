// Table functions with what duckdb_functions() shows of them: names of parameters, and a sentence.
#pragma once

#include "duckdb.hpp"
#include "duckdb/function/function_set.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

namespace birdfoot::duck {

//! `arguments` names those of the longest overload; a shorter one has the first of them.
void RegisterDocumented(duckdb::ExtensionLoader &loader, duckdb::TableFunctionSet functions,
                        const std::vector<std::string> &arguments, const std::string &description);

}  // namespace birdfoot::duck
