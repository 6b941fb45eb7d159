#include "core/schema/schema_evolution.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

StructField Field(std::string name, DataType type, bool nullable = true) {
    return {std::move(name), std::move(type), nullable, {}};
}
StructType Schema(std::vector<StructField> fields) {
    StructType schema;
    schema.fields = std::move(fields);
    return schema;
}
const DataType kInt(TypeKind::kInteger), kLong(TypeKind::kLong), kText(TypeKind::kString);

TEST(SchemaEvolution, NewColumnsComeLastAndAreNullable) {
    auto merged = MergeSchema(Schema({Field("id", kLong, false), Field("a", kText)}),
                              Schema({Field("b", kInt, false), Field("A", kText), Field("ID", kInt)}));
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(SchemaToTree(*merged),
              "root\n |-- id: bigint (nullable = false)\n |-- a: string (nullable = true)\n |-- b: int "
              "(nullable = true)");
}

TEST(SchemaEvolution, StructsMergeAtEveryDepth) {
    auto inner = [](std::vector<StructField> fields) { return DataType::Struct(Schema(std::move(fields))); };
    auto table = Schema({Field("l", DataType::Array(inner({Field("x", kInt, false)}), false)),
                         Field("m", DataType::Map(kText, inner({Field("x", kInt)}), true))});
    auto data = Schema({Field("l", DataType::Array(inner({Field("y", kInt, false), Field("x", kLong)}), true)),
                        Field("m", DataType::Map(kText, inner({Field("z", inner({Field("q", kInt)}))}), true))});
    auto merged = MergeSchema(table, data);
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(merged->fields[0].type.ToString(), "array<struct<x:int,y:int>>");
    EXPECT_FALSE(merged->fields[0].type.array_type().contains_null);
    const auto &fields = merged->fields[0].type.array_type().element.struct_type().fields;
    EXPECT_FALSE(fields[0].nullable);
    EXPECT_TRUE(fields[1].nullable);
    EXPECT_EQ(merged->fields[1].type.ToString(), "map<string,struct<x:int,z:struct<q:int>>>");
}

TEST(SchemaEvolution, AnotherTypeIsLeftToTheCast) {
    auto merged = MergeSchema(Schema({Field("a", kInt)}), Schema({Field("a", DataType::Array(kInt, true))}));
    ASSERT_TRUE(merged.ok());
    EXPECT_EQ(merged->fields[0].type.ToString(), "int");
}

TEST(SchemaEvolution, NamesThatDifferByCaseAreRefused) {
    auto merged = MergeSchema(Schema({Field("a", kInt)}), Schema({Field("Foo", kInt), Field("foo", kInt)}));
    ASSERT_FALSE(merged.ok());
    EXPECT_EQ(merged.error().condition(), Condition::DELTA_DUPLICATE_COLUMNS_FOUND);
    EXPECT_NE(merged.error().message().find("Foo and foo"), std::string::npos);
    auto nested = Schema({Field("s", DataType::Struct(Schema({Field("x", kInt), Field("X", kInt)})))});
    EXPECT_EQ(CheckNoDuplicates(nested).error().condition(), Condition::DELTA_DUPLICATE_COLUMNS_FOUND);
}

}  // namespace
}  // namespace birdfoot
