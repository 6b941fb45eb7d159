#include "core/schema/schema_change.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

StructField Field(std::string name, DataType type, bool nullable = true) {
    return {std::move(name), std::move(type), nullable, {}};
}
const DataType kInt(TypeKind::kInteger);
const DataType kText(TypeKind::kString);

//! struct<id: int, s: struct<x: int, y: string>, a: array<struct<e: int>>, m: map<string, struct<v: int>>>
StructType Sample() {
    return {{Field("id", kInt), Field("s", DataType::Struct({{Field("x", kInt), Field("y", kText)}})),
             Field("a", DataType::Array(DataType::Struct({{Field("e", kInt)}}), true)),
             Field("m", DataType::Map(kText, DataType::Struct({{Field("v", kInt)}}), true))}};
}

std::string Text(const Result<StructType> &schema) {
    return schema.ok() ? DataType::Struct(*schema).ToString() : std::string(ConditionName(schema.error().condition()));
}

TEST(SchemaChange, PathsAndListsAreQuotedWhereTheyMustBe) {
    EXPECT_EQ(PathText({"a", "b c", "d.e", "f`g"}), "a.b c.`d.e`.`f``g`");
    const std::vector<FieldPath> paths = {{"a"}, {"b c", "d,e"}, {"f`.g"}};
    EXPECT_EQ(PathListText(paths), "a,`b c`.`d,e`,`f``.g`");
    EXPECT_EQ(ParsePathList(PathListText(paths)), paths);
    EXPECT_EQ(ParsePathList(" a . b , `c d` "), (std::vector<FieldPath>{{"a", "b"}, {"c d"}}));
    EXPECT_EQ(ParsePathList(""), std::vector<FieldPath>{});
    for (const auto *bad : {"a,,b", "a.", ",a", "`a", "a b"}) {
        EXPECT_FALSE(ParsePathList(bad)) << bad;
    }
}

TEST(SchemaChange, FindsThroughStructsArraysAndMapsInAnyCase) {
    FieldPath spelt;
    const auto found = FindField(Sample(), {"A", "ELEMENT", "E"}, &spelt);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(spelt.front(), "a");
    EXPECT_EQ(spelt.back(), "e");
    EXPECT_EQ(TypeAt(Sample(), {"m", "key"})->kind(), TypeKind::kString);
    EXPECT_FALSE(FindField(Sample(), {"m", "key"}).ok());  // a type, no field
    EXPECT_FALSE(FindField(Sample(), {"id", "x"}).ok());
    EXPECT_FALSE(TypeAt(Sample(), {"a", "e"}).ok());
}

TEST(SchemaChange, AFieldGoesWhereItIsTold) {
    EXPECT_EQ(Text(WithField(Sample(), {"s"}, Field("z", kInt), {})),
              "struct<id:int,s:struct<x:int,y:string,z:int>,a:array<struct<e:int>>,m:map<string,struct<v:int>>>");
    EXPECT_EQ(Text(WithField(Sample(), {"m", "value"}, Field("w", kInt), {true, ""})),
              "struct<id:int,s:struct<x:int,y:string>,a:array<struct<e:int>>,m:map<string,struct<w:int,v:int>>>");
    EXPECT_EQ(Text(WithField(Sample(), {}, Field("b", kInt), {false, "ID"})).substr(0, 24), "struct<id:int,b:int,s:st");
    EXPECT_EQ(Text(WithField(Sample(), {}, Field("ID", kInt), {})), "FIELD_ALREADY_EXISTS");
    EXPECT_EQ(Text(WithField(Sample(), {"a"}, Field("f", kInt), {})), "DELTA_ADD_COLUMN_PARENT_NOT_STRUCT");
    EXPECT_EQ(Text(WithField(Sample(), {"nope"}, Field("f", kInt), {})), "DELTA_COLUMN_NOT_FOUND");
    EXPECT_EQ(Text(WithField(Sample(), {}, Field("f", kInt), {false, "nope"})), "DELTA_COLUMN_NOT_FOUND");
}

TEST(SchemaChange, TheLastFieldOfAStructStays) {
    EXPECT_EQ(Text(WithoutField(Sample(), {"s", "x"})),
              "struct<id:int,s:struct<y:string>,a:array<struct<e:int>>,m:map<string,struct<v:int>>>");
    EXPECT_EQ(Text(WithoutField(Sample(), {"a", "element", "e"})), "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA");
    EXPECT_EQ(Text(WithoutField(Sample(), {"a", "element"})),
              "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE");
    EXPECT_EQ(Text(WithoutField(Sample(), {"nope"})), "DELTA_COLUMN_NOT_FOUND");
}

TEST(SchemaChange, AFieldChangesInPlaceOrMoves) {
    const auto rename = [](StructField &field) -> Status {
        field.name = "n";
        return {};
    };
    EXPECT_EQ(Text(WithChangedField(Sample(), {"s", "y"}, rename, FieldPlace{true, ""})).substr(0, 39),
              "struct<id:int,s:struct<n:string,x:int>,");
    EXPECT_EQ(Text(WithChangedField(Sample(), {"id"}, rename, FieldPlace{false, "m"})).substr(0, 10), "struct<s:s");
    EXPECT_EQ(Text(WithChangedField(Sample(), {"id"}, rename, FieldPlace{false, "id"})).substr(0, 12), "struct<n:int");
    EXPECT_TRUE(Text(WithType(Sample(), {"m", "key"}, kInt)).ends_with("m:map<int,struct<v:int>>>"));
}

}  // namespace
}  // namespace birdfoot
