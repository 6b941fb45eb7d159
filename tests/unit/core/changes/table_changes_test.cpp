#include "core/changes/table_changes.hpp"

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class TableChangesTest : public LogTest {
protected:
    static std::string MetadataWith(const std::string &configuration, const std::string &fields = "") {
        std::string metadata = kMetadata;
        metadata.replace(metadata.find(R"("configuration":{})"), 18, "\"configuration\":{" + configuration + "}");
        if (!fields.empty()) {
            const auto from = metadata.find(R"(\"fields\":[)") + 12;
            metadata.replace(from, metadata.find("]}\"", from) - from, fields);
        }
        return metadata;
    }
    static std::string Feed() { return MetadataWith(R"("delta.enableChangeDataFeed":"true")"); }
    static std::string Field(const char *name, const char *type) {
        return fmt::format(R"({{\"name\":\"{}\",\"type\":\"{}\",\"nullable\":true,\"metadata\":{{}}}})", name, type);
    }
    void CreateWithFeed(const std::string &more = "") {
        Commit(0, std::string(kProtocol) + "\n" + Feed() + "\n" + more);
    }
    static std::string Cdc(const std::string &path) {
        return fmt::format(R"({{"cdc":{{"path":"{}","partitionValues":{{"p":"a"}},"size":1,"dataChange":false}}}})",
                           path) +
               "\n";
    }
    Result<TableChanges> Plan(Version start, std::optional<Version> end = {}, bool lenient = false) {
        return PlanTableChanges(engine, root, {start, end, lenient}, call);
    }
    Names Lines(Version start, std::optional<Version> end = {}) {
        const auto changes = Plan(start, end);
        EXPECT_TRUE(changes.ok()) << changes.error().message();
        Names lines;
        if (changes.ok()) {
            for (const auto &change : changes->files) {
                std::string rows;
                if (change.rows) {
                    rows = fmt::format(" {}{{{}}}", change.only_rows ? "only" : "without",
                                       fmt::join(change.rows->ToVector(), ","));
                }
                lines.push_back(
                    fmt::format("{} {} {}{}", change.version, ChangeTypeText(change.kind), change.file.path, rows));
            }
        }
        return lines;
    }
    Condition ErrorOf(Version start, std::optional<Version> end = {}) {
        const auto changes = Plan(start, end);
        return changes.ok() ? Condition::BIRDFOOT_INTERNAL : changes.error().condition();
    }
    static std::string Vector(std::initializer_list<uint64_t> rows) {
        RowSet set;
        for (const auto row : rows) {
            set.Add(row);
        }
        AddFile add;
        add.path = "f";
        add.partition_values = {{"p", "a"}};
        add.data_change = true;
        add.deletion_vector = InlineDeletionVector(set);
        return ActionToJson(add) + "\n";
    }
    static std::string RemovedVector(std::initializer_list<uint64_t> rows) {
        RowSet set;
        for (const auto row : rows) {
            set.Add(row);
        }
        AddFile add;
        add.path = "f";
        add.partition_values = {{"p", "a"}};
        add.deletion_vector = InlineDeletionVector(set);
        return ActionToJson(MakeRemove(add, 1, true)) + "\n";
    }
};

TEST_F(TableChangesTest, ChangeFilesAreReadExclusively) {
    CreateWithFeed(Add("a"));
    Commit(1, Add("b") + Remove("a") + Cdc("_change_data/c%20d"));
    Commit(2, Add("e") + Remove("b"));
    std::string optimize = Add("f") + Remove("e");
    for (size_t at; (at = optimize.find("\"dataChange\":true")) != std::string::npos;) {
        optimize.replace(at, 17, "\"dataChange\":false");
    }
    Commit(3, optimize);
    EXPECT_EQ(Lines(0), (Names{"0 insert /t/a", "1  /t/_change_data/c d", "2 delete /t/b", "2 insert /t/e"}));
    EXPECT_EQ(Lines(1, 1), (Names{"1  /t/_change_data/c d"}));
    EXPECT_EQ(Lines(2, 99), (Names{"2 delete /t/b", "2 insert /t/e"})) << "an end after the latest is the latest";
    EXPECT_EQ(Plan(0)->files[0].timestamp_ms, 1000);
    EXPECT_EQ(Plan(0)->files[0].file.partition[0].text(), "a");
}

TEST_F(TableChangesTest, VectorsAreComparedWithEachOther) {
    CreateWithFeed(Add("f"));
    Commit(1, Remove("f") + Vector({1, 2}));
    Commit(2, RemovedVector({1, 2}) + Vector({2, 3, 5}));
    Commit(3, RemovedVector({2, 3, 5}) + Add("f"));
    Commit(4, Remove("f") + Vector({7}));
    Commit(5, RemovedVector({7}));
    Commit(6, Vector({9}));
    EXPECT_EQ(Lines(1), (Names{"1 delete /t/f only{1,2}", "2 delete /t/f only{3,5}", "2 insert /t/f only{1}",
                               "3 insert /t/f only{2,3,5}", "4 delete /t/f only{7}", "5 delete /t/f without{7}",
                               "6 insert /t/f without{9}"}));
}

// S88
TEST_F(TableChangesTest, S88VersionsWithoutTheFeedAreAnError) {
    Create(Add("a"));
    Commit(1, Feed());
    Commit(2, Add("b"));
    EXPECT_EQ(ErrorOf(0), Condition::DELTA_MISSING_CHANGE_DATA);
    EXPECT_NE(Plan(0).error().text().find("version [0]"), std::string::npos);
    EXPECT_EQ(Lines(1), (Names{"2 insert /t/b"}));
    Commit(3, kMetadata);
    EXPECT_EQ(ErrorOf(1), Condition::DELTA_MISSING_CHANGE_DATA);
    EXPECT_NE(Plan(1).error().text().find("version [3]"), std::string::npos);
    EXPECT_EQ(Lines(1, 2), (Names{"2 insert /t/b"}));
}

TEST_F(TableChangesTest, BadRangesAreNamed) {
    CreateWithFeed(Add("a"));
    Commit(1, Add("b"));
    EXPECT_EQ(ErrorOf(1, 0), Condition::DELTA_INVALID_CDC_RANGE);
    EXPECT_EQ(ErrorOf(2, 3), Condition::DELTA_CDC_START_VERSION_AFTER_LATEST);
    EXPECT_EQ(ErrorOf(-1), Condition::DELTA_VERSION_INVALID);
    EXPECT_TRUE(Plan(2, {}, true)->files.empty());
}

TEST_F(TableChangesTest, AddedColumnsAreFineOtherChangesAreNot) {
    CreateWithFeed(Add("a"));
    const auto feed = R"("delta.enableChangeDataFeed":"true")";
    Commit(1, MetadataWith(feed, Field("x", "long") + "," + Field("p", "string") + "," + Field("y", "date")));
    Commit(2, Add("b"));
    EXPECT_EQ(Lines(0), (Names{"0 insert /t/a", "2 insert /t/b"}));
    EXPECT_EQ(Plan(0)->snapshot->schema().fields.size(), 3u);
    EXPECT_EQ(Plan(0, 0)->snapshot->schema().fields.size(), 2u) << "by the schema of the range's last version";
    Commit(3, MetadataWith(feed, Field("x", "string") + "," + Field("p", "string") + "," + Field("y", "date")));
    EXPECT_EQ(ErrorOf(0), Condition::DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE);
    EXPECT_EQ(Lines(0, 2).size(), 2u);
    EXPECT_EQ(Lines(3).size(), 0u);
    Commit(4, MetadataWith(feed, Field("p", "string") + "," + Field("y", "date")));
    EXPECT_EQ(ErrorOf(3), Condition::DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA);
}

TEST_F(TableChangesTest, WideningIsReadable) {
    const auto feed = R"("delta.enableChangeDataFeed":"true")";
    Commit(0, std::string(kProtocol) + "\n" + MetadataWith(feed, Field("x", "integer") + "," + Field("p", "string")) +
                  "\n" + Add("a"));
    Commit(1, MetadataWith(feed, Field("x", "long") + "," + Field("p", "string")));
    EXPECT_EQ(Lines(0), (Names{"0 insert /t/a"}));
    Commit(2, MetadataWith(feed, Field("x", "integer") + "," + Field("p", "string")));
    EXPECT_EQ(ErrorOf(1), Condition::DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA);
}

// B95
TEST_F(TableChangesTest, B95AMergeThatChangedNothingHasNoChanges) {
    CreateWithFeed(Add("a"));
    Commit(
        1,
        std::string(
            R"({"commitInfo":{"operation":"MERGE","operationMetrics":{"numTargetRowsInserted":"0","numTargetRowsUpdated":"0","numTargetRowsDeleted":"0"}}})") +
            "\n" + Add("b") + Remove("a"));
    EXPECT_EQ(Lines(1), (Names{}));
    Commit(
        2,
        std::string(
            R"({"commitInfo":{"operation":"MERGE","operationMetrics":{"numTargetRowsInserted":"0","numTargetRowsUpdated":"1","numTargetRowsDeleted":"0"}}})") +
            "\n" + Add("c") + Remove("b"));
    EXPECT_EQ(Lines(2), (Names{"2 delete /t/b", "2 insert /t/c"}));
}

TEST_F(TableChangesTest, CommitsThatAreGoneAreNamed) {
    CreateWithFeed(Add("a"));
    Commit(1, R"({"remove":{"path":"a","dataChange":true}})");
    EXPECT_EQ(ErrorOf(0), Condition::DELTA_MISSING_CHANGE_DATA) << "no partition values";
    EXPECT_EQ(ErrorOf(0, 0), Condition::BIRDFOOT_INTERNAL);
}

}  // namespace
}  // namespace birdfoot::test
