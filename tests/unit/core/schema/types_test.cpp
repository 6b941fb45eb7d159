#include "core/schema/types.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

StructType MustParse(std::string_view json) {
    auto schema = ParseSchema(json);
    EXPECT_TRUE(schema.ok()) << schema.error().message();
    return schema.ok() ? *schema : StructType();
}

std::string OneColumn(std::string_view type) {
    return R"({"type":"struct","fields":[{"name":"c","type":)" + std::string(type) +
           R"(,"nullable":true,"metadata":{}}]})";
}

TEST(TypesTest, EveryTypeIsReadAndWrittenAsItWas) {
    const std::string_view types[] = {
        R"("boolean")",
        R"("byte")",
        R"("short")",
        R"("integer")",
        R"("long")",
        R"("float")",
        R"("double")",
        "\"decimal(10,0)\"",
        "\"decimal(38,38)\"",
        R"("string")",
        R"("binary")",
        R"("date")",
        R"("timestamp")",
        R"("timestamp_ntz")",
        R"("variant")",
        R"("void")",
        R"({"type":"array","elementType":"integer","containsNull":false})",
        R"({"type":"map","keyType":"string","valueType":{"type":"array","elementType":"date","containsNull":true},"valueContainsNull":false})",
        R"({"type":"struct","fields":[{"name":"d","type":"integer","nullable":false,"metadata":{}}]})",
        R"({"type":"struct","fields":[]})",
    };
    for (const auto type : types) {
        const auto json = OneColumn(type);
        const auto schema = MustParse(json);
        EXPECT_EQ(SchemaToJson(schema), json);
        EXPECT_EQ(TypeToJson(schema.fields.at(0).type), type);
    }
}

TEST(TypesTest, OtherSpellingsThatSparkReads) {
    EXPECT_EQ(MustParse(OneColumn(R"("decimal")")).fields[0].type.ToString(), "decimal(10,0)");
    EXPECT_EQ(MustParse(OneColumn("\"decimal( 5 , 2 )\"")).fields[0].type.ToString(), "decimal(5,2)");
    EXPECT_EQ(MustParse(OneColumn(R"("null")")).fields[0].type.kind(), TypeKind::kVoid);
}

TEST(TypesTest, ShortNamesAreSparks) {
    const auto schema = MustParse(OneColumn(
        R"({"type":"map","keyType":"long","valueType":{"type":"array","elementType":{"type":"struct","fields":[)"
        R"({"name":"a","type":"short","nullable":true,"metadata":{}},{"name":"b","type":"byte","nullable":true,"metadata":{}}]},)"
        R"("containsNull":true},"valueContainsNull":true})"));
    EXPECT_EQ(schema.fields[0].type.ToString(), "map<bigint,array<struct<a:smallint,b:tinyint>>>");
}

TEST(TypesTest, MetadataSurvivesWhetherUnderstoodOrNot) {
    const std::string json =
        R"({"type":"struct","fields":[{"name":"a","type":"string","nullable":false,"metadata":{"z":{"deep":[1.50,1e400,null]},)"
        R"("delta.columnMapping.id":9007199254740993,"comment":"say \"é\"\n","empty":{},"big":12345678901234567890123}}]})";
    auto schema = MustParse(json);
    EXPECT_EQ(SchemaToJson(schema), json);
    auto &metadata = schema.fields[0].metadata;
    EXPECT_EQ(metadata.StringOf("comment"), "say \"é\"\n");
    EXPECT_EQ(metadata.StringOf("z"), std::nullopt);
    EXPECT_EQ(metadata.IntOf("delta.columnMapping.id"), 9007199254740993);
    EXPECT_EQ(metadata.JsonOf("z"), R"({"deep":[1.50,1e400,null]})");
    metadata.SetString("comment", "new");
    metadata.Remove("z");
    EXPECT_EQ(metadata.entries().front().first, "delta.columnMapping.id");
    EXPECT_EQ(metadata.StringOf("comment"), "new");
}

TEST(TypesTest, UnknownTypesAreRefusedWithTheirColumn) {
    for (const std::string_view type : {"geometry(OGC:CRS84)", "interval year to month", "decimal(39,0)",
                                        "decimal(5,-1)", "decimal(3,4)", "decimal(a,b)", "decimal(", "String", ""}) {
        auto schema = ParseSchema(OneColumn(R"({"type":"array","elementType":")" + std::string(type) + R"("})"));
        ASSERT_FALSE(schema.ok()) << type;
        EXPECT_EQ(schema.error().condition(), Condition::DELTA_UNSUPPORTED_DATA_TYPES) << type;
        EXPECT_NE(schema.error().text().find("'c.element'"), std::string::npos) << schema.error().text();
        EXPECT_NE(schema.error().text().find(type), std::string::npos) << schema.error().text();
    }
    auto udt = ParseSchema(OneColumn(R"({"type":"udt","class":"x.Y","sqlType":"integer"})"));
    ASSERT_FALSE(udt.ok());
    EXPECT_EQ(udt.error().condition(), Condition::DELTA_UNSUPPORTED_DATA_TYPES);
}

TEST(TypesTest, WhatIsNoSchemaIsMalformed) {
    for (const std::string_view json :
         {"", "[]", "{}", "null", R"("struct")", R"({"type":"struct"})", R"({"type":"struct","fields":{}})",
          R"({"type":"struct","fields":[1]})", R"({"type":"struct","fields":[{"type":"long"}]})",
          R"({"type":"struct","fields":[{"name":"a"}]})", R"({"type":"struct","fields":[{"name":"a","type":7}]})",
          R"({"type":"array","elementType":"long","containsNull":true})"}) {
        auto schema = ParseSchema(json);
        ASSERT_FALSE(schema.ok()) << json;
        EXPECT_EQ(schema.error().condition(), Condition::DELTA_SCHEMA_MALFORMED) << json;
    }
}

TEST(TypesTest, NestingIsBounded) {
    const auto nested = [](int levels) {
        std::string open;
        std::string close;
        for (int i = 0; i < levels; ++i) {
            open += R"({"type":"array","elementType":)";
            close += '}';
        }
        return OneColumn(open + R"("long")" + close);
    };
    EXPECT_TRUE(ParseSchema(nested(150)).ok());
    auto deep = ParseSchema(nested(100'000));
    ASSERT_FALSE(deep.ok());
    EXPECT_EQ(deep.error().condition(), Condition::DELTA_UNSUPPORTED_DATA_TYPES);
}

TEST(TypesTest, NamesAreFoundWithoutCase) {
    const auto schema = MustParse(
        R"({"type":"struct","fields":[{"name":"Order_Id","type":"long"},{"name":"y","type":"long"},{"name":"Y","type":"long"}]})");
    EXPECT_EQ(schema.IndexOf("order_ID"), 0U);
    EXPECT_EQ(schema.IndexOf("Y"), 2U);
    EXPECT_EQ(schema.IndexOf("none"), std::nullopt);
    EXPECT_TRUE(schema.fields[0].nullable);
}

TEST(TypesTest, SameShape) {
    const auto type = [](std::string_view json) { return MustParse(OneColumn(json)).fields[0].type; };
    EXPECT_TRUE(type(R"({"type":"array","elementType":"integer","containsNull":false})")
                    .SameAs(type(R"({"type":"array","elementType":"integer","containsNull":true})")));
    EXPECT_TRUE(type(R"({"type":"struct","fields":[{"name":"A","type":"long","nullable":false}]})")
                    .SameAs(type(R"({"type":"struct","fields":[{"name":"a","type":"long"}]})")));
    EXPECT_FALSE(type("\"decimal(5,2)\"").SameAs(type("\"decimal(5,3)\"")));
    EXPECT_FALSE(type(R"("timestamp")").SameAs(type(R"("timestamp_ntz")")));
}

}  // namespace
}  // namespace birdfoot
