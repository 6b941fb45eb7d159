#include "core/schema/scalar.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/schema/value_text.hpp"

namespace birdfoot {
namespace {

const DataType kByte(TypeKind::kByte), kShort(TypeKind::kShort), kInt(TypeKind::kInteger), kLong(TypeKind::kLong),
    kFloat(TypeKind::kFloat), kDouble(TypeKind::kDouble), kString(TypeKind::kString), kBinary(TypeKind::kBinary),
    kDate(TypeKind::kDate), kTimestamp(TypeKind::kTimestamp), kNtz(TypeKind::kTimestampNtz),
    kBoolean(TypeKind::kBoolean);

Scalar Read(const DataType &type, const std::string &text) {
    auto value = Scalar::FromPartitionValue(type, text);
    EXPECT_TRUE(value.ok()) << type.ToString() << " " << text;
    return value.ok() ? *value : Scalar();
}
bool Refused(const DataType &type, const std::string &text) {
    auto value = Scalar::FromPartitionValue(type, text);
    return !value.ok() && value.error().condition() == Condition::DELTA_INVALID_PARTITION_VALUE;
}
std::string Back(const DataType &type, const std::string &text) {
    return Read(type, text).ToPartitionValue().value_or("(null)");
}
std::optional<Scalar> Stat(const DataType &type, std::string_view json) {
    auto document = JsonDocument::Parse(json);
    EXPECT_TRUE(document.ok());
    return Scalar::FromStatistics(type, document->root());
}

TEST(ScalarTest, PartitionValuesThatSparkWrote) {
    // Texts of the corpus and of Spark's cast to string; each comes back as it was.
    const std::pair<DataType, const char *> same[] = {
        {kByte, "-128"},
        {kShort, "32767"},
        {kInt, "1986"},
        {kLong, "-9223372036854775808"},
        {kFloat, "0.0"},
        {kFloat, "3.4028235E38"},
        {kFloat, "1.4E-45"},
        {kFloat, "0.1"},
        {kDouble, "1.0"},
        {kDouble, "9.9"},
        {kDouble, "1.0E10"},
        {kDouble, "1.0E7"},
        {kDouble, "9999999.0"},
        {kDouble, "0.001"},
        {kDouble, "9.0E-4"},
        {kDouble, "-0.0"},
        {kDouble, "NaN"},
        {kDouble, "Infinity"},
        {kDouble, "-Infinity"},
        {kDouble, "4.9E-324"},
        {kDouble, "1.7976931348623157E308"},
        {kDouble, "2.0E23"},
        {kDouble, "123456.789"},
        {kDouble, "1.23456789012E11"},
        {DataType::Decimal(38, 18), "12.000000000000000000"},
        {DataType::Decimal(38, 18), "-0.000000000000000001"},
        {DataType::Decimal(38, 0), "99999999999999999999999999999999999999"},
        {DataType::Decimal(38, 38), "-0.99999999999999999999999999999999999999"},
        {DataType::Decimal(1, 0), "0"},
        {DataType::Decimal(5, 2), "-0.05"},
        {kString, "/%20%f"},
        {kString, " "},
        {kBinary, "\xF0\x9F\x98\x88"},
        {kDate, "1970-01-01"},
        {kDate, "0001-01-01"},
        {kDate, "1582-10-10"},
        {kDate, "9999-12-31"},
        {kDate, "+10000-01-01"},
        {kDate, "-0044-03-15"},
        {kDate, "0000-02-29"},
        {kBoolean, "true"},
        {kBoolean, "false"},
        {kTimestamp, "2024-01-01T10:00:00.000000Z"},
        {kTimestamp, "0001-01-01T00:00:00.000000Z"},
        {kTimestamp, "1969-12-31T23:59:59.999999Z"},
        {kTimestamp, "+10000-01-01T00:00:00.000001Z"},
        {kNtz, "2013-07-05 17:01:00.123456"},
        {kNtz, "1500-01-01 00:00:00"},
        {kNtz, "2020-01-01 00:00:00.1"},
    };
    for (const auto &[type, text] : same) {
        EXPECT_EQ(Back(type, text), text) << type.ToString();
    }
}

TEST(ScalarTest, EmptyAndAbsentAreNullForEveryType) {
    for (const auto &type : {kString, kBinary, kInt, kTimestamp, DataType(TypeKind::kVoid)}) {
        EXPECT_TRUE(Scalar::FromPartitionValue(type, std::nullopt)->is_null());
        EXPECT_TRUE(Scalar::FromPartitionValue(type, "")->is_null());
    }
    EXPECT_EQ(Scalar::Text(kString, "").ToPartitionValue(), std::nullopt);
    EXPECT_EQ(Scalar::Null(kInt).ToPartitionValue(), std::nullopt);
}

TEST(ScalarTest, BinaryThatIsNoTextIsRefusedBeforeItIsLost) {
    EXPECT_TRUE(Scalar::Text(kBinary, std::string("a\0\x01\xC3\xA9", 5)).CheckPartitionValue().ok());
    EXPECT_TRUE(Scalar::Null(kBinary).CheckPartitionValue().ok());
    EXPECT_TRUE(Scalar::Integer(kInt, 1).CheckPartitionValue().ok());
    const auto lost = Scalar::Text(kBinary, "a\xFF").CheckPartitionValue();  // Spark writes U+FFFD
    ASSERT_FALSE(lost.ok());
    EXPECT_NE(lost.error().text().find("X'61FF'"), std::string::npos) << lost.error().text();
}

TEST(ScalarTest, OtherSpellings) {
    EXPECT_EQ(Read(kInt, "+1").integer(), 1);
    EXPECT_EQ(Read(kInt, " 1.0 ").integer(), 1);
    EXPECT_EQ(Read(kDouble, "1e3").real(), 1000);
    EXPECT_TRUE(std::isnan(Read(kFloat, "nan").real()));
    EXPECT_EQ(Back(DataType::Decimal(38, 18), "0E-18"), "0.000000000000000000");
    EXPECT_EQ(Back(DataType::Decimal(10, 7), "1E-7"), "0.0000001");
    EXPECT_EQ(Back(DataType::Decimal(5, 2), "1.5"), "1.50");
    EXPECT_EQ(Back(kDate, "2021-9-8"), "2021-09-08");
    EXPECT_EQ(Back(kDate, "2021-09-08 00:00:00"), "2021-09-08");
    EXPECT_EQ(Back(kBoolean, "True"), "true");
    // A zone is honoured; without one it is UTC.
    EXPECT_EQ(Back(kTimestamp, "2020-01-01 08:09:10.001"), "2020-01-01T08:09:10.001000Z");
    EXPECT_EQ(Back(kTimestamp, "2024-01-01T01:01:01.000000+02:00"), "2023-12-31T23:01:01.000000Z");
    EXPECT_EQ(Back(kTimestamp, "2024-01-01 01:01:01-0930"), "2024-01-01T10:31:01.000000Z");
    EXPECT_EQ(Back(kTimestamp, "2024-01-01 01:01:01 UTC"), "2024-01-01T01:01:01.000000Z");
    EXPECT_EQ(Back(kTimestamp, "2024-01-01"), "2024-01-01T00:00:00.000000Z");
    EXPECT_EQ(Back(kTimestamp, "2024-01-01 00:00:00.123456789"), "2024-01-01T00:00:00.123456Z");
    EXPECT_EQ(Back(kNtz, "2024-01-01T01:01:01Z"), "2024-01-01 01:01:01");
    EXPECT_EQ(Back(kNtz, "2024-01-01T01:01:01.5+02:00"), "2024-01-01 01:01:01.5");
}

TEST(ScalarTest, WhatIsNoSuchValueIsRefused) {
    const std::pair<DataType, const char *> bad[] = {
        {kByte, "128"},
        {kByte, "-129"},
        {kShort, "40000"},
        {kInt, "2147483648"},
        {kLong, "9223372036854775808"},
        {kInt, "1.5"},
        {kInt, "x"},
        {kInt, "1 2"},
        {kInt, "--1"},
        {kDouble, "1.0x"},
        {kDouble, "+-1"},
        {kDouble, "."},
        {DataType::Decimal(3, 1), "100"},
        {DataType::Decimal(3, 1), "1.25"},
        {DataType::Decimal(3, 1), "1e999999"},
        {DataType::Decimal(3, 1), "1e9999999"},
        {kDate, "2021-02-30"},
        {kDate, "2021-13-01"},
        {kDate, "2021/01/01"},
        {kDate, "20210101"},
        {kTimestamp, "2021-01-01 24:00:00"},
        {kTimestamp, "2021-01-01 10:00:60"},
        {kTimestamp, "2021-01-01 10:00:00 Europe/Berlin"},
        {kTimestamp, "2021-01-01 10:00:00+19:00"},
        {kTimestamp, "2021-01-01T"},
        {kTimestamp, "400000-01-01 00:00:00"},
        {kBoolean, "2"},
        {DataType(TypeKind::kVariant), "x"},
        {DataType(TypeKind::kVoid), "x"},
    };
    for (const auto &[type, text] : bad) {
        EXPECT_TRUE(Refused(type, text)) << type.ToString() << " " << text;
    }
}

TEST(ScalarTest, RealsReadBackForEveryBitPattern) {
    std::mt19937_64 random(42);
    for (int i = 0; i < 200'000; ++i) {
        const auto bits = random();
        double value;
        std::memcpy(&value, &bits, sizeof value);
        const auto read = RealFromText(RealToText(value, false), false);
        ASSERT_TRUE(read);
        ASSERT_TRUE(std::isnan(value) ? std::isnan(*read)
                                      : *read == value && std::signbit(*read) == std::signbit(value));
        float single;
        std::memcpy(&single, &bits, sizeof single);
        const auto narrow = RealFromText(RealToText(single, true), true);
        ASSERT_TRUE(narrow && (std::isnan(single) ? std::isnan(*narrow) : *narrow == single));
    }
}

TEST(ScalarTest, DatesReadBackOverTheWholeRange) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 100'000; ++i) {
        const auto days = static_cast<int64_t>(random() % 120'000'000) - 60'000'000;
        ASSERT_EQ(DateFromText(DateToText(days)), days);
        const auto micros = static_cast<int64_t>(random() >> 1) - (int64_t{1} << 62);
        for (const auto style : {TimestampStyle::kIsoMicros, TimestampStyle::kSpaced}) {
            ASSERT_EQ(TimestampFromText(TimestampToText(micros, style), nullptr), micros);
        }
    }
    EXPECT_EQ(DaysFromCivil(1970, 1, 1), 0);
    EXPECT_EQ(DaysFromCivil(1582, 10, 15), -141427);
    EXPECT_EQ(DaysFromCivil(1, 1, 1), -719162);
}

TEST(ScalarTest, StatisticsThatOthersWrote) {
    EXPECT_EQ(Stat(kInt, "7")->integer(), 7);
    EXPECT_EQ(Stat(kInt, "7.0")->integer(), 7);
    EXPECT_EQ(Stat(kLong, "9223372036854775807")->integer(), INT64_MAX);
    EXPECT_EQ(Stat(kFloat, "0.234")->real(), static_cast<double>(0.234F));
    EXPECT_TRUE(std::isnan(Stat(kDouble, R"("NaN")")->real()));
    EXPECT_EQ(Stat(kDouble, "4.661261177E7")->real(), 46612611.77);
    EXPECT_EQ(Stat(DataType::Decimal(1, 0), "1.0")->decimal(), Int128{1});  // B47
    EXPECT_EQ(Stat(DataType::Decimal(4, 0), "1234")->decimal(), Int128{1234});
    EXPECT_EQ(Stat(DataType::Decimal(5, 2), "-0.05")->decimal(), Int128{-5});
    EXPECT_EQ(Stat(DataType::Decimal(5, 2), "0.051"), std::nullopt);
    EXPECT_EQ(DecimalToText(Stat(DataType::Decimal(38, 6), "10000000000000000000000000000000.5")->decimal(), 6),
              "10000000000000000000000000000000.500000");
    // B40: three spellings of a time without zone, one wall clock.
    const auto wall = Stat(kNtz, R"("2026-06-01T09:00:00.123")")->integer();
    EXPECT_EQ(Stat(kNtz, R"("2026-06-01T09:00:00.123Z")")->integer(), wall);
    EXPECT_EQ(Stat(kNtz, R"("2026-06-01 09:00:00.123456")")->integer(), wall + 456);
    EXPECT_EQ(Stat(kTimestamp, R"("2021-07-30T18:11:24.594+02:00")")->integer(),
              Stat(kTimestamp, R"("2021-07-30T16:11:24.594Z")")->integer());
    for (const auto &type :
         {kInt, kDouble, kString, kDate, kTimestamp, kBinary, DataType::Decimal(3, 1), DataType(TypeKind::kVariant)}) {
        EXPECT_EQ(Stat(type, R"({"a":1})"), std::nullopt);
        EXPECT_EQ(Stat(type, "null"), std::nullopt);
        EXPECT_EQ(Stat(type, "[]"), std::nullopt);
        EXPECT_EQ(Stat(type, "true"), std::nullopt);
    }
    EXPECT_EQ(Stat(kString, "5"), std::nullopt);
    EXPECT_EQ(Stat(kInt, "3000000000"), std::nullopt);
    EXPECT_EQ(Stat(kBoolean, "false")->integer(), 0);
}

TEST(ScalarTest, StatisticsAsSparkWritesThem) {
    EXPECT_EQ(Scalar::Integer(kLong, -5).ToStatisticsJson(), "-5");
    EXPECT_EQ(Scalar::Real(kDouble, 1e10).ToStatisticsJson(), "1.0E10");
    EXPECT_EQ(Scalar::Real(kDouble, -0.0).ToStatisticsJson(), "-0.0");
    EXPECT_EQ(Scalar::Real(kDouble, std::nan("")).ToStatisticsJson(), "\"NaN\"");
    EXPECT_EQ(Scalar::Real(kFloat, 0.1F).ToStatisticsJson(), "0.1");
    EXPECT_EQ(Scalar::DecimalOf(DataType::Decimal(5, 2), -5).ToStatisticsJson(), "-0.05");
    EXPECT_EQ(Scalar::Text(kString, "a\"b").ToStatisticsJson(), R"("a\"b")");
    EXPECT_EQ(Scalar::Text(kString, "").ToStatisticsJson(), R"("")");
    EXPECT_EQ(Scalar::Integer(kDate, -141428).ToStatisticsJson(), "\"1582-10-14\"");
    EXPECT_EQ(Scalar::Integer(kTimestamp, -1).ToStatisticsJson(), "\"1969-12-31T23:59:59.999Z\"");
    EXPECT_EQ(Scalar::Integer(kNtz, 123'456).ToStatisticsJson(), "\"1970-01-01T00:00:00.123\"");  // B40
    EXPECT_EQ(Scalar::Text(kBinary, "x").ToStatisticsJson(), std::nullopt);
    EXPECT_EQ(Scalar::Null(kInt).ToStatisticsJson(), std::nullopt);
}

TEST(ScalarTest, Order) {
    const auto less = [](const Scalar &a, const Scalar &b) {
        const auto forward = Scalar::Compare(a, b);
        const auto backward = Scalar::Compare(b, a);
        return forward && *forward < 0 && backward && *backward > 0;
    };
    const auto equal = [](const Scalar &a, const Scalar &b) {
        const auto forward = Scalar::Compare(a, b);
        return forward && *forward == 0 && *Scalar::Compare(b, a) == 0;
    };
    const auto real = [](double value) { return Scalar::Real(kDouble, value); };
    const auto decimal = [](uint8_t scale, Int128 value) {
        return Scalar::DecimalOf(DataType::Decimal(38, scale), value);
    };
    const auto text = [](std::string value) { return Scalar::Text(kString, std::move(value)); };
    EXPECT_TRUE(less(Scalar::Integer(kByte, -1), Scalar::Integer(kLong, 0)));
    EXPECT_TRUE(less(real(INFINITY), real(NAN)));
    EXPECT_TRUE(equal(real(NAN), Scalar::Real(kFloat, -NAN)));
    EXPECT_TRUE(equal(real(0.0), real(-0.0)));
    EXPECT_TRUE(equal(Scalar::Integer(kInt, 1), decimal(2, 100)));
    EXPECT_TRUE(less(decimal(2, 99), Scalar::Integer(kInt, 1)));
    EXPECT_TRUE(less(decimal(38, 1), decimal(0, PowerOfTen(37))));
    EXPECT_TRUE(less(decimal(0, -PowerOfTen(37)), decimal(38, 1)));
    EXPECT_TRUE(less(Scalar::Integer(kLong, INT64_MAX), real(9223372036854775808.0)));
    EXPECT_TRUE(equal(Scalar::Integer(kLong, INT64_MIN), real(-9223372036854775808.0)));
    EXPECT_TRUE(less(Scalar::Integer(kLong, 9007199254740992), real(9007199254740994.0)));
    EXPECT_TRUE(less(decimal(3, 1), real(0.5)));
    EXPECT_TRUE(less(decimal(3, 1), real(NAN)));
    EXPECT_EQ(Scalar::Compare(decimal(1, 1), real(0.1)), std::nullopt);
    EXPECT_TRUE(less(text("a"), text("\xC3\xA9")));
    EXPECT_TRUE(less(text("\xEF\xBF\xBD"), text("\xF0\x9F\x98\x88")));  // by UTF-8 bytes, not by UTF-16 units
    EXPECT_TRUE(equal(Scalar::Integer(kDate, 1), Scalar::Integer(kNtz, kMicrosPerDay)));
    EXPECT_TRUE(less(Scalar::Integer(kNtz, kMicrosPerDay - 1), Scalar::Integer(kDate, 1)));
    EXPECT_EQ(Scalar::Compare(Scalar::Integer(kTimestamp, 1), Scalar::Integer(kNtz, 1)), std::nullopt);
    EXPECT_EQ(Scalar::Compare(text("1"), Scalar::Integer(kInt, 1)), std::nullopt);  // B57
    EXPECT_EQ(Scalar::Compare(Scalar::Null(kInt), Scalar::Integer(kInt, 1)), std::nullopt);
}

TEST(ScalarTest, DecimalBoundsRoundOutwards) {
    EXPECT_EQ(DecimalBound("1.29", 5, 1, false), Int128{12});
    EXPECT_EQ(DecimalBound("1.21", 5, 1, true), Int128{13});
    EXPECT_EQ(DecimalBound("-1.21", 5, 1, false), Int128{-13});
    EXPECT_EQ(DecimalBound("-1.29", 5, 1, true), Int128{-12});
    EXPECT_EQ(DecimalBound("0.001", 5, 1, true), Int128{1});
    EXPECT_EQ(DecimalBound("12.0", 5, 1, true), Int128{120});
    // 12345678901234567890 went through a double on its way into the log.
    EXPECT_GE(*DecimalBound("1.2345678901234567e19", 20, 0, true), Int128{1234567890123456789} * 10);
    EXPECT_LE(*DecimalBound("1.2345678901234567e19", 20, 0, false), Int128{1234567890123456700} * 10);
    EXPECT_EQ(DecimalBound("12.000000000000000000", 38, 18, true),
              Int128{12} * PowerOfTen(18));  // no double prints that
    EXPECT_EQ(DecimalBound("1e99", 38, 18, true), std::nullopt);
}

}  // namespace
}  // namespace birdfoot
