#include "sql/expression.hpp"

#include <gtest/gtest.h>

namespace birdfoot::sql {
namespace {

struct Case {
    std::string_view text;
    std::string_view spark;   // as ToSparkText writes it
    std::string_view duckdb;  // as ToDuckDbText writes it; "" where there is no such text
};

TEST(Expression, BothTexts) {
    const std::initializer_list<Case> cases = {
        {"a", "`a`", "\"a\""},
        {"a.`b c`.d", "`a`.`b c`.`d`", "\"a\".\"b c\".\"d\""},
        {"1", "1", "1"},
        {"1.50", "1.50", "1.50"},
        {"1e3", "1e3", "1e3"},
        {"1L", "1L", "CAST(1 AS BIGINT)"},
        {"1Y", "1Y", "CAST(1 AS TINYINT)"},
        {"2.5D", "2.5D", "CAST(2.5 AS DOUBLE)"},
        {"-5", "- 5", "- 5"},
        {"'it\\'s'", "'it\\'s'", "'it''s'"},
        {"\"x\"", "'x'", "'x'"},
        {"'a' \"b\"", "'ab'", "'ab'"},
        {"NULL", "NULL", "NULL"},
        {"true", "TRUE", "TRUE"},
        {"X'0aff'", "X'0AFF'", "unhex('0AFF')"},
        {"DATE '2024-01-01'", "DATE '2024-01-01'", "CAST('2024-01-01' AS DATE)"},
        {"DATE'2024-01-01'", "DATE '2024-01-01'", "CAST('2024-01-01' AS DATE)"},
        {"timestamp '2024-01-01 00:00:00'", "TIMESTAMP '2024-01-01 00:00:00'",
         "CAST('2024-01-01 00:00:00' AS TIMESTAMP WITH TIME ZONE)"},
        {"TIMESTAMP_NTZ '2024-01-01'", "TIMESTAMP_NTZ '2024-01-01'", "CAST('2024-01-01' AS TIMESTAMP)"},
        {"a = 1", "`a` = 1", "\"a\" = 1"},
        {"a == 1 AND b != 2", "(`a` = 1) AND (`b` <> 2)", "(\"a\" = 1) AND (\"b\" <> 2)"},
        {"a <=> NULL", "`a` <=> NULL", "\"a\" IS NOT DISTINCT FROM NULL"},
        {"a IS DISTINCT FROM b", "NOT (`a` <=> `b`)", "NOT (\"a\" IS NOT DISTINCT FROM \"b\")"},
        {"a AND b AND c OR d", "(`a` AND `b` AND `c`) OR `d`", "(\"a\" AND \"b\" AND \"c\") OR \"d\""},
        {"NOT a OR ! b", "(NOT `a`) OR (NOT `b`)", "(NOT \"a\") OR (NOT \"b\")"},
        {"NOT a = b", "NOT (`a` = `b`)", "NOT (\"a\" = \"b\")"},
        {"a BETWEEN 1 AND 2 AND b", "(`a` BETWEEN 1 AND 2) AND `b`", "(\"a\" BETWEEN 1 AND 2) AND \"b\""},
        {"a NOT BETWEEN 1 AND 2", "`a` NOT BETWEEN 1 AND 2", "\"a\" NOT BETWEEN 1 AND 2"},
        {"a IN (1, 2, NULL)", "`a` IN (1, 2, NULL)", "\"a\" IN (1, 2, NULL)"},
        {"a NOT IN ('x')", "`a` NOT IN ('x')", "\"a\" NOT IN ('x')"},
        {"a IS NULL", "`a` IS NULL", "\"a\" IS NULL"},
        {"a IS NOT NULL", "`a` IS NOT NULL", "\"a\" IS NOT NULL"},
        {"(a > 1) IS UNKNOWN", "(`a` > 1) IS UNKNOWN", "(\"a\" > 1) IS NULL"},
        {"a LIKE 'x%'", "`a` LIKE 'x%'", "\"a\" LIKE 'x%'"},
        {"a LIKE 'x\\%'", "`a` LIKE 'x\\\\%'", "\"a\" LIKE 'x\\%' ESCAPE '\\'"},
        {"a LIKE 'x/%' ESCAPE '/'", "`a` LIKE 'x/%' ESCAPE '/'", "\"a\" LIKE 'x/%' ESCAPE '/'"},
        {"a NOT ILIKE b", "`a` NOT ILIKE `b`", "\"a\" NOT ILIKE \"b\" ESCAPE '\\'"},
        {"a + b * 2 - 1", "(`a` + (`b` * 2)) - 1", "(\"a\" + (\"b\" * 2)) - 1"},
        {"a % 7", "`a` % 7", "\"a\" % 7"},
        {"a || 'x'", "`a` || 'x'", "\"a\" || 'x'"},
        {"a & 1 = 0", "(`a` & 1) = 0", "(\"a\" & 1) = 0"},
        {"CASE WHEN a > 1 THEN 'x' ELSE NULL END", "CASE WHEN (`a` > 1) THEN 'x' ELSE NULL END",
         "CASE WHEN (\"a\" > 1) THEN 'x' ELSE NULL END"},
        {"CASE a WHEN 1 THEN 2 WHEN 3 THEN 4 END", "CASE `a` WHEN 1 THEN 2 WHEN 3 THEN 4 END",
         "CASE \"a\" WHEN 1 THEN 2 WHEN 3 THEN 4 END"},
        {"CAST(a AS DATE)", "CAST(`a` AS DATE)", "CAST(\"a\" AS DATE)"},
        {"CAST(5 AS DECIMAL(5,2))", "CAST(5 AS DECIMAL(5,2))", "CAST(5 AS DECIMAL(5,2))"},
        {"CAST(NULL AS ARRAY<INT>)", "CAST(NULL AS ARRAY<INT>)", "CAST(NULL AS INTEGER[])"},
        {"coalesce(a, b, 0)", "COALESCE(`a`, `b`, 0)", "coalesce(\"a\", \"b\", 0)"},
        {"year(d) = 2024", "YEAR(`d`) = 2024", "CAST(year(\"d\") AS INTEGER) = 2024"},
        {"length(s) > 3", "LENGTH(`s`) > 3", "length(\"s\") > 3"},
        {"current_date()", "CURRENT_DATE()", "current_date"},
        {"current_timestamp", "CURRENT_TIMESTAMP()", "now()"},
        // DuckDB's own meaning
        {"a / 2", "`a` / 2", "\"a\" / 2"},
        {"a DIV 2", "`a` DIV 2", ""},
        {"a % b", "`a` % `b`", "\"a\" % \"b\""},
        {"a % 0", "`a` % 0", "\"a\" % 0"},
        {"a ^ 2", "`a` ^ 2", "\"a\" ^ 2"},
        {"~a", "~ `a`", "~ \"a\""},
        {"a RLIKE '^x'", "`a` RLIKE '^x'", ""},
        {"CAST(a AS STRING)", "CAST(`a` AS STRING)", "CAST(\"a\" AS VARCHAR)"},
        {"CAST(a AS INT)", "CAST(`a` AS INT)", "CAST(\"a\" AS INTEGER)"},
        {"CAST(1.5 AS INT)", "CAST(1.5 AS INT)", "CAST(1.5 AS INTEGER)"},
        {"TRY_CAST(a AS DATE)", "TRY_CAST(`a` AS DATE)", "TRY_CAST(\"a\" AS DATE)"},
        {"a::date", "CAST(`a` AS DATE)", "CAST(\"a\" AS DATE)"},
        {"upper(a) = 'X'", "UPPER(`a`) = 'X'", "UPPER(\"a\") = 'X'"},
        {"concat(a, b)", "CONCAT(`a`, `b`)", "CONCAT(\"a\", \"b\")"},
        {"my_udf()", "MY_UDF()", "MY_UDF()"},
        {"a[0]", "`a`[0]", "\"a\"[0]"},
        {"2 .d", "(2).`d`", "(2).\"d\""},
        {"d + INTERVAL 1 MONTH", "`d` + (INTERVAL '1 months 0 days 0 microseconds')",
         "\"d\" + (INTERVAL '1 months 0 days 0 microseconds')"},
        {"d + INTERVAL '1' DAY '2' HOURS", "`d` + (INTERVAL '0 months 1 days 7200000000 microseconds')",
         "\"d\" + (INTERVAL '0 months 1 days 7200000000 microseconds')"},
    };
    for (const auto &c : cases) {
        const auto expression = ParseExpression(c.text);
        ASSERT_TRUE(expression.ok()) << c.text << "\n" << expression.error().message();
        EXPECT_EQ(ToSparkText(*expression), c.spark) << c.text;
        const auto duckdb = ToDuckDbText(*expression);
        EXPECT_EQ(duckdb.ok() ? *duckdb : "", c.duckdb) << c.text;
        if (!duckdb.ok()) {
            EXPECT_EQ(duckdb.error().condition(), Condition::DELTA_UNSUPPORTED_EXPRESSION) << c.text;
        }
        // What is printed means the same.
        const auto again = ParseExpression(c.spark);
        ASSERT_TRUE(again.ok()) << c.spark << "\n" << again.error().message();
        EXPECT_EQ(ToSparkText(*again), c.spark);
    }
}

TEST(Expression, IntervalsAreExact) {
    const auto text = [](std::string_view interval) {
        const auto expression = ParseExpression(interval, Dialect::kDuckDb);
        return expression.ok() ? *ToDuckDbText(*expression) : expression.error().message();
    };
    EXPECT_EQ(text("INTERVAL 7 DAYS"), "INTERVAL '0 months 7 days 0 microseconds'");
    EXPECT_EQ(text("interval '7 days'"), "INTERVAL '0 months 7 days 0 microseconds'");
    EXPECT_EQ(text("INTERVAL -1 DAY"), "INTERVAL '0 months -1 days 0 microseconds'");
    EXPECT_EQ(text("INTERVAL '-1' DAY"), "INTERVAL '0 months -1 days 0 microseconds'");
    EXPECT_EQ(text("INTERVAL 1 YEAR 2 MONTHS 3 WEEKS"), "INTERVAL '14 months 21 days 0 microseconds'");
    EXPECT_EQ(text("INTERVAL '1.5' SECOND"), "INTERVAL '0 months 0 days 1500000 microseconds'");
    EXPECT_EQ(text("INTERVAL 3 MILLISECONDS 4 MICROSECONDS"), "INTERVAL '0 months 0 days 3004 microseconds'");
    for (const std::string_view refused :
         {"INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 1.5 DAYS", "INTERVAL '1'", "INTERVAL x DAY",
          "INTERVAL 9223372036854775807 YEARS", "INTERVAL 99999999999999999999 DAYS"}) {
        EXPECT_FALSE(ParseExpression(refused).ok()) << refused;
    }
}

TEST(Expression, RefusesByName) {
    const auto message = [](std::string_view text) {
        const auto expression = ParseExpression(text);
        if (!expression.ok()) {
            return expression.error().message();
        }
        return std::string("no error");
    };
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases = {
        {"a IN (SELECT 1)", "[DELTA_UNSUPPORTED_EXPRESSION] A sub-query in an expression is not supported."},
        {"(SELECT 1) = a", "[DELTA_UNSUPPORTED_EXPRESSION] A sub-query"},
        {"EXISTS (SELECT 1)", "[DELTA_UNSUPPORTED_EXPRESSION] EXISTS(SELECT)"},
        {"sum(a) OVER (ORDER BY b)", "[DELTA_UNSUPPORTED_EXPRESSION] A window function"},
        {"exists(a, x -> x > 1)", "[DELTA_UNSUPPORTED_EXPRESSION] A lambda function"},
        {"count(*)", "[DELTA_UNSUPPORTED_EXPRESSION] COUNT(*)"},
        {"0x1F", "[DELTA_UNSUPPORTED_EXPRESSION] The number 0x1F"},
        {"(a, b) IN ((1, 2))", "[DELTA_UNSUPPORTED_EXPRESSION] A row (a, b)"},
        {"'a''b'",
         "[PARSE_SYNTAX_ERROR] Syntax error at or near ''a''b'' (line 1, position 1): the text has an escape or a"},
        {"a >",
         "[PARSE_SYNTAX_ERROR] Syntax error at or near the end of the statement (line 1, position 4): an expression "
         "is"},
        {"a b",
         "[PARSE_SYNTAX_ERROR] Syntax error at or near 'b' (line 1, position 3): the statement is complete before it"},
        {"a AND", "[PARSE_SYNTAX_ERROR]"},
        {"(a", "[PARSE_SYNTAX_ERROR]"},
        {"a IS 5", "[PARSE_SYNTAX_ERROR]"},
        {"CASE END", "[PARSE_SYNTAX_ERROR]"},
        {"'open", "[PARSE_SYNTAX_ERROR]"},
        {"", "[PARSE_SYNTAX_ERROR]"},
    };
    for (const auto &[text, expected] : cases) {
        EXPECT_EQ(message(text).substr(0, expected.size()), expected) << text;
    }
}

TEST(Expression, DuckDbsDialect) {
    const auto text = [](std::string_view expression) {
        const auto parsed = ParseExpression(expression, Dialect::kDuckDb);
        return parsed.ok() ? *ToDuckDbText(*parsed) : parsed.error().message();
    };
    EXPECT_EQ(text("\"a b\" = 'it''s\\'"), "\"a b\" = 'it''s\\'");
    EXPECT_EQ(text("my_function(x, 'y') > $1"), "MY_FUNCTION(\"x\", 'y') > $1");
    EXPECT_EQ(text("a / 2"), "\"a\" / 2");
}

TEST(Expression, HostileTextsDoNotOverflow) {
    const auto repeat = [](std::string_view text, int times) {
        std::string out;
        for (int i = 0; i < times; i++) {
            out += text;
        }
        return out;
    };
    for (const std::string_view piece :
         {"(", "NOT ", "-", "a+", "a[", "a.", "CASE WHEN ", "f(", "CAST(", "a IS NULL IS NULL "}) {
        EXPECT_FALSE(ParseExpression(repeat(piece, 20000)).ok()) << piece;
    }
    EXPECT_FALSE(ParseExpression("a" + repeat(" + a", 20000)).ok());
    EXPECT_FALSE(ParseExpression("a" + repeat(" IS NULL", 20000)).ok());
    // but long lists and chains of AND are fine
    const auto chain = ParseExpression("a" + repeat(" AND a", 20000));
    ASSERT_TRUE(chain.ok());
    EXPECT_TRUE(ToDuckDbText(*chain).ok());
    EXPECT_TRUE(ParseExpression("a IN (1" + repeat(", 1", 20000) + ")").ok());
}

}  // namespace
}  // namespace birdfoot::sql
