#include "core/scan/statistics.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

const DataType kInt(TypeKind::kInteger), kLong(TypeKind::kLong), kDouble(TypeKind::kDouble), kFloat(TypeKind::kFloat),
    kString(TypeKind::kString), kDate(TypeKind::kDate), kTimestamp(TypeKind::kTimestamp), kNtz(TypeKind::kTimestampNtz),
    kBinary(TypeKind::kBinary), kBoolean(TypeKind::kBoolean);

Ternary Verdict(std::string_view stats, const Predicate &predicate) {
    const auto statistics = FileStatistics::Parse(std::string(stats));
    return Evaluate(predicate, [&](auto &column, auto &type) { return statistics.Facts(column, type); });
}
Predicate C(std::string_view column, const DataType &type, CompareOp op, Scalar literal) {
    return Predicate::Compare({std::string(column)}, type, op, std::move(literal));
}
Scalar Ts(std::string_view text) { return Scalar::Integer(kTimestamp, *TimestampFromText(text, nullptr)); }

TEST(StatisticsTest, ReadsNestedColumnsByPath) {
    const auto statistics = FileStatistics::Parse(
        R"({"numRecords":5,"minValues":{"a":{"b":{"c":1}}},"maxValues":{"a":{"b":{"c":9}}},"nullCount":{"a":{"b":{"c":5}},"d":0}})");
    EXPECT_EQ(statistics.num_records(), 5);
    EXPECT_TRUE(statistics.tight_bounds());
    EXPECT_EQ(statistics.Min({"a", "b", "c"}, kLong)->integer(), 1);
    EXPECT_EQ(statistics.Max({"a", "b", "c"}, kLong)->integer(), 9);
    EXPECT_EQ(statistics.NullCount({"d"}), 0);
    EXPECT_EQ(statistics.Min({"a", "b"}, kLong), std::nullopt);
    EXPECT_EQ(statistics.Min({"a.b.c"}, kLong), std::nullopt);
    EXPECT_EQ(statistics.NullCount({"d", "e"}), std::nullopt);
    EXPECT_NE(statistics.Facts({"a", "b", "c"}, kLong).all_null, true);  // there are bounds: they contradict the count
}

TEST(StatisticsTest, DamageMeansNoStatistics) {
    const char *damaged[] = {"",
                             "{",
                             "[]",
                             "null",
                             "7",
                             R"({"numRecords":"x","minValues":[],"nullCount":{"a":"b"}})",
                             R"({"numRecords":-1,"nullCount":{"x":-1}})",
                             R"({"numRecords":1.5})"};
    for (const auto *stats : damaged) {
        const auto statistics = FileStatistics::Parse(std::string(stats));
        EXPECT_EQ(statistics.num_records(), std::nullopt) << stats;
        EXPECT_EQ(statistics.NullCount({"x"}), std::nullopt) << stats;
        EXPECT_EQ(statistics.Facts({"x"}, kInt).min, std::nullopt) << stats;
    }
    EXPECT_EQ(FileStatistics::Parse(std::nullopt).num_records(), std::nullopt);
}

TEST(StatisticsTest, WideNullCountsCountOnlyAtTheirEnds) {
    const auto facts = [](std::string_view stats) {
        return FileStatistics::Parse(std::string(stats)).Facts({"x"}, kInt);
    };
    EXPECT_EQ(facts(R"({"numRecords":5,"nullCount":{"x":5},"tightBounds":false})").all_null, true);
    EXPECT_EQ(facts(R"({"numRecords":5,"nullCount":{"x":0},"tightBounds":false})").none_null, true);
    const auto middle = facts(R"({"numRecords":5,"nullCount":{"x":3},"tightBounds":false})");
    EXPECT_NE(middle.all_null, true);
    EXPECT_NE(middle.none_null, true);
    EXPECT_NE(facts(R"({"nullCount":{"x":3}})").all_null, true);
}

// B38: the maximum was cut to milliseconds.
TEST(StatisticsTest, TimestampMaximumIsRaised) {
    constexpr auto kStats =
        R"({"numRecords":2,"minValues":{"ts":"2024-01-01T00:00:00.123Z"},"maxValues":{"ts":"2024-01-01T00:00:00.123Z"},"nullCount":{"ts":0}})";
    for (const auto &keep : {C("ts", kTimestamp, CompareOp::kGreater, Ts("2024-01-01 00:00:00.123500")),
                             C("ts", kTimestamp, CompareOp::kEqual, Ts("2024-01-01 00:00:00.123999")),
                             C("ts", kTimestamp, CompareOp::kGreaterEqual, Ts("2024-01-01 00:00:00.123999"))}) {
        EXPECT_EQ(Verdict(kStats, keep), Ternary::kUnknown) << keep.ToString();
    }
    EXPECT_EQ(Verdict(kStats, C("ts", kTimestamp, CompareOp::kGreater, Ts("2024-01-01 00:00:00.123999"))),
              Ternary::kFalse);
    EXPECT_EQ(Verdict(kStats, C("ts", kTimestamp, CompareOp::kLess, Ts("2024-01-01 00:00:00.123"))), Ternary::kFalse);
}

TEST(StatisticsTest, BoundsOfWidenedAndRoundedNumbersMoveOutwards) {
    // A float 0.234 is 0.23399999737739563; its column is a double now.
    constexpr auto kStats = R"({"numRecords":1,"minValues":{"x":0.234},"maxValues":{"x":0.234},"nullCount":{"x":0}})";
    EXPECT_NE(Verdict(kStats, C("x", kDouble, CompareOp::kLess, Scalar::Real(kDouble, 0.234))), Ternary::kFalse);
    EXPECT_EQ(Verdict(kStats, C("x", kDouble, CompareOp::kLess, Scalar::Real(kDouble, 0.2339))), Ternary::kFalse);
    // B47: decimals that went through a double, or have more digits than the scale
    const auto decimal = DataType::Decimal(5, 2);
    constexpr auto kDecimals = R"({"numRecords":1,"minValues":{"d":1.239},"maxValues":{"d":1.231}})";
    const auto statistics = FileStatistics::Parse(std::string(kDecimals));
    EXPECT_EQ(statistics.Min({"d"}, decimal)->decimal(), Int128{123});
    EXPECT_EQ(statistics.Max({"d"}, decimal)->decimal(), Int128{124});
}

TEST(StatisticsTest, OldSparksTieBreakerIsRaised) {
    // B48: 32 × a and U+FFFD, which is below an emoji in UTF-8.
    const std::string prefix(32, 'a');
    const auto stats = fmt::format(R"({{"numRecords":1,"minValues":{{"s":"{0}"}},"maxValues":{{"s":"{0}{1}"}}}})",
                                   prefix, "\xEF\xBF\xBD");
    const auto find = C("s", kString, CompareOp::kEqual, Scalar::Text(kString, prefix + "\xF0\x9F\x8C\xBC"));
    EXPECT_EQ(Verdict(stats, find), Ternary::kUnknown);
}

// B43, B68
TEST(StatisticsTest, AbsentColumnsMayMatch) {
    constexpr auto kStats = R"({"numRecords":2,"minValues":{"a":1},"maxValues":{"a":1},"nullCount":{"a":0}})";
    EXPECT_EQ(Verdict(kStats, C("b", kDate, CompareOp::kGreaterEqual, Scalar::Integer(kDate, 0))), Ternary::kUnknown);
    EXPECT_EQ(Verdict(kStats, Predicate::IsNull({"b"}, kDate)), Ternary::kUnknown);
}

std::string One(const DataType &type, std::optional<Scalar> min, std::optional<Scalar> max, int64_t nulls = 0) {
    return StatisticsToJson(3, {{{"c"}, type, std::move(min), std::move(max), nulls}}, 32, std::nullopt);
}

TEST(StatisticsTest, JsonAsSparkWritesIt) {
    const auto integer = [](int64_t value) { return Scalar::Integer(kInt, value); };
    EXPECT_EQ(StatisticsToJson(3,
                               {{{"id"}, kInt, integer(1), integer(3), 0},
                                {{"s", "a"}, kInt, std::nullopt, std::nullopt, 3},
                                {{"s", "t", "b"}, kBinary, std::nullopt, std::nullopt, 1},
                                {{"s", "t", "c"}, kInt, integer(5), integer(6), 1},
                                {{"arr"}, DataType::Array(kInt, true), std::nullopt, std::nullopt, 2},
                                {{"flag"}, kBoolean, std::nullopt, std::nullopt, 0}},
                               32, true),
              R"({"numRecords":3,"minValues":{"id":1,"s":{"t":{"c":5}}},"maxValues":{"id":3,"s":{"t":{"c":6}}},)"
              R"("nullCount":{"id":0,"s":{"a":3,"t":{"b":1,"c":1}},"arr":2,"flag":0},"tightBounds":true})");
    EXPECT_EQ(One(kInt, std::nullopt, std::nullopt, 3),
              R"({"numRecords":3,"minValues":{},"maxValues":{},"nullCount":{"c":3}})");
    EXPECT_EQ(One(kBoolean, std::nullopt, std::nullopt), R"({"numRecords":3,"nullCount":{"c":0}})");
    EXPECT_EQ(StatisticsToJson(0, {}, 32, std::nullopt), R"({"numRecords":0})");
    EXPECT_EQ(One(DataType(TypeKind::kVariant), std::nullopt, std::nullopt),
              R"({"numRecords":3,"minValues":{},"maxValues":{},"nullCount":{"c":0}})");
    EXPECT_EQ(
        StatisticsToJson(2,
                         {{{"c", "a"}, kInt, std::nullopt, std::nullopt, 2},
                          {{"c", "b", "x"}, kString, std::nullopt, std::nullopt, 2},
                          {{"c", "b", "y"}, DataType::Array(kInt, true), std::nullopt, std::nullopt, 1},
                          {{"c", "e"}, kBoolean, std::nullopt, std::nullopt, 1}},
                         32, std::nullopt),
        R"({"numRecords":2,"minValues":{"c":{"b":{}}},"maxValues":{"c":{"b":{}}},"nullCount":{"c":{"a":2,"b":{"x":2,"y":1},"e":1}}})");
    EXPECT_EQ(
        One(kTimestamp, Scalar::Integer(kTimestamp, -1), Scalar::Integer(kTimestamp, 123'999)),
        R"({"numRecords":3,"minValues":{"c":"1969-12-31T23:59:59.999Z"},"maxValues":{"c":"1970-01-01T00:00:00.123Z"},"nullCount":{"c":0}})");
    EXPECT_EQ(One(kDouble, Scalar::Real(kDouble, -0.0), Scalar::Real(kDouble, std::nan(""))),
              R"({"numRecords":3,"minValues":{"c":-0.0},"maxValues":{"c":"NaN"},"nullCount":{"c":0}})");
    EXPECT_EQ(One(DataType::Decimal(38, 2), Scalar::DecimalOf(DataType::Decimal(38, 2), -5),
                  Scalar::DecimalOf(DataType::Decimal(38, 2), 0)),
              R"({"numRecords":3,"minValues":{"c":-0.05},"maxValues":{"c":0.00},"nullCount":{"c":0}})");
}

// B48; each case as Spark 4.2 with Delta 4.4 wrote it.
TEST(StatisticsTest, LongStringsAreCutSafely) {
    const std::string flower = "\xF0\x9F\x8C\xBC", replacement = "\xEF\xBF\xBD", highest = "\xF4\x8F\xBF\xBF",
                      del = "\x7F";
    const auto a = [](size_t count) { return std::string(count, 'a'); };
    const auto times = [](const std::string &text, size_t count) {
        std::string result;
        while (count-- > 0) {
            result += text;
        }
        return result;
    };
    const struct {
        std::string text;
        std::string min;
        std::optional<std::string> max;
    } cases[] = {
        {a(32), a(32), a(32)},
        {a(33), a(32), a(32) + del},
        {a(32) + del, a(32), a(32) + highest},
        {a(32) + flower, a(32), a(32) + highest},
        {a(32) + replacement, a(32), a(32) + highest},
        {a(31) + flower, a(31) + flower, a(31) + flower},  // 33 UTF-16 units, and the cut would split the pair
        {a(31) + flower + "b", a(31) + flower, a(31) + flower + del},
        {a(32) + highest, a(32), a(32) + highest},
        {a(32) + highest + "b", a(32), a(32) + highest + del},
        {a(32) + times(highest, 15) + "zz", a(32), a(32) + times(highest, 15) + del},
        {a(32) + times(highest, 16) + "zz", a(32), a(32) + times(highest, 16) + del},
        {a(32) + times(highest, 17) + "zz", a(32), std::nullopt},
        {times(highest, 40), times(highest, 32), std::nullopt},  // a minimum counts code points, a maximum UTF-16 units
        {times("\xC3\xA9", 40), times("\xC3\xA9", 32), times("\xC3\xA9", 32) + highest},
        {"", "", ""},
    };
    for (const auto &[text, min, max] : cases) {
        const auto json = One(kString, Scalar::Text(kString, text), Scalar::Text(kString, text));
        const auto document = *JsonDocument::Parse(json);
        EXPECT_EQ(document.root()["minValues"]["c"].string(), min) << text;
        const auto written = document.root()["maxValues"]["c"].string();
        EXPECT_EQ(written.has_value(), max.has_value()) << text;
        if (written && max) {
            EXPECT_EQ(*written, *max) << text;
            EXPECT_GE(*written, text);
        }
        EXPECT_NE(Verdict(json, C("c", kString, CompareOp::kEqual, Scalar::Text(kString, text))), Ternary::kFalse)
            << text;
    }
}

using Names = std::vector<std::string>;
Names IndexedNames(const std::map<std::string, std::string> &configuration,
                   ColumnMappingMode mode = ColumnMappingMode::kNone) {
    auto schema = ParseSchema(
        R"({"type":"struct","fields":[{"name":"p","type":"integer"},{"name":"A","type":"integer",)"
        R"("metadata":{"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"col-a"}},)"
        R"({"name":"s","type":{"type":"struct","fields":[{"name":"x","type":"string"},)"
        R"({"name":"t","type":{"type":"struct","fields":[{"name":"y.z","type":"long"},{"name":"b","type":"binary"}]}}]}},)"
        R"({"name":"l","type":{"type":"array","elementType":"long"}},{"name":"last","type":"double"}]})");
    EXPECT_TRUE(schema.ok());
    Metadata metadata;
    metadata.partition_columns = {"P"};
    metadata.configuration = configuration;
    const auto leaves = IndexedLeaves(metadata, *schema, mode);
    if (!leaves.ok()) {
        return {std::string(ConditionName(leaves.error().condition()))};
    }
    Names names;
    for (const auto &leaf : *leaves) {
        std::string name;
        for (const auto &part : leaf.column) {
            name += (name.empty() ? "" : "/") + part;
        }
        names.push_back(name + (leaf.bounds ? "" : " (nulls)"));
    }
    return names;
}

TEST(StatisticsTest, LeavesAreCountedAsSparkDoes) {
    const Names all = {"A", "s/x", "s/t/y.z", "s/t/b (nulls)", "l (nulls)", "last"};
    const std::string number = "delta.dataSkippingNumIndexedCols";
    const std::string named = "delta.dataSkippingStatsColumns";
    EXPECT_EQ(IndexedNames({}), all);
    EXPECT_EQ(IndexedNames({{number, "-1"}}), all);
    EXPECT_EQ(IndexedNames({{number, "0"}}), Names{});
    EXPECT_EQ(IndexedNames({{number, "3"}}), Names(all.begin(), all.begin() + 3));
    EXPECT_EQ(IndexedNames({{number, "x"}}), Names{"DELTA_INVALID_CONFIGURATION_VALUE"});
    EXPECT_EQ(IndexedNames({{number, "1"}}, ColumnMappingMode::kName), Names{"col-a"});
    EXPECT_EQ(IndexedNames({{named, ""}}), Names{});
    EXPECT_EQ(IndexedNames({{named, " LAST , a"}, {number, "0"}}), (Names{"A", "last"}));
    EXPECT_EQ(IndexedNames({{named, "s"}}), (Names{"s/x", "s/t/y.z", "s/t/b (nulls)"}));
    EXPECT_EQ(IndexedNames({{named, "s.T.`Y.z`,unknown"}}), Names{"s/t/y.z"});
    EXPECT_EQ(IndexedNames({{named, "s.t.y.z"}}), Names{});
    EXPECT_EQ(IndexedNames({{named, "a"}}, ColumnMappingMode::kName), Names{"col-a"});
    for (const auto *bad : {",", "a,", "a b", "`a", "a..b", "a."}) {
        EXPECT_EQ(IndexedNames({{named, bad}}), Names{"DELTA_INVALID_CONFIGURATION_VALUE"}) << bad;
    }
}

TEST(StatisticsTest, OtherColumnsKeepTheirs) {
    const std::string old =
        R"({"numRecords":3,"minValues":{"a":1,"s":{"x":"p"},"gone":2},"maxValues":{"a":9,"s":{"x":"q"}},)"
        R"("nullCount":{"a":0,"s":{"x":1}},"tightBounds":false,"later":[1]})";
    EXPECT_EQ(
        WithColumns(
            old,
            R"({"numRecords":3,"minValues":{"s":{"x":"b"}},"maxValues":{"s":{"x":"c"}},"nullCount":{"s":{"x":0}}})",
            {"s", "gone"}),
        R"({"numRecords":3,"tightBounds":false,"later":[1],"minValues":{"a":1,"s":{"x":"b"}},)"
        R"("maxValues":{"a":9,"s":{"x":"c"}},"nullCount":{"a":0,"s":{"x":0}}})");
    // No statistics of the new column, none of the old ones.
    EXPECT_EQ(
        WithColumns(old, R"({"numRecords":3})", {"a", "s"}),
        R"({"numRecords":3,"tightBounds":false,"later":[1],"minValues":{"gone":2},"maxValues":{},"nullCount":{}})");
    EXPECT_EQ(WithColumns(R"({"numRecords":3})", R"({"numRecords":3,"nullCount":{"a":1}})", {"a"}),
              R"({"numRecords":3,"nullCount":{"a":1}})");
    EXPECT_EQ(WithColumns("no JSON", R"({"numRecords":3})", {"a"}), std::nullopt);
    EXPECT_EQ(WithColumns(std::nullopt, R"({"numRecords":3})", {"a"}), std::nullopt);
}

}  // namespace
}  // namespace birdfoot
