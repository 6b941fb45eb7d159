// The text of an interval: INTERVAL '1' DAY, INTERVAL 1 DAY 2 HOURS, INTERVAL '1 day 2 hours'. Months, days and
// microseconds stay apart, as both Spark and DuckDB have them.
#pragma once

#include <cstdint>
#include <string_view>

#include "sql/token_cursor.hpp"

namespace birdfoot::sql {

struct Interval {
    int64_t months = 0;
    int64_t days = 0;
    int64_t microseconds = 0;
    bool has_time = false;  // a unit below the day was named
};

//! Takes what stands behind the word INTERVAL. DELTA_UNSUPPORTED_EXPRESSION for YEAR TO MONTH and its like.
Result<Interval> TakeInterval(TokenCursor &cursor);

}  // namespace birdfoot::sql
