#include "core/table/log_cleanup.hpp"

#include "core/log/checkpoint_schema.hpp"
#include "unit/support/fake_parquet.hpp"
#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

constexpr int64_t kDay = 86'400'000;

class LogCleanupTest : public LogTest {
protected:
    std::shared_ptr<FakeParquet> parquet = std::make_shared<FakeParquet>(store);
    void SetUp() override { engine.parquet = parquet; }

    void Checkpoint(const std::string &path, int64_t time, const Names &more = {}) {
        auto schema = TableColumns(true);
        schema.push_back(AddColumn({}));
        schema.push_back(RemoveColumn());
        Names rows = {kProtocol, kMetadata};
        rows.insert(rows.end(), more.begin(), more.end());
        store->now_ms = time;
        parquet->SetRows(path, schema, rows);
    }
    //! Commits 0 … n-1, one a day from day 0 on, each with a checksum.
    void Days(Version n) {
        for (Version v = 0; v < n; ++v) {
            Commit(v, v == 0 ? std::string(kProtocol) + "\n" + kMetadata : "", v * kDay + 1);
            store->Set(LogPath(ChecksumFileName(v)), "{}", v * kDay + 1);
        }
    }
    CleanupReport Clean(int64_t now) {
        store->now_ms = now;
        const auto report = CleanUpLog(engine, **Load(), call);
        EXPECT_TRUE(report.ok()) << report.error().message();
        return report.ok() ? *report : CleanupReport();
    }
    Names LogFiles() {
        Names names;
        for (const auto &[path, object] : store->objects) {
            names.push_back(path.substr(root.size() + 12));
        }
        return names;
    }
    std::vector<Version> Readable(Version latest) {
        std::vector<Version> versions;
        for (Version v = 0; v <= latest; ++v) {
            if (Load(AtVersion{v}).ok()) {
                versions.push_back(v);
            }
        }
        return versions;
    }
};

// B33: the cut-off falls after commit 4, but the only checkpoint is at 9.
TEST_F(LogCleanupTest, B33NothingIsDeletedThatNoCheckpointStandsFor) {
    Days(10);
    Checkpoint(LogPath(ClassicCheckpointFileName(9)), 9 * kDay);
    EXPECT_EQ(Clean(35 * kDay).deleted_files, 0u);
    EXPECT_EQ(Readable(9).size(), 10u);
}

// B35: checksums, compactions, parts of old checkpoints go too.
TEST_F(LogCleanupTest, B35EverythingOlderThanTheCutGoes) {
    Days(10);
    Checkpoint(LogPath(ClassicCheckpointFileName(2)), 2 * kDay);
    Checkpoint(LogPath(MultiPartCheckpointFileName(3, 1, 2)), 3 * kDay);
    Checkpoint(LogPath(MultiPartCheckpointFileName(3, 2, 2)), 3 * kDay);
    Checkpoint(LogPath(ClassicCheckpointFileName(4)), 4 * kDay);
    Checkpoint(LogPath(ClassicCheckpointFileName(8)), 8 * kDay);
    store->Set(LogPath("00000000000000000001.00000000000000000003.compacted.json"), "");
    store->Set(LogPath("00000000000000000004.00000000000000000006.compacted.json"), "");
    store->Set(LogPath("00000000000000000005.00000000000000000006.compacted.json"), "");
    store->Set(LogPath("somebody-elses-file"), "");
    // Thirty days back is midnight of day 6: commits 0 to 5 are not newer than that, the newest checkpoint among them
    // is 4.
    const auto report = Clean(36 * kDay + 5);
    EXPECT_EQ(report.first_kept, 4);
    EXPECT_EQ(Readable(9), (std::vector<Version>{4, 5, 6, 7, 8, 9}));
    for (const auto &file : LogFiles()) {
        const auto name = ParseLogFileName(file);
        EXPECT_TRUE(!name || name->version >= 4) << file;
    }
    EXPECT_FALSE(store->objects.contains(LogPath("00000000000000000004.00000000000000000006.compacted.json")));
    EXPECT_TRUE(store->objects.contains(LogPath("00000000000000000005.00000000000000000006.compacted.json")));
    EXPECT_TRUE(store->objects.contains(LogPath(CommitFileName(4)))) << "it has the commitInfo";
    EXPECT_TRUE(store->objects.contains(LogPath("somebody-elses-file")));
    EXPECT_EQ(Clean(36 * kDay + 5).deleted_files, 0u);
}

TEST_F(LogCleanupTest, ADamagedCheckpointStandsForNothing) {
    Days(10);
    Checkpoint(LogPath(ClassicCheckpointFileName(4)), 4 * kDay);
    store->objects[LogPath(ClassicCheckpointFileName(4))].bytes = "truncated";
    EXPECT_EQ(Clean(36 * kDay).deleted_files, 0u);
    EXPECT_EQ(Readable(9).size(), 10u);
}

TEST_F(LogCleanupTest, TheTableCanSwitchItOff) {
    const auto with = [](const std::string &configuration) {
        std::string metadata = kMetadata;
        return metadata.replace(metadata.find(R"("configuration":{})"), 18,
                                "\"configuration\":{" + configuration + "}");
    };
    Days(10);
    Checkpoint(LogPath(ClassicCheckpointFileName(4)), 4 * kDay);
    Commit(9, with(R"("delta.enableExpiredLogCleanup":"false")"), 9 * kDay + 1);
    EXPECT_EQ(Clean(36 * kDay).deleted_files, 0u);
    // Protected versions: all of them go at once or none.
    const std::string protocol =
        R"({"protocol":{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["checkpointProtection"]}})"
        "\n";
    Commit(9, protocol + with(R"("delta.requireCheckpointProtectionBeforeVersion":"5")"), 9 * kDay + 1);
    EXPECT_EQ(Clean(36 * kDay).deleted_files, 0u);
    Commit(9, protocol + with(R"("delta.requireCheckpointProtectionBeforeVersion":"4")"), 9 * kDay + 1);
    EXPECT_GT(Clean(36 * kDay).deleted_files, 0u);
}

TEST_F(LogCleanupTest, SidecarsGoOnceNoCheckpointNamesThem) {
    Days(10);
    const auto sidecar = [](const char *name) {
        return fmt::format(R"({{"sidecar":{{"path":"{}","sizeInBytes":1,"modificationTime":1}}}})", name);
    };
    for (const auto *name : {"old", "shared", "new", "orphan"}) {
        Checkpoint(LogPath(fmt::format("_sidecars/{}.parquet", name)), 2 * kDay);
    }
    Checkpoint(LogPath(V2CheckpointFileName(2, "u", false)), 2 * kDay,
               {sidecar("old.parquet"), sidecar("shared.parquet")});
    Checkpoint(LogPath(V2CheckpointFileName(5, "u", false)), 5 * kDay, {sidecar("shared.parquet")});
    store->Set(LogPath(V2CheckpointFileName(8, "u", true)),
               std::string(kProtocol) + "\n" + kMetadata + "\n" + sidecar("new.parquet"), 8 * kDay);
    Checkpoint(LogPath("_sidecars/young.parquet"), 36 * kDay - 5);
    EXPECT_EQ(Clean(36 * kDay).first_kept, 5);
    Names left;
    for (const auto &[path, object] : store->objects) {
        if (path.find("_sidecars") != std::string::npos) {
            left.push_back(path.substr(path.rfind('/') + 1));
        }
    }
    EXPECT_EQ(left, (Names{"new.parquet", "shared.parquet", "young.parquet"}));
}

TEST_F(LogCleanupTest, InCommitTimestampsDecideWhereTheyAreOn) {
    std::string metadata = kMetadata;
    metadata.replace(metadata.find(R"("configuration":{})"), 18,
                     R"("configuration":{"delta.enableInCommitTimestamps":"true"})");
    for (Version v = 0; v < 10; ++v) {
        Commit(v,
               fmt::format(R"({{"commitInfo":{{"inCommitTimestamp":{}}}}})", v * kDay + 1) + "\n" +
                   (v == 0 ? std::string(kProtocol) + "\n" + metadata : std::string()),
               35 * kDay);
    }
    auto schema = TableColumns(true);
    schema.push_back(AddColumn({}));
    parquet->SetRows(LogPath(ClassicCheckpointFileName(4)), schema, {kProtocol, metadata});
    EXPECT_EQ(Clean(36 * kDay).first_kept, 4);
}

}  // namespace
}  // namespace birdfoot::test
