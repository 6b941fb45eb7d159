#include "core/base/json.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

TEST(JsonTest, NumbersKeepTheirText) {
    auto doc = JsonDocument::Parse(R"({"d":12345678901234567890123456789.5,"i":9223372036854775807,"f":1.0})");
    ASSERT_TRUE(doc.ok());
    EXPECT_EQ(doc->root()["d"].number_text(), "12345678901234567890123456789.5");
    EXPECT_EQ(doc->root()["i"].int64(), INT64_MAX);
    EXPECT_EQ(doc->root()["f"].int64(), 1);
    EXPECT_FALSE(doc->root()["absent"].present());
    EXPECT_EQ(doc->root().ToText(), R"({"d":12345678901234567890123456789.5,"i":9223372036854775807,"f":1.0})");
}

TEST(JsonTest, PrettyPrintedValuesFollowEachOther) {
    const std::string text = "{\n  \"a\": 1\n}\n\n{\"b\":2}\n";
    size_t used = 0;
    auto first = JsonDocument::ParsePrefix(text, &used);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(first->root()["a"].int64(), 1);
    auto second = JsonDocument::ParsePrefix(std::string_view(text).substr(used), &used);
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(second->root()["b"].int64(), 2);
}

TEST(JsonTest, DamagedTextSaysWhere) {
    auto doc = JsonDocument::Parse("{\"a\":");
    ASSERT_FALSE(doc.ok());
    EXPECT_EQ(doc.error().condition(), Condition::BIRDFOOT_JSON_MALFORMED);
    EXPECT_NE(doc.error().message().find("byte 5"), std::string::npos) << doc.error().message();
}

TEST(JsonTest, WriterEscapesAndRepairsUtf8) {
    std::string out;
    JsonWriter writer(out);
    writer.BeginObject()
        .Key("a\"b")
        .String(std::string("x\n\x01\xff\xc3\xa9", 6))
        .Key("l")
        .BeginArray()
        .Int(1)
        .Bool(true)
        .Null()
        .EndArray()
        .Optional("none", std::optional<int64_t>())
        .Key("r")
        .Raw("[1.50]")
        .EndObject();
    EXPECT_EQ(out, "{\"a\\\"b\":\"x\\n\\u0001\xEF\xBF\xBD\xc3\xa9\",\"l\":[1,true,null],\"r\":[1.50]}");
    EXPECT_TRUE(JsonDocument::Parse(out).ok());
}

}  // namespace
}  // namespace birdfoot
