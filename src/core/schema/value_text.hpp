// Text forms of dates, times and numbers in the log, beyond those that scalar.hpp offers to everybody: exact both ways,
// independent of any locale, written as Spark (so Java) writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/schema/scalar.hpp"

namespace birdfoot {

inline constexpr int64_t kMicrosPerSecond = 1'000'000;
inline constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;

struct ParsedTimestamp {
    int64_t wall_micros = 0;               // as the clock on the wall showed it
    std::optional<int64_t> offset_micros;  // east of UTC, where the text named a zone
};
//! "yyyy-MM-dd", then optionally "T" or " " and "HH:mm[:ss[.f…]]" and "Z", "UTC", "±HH[[:]mm]". More than six digits of
//! a fraction are cut. None for other text; region names ("Europe/Berlin") need a time zone database and are not read.
std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text);

enum class TimestampStyle : uint8_t {
    kIsoMicros,  // 2024-01-01T00:00:00.000000
    kIsoMillis,  // 2024-01-01T00:00:00.000, cut downwards
    kSpaced,     // 2024-01-01 00:00:00[.f], no zeros at the end
};
std::string TimestampToText(int64_t micros, TimestampStyle style);

//! Java's Double.toString / Float.toString, shortest digits that read back: "1.0", "1.0E10", "NaN", "-Infinity".
std::string RealToText(double value, bool single);
//! What Java reads, names of NaN and infinity in any case; a float's text gives the float's value.
std::optional<double> RealFromText(std::string_view text, bool single);
std::optional<int64_t> IntegerFromText(std::string_view text);

//! A decimal's text as a bound: digits behind `scale` round upwards or downwards. Where more than a double's 15 digits
//! are possible, text that a double may have printed (delta-rs wrote decimals so) is moved outwards by what it may have
//! lost.
std::optional<Int128> DecimalBound(std::string_view text, uint8_t precision, uint8_t scale, bool up);

Int128 PowerOfTen(unsigned exponent);  // up to 38

}  // namespace birdfoot
