#include "core/schema/column_mapping.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

std::string Field(std::string_view name, std::string_view type, int id, std::string_view physical) {
    return fmt::format(R"({{"name":"{}","type":{},"nullable":true,"metadata":{{"delta.columnMapping.id":{},)"
                       R"("delta.columnMapping.physicalName":"{}"}}}})",
                       name, type, id, physical);
}
std::string StructOf(const std::string &fields) { return R"({"type":"struct","fields":[)" + fields + "]}"; }

StructType Mapped() {
    // The example of the protocol: e array<struct<d>>, and a map to a struct.
    const auto element = StructOf(Field("d", R"("integer")", 5, "col-d"));
    const auto value = StructOf(Field("X", R"("long")", 7, "col-x"));
    auto schema = ParseSchema(StructOf(
        Field("e", R"({"type":"array","elementType":)" + element + "}", 4, "col-e") + "," +
        Field("m", R"({"type":"map","keyType":"string","valueType":)" + value + "}", 6, "col-m")));
    EXPECT_TRUE(schema.ok());
    return *schema;
}

TEST(ColumnMappingTest, Modes) {
    EXPECT_EQ(*ParseColumnMappingMode("none"), ColumnMappingMode::kNone);
    EXPECT_EQ(*ParseColumnMappingMode("Name"), ColumnMappingMode::kName);
    EXPECT_EQ(*ParseColumnMappingMode("id"), ColumnMappingMode::kId);
    EXPECT_EQ(ParseColumnMappingMode("nam").error().condition(), Condition::DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE);
}

TEST(ColumnMappingTest, PhysicalPathsGoThroughArraysAndMaps) {
    using Path = std::vector<std::string>;
    const auto schema = Mapped();
    EXPECT_EQ(PhysicalPath(schema, {"E", "element", "D"}, ColumnMappingMode::kName), (Path{"col-e", "element", "col-d"}));
    EXPECT_EQ(PhysicalPath(schema, {"m", "value", "x"}, ColumnMappingMode::kId), (Path{"col-m", "value", "col-x"}));
    EXPECT_EQ(PhysicalPath(schema, {"m", "value", "x"}, ColumnMappingMode::kNone), (Path{"m", "value", "X"}));
    EXPECT_EQ(PhysicalPath(schema, {"m", "key"}, ColumnMappingMode::kName), (Path{"col-m", "key"}));
    EXPECT_EQ(PhysicalPath(schema, {"m", "x"}, ColumnMappingMode::kName), Path{});
    EXPECT_EQ(PhysicalPath(schema, {"e", "element", "d", "y"}, ColumnMappingMode::kName), Path{});
    EXPECT_EQ(PhysicalPath(schema, {}, ColumnMappingMode::kName), Path{});
}

TEST(ColumnMappingTest, EveryFieldNeedsIdAndName) {
    EXPECT_TRUE(CheckColumnMapping(Mapped(), ColumnMappingMode::kId).ok());
    auto bare = *ParseSchema(StructOf(R"({"name":"a","type":)" + StructOf(R"({"name":"b","type":"long"})") + "}"));
    EXPECT_TRUE(CheckColumnMapping(bare, ColumnMappingMode::kNone).ok());
    EXPECT_EQ(CheckColumnMapping(bare, ColumnMappingMode::kName).error().condition(), Condition::DELTA_MISSING_COLUMN_ID);
}

TEST(ColumnMappingTest, SharedIdsAndNamesAreDamage) {
    const auto ids = *ParseSchema(StructOf(Field("a", R"("long")", 1, "x") + "," + Field("b", R"("long")", 1, "y")));
    EXPECT_EQ(CheckColumnMapping(ids, ColumnMappingMode::kId).error().condition(), Condition::DELTA_SCHEMA_MALFORMED);
    EXPECT_TRUE(CheckColumnMapping(ids, ColumnMappingMode::kName).ok());
    const auto names = *ParseSchema(StructOf(Field("a", R"("long")", 1, "x") + "," + Field("b", R"("long")", 2, "x")));
    EXPECT_EQ(CheckColumnMapping(names, ColumnMappingMode::kName).error().condition(), Condition::DELTA_SCHEMA_MALFORMED);
}

TEST(ColumnMappingTest, AssignGivesIdsParentsFirstAndKeepsWhatIsThere) {
    const auto inner = StructOf(R"({"name":"b","type":"long"})");
    const auto schema = *ParseSchema(StructOf(
        R"({"name":"a","type":{"type":"map","keyType":)" + inner + R"(,"valueType":)" + inner + "}}," +
        Field("old", R"("long")", 41, "kept") + R"(,{"name":"z","type":"long","metadata":{"comment":"c"}})"));
    int64_t max_id = 40;
    const auto kept = AssignColumnMapping(schema, true, &max_id);
    EXPECT_EQ(max_id, 45);
    ASSERT_TRUE(CheckColumnMapping(kept, ColumnMappingMode::kId).ok());
    EXPECT_EQ(FieldId(kept.fields[0]), 42);
    EXPECT_EQ(FieldId(kept.fields[0].type.map_type().key.struct_type().fields[0]), 43);
    EXPECT_EQ(FieldId(kept.fields[0].type.map_type().value.struct_type().fields[0]), 44);
    EXPECT_EQ(FieldId(kept.fields[1]), 41);
    EXPECT_EQ(PhysicalName(kept.fields[1], ColumnMappingMode::kName), "kept");
    EXPECT_EQ(PhysicalName(kept.fields[2], ColumnMappingMode::kName), "z");
    EXPECT_EQ(kept.fields[2].metadata.StringOf("comment"), "c");

    max_id = 0;
    const auto fresh = AssignColumnMapping(schema, false, &max_id);
    EXPECT_EQ(PhysicalName(fresh.fields[2], ColumnMappingMode::kName).size(), 40U);
    EXPECT_EQ(PhysicalName(fresh.fields[2], ColumnMappingMode::kName).substr(0, 4), "col-");
}

}  // namespace
}  // namespace birdfoot
