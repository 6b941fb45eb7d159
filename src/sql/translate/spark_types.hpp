// The types of Spark's expressions, and its rules for bringing two of them together, as they are with ANSI mode on
// (Spark 4's default). Where Spark's rule depends on more than the types, or a decimal would lose digits, there is no
// answer here and the expression is refused.
#pragma once

#include <optional>
#include <string>

#include "core/schema/types.hpp"

namespace birdfoot::sql {

//! An interval is no type of Delta's: months are held as INTEGER, what is shorter as BIGINT microseconds.
enum class IntervalKind : uint8_t { kNone, kMonths, kDays, kTime };

struct SparkType {
    SparkType() = default;
    SparkType(DataType plain) : type(std::move(plain)) {}  // NOLINT: implicit on purpose
    SparkType(TypeKind kind) : type(kind) {}               // NOLINT: implicit on purpose
    SparkType(IntervalKind kind) : interval(kind) {}       // NOLINT: implicit on purpose

    DataType type;
    IntervalKind interval = IntervalKind::kNone;

    bool Is(TypeKind kind) const { return interval == IntervalKind::kNone && type.kind() == kind; }
    bool is_interval() const { return interval != IntervalKind::kNone; }
    bool is_void() const { return Is(TypeKind::kVoid); }
    bool is_string() const { return Is(TypeKind::kString); }
    bool is_integer() const { return !is_interval() && type.is_integer(); }
    bool is_decimal() const { return Is(TypeKind::kDecimal); }
    bool is_real() const { return Is(TypeKind::kFloat) || Is(TypeKind::kDouble); }
    bool is_numeric() const { return is_integer() || is_decimal() || is_real(); }
    bool is_time() const { return Is(TypeKind::kDate) || Is(TypeKind::kTimestamp) || Is(TypeKind::kTimestampNtz); }
    bool is_nested() const { return !is_interval() && type.is_nested(); }

    bool SameAs(const SparkType &other) const { return interval == other.interval && type.SameAs(other.type); }
    std::string ToString() const;
};

//! The type to which both are cast before they are compared, or chosen from. `text_gives_way`: text is cast to the
//! other type, as in a comparison or arithmetic.
std::optional<SparkType> CommonType(const SparkType &a, const SparkType &b, bool text_gives_way);

//! The decimal that holds every value of an integer type.
std::optional<DataType> DecimalOfInteger(TypeKind kind);
//! None if more than 38 digits are needed.
std::optional<DataType> DecimalOf(int precision, int scale);
//! The type of a + - * / % b; none if Spark would cut digits to stay within 38.
std::optional<DataType> DecimalResult(std::string_view op, const DataType &a, const DataType &b);

}  // namespace birdfoot::sql
