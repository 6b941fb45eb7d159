// Spark's spelling → DuckDB's. Each right side is valid in DuckDB 1.5.5 (tests/sql runs such statements).
#include "sql/rewrite.hpp"

#include <gtest/gtest.h>

namespace birdfoot::sql {
namespace {

struct Case {
    std::string_view spark;
    std::string_view duckdb;
};

void Check(const Case &c) {
    const auto result = RewriteSpelling(c.spark);
    ASSERT_TRUE(result.ok()) << c.spark << "\n" << result.error().message();
    ASSERT_TRUE(result->has_value()) << c.spark;
    EXPECT_EQ(**result, c.duckdb);
}

TEST(Rewrite, BackQuotes) {
    for (const Case &c : std::initializer_list<Case>{
             {"SELECT `a` FROM `t`", "SELECT \"a\" FROM \"t\""},
             {"SELECT `a``b`, `c\"d` FROM delta.`/data/it's`", "SELECT \"a`b\", \"c\"\"d\" FROM delta.\"/data/it's\""},
             {"SELECT '`', \"`\", `x` -- `\n/* ` */", "SELECT '`', \"`\", \"x\" -- `\n/* ` */"},
             {"UPDATE delta.`/p` SET `a b` = 1 WHERE`c`=2", "UPDATE delta.\"/p\" SET \"a b\" = 1 WHERE\"c\"=2"},
             {"SELECT * FROM delta.`/p@v3`, delta.`/p@20240101000000000`",
              "SELECT * FROM delta.\"/p@v3\", delta.\"/p@20240101000000000\""},
             {"DELETE FROM delta.`s3://b/t` t WHERE t.`x`", "DELETE FROM delta.\"s3://b/t\" t WHERE t.\"x\""},
             {"$$`$$ `x`", "$$`$$ \"x\""},
         }) {
        Check(c);
    }
}

TEST(Rewrite, VersionAsOf) {
    for (const Case &c : std::initializer_list<Case>{
             {"SELECT * FROM t VERSION AS OF 3", "SELECT * FROM t AT (VERSION => 3)"},
             {"select * from t version as of 3", "select * from t AT (VERSION => 3)"},
             {"SELECT * FROM a.b.t VERSION AS OF '3' WHERE x = 1",
              "SELECT * FROM a.b.t AT (VERSION => '3') WHERE x = 1"},
             {"SELECT * FROM delta.`/p` VERSION AS OF 1", "SELECT * FROM delta.\"/p\" AT (VERSION => 1)"},
             {"SELECT * FROM 'delta:/p' VERSION AS OF 1", "SELECT * FROM delta_scan('delta:/p', versionAsOf => 1) "},
             {"SELECT * FROM '/p' AS a VERSION AS OF 1 WHERE x",
              "SELECT * FROM delta_scan('/p', versionAsOf => 1) AS a  WHERE x"},
             {"SELECT * FROM \"t\" FOR VERSION AS OF 1", "SELECT * FROM \"t\" AT (VERSION => 1)"},
             {"SELECT * FROM t FOR SYSTEM_VERSION AS OF 1 LIMIT 2", "SELECT * FROM t AT (VERSION => 1) LIMIT 2"},
             {"SELECT * FROM t SYSTEM_VERSION AS OF 1", "SELECT * FROM t AT (VERSION => 1)"},
             {"SELECT * FROM t VERSION AS OF ?", "SELECT * FROM t AT (VERSION => ?)"},
             {"SELECT * FROM t VERSION AS OF $v", "SELECT * FROM t AT (VERSION => $v)"},
             {"SELECT * FROM t VERSION AS OF -1", "SELECT * FROM t AT (VERSION => -1)"},
             {"SELECT * FROM t VERSION /* v */ AS\nOF 3", "SELECT * FROM t AT (VERSION => 3)"},
             {"FROM t VERSION AS OF 3", "FROM t AT (VERSION => 3)"},
             {"FROM t VERSION AS OF 3 SELECT a", "FROM t AT (VERSION => 3) SELECT a"},
             {"TABLE t VERSION AS OF 3", "FROM t AT (VERSION => 3)"},
             {"INSERT INTO x TABLE t VERSION AS OF 3 a ORDER BY a.x",
              "INSERT INTO x FROM t a AT (VERSION => 3) ORDER BY a.x"},
         }) {
        Check(c);
    }
}

TEST(Rewrite, AliasGoesBeforeAt) {
    for (const Case &c : std::initializer_list<Case>{
             {"SELECT * FROM t VERSION AS OF 3 a", "SELECT * FROM t a AT (VERSION => 3)"},
             {"SELECT * FROM t VERSION AS OF 3 AS a", "SELECT * FROM t AS a AT (VERSION => 3)"},
             {"SELECT * FROM t VERSION AS OF 3 AS `a b`", "SELECT * FROM t AS \"a b\" AT (VERSION => 3)"},
             {"SELECT * FROM t VERSION AS OF 3 `a`(x, `y`)", "SELECT * FROM t \"a\" (x , \"y\" ) AT (VERSION => 3)"},
             {"SELECT * FROM t a VERSION AS OF 3", "SELECT * FROM t a AT (VERSION => 3)"},
             {"SELECT * FROM s.t AS a VERSION AS OF 3", "SELECT * FROM s.t AS a AT (VERSION => 3)"},
             {"SELECT * FROM t VERSION AS OF 1 a JOIN t VERSION AS OF 2 b ON a.id = b.id",
              "SELECT * FROM t a AT (VERSION => 1) JOIN t b AT (VERSION => 2) ON a.id = b.id"},
             {"SELECT * FROM t VERSION AS OF 1 JOIN u USING (id)",
              "SELECT * FROM t AT (VERSION => 1) JOIN u USING (id)"},
             {"SELECT * FROM t VERSION AS OF 1 LEFT JOIN u VERSION AS OF 2 AS u2 USING (id)",
              "SELECT * FROM t AT (VERSION => 1) LEFT JOIN u AS u2 AT (VERSION => 2) USING (id)"},
             {"SELECT * FROM t VERSION AS OF 1 a, u VERSION AS OF 2 b",
              "SELECT * FROM t a AT (VERSION => 1), u b AT (VERSION => 2)"},
             {"SELECT * FROM t VERSION AS OF 1 EXCEPT SELECT * FROM t VERSION AS OF 0",
              "SELECT * FROM t AT (VERSION => 1) EXCEPT SELECT * FROM t AT (VERSION => 0)"},
             {"SELECT * FROM t VERSION AS OF 1 ORDER BY 1", "SELECT * FROM t AT (VERSION => 1) ORDER BY 1"},
             {"SELECT * FROM t VERSION AS OF 1 ASOF JOIN u USING (x)",
              "SELECT * FROM t AT (VERSION => 1) ASOF JOIN u USING (x)"},
             {"SELECT * FROM t VERSION AS OF 1 TABLESAMPLE (10 PERCENT) AS a",
              "SELECT * FROM t AS a AT (VERSION => 1) TABLESAMPLE (10 PERCENT)"},
             {"SELECT * FROM (t VERSION AS OF 1 a JOIN u b ON a.x = b.x)",
              "SELECT * FROM (t a AT (VERSION => 1) JOIN u b ON a.x = b.x)"},
             {"SELECT * FROM a : t VERSION AS OF 1", "SELECT * FROM a : t AT (VERSION => 1)"},
         }) {
        Check(c);
    }
}

TEST(Rewrite, EverywhereInAStatement) {
    for (const Case &c : std::initializer_list<Case>{
             {"WITH c AS (SELECT * FROM t VERSION AS OF 1) SELECT * FROM c",
              "WITH c AS (SELECT * FROM t AT (VERSION => 1)) SELECT * FROM c"},
             {"SELECT (SELECT max(x) FROM t VERSION AS OF 1), (SELECT 1)",
              "SELECT (SELECT max(x) FROM t AT (VERSION => 1)), (SELECT 1)"},
             {"CREATE VIEW v AS SELECT * FROM t VERSION AS OF 1", "CREATE VIEW v AS SELECT * FROM t AT (VERSION => 1)"},
             {"CREATE TABLE x AS SELECT * FROM t VERSION AS OF 1",
              "CREATE TABLE x AS SELECT * FROM t AT (VERSION => 1)"},
             {"INSERT INTO x SELECT * FROM t VERSION AS OF 1", "INSERT INTO x SELECT * FROM t AT (VERSION => 1)"},
             {"EXPLAIN SELECT * FROM t VERSION AS OF 1", "EXPLAIN SELECT * FROM t AT (VERSION => 1)"},
             {"PREPARE p AS SELECT * FROM t VERSION AS OF ?", "PREPARE p AS SELECT * FROM t AT (VERSION => ?)"},
             {"COPY (SELECT * FROM t VERSION AS OF 1) TO 'f'", "COPY (SELECT * FROM t AT (VERSION => 1)) TO 'f'"},
             {"MERGE INTO t USING t VERSION AS OF 1 s ON t.x = s.x WHEN MATCHED THEN DELETE",
              "MERGE INTO t USING t s AT (VERSION => 1) ON t.x = s.x WHEN MATCHED THEN DELETE"},
             {"DELETE FROM t USING u VERSION AS OF 2 AS o WHERE t.x = o.x",
              "DELETE FROM t USING u AS o AT (VERSION => 2) WHERE t.x = o.x"},
         }) {
        Check(c);
    }
}

TEST(Rewrite, TimestampAsOf) {
    for (const Case &c : std::initializer_list<Case>{
             {"SELECT * FROM t TIMESTAMP AS OF '2024-01-01 12:00:00'",
              "SELECT * FROM t AT (TIMESTAMP => '2024-01-01 12:00:00')"},
             {"SELECT * FROM t FOR SYSTEM_TIME AS OF '2024-01-01' a",
              "SELECT * FROM t a AT (TIMESTAMP => '2024-01-01')"},
             {"SELECT * FROM t FOR TIMESTAMP AS OF '2024-01-01' WHERE x",
              "SELECT * FROM t AT (TIMESTAMP => '2024-01-01') WHERE x"},
             {"SELECT * FROM t TIMESTAMP AS OF current_timestamp()", "SELECT * FROM t AT (TIMESTAMP => now())"},
             {"SELECT * FROM t TIMESTAMP AS OF current_timestamp() - INTERVAL 7 DAYS b",
              "SELECT * FROM t b AT (TIMESTAMP => now() - (INTERVAL '0 months 7 days 0 microseconds'))"},
             {"SELECT * FROM t TIMESTAMP AS OF now() - interval '1 day 2 hours'",
              "SELECT * FROM t AT (TIMESTAMP => now() - (INTERVAL '0 months 1 days 7200000000 microseconds'))"},
             {"SELECT * FROM t TIMESTAMP AS OF date_sub(current_date(), 1) LIMIT 5",
              "SELECT * FROM t AT (TIMESTAMP => (CAST(current_date AS DATE) - CAST(1 AS INTEGER))) LIMIT 5"},
             {"SELECT * FROM t TIMESTAMP AS OF DATE '2024-01-01' AS a(x)",
              "SELECT * FROM t AS a (x ) AT (TIMESTAMP => CAST('2024-01-01' AS DATE))"},
             {"SELECT * FROM t TIMESTAMP AS OF '2024-01-01'::TIMESTAMP, u",
              "SELECT * FROM t AT (TIMESTAMP => CAST('2024-01-01' AS TIMESTAMP WITH TIME ZONE)), u"},
             {"SELECT * FROM t TIMESTAMP AS OF to_timestamp('2024-01-01') JOIN u ON t.x = u.x",
              "SELECT * FROM t AT (TIMESTAMP => CAST('2024-01-01' AS TIMESTAMP WITH TIME ZONE)) JOIN u ON t.x = u.x"},
             {"SELECT * FROM t TIMESTAMP AS OF ? x", "SELECT * FROM t x AT (TIMESTAMP => ?)"},
             {"SELECT * FROM t TIMESTAMP AS OF getvariable('when')",
              "SELECT * FROM t AT (TIMESTAMP => GETVARIABLE('when'))"},
             {"SELECT * FROM t TIMESTAMP AS OF ('2024-01-' || '01')",
              "SELECT * FROM t AT (TIMESTAMP => '2024-01-' || '01')"},
         }) {
        Check(c);
    }
}

TEST(Rewrite, Notebooks) {
    for (const Case &c : std::initializer_list<Case>{
             {"%sql SELECT 1", " SELECT 1"},
             {"// why\nSELECT 7 // 2", "-- why\nSELECT 7 // 2"},
             {"  %SQL\n// x `y`\nSELECT `a`", "  \n-- x `y`\nSELECT \"a\""},
         }) {
        Check(c);
    }
}

TEST(Rewrite, LeavesTheRestAlone) {
    for (const std::string_view text : {
             "SELECT 1",
             "SELECT '`a`', 'x VERSION AS OF 3' -- VERSION AS OF 3",
             "SELECT version AS of FROM t",
             "SELECT timestamp AS of, 3 FROM t",
             "SELECT x::TIMESTAMP AS of FROM t",
             "SELECT CAST(x AS TIMESTAMP) AS of FROM t",
             "SELECT a.timestamp AS of FROM t a",
             "SELECT * FROM t AT (VERSION => 3)",
             "SELECT * FROM t a AT (TIMESTAMP => now())",
             "SELECT 7 // 2, 8 % 3",
             "SELECT x IS NOT DISTINCT FROM version AS of FROM t",
             "CREATE TABLE of (of INT)",
             "SELECT * FROM t WHERE x LIKE '%sql%'",
             "SELECT 'open",
             "SELECT \"open",
             "SELECT /* open",
             "",
             ";",
         }) {
        const auto result = RewriteSpelling(text);
        ASSERT_TRUE(result.ok()) << text;
        EXPECT_FALSE(result->has_value()) << text << "\n" << **result;
    }
}

TEST(Rewrite, SaysWhatIsWrong) {
    const auto message = [](std::string_view text) {
        const auto result = RewriteSpelling(text);
        return result.ok() ? std::string("no error") : result.error().message();
    };
    EXPECT_EQ(
        message("SELECT * FROM t VERSION AS OF three"),
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'three' (line 1, position 31): behind VERSION AS OF stands the "
        "number of a version. Write it like VERSION AS OF 3.");
    EXPECT_EQ(
        message("SELECT *\nFROM t TIMESTAMP AS OF WHERE x"),
        "[PARSE_SYNTAX_ERROR] Syntax error at or near 'WHERE' (line 2, position 24): behind TIMESTAMP AS OF stands a "
        "time. Write it like TIMESTAMP AS OF '2024-01-31 12:00:00' or current_timestamp() - INTERVAL 1 DAY.");
    EXPECT_EQ(
        message("SELECT * FROM delta.`/data"),
        "[PARSE_SYNTAX_ERROR] The name that begins with `/data does not end. A back-quote opens a name. Close it with "
        "another one.");
}

TEST(Rewrite, WhatDoesNotEndIsLeftForDuckDbToFind) {
    EXPECT_EQ(ToDuckDbSpelling("SELECT `a` FROM t WHERE b = 'it").value(), "SELECT \"a\" FROM t WHERE b = 'it");
    EXPECT_EQ(ToDuckDbSpelling("SELECT `a` FROM \"t WHERE `b`").value(), "SELECT \"a\" FROM \"t WHERE `b`");
    EXPECT_EQ(ToDuckDbSpelling("SELECT `a` /* `b`").value(), "SELECT \"a\" /* `b`");
}

TEST(Rewrite, SparkSpellingOfStoredExpressions) {
    EXPECT_EQ(ToSparkSpelling("a > 1 AND `b` < 'x'"), "a > 1 AND `b` < 'x'");
    EXPECT_EQ(ToSparkSpelling("\"a b\" = 'it''s'"), "`a b` = 'it\\'s'");
    EXPECT_EQ(ToSparkSpelling("a LIKE 'x\\y' -- z"), "a LIKE 'x\\\\y' -- z");
    EXPECT_EQ(ToSparkSpelling("a = $$it's$$ OR b = E'\\t'"), "a = 'it\\'s' OR b = '\\t'");
}

}  // namespace
}  // namespace birdfoot::sql
