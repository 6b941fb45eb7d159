#include "core/schema/schema_merge.hpp"

#include <gtest/gtest.h>

#include "core/schema/schema_rules.hpp"
#include "core/schema/type_widening.hpp"

namespace birdfoot {
namespace {

std::string F(std::string_view name, std::string_view type, bool nullable = true, std::string_view metadata = "{}") {
    const auto json = type.front() == '{' ? std::string(type) : "\"" + std::string(type) + "\"";
    return fmt::format(R"({{"name":"{}","type":{},"nullable":{},"metadata":{}}})", name, json, nullable, metadata);
}
std::string S(std::initializer_list<std::string> fields) {
    std::string all;
    for (const auto &field : fields) {
        all += (all.empty() ? "" : ",") + field;
    }
    return R"({"type":"struct","fields":[)" + all + "]}";
}
std::string A(std::string_view element, bool null = true) {
    return fmt::format(R"({{"type":"array","elementType":{},"containsNull":{}}})",
                       element.front() == '{' ? std::string(element) : "\"" + std::string(element) + "\"", null);
}
std::string M(std::string_view key, std::string_view value) {
    const auto quoted = [](std::string_view t) {
        return t.front() == '{' ? std::string(t) : "\"" + std::string(t) + "\"";
    };
    return fmt::format(R"({{"type":"map","keyType":{},"valueType":{},"valueContainsNull":true}})", quoted(key),
                       quoted(value));
}
StructType Schema(const std::string &json) {
    auto schema = ParseSchema(json);
    EXPECT_TRUE(schema.ok()) << json;
    return schema.ok() ? *schema : StructType();
}
DataType Type(std::string_view type) { return Schema(S({F("c", type)})).fields[0].type; }

std::string Merge(const std::string &table, const std::string &data, const MergeOptions &options) {
    const auto merged = MergeSchemas(Schema(table), Schema(data), options);
    return merged.ok() ? SchemaToJson(*merged) : std::string(ConditionName(merged.error().condition()));
}
MergeOptions Evolve() {
    MergeOptions options;
    options.evolve = true;
    return options;
}

TEST(SchemaMergeTest, StoreAssignmentIsTheStandards) {
    EXPECT_TRUE(CanStoreAssign(Type("long"), Type("byte")));
    EXPECT_TRUE(CanStoreAssign(Type("double"), Type("decimal(5,2)")));
    EXPECT_TRUE(CanStoreAssign(Type("boolean"), Type("string")));
    EXPECT_TRUE(CanStoreAssign(Type("timestamp"), Type("date")));
    EXPECT_FALSE(CanStoreAssign(Type("string"), Type("long")));  // S20
    EXPECT_FALSE(CanStoreAssign(Type("boolean"), Type("integer")));
    EXPECT_FALSE(CanStoreAssign(Type("long"), Type("timestamp")));
    EXPECT_FALSE(CanStoreAssign(Type("string"), Type("binary")));
    EXPECT_FALSE(CanStoreAssign(Type("variant"), Type("string")));
    EXPECT_TRUE(CanStoreAssign(Type(A("integer")), Type(A("string"))));
    EXPECT_FALSE(CanStoreAssign(Type(A("integer")), Type("string")));
    EXPECT_TRUE(CanStoreAssign(Type(M("string", "integer")), Type(M("string", "long"))));
    EXPECT_TRUE(CanStoreAssign(Type(S({F("a", "integer")})), Type(S({F("b", "long")}))));  // by position
    EXPECT_FALSE(CanStoreAssign(Type(S({F("a", "integer")})), Type(S({F("a", "integer"), F("b", "integer")}))));
    EXPECT_FALSE(CanStoreAssign(Type("integer"), Type("void")));
}

TEST(SchemaMergeTest, NothingChangesWhereTheDataFits) {
    const auto table = S({F("Id", "long", false, R"({"comment":"key"})"), F("name", "string")});
    EXPECT_EQ(Merge(table, S({F("ID", "long")}), {}), table);
    EXPECT_EQ(Merge(table, S({F("name", "void"), F("id", "integer")}), {}), table);
    EXPECT_EQ(Merge(table, S({F("id", A("long"))}), Evolve()), "DELTA_FAILED_TO_MERGE_FIELDS");
    EXPECT_EQ(Merge(table, S({F("id", "string")}), Evolve()), "DELTA_FAILED_TO_MERGE_FIELDS");
    MergeOptions casting = Evolve();
    casting.check_types = false;
    EXPECT_EQ(Merge(table, S({F("id", A("long"))}), casting), table);
}

TEST(SchemaMergeTest, NewColumnsComeLastAndNullableAtEveryLevel) {
    const auto table = S({F("id", "long", false), F("s", S({F("x", "integer", false)}), false),
                          F("a", A(S({F("p", "integer")}), false)), F("m", M("string", S({F("v", "integer")})))});
    const auto data =
        S({F("extra", S({F("n", A("integer", false), false)}), false, R"({"comment":"c","delta.columnMapping.id":7})"),
           F("m", M("string", S({F("w", "string")}))), F("a", A(S({F("q", "date", false), F("P", "integer")}))),
           F("S", S({F("y", "integer", false)})), F("id", "long")});
    EXPECT_EQ(Merge(table, data, {}), "DELTA_METADATA_MISMATCH");
    EXPECT_EQ(Merge(table, data, Evolve()),
              S({F("id", "long", false), F("s", S({F("x", "integer", false), F("y", "integer")}), false),
                 F("a", A(S({F("p", "integer"), F("q", "date")}), false)),
                 F("m", M("string", S({F("v", "integer"), F("w", "string")}))),
                 F("extra", S({F("n", A("integer"))}), true, R"({"comment":"c"})")}));
}

TEST(SchemaMergeTest, TheMismatchShowsBothSchemas) {
    MergeOptions options;
    options.table_id = "the-id";
    const auto merged = MergeSchemas(Schema(S({F("id", "long", false)})),
                                     Schema(S({F("extra", M("string", A("decimal(5,2)")))})), options);
    ASSERT_FALSE(merged.ok());
    const auto &text = merged.error().text();
    EXPECT_NE(text.find("(Table ID: the-id)"), std::string::npos) << text;
    EXPECT_NE(text.find("Table schema:\nroot\n |-- id: long (nullable = false)\n"), std::string::npos) << text;
    EXPECT_NE(
        text.find(
            "Data schema:\nroot\n |-- extra: map (nullable = true)\n |    |-- key: string\n |    |-- value: array "
            "(valueContainsNull = true)\n |    |    |-- element: decimal(5,2) (containsNull = true)\n"),
        std::string::npos)
        << text;
}

TEST(SchemaMergeTest, VoidColumnsTakeTheFirstTypeThatComes) {
    EXPECT_EQ(Merge(S({F("v", "void"), F("i", "long")}), S({F("v", "integer")}), {}), "DELTA_METADATA_MISMATCH");
    EXPECT_EQ(Merge(S({F("v", "void"), F("i", "long")}), S({F("v", "integer", false)}), Evolve()),
              S({F("v", "integer"), F("i", "long")}));
    EXPECT_EQ(Merge(S({F("i", "long")}), S({F("v", "void")}), Evolve()), S({F("i", "long"), F("v", "void")}));
}

// As Spark with Delta 4.4 evolved the same table.
TEST(SchemaMergeTest, WideningIsRecorded) {
    const auto table = S({F("b", "byte"), F("d", "decimal(5,2)"), F("dt", "date"), F("a", A("integer")),
                          F("m", M("short", "float")), F("s", S({F("x", "integer")})), F("keep", "integer")});
    const auto data = S({F("b", "integer"), F("d", "decimal(10,4)"), F("dt", "timestamp_ntz"), F("a", A("long")),
                         F("m", M("integer", "double")), F("s", S({F("x", "long")})), F("keep", "double")});
    auto options = Evolve();
    EXPECT_EQ(Merge(table, data, options), table);  // not widened: the data is cast
    options.widen = true;
    const auto change = [](std::string_view from, std::string_view to, std::string_view path = "") {
        return fmt::format(R"({{"toType":"{}","fromType":"{}"{}}})", to, from,
                           path.empty() ? "" : fmt::format(R"(,"fieldPath":"{}")", path));
    };
    const auto changes = [](std::initializer_list<std::string> all) {
        std::string list;
        for (const auto &one : all) {
            list += (list.empty() ? "" : ",") + one;
        }
        return R"({"delta.typeChanges":[)" + list + "]}";
    };
    const auto widened =
        S({F("b", "integer", true, changes({change("byte", "integer")})),
           F("d", "decimal(10,4)", true, changes({change("decimal(5,2)", "decimal(10,4)")})),
           F("dt", "timestamp_ntz", true, changes({change("date", "timestamp_ntz")})),
           F("a", A("long"), true, changes({change("integer", "long", "element")})),
           F("m", M("integer", "double"), true,
             changes({change("short", "integer", "key"), change("float", "double", "value")})),
           F("s", S({F("x", "long", true, changes({change("integer", "long")}))})), F("keep", "integer")});
    EXPECT_EQ(Merge(table, data, options), widened);
    EXPECT_TRUE(CheckTypeChanges(Schema(widened)).ok());
    EXPECT_EQ(Merge(S({F("b", "integer", true, changes({change("byte", "integer")}))}), S({F("b", "long")}), options),
              S({F("b", "long", true, changes({change("byte", "integer"), change("integer", "long")}))}));
}

TEST(SchemaMergeTest, TheWideningsOfTheProtocol) {
    const auto widens = [](std::string_view from, std::string_view to) { return CanWiden(Type(from), Type(to)); };
    for (const auto &[from, to] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"byte", "short"},
                                                                              {"byte", "long"},
                                                                              {"integer", "long"},
                                                                              {"float", "double"},
                                                                              {"byte", "double"},
                                                                              {"integer", "double"},
                                                                              {"date", "timestamp_ntz"},
                                                                              {"decimal(5,2)", "decimal(6,3)"},
                                                                              {"integer", "decimal(10,0)"},
                                                                              {"short", "decimal(12,2)"},
                                                                              {"long", "decimal(20,0)"}}) {
        EXPECT_TRUE(widens(from, to)) << from << to;
        EXPECT_FALSE(widens(to, from)) << from << to;
    }
    for (const auto &[from, to] :
         std::initializer_list<std::pair<std::string_view, std::string_view>>{{"long", "double"},
                                                                              {"integer", "float"},
                                                                              {"date", "timestamp"},
                                                                              {"decimal(5,2)", "decimal(6,4)"},
                                                                              {"decimal(5,2)", "decimal(7,1)"},
                                                                              {"integer", "decimal(10,1)"},
                                                                              {"long", "decimal(19,0)"},
                                                                              {"float", "decimal(38,0)"},
                                                                              {"integer", "string"},
                                                                              {"integer", "integer"},
                                                                              {"void", "integer"},
                                                                              {"timestamp", "timestamp_ntz"}}) {
        EXPECT_FALSE(widens(from, to)) << from << to;
    }
    EXPECT_FALSE(CanWidenUnasked(Type("integer"), Type("double")));
    EXPECT_FALSE(CanWidenUnasked(Type("long"), Type("decimal(20,0)")));
    EXPECT_TRUE(CanWidenUnasked(Type("decimal(5,2)"), Type("decimal(6,2)")));
    const auto bad = CheckTypeChanges(Schema(S(
        {F("o", S({F("c", "string", true, R"({"delta.typeChanges":[{"fromType":"integer","toType":"string"}]})")}))})));
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().condition(), Condition::DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA);
    EXPECT_NE(bad.error().text().find("'o.c'"), std::string::npos);
}

TEST(SchemaRulesTest, NamesThatAreDuplicatesOrInvalid) {
    const auto duplicate = [](const std::string &schema) { return !CheckDuplicateNames(Schema(schema), "here").ok(); };
    EXPECT_TRUE(duplicate(S({F("Foo", "long"), F("foo", "long")})));  // S23
    EXPECT_TRUE(duplicate(S({F("\xC3\x89", "long"), F("\xC3\xA9", "long")})));
    EXPECT_TRUE(duplicate(S({F("\xD0\x96", "long"), F("\xD0\xB6", "long")})));
    EXPECT_TRUE(duplicate(S({F("a", A(S({F("x", "long"), F("X", "long")})))})));
    EXPECT_FALSE(
        duplicate(S({F("a", "long"), F("b", S({F("a", "long")})), F("\xC3\x97", "long"), F("\xC3\xB7", "long")})));
    for (const char *name : {"a b", "a,b", "a;b", "a{b", "a}b", "a(b", "a)b", "a\\nb", "a\\tb", "a=b"}) {
        const auto schema = Schema(S({F("s", S({F(name, "long")}))}));
        const auto status = CheckColumnNames(schema, ColumnMappingMode::kNone);
        ASSERT_FALSE(status.ok()) << name;
        EXPECT_EQ(status.error().condition(), Condition::DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES);
        EXPECT_TRUE(CheckColumnNames(schema, ColumnMappingMode::kName).ok());
    }
    EXPECT_TRUE(CheckColumnNames(Schema(S({F("a.b-c`", "long")})), ColumnMappingMode::kNone).ok());
    EXPECT_FALSE(CheckColumnNames(Schema(S({F("", "long")})), ColumnMappingMode::kNone).ok());
    const auto nested =
        CheckSchemaForWrite(Schema(S({F("a", A(S({F("x", "long", false)})))})), ColumnMappingMode::kNone);
    EXPECT_EQ(nested.error().condition(), Condition::DELTA_NESTED_NOT_NULL_CONSTRAINT);
    EXPECT_TRUE(
        CheckSchemaForWrite(Schema(S({F("s", S({F("x", "long", false)}), false)})), ColumnMappingMode::kNone).ok());
}

TEST(SchemaRulesTest, PartitionColumns) {
    const auto schema =
        Schema(S({F("Id", "long"), F("day", "date"), F("l", A("long")), F("v", "variant"), F("n", "void")}));
    const auto condition = [&](std::vector<std::string> columns) {
        const auto result = CheckPartitionColumns(schema, columns);
        return result.ok() ? "ok" : std::string(ConditionName(result.error().condition()));
    };
    EXPECT_EQ(*CheckPartitionColumns(schema, {"DAY", "id"}), (std::vector<std::string>{"day", "Id"}));
    EXPECT_EQ(condition({"x"}), "DELTA_PARTITION_COLUMN_NOT_FOUND");
    EXPECT_EQ(condition({"day", "Day"}), "DELTA_DUPLICATE_COLUMNS_FOUND");
    EXPECT_EQ(condition({"l"}), "DELTA_INVALID_PARTITION_COLUMN_TYPE");
    EXPECT_EQ(condition({"v"}), "DELTA_INVALID_PARTITION_COLUMN_TYPE");
    const auto one = CheckPartitionColumns(Schema(S({F("a", "long")})), {"a"});
    EXPECT_EQ(one.error().condition(), Condition::DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION);
}

TEST(SchemaRulesTest, VoidColumnsThatCannotBeWritten) {
    const auto condition = [](const std::string &schema) {
        const auto status = CheckVoidColumns(Schema(schema));
        return status.ok() ? "ok" : std::string(ConditionName(status.error().condition()));
    };
    EXPECT_EQ(condition(S({F("a", "long"), F("v", "void")})), "ok");
    EXPECT_EQ(condition(S({F("v", "void")})), "DELTA_CANNOT_WRITE_EMPTY_SCHEMA");
    EXPECT_EQ(condition(S({})), "DELTA_CANNOT_WRITE_EMPTY_SCHEMA");
    EXPECT_EQ(condition(S({F("a", "long"), F("s", S({F("v", "void")}))})), "DELTA_CANNOT_WRITE_EMPTY_SCHEMA");
    EXPECT_EQ(condition(S({F("a", "long"), F("s", S({F("v", "void"), F("x", "long")}))})), "ok");
    EXPECT_EQ(condition(S({F("a", "long"), F("l", A("void"))})), "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE");
    EXPECT_EQ(condition(S({F("a", A(S({F("m", M("string", "void"))})))})),
              "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE");
}

}  // namespace
}  // namespace birdfoot
