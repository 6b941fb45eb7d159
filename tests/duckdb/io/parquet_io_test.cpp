// The contract of the Parquet port (src/core/io/parquet_io.hpp) for the implementation on DuckDB.
#include <fstream>
#include <map>

#include "core/io/parquet_io.hpp"
#include "duckdb/database.hpp"
#include "duckdb/io/engine.hpp"

namespace birdfoot::duck {
namespace {

using testing::Query;
using testing::TemporaryFolder;

class ParquetIoTest : public ::testing::Test {
protected:
    std::shared_ptr<ParquetIo> Io() { return EngineOf(*database_.instance).parquet; }

    void Copy(const std::string &select, const std::string &file, const std::string &options = "") {
        auto result = connection_.Query("COPY (" + select + ") TO '" + file + "' (FORMAT parquet" + options + ")");
        ASSERT_FALSE(result->HasError()) << result->GetError();
    }

    //! Reads all of it into one text a column of the request: values separated by ",".
    Result<std::vector<std::string>> Texts(const ReadRequest &request) {
        std::map<std::pair<uint32_t, int64_t>, std::vector<std::string>> rows;  // by file and row, so in order
        int64_t unnumbered = 0;
        auto status = Io()->Read(request,
                                 [&](const ReadBatch &batch) -> Status {
                                     EXPECT_GT(batch.rows, 0u);
                                     for (size_t row = 0; row < batch.rows; ++row) {
                                         auto key = request.row_numbers
                                                        ? std::pair(batch.file.at(row), batch.row.at(row))
                                                        : std::pair(0u, unnumbered++);
                                         auto &texts = rows[key];
                                         for (const auto &column : batch.columns) {
                                             EXPECT_EQ(column.size(), batch.rows);
                                             texts.push_back(Text(column, row));
                                         }
                                     }
                                     return {};
                                 },
                                 {});
        if (!status.ok()) {
            return status.error();
        }
        std::vector<std::string> columns(request.columns.size());
        for (const auto &[key, texts] : rows) {
            for (size_t i = 0; i < texts.size(); ++i) {
                columns[i] += (columns[i].empty() ? "" : ",") + texts[i];
            }
        }
        return columns;
    }

    static std::string Text(const ColumnVector &column, size_t row) {
        if (column.is_null(row)) {
            return "NULL";
        }
        switch (column.kind) {
        case ColumnKind::kDouble: return fmt::format("{}", column.doubles.at(row));
        case ColumnKind::kString:
        case ColumnKind::kDecimal: return std::string(column.strings.at(row));
        case ColumnKind::kMap:
        case ColumnKind::kList: {
            std::string text = "[";
            for (auto i = column.offsets.at(row); i < column.offsets.at(row + 1); ++i) {
                text += text.size() > 1 ? " " : "";
                for (size_t child = 0; child < column.children.size(); ++child) {
                    text += (child ? "=" : "") + Text(column.children[child], i);
                }
            }
            return text + "]";
        }
        default: return std::to_string(column.ints.at(row));
        }
    }

    TemporaryFolder folder_;
    duckdb::DuckDB database_{nullptr};
    duckdb::Connection connection_{database_};
};

TEST_F(ParquetIoTest, ReadsEveryKind) {
    const auto file = folder_ / "kinds.parquet";
    connection_.Query("SET TimeZone='America/New_York'");
    Copy(R"(SELECT true AS b, 7::TINYINT AS i8, -9000000000 AS i64, 1.5::FLOAT AS f, 'short' AS s,
            'a text of more than twelve bytes' AS l, '\x00\xFF'::BLOB AS bin, DATE '1969-12-31' AS d,
            TIMESTAMP '2024-01-01 00:00:00.000001' AS ntz, TIMESTAMPTZ '2024-01-01 00:00:00+00' AS tz,
            (-12.30)::DECIMAL(4,2) AS d4, 12345678901234567890123456789.5::DECIMAL(38,9) AS d38, 5::BIGINT AS micros)",
         file);
    ReadRequest request;
    request.files = {file};
    for (auto [name, kind] : std::vector<std::pair<std::string, ColumnKind>>{{"b", ColumnKind::kBool},
                                                                             {"i8", ColumnKind::kInt64},
                                                                             {"i64", ColumnKind::kInt64},
                                                                             {"f", ColumnKind::kDouble},
                                                                             {"s", ColumnKind::kString},
                                                                             {"l", ColumnKind::kString},
                                                                             {"bin", ColumnKind::kString},
                                                                             {"d", ColumnKind::kDate},
                                                                             {"ntz", ColumnKind::kTimestamp},
                                                                             {"tz", ColumnKind::kTimestamp},
                                                                             {"d4", ColumnKind::kDecimal},
                                                                             {"d38", ColumnKind::kDecimal},
                                                                             {"i8", ColumnKind::kDecimal},
                                                                             {"micros", ColumnKind::kTimestamp}}) {
        request.columns.push_back({{name}, kind});
    }
    auto texts = Texts(request);
    ASSERT_TRUE(texts.ok()) << texts.error().message();
    EXPECT_EQ(*texts,
              (std::vector<std::string>{"1", "7", "-9000000000", "1.5", "short", "a text of more than twelve bytes",
                                        std::string("\0\xFF", 2), "-1", "1704067200000001", "1704067200000000",
                                        "-12.30", "12345678901234567890123456789.500000000", "7", "5"}));
}

TEST_F(ParquetIoTest, ReadsLeavesMapsAndListsOfStructs) {
    const auto file = folder_ / "nested.parquet";
    Copy(R"(SELECT CASE WHEN i % 3 = 0 THEN NULL ELSE {'path': 'p' || i, 'values': MAP {'k' || i: NULL, 'x': 'y'},
            'list': CASE WHEN i = 2 THEN [] ELSE ['a', 'b' || i] END, 'deep': {'size': i}} END AS add
            FROM range(5) t(i))",
         file);
    ReadRequest request;
    request.files = {file};
    request.columns = {{{"add", "path"}, ColumnKind::kString},        {{"add", "values"}, ColumnKind::kMap},
                       {{"add", "list"}, ColumnKind::kList},          {{"add", "deep", "size"}, ColumnKind::kInt64},
                       {{"add", "deep", "none"}, ColumnKind::kInt64}, {{"remove", "path"}, ColumnKind::kMap}};
    auto texts = Texts(request);
    ASSERT_TRUE(texts.ok()) << texts.error().message();
    EXPECT_EQ(*texts,
              (std::vector<std::string>{"NULL,p1,p2,NULL,p4", "NULL,[k1=NULL x=y],[k2=NULL x=y],NULL,[k4=NULL x=y]",
                                        "NULL,[a b1],[],NULL,[a b4]", "NULL,1,2,NULL,4", "NULL,NULL,NULL,NULL,NULL",
                                        "NULL,NULL,NULL,NULL,NULL"}));
}

TEST_F(ParquetIoTest, KeepsRowsWhereOneOfThePathsIsNotNull) {
    const auto file = folder_ / "actions.parquet";
    Copy(R"(SELECT CASE WHEN i % 2 = 0 THEN {'path': 'a' || i} END AS add,
            CASE WHEN i = 5 THEN {'path': 'r5'} END AS remove, i FROM range(8) t(i))",
         file);
    ReadRequest request;
    request.files = {file};
    request.columns = {{{"i"}, ColumnKind::kInt64}, {{"add", "path"}, ColumnKind::kString}};
    request.any_not_null = {{"add", "path"}, {"remove", "path"}, {"missing"}};
    EXPECT_EQ(*Texts(request), (std::vector<std::string>{"0,2,4,5,6", "a0,a2,a4,NULL,a6"}));
    request.any_not_null = {{"remove"}};
    EXPECT_EQ((*Texts(request))[0], "5");
    request.any_not_null = {{"missing"}};
    EXPECT_EQ((*Texts(request))[0], "");
}

TEST_F(ParquetIoTest, NumbersRowsOverRowGroupsAndFilesAndReadsThemAgain) {
    const auto file = folder_ / "groups.parquet";
    const auto other = folder_ / "other.parquet";
    Copy("SELECT i, 'text ' || i AS s FROM range(10000) t(i)", file, ", ROW_GROUP_SIZE 2048");
    Copy("SELECT -i AS i, 'other ' || i AS s FROM range(3) t(i)", other);
    ReadRequest request;
    request.files = {file, other};
    request.columns = {{{"i"}, ColumnKind::kInt64}};
    request.row_numbers = true;
    std::map<std::pair<uint32_t, int64_t>, int64_t> seen;
    auto status = Io()->Read(request,
                             [&](const ReadBatch &batch) -> Status {
                                 for (size_t row = 0; row < batch.rows; ++row) {
                                     seen[{batch.file[row], batch.row[row]}] = batch.columns[0].ints[row];
                                 }
                                 return {};
                             },
                             {});
    ASSERT_TRUE(status.ok()) << status.error().message();
    ASSERT_EQ(seen.size(), 10003u);
    for (const auto &[key, value] : seen) {
        EXPECT_EQ(value, key.first == 0 ? key.second : -key.second);
    }

    request.files = {file};
    request.columns = {{{"s"}, ColumnKind::kString}};
    request.only_rows = {{0, 2047, 2048, 9999}};
    EXPECT_EQ((*Texts(request))[0], "text 0,text 2047,text 2048,text 9999");
    request.only_rows = std::vector<int64_t>();
    EXPECT_EQ((*Texts(request))[0], "");
}

TEST_F(ParquetIoTest, WritesWhatItReads) {
    const auto file = folder_ / "written.parquet";
    std::vector<ColumnType> schema(3);
    schema[0] = {.name = "add", .kind = ColumnKind::kStruct};
    schema[0].children = {
        {.name = "path", .kind = ColumnKind::kString},
        {.name = "partitionValues",
         .kind = ColumnKind::kMap,
         .children = {{.name = "key", .kind = ColumnKind::kString}, {.name = "value", .kind = ColumnKind::kString}}},
        {.name = "size", .kind = ColumnKind::kInt64},
        {.name = "cardinality", .kind = ColumnKind::kInt64, .int32 = true},
    };
    schema[1] = {.name = "features", .kind = ColumnKind::kList, .children = {{.name = "element"}}};
    schema[2] = {.name = "d", .kind = ColumnKind::kDecimal, .precision = 38, .scale = 2};
    auto batch = [] {
        std::vector<ColumnVector> columns(3);
        auto &add = columns[0];
        add.kind = ColumnKind::kStruct;
        add.valid = {1, 0, 1};
        add.children.resize(4);
        add.children[0].valid = {1, 0, 1};
        add.children[0].strings = {"a path of more than twelve bytes", "", "b"};
        add.children[1].valid = {1, 0, 1};
        add.children[1].offsets = {0, 2, 2, 2};
        add.children[1].children.resize(2);
        add.children[1].children[0].valid = {1, 1};
        add.children[1].children[0].strings = {"x", "y"};
        add.children[1].children[1].valid = {1, 0};
        add.children[1].children[1].strings = {"1", ""};
        add.children[2].valid = {1, 0, 1};
        add.children[2].ints = {1ll << 40, 0, 3};
        add.children[3].valid = {1, 0, 0};
        add.children[3].ints = {7, 0, 0};
        columns[1].valid = {0, 1, 1};
        columns[1].offsets = {0, 0, 1, 1};
        columns[1].children.resize(1);
        columns[1].children[0].valid = {1};
        columns[1].children[0].strings = {"f"};
        columns[2].valid = {1, 0, 1};
        columns[2].strings = {"-0.05", "", "12345678901234567890123456789.10"};
        return columns;
    };
    int calls = 0;
    auto size = Io()->Write(file, schema,
                            [&]() -> Result<std::optional<std::vector<ColumnVector>>> {
                                return calls++ < 2 ? std::optional(batch()) : std::nullopt;
                            },
                            {});
    ASSERT_TRUE(size.ok()) << size.error().message();
    EXPECT_EQ(*size, std::filesystem::file_size(file));
    EXPECT_EQ(
        Query(connection_, "SELECT * FROM '" + file + "' LIMIT 3"),
        "{'path': a path of more than twelve bytes, 'partitionValues': {x=1, y=NULL}, 'size': 1099511627776, "
        "'cardinality': 7}|NULL|-0.05\n"
        "NULL|[f]|NULL\n"
        "{'path': b, 'partitionValues': {}, 'size': 3, 'cardinality': NULL}|[]|12345678901234567890123456789.10\n");
    // Plain three-level lists and maps, INT32 where asked for, UTF8 strings.
    EXPECT_EQ(Query(connection_, "SELECT name, type, converted_type FROM parquet_schema('" + file + "')"),
              "duckdb_schema|NULL|NULL\n"
              "add|NULL|NULL\n"
              "path|BYTE_ARRAY|UTF8\n"
              "partitionValues|NULL|MAP\n"
              "key_value|NULL|NULL\n"
              "key|BYTE_ARRAY|UTF8\n"
              "value|BYTE_ARRAY|UTF8\n"
              "size|INT64|INT_64\n"
              "cardinality|INT32|INT_32\n"
              "features|NULL|LIST\n"
              "list|NULL|NULL\n"
              "element|BYTE_ARRAY|UTF8\n"
              "d|FIXED_LEN_BYTE_ARRAY|DECIMAL\n");
    EXPECT_EQ(Query(connection_, "SELECT count(*) FROM '" + file + "'"), "6\n");
}

TEST_F(ParquetIoTest, WritesAFileWithoutRows) {
    const auto file = folder_ / "empty.parquet";
    auto size = Io()->Write(
        file, {{.name = "s", .kind = ColumnKind::kString}},
        []() -> Result<std::optional<std::vector<ColumnVector>>> { return std::optional<std::vector<ColumnVector>>(); },
        {});
    ASSERT_TRUE(size.ok()) << size.error().message();
    auto footer = Io()->ReadFooter(file, {});
    ASSERT_TRUE(footer.ok()) << footer.error().message();
    EXPECT_EQ(footer->rows, 0);
    ASSERT_EQ(footer->fields.size(), 1u);
    EXPECT_EQ(footer->fields[0].name, "s");
}

TEST_F(ParquetIoTest, AWriteThatFailsLeavesNothing) {
    const auto file = folder_ / "failed.parquet";
    int calls = 0;
    auto size = Io()->Write(file, {{.name = "i", .kind = ColumnKind::kInt64}},
                            [&]() -> Result<std::optional<std::vector<ColumnVector>>> {
                                if (calls++ > 0) {
                                    return Fail(Condition::BIRDFOOT_IO, "as the test wants it");
                                }
                                std::vector<ColumnVector> columns(1);
                                columns[0].valid = {1};
                                columns[0].ints = {1};
                                return std::optional(std::move(columns));
                            },
                            {});
    ASSERT_FALSE(size.ok());
    EXPECT_EQ(size.error().condition(), Condition::BIRDFOOT_IO);
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ParquetIoTest, ReadsAFooter) {
    const auto file = folder_ / "footer.parquet";
    Copy("SELECT {'a': 1::INTEGER, 'b': [1.5::DECIMAL(10,1)]} AS s, MAP {'k': DATE '2024-01-01'} AS m", file);
    auto footer = Io()->ReadFooter(file, {});
    ASSERT_TRUE(footer.ok()) << footer.error().message();
    EXPECT_EQ(footer->rows, 1);
    ASSERT_EQ(footer->fields.size(), 2u);
    const auto &b = footer->fields[0].children.at(1);
    EXPECT_EQ(b.kind, ColumnKind::kList);
    EXPECT_EQ(b.children.at(0).kind, ColumnKind::kDecimal);
    EXPECT_EQ(b.children.at(0).precision, 10);
    ASSERT_EQ(footer->fields[1].children.size(), 2u);
    EXPECT_EQ(footer->fields[1].children[1].kind, ColumnKind::kDate);
}

TEST_F(ParquetIoTest, NamesWhatIsWrong) {
    ReadRequest request;
    request.files = {folder_ / "missing.parquet"};
    request.columns = {{{"i"}, ColumnKind::kInt64}};
    EXPECT_EQ(Texts(request).error().condition(), Condition::BIRDFOOT_OBJECT_NOT_FOUND);
    EXPECT_EQ(Io()->ReadFooter(request.files[0], {}).error().condition(), Condition::BIRDFOOT_OBJECT_NOT_FOUND);

    request.files = {folder_ / "garbage.parquet"};
    std::ofstream(request.files[0]) << "PAR1 this is no Parquet file at all PAR1";
    EXPECT_EQ(Texts(request).error().condition(), Condition::FAILED_READ_FILE);

    request.files = {folder_ / "text.parquet"};
    Copy("SELECT 'x' AS i", request.files[0]);
    auto error = Texts(request).error();
    EXPECT_EQ(error.condition(), Condition::FAILED_READ_FILE);
    EXPECT_NE(error.text().find("Column i"), std::string::npos) << error.text();
    EXPECT_NE(error.text().find("text.parquet"), std::string::npos) << error.text();
}

TEST_F(ParquetIoTest, StopsAtTheVisitorsErrorAndWhenCancelled) {
    const auto file = folder_ / "many.parquet";
    Copy("SELECT i FROM range(100000) t(i)", file, ", ROW_GROUP_SIZE 2048");
    ReadRequest request;
    request.files = {file};
    request.columns = {{{"i"}, ColumnKind::kInt64}};
    size_t batches = 0;
    auto status = Io()->Read(request,
                             [&](const ReadBatch &) -> Status {
                                 ++batches;
                                 return Fail(Condition::DELTA_LOG_FILE_MALFORMED, "as the test wants it");
                             },
                             {});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().condition(), Condition::DELTA_LOG_FILE_MALFORMED);
    EXPECT_EQ(batches, 1u);

    batches = 0;
    Call call;
    call.cancelled = [&] { return batches > 0; };
    status = Io()->Read(
        request,
        [&](const ReadBatch &) -> Status {
            ++batches;
            return {};
        },
        call);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().condition(), Condition::BIRDFOOT_CANCELLED);
    EXPECT_LT(batches, 10u);
}

//! Bytes of a sound file changed at random: an error or other values, never a crash, and the database lives on.
TEST_F(ParquetIoTest, SurvivesHostileBytes) {
    const auto file = folder_ / "sound.parquet";
    Copy(R"(SELECT {'path': 'p' || i, 'values': MAP {'k': 'v' || i}, 'n': i} AS add FROM range(3000) t(i))", file,
         ", ROW_GROUP_SIZE 2048");
    std::ifstream in(file, std::ios::binary);
    const std::string sound((std::istreambuf_iterator<char>(in)), {});
    uint32_t seed = 12345;
    auto random = [&seed](uint32_t below) {
        seed = seed * 1664525 + 1013904223;
        return (seed >> 8) % below;
    };
    for (int round = 0; round < 300; ++round) {
        auto bytes = sound;
        for (int change = 0; change < 3; ++change) {
            // Half of the changes hit the footer.
            auto size = static_cast<uint32_t>(bytes.size());
            auto at = random(2) ? random(size) : size - 1 - random(std::min(size, 900u));
            bytes[at] = static_cast<char>(random(256));
        }
        const auto hostile = folder_ / ("hostile" + std::to_string(round) + ".parquet");
        std::ofstream(hostile, std::ios::binary) << bytes;
        ReadRequest request;
        request.files = {hostile};
        request.columns = {{{"add", "path"}, ColumnKind::kString},
                           {{"add", "values"}, ColumnKind::kMap},
                           {{"add", "n"}, ColumnKind::kInt64}};
        request.any_not_null = {{"add", "path"}};
        (void)Io()->Read(request, [](const ReadBatch &) { return Status(); }, {});
    }
    EXPECT_EQ(Query(connection_, "SELECT 42"), "42\n");
}

}  // namespace
}  // namespace birdfoot::duck
