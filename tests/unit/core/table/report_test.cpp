// Reports over logs written by hand: what Spark and delta-rs put into commitInfo, clustering, partitions.
#include "core/table/report.hpp"

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

// A value as text: NULL, 5, 'x', [a,b], {k=v}, (…).
std::string TextOf(const ReportValue &report) {
    if (const auto *scalar = std::get_if<Scalar>(&report.value)) {
        return scalar->ToString();
    }
    std::string text;
    const auto add = [&](const std::string &item) { text += (text.empty() ? "" : ",") + item; };
    if (const auto *list = std::get_if<std::vector<std::string>>(&report.value)) {
        for (const auto &item : *list) {
            add(item);
        }
        return "[" + text + "]";
    }
    if (const auto *map = std::get_if<ReportValue::Map>(&report.value)) {
        for (const auto &[key, value] : *map) {
            add(key + "=" + value.value_or("NULL"));
        }
        return "{" + text + "}";
    }
    if (const auto *fields = std::get_if<std::vector<ReportValue>>(&report.value)) {
        for (const auto &field : *fields) {
            add(TextOf(field));
        }
        return "(" + text + ")";
    }
    return "NULL";
}

class ReportTest : public LogTest {
protected:
    std::vector<std::string> rows_;
    RowVisitor visit_ = [this](ReportRow &&row) -> Status {
        std::string text;
        for (const auto &value : row) {
            text += (text.empty() ? "" : "|") + TextOf(value);
        }
        rows_.push_back(text);
        return {};
    };
    const Snapshot &Latest() {
        snapshot_ = *Load();
        return *snapshot_;
    }

private:
    SnapshotPtr snapshot_;
};

TEST_F(ReportTest, HistoryOfSeveralWriters) {
    Commit(
        0,
        std::string(kProtocol) + "\n" + kMetadata + "\n" +
            R"({"commitInfo":{"timestamp":1700000000000,"operation":"WRITE","operationParameters":{"mode":"Append","partitionBy":"[]"},"readVersion":5,"isolationLevel":"Serializable","isBlindAppend":true,"operationMetrics":{"numFiles":"1"},"engineInfo":"Apache-Spark/4.0","userMetadata":"why","job":{"jobId":"7","jobName":"nightly"},"notebook":{"notebookId":"9"}}})",
        1000);
    Commit(
        1,
        R"({"commitInfo":{"timestamp":1,"operation":"MERGE","operationParameters":{"predicate":null,"flags":{"a":1}},"operationMetrics":{"num_target_rows_inserted":3}}})",
        2000);
    Commit(2, Add("a"), 3000);
    ASSERT_TRUE(ReportHistory(engine, Latest(), std::nullopt, visit_, call).ok());
    ASSERT_EQ(rows_.size(), 3u);
    EXPECT_EQ(rows_[0].substr(0, 2), "2|");
    EXPECT_NE(rows_[0].find("|NULL|NULL|NULL|NULL|NULL"), std::string::npos);
    EXPECT_NE(rows_[1].find("|'MERGE'|{predicate=NULL,flags={\"a\":1}}|NULL|NULL|"), std::string::npos) << rows_[1];
    EXPECT_NE(rows_[1].find("{num_target_rows_inserted=3}"), std::string::npos) << rows_[1];
    EXPECT_NE(rows_[2].find("|'WRITE'|{mode=Append,partitionBy=[]}|('7','nightly',NULL,NULL,NULL,NULL)|('9')|NULL|5|"
                            "'Serializable'|true|{numFiles=1}|'why'|'Apache-Spark/4.0'"),
              std::string::npos)
        << rows_[2];
    rows_.clear();
    ASSERT_TRUE(ReportHistory(engine, Latest(), 1, visit_, call).ok());
    EXPECT_EQ(rows_.size(), 1u);
    EXPECT_EQ(HistoryColumns().fields.size(), 15u);
}

TEST_F(ReportTest, Detail) {
    Create(Add("a", "x", 10) + Add("b", "y", 20));
    const auto &latest = Latest();
    const auto row = ReportDetail(engine, root, *Load(), "lake.s.t", call);
    ASSERT_TRUE(row.ok()) << row.error().message();
    ASSERT_EQ(row->size(), DetailColumns().fields.size());
    EXPECT_EQ(TextOf((*row)[0]), "'delta'");
    EXPECT_EQ(TextOf((*row)[2]), "'lake.s.t'");
    EXPECT_EQ(TextOf((*row)[4]), "'/t'");
    EXPECT_EQ(TextOf((*row)[7]), "[p]");
    EXPECT_EQ(TextOf((*row)[9]), "2");
    EXPECT_EQ(TextOf((*row)[10]), "30");
    EXPECT_EQ(TextOf((*row)[12]), "1");
    EXPECT_EQ(TextOf((*row)[14]), "[appendOnly,invariants]");
    EXPECT_EQ(latest.version(), 0);
    const auto none = ReportDetail(engine, "/folder", nullptr, std::nullopt, call);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(TextOf((*none)[0]), "NULL");
    EXPECT_EQ(TextOf((*none)[4]), "'/folder'");
}

TEST_F(ReportTest, ClusteringColumnsHaveLogicalNames) {
    Commit(
        0,
        R"({"protocol":{"minReaderVersion":2,"minWriterVersion":7,"writerFeatures":["columnMapping","clustering","domainMetadata"]}})"
        "\n"
        R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"delta.columnMapping.id\":1,\"delta.columnMapping.physicalName\":\"col-1\"}}]}","partitionColumns":[],"configuration":{"delta.columnMapping.mode":"name","delta.columnMapping.maxColumnId":"1"}}})"
        "\n"
        R"({"domainMetadata":{"domain":"delta.clustering","configuration":"{\"clusteringColumns\":[[\"col-1\"],[\"gone\",\"z\"]]}","removed":false}})");
    const auto row = ReportDetail(engine, root, *Load(), std::nullopt, call);
    ASSERT_TRUE(row.ok()) << row.error().message();
    EXPECT_EQ(TextOf((*row)[8]), "[x,gone.z]");
}

TEST_F(ReportTest, Files) {
    Create(
        R"({"add":{"path":"a%20b","partitionValues":{"p":null},"size":4,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":3}","tags":{"k":"v"},"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":2,"cardinality":1},"baseRowId":7,"defaultRowCommitVersion":0}})");
    ASSERT_TRUE(ReportFiles(engine, Latest(), true, visit_, call).ok());
    EXPECT_EQ(
        rows_,
        (Names{
            "'a%20b'|{p=NULL}|4|1970-01-01T00:00:00.001000Z|3|'{\"numRecords\":3}'|{k=v}|('u','x',1,2,1)|7|0|NULL"}));
}

TEST_F(ReportTest, LogHasEveryActionInItsOrder) {
    Create(Add("a"));
    Commit(1, "{\n  \"remove\": {\"path\": \"a\"}\n}\n" + Add("b"));
    store->Set(LogPath("00000000000000000001.crc"), "{}");
    ASSERT_TRUE(ReportLog(engine, root, visit_, call).ok());
    ASSERT_EQ(rows_.size(), 5u);
    EXPECT_EQ(rows_[0].substr(0, 13), "0|'protocol'|");
    EXPECT_EQ(rows_[3], "1|'remove'|'{\"path\":\"a\"}'");
    EXPECT_EQ(rows_[4].substr(0, 8), "1|'add'|");
}

TEST_F(ReportTest, Properties) {
    Commit(
        0,
        R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","appendOnly"]}})"
        "\n"
        R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{"owner":"me"}}})");
    ASSERT_TRUE(ReportProperties(Latest(), visit_).ok());
    EXPECT_EQ(rows_, (Names{"'delta.feature.appendOnly'|'supported'", "'delta.feature.deletionVectors'|'supported'",
                            "'delta.minReaderVersion'|'3'", "'delta.minWriterVersion'|'7'", "'owner'|'me'"}));
    rows_.clear();
    ASSERT_TRUE(ReportFeatures(&Latest(), visit_).ok());
    EXPECT_EQ(rows_.size(), 2u);
    rows_.clear();
    ASSERT_TRUE(ReportFeatures(nullptr, visit_).ok());
    EXPECT_GT(rows_.size(), 20u);
    EXPECT_EQ(ReportPartitions(engine, Latest(), visit_, call).error().condition(),
              Condition::DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE);
}

TEST_F(ReportTest, PartitionsAreDistinctAndSorted) {
    Create(Add("a", "z") + Add("b", "a") + Add("c", "z") + Add("d", ""));
    Commit(1, Remove("b"));
    ASSERT_TRUE(ReportPartitions(engine, Latest(), visit_, call).ok());
    EXPECT_EQ(rows_, (Names{"NULL", "'z'"}));
}

}  // namespace
}  // namespace birdfoot::test
