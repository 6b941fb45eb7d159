#include "core/txn/checkpoint_writer.hpp"

#include "unit/support/fake_parquet.hpp"
#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

constexpr int64_t kDay = 86'400'000;

class CheckpointWriterTest : public LogTest {
protected:
    std::shared_ptr<FakeParquet> parquet = std::make_shared<FakeParquet>(store);
    void SetUp() override {
        engine.parquet = parquet;
        store->now_ms = 100 * kDay;
    }

    CheckpointWritten Write(VersionTarget target = LatestVersion(), const CheckpointOptions &options = {}) {
        const auto snapshot = Load(target);
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        auto written = WriteCheckpoint(engine, **snapshot, call, options);
        EXPECT_TRUE(written.ok()) << written.error().message();
        return written.ok() ? *written : CheckpointWritten();
    }
    //! Everything that the log says of the latest version, as sorted lines.
    Names State() {
        Names lines;
        const auto snapshot = Load();
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        if (!snapshot.ok()) {
            return lines;
        }
        const auto &segment = (*snapshot)->segment();
        lines.push_back(ActionToJson((*snapshot)->protocol()));
        lines.push_back(ActionToJson((*snapshot)->metadata()));
        EXPECT_TRUE(ReplayFiles(
                        engine, segment, {},
                        [&](AddFile &&add) -> Status {
                            add.data_change = false;
                            lines.push_back(ActionToJson(add));
                            return {};
                        },
                        call)
                        .ok());
        EXPECT_TRUE(ReplayTombstones(
                        engine, segment, store->now_ms - 7 * kDay,
                        [&](RemoveFile &&remove) -> Status {
                            remove.data_change = false;
                            remove.tags.reset();
                            remove.stats.reset();
                            lines.push_back(ActionToJson(remove));
                            return {};
                        },
                        call)
                        .ok());
        const auto extras = ReplayExtras(engine, segment, call);
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
    //! Leaves only what stands in the checkpoint.
    void DropCommits(Version up_to) {
        for (Version v = 0; v <= up_to; ++v) {
            store->objects.erase(LogPath(CommitFileName(v)));
        }
    }
    void FillTable(const std::string &metadata = kMetadata, const std::string &protocol = kProtocol) {
        Commit(0, protocol + "\n" + metadata + "\n" + Add("a%20b") + Add("b", "b") + Add("gone"));
        Commit(1, Remove("gone", store->now_ms - kDay) + Remove("expired", store->now_ms - 8 * kDay) +
                      R"({"txn":{"appId":"app","version":4,"lastUpdated":9}})" + "\n" +
                      R"({"domainMetadata":{"domain":"d","configuration":"x","removed":false}})" + "\n" +
                      R"({"domainMetadata":{"domain":"e","configuration":"x","removed":false}})");
        Commit(
            2,
            R"({"add":{"path":"v","partitionValues":{"p":null},"size":5,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8,"clusteringProvider":"liquid"}})"
            "\n"
            R"({"remove":{"path":"v","deletionTimestamp":8640000000000,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":null},"size":5,"deletionVector":{"storageType":"u","pathOrInlineDv":"older","sizeInBytes":40,"cardinality":6},"baseRowId":7}})"
            "\n"
            R"({"domainMetadata":{"domain":"e","configuration":"","removed":true}})");
    }
};

// The contract: state(checkpoint) = state(log).
TEST_F(CheckpointWriterTest, TheCheckpointIsTheState) {
    FillTable();
    const auto state = State();
    const auto written = Write();
    EXPECT_EQ(written.files, (Names{LogPath("00000000000000000002.checkpoint.parquet")}));
    EXPECT_EQ(written.files_added, 3u);
    EXPECT_EQ(written.actions, 2u + 3 + 2 + 2);
    DropCommits(1);
    EXPECT_EQ(State(), state);
    EXPECT_EQ((*Load())->segment().checkpoint->version, 2);
    // And once more from the checkpoint itself, with a commit on top.
    Commit(3, Add("later"));
    const auto later = State();
    Write();
    DropCommits(2);
    store->objects.erase(written.files[0]);
    EXPECT_EQ(State(), later);
    EXPECT_TRUE(Write().existed);
}

TEST_F(CheckpointWriterTest, RowsAreAsSparkWritesThem) {
    FillTable();
    Write();
    const auto rows = parquet->Rows(LogPath("00000000000000000002.checkpoint.parquet"));
    EXPECT_EQ(rows[0], R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})");
    EXPECT_NE(std::find(rows.begin(), rows.end(), R"({"txn":{"appId":"app","version":4,"lastUpdated":9}})"),
              rows.end());
    // Statistics stand there as text and as a struct, partition values as a map and as a struct.
    EXPECT_NE(
        std::find(
            rows.begin(), rows.end(),
            R"({"add":{"path":"b","partitionValues":{"p":"b"},"size":10,"modificationTime":5,"dataChange":false,"stats":"{\"numRecords\":3}","partitionValues_parsed":{"p":"b"},"stats_parsed":{"numRecords":3}}})"),
        rows.end())
        << fmt::format("{}", fmt::join(rows, "\n"));
    const auto &schema = parquet->files.at(LogPath("00000000000000000002.checkpoint.parquet")).schema;
    Names names;
    for (const auto &column : schema) {
        names.push_back(column.name);
    }
    EXPECT_EQ(names, (Names{"txn", "add", "remove", "metaData", "protocol", "domainMetadata"}));
    EXPECT_TRUE(schema[4].children[0].int32);
}

TEST_F(CheckpointWriterTest, PropertiesChooseTheFormsOfStatistics) {
    std::string metadata = kMetadata;
    metadata.replace(
        metadata.find(R"("configuration":{})"), 18,
        R"("configuration":{"delta.checkpoint.writeStatsAsJson":"false","delta.checkpoint.writeStatsAsStruct":"true"})");
    Commit(
        0,
        std::string(kProtocol) + "\n" + metadata + "\n" +
            R"({"add":{"path":"a","partitionValues":{"p":""},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":2,\"minValues\":{\"x\":-3},\"maxValues\":{\"x\":9223372036854775807},\"nullCount\":{\"x\":1},\"tightBounds\":false}"}})"
            "\n"
            R"({"add":{"path":"damaged","partitionValues":{"p":"q"},"size":1,"modificationTime":1,"dataChange":true,"stats":"{"}})");
    Write();
    const auto rows = parquet->Rows(LogPath("00000000000000000000.checkpoint.parquet"));
    EXPECT_EQ(
        rows[2],
        R"({"add":{"path":"a","partitionValues":{"p":""},"size":1,"modificationTime":1,"dataChange":false,"partitionValues_parsed":{},"stats_parsed":{"numRecords":2,"minValues":{"x":-3},"maxValues":{"x":9223372036854775807},"nullCount":{"x":1},"tightBounds":false}}})");
    EXPECT_EQ(
        rows[3],
        R"({"add":{"path":"damaged","partitionValues":{"p":"q"},"size":1,"modificationTime":1,"dataChange":false,"partitionValues_parsed":{"p":"q"}}})");
    // Read back, the text is made from the struct.
    Commit(1, "");
    std::string stats;
    ASSERT_TRUE(ReplayFiles(
                    engine, (*Load())->segment(), {},
                    [&](AddFile &&add) -> Status {
                        stats += add.stats.value_or("none");
                        return {};
                    },
                    call)
                    .ok());
    EXPECT_EQ(
        stats,
        R"({"numRecords":2,"minValues":{"x":-3},"maxValues":{"x":9223372036854775807},"nullCount":{"x":1},"tightBounds":false}none)");
}

TEST_F(CheckpointWriterTest, V2HasAManifestAndSidecars) {
    std::string metadata = kMetadata;
    metadata.replace(metadata.find(R"("configuration":{})"), 18, R"("configuration":{"delta.checkpointPolicy":"v2"})");
    FillTable(
        metadata,
        R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint","deletionVectors"],"writerFeatures":["v2Checkpoint","deletionVectors"]}})");
    const auto state = State();
    CheckpointOptions options;
    options.actions_per_sidecar = 2;
    options.batch_rows = 1;
    const auto written = Write(LatestVersion(), options);
    EXPECT_EQ(written.files.size(), 4u) << "five files and tombstones in three sidecars, and the manifest";
    EXPECT_TRUE(written.files.back().ends_with(".json"));
    DropCommits(1);
    EXPECT_EQ(State(), state);
    EXPECT_NE(store->objects.at(LogPath("_last_checkpoint"))
                  .bytes.find("\"v2Checkpoint\":{\"path\":\"00000000000000000002.checkpoint."),
              std::string::npos);
}

TEST_F(CheckpointWriterTest, V2OfAnEmptyTableHasNoSidecar) {
    std::string metadata = kMetadata;
    metadata.replace(metadata.find(R"("configuration":{})"), 18, R"("configuration":{"delta.checkpointPolicy":"v2"})");
    Commit(
        0,
        std::string(
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}})") +
            "\n" + metadata);
    EXPECT_EQ(Write().files.size(), 1u);
    store->objects.erase(LogPath(CommitFileName(0)));
    EXPECT_EQ(Paths(), (Names{}));
}

TEST_F(CheckpointWriterTest, OldTransactionsAreDroppedWhereTheTableSaysSo) {
    std::string metadata = kMetadata;
    metadata.replace(metadata.find(R"("configuration":{})"), 18,
                     R"("configuration":{"delta.setTransactionRetentionDuration":"interval 1 day"})");
    Commit(0, std::string(kProtocol) + "\n" + metadata + "\n" +
                  fmt::format(R"({{"txn":{{"appId":"new","version":1,"lastUpdated":{}}}}})", store->now_ms - kDay / 2) +
                  "\n" +
                  fmt::format(R"({{"txn":{{"appId":"old","version":1,"lastUpdated":{}}}}})", store->now_ms - 2 * kDay) +
                  "\n" + R"({"txn":{"appId":"timeless","version":1}})");
    Write();
    Commit(1, "");
    Names ids;
    const auto extras = ReplayExtras(engine, (*Load())->segment(), call);
    for (const auto &[id, transaction] : extras->transactions) {
        ids.push_back(id);
    }
    EXPECT_EQ(ids, (Names{"new", "timeless"}));
}

// B18
TEST_F(CheckpointWriterTest, B18TheHintComesAfterAndNeverGoesBack) {
    FillTable();
    Write();
    EXPECT_EQ(store->objects.at(LogPath("_last_checkpoint")).bytes,
              R"({"version":2,"size":9,"sizeInBytes":11,"numOfAddFiles":3})");
    EXPECT_EQ(Write(AtVersion{1}).version, 1);
    EXPECT_NE(store->objects.at(LogPath("_last_checkpoint")).bytes.find("\"version\":2"), std::string::npos);
    // A hint that lies about the future is replaced.
    store->Set(LogPath("_last_checkpoint"), R"({"version":900})");
    Write(AtVersion{0});
    EXPECT_NE(store->objects.at(LogPath("_last_checkpoint")).bytes.find("\"version\":0"), std::string::npos);
}

TEST_F(CheckpointWriterTest, WhatFailsLeavesNothingBehind) {
    FillTable();
    const auto snapshot = *Load();
    Call cancelled;
    cancelled.cancelled = [] { return true; };
    EXPECT_FALSE(WriteCheckpoint(engine, *snapshot, cancelled).ok());
    for (const auto &[path, object] : store->objects) {
        EXPECT_EQ(path.find("checkpoint"), std::string::npos) << path;
    }
    engine.parquet = nullptr;
    EXPECT_EQ(WriteCheckpoint(engine, *snapshot, call).error().condition(), Condition::BIRDFOOT_UNSUPPORTED);
}

// B22: a partitioned table with removes; rows of another kind have a null struct.
TEST_F(CheckpointWriterTest, B22RemovesOfAPartitionedTable) {
    Create(Add("f0", "x"));
    for (int i = 1; i <= 10; ++i) {
        Commit(i, Remove(fmt::format("f{}", i - 1), store->now_ms - kDay) + Add(fmt::format("f{}", i), "x"));
    }
    Write();
    EXPECT_EQ(Paths(), (Names{"f10"}));
    for (const auto &row : parquet->Rows(LogPath("00000000000000000010.checkpoint.parquet"))) {
        EXPECT_TRUE(row.starts_with(R"({"remove")") == (row.find("\"add\"") == std::string::npos) ||
                    row.starts_with(R"({"protocol)") || row.starts_with(R"({"metaData)"))
            << row;
    }
}

// B148: memory holds a few chunks; here only that many are no problem.
TEST_F(CheckpointWriterTest, ManyFilesAreStreamed) {
    std::string lines;
    for (int i = 0; i < 30'000; ++i) {
        lines += Add(fmt::format("f{}", i));
    }
    Create(lines);
    EXPECT_EQ(Write().files_added, 30'000u);
    parquet->batch_rows = 2048;
    store->objects.erase(LogPath(CommitFileName(0)));
    EXPECT_EQ(Paths().size(), 30'000u);
}

}  // namespace
}  // namespace birdfoot::test
