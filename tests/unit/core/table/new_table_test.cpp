// New tables: metadata, lowest protocol, and what is refused (specification, S37; PROTOCOL.md, "Protocol Evolution").
#include "core/table/new_table.hpp"

#include <gtest/gtest.h>

#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

StructField Field(std::string name, DataType type, bool nullable = true) {
    return {std::move(name), std::move(type), nullable, {}};
}

StructType TwoColumns() {
    return {{Field("id", DataType(TypeKind::kLong), false), Field("day", DataType(TypeKind::kDate))}};
}

Condition ConditionOf(const Status &status) {
    return status.ok() ? Condition::BIRDFOOT_INTERNAL : status.error().condition();
}

TEST(NewTable, HasTheLowestProtocolAndItsPartitionColumnsInTheSpellingOfTheSchema) {
    auto table =
        DescribeNewTable({TwoColumns(), {"DAY"}, {{"my.key", "1"}, {"delta.APPENDONLY", "true"}}, "a table"}, 1234);
    ASSERT_TRUE(table.ok()) << table.error().message();
    EXPECT_EQ(table->protocol, (Protocol{1, 2, {}, {}}));
    EXPECT_EQ(table->metadata.partition_columns, std::vector<std::string>{"day"});
    EXPECT_EQ(table->metadata.description, "a table");
    EXPECT_EQ(table->metadata.created_time, 1234);
    EXPECT_EQ(table->metadata.configuration, (Properties{{"delta.appendOnly", "true"}, {"my.key", "1"}}));
    EXPECT_EQ(table->metadata.id.size(), 36u);
    EXPECT_EQ(table->metadata.schema_string,
              R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}},)"
              R"({"name":"day","type":"date","nullable":true,"metadata":{}}]})");
}

TEST(NewTable, PropertiesAndTypesRaiseTheProtocol) {
    auto schema = TwoColumns();
    schema.fields.push_back(Field("t", DataType(TypeKind::kTimestampNtz)));
    auto table = DescribeNewTable({schema, {}, {{"delta.enableDeletionVectors", "true"}}, {}}, 0);
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->protocol.min_reader_version, 3);
    EXPECT_EQ(table->protocol.min_writer_version, 7);
    EXPECT_TRUE(HasFeature(table->protocol, "deletionVectors"));
    EXPECT_TRUE(HasFeature(table->protocol, "timestampNtz"));
}

TEST(NewTable, PseudoPropertiesAreNotKept) {
    auto table = DescribeNewTable(
        {TwoColumns(), {}, {{"delta.minWriterVersion", "4"}, {"delta.feature.deletionVectors", "supported"}}, {}}, 0);
    ASSERT_TRUE(table.ok());
    EXPECT_TRUE(table->metadata.configuration.empty());
    EXPECT_TRUE(HasFeature(table->protocol, "deletionVectors"));
    EXPECT_TRUE(HasFeature(table->protocol, "changeDataFeed"));
}

TEST(NewTable, RefusesWhatNoTableCanHave) {
    const auto describe = [](StructType schema, std::vector<std::string> partition) {
        auto table = DescribeNewTable({std::move(schema), std::move(partition), {}, {}}, 0);
        return table.ok() ? Condition::BIRDFOOT_INTERNAL : table.error().condition();
    };
    const DataType number(TypeKind::kLong);
    EXPECT_EQ(describe({{Field("a", number), Field("A", number)}}, {}), Condition::DELTA_DUPLICATE_COLUMNS_FOUND);
    const auto nested = DataType::Struct({{Field("x", number), Field("X", number)}});
    EXPECT_EQ(describe({{Field("s", nested)}}, {}), Condition::DELTA_DUPLICATE_COLUMNS_FOUND);
    EXPECT_EQ(describe({{Field("a b", number)}}, {}), Condition::DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES);
    EXPECT_EQ(describe(TwoColumns(), {"nope"}), Condition::DELTA_PARTITION_COLUMN_NOT_FOUND);
    EXPECT_EQ(describe(TwoColumns(), {"day", "id"}), Condition::DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION);
    EXPECT_EQ(describe(TwoColumns(), {"day", "DAY"}), Condition::DELTA_DUPLICATE_COLUMNS_FOUND);
    EXPECT_EQ(describe({{Field("a", number), Field("l", DataType::Array(number, true))}}, {"l"}),
              Condition::DELTA_INVALID_PARTITION_COLUMN_TYPE);
    const auto element = DataType::Struct({{Field("x", number, false)}});
    EXPECT_EQ(describe({{Field("l", DataType::Array(element, true))}}, {}),
              Condition::DELTA_NESTED_NOT_NULL_CONSTRAINT);
    EXPECT_EQ(describe({{Field("s", element)}}, {}), Condition::BIRDFOOT_INTERNAL);  // within structs it is enforced
}

TEST(NewTable, ProtocolIsRaisedByWhatMetadataNeedsAndNeverLowered) {
    const Protocol features{3, 7, std::vector<std::string>{"timestampNtz"}, std::vector<std::string>{"timestampNtz"}};
    Metadata metadata;
    EXPECT_EQ(RaiseProtocol(features, metadata, TwoColumns()), features);
    metadata.configuration["delta.enableChangeDataFeed"] = "true";
    const auto raised = RaiseProtocol(features, metadata, TwoColumns());
    EXPECT_EQ(WriterFeatureNames(raised), (std::vector<std::string>{"changeDataFeed", "timestampNtz"}));
    EXPECT_TRUE(HasFeature(RaiseProtocol({1, 2, {}, {}}, metadata, TwoColumns()), "appendOnly"));
    metadata.configuration = {{"delta.feature.deletionVectors", "supported"}};
    EXPECT_TRUE(HasFeature(RaiseProtocol({1, 2, {}, {}}, metadata, TwoColumns()), "deletionVectors"));
    EXPECT_TRUE(metadata.configuration.empty());
}

TEST(NewTable, AnAdoptedTableMustBeWhatTheStatementSays) {
    Metadata metadata;
    metadata.partition_columns = {"day"};
    metadata.configuration = {{"delta.appendOnly", "true"}};
    const Snapshot table("/t", {}, {}, metadata, TwoColumns(), ColumnMappingMode::kNone, {});
    const auto check = [&](TableSpec spec) { return ConditionOf(CheckSameTable(table, spec)); };
    EXPECT_TRUE(CheckSameTable(table, {}).ok());
    EXPECT_TRUE(CheckSameTable(table, {TwoColumns(), {"Day"}, {{"delta.appendOnly", "true"}}, {}}).ok());
    auto other = TwoColumns();
    other.fields[0].type = DataType(TypeKind::kInteger);
    EXPECT_EQ(check({other, {"day"}, {}, {}}), Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH);
    other = TwoColumns();
    other.fields[0].nullable = true;
    EXPECT_EQ(check({other, {"day"}, {}, {}}), Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH);
    other = TwoColumns();
    std::swap(other.fields[0], other.fields[1]);
    EXPECT_EQ(check({other, {"day"}, {}, {}}), Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH);
    other = TwoColumns();
    other.fields.pop_back();
    EXPECT_EQ(check({other, {"day"}, {}, {}}), Condition::DELTA_CREATE_TABLE_SCHEME_MISMATCH);
    EXPECT_EQ(check({TwoColumns(), {}, {}, {}}), Condition::DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING);
    EXPECT_EQ(check({{}, {}, {{"delta.appendOnly", "false"}}, {}}),
              Condition::DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY);
}

}  // namespace
}  // namespace birdfoot
