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
    auto schema =
        ParseSchema(StructOf(Field("e", R"({"type":"array","elementType":)" + element + "}", 4, "col-e") + "," +
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
    EXPECT_EQ(PhysicalPath(schema, {"E", "element", "D"}, ColumnMappingMode::kName),
              (Path{"col-e", "element", "col-d"}));
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
    EXPECT_EQ(CheckColumnMapping(bare, ColumnMappingMode::kName).error().condition(),
              Condition::DELTA_MISSING_COLUMN_ID);
}

TEST(ColumnMappingTest, SharedIdsAndNamesAreDamage) {
    const auto ids = *ParseSchema(StructOf(Field("a", R"("long")", 1, "x") + "," + Field("b", R"("long")", 1, "y")));
    EXPECT_EQ(CheckColumnMapping(ids, ColumnMappingMode::kId).error().condition(), Condition::DELTA_SCHEMA_MALFORMED);
    EXPECT_TRUE(CheckColumnMapping(ids, ColumnMappingMode::kName).ok());
    const auto names = *ParseSchema(StructOf(Field("a", R"("long")", 1, "x") + "," + Field("b", R"("long")", 2, "x")));
    EXPECT_EQ(CheckColumnMapping(names, ColumnMappingMode::kName).error().condition(),
              Condition::DELTA_SCHEMA_MALFORMED);
}

TEST(ColumnMappingTest, AssignGivesIdsParentsFirstAndKeepsWhatIsThere) {
    const auto inner = StructOf(R"({"name":"b","type":"long"})");
    const auto schema = *ParseSchema(
        StructOf(R"({"name":"a","type":{"type":"map","keyType":)" + inner + R"(,"valueType":)" + inner + "}}," +
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

TEST(ColumnMappingTest, IdsWithinCollectionsCountToo) {
    const auto schema = *ParseSchema(StructOf(
        R"({"name":"l","type":{"type":"array","elementType":"long","containsNull":true},"nullable":true,"metadata":)"
        R"({"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"l","delta.columnMapping.nested.ids":)"
        R"({"l.element":9}}},{"name":"b","type":"long"})"));
    int64_t max_id = 2;
    EXPECT_EQ(FieldId(AssignColumnMapping(schema, false, &max_id).fields[1]), 10);
    EXPECT_EQ(max_id, 10);
}

// What delta-spark does when a schema is overwritten: ids and physical names live on with the same path and type.
TEST(ColumnMappingTest, AnOverwrittenSchemaInheritsByPathAndType) {
    const auto inner = StructOf(Field("x", R"("integer")", 3, "col-x"));
    const auto earlier =
        *ParseSchema(StructOf(Field("a", R"("integer")", 1, "col-a") + "," + Field("s", inner, 2, "col-s") + "," +
                              Field("t", R"("long")", 4, "col-t")));
    const auto schema =
        *ParseSchema(StructOf(R"({"name":"A","type":"integer"},{"name":"s","type":)" +
                              StructOf(R"({"name":"x","type":"integer"},{"name":"y","type":"integer"})") +
                              R"(},{"name":"t","type":"long","nullable":false})"));
    int64_t max_id = 4;
    const auto result = AssignColumnMapping(InheritColumnMapping(schema, earlier), false, &max_id);
    EXPECT_EQ(FieldId(result.fields[0]), 1);
    EXPECT_EQ(PhysicalName(result.fields[0], ColumnMappingMode::kName), "col-a");
    EXPECT_EQ(FieldId(result.fields[1]), 5);  // another type
    const auto &fields = result.fields[1].type.struct_type().fields;
    EXPECT_EQ(FieldId(fields[0]), 3);
    EXPECT_EQ(FieldId(fields[1]), 6);
    EXPECT_EQ(FieldId(result.fields[2]), 4);  // NOT NULL now, of the same type
    EXPECT_EQ(max_id, 6);
}

TEST(ColumnMappingTest, MappingIsTakenOffAtEveryLevel) {
    EXPECT_TRUE(HasColumnMapping(Mapped()));
    const auto bare = WithoutColumnMapping(Mapped());
    EXPECT_FALSE(HasColumnMapping(bare));
    EXPECT_TRUE(bare.fields[0].metadata.empty());
    EXPECT_EQ(bare.fields[0].type.array_type().element.struct_type().fields[0].name, "d");
    const auto below =
        *ParseSchema(StructOf(R"({"name":"s","type":)" + StructOf(Field("x", R"("long")", 1, "x")) + "}"));
    EXPECT_TRUE(HasColumnMapping(below));
}

}  // namespace
}  // namespace birdfoot
