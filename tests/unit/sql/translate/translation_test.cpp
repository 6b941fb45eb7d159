// Texts of translations and what is refused; that they mean what Spark means is shown by
// tests/duckdb/translate/spark_expressions_test.cpp.
#include "sql/translate/translation.hpp"

#include <gtest/gtest.h>

#include "sql/translate/java_pattern.hpp"
#include "sql/translate/java_regex.hpp"
#include "sql/translate/spark_text.hpp"

namespace birdfoot::sql {
namespace {

StructType Columns() {
    StructType inner;
    inner.fields.push_back({"u", DataType(TypeKind::kInteger), true, {}});
    StructType schema;
    schema.fields.push_back({"x", DataType(TypeKind::kInteger), true, {}});
    schema.fields.push_back({"l", DataType(TypeKind::kLong), true, {}});
    schema.fields.push_back({"s", DataType(TypeKind::kString), true, {}});
    schema.fields.push_back({"d", DataType(TypeKind::kDate), true, {}});
    schema.fields.push_back({"ts", DataType(TypeKind::kTimestamp), true, {}});
    schema.fields.push_back({"bl", DataType(TypeKind::kBoolean), true, {}});
    schema.fields.push_back({"st", DataType::Struct(inner), true, {}});
    schema.fields.push_back(
        {"m", DataType::Map(DataType(TypeKind::kString), DataType(TypeKind::kInteger), true), true, {}});
    return schema;
}

TEST(Translation, OperandsAreCastAsSparkCastsThem) {
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases = {
        {"x > l", "(CAST(\"x\" AS BIGINT) > \"l\")"},
        {"X = 5", "(\"x\" = CAST('5' AS INTEGER))"},
        {"s = 5", "(CAST(spark_long(\"s\") AS BIGINT) = CAST(CAST('5' AS INTEGER) AS BIGINT))"},
        {"x / 2", "spark_divide(CAST(\"x\" AS DOUBLE), CAST(CAST('2' AS INTEGER) AS DOUBLE))"},
        {"d + 1", "(\"d\" + CAST(CAST('1' AS INTEGER) AS INTEGER))"},
        {"st.U IS NULL", "(struct_extract(\"st\", 'u') IS NULL)"},
        {"x <=> NULL", "(\"x\" IS NOT DISTINCT FROM CAST(NULL AS INTEGER))"},
        {"s RLIKE '^a.'", "(regexp_matches(\"s\", '\\Aa[^\\n\\r\\x{85}\\x{2028}\\x{2029}]'))"},
        // what may fail stands behind what Spark asks first
        {"x > 0 AND 10 % x = 0",
         "(CASE WHEN NOT (\"x\" > CAST('0' AS INTEGER)) THEN FALSE ELSE (\"x\" > CAST('0' AS INTEGER)) AND "
         "(spark_remainder(CAST('10' AS INTEGER), \"x\") = CAST('0' AS INTEGER)) END)"},
    };
    for (const auto &[text, duckdb] : cases) {
        const auto translation = TranslateText(text, Columns());
        ASSERT_TRUE(translation.ok()) << text << "\n" << translation.error().message();
        EXPECT_EQ(translation->text, duckdb) << text;
    }
}

TEST(Translation, SaysWhatItReads) {
    const auto translation = TranslateText("st.u > 1 AND X < st['u'] AND now() > ts", Columns());
    ASSERT_TRUE(translation.ok());
    EXPECT_EQ(translation->columns, (std::vector<std::string>{"st", "x", "ts"}));
    EXPECT_TRUE(translation->varies);
    EXPECT_EQ(TranslateText("m['a']", Columns())->check_only, "map[key]");
    const auto expression = ParseExpression("st.u > 1 AND x > st['u'] AND year(d) = 2024");
    std::string paths;
    for (const auto &use : ColumnsOf(*expression, Columns())) {
        for (const auto &part : use.path) {
            paths += part + "/";
        }
        paths += " ";
    }
    EXPECT_EQ(paths, "st/u/ x/ d/ ");
}

TEST(Translation, RefusesByName) {
    const auto message = [](std::string_view text) {
        const auto translation = TranslateText(text, Columns());
        return translation.ok() ? "no error: " + translation->text : translation.error().message();
    };
    const std::initializer_list<std::pair<std::string_view, std::string_view>> cases = {
        {"my_udf(x)", "[DELTA_UNSUPPORTED_EXPRESSION] The function MY_UDF cannot be evaluated."},
        {"upper(x, s)", "[DELTA_UNSUPPORTED_EXPRESSION] The function UPPER(int, string) cannot be evaluated."},
        {"sum(x) > 1", "[DELTA_UNSUPPORTED_EXPRESSION] The function SUM cannot be evaluated."},
        {"nope > 1",
         "[UNRESOLVED_COLUMN] A column, variable, or function parameter with name `nope` cannot be resolved."},
        {"st.nope", "[UNRESOLVED_COLUMN] No such struct field `nope`"},
        {"x AND bl", "[DATATYPE_MISMATCH] AND with a value of int"},
        {"m = m", "[DATATYPE_MISMATCH] map<string,int> = map<string,int>"},
        {"s RLIKE 'a(?=b)'", "[DELTA_UNSUPPORTED_EXPRESSION] The regular expression 'a(?=b)' has (?="},
        {"s LIKE s", "[DELTA_UNSUPPORTED_EXPRESSION] LIKE with a pattern that is no literal"},
        {"date_format(ts, 'w')", "[DELTA_UNSUPPORTED_EXPRESSION] The pattern 'w' has w"},
        {"INTERVAL 1 DAY", "[DELTA_UNSUPPORTED_EXPRESSION] A value of interval day"},
        {"CAST(st AS STRING)", "[DELTA_UNSUPPORTED_EXPRESSION] CAST(struct<u:int> AS STRING)"},
    };
    for (const auto &[text, expected] : cases) {
        EXPECT_EQ(message(text).substr(0, expected.size()), expected) << text;
    }
}

TEST(Translation, RegularExpressions) {
    const auto regex = [](std::string_view pattern) {
        const auto translated = TranslateJavaRegex(pattern);
        return translated.ok() ? translated->text : std::string();
    };
    EXPECT_EQ(regex("^[a-z]+$"), "\\A[a-z]+(?:\\r\\n|[\\n\\r\\x{85}\\x{2028}\\x{2029}])?\\z");
    EXPECT_EQ(regex("\\d{2,3}?x"), "[0-9]{2,3}?x");
    EXPECT_EQ(regex("(?i)aB1"), "[aA][Bb]1");
    EXPECT_EQ(regex("(?i)[a-f_]"), "[a-fA-F_]");
    EXPECT_EQ(regex("[\\w.-]"), "[0-9A-Za-z_.\\-]");
    EXPECT_EQ(regex("a|(b)(?:c)(?<n>d)"), "a|(b)(?:c)(d)");
    EXPECT_EQ(TranslateJavaRegex("a|(b)(?:c)(?<n>d)")->groups, 2U);
    EXPECT_TRUE(TranslateJavaRegex("a*")->may_be_empty);
    EXPECT_TRUE(TranslateJavaRegex("(a|b?)")->may_be_empty);
    EXPECT_FALSE(TranslateJavaRegex("a*b")->may_be_empty);
    for (const std::string_view refused : {"a++", "a**", "\\bx", "\\1", "(?<=a)b", "[a[b]]", "[a&&b]", "\\p{L}",
                                           "a{1001}", "(", ")", "[", "*a", "a$b", "\\Q.\\E", "(?m)^a", "[]a]"}) {
        EXPECT_EQ(regex(refused), "") << refused;
    }
}

TEST(Translation, PatternsOfDates) {
    EXPECT_EQ(*TranslateJavaPattern("yyyy-MM-dd'T'HH:mm:ss.SSS"), "%Y-%m-%dT%H:%M:%S.%g");
    EXPECT_EQ(*TranslateJavaPattern("d % ''"), "%-d %% '");
    EXPECT_FALSE(TranslateJavaPattern("YYYY").ok());
    EXPECT_FALSE(TranslateJavaPattern("'open").ok());
    EXPECT_TRUE(CheckParsePattern("yyyy-MM-dd HH:mm:ss").ok());
    EXPECT_FALSE(CheckParsePattern("yyyyDDD").ok());
    EXPECT_FALSE(CheckParsePattern("Mdyyyy").ok());
    EXPECT_FALSE(CheckParsePattern("MM-dd").ok());
}

TEST(Translation, HostileTextsDoNotOverflow) {
    std::string chain = "x > 0";
    for (int i = 0; i < 60; i++) {
        chain = "(" + chain + " AND 1 / x > 0) OR 1 / x > 0";
    }
    const auto translation = TranslateText(chain, Columns());
    ASSERT_FALSE(translation.ok());
    EXPECT_EQ(translation.error().condition(), Condition::DELTA_UNSUPPORTED_EXPRESSION);
    EXPECT_FALSE(TranslateJavaRegex(std::string(5000, '(')).ok());
}

template <typename T>
std::string Shown(const Read<T> &value) {
    if (!value.ok()) {
        return "refused";
    }
    if constexpr (std::is_same_v<T, SparkTimestamp>) {
        return *value ? fmt::format("{}{}", (*value)->wall_micros,
                                    (*value)->offset_micros ? fmt::format("@{}", *(*value)->offset_micros) : "")
                      : "none";
    } else {
        return *value ? fmt::format("{}", **value) : "none";
    }
}

TEST(SparkText, ReadsAsSparkReads) {
    EXPECT_EQ(Shown(ReadLong(" +12\t")), "12");
    EXPECT_EQ(Shown(ReadLong("1.0")), "none");
    EXPECT_EQ(Shown(ReadLong("+-1")), "none");
    EXPECT_EQ(Shown(ReadLong("9223372036854775808")), "none");
    EXPECT_EQ(Shown(ReadReal("1.5d", false)), "refused");
    EXPECT_EQ(Shown(ReadReal("abc", false)), "none");
    EXPECT_EQ(Shown(ReadDecimal("-1.005", 2)), "-1.01");
    EXPECT_EQ(Shown(ReadDecimal("1e2", 2)), "100.00");
    EXPECT_EQ(Shown(ReadDecimal(".5", 0)), "1");
    EXPECT_EQ(Shown(ReadDecimal("0.004", 2)), "0.00");
    EXPECT_EQ(Shown(ReadDate("2024-2-29 x")), "19782");
    EXPECT_EQ(Shown(ReadDate("2023-02-29")), "none");
    EXPECT_EQ(Shown(ReadDate("1970")), "0");
    EXPECT_EQ(Shown(ReadTimestamp("1970-01-01 00:00:01.5")), "1500000");
    EXPECT_EQ(Shown(ReadTimestamp("1970-01-01T00:00:00+01:30")), "0@5400000000");
    EXPECT_EQ(Shown(ReadTimestamp("1970-01-01 00:00:00Z")), "0@0");
    EXPECT_EQ(Shown(ReadTimestamp("1970-01-01 00:00:00 Europe/Paris")), "refused");
    EXPECT_EQ(Shown(ReadTimestamp("01:02")), "refused");
    EXPECT_EQ(Shown(ReadTimestamp("1970-01-01x")), "none");
    EXPECT_EQ(Shown(ReadByPattern("31/12/1969", "dd/MM/yyyy")), "-86400000000");
    EXPECT_EQ(Shown(ReadByPattern("1/12/1969", "dd/MM/yyyy")), "none");
    EXPECT_EQ(RoundReal(2.675, 2, false), 2.68);
    EXPECT_EQ(RoundReal(2.5, 0, true), 2);
    EXPECT_EQ(RoundReal(-2.5, 0, false), -3);
    EXPECT_EQ(RoundReal(1250, -2, false), 1300);
}

}  // namespace
}  // namespace birdfoot::sql
