// Java's patterns of dates and times (yyyy-MM-dd HH:mm:ss), as date_format and to_date have them, in the words of
// DuckDB's strftime. Years of other than four digits are not written, see year_is_short.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace birdfoot::sql {

//! strftime's format; DELTA_UNSUPPORTED_EXPRESSION names a letter that is not known to print the same.
Result<std::string> TranslateJavaPattern(std::string_view pattern);

//! That spark_parse_time reads the pattern: only yyyy, MM, dd, HH, mm, ss (M, d, H, m, s too) and text between them.
Status CheckParsePattern(std::string_view pattern);

}  // namespace birdfoot::sql
