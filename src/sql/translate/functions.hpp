// The functions that are more than a form of text, by name; for translator.hpp's Translator.
#pragma once

#include <string_view>

#include "sql/translate/translator.hpp"

namespace birdfoot::sql {

using FunctionRule = Result<Value> (*)(Translator &translator, const Expression &node, Values arguments);
//! Null if there is no such function, or it is a form of the table.
FunctionRule FindSpecialFunction(std::string_view name);

}  // namespace birdfoot::sql
