#include <gtest/gtest.h>

#include "core/scan/plan.hpp"

namespace birdfoot {
namespace {

std::string Folder(const std::string &value) {
    return PartitionFolder({"x"}, std::vector<std::optional<std::string>>{value});
}

// B60: value → folder as Spark makes it → path in the log. Spark 4.2 with Delta 4.4 wrote each of them so.
TEST(PathsTest, ReservedCharactersAreEscapedOncePerLayer) {
    const struct {
        const char *value, *folder, *log;
    } cases[] = {
        {"a b", "x=a b/", "x=a%20b/"},
        {"A/A", "x=A%2FA/", "x=A%252FA/"},  // dat-multi_partitioned
        {"a%b", "x=a%25b/", "x=a%2525b/"},
        {"a%2Fb", "x=a%252Fb/", "x=a%25252Fb/"},
        {"R&D", "x=R&D/", "x=R&D/"},
        {"ID$", "x=ID$/", "x=ID$/"},
        {"\xC3\xA9", "x=\xC3\xA9/", "x=\xC3\xA9/"},
        {"\xF0\x9F\x98\x88", "x=\xF0\x9F\x98\x88/", "x=\xF0\x9F\x98\x88/"},
        {"2021-11-18 02:30:00.123456", "x=2021-11-18 02%3A30%3A00.123456/",
         "x=2021-11-18%2002%253A30%253A00.123456/"},  // golden-data-reader-timestamp_ntz
        {"a+b", "x=a+b/", "x=a+b/"},
        {"a#b?c=d", "x=a%23b%3Fc%3Dd/", "x=a%2523b%253Fc%253Dd/"},
        {"'\"\\", "x=%27%22%5C/", "x=%2527%2522%255C/"},
        {"a~b", "x=a~b/", "x=a~b/"},
        {"{[]}^*|<>`", "x=%7B%5B%5D}%5E%2A|<>`/", "x=%257B%255B%255D%7D%255E%252A%7C%3C%3E%60/"},
        {"/x/", "x=%2Fx%2F/", "x=%252Fx%252F/"},
        {".", "x=./", "x=./"},
        {"..", "x=../", "x=../"},
        {"a .", "x=a ./", "x=a%20./"},
        {"\x01\n\x7F", "x=%01%0A%7F/", "x=%2501%250A%257F/"},
        {"\xC2\xA0\xE3\x80\x80\xE2\x80\xA8\xC2\x85", "x=\xC2\xA0\xE3\x80\x80\xE2\x80\xA8\xC2\x85/",
         "x=%C2%A0%E3%80%80%E2%80%A8%C2%85/"},
        {"", "x=__HIVE_DEFAULT_PARTITION__/", "x=__HIVE_DEFAULT_PARTITION__/"},
    };
    for (const auto &[value, folder, log] : cases) {
        EXPECT_EQ(Folder(value), folder) << value;
        EXPECT_EQ(EncodePath(folder), log) << value;
        EXPECT_EQ(ResolvePath("/t", log), std::string("/t/") + folder) << value;
    }
}

TEST(PathsTest, FoldersOfSeveralColumns) {
    EXPECT_EQ(PartitionFolder({"a:b", "c"}, std::vector<std::optional<std::string>>{"1", std::nullopt}),
              "a%3Ab=1/c=__HIVE_DEFAULT_PARTITION__/");
    EXPECT_EQ(PartitionFolder({}, std::vector<Scalar>{}), "");
    EXPECT_EQ(PartitionFolder({"n"}, std::vector<std::optional<std::string>>{std::string("a\0b", 3)}), "n=a%00b/");
    // golden-kernel-timestamp-partition-col-ISO8601: the log has 2024-01-01T10:00:00.000000Z
    EXPECT_EQ(PartitionFolder({"ts", "d"}, {Scalar::Integer(DataType(TypeKind::kTimestamp), 1704103200000000),
                                            Scalar::Integer(DataType(TypeKind::kDate), 0)}),
              "ts=2024-01-01 10%3A00%3A00/d=1970-01-01/");
    EXPECT_EQ(PartitionFolder({"s"}, {Scalar::Text(DataType(TypeKind::kString), "")}), "s=__HIVE_DEFAULT_PARTITION__/");
}

// B13
TEST(PathsTest, AbsolutePathsStayAbsolute) {
    EXPECT_EQ(ResolvePath("/t", "/mnt/x/part%200.parquet"), "/mnt/x/part 0.parquet");
    EXPECT_EQ(ResolvePath("/t", "file:///mnt/x/part%200.parquet"), "/mnt/x/part 0.parquet");
    EXPECT_EQ(ResolvePath("/t", "file:/mnt/x/part%25200.parquet"), "/mnt/x/part%200.parquet");
    EXPECT_EQ(ResolvePath("/t", "s3://b/src/part.parquet"), "s3://b/src/part.parquet");
    EXPECT_EQ(ResolvePath("s3://b/t", "part.parquet"), "s3://b/t/part.parquet");
    EXPECT_EQ(ResolvePath("/", "part.parquet"), "/part.parquet");
    EXPECT_EQ(ResolvePath("/t", "a:b.parquet"), "/t/a:b.parquet");
    EXPECT_EQ(ResolvePath("/t", "ts=2020-01-01 00:/0/x.parquet"), "/t/ts=2020-01-01 00:/0/x.parquet");
    EXPECT_EQ(ResolvePath("/t", "100%/x%2"), "/t/100%/x%2");
}

}  // namespace
}  // namespace birdfoot
