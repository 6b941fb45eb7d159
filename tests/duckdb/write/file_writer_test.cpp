// FileWriter: rows in, files and statistics out, read back with DuckDB's own Parquet reader. The expected statistics
// are what Spark 4.2 with Delta 4.4 writes for the same rows.
#include "duckdb/write/file_writer.hpp"

#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/json.hpp"
#include "duckdb/translate/types.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::duck {
namespace {

namespace fs = std::filesystem;

StructField Field(std::string name, DataType type, bool nullable = true) {
    return {std::move(name), std::move(type), nullable, {}};
}
StructField Field(std::string name, TypeKind kind, bool nullable = true) {
    return Field(std::move(name), DataType(kind), nullable);
}
StructType Schema(std::vector<StructField> fields) {
    StructType schema;
    schema.fields = std::move(fields);
    return schema;
}

class FileWriterTest : public testing::Test {
protected:
    FileWriterTest() : db_(nullptr), con_(db_), reader_(db_) {
        std::string pattern = testing::TempDir() + "file_writer_XXXXXX";
        target_.root = ::mkdtemp(pattern.data());
        pending_ = std::make_unique<PendingFiles>(std::make_shared<storage::LocalStore>(false));
        con_.BeginTransaction();
        Query("SET TimeZone = 'UTC'");
    }
    ~FileWriterTest() override {
        pending_->Committed();
        fs::remove_all(target_.root);
    }

    duckdb::unique_ptr<duckdb::MaterializedQueryResult> Query(const std::string &sql) {
        auto result = reader_.Query(sql);
        EXPECT_FALSE(result->HasError()) << sql << "\n" << result->GetError();
        return result;
    }
    std::string Value(const std::string &sql) {
        auto result = Query(sql);
        return result->HasError() ? "" : result->GetValue(0, 0).ToString();
    }
    std::string Files() const { return "read_parquet('" + target_.root + "/**/*.parquet')"; }

    //! Writes what `sql` gives, cast to the schema.
    std::vector<WrittenFile> Write(const std::string &sql) {
        FileWriter writer(*con_.context, target_, *pending_);
        auto local = writer.MakeLocal();
        std::string select = "SELECT ";
        for (const auto &field : target_.schema.fields) {
            if (field.type.kind() == TypeKind::kVoid) {
                select += "NULL, ";
            } else {
                select += "\"" + field.name + "\"::" + TypeOf(field.type).ToString() + ", ";
            }
        }
        if (target_.change_data) {
            select += "_change_type, ";
        }
        select.resize(select.size() - 2);
        auto result = con_.Query(select + " FROM (" + sql + ")");
        EXPECT_FALSE(result->HasError()) << result->GetError();
        while (auto chunk = result->Fetch()) {
            writer.Write(*con_.context, *local, *chunk);
        }
        writer.Combine(*con_.context, *local);
        return writer.Finish(*con_.context);
    }
    //! The error of such a write; nothing may be left open then.
    std::string WriteError(const std::string &sql) {
        try {
            Write(sql);
        } catch (std::exception &error) {
            return duckdb::ErrorData(error).Message();
        }
        return "";
    }
    JsonValue Statistics(const WrittenFile &file) {
        auto document = JsonDocument::Parse(file.stats);
        EXPECT_TRUE(document.ok()) << file.stats;
        documents_.push_back(std::move(document).value());
        return documents_.back().root();
    }

    duckdb::DuckDB db_;
    duckdb::Connection con_, reader_;
    WriteTarget target_;
    std::unique_ptr<PendingFiles> pending_;
    std::vector<JsonDocument> documents_;
};

TEST_F(FileWriterTest, WritesOneFileWithSparksNameAndStatistics) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("name", TypeKind::kString)});
    auto files = Write("FROM (VALUES (1, 'a'), (2, NULL), (3, 'c')) t(id, name)");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].rows, 3);
    EXPECT_EQ(files[0].path.substr(0, 11), "part-00000-");
    EXPECT_TRUE(files[0].path.ends_with("-c000.snappy.parquet")) << files[0].path;
    EXPECT_EQ(files[0].size, fs::file_size(target_.root + "/" + files[0].path));
    EXPECT_EQ(files[0].stats, R"({"numRecords":3,"minValues":{"id":1,"name":"a"},"maxValues":{"id":3,"name":"c"},)"
                              R"("nullCount":{"id":0,"name":1}})");
    EXPECT_EQ(Value("SELECT string_agg(id || coalesce(name, '-'), ' ' ORDER BY id) FROM " + Files()), "1a 2- 3c");
}

TEST_F(FileWriterTest, NoRowsMakeNoFile) {
    target_.schema = Schema({Field("id", TypeKind::kLong)});
    EXPECT_TRUE(Write("SELECT 1 AS id WHERE false").empty());
    EXPECT_TRUE(fs::is_empty(target_.root));
}

TEST_F(FileWriterTest, TypesInTheFileAreDeltas) {
    target_.schema =
        Schema({Field("t", TypeKind::kTimestamp), Field("n", TypeKind::kTimestampNtz), Field("b", TypeKind::kByte),
                Field("d", DataType::Decimal(38, 2)), Field("l", DataType::Array(DataType(TypeKind::kInteger), true)),
                Field("m", DataType::Map(DataType(TypeKind::kString), DataType(TypeKind::kDouble), true))});
    Write(
        "SELECT '2024-01-01 00:00:00+00'::TIMESTAMPTZ t, '2024-01-01'::TIMESTAMP n, 1 b, 1.5 d, [1, 2] l, "
        "MAP {'k': 1.5} m");
    auto schema = "(SELECT * FROM parquet_schema('" + target_.root + "/*.parquet'))";
    EXPECT_EQ(Value("SELECT string_agg(name || ':' || coalesce(type, '') || ':' || coalesce(repetition_type, ''), ' ') "
                    "FROM " +
                    schema + " WHERE name <> 'duckdb_schema'"),
              "t:INT64:OPTIONAL n:INT64:OPTIONAL b:INT32:OPTIONAL d:FIXED_LEN_BYTE_ARRAY:OPTIONAL l::OPTIONAL "
              "list::REPEATED element:INT32:OPTIONAL m::OPTIONAL key_value::REPEATED key:BYTE_ARRAY:REQUIRED "
              "value:DOUBLE:OPTIONAL");
    EXPECT_NE(Value("SELECT logical_type FROM " + schema + " WHERE name = 't'").find("isAdjustedToUTC=1"),
              std::string::npos);
    EXPECT_NE(Value("SELECT logical_type FROM " + schema + " WHERE name = 'n'").find("isAdjustedToUTC=0"),
              std::string::npos);
}

TEST_F(FileWriterTest, NaNIsAboveAllAndZeroHasTwoSigns) {
    target_.schema =
        Schema({Field("x", TypeKind::kDouble), Field("y", TypeKind::kDouble), Field("z", TypeKind::kFloat)});
    auto files = Write("FROM (VALUES ('1', 'nan', '0.0'), ('nan', 'nan', '-0.0'), (NULL, NULL, NULL)) t(x, y, z)");
    auto statistics = Statistics(files[0]);
    EXPECT_EQ(statistics["minValues"]["x"].number(), 1.0);
    // NaN as a bound means nothing that JSON could say: a number must not stand there.
    EXPECT_FALSE(statistics["maxValues"]["x"].is_number());
    EXPECT_FALSE(statistics["minValues"]["y"].is_number());
    EXPECT_FALSE(statistics["maxValues"]["y"].is_number());
    EXPECT_TRUE(std::signbit(*statistics["minValues"]["z"].number()));
    EXPECT_FALSE(std::signbit(*statistics["maxValues"]["z"].number()));
    EXPECT_EQ(statistics["nullCount"]["x"].int64(), 1);
}

TEST_F(FileWriterTest, AllNullColumnsHaveNullCountsAlone) {
    target_.schema = Schema({Field("i", TypeKind::kInteger), Field("s", TypeKind::kString), Field("v", TypeKind::kVoid),
                             Field("b", TypeKind::kBoolean), Field("x", TypeKind::kBinary)});
    auto files = Write("SELECT NULL i, NULL s, NULL v, true b, 'a'::BLOB x FROM range(3)");
    auto statistics = Statistics(files[0]);
    EXPECT_EQ(statistics["nullCount"].ToText(), R"({"i":3,"s":3,"v":3,"b":0,"x":0})");
    for (const auto *bound : {"minValues", "maxValues"}) {
        for (const auto *column : {"i", "s", "v", "b", "x"}) {
            EXPECT_TRUE(statistics[bound][column].is_null()) << bound << " " << column;
        }
    }
    EXPECT_EQ(Value("SELECT count(*) FROM parquet_schema('" + target_.root + "/*.parquet') WHERE name = 'v'"), "0");
}

TEST_F(FileWriterTest, NestedLeavesCountTheNullsAroundThem) {
    auto inner = DataType::Struct(Schema({Field("b", TypeKind::kInteger), Field("c", TypeKind::kString)}));
    target_.schema = Schema({Field("a", DataType::Struct(Schema({Field("s", inner)}))),
                             Field("l", DataType::Array(DataType(TypeKind::kInteger), true))});
    auto files = Write(
        "SELECT * FROM (VALUES ({'s': {'b': 5, 'c': 'x'}}, [1, NULL]), ({'s': NULL}, NULL), (NULL, []), "
        "({'s': {'b': NULL, 'c': 'y'}}, [7])) t(a, l)");
    auto statistics = Statistics(files[0]);
    EXPECT_EQ(statistics["minValues"]["a"]["s"]["b"].int64(), 5);
    EXPECT_EQ(statistics["maxValues"]["a"]["s"]["c"].string(), "y");
    EXPECT_EQ(statistics["nullCount"].ToText(), R"({"a":{"s":{"b":3,"c":2}},"l":1})");
}

TEST_F(FileWriterTest, BoundsAtTheEdges) {
    target_.schema = Schema({Field("d", TypeKind::kDate), Field("t", TypeKind::kTimestamp),
                             Field("n", TypeKind::kTimestampNtz), Field("m", DataType::Decimal(38, 0)),
                             Field("k", DataType::Decimal(4, 2)), Field("b", TypeKind::kByte)});
    auto files = Write(
        "FROM (VALUES ('1200-02-29', '0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999', "
        "'99999999999999999999999999999999999999', '-99.99', -128), "
        "('9999-12-31', '2024-06-01 12:00:00.123456+00', '1969-12-31 23:59:59.999999', '-1', '99.99', 127)) "
        "t(d, t, n, m, k, b)");
    auto statistics = Statistics(files[0]);
    EXPECT_EQ(
        statistics["minValues"].ToText(),
        R"({"d":"1200-02-29","t":"0001-01-01T00:00:00.000Z","n":"1969-12-31T23:59:59.999","m":-1,"k":-99.99,"b":-128})");
    EXPECT_EQ(statistics["maxValues"].ToText(),
              R"({"d":"9999-12-31","t":"2024-06-01T12:00:00.123Z","n":"9999-12-31T23:59:59.999",)"
              R"("m":99999999999999999999999999999999999999,"k":99.99,"b":127})");
}

TEST_F(FileWriterTest, InfinitiesAreRefusedWithTheColumnsName) {
    target_.schema = Schema({Field("s", DataType::Struct(Schema({Field("d", TypeKind::kDate)}))),
                             Field("l", DataType::Array(DataType(TypeKind::kTimestamp), true))});
    EXPECT_NE(WriteError("SELECT {'d': 'infinity'::DATE} s, [] l").find("Column s.d "), std::string::npos);
    EXPECT_NE(WriteError("SELECT NULL s, [now(), '-infinity'::TIMESTAMPTZ] l").find("Column l.element "),
              std::string::npos);
    EXPECT_EQ(WriteError("SELECT {'d': '2024-01-01'::DATE} s, [now(), NULL] l"), "");
}

TEST_F(FileWriterTest, NotNullIsCheckedAtEveryDepth) {
    auto element = DataType::Struct(Schema({Field("k", TypeKind::kInteger, false)}));
    target_.schema = Schema({Field("id", TypeKind::kLong, false),
                             Field("s", DataType::Struct(Schema({Field("a", TypeKind::kInteger, false)}))),
                             Field("l", DataType::Array(element, true)),
                             Field("f", DataType::Array(DataType(TypeKind::kInteger), false))});
    auto good = "SELECT 1 id, {'a': 1} s, [{'k': 1}] l, [1] f";
    EXPECT_EQ(WriteError(good), "");
    auto error = WriteError("SELECT NULL id, {'a': 1} s, NULL l, NULL f");
    EXPECT_NE(error.find("[DELTA_NOT_NULL_CONSTRAINT_VIOLATED] NOT NULL constraint violated for column: id."),
              std::string::npos)
        << error;
    EXPECT_NE(WriteError("SELECT 1 id, {'a': NULL} s, NULL l, NULL f").find("column: s.a."), std::string::npos);
    EXPECT_NE(WriteError("SELECT 1 id, NULL s, NULL l, NULL f").find("column: s.a."), std::string::npos);
    EXPECT_NE(WriteError("SELECT 1 id, {'a': 1} s, [{'k': 1}, {'k': NULL}] l, NULL f").find("column: l.element.k."),
              std::string::npos);
    EXPECT_NE(WriteError("SELECT 1 id, {'a': 1} s, NULL l, [1, NULL] f").find("column: f.element."), std::string::npos);
    // An element that no row refers to does not count.
    EXPECT_EQ(
        WriteError("SELECT * FROM (SELECT i id, {'a': 1} s, [{'k': CASE WHEN i = 1 THEN NULL ELSE 1 END}] l, [1] f "
                   "FROM range(3) t(i)) WHERE id <> 1"),
        "");
}

TEST_F(FileWriterTest, CharAndVarcharHaveTheirLengths) {
    auto name = Field("name", TypeKind::kString);
    name.metadata.SetString("__CHAR_VARCHAR_TYPE_STRING", "varchar(3)");
    auto nested = Field("s", DataType::Struct(Schema({Field("i", TypeKind::kInteger), Field("c", TypeKind::kString)})));
    nested.metadata.SetString("__CHAR_VARCHAR_TYPE_STRING", "struct<i:int,c:char(2)>");
    target_.schema = Schema({name, nested});
    EXPECT_EQ(WriteError("SELECT 'äöü' AS \"name\", {'i': 1, 'c': 'ab'} s"), "");
    auto error = WriteError("SELECT 'abcd' AS \"name\", NULL s");
    EXPECT_NE(error.find("[DELTA_EXCEED_CHAR_VARCHAR_LIMIT]"), std::string::npos) << error;
    EXPECT_NE(error.find("name, which is varchar(3)"), std::string::npos) << error;
    EXPECT_NE(WriteError("SELECT 'a' AS \"name\", {'i': 1, 'c': 'abc'} s").find("s.c, which is char(2)"),
              std::string::npos);
}

TEST_F(FileWriterTest, PartitionsHaveHiveFoldersAndNoColumn) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("p", TypeKind::kString), Field("d", TypeKind::kDate)});
    target_.metadata.partition_columns = {"p", "d"};
    auto files = Write(
        "FROM (VALUES (1, 'a/b', '2024-01-01'), (2, '', NULL), (3, NULL, NULL), (4, 'a/b', '2024-01-01')) t(id, p, d)");
    ASSERT_EQ(files.size(), 2u);  // '' is NULL
    std::map<std::string, int64_t> rows;
    for (const auto &file : files) {
        ASSERT_EQ(file.partition_values.size(), 2u);
        rows[file.path.substr(0, file.path.find("/part-"))] = file.rows;
        EXPECT_TRUE(file.path.ends_with(".c000.snappy.parquet")) << file.path;
    }
    std::map<std::string, int64_t> expected{{"p=a%252Fb/d=2024-01-01", 2},
                                            {"p=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__", 2}};
    EXPECT_EQ(rows, expected);
    EXPECT_EQ(
        Value("SELECT count(*) FROM parquet_schema('" + target_.root + "/*/*/*.parquet') WHERE name IN ('p', 'd')"),
        "0");
}

TEST_F(FileWriterTest, ColumnMappingUsesPhysicalNamesAndIdsAtEveryDepth) {
    auto mapped = [](StructField field, int id) {
        field.metadata.Set(std::string(kColumnMappingId), std::to_string(id));
        field.metadata.SetString(std::string(kColumnMappingPhysicalName), "col-" + std::to_string(id));
        return field;
    };
    auto inner = Schema({mapped(Field("x", TypeKind::kInteger), 4)});
    target_.mapping = ColumnMappingMode::kName;
    target_.schema = Schema({mapped(Field("id", TypeKind::kLong), 1), mapped(Field("p", TypeKind::kString), 2),
                             mapped(Field("l", DataType::Array(DataType::Struct(inner), true)), 3)});
    target_.metadata.partition_columns = {"p"};
    auto files = Write("SELECT 1 id, 'v' p, [{'x': 5}] l");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].partition_values[0].first, "col-2");
    EXPECT_EQ(files[0].path.find('/'), 2u) << files[0].path;  // two random characters
    EXPECT_EQ(Value("SELECT string_agg(name || '=' || field_id, ' ') FROM parquet_schema('" + target_.root +
                    "/*/*.parquet') WHERE field_id IS NOT NULL"),
              "col-1=1 col-3=3 col-4=4");
    EXPECT_EQ(Statistics(files[0])["minValues"]["col-1"].int64(), 1);
}

TEST_F(FileWriterTest, VariantsAreStructsAsSparkReadsThem) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("v", TypeKind::kVariant)});
    auto files = Write("SELECT 1 id, {'a': 1}::VARIANT v UNION ALL SELECT 2, NULL");
    EXPECT_EQ(
        Value("SELECT string_agg(name || ':' || coalesce(type, '') || ':' || coalesce(logical_type, ''), ' ') FROM "
              "parquet_schema('" +
              target_.root + "/*.parquet') WHERE name IN ('v', 'metadata', 'value')"),
        "v:: metadata:BYTE_ARRAY: value:BYTE_ARRAY:");
    EXPECT_EQ(Statistics(files[0])["nullCount"]["v"].int64(), 1);
    target_.schema = Schema({Field("l", DataType::Array(DataType(TypeKind::kVariant), true))});
    EXPECT_NE(WriteError("SELECT [1::VARIANT] l").find("l.element is a variant inside another type"),
              std::string::npos);
}

TEST_F(FileWriterTest, ChangeDataHasItsTypeAndFolder) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("p", TypeKind::kInteger)});
    target_.metadata.partition_columns = {"p"};
    target_.change_data = true;
    auto files = Write("SELECT 1 id, 2 p, 'delete' _change_type");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_EQ(files[0].path.substr(0, 21), "_change_data/p=2/cdc-");
    EXPECT_EQ(files[0].stats, "");
    EXPECT_EQ(Value("SELECT _change_type FROM read_parquet('" + target_.root + "/_change_data/*/*.parquet')"),
              "delete");
}

TEST_F(FileWriterTest, CodecsAreThoseOfTheProperty) {
    target_.schema = Schema({Field("id", TypeKind::kLong)});
    target_.metadata.configuration["delta.parquet.compression.codec"] = "ZSTD";
    auto files = Write("SELECT range id FROM range(100)");
    EXPECT_TRUE(files[0].path.ends_with("-c000.zstd.parquet")) << files[0].path;
    EXPECT_EQ(Value("SELECT DISTINCT compression FROM parquet_metadata('" + target_.root + "/*.parquet')"), "ZSTD");
    target_.metadata.configuration["delta.parquet.compression.codec"] = "rar";
    EXPECT_NE(WriteError("SELECT 1 id").find("[DELTA_INVALID_CONFIGURATION_VALUE]"), std::string::npos);
}

TEST_F(FileWriterTest, FilesRotateAtTheTargetSize) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("h", TypeKind::kLong)});
    target_.target_file_bytes = 2 << 20;
    auto files = Write("SELECT range id, hash(range) >> 1 AS h FROM range(1_000_000)");
    EXPECT_GE(files.size(), 4u);
    EXPECT_LE(files.size(), 9u);
    int64_t rows = 0;
    for (const auto &file : files) {
        rows += file.rows;
        EXPECT_EQ(Statistics(file)["maxValues"]["id"].int64(),
                  std::stoll(Value("SELECT max(id) FROM '" + target_.root + "/" + file.path + "'")));
    }
    EXPECT_EQ(rows, 1'000'000);
    EXPECT_EQ(Value("SELECT count(DISTINCT id) FROM " + Files()), "1000000");
}

TEST_F(FileWriterTest, ManyPartitionsFromManyThreadsMakeOneFileEach) {
    target_.schema =
        Schema({Field("id", TypeKind::kLong), Field("p", TypeKind::kInteger), Field("s", TypeKind::kString),
                Field("l", DataType::Array(DataType(TypeKind::kString), true)),
                Field("r", DataType::Struct(Schema({Field("x", TypeKind::kLong)})))});
    target_.metadata.partition_columns = {"p"};
    FileWriter writer(*con_.context, target_, *pending_);
    auto work = [&](int thread) {
        auto local = writer.MakeLocal();
        duckdb::Connection connection(db_);
        auto result = connection.Query(
            "SELECT range id, (hash(range) % 1000)::INTEGER p, 'text ' || range s, [s, NULL, 'b'] l, {'x': range} r "
            "FROM range(" +
            std::to_string(thread * 100'000) + ", " + std::to_string((thread + 1) * 100'000) + ")");
        while (auto chunk = result->Fetch()) {
            writer.Write(*con_.context, *local, *chunk);
        }
        writer.Combine(*con_.context, *local);
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++) {
        threads.emplace_back(work, i);
    }
    for (auto &thread : threads) {
        thread.join();
    }
    auto files = writer.Finish(*con_.context);
    EXPECT_EQ(files.size(), 1000u);
    EXPECT_EQ(
        Value("SELECT count(*) FROM (SELECT *, parse_path(filename)[-2] AS folder FROM read_parquet('" + target_.root +
              "/*/*.parquet', hive_partitioning = false, filename = true)) WHERE folder = 'p=' || "
              "(hash(id) % 1000) AND s = 'text ' || id AND l = [s, NULL, 'b'] AND r.x = id"),
        "300000");
    EXPECT_EQ(Value("SELECT count(DISTINCT id) FROM " + Files()), "300000");
}

TEST_F(FileWriterTest, SortedPartitionsMakeOneFileEach) {
    target_.schema = Schema({Field("id", TypeKind::kLong), Field("p", TypeKind::kInteger)});
    target_.metadata.partition_columns = {"p"};
    auto files = Write("SELECT range id, (range // 5000)::INTEGER p FROM range(2_000_000)");
    EXPECT_EQ(files.size(), 400u);
    EXPECT_EQ(Value("SELECT count(DISTINCT id) FROM " + Files()), "2000000");
}

}  // namespace
}  // namespace birdfoot::duck
