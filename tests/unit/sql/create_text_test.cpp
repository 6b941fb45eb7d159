#include "sql/create_text.hpp"

#include <gtest/gtest.h>

#include "sql/types.hpp"
#include "unit/sql/statement_text.hpp"

namespace birdfoot::sql {
namespace {

StructField Field(std::string name, std::string_view type) {
    StructField field;
    field.name = std::move(name);
    field.type = ParseTypeText(type)->type;
    return field;
}

TEST(CreateText, ReadsBack) {
    TableDescription table;
    table.name.parts = {"lake", "sales", "my table"};
    table.schema.fields = {Field("id", "BIGINT"),
                           Field("a b", "STRUCT<x: ARRAY<INT> NOT NULL COMMENT 'it''s', `y z`: MAP<STRING, DATE>>"),
                           Field("c", "STRING"),
                           Field("day", "DATE"),
                           Field("n", "DECIMAL(5,2)"),
                           Field("k", "BIGINT")};
    table.schema.fields[0].nullable = false;
    table.schema.fields[0].metadata.SetString("comment", "the key");
    table.schema.fields[2].metadata.SetString("__CHAR_VARCHAR_TYPE_STRING", "varchar(10)");
    table.schema.fields[3].metadata.SetString("delta.generationExpression", "CAST(ts AS DATE)");
    table.schema.fields[4].metadata.SetString("CURRENT_DEFAULT", "1.5");
    table.schema.fields[2].metadata.SetString("CURRENT_DEFAULT", R"('it\'s \\')");
    table.schema.fields[5].metadata.Set("delta.identity.start", "5");
    table.schema.fields[5].metadata.Set("delta.identity.step", "2");
    table.schema.fields[5].metadata.Set("delta.identity.allowExplicitInsert", "false");
    table.partition_columns = {"day"};
    table.location = "/data/my table";
    table.comment = "what it's about";
    table.properties = {{"delta.appendOnly", "true"},
                        {"delta.constraints.positive", "id > 0"},
                        {"owner", "me"},
                        {"delta.columnMapping.maxColumnId", "7"}};
    const auto text = CreateTableText(table);
    EXPECT_EQ(text,
              "CREATE TABLE lake.sales.`my table` (\n"
              "  id BIGINT NOT NULL COMMENT 'the key',\n"
              "  `a b` STRUCT<x: ARRAY<INT> NOT NULL COMMENT 'it''s', `y z`: MAP<STRING, DATE>>,\n"
              "  c VARCHAR(10) DEFAULT 'it''s \\',\n"
              "  day DATE GENERATED ALWAYS AS (CAST(ts AS DATE)),\n"
              "  n DECIMAL(5,2) DEFAULT 1.5,\n"
              "  k BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 2),\n"
              "  CONSTRAINT positive CHECK (id > 0))\n"
              "USING delta\n"
              "PARTITIONED BY (day)\n"
              "LOCATION '/data/my table'\n"
              "COMMENT 'what it''s about'\n"
              "TBLPROPERTIES (\n"
              "  'delta.appendOnly' = 'true',\n"
              "  'delta.feature.allowColumnDefaults' = 'supported',\n"
              "  'owner' = 'me')");
    const auto reading = ReadStatement(text);
    ASSERT_TRUE(reading.ok()) << reading.error().message();
    EXPECT_EQ(StatementText::Of(*reading),
              "create lake.sales.`my table` using delta (id:bigint! comment the key, a b:struct<x:array<int>,y "
              "z:map<string,date>>, "
              "c:string of varchar(10) default 'it\\'s \\\\', day:date generated CAST(ts AS DATE), n:decimal(5,2) "
              "default 1.5, k:bigint "
              "identity 5 2!) "
              "check positive{id > 0} partitioned(day) location /data/my table comment what it's about "
              "properties(delta.appendOnly=true,delta.feature.allowColumnDefaults=supported,owner=me)");
}

TEST(CreateText, Small) {
    TableDescription table;
    table.name.path = "/p";
    table.schema.fields = {Field("a", "INT")};
    EXPECT_EQ(CreateTableText(table), "CREATE TABLE delta.`/p` (\n  a INT)\nUSING delta");
}

}  // namespace
}  // namespace birdfoot::sql
