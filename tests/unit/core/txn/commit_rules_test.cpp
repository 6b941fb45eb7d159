// The rules of a commit, seen in what is written and in what is refused.
#include <gtest/gtest.h>

#include "core/txn/commit_rules.hpp"
#include "unit/core/txn/small_table.hpp"

namespace birdfoot {
namespace {

Protocol Features(std::vector<std::string> writer, std::vector<std::string> reader = {}) {
    Protocol protocol;
    protocol.min_reader_version = reader.empty() ? 1 : 3;
    protocol.min_writer_version = 7;
    if (!reader.empty()) {
        protocol.reader_features = std::move(reader);
    }
    protocol.writer_features = std::move(writer);
    return protocol;
}

TEST(CommitBodyTest, IsWhatTheSpecificationSays) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin();
    auto &changes = transaction.changes();
    changes.operation.parameters = {{"mode", "Append"}, {"partitionBy", "[]"}};
    changes.operation.metrics = {{"numFiles", "1"}, {"numOutputRows", "10"}, {"numOutputBytes", "100"}};
    changes.user_metadata = "by \"me\"";
    changes.adds = {table.File("f1")};
    SmallTable::ExpectCommitted(table.Commit(transaction), 1);
    const auto log = table.Log(1);
    const auto id = log.substr(log.find("txnId") + 8, 36);
    EXPECT_EQ(
        log,
        R"({"commitInfo":{"timestamp":1700000000000,"operation":"WRITE","operationParameters":{"mode":"Append",)"
        R"("partitionBy":"[]"},"readVersion":0,"isolationLevel":"Serializable","isBlindAppend":true,)"
        R"("operationMetrics":{"numFiles":"1","numOutputBytes":"100","numOutputRows":"10"},)"
        R"("userMetadata":"by \"me\"","engineInfo":"Birdfoot/test","txnId":")" +
            id + "\"}}\n" +
            R"({"add":{"path":"f1","partitionValues":{"p":"a"},"size":100,"modificationTime":1,"dataChange":true,)"
            R"("stats":"{\"numRecords\":10,\"minValues\":{\"id\":0},\"maxValues\":{\"id\":9},\"nullCount\":{\"id\":0}}"}})"
            "\n");
}

TEST(CommitBodyTest, ANewTableHasNoReadVersion) {
    SmallTable table;
    table.Create();
    EXPECT_EQ(table.Log(0).find("readVersion"), std::string::npos);
    EXPECT_NE(table.Log(0).find(R"("isBlindAppend":true)"), std::string::npos);
    EXPECT_NE(table.Log(0).find(R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})"), std::string::npos)
        << table.Log(0);
    EXPECT_EQ(table.Log(0).rfind("{\"commitInfo\"", 0), 0u);
}

TEST(CommitBodyTest, MetricsCanBeLeftOut) {
    SmallTable table;
    table.options.history_metrics = false;
    table.Create();
    EXPECT_EQ(table.Log(0).find("operationMetrics"), std::string::npos);
}

TEST(CommitRulesTest, NothingToDoIsNoVersion) {
    SmallTable table;
    table.Create();
    auto nothing = table.Begin();
    EXPECT_EQ(Name(table.Commit(nothing)), "skipped");
    EXPECT_EQ(table.Load()->version(), 0);
    table.options.commit_empty = true;
    auto vacuum = table.Begin("VACUUM START");
    SmallTable::ExpectCommitted(table.Commit(vacuum), 1);
}

TEST(CommitRulesTest, AppendOnlyRefusesWhatChangesRows) {
    SmallTable table;
    table.Create({{"delta.appendOnly", "true"}});
    table.Append({table.File("f1")});
    auto rows = table.Begin("DELETE");
    rows.changes().reads->AddRead();
    rows.changes().removes = {MakeRemove(table.File("f1"), 1, true)};
    const auto refused = table.Commit(rows);
    EXPECT_EQ(Name(refused), "DELTA_CANNOT_MODIFY_APPEND_ONLY");
    EXPECT_NE(refused.error().message().find("delta.appendOnly"), std::string::npos);
    auto order = table.Begin("OPTIMIZE");
    order.changes().data_change = false;
    order.changes().removes = {MakeRemove(table.File("f1"), 1, false)};
    auto added = table.File("f2");
    added.data_change = false;
    order.changes().adds = {added};
    EXPECT_EQ(Name(table.Commit(order)), "ok") << "re-arranging is allowed";
}

TEST(CommitRulesTest, OneActionAPath) {
    SmallTable table;
    table.Create();
    const auto add = table.File("a%20b");
    auto again = add;
    again.path = "a b";  // another spelling of the same file
    const auto outcome = [&](std::vector<AddFile> adds, std::vector<RemoveFile> removes) {
        auto transaction = table.Begin();
        transaction.changes().adds = std::move(adds);
        transaction.changes().removes = std::move(removes);
        return Name(table.Commit(transaction));
    };
    EXPECT_EQ(outcome({add, again}, {}), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(outcome({}, {MakeRemove(add, 1, true), MakeRemove(again, 1, true)}), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(outcome({add}, {MakeRemove(again, 1, true)}), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(table.Load()->version(), 0);
}

TEST(CommitRulesTest, ConstraintsMustBeAcknowledged) {
    const auto schema = ParseSchema(
        R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}},)"
        R"({"name":"s","type":{"type":"struct","fields":[{"name":"x","type":"long","nullable":false,"metadata":{}}]},)"
        R"("nullable":true,"metadata":{"delta.invariants":"{}"}},)"
        R"({"name":"l","type":{"type":"array","elementType":{"type":"struct","fields":[{"name":"y","type":"long",)"
        R"("nullable":false,"metadata":{}}]},"containsNull":true},"nullable":true,)"
        R"("metadata":{"delta.generationExpression":"x"}}]})");
    ASSERT_TRUE(schema.ok()) << schema.error().message();
    Metadata metadata;
    metadata.configuration = {{"delta.constraints.positive", "id > 0"}, {"delta.appendOnly", "false"}};
    EXPECT_EQ(TableConstraints(metadata, *schema),
              (std::vector<std::string>{"NOT NULL id", "INVARIANT s", "NOT NULL s.x", "GENERATED l",
                                        "NOT NULL l.element.y", "positive"}));

    SmallTable table;
    Transaction create(table.root, nullptr);
    create.changes().metadata = table.MetadataOf();
    auto &schema_string = create.changes().metadata->schema_string;
    schema_string.replace(schema_string.find("true"), 4, "false");
    ASSERT_EQ(Name(table.Commit(create)), "ok");
    auto careless = table.Begin();
    careless.changes().adds = {table.File("f1")};
    const auto refused = table.Commit(careless);
    EXPECT_EQ(Name(refused), "BIRDFOOT_UNSUPPORTED");
    EXPECT_NE(refused.error().message().find("'NOT NULL id'"), std::string::npos);
    auto careful = table.Begin();
    careful.changes().adds = {table.File("f1")};
    careful.changes().acknowledged_constraints = {"NOT NULL id"};
    EXPECT_EQ(Name(table.Commit(careful)), "ok");
}

TEST(CommitRulesTest, FilesMustFitTheTable) {
    SmallTable table;
    table.Create();
    const auto outcome = [&](AddFile add) {
        auto transaction = table.Begin();
        transaction.changes().adds = {std::move(add)};
        return Name(table.Commit(transaction));
    };
    auto add = table.File("f");
    add.partition_values = {};
    EXPECT_EQ(outcome(add), "DELTA_ADD_FILE_PARTITIONING_MISMATCH");
    add.partition_values = {{"q", "a"}};
    EXPECT_EQ(outcome(add), "DELTA_ADD_FILE_PARTITIONING_MISMATCH");
    add = table.File("f");
    add.stats = "{";
    EXPECT_EQ(outcome(add), "BIRDFOOT_INTERNAL");
    add.stats = R"({"numRecords":-1})";
    EXPECT_EQ(outcome(add), "BIRDFOOT_INTERNAL");
    add = table.File("f");
    add.deletion_vector = DeletionVectorDescriptor{"i", "x", std::nullopt, 1, 1};
    EXPECT_EQ(outcome(add), "BIRDFOOT_INTERNAL") << "the table does not have the feature";
    add = table.File("f");
    add.stats.reset();
    EXPECT_EQ(outcome(add), "ok") << "statistics may be missing";
}

TEST(CommitRulesTest, VectorsNeedTheFeatureAndTheNumberOfRows) {
    SmallTable table;
    table.Create({{"delta.enableDeletionVectors", "true"}});
    EXPECT_NE(table.Log(0).find(R"("readerFeatures":["deletionVectors"])"), std::string::npos) << table.Log(0);
    const auto outcome = [&](int64_t cardinality, bool stats) {
        auto transaction = table.Begin("DELETE");
        auto add = table.File("f");
        add.deletion_vector = DeletionVectorDescriptor{"i", "x", std::nullopt, 1, cardinality};
        if (!stats) {
            add.stats.reset();
        }
        transaction.changes().adds = {add};
        return Name(table.Commit(transaction));
    };
    EXPECT_EQ(outcome(11, true), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(outcome(0, true), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(outcome(1, false), "BIRDFOOT_INTERNAL");
    EXPECT_EQ(outcome(10, true), "ok");
}

TEST(CommitRulesTest, ANewMetadataRaisesTheProtocol) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin("SET TBLPROPERTIES");
    transaction.changes().metadata = table.MetadataOf({{"delta.enableChangeDataFeed", "true"}});
    ASSERT_EQ(Name(table.Commit(transaction)), "ok");
    const auto protocol = table.Load()->protocol();
    EXPECT_EQ(protocol.min_writer_version,
              7);  // not 4, which would also ask for CHECK constraints and generated columns
    EXPECT_EQ(protocol.writer_features, (std::vector<std::string>{"appendOnly", "changeDataFeed", "invariants"}));
    auto more = table.Begin("SET TBLPROPERTIES");
    more.changes().metadata = table.MetadataOf({{"delta.enableChangeDataFeed", "true"}, {"k", "v"}});
    ASSERT_EQ(Name(table.Commit(more)), "ok");
    EXPECT_EQ(table.Log(2).find("protocol"), std::string::npos) << "nothing more is needed";
}

TEST(CommitRulesTest, DomainsNeedTheFeature) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin("CLUSTER BY");
    transaction.changes().domains = {{"x", "{}", false}};
    EXPECT_EQ(Name(table.Commit(transaction)), "BIRDFOOT_INTERNAL");
}

// ---- in-commit timestamps ----

const std::map<std::string, std::string> kInCommit = {{"delta.enableInCommitTimestamps", "true"}};

TEST(InCommitTimestampTest, IsFirstAndGrows) {
    SmallTable table;
    table.Create(kInCommit);
    EXPECT_EQ(table.Log(0).rfind(R"({"commitInfo":{"inCommitTimestamp":1700000000000,"timestamp":1700000000000)", 0),
              0u)
        << table.Log(0);
    EXPECT_EQ(table.Log(0).find("EnablementVersion"), std::string::npos) << "always on needs no mark";
    table.clock -= 5000;  // a clock that goes backwards
    table.Append({table.File("f1")});
    EXPECT_NE(table.Log(1).find(R"("inCommitTimestamp":1700000000001)"), std::string::npos) << table.Log(1);
    table.clock += 10'000;
    table.Append({table.File("f2")});
    EXPECT_NE(table.Log(2).find(R"("inCommitTimestamp":1700000005000)"), std::string::npos) << table.Log(2);
}

TEST(InCommitTimestampTest, SwitchingOnNotesSinceWhen) {
    auto store = std::make_shared<storage::MemoryStore>([] { return int64_t{1'800'000'000'000}; });
    SmallTable table(store);
    table.Create();
    table.Append({table.File("f1")});
    auto transaction = table.Begin("SET TBLPROPERTIES");
    transaction.changes().metadata = table.MetadataOf(kInCommit);
    SmallTable::ExpectCommitted(table.Commit(transaction), 2);
    const auto configuration = table.Load()->metadata().configuration;
    EXPECT_EQ(configuration.at("delta.inCommitTimestampEnablementVersion"), "2");
    EXPECT_EQ(configuration.at("delta.inCommitTimestampEnablementTimestamp"), "1800000000001")
        << "greater than the file time of the commit before";
    EXPECT_NE(table.Log(2).find(R"("inCommitTimestamp":1800000000001)"), std::string::npos);
    auto replace = table.Begin("CREATE OR REPLACE TABLE");
    replace.changes().metadata = table.MetadataOf(kInCommit);
    SmallTable::ExpectCommitted(table.Commit(replace), 3);
    EXPECT_EQ(table.Load()->metadata().configuration.at("delta.inCommitTimestampEnablementVersion"), "2")
        << "replacing the table does not lose the mark";
}

TEST(InCommitTimestampTest, IsLargerThanTheWinners) {
    SmallTable table;
    table.Create(kInCommit);
    auto slow = table.Begin();
    slow.changes().adds = {table.File("slow")};
    table.clock += 1000;
    table.Append({table.File("fast")});
    table.clock -= 1000;
    SmallTable::ExpectCommitted(table.Commit(slow), 2);
    EXPECT_NE(table.Log(2).find(R"("inCommitTimestamp":1700000001001)"), std::string::npos) << table.Log(2);
}

TEST(InCommitTimestampTest, SwitchedOnByAWinner) {
    SmallTable table;
    table.Create({}, Features({"inCommitTimestamp"}));
    auto slow = table.Begin();
    slow.changes().adds = {table.File("slow")};
    auto on = table.Begin("SET TBLPROPERTIES");
    on.changes().metadata = table.MetadataOf(kInCommit);
    table.clock += 7;
    SmallTable::ExpectCommitted(table.Commit(on), 1);
    SmallTable::ExpectCommitted(table.Commit(slow), 2);
    EXPECT_EQ(table.Log(2).rfind(R"({"commitInfo":{"inCommitTimestamp":)", 0), 0u) << table.Log(2);
    EXPECT_GT(table.Load()->in_commit_timestamp(), table.clock.load());
}

// ---- row tracking ----

const Protocol kTracked = Features({"domainMetadata", "rowTracking"});

TEST(RowTrackingTest, NewFilesGetIdsAndVersions) {
    SmallTable table;
    table.Create({}, kTracked);
    table.Append({table.File("f1", "a", 6), table.File("f2", "a", 4)});
    auto files = table.Files();
    EXPECT_EQ(files["f1"].base_row_id, 0);
    EXPECT_EQ(files["f2"].base_row_id, 6);
    EXPECT_EQ(files["f2"].default_row_commit_version, 1);
    EXPECT_NE(table.Log(1).find(
                  R"({"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\"rowIdHighWaterMark\":9}")"),
              std::string::npos)
        << table.Log(1);
    table.Append({table.File("f3", "a", 1)});
    files = table.Files();
    EXPECT_EQ(files["f3"].base_row_id, 10);
    EXPECT_EQ(files["f3"].default_row_commit_version, 2);
}

TEST(RowTrackingTest, B110_IdsAreGivenAnewAfterARebase) {
    SmallTable table;
    table.Create({}, kTracked);
    table.Append({table.File("f0", "a", 6)});
    auto a = table.Begin();
    a.changes().adds = {table.File("fa", "a", 1)};
    table.Append({table.File("fb", "a", 5)});
    SmallTable::ExpectCommitted(table.Commit(a), 3);
    const auto files = table.Files();
    EXPECT_EQ(files.at("fb").base_row_id, 6);
    EXPECT_EQ(files.at("fa").base_row_id, 11);
    EXPECT_EQ(files.at("fa").default_row_commit_version, 3);
    EXPECT_NE(table.Log(3).find(R"(\"rowIdHighWaterMark\":11)"), std::string::npos) << table.Log(3);
}

TEST(RowTrackingTest, AFileAddedAgainKeepsItsIds) {
    SmallTable table;
    table.Create({{"delta.enableDeletionVectors", "true"}},
                 Features({"deletionVectors", "domainMetadata", "rowTracking"}, {"deletionVectors"}));
    table.Append({table.File("f0", "a", 6)});
    table.Append({table.File("f1", "a", 6)});
    const auto before = table.Files().at("f1");
    auto erase = table.Begin("DELETE");
    erase.changes().reads->AddRead();
    erase.changes().removes = {MakeRemove(before, 1, true)};
    auto after = before;
    after.base_row_id.reset();  // even if the writer forgot
    after.default_row_commit_version.reset();
    after.deletion_vector = DeletionVectorDescriptor{"i", "x", std::nullopt, 1, 1};
    erase.changes().adds = {after};
    SmallTable::ExpectCommitted(table.Commit(erase), 3);
    EXPECT_EQ(table.Files().at("f1").base_row_id, 6);
    EXPECT_EQ(table.Files().at("f1").default_row_commit_version, 2);
    EXPECT_EQ(table.Log(3).find("rowIdHighWaterMark"), std::string::npos) << "no new id was given";
}

TEST(RowTrackingTest, ABackfillThatWonGivesItsIdsToOurFiles) {
    SmallTable table;
    table.Create();
    table.Append({table.File("f1", "a", 6)});
    auto support = table.Begin("UPGRADE PROTOCOL");
    support.changes().protocol = Features({"appendOnly", "domainMetadata", "invariants", "rowTracking"});
    SmallTable::ExpectCommitted(table.Commit(support), 2);
    auto erase = table.Begin("DELETE");
    erase.changes().reads->AddRead();
    erase.changes().removes = {MakeRemove(table.File("f1", "a", 6), 1, true)};
    auto rest = table.File("f2", "a", 5);
    erase.changes().adds = {rest};
    auto backfill = table.Begin("ROW TRACKING BACKFILL");
    auto again = table.File("f1", "a", 6);
    again.data_change = false;
    backfill.changes().data_change = false;
    backfill.changes().adds = {again};
    SmallTable::ExpectCommitted(table.Commit(backfill), 3);
    SmallTable::ExpectCommitted(table.Commit(erase), 4);
    EXPECT_EQ(table.FileNames(), "f2 ");
    EXPECT_EQ(table.Files().at("f2").base_row_id, 6);
    EXPECT_NE(table.Log(4).find(R"("baseRowId":0,"defaultRowCommitVersion":3)"), std::string::npos) << table.Log(4);
}

TEST(RowTrackingTest, SupportAddedByAWinnerGivesIdsToo) {
    SmallTable table;
    table.Create();
    auto slow = table.Begin();
    slow.changes().adds = {table.File("slow", "a", 3)};
    auto support = table.Begin("UPGRADE PROTOCOL");
    support.changes().protocol = Features({"appendOnly", "domainMetadata", "invariants", "rowTracking"});
    SmallTable::ExpectCommitted(table.Commit(support), 1);
    SmallTable::ExpectCommitted(table.Commit(slow), 2);
    EXPECT_EQ(table.Files().at("slow").base_row_id, 0);
    EXPECT_EQ(table.Files().at("slow").default_row_commit_version, 2);
}

TEST(RowTrackingTest, WithoutStatisticsThereAreNoIds) {
    SmallTable table;
    table.Create({}, kTracked);
    auto add = table.File("f1");
    add.stats.reset();
    auto transaction = table.Begin();
    transaction.changes().adds = {add};
    EXPECT_EQ(Name(table.Commit(transaction)), "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS");
}

TEST(RowTrackingTest, SuspendedGivesNone) {
    SmallTable table;
    table.Create({{"delta.rowTrackingSuspended", "true"}}, kTracked);
    table.Append({table.File("f1")});
    EXPECT_FALSE(table.Files().at("f1").base_row_id.has_value());
}

}  // namespace
}  // namespace birdfoot
