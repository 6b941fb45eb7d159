// What a text given to DuckDB means to us: nothing (DuckDB parses it as it is), DuckDB's statement in Spark's spelling
// (rewritten text), or a statement of Spark's or Delta's (a struct). Syntax errors of the latter say what is wrong with
// which token; whatever is not recognised as Spark's is left to DuckDB, with DuckDB's errors.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.hpp"
#include "sql/statement.hpp"

namespace birdfoot::sql {

struct Unchanged {};
struct Rewritten {
    std::string text;
};
struct Parsed {
    Statement statement;
    //! EXPLAIN … or PREPARE … AS, which stood before it; empty otherwise.
    std::string prefix;
    //! The statement without the prefix in DuckDB's spelling, for tables that turn out to be DuckDB's own.
    std::string text;
};
using Reading = std::variant<Unchanged, Rewritten, Parsed>;

//! One statement, with or without a semicolon behind it.
Result<Reading> ReadStatement(std::string_view text);

struct ScriptPart {
    std::string_view text;  // of the script, without its semicolon
    Result<Reading> reading;
};
//! A script. None, fast, if every statement of it is left to DuckDB.
std::optional<std::vector<ScriptPart>> ReadScript(std::string_view script);

}  // namespace birdfoot::sql
