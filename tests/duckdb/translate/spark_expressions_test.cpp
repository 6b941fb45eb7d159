// Each form of tests/golden/spark_expressions.txt, translated and evaluated by DuckDB on the same rows, against Spark's
// own answers: the same type, the same values, an error where Spark has one, and in a generated column only what Spark
// takes there. A form is either so or refused by name.
#include <cmath>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "core/base/json.hpp"
#include "duckdb/translate/spark_functions.hpp"
#include "duckdb/translate/types.hpp"
#include "sql/translate/translation.hpp"
#include "sql/types.hpp"

namespace birdfoot::duck {
namespace {

JsonDocument ReadGolden() {
    std::ifstream file(std::string(BIRDFOOT_SOURCE_DIR) + "/tests/golden/spark_expressions.json");
    std::stringstream text;
    text << file.rdbuf();
    auto document = JsonDocument::Parse(text.str());
    EXPECT_TRUE(document.ok()) << "tests/golden/spark_expressions.json cannot be read";
    return std::move(*document);
}

std::string RealText(double value, int digits) {
    if (std::isnan(value) || std::isinf(value)) {
        return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "%.*g", digits, value);
    return buffer;
}

//! As tests/golden/spark_expressions.py writes values.
std::string Canonical(const duckdb::Value &value, const DataType &type) {
    if (value.IsNull()) {
        return "NULL";
    }
    switch (type.kind()) {
    case TypeKind::kFloat: return RealText(value.GetValue<float>(), 9);
    case TypeKind::kDouble: return RealText(value.GetValue<double>(), 17);
    case TypeKind::kString: return "\"" + duckdb::StringValue::Get(value) + "\"";
    case TypeKind::kDate: return std::to_string(value.GetValue<duckdb::date_t>().days);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: return std::to_string(value.GetValueUnsafe<int64_t>());
    case TypeKind::kBinary: {
        std::string text = "x";
        for (const unsigned char byte : duckdb::StringValue::Get(value)) {
            text += fmt::format("{:02x}", byte);
        }
        return text;
    }
    case TypeKind::kArray: {
        std::string text;
        for (const auto &child : duckdb::ListValue::GetChildren(value)) {
            text += (text.empty() ? "" : ", ") + Canonical(child, type.array_type().element);
        }
        return "[" + text + "]";
    }
    case TypeKind::kMap: {
        std::set<std::string> entries;
        for (const auto &entry : duckdb::MapValue::GetChildren(value)) {
            const auto &pair = duckdb::StructValue::GetChildren(entry);
            entries.insert(Canonical(pair[0], type.map_type().key) + ": " + Canonical(pair[1], type.map_type().value));
        }
        return fmt::format("{{{}}}", fmt::join(entries, ", "));
    }
    case TypeKind::kStruct: {
        std::string text;
        const auto &children = duckdb::StructValue::GetChildren(value);
        for (size_t i = 0; i < children.size(); i++) {
            const auto &field = type.struct_type().fields[i];
            text += (i ? ", " : "") + field.name + ": " + Canonical(children[i], field.type);
        }
        return "(" + text + ")";
    }
    default: {
        auto text = value.ToString();
        return text.starts_with(".") ? "0" + text : text.starts_with("-.") ? "-0" + text.substr(1) : text;
    }
    }
}

class SparkExpressions : public ::testing::Test {
protected:
    SparkExpressions() : connection_(database_), golden_(ReadGolden()) {
        duckdb::ExtensionLoader loader(*database_.instance, "birdfoot");
        RegisterSparkFunctions(loader);
        const auto rows = std::string(*golden_.root()["rows"].string());
        Run("CREATE TABLE t AS " + rows);
        (void)golden_.root()["columns"].ForEachElement([&](JsonValue column) -> Status {
            BF_ASSIGN(auto type, sql::ParseTypeText(*column["type"].string(), sql::Dialect::kSpark));
            schema_.fields.push_back({std::string(*column["name"].string()), std::move(type.type), true, {}});
            return {};
        });
    }

    void Run(const std::string &sql) {
        auto result = connection_.Query(sql);
        ASSERT_FALSE(result->HasError()) << sql << "\n" << result->GetError();
    }

    //! A text a row; "error: …" where the evaluation fails.
    std::vector<std::string> Evaluate(const std::string &text, const DataType &type, size_t rows) {
        std::vector<std::string> values;
        auto all = connection_.Query("SELECT " + text + " FROM t ORDER BY row_number");
        for (size_t i = 0; i < rows; i++) {
            if (!all->HasError()) {
                values.push_back(Canonical(all->GetValue(0, i), type));
                continue;
            }
            auto one = connection_.Query(fmt::format("SELECT {} FROM t WHERE row_number = {}", text, i));
            values.push_back(one->HasError() ? "error: " + one->GetError() : Canonical(one->GetValue(0, 0), type));
        }
        return values;
    }

    //! What is wrong, or nothing.
    std::string Compare(JsonValue expected, const sql::Translation &translation) {
        std::string problems;
        const auto values = Evaluate(translation.text, translation.type, expected.size());
        size_t row = 0;
        (void)expected.ForEachElement([&](JsonValue value) -> Status {
            const auto wanted = value.is_string() ? std::string(*value.string())
                                                  : "error " + std::string(value["error"].string().value_or(""));
            const auto &got = values[row];
            const bool both_fail = value.is_object() && got.starts_with("error: ");
            if (got.starts_with("error: INTERNAL") || (got != wanted && !both_fail && !IsRefusal(got))) {
                problems += fmt::format("\n    row {}: {} in Spark, here {}", row, wanted, got.substr(0, 200));
            }
            row++;
            return {};
        });
        return problems;
    }

    //! A single value may be refused by name, and dates of millions of years are more than DuckDB holds.
    static bool IsRefusal(const std::string &got) {
        return got.starts_with("error: ") && (got.find("[DELTA_UNSUPPORTED_EXPRESSION]") != std::string::npos ||
                                              got.find("out of range") != std::string::npos);
    }

    duckdb::DuckDB database_;
    duckdb::Connection connection_;
    JsonDocument golden_;
    StructType schema_;
};

TEST_F(SparkExpressions, AreWhatSparkSaysOrRefused) {
    size_t understood = 0;
    std::string refused;
    (void)golden_.root()["answers"].ForEachElement([&](JsonValue answer) -> Status {
        const std::string form(*answer["form"].string());
        const auto translation = sql::TranslateText(form, schema_);
        if (!translation.ok()) {
            refused += fmt::format("{}  # {}\n", form, translation.error().text().substr(0, 90));
            return {};
        }
        if (translation->varies) {
            understood++;
            return {};
        }
        if (!answer["values"].present()) {
            ADD_FAILURE() << form << "\n  is nothing that Spark can store ("
                          << answer["error"].string().value_or(answer["storable"].string().value_or(""))
                          << "), but became\n  " << translation->text;
            return {};
        }
        understood++;
        EXPECT_EQ(translation->type.ToString(), *answer["type"].string()) << form;
        EXPECT_EQ(translation->check_only.empty(), answer["storable"].boolean().value_or(false)) << form;
        Run("SET TimeZone = 'UTC'");
        const auto type = connection_.Query("SELECT typeof(" + translation->text + ") FROM t LIMIT 1");
        if (!type->HasError()) {
            EXPECT_EQ(type->GetValue(0, 0).ToString(), TypeOf(translation->type).ToString()) << form << "\n"
                                                                                             << translation->text;
        }
        auto problems = Compare(answer["values"], *translation);
        if (answer["values_elsewhere"].present()) {
            Run("SET TimeZone = 'America/New_York'");
            problems += Compare(answer["values_elsewhere"], *translation);
        }
        if (!problems.empty()) {
            ADD_FAILURE() << form << problems << "\n  " << translation->text;
        }
        return {};
    });
    if (const char *file = std::getenv("BIRDFOOT_REFUSED_FORMS")) {
        std::ofstream(file) << refused;
    }
    RecordProperty("understood", static_cast<int>(understood));
    EXPECT_GE(understood, 700U) << "fewer forms are understood than were";
}

}  // namespace
}  // namespace birdfoot::duck
