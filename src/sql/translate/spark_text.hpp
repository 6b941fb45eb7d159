// How Spark reads values from text and takes text apart: what the functions named spark_… in a translation's text do,
// for one value at a time. No engine here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace birdfoot::sql {

//! None: the text is no such value. An error: it may be one, but of a form that is not read here.
template <typename T>
using Read = Result<std::optional<T>>;

Read<bool> ReadBoolean(std::string_view text);
Read<int64_t> ReadLong(std::string_view text);
Read<double> ReadReal(std::string_view text, bool single);
//! The number rounded to this scale, half up, as text without exponent.
Read<std::string> ReadDecimal(std::string_view text, int64_t scale);
Read<int32_t> ReadDate(std::string_view text);

struct SparkTimestamp {
    int64_t wall_micros = 0;
    std::optional<int64_t> offset_micros;  // east of UTC, where the text has a zone
};
Read<SparkTimestamp> ReadTimestamp(std::string_view text);
//! Microseconds on the wall clock, by a pattern that CheckParsePattern takes.
Read<int64_t> ReadByPattern(std::string_view text, std::string_view pattern);

//! The shortest digits of a double rounded to so many places behind the point (before it, if negative).
double RoundReal(double value, int64_t places, bool half_even);

//! Positions count characters. Spark's substring: a start of 0 is 1, a negative one counts from the end.
std::string_view Substring(std::string_view text, int64_t start, int64_t length);
std::string_view SubstringOfBytes(std::string_view bytes, int64_t start, int64_t length);
std::string_view Right(std::string_view text, int64_t length);
std::string Pad(std::string_view text, int64_t length, std::string_view pad, bool left);
std::string Reverse(std::string_view text);
//! The 1-based position of `part` at or behind `start`; 0 if there is none.
int32_t Locate(std::string_view part, std::string_view text, int32_t start);

int32_t Murmur3OfInt(int32_t value, int32_t seed);
int32_t Murmur3OfLong(int64_t value, int32_t seed);
int32_t Murmur3OfBytes(std::string_view bytes, int32_t seed);
int64_t XxHash64OfInt(int32_t value, int64_t seed);
int64_t XxHash64OfLong(int64_t value, int64_t seed);
int64_t XxHash64OfBytes(std::string_view bytes, int64_t seed);

}  // namespace birdfoot::sql
