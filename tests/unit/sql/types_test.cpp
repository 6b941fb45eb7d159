#include "sql/types.hpp"

#include <gtest/gtest.h>

namespace birdfoot::sql {
namespace {

TEST(SqlTypes, Names) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases = {
        // Spark's
        {"BOOLEAN", "boolean"},
        {"tinyint", "tinyint"},
        {"BYTE", "tinyint"},
        {"SMALLINT", "smallint"},
        {"SHORT", "smallint"},
        {"\"date\"", "date"},
        {"INT", "int"},
        {"INTEGER", "int"},
        {"BIGINT", "bigint"},
        {"LONG", "bigint"},
        {"FLOAT", "float"},
        {"REAL", "float"},
        {"DOUBLE", "double"},
        {"DECIMAL", "decimal(10,0)"},
        {"DEC(5)", "decimal(5,0)"},
        {"NUMERIC(38, 38)", "decimal(38,38)"},
        {"STRING", "string"},
        {"CHAR(3)", "string"},
        {"VARCHAR(10)", "string"},
        {"BINARY", "binary"},
        {"DATE", "date"},
        {"TIMESTAMP", "timestamp"},
        {"TIMESTAMP_LTZ", "timestamp"},
        {"TIMESTAMP_NTZ", "timestamp_ntz"},
        {"VARIANT", "variant"},
        {"VOID", "void"},
        {"ARRAY<INT>", "array<int>"},
        {"ARRAY<ARRAY<STRING>>", "array<array<string>>"},
        {"MAP<STRING, ARRAY<DOUBLE>>", "map<string,array<double>>"},
        {"STRUCT<>", "struct<>"},
        {"STRUCT<a: INT NOT NULL COMMENT 'x', `b c` STRING, d:STRUCT<e:INT>>",
         "struct<a:int,b c:string,d:struct<e:int>>"},
        // DuckDB's
        {"BOOL", "boolean"},
        {"INT8", "bigint"},
        {"VARCHAR", "string"},
        {"TEXT", "string"},
        {"BLOB", "binary"},
        {"HUGEINT", "decimal(38,0)"},
        {"UBIGINT", "decimal(20,0)"},
        {"UINTEGER", "bigint"},
        {"UTINYINT", "smallint"},
        {"TIMESTAMPTZ", "timestamp"},
        {"TIMESTAMP WITH TIME ZONE", "timestamp"},
        {"TIMESTAMP WITHOUT TIME ZONE", "timestamp_ntz"},
        {"TIMESTAMP_NS", "timestamp_ntz"},
        {"DOUBLE PRECISION", "double"},
        {"INTEGER[]", "array<int>"},
        {"INTEGER[3][]", "array<array<int>>"},
        {"MAP(VARCHAR, INTEGER)", "map<string,int>"},
        {"STRUCT(a INTEGER, b TEXT[])", "struct<a:int,b:array<string>>"},
        {"JSON", "string"},
        {"UUID", "string"},
        {"CHARACTER VARYING(3)", "string"},
    };
    for (const auto &[text, expected] : cases) {
        const auto type = ParseTypeText(text);
        ASSERT_TRUE(type.ok()) << text << "\n" << type.error().message();
        EXPECT_EQ(type->type.ToString(), expected) << text;
    }
}

TEST(SqlTypes, CharactersKeepTheirLength) {
    const auto text = [](std::string_view type) { return ParseTypeText(type)->catalog_text; };
    EXPECT_EQ(text("VARCHAR(10)"), "varchar(10)");
    EXPECT_EQ(text("ARRAY<STRUCT<a: CHAR(2), b: INT>>"), "array<struct<a:char(2),b:int>>");
    EXPECT_TRUE(ParseTypeText("MAP<STRING, VARCHAR(3)>")->has_char);
    EXPECT_FALSE(ParseTypeText("MAP<STRING, VARCHAR>")->has_char);
}

TEST(SqlTypes, NestedFields) {
    const auto type = ParseTypeText("STRUCT<a: INT NOT NULL COMMENT 'x', b: INT>");
    ASSERT_TRUE(type.ok());
    const auto &fields = type->type.struct_type().fields;
    EXPECT_FALSE(fields[0].nullable);
    EXPECT_TRUE(fields[1].nullable);
    EXPECT_EQ(fields[0].metadata.StringOf("comment"), "x");
}

TEST(SqlTypes, Errors) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases = {
        {"",
         "[PARSE_SYNTAX_ERROR] Syntax error at or near the end of the statement (line 1, position 1): a type is "
         "expected here"},
        {"STRNG", "[PARSE_SYNTAX_ERROR] Syntax error at or near 'STRNG' (line 1, position 1): it is no type"},
        {"INTERVAL", "[DELTA_UNSUPPORTED_DATA_TYPES] Delta has no type INTERVAL"},
        {"TIME", "[DELTA_UNSUPPORTED_DATA_TYPES] Delta has no type TIME"},
        {"ARRAY<GEOMETRY>", "[DELTA_UNSUPPORTED_DATA_TYPES] Delta has no type GEOMETRY"},
        {"DECIMAL(39, 0)", "[DELTA_UNSUPPORTED_DATA_TYPES] DECIMAL(39,0) does not exist"},
        {"DECIMAL(5, 6)", "[DELTA_UNSUPPORTED_DATA_TYPES] DECIMAL(5,6) does not exist"},
        {"CHAR", "[PARSE_SYNTAX_ERROR]"},
        {"CHAR(0)", "[PARSE_SYNTAX_ERROR]"},
        {"ARRAY<INT", "[PARSE_SYNTAX_ERROR]"},
        {"MAP<INT>", "[PARSE_SYNTAX_ERROR]"},
        {"STRUCT<a>", "[PARSE_SYNTAX_ERROR]"},
        {"INT INT", "[PARSE_SYNTAX_ERROR]"},
        {"STRUCT(a INT>", "[PARSE_SYNTAX_ERROR]"},
        {"`INT`", "[PARSE_SYNTAX_ERROR]"},
    };
    for (const auto &[text, expected] : cases) {
        const auto type = ParseTypeText(text);
        ASSERT_FALSE(type.ok()) << text;
        EXPECT_EQ(type.error().message().substr(0, expected.size()), expected) << text;
    }
    std::string deep;
    for (int i = 0; i < 100000; i++) {
        deep += "ARRAY<";
    }
    EXPECT_FALSE(ParseTypeText(deep).ok());
}

TEST(SqlTypes, DuckDbText) {
    const auto text = [](std::string_view type) { return DuckDbTypeText(ParseTypeText(type)->type); };
    EXPECT_EQ(text("STRUCT<a: ARRAY<MAP<STRING, DECIMAL(5,2)>>, `b\"c`: TIMESTAMP>"),
              "STRUCT(\"a\" MAP(VARCHAR, DECIMAL(5,2))[], \"b\"\"c\" TIMESTAMP WITH TIME ZONE)");
    EXPECT_EQ(text("TIMESTAMP_NTZ"), "TIMESTAMP");
    EXPECT_EQ(text("BYTE"), "TINYINT");
}

}  // namespace
}  // namespace birdfoot::sql
