#include "core/log/checkpoint_reader.hpp"

#include "core/log/checkpoint_schema.hpp"
#include "unit/support/fake_parquet.hpp"
#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

ColumnType Leaf(std::string name, ColumnKind kind) {
    ColumnType type;
    type.name = std::move(name);
    type.kind = kind;
    return type;
}
ColumnType Struct(std::string name, std::vector<ColumnType> children) {
    auto type = Leaf(std::move(name), ColumnKind::kStruct);
    type.children = std::move(children);
    return type;
}

class CheckpointReaderTest : public LogTest {
protected:
    std::shared_ptr<FakeParquet> parquet = std::make_shared<FakeParquet>(store);
    void SetUp() override { engine.parquet = parquet; }

    static std::vector<ColumnType> Schema(const CheckpointColumns &columns = {}, bool v2 = true) {
        auto schema = TableColumns(v2);
        schema.push_back(AddColumn(columns));
        schema.push_back(RemoveColumn());
        return schema;
    }
    std::string Checkpoint(Version version) const { return LogPath(ClassicCheckpointFileName(version)); }
    //! Splits lines as Add() and Remove() make them.
    static Names Lines(const std::string &text) {
        Names lines;
        for (size_t from = 0; from < text.size();) {
            const size_t end = std::min(text.find('\n', from), text.size());
            lines.push_back(text.substr(from, end - from));
            from = end + 1;
        }
        return lines;
    }
    void WriteCheckpoint(const std::string &path, const std::string &lines, const CheckpointColumns &columns = {}) {
        parquet->SetRows(path, Schema(columns), Lines(lines));
    }
    std::string Head() const { return std::string(kProtocol) + "\n" + kMetadata + "\n"; }
    std::map<std::string, std::string> Stats(const LogSegment &segment, FileRequest request = {}) {
        std::map<std::string, std::string> stats;
        const auto counts = ReplayFiles(
            engine, segment, request,
            [&](AddFile &&add) -> Status {
                stats[add.path] = add.stats.value_or("none");
                return {};
            },
            call);
        EXPECT_TRUE(counts.ok()) << counts.error().message();
        return stats;
    }
};

TEST_F(CheckpointReaderTest, AClassicCheckpointAndItsTail) {
    WriteCheckpoint(Checkpoint(10), Head() + Add("a%20b") + Add("b") + Add("c") + Remove("old", 50) +
                                        R"({"txn":{"appId":"app","version":4,"lastUpdated":9}})" + "\n" +
                                        R"({"domainMetadata":{"domain":"d","configuration":"x","removed":false}})");
    Commit(10, "");
    Commit(11, Remove("a b") + Add("d") + R"({"domainMetadata":{"domain":"d","configuration":"","removed":true}})");
    Commit(12, Add("b") + R"({"txn":{"appId":"app","version":5}})");
    const auto snapshot = Load();
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().message();
    EXPECT_EQ((*snapshot)->version(), 12);
    EXPECT_EQ((*snapshot)->metadata().partition_columns, (Names{"p"}));
    EXPECT_EQ(Paths(), (Names{"b", "c", "d"}));
    EXPECT_EQ(Paths(AtVersion{10}), (Names{"a%20b", "b", "c"}));
    const auto &segment = (*snapshot)->segment();
    const auto extras = ReplayExtras(engine, segment, call);
    ASSERT_TRUE(extras.ok());
    EXPECT_EQ(extras->transactions.at("app").version, 5);
    EXPECT_TRUE(extras->domains.empty());
    Names tombstones;
    ASSERT_TRUE(ReplayTombstones(
                    engine, segment, 5,
                    [&](RemoveFile &&remove) -> Status {
                        tombstones.push_back(remove.path);
                        return {};
                    },
                    call)
                    .ok());
    EXPECT_EQ(tombstones, (Names{"old", "a b"}));
}

TEST_F(CheckpointReaderTest, FieldsSurvive) {
    const std::string line =
        R"({"add":{"path":"p","partitionValues":{"p":null,"q":"1"},"size":5,"modificationTime":2,"dataChange":false,"stats":"{\"numRecords\":1}","tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8,"clusteringProvider":"liquid"}})";
    WriteCheckpoint(Checkpoint(3), Head() + line);
    const auto snapshot = Load();
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().message();
    std::vector<std::string> lines;
    ASSERT_TRUE(ReplayFiles(
                    engine, (*snapshot)->segment(), {},
                    [&](AddFile &&add) -> Status {
                        lines.push_back(ActionToJson(add));
                        return {};
                    },
                    call)
                    .ok());
    EXPECT_EQ(lines, (Names{line}));
    EXPECT_EQ(ActionToJson((*snapshot)->metadata()), kMetadata);
    EXPECT_EQ(ActionToJson((*snapshot)->protocol()), kProtocol);
}

// The corpus' golden-only-checkpoint-files; time travel before the checkpoint names the range.
TEST_F(CheckpointReaderTest, ALogThatStartsAtACheckpoint) {
    WriteCheckpoint(Checkpoint(2), Head() + Add("a"));
    Commit(3, Add("b"));
    EXPECT_EQ(Paths(), (Names{"a", "b"}));
    EXPECT_EQ(Paths(AtVersion{2}), (Names{"a"}));
    EXPECT_EQ(Load(AtVersion{0}).error().message(),
              "[DELTA_VERSION_NOT_FOUND] Cannot time travel Delta table /t to version 0. Available versions: [2, 3].");
    // A commit before the checkpoint does not help either.
    Commit(1, Add("x"));
    EXPECT_EQ(Load(AtVersion{1}).error().condition(), Condition::DELTA_VERSION_NOT_FOUND);
}

TEST_F(CheckpointReaderTest, MultiPartCheckpointsCountOnceTheyAreComplete) {
    Create(Add("a"));
    Commit(1, Add("b"));
    Commit(2, Add("c"));
    const auto part = [&](uint32_t i) { return LogPath(MultiPartCheckpointFileName(1, i, 2)); };
    WriteCheckpoint(part(1), Add("checkpointed"));
    EXPECT_EQ(Paths(), (Names{"a", "b", "c"}));
    WriteCheckpoint(part(2), Head() + Add("b"));
    EXPECT_EQ(Paths(), (Names{"b", "c", "checkpointed"}));
    for (Version v : {0, 1}) {
        store->objects.erase(LogPath(CommitFileName(v)));
    }
    EXPECT_EQ(Paths(), (Names{"b", "c", "checkpointed"}));
    store->objects.erase(part(2));
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_MISSING_PART_FILES);
}

TEST_F(CheckpointReaderTest, V2WithJsonManifestAndSidecars) {
    WriteCheckpoint(LogPath("_sidecars/s1.parquet"), Add("a") + Remove("gone"));
    WriteCheckpoint(LogPath("_sidecars/s2.parquet"), Add("b"));
    store->Set(
        LogPath(V2CheckpointFileName(4, "u", true)),
        Head() + R"({"checkpointMetadata":{"version":4}})" + "\n" +
            R"({"sidecar":{"path":"s1.parquet","sizeInBytes":1,"modificationTime":1}})" + "\n" +
            // an absolute path of wherever the table was written
            R"({"sidecar":{"path":"s3://elsewhere/t/_delta_log/_sidecars/s2.parquet","sizeInBytes":1,"modificationTime":1}})" +
            "\n" + Add("in-manifest") + R"({"txn":{"appId":"app","version":4}})");
    Commit(5, Remove("b"));
    EXPECT_EQ(Paths(), (Names{"a", "in-manifest"}));
    EXPECT_EQ(ReplayExtras(engine, (*Load())->segment(), call)->transactions.at("app").version, 4);
}

TEST_F(CheckpointReaderTest, V2WithParquetManifestAndSidecarsWhateverItsName) {
    for (const auto &name : {V2CheckpointFileName(4, "u", false), ClassicCheckpointFileName(4)}) {
        store->objects.clear();
        WriteCheckpoint(LogPath("_sidecars/s1.parquet"), Add("a"));
        WriteCheckpoint(LogPath(name), Head() + Add("b") +
                                           R"({"sidecar":{"path":"s1.parquet","sizeInBytes":1,"modificationTime":1}})");
        EXPECT_EQ(Paths(), (Names{"a", "b"})) << name;
    }
}

// B25, B27
TEST_F(CheckpointReaderTest, B25MissingColumnsAreNull) {
    WriteCheckpoint(Checkpoint(3),
                    Head() + Add("a") + R"({"remove":{"path":"b","deletionTimestamp":9,"dataChange":true}})");
    for (const Names &column : std::vector<Names>{{"add", "deletionVector"},
                                                  {"add", "baseRowId"},
                                                  {"add", "tags"},
                                                  {"add", "defaultRowCommitVersion"},
                                                  {"add", "clusteringProvider"},
                                                  {"add", "stats"},
                                                  {"txn"},
                                                  {"domainMetadata"},
                                                  {"sidecar"},
                                                  {"checkpointMetadata"},
                                                  {"protocol", "readerFeatures"},
                                                  {"protocol", "writerFeatures"},
                                                  {"metaData", "createdTime"},
                                                  {"remove", "deletionVector"}}) {
        parquet->DropColumn(Checkpoint(3), column);
        EXPECT_EQ(Paths(), (Names{"a"}));
    }
    EXPECT_TRUE(ReplayExtras(engine, (*Load())->segment(), call)->transactions.empty());
    parquet->DropColumn(Checkpoint(3), {"remove"});
    EXPECT_TRUE(ReplayTombstones(
                    engine, (*Load())->segment(), 0, [](RemoveFile &&) -> Status { return {}; }, call)
                    .ok());
}

// B15
TEST_F(CheckpointReaderTest, B15ADamagedCheckpointFallsBackToAnOlderOne) {
    Create(Add("a"));
    Commit(1, Add("b"));
    Commit(2, Add("c"));
    Commit(3, Remove("a"));
    WriteCheckpoint(Checkpoint(1), Head() + Add("a") + Add("b") + Add("only-in-1"));
    store->Set(Checkpoint(2), "PAR1 truncated");  // no such file in FakeParquet: its bytes are no Parquet
    store->objects[Checkpoint(2)].bytes = "x";
    store->Set(LogPath("_last_checkpoint"), R"({"version":2,"size":1})");
    EXPECT_EQ(Paths(), (Names{"b", "c", "only-in-1"}));
    EXPECT_EQ((*Load())->segment().checkpoint->version, 1);
    // No older one: the commits themselves.
    store->objects.erase(Checkpoint(1));
    EXPECT_EQ(Paths(), (Names{"b", "c"}));
    // Nothing else: the error names the damaged file.
    store->objects.erase(LogPath(CommitFileName(0)));
    EXPECT_EQ(Load().error().condition(), Condition::FAILED_READ_FILE);
    EXPECT_NE(Load().error().text().find(Checkpoint(2)), std::string::npos);
}

TEST_F(CheckpointReaderTest, AMissingSidecarFallsBackToo) {
    Create(Add("a"));
    Commit(1, Add("b"));
    store->Set(LogPath(V2CheckpointFileName(1, "u", true)),
               Head() + R"({"sidecar":{"path":"s1.parquet","sizeInBytes":1,"modificationTime":1}})");
    EXPECT_EQ((*Load())->segment().checkpoint->version, 1);
    EXPECT_EQ(Paths(), (Names{"a", "b"}));
}

TEST_F(CheckpointReaderTest, AVisitorsErrorIsNoFaultOfTheCheckpoint) {
    Create();
    Commit(1, Add("a"));
    WriteCheckpoint(Checkpoint(1), Head() + Add("a"));
    const auto counts = ReplayFiles(
        engine, (*Load())->segment(), {},
        [](AddFile &&) -> Status { return Fail(Condition::DELTA_INVALID_PARTITION_VALUE, "mine"); }, call);
    EXPECT_EQ(counts.error().text(), "mine");
}

TEST_F(CheckpointReaderTest, AFilterReadsTheOtherColumnsOfWhatItKeepsAlone) {
    std::string lines = Head();
    for (int i = 0; i < 100; ++i) {
        lines += Add(fmt::format("f{}", i), i % 50 == 0 ? "x" : "y", 10 + i);
    }
    WriteCheckpoint(Checkpoint(1), lines);
    Commit(2, Add("tail-x", "x") + Add("tail-y", "y") + Remove("f50"));
    int asked = 0;
    FileRequest request;
    request.keep = [&](const PartitionValues &values) {
        ++asked;
        return values[0].second == "x";
    };
    const auto snapshot = *Load();
    parquet->paths_read.clear();
    Names paths;
    const auto counts = ReplayFiles(
        engine, snapshot->segment(), request,
        [&](AddFile &&add) -> Status {
            EXPECT_EQ(add.stats, R"({"numRecords":3})");
            paths.push_back(add.path);
            return {};
        },
        call);
    ASSERT_TRUE(counts.ok());
    EXPECT_EQ(paths, (Names{"f0", "tail-x"}));
    EXPECT_EQ(counts->seen, 101u);
    EXPECT_EQ(counts->kept, 2u);
    EXPECT_EQ(counts->kept_bytes, 20u);
    EXPECT_LE(asked, 4) << "once a distinct value";
    // Many survivors are read without a list of rows.
    request.keep = [](const PartitionValues &values) { return values[0].second == "y"; };
    EXPECT_EQ(Paths(snapshot->segment(), request).size(), 99u);
    request.keep = [](const PartitionValues &) { return false; };
    EXPECT_EQ(Paths(snapshot->segment(), request).size(), 0u);
    request.keep = nullptr;
    request.keep_file = [](const AddFile &add) { return add.size < 12; };
    EXPECT_EQ(Paths(snapshot->segment(), request), (Names{"f0", "f1", "tail-x", "tail-y"}));
    request.statistics = false;
    EXPECT_EQ(Stats(snapshot->segment(), request)["f0"], "none");
}

TEST_F(CheckpointReaderTest, StatisticsComeFromTheStructWhereTheTextIsMissing) {
    auto decimal = Leaf("d", ColumnKind::kDecimal);
    auto ntz = Leaf("n", ColumnKind::kTimestamp);
    ntz.ntz = true;
    auto binary = Leaf("b", ColumnKind::kString);
    binary.binary = true;
    const std::vector<ColumnType> leaves = {Leaf("i", ColumnKind::kInt64),
                                            Leaf("s\"", ColumnKind::kString),
                                            decimal,
                                            ntz,
                                            binary,
                                            Leaf("t", ColumnKind::kTimestamp),
                                            Leaf("day", ColumnKind::kDate),
                                            Leaf("f", ColumnKind::kDouble),
                                            Struct("o", {Leaf("x", ColumnKind::kInt64)})};
    CheckpointColumns columns;
    columns.statistics = Struct(
        "stats_parsed", {Leaf("numRecords", ColumnKind::kInt64), Struct("minValues", leaves),
                         Struct("nullCount", {Leaf("i", ColumnKind::kInt64)}), Leaf("tightBounds", ColumnKind::kBool)});
    const std::string parsed =
        R"("stats_parsed":{"numRecords":3,"minValues":{"i":-4,"s\"":"a\nb","d":12345678901234567890123456789.5,"n":1704067200123456,"t":1704067200123456,"day":-1,"f":1.5,"o":{"x":7},"b":"\u0001"},"nullCount":{"i":0},"tightBounds":true})";
    const std::string both = R"({"add":{"path":"both","partitionValues":{},"stats":"text",)" + parsed + "}}";
    const std::string only = R"({"add":{"path":"only","partitionValues":{},)" + parsed + "}}";
    const std::string none = R"({"add":{"path":"none","partitionValues":{}}})";
    WriteCheckpoint(Checkpoint(1), Head() + both + "\n" + only + "\n" + none, columns);
    const std::string want =
        R"({"numRecords":3,"minValues":{"i":-4,"s\"":"a\nb","d":12345678901234567890123456789.5,"n":"2024-01-01T00:00:00.123","t":"2024-01-01T00:00:00.123Z","day":"1969-12-31","f":1.5,"o":{"x":7}},"nullCount":{"i":0},"tightBounds":true})";
    auto stats = Stats((*Load())->segment());
    EXPECT_EQ(stats["both"], "text");
    EXPECT_EQ(stats["only"], want);
    EXPECT_EQ(stats["none"], "none");
    parquet->DropColumn(Checkpoint(1), {"add", "stats"});
    stats = Stats((*Load())->segment());
    EXPECT_EQ(stats["both"], want);
    EXPECT_EQ(stats["only"], want);
    EXPECT_EQ(stats["none"], "none");
    FileRequest request;
    request.keep = [](const PartitionValues &) { return true; };
    EXPECT_EQ(Stats((*Load())->segment(), request)["only"], want);
}

TEST_F(CheckpointReaderTest, CompactionsShortenTheTailAndAreNoLossWhereDamaged) {
    Create(Add("a"));
    Commit(1, Add("b"));
    Commit(2, Remove("a") + Add("c"));
    Commit(3, Add("d"));
    Commit(4, Add("e"));
    const auto compacted = LogPath("00000000000000000001.00000000000000000003.compacted.json");
    store->Set(compacted, Add("b") + Remove("a") + Add("c") + Add("d") + Add("from-compaction"));
    store->gets = 0;
    EXPECT_EQ(Paths(), (Names{"b", "c", "d", "e", "from-compaction"}));
    EXPECT_EQ(store->gets, 4) << "_last_checkpoint, commit 0, the compaction, commit 4";
    EXPECT_EQ(Paths(AtVersion{3}), (Names{"b", "c", "d"})) << "its last commit is read itself";
    store->Set(compacted, "{\"add\":");
    EXPECT_EQ(Paths(), (Names{"b", "c", "d", "e"}));
}

TEST_F(CheckpointReaderTest, ASnapshotIsUpdatedByWhatIsNewAlone) {
    Create(Add("a"));
    Commit(1, Add("b"));
    auto snapshot = *Load();
    EXPECT_EQ(*UpdateSnapshot(engine, snapshot, call), snapshot);
    Commit(2, Remove("a"));
    store->gets = 0;
    auto second = *UpdateSnapshot(engine, snapshot, call);
    EXPECT_EQ(second->version(), 2);
    EXPECT_EQ(store->gets, 1);
    EXPECT_EQ(Paths(second->segment()), (Names{"b"}));
    // What came since is found whatever checkpoint came with it.
    Commit(
        3,
        std::string(
            R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{"k":"v"}}})"));
    WriteCheckpoint(
        Checkpoint(3),
        Head() +
            R"({"metaData":{"id":"i","schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{"k":"v"}}})" +
            "\n" + Add("b"));
    Commit(4, Add("d"));
    auto third = *UpdateSnapshot(engine, second, call);
    EXPECT_EQ(third->version(), 4);
    EXPECT_FALSE(third->segment().checkpoint)
        << "an update asks for commits alone; the next listing finds the checkpoint";
    EXPECT_EQ(third->Property("k"), "v");
    EXPECT_EQ(Paths(third->segment()), (Names{"b", "d"}));
    // Made again under the same path: loaded anew.
    store->objects.clear();
    store->now_ms = 2000;
    Create(Add("fresh"));
    EXPECT_EQ(Paths((*UpdateSnapshot(engine, third, call))->segment()), (Names{"fresh"}));
    // A stale listing takes nothing back.
    Commit(1, Add("two"));
    auto latest = *UpdateSnapshot(engine, *Load(), call);
    store->hidden.insert(LogPath(CommitFileName(1)));
    EXPECT_EQ(*UpdateSnapshot(engine, latest, call), latest);
}

TEST_F(CheckpointReaderTest, WithoutAParquetReaderTheCheckpointIsRefused) {
    WriteCheckpoint(Checkpoint(1), Head() + Add("a"));
    engine.parquet = nullptr;
    EXPECT_EQ(Load().error().condition(), Condition::BIRDFOOT_UNSUPPORTED);
}

// The corpus' golden-deltalog-state-reconstruction-from-checkpoint-missing-protocol
TEST_F(CheckpointReaderTest, ACheckpointWithoutProtocolOrMetadataIsNoState) {
    WriteCheckpoint(Checkpoint(1), std::string(kMetadata) + "\n" + Add("a"));
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_STATE_RECOVER_ERROR);
    EXPECT_NE(Load().error().text().find("protocol"), std::string::npos);
}

}  // namespace
}  // namespace birdfoot::test
