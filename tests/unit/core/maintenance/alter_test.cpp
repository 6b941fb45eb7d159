// ALTER TABLE without a table: from one definition to the next. What Spark answers to the same is in tests/sql/alter.
#include "core/maintenance/alter.hpp"

#include <gtest/gtest.h>

#include "core/maintenance/clustering.hpp"
#include "core/table/new_table.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

const DataType kInt(TypeKind::kInteger);

StructField Field(std::string name, DataType type, bool nullable = true) {
    return {std::move(name), std::move(type), nullable, {}};
}

TableDefinition Table(Properties properties = {}, std::vector<std::string> partitions = {}) {
    TableSpec spec;
    spec.schema = {{Field("id", kInt), Field("s", DataType::Struct({{Field("x", kInt), Field("y", kInt)}})),
                    Field("l", DataType::Array(kInt, true)), Field("p", kInt)}};
    spec.properties = std::move(properties);
    spec.partition_columns = std::move(partitions);
    return *DescribeNewTable(std::move(spec), 0);
}

const Properties kMapped = {{"delta.columnMapping.mode", "name"}};

Condition ConditionOf(const Result<Alteration> &result) {
    return result.ok() ? Condition::BIRDFOOT_INTERNAL : result.error().condition();
}

std::string Property(const TableDefinition &table, const std::string &key) {
    const auto found = table.metadata.configuration.find(key);
    return found == table.metadata.configuration.end() ? "" : found->second;
}

std::vector<AddedColumn> Add(FieldPath parent, StructField field) {
    return {{std::move(parent), std::move(field), {}}};
}

TEST(Alter, AddedColumnsGetIdsAboveAllThatWereEverGiven) {
    auto table = Table(kMapped);
    EXPECT_EQ(Property(table, "delta.columnMapping.maxColumnId"), "6");
    table = DropColumns(table, {{"p"}}, false, {})->table;
    const auto added = AddColumns(table, Add({"s"}, Field("z", kInt)), false);
    ASSERT_TRUE(added.ok()) << added.error().message();
    EXPECT_EQ(FieldId(**FindField(added->table.schema, {"s", "z"})), 7);
    EXPECT_EQ(Property(added->table, "delta.columnMapping.maxColumnId"), "7");
    EXPECT_EQ(*ParseSchema(added->table.metadata.schema_string)
                   ->Find("s")
                   ->type.struct_type()
                   .Find("z")
                   ->metadata.StringOf(kColumnMappingPhysicalName),
              PhysicalName(**FindField(added->table.schema, {"s", "z"}), ColumnMappingMode::kName));
}

TEST(Alter, IfExistsAndIfNotExistsMayBeNothing) {
    EXPECT_TRUE(AddColumns(Table(), Add({}, Field("ID", kInt)), true)->nothing);
    EXPECT_TRUE(DropColumns(Table(), {{"nope"}}, true, {})->nothing);
    EXPECT_EQ(ConditionOf(AddColumns(Table(), Add({}, Field("ID", kInt)), false)), Condition::FIELD_ALREADY_EXISTS);
}

TEST(Alter, DropAndRenameNeedColumnMapping) {
    EXPECT_EQ(ConditionOf(DropColumns(Table(), {{"id"}}, false, {})), Condition::DELTA_UNSUPPORTED_DROP_COLUMN);
    EXPECT_EQ(ConditionOf(RenameColumn(Table(), {"id"}, "x")), Condition::DELTA_UNSUPPORTED_RENAME_COLUMN);
}

TEST(Alter, PartitionAndClusteringColumnsStay) {
    const auto table = Table(kMapped, {"p"});
    EXPECT_EQ(ConditionOf(DropColumns(table, {{"P"}}, false, {})), Condition::DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN);
    EXPECT_EQ(ConditionOf(DropColumns(table, {{"s"}}, false, {{"s", "x"}})),
              Condition::DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN);
    const auto renamed = RenameColumn(table, {"p"}, "day");
    ASSERT_TRUE(renamed.ok());
    EXPECT_EQ(renamed->table.metadata.partition_columns, std::vector<std::string>{"day"});
}

TEST(Alter, ColumnsWithStatisticsFollow) {
    auto properties = kMapped;
    properties["delta.dataSkippingStatsColumns"] = "id,s.x";
    const auto table = Table(properties);
    EXPECT_EQ(Property(RenameColumn(table, {"s"}, "t t")->table, "delta.dataSkippingStatsColumns"), "id,`t t`.x");
    EXPECT_EQ(Property(DropColumns(table, {{"id"}}, false, {})->table, "delta.dataSkippingStatsColumns"), "s.x");
}

ColumnChange TypeOf(FieldPath path, DataType type) {
    ColumnChange change;
    change.column = std::move(path);
    change.type = std::move(type);
    return change;
}

TEST(Alter, TypesWidenWhereTheTableAllowsIt) {
    const DataType wide(TypeKind::kLong);
    EXPECT_EQ(ConditionOf(ChangeColumns(Table(), {TypeOf({"id"}, wide)})),
              Condition::DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP);
    const auto table = Table({{"delta.enableTypeWidening", "true"}});
    const auto changed = ChangeColumns(table, {TypeOf({"l", "element"}, wide), TypeOf({"s", "x"}, wide)});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
    EXPECT_EQ(changed->table.schema.Find("l")->metadata.JsonOf("delta.typeChanges"),
              R"([{"toType":"long","fromType":"integer","fieldPath":"element"}])");
    EXPECT_EQ(changed->operation.name, "CHANGE COLUMNS");
    EXPECT_EQ(ConditionOf(ChangeColumns(changed->table, {TypeOf({"s", "x"}, kInt)})),
              Condition::DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP);
    EXPECT_EQ(ConditionOf(ChangeColumns(table, {TypeOf({"s"}, wide)})), Condition::DELTA_CANNOT_UPDATE_STRUCT_FIELD);
}

TEST(Alter, TheSchemaStaysByteForByteWhereItDoesNotChange) {
    auto table = Table();
    table.metadata.schema_string += " ";  // as another writer may have written it
    EXPECT_EQ(SetProperties(table, {{"k", "v"}}, false)->table.metadata.schema_string, table.metadata.schema_string);
}

TEST(Alter, ModesOfColumnMapping) {
    const auto set = [](const TableDefinition &table, const char *mode) {
        return SetProperties(table, {{"delta.columnMapping.mode", mode}}, false);
    };
    const auto named = set(Table(), "name");
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(PhysicalName(**FindField(named->table.schema, {"s", "x"}), ColumnMappingMode::kName), "x");
    EXPECT_EQ(named->table.protocol.min_reader_version, 2);
    EXPECT_TRUE(HasFeature(named->table.protocol, "columnMapping"));
    const auto refused = Condition::DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE;
    EXPECT_EQ(ConditionOf(set(Table(), "id")), refused);
    EXPECT_EQ(ConditionOf(set(named->table, "id")), refused);
    EXPECT_EQ(ConditionOf(set(named->table, "none")), refused);  // files must be written anew first
    auto damaged = Table();
    damaged.schema = named->table.schema;
    EXPECT_EQ(ConditionOf(set(damaged, "name")),
              Condition::DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS);
}

TEST(Alter, ATypeTurnsNoFeatureOnUnasked) {
    const auto column = Add({}, Field("t", DataType(TypeKind::kTimestampNtz)));
    EXPECT_EQ(ConditionOf(AddColumns(Table(), column, false)), Condition::DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT);
    const auto table = SetProperties(Table(), {{"delta.feature.timestampNtz", "supported"}}, false)->table;
    EXPECT_TRUE(table.metadata.configuration.empty());
    EXPECT_TRUE(AddColumns(table, column, false).ok());
}

TEST(Alter, RowTrackingNamesItsColumnsOnce) {
    const auto on = SetProperties(Table(), {{"delta.enableRowTracking", "true"}}, false)->table;
    const auto name = Property(on, "delta.rowTracking.materializedRowIdColumnName");
    EXPECT_TRUE(name.starts_with("_row-id-col-")) << name;
    const auto off = SetProperties(on, {{"delta.enableRowTracking", "false"}}, false)->table;
    const auto again = SetProperties(off, {{"delta.enableRowTracking", "true"}}, false)->table;
    EXPECT_EQ(Property(again, "delta.rowTracking.materializedRowIdColumnName"), name);
}

TEST(Alter, ClusteringNamesPhysicalColumns) {
    const auto table = Table(kMapped);
    const auto clustered = ClusterBy(table, {}, {{"S", "x"}, {"id"}});
    ASSERT_TRUE(clustered.ok()) << clustered.error().message();
    EXPECT_TRUE(HasFeature(clustered->table.protocol, "clustering"));
    EXPECT_TRUE(HasFeature(clustered->table.protocol, "domainMetadata"));
    ASSERT_EQ(clustered->domains.size(), 1U);
    EXPECT_EQ(*ClusteringColumnsOf(clustered->domains[0], clustered->table),
              (std::vector<FieldPath>{{"s", "x"}, {"id"}}));
    EXPECT_TRUE(ClusterBy(table, {}, {})->nothing);
    EXPECT_FALSE(ClusterBy(clustered->table, {{"id"}}, {})->nothing);
}

TEST(Alter, AnOverwrittenTableKeepsWhatItCan) {
    const auto table = Table(kMapped);
    TableSpec spec;
    spec.schema = {{Field("id", kInt), Field("p", DataType(TypeKind::kLong))}};
    spec.properties = kMapped;
    const auto replaced = DescribeNewTable(spec, 0, &table);
    ASSERT_TRUE(replaced.ok());
    EXPECT_EQ(FieldId(replaced->schema.fields[0]), FieldId(table.schema.fields[0]));
    EXPECT_EQ(FieldId(replaced->schema.fields[1]), 7);
    spec.properties["delta.columnMapping.mode"] = "id";
    EXPECT_EQ(FieldId(DescribeNewTable(spec, 0, &table)->schema.fields[0]), 7);
    spec.properties.clear();
    EXPECT_FALSE(HasColumnMapping(DescribeNewTable(spec, 0, &table)->schema));
}

}  // namespace
}  // namespace birdfoot
