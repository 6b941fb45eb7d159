// What the rules of special functions share; and their tables by kind.
#pragma once

#include <span>

#include "sql/translate/functions.hpp"

namespace birdfoot::sql {

struct SpecialFunction {
    std::string_view name;
    FunctionRule rule;
};
//! Text: concatenation, regular expressions, digests.
std::span<const SpecialFunction> TextFunctions();
//! Dates and times: truncated, formatted, parsed, shifted.
std::span<const SpecialFunction> TimeFunctions();

Error WrongArguments(const Expression &node);
bool AnyFails(const Values &values);
std::string Joined(const Values &values);
//! The text of a literal, which decides what the function does.
Result<std::string> LiteralText(const Expression &node, size_t argument);
Result<int64_t> LiteralInteger(const Expression &node, size_t argument);

}  // namespace birdfoot::sql
