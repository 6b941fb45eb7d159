// Java's regular expressions, as Spark has them, in the words of RE2, DuckDB's engine: for patterns whose meaning is
// the same in both or can be written out. Look-around, back-references, possessive quantifiers, word boundaries,
// Unicode classes and class arithmetic are refused by name.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace birdfoot::sql {

struct Re2Pattern {
    std::string text;
    size_t groups = 0;          // that capture
    bool may_be_empty = false;  // can match no character at all
    bool has_end = false;       // $ is in it, which here may take a line break with it
};

Result<Re2Pattern> TranslateJavaRegex(std::string_view pattern);

//! The replacement of regexp_replace: $1 becomes \1. BIRDFOOT_INVALID_INPUT for a group that is not there.
Result<std::string> TranslateJavaReplacement(std::string_view replacement, size_t groups);

}  // namespace birdfoot::sql
