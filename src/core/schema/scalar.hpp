// Scalar: one value of a primitive type, as partition values, statistics and predicates hold it, with its text forms in
// the log (PROTOCOL.md, "Partition Value Serialization" and "Per-file Statistics"). All conversions are exact and ours;
// no engine cast is involved.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/json.hpp"
#include "core/schema/types.hpp"

namespace birdfoot {

using Int128 = __int128;

class Scalar {
public:
    Scalar() = default;  // NULL of type void
    static Scalar Null(DataType type) { return Scalar(std::move(type)); }
    static Scalar Bool(bool value);
    static Scalar Integer(DataType type, int64_t value);  // byte … long, date (days), timestamp / ntz (microseconds)
    static Scalar Real(DataType type, double value);      // float, double
    static Scalar DecimalOf(DataType type, Int128 unscaled);
    static Scalar Text(DataType type, std::string bytes);  // string, binary

    const DataType &type() const { return type_; }
    bool is_null() const { return null_; }
    int64_t integer() const { return integer_; }  // bool too: 0 / 1
    double real() const { return real_; }
    Int128 decimal() const { return decimal_; }
    const std::string &text() const { return text_; }

    //! Order of two non-null values of comparable types: numbers with numbers whatever their width, NaN above all and
    //! equal to itself, -0.0 equal to 0.0, text by bytes, dates with timestamps_ntz at midnight. None if not
    //! comparable.
    static std::optional<std::weak_ordering> Compare(const Scalar &a, const Scalar &b);

    //! Reads a partition value; "" and none are NULL for every type. Zone-less timestamps are UTC; both "yyyy-MM-dd
    //! HH:mm:ss[.f]" and ISO with zone are read; years beyond 9999 and negative too.
    //! DELTA_INVALID_PARTITION_VALUE says which value is no such type.
    static Result<Scalar> FromPartitionValue(const DataType &type, const std::optional<std::string> &text);
    //! As Spark writes it (timestamps in UTC, ISO with Z: "2024-01-01T00:00:00.000000Z"); none for NULL.
    std::optional<std::string> ToPartitionValue() const;

    //! What a writer asks first: binary that is not UTF-8 has no text in the log and would come back as other bytes
    //! (BIRDFOOT_UNSUPPORTED).
    Status CheckPartitionValue() const;

    //! Reads a value of minValues / maxValues. None where it cannot be read: then it is as if it were missing.
    static std::optional<Scalar> FromStatistics(const DataType &type, JsonValue json);
    //! As Spark writes it: strings and dates as text, timestamps with milliseconds and offset, numbers as numbers. The
    //! caller has cut strings and widened bounds already. NaN and infinities are strings ("NaN"), as Spark has them.
    std::optional<std::string> ToStatisticsJson() const;

    //! For messages and metrics: NULL, 12, 'text', 2024-01-01 …
    std::string ToString() const;

private:
    explicit Scalar(DataType type) : type_(std::move(type)) {}
    DataType type_;
    bool null_ = true;
    int64_t integer_ = 0;
    double real_ = 0;
    Int128 decimal_ = 0;
    std::string text_;
};

//! Calendar: proleptic Gregorian.
struct CivilDate {
    int64_t year;
    unsigned month;
    unsigned day;
};
int64_t DaysFromCivil(int64_t year, unsigned month, unsigned day);
CivilDate CivilFromDays(int64_t days);
//! "2024-01-01", "+10000-01-01", "-0001-01-01".
std::string DateToText(int64_t days);
std::optional<int64_t> DateFromText(std::string_view text);
//! Microseconds since the epoch; `zoned` tells whether the text named a zone. Zone-less text is taken as UTC.
std::optional<int64_t> TimestampFromText(std::string_view text, bool *zoned);
std::string DecimalToText(Int128 unscaled, uint8_t scale);
//! Exact; more digits behind the point than `scale` only where they are zeros. None if it does not fit `precision`.
std::optional<Int128> DecimalFromText(std::string_view text, uint8_t precision, uint8_t scale);

}  // namespace birdfoot
