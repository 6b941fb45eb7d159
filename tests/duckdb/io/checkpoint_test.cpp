// Checkpoints through the Parquet port on DuckDB: state(checkpoint) = state(log), and the file's schema is Spark's.
#include <algorithm>
#include <fstream>

#include "core/log/replay.hpp"
#include "core/txn/checkpoint_writer.hpp"
#include "duckdb/database.hpp"
#include "duckdb/io/engine.hpp"

namespace birdfoot::duck {
namespace {

using testing::Query;
using testing::TemporaryFolder;

constexpr const char *kFields =
    R"({\"name\":\"i\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"s\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"d\",\"type\":\"decimal(38,9)\",\"nullable\":true,\"metadata\":{}},{\"name\":\"t\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"n\",\"type\":\"timestamp_ntz\",\"nullable\":true,\"metadata\":{}},{\"name\":\"day\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"f\",\"type\":\"float\",\"nullable\":true,\"metadata\":{}},{\"name\":\"b\",\"type\":\"binary\",\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"o\",\"type\":{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]},\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"l\",\"type\":{\"type\":\"array\",\"elementType\":\"long\",\"containsNull\":true},\"nullable\":true,\"metadata\":{}},)"
    R"({\"name\":\"p\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}},{\"name\":\"q\",\"type\":\"decimal(5,2)\",\"nullable\":true,\"metadata\":{}})";

class CheckpointTest : public ::testing::TestWithParam<const char *> {
protected:
    void Commit(Version version, const std::string &text) {
        std::filesystem::create_directories(folder_ / "_delta_log");
        std::ofstream(LogPath(CommitFileName(version))) << text;
    }
    std::string LogPath(const std::string &name) const { return folder_ / ("_delta_log/" + name); }
    SnapshotPtr Load() {
        auto snapshot = LoadSnapshot(engine_, folder_.path(), LatestVersion(), {});
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        return snapshot.ok() ? *snapshot : nullptr;
    }
    std::vector<std::string> State() {
        const auto snapshot = Load();
        std::vector<std::string> lines = {ActionToJson(snapshot->protocol()), ActionToJson(snapshot->metadata())};
        const auto files = ReplayFiles(engine_, snapshot->segment(), {},
                                       [&](AddFile &&add) -> Status {
                                           add.data_change = false;
                                           lines.push_back(ActionToJson(add));
                                           return {};
                                       },
                                       {});
        EXPECT_TRUE(files.ok()) << files.error().message();
        EXPECT_TRUE(ReplayTombstones(engine_, snapshot->segment(), 1,
                                     [&](RemoveFile &&remove) -> Status {
                                         remove.data_change = false;
                                         lines.push_back(ActionToJson(remove));
                                         return {};
                                     },
                                     {})
                        .ok());
        const auto extras = ReplayExtras(engine_, snapshot->segment(), {});
        EXPECT_TRUE(extras.ok());
        for (const auto &[id, transaction] : extras->transactions) {
            lines.push_back(ActionToJson(transaction));
        }
        for (const auto &[name, domain] : extras->domains) {
            lines.push_back(ActionToJson(domain));
        }
        std::sort(lines.begin(), lines.end());
        return lines;
    }
    void Fill(const std::string &configuration) {
        Commit(
            0,
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint","timestampNtz","deletionVectors"],"writerFeatures":["v2Checkpoint","timestampNtz","deletionVectors"]}})"
            "\n"
            R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[)" +
                std::string(kFields) + R"(]}","partitionColumns":["p","q"],"configuration":{)" + configuration +
                R"(},"createdTime":7}})"
                "\n"
                R"({"add":{"path":"a%20b","partitionValues":{"p":"2024-02-29","q":"-1.50"},"size":5,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":3,\"minValues\":{\"i\":-4,\"s\":\"a\\n\",\"d\":12345678901234567890123456789.500000000,\"t\":\"2024-01-01T00:00:00.123Z\",\"n\":\"2024-01-01T00:00:00.123\",\"day\":\"0001-01-01\",\"f\":1.5,\"o\":{\"x\":9223372036854775807}},\"maxValues\":{\"i\":4},\"nullCount\":{\"i\":0,\"b\":3,\"o\":{\"x\":1},\"l\":2},\"tightBounds\":true}","tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8,"clusteringProvider":"liquid"}})"
                "\n"
                R"({"add":{"path":"b","partitionValues":{"p":null,"q":null},"size":5,"modificationTime":2,"dataChange":true}})"
                "\n");
        Commit(
            1,
            fmt::format(
                R"({{"remove":{{"path":"gone","deletionTimestamp":{},"dataChange":true,"extendedFileMetadata":true,"partitionValues":{{"p":null,"q":"1.00"}},"size":5}}}})",
                engine_.now_ms()) +
                "\n"
                R"({"txn":{"appId":"app","version":4,"lastUpdated":9}})"
                "\n"
                R"({"txn":{"appId":"app2","version":5}})"
                "\n"
                R"({"domainMetadata":{"domain":"d","configuration":"{}","removed":false}})");
    }

    duckdb::DuckDB database_;
    duckdb::Connection connection_{database_};
    TemporaryFolder folder_;
    Engine engine_ = EngineOf(*database_.instance);
};

TEST_P(CheckpointTest, TheCheckpointIsTheState) {
    Fill(GetParam());
    const auto state = State();
    const auto written = WriteCheckpoint(engine_, *Load(), {});
    ASSERT_TRUE(written.ok()) << written.error().message();
    std::filesystem::remove(LogPath(CommitFileName(0)));
    std::filesystem::remove(LogPath(CommitFileName(1)));
    EXPECT_EQ(State(), state);
    // With a commit on top, written once more from the first.
    Commit(
        2,
        R"({"add":{"path":"c","partitionValues":{"p":"2024-01-01","q":"2.00"},"size":5,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":1}"}})");
    const auto later = State();
    EXPECT_EQ(later.size(), state.size() + 1);
    ASSERT_TRUE(WriteCheckpoint(engine_, *Load(), {}).ok());
    std::filesystem::remove(LogPath(CommitFileName(2)));
    for (const auto &file : written->files) {
        std::filesystem::remove(file);
    }
    EXPECT_EQ(State(), later);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, CheckpointTest,
    ::testing::Values("", R"("delta.checkpointPolicy":"v2")",
                      R"("delta.checkpoint.writeStatsAsJson":"true","delta.checkpoint.writeStatsAsStruct":"false")",
                      R"("delta.checkpoint.writeStatsAsJson":"false")"));

class CheckpointFileTest : public CheckpointTest {};

TEST_F(CheckpointFileTest, StructsHoldTypedValues) {
    Fill("");
    ASSERT_TRUE(WriteCheckpoint(engine_, *Load(), {}).ok());
    const auto file = LogPath(ClassicCheckpointFileName(1));
    EXPECT_EQ(
        Query(connection_,
              "SELECT p.add.partitionValues_parsed, (p.add.stats_parsed.minValues).d, "
              "epoch_us((p.add.stats_parsed.minValues).t), epoch_us((p.add.stats_parsed.minValues).n), "
              "(p.add.stats_parsed.minValues).day, (p.add.stats_parsed.minValues).o.x, p.add.stats_parsed.nullCount "
              "FROM read_parquet('" +
                  file + "') p WHERE p.add.path = 'a%20b'"),
        "{'p': 2024-02-29, 'q': "
        "-1.50}|12345678901234567890123456789.500000000|1704067200123000|1704067200123000|0001-01-01|"
        "9223372036854775807|{'i': 0, 's': NULL, 'd': NULL, 't': NULL, 'n': NULL, 'day': NULL, 'f': NULL, 'b': 3, 'o': "
        "{'x': "
        "1}, 'l': 2}\n");
    EXPECT_EQ(Query(connection_, "SELECT DISTINCT type FROM parquet_schema('" + file +
                                     "') WHERE name IN ('minReaderVersion', 'minWriterVersion', 'sizeInBytes')"),
              "INT32\n");
    EXPECT_EQ(
        Query(connection_, "SELECT count(*) FROM parquet_schema('" + file +
                               "') WHERE repetition_type = 'REQUIRED' AND name <> 'key' AND num_children IS NULL"),
        "0\n");
}

}  // namespace
}  // namespace birdfoot::duck
