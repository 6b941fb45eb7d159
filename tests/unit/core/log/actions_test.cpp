#include "core/log/actions.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

std::vector<Action> Parse(std::string_view text) {
    std::vector<Action> actions;
    const auto status = ParseActions(text, "0.json", [&](Action &&action) -> Status {
        actions.push_back(std::move(action));
        return {};
    });
    EXPECT_TRUE(status.ok()) << status.error().message();
    return actions;
}

Error ParseError(std::string_view text) {
    const auto status = ParseActions(text, "0.json", [](Action &&) -> Status { return {}; });
    EXPECT_FALSE(status.ok());
    return status.ok() ? Error(Condition::BIRDFOOT_INTERNAL, "") : status.error();
}

// Lines as delta-spark writes them: reading and writing gives the same bytes.
TEST(ActionsTest, LinesOfSparkSurviveTheRoundTrip) {
    for (
        const std::string_view line : {
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","appendOnly"]}})",
            R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})",
            R"({"metaData":{"id":"2e5","name":"n","description":"d","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":["p"],"configuration":{"delta.appendOnly":"true"},"createdTime":1603723967515}})",
            R"({"add":{"path":"p=a%20b/part-0.parquet","partitionValues":{"p":"a b","q":null},"size":1,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8,"clusteringProvider":"liquid"}})",
            R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":false}})",
            R"({"remove":{"path":"a","deletionTimestamp":1515488792485,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{"p":null},"size":10,"tags":{},"deletionVector":{"storageType":"i","pathOrInlineDv":"wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L","sizeInBytes":40,"cardinality":6},"baseRowId":1,"defaultRowCommitVersion":2,"stats":"{}"}})",
            R"({"txn":{"appId":"3ba13872-2d47-4e17-86a0-21afd2a22395","version":364475}})",
            R"({"txn":{"appId":"x","version":1,"lastUpdated":5}})",
            R"({"domainMetadata":{"domain":"delta.clustering","configuration":"{}","removed":false}})",
            R"({"cdc":{"path":"_change_data/cdc-0.parquet","partitionValues":{"p":"1"},"size":1296,"dataChange":false}})",
            R"({"commitInfo":{"timestamp":1,"userId":"u","operation":"WRITE","operationParameters":{"mode":"Append","x":[1,null,{"y":1.50}]},"isBlindAppend":true}})",
            R"({"checkpointMetadata":{"version":3,"tags":{"a":"b"}}})",
            R"({"sidecar":{"path":"016ae953-37a9-438e-8683-9a9a4a79a395.parquet","sizeInBytes":2304522,"modificationTime":1512909768000}})",
        }) {
        auto actions = Parse(line);
        ASSERT_EQ(actions.size(), 1u) << line;
        EXPECT_EQ(ActionToJson(actions[0]), line);
    }
}

// B2: stray members at every level, and actions that we do not know, change nothing.
TEST(ActionsTest, B2UnknownMembersAndActionsAreSkipped) {
    auto actions = Parse(R"({"futureAction":{"x":1}}
{"protocol":{"minReaderVersion":1,"minWriterVersion":2,"future":[1]},"note":"x"}
{"metaData":{"id":"i","future":{},"format":{"provider":"parquet","options":{"a":"b"},"future":1},"schemaString":"s","partitionColumns":[],"configuration":{}}}
{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"future":{"a":[]},"deletionVector":{"storageType":"u","pathOrInlineDv":"x","sizeInBytes":1,"cardinality":2,"maxRowIndex":4}}}
{"remove":{"path":"a","dataChange":true,"future":null}})");
    ASSERT_EQ(actions.size(), 4u);
    EXPECT_EQ(std::get<AddFile>(actions[2]).deletion_vector->cardinality, 2);
    EXPECT_EQ(std::get<Metadata>(actions[1]).format_options.at("a"), "b");
}

TEST(ActionsTest, NullMembersCountAsMissing) {
    auto actions = Parse(
        R"({"add":null,"remove":{"path":"a","deletionTimestamp":null,"dataChange":true,"partitionValues":null,"size":null,"tags":null,"deletionVector":null},"txn":null})");
    ASSERT_EQ(actions.size(), 1u);
    const auto &remove = std::get<RemoveFile>(actions[0]);
    EXPECT_FALSE(remove.deletion_timestamp || remove.partition_values || remove.size || remove.deletion_vector);
}

TEST(ActionsTest, ValuesMayBePrettyPrintedOverLinesOrShareOne) {
    auto actions = Parse(
        "\r\n{\n  \"protocol\" : {\n \"minReaderVersion\" : 1,\n \"minWriterVersion\" : 2 }\n}\n\n"
        "{\"txn\":{\"appId\":\"a}\\\"\",\n\"version\":1}} {\"txn\":{\"appId\":\"b\",\"version\":2}}\n");
    ASSERT_EQ(actions.size(), 3u);
    EXPECT_EQ(std::get<SetTransaction>(actions[1]).app_id, "a}\"");
    EXPECT_EQ(std::get<SetTransaction>(actions[2]).app_id, "b");
}

// B145: nothing in commitInfo can fail a read.
TEST(ActionsTest, B145CommitInfoOfAnyShapeIsRead) {
    auto actions = Parse(
        R"({"commitInfo":{"timestamp":"2020-01-01","operation":5,"operationParameters":{"a":[],"b":true,"c":null,"d":{}},"isBlindAppend":"no"}})");
    ASSERT_EQ(actions.size(), 1u);
    const auto &info = std::get<CommitInfo>(actions[0]);
    EXPECT_FALSE(info.timestamp || info.operation || info.is_blind_append);
}

TEST(ActionsTest, NumbersKeepTheirDigitsInPartitionValuesOfOtherTypes) {
    auto actions = Parse(R"({"add":{"path":"a","partitionValues":{"p":12345678901234567890.10,"q":true},"size":1.0}})");
    const auto &add = std::get<AddFile>(actions[0]);
    EXPECT_EQ(add.partition_values[0].second, "12345678901234567890.10");
    EXPECT_EQ(add.partition_values[1].second, "true");
    EXPECT_EQ(add.size, 1);
}

TEST(ActionsTest, DamageIsNamed) {
    auto error = ParseError("{\"add\":{\"path\":\"a\"}}\n{\"add\":{\"pa");
    EXPECT_EQ(error.condition(), Condition::DELTA_LOG_FILE_MALFORMED);
    EXPECT_NE(error.message().find("0.json"), std::string::npos);
    EXPECT_NE(ParseError("{\"add\":{\"path\":7}}").message().find("'path' is not a string"), std::string::npos);
    EXPECT_NE(ParseError("{\"add\":{}}").message().find("'path'"), std::string::npos);
    EXPECT_NE(ParseError("{\"protocol\":{\"minReaderVersion\":1}}").message().find("minWriterVersion"),
              std::string::npos);
    EXPECT_NE(ParseError(R"({"add":{"path":"a","deletionVector":{"storageType":"u"}}})")
                  .message()
                  .find("in 'deletionVector'"),
              std::string::npos);
    for (const auto *text : {"[]", "null", "7 8", "}", "]", "\"{\"", "{\"a\":1}}", "\xff\xfe", "{"}) {
        EXPECT_EQ(ParseError(text).condition(), Condition::DELTA_LOG_FILE_MALFORMED) << text;
    }
}

TEST(ActionsTest, KeysDecodeThePathAndNameTheVector) {
    EXPECT_EQ(FileKey("a%20b", std::nullopt), FileKey("a b", std::nullopt));
    EXPECT_EQ(FileKey("file:///t/a%25b", std::nullopt), FileKey("/t/a%25b", std::nullopt));
    EXPECT_EQ(FileKey("file:/t/a", std::nullopt), FileKey("/t/a", std::nullopt));
    EXPECT_NE(FileKey("a%2520b", std::nullopt), FileKey("a%20b", std::nullopt));
    DeletionVectorDescriptor vector{"u", "ab", 1, 2, 3};
    EXPECT_NE(FileKey("a", vector), FileKey("a", std::nullopt));
    auto other = vector;
    other.offset = 2;
    EXPECT_NE(FileKey("a", vector), FileKey("a", other));
    other.offset.reset();
    EXPECT_NE(FileKey("a", vector), FileKey("a", other));
    EXPECT_EQ(vector.UniqueId(), "uab@1");
}

TEST(ActionsTest, PathsAreDecodedOnce) {
    EXPECT_EQ(DecodePath("%F0%9F%98%88=%2520"), "\xF0\x9F\x98\x88=%20");
    EXPECT_EQ(DecodePath("a%"), "a%");
    EXPECT_EQ(DecodePath("a%2"), "a%2");
    EXPECT_EQ(DecodePath("a%zz+b"), "a%zz+b");
    EXPECT_EQ(DecodePath("s3://b/a%20b"), "s3://b/a b");
}

TEST(ActionsTest, ARemoveSaysAllThatItsAddSaid) {
    const std::string line =
        R"({"add":{"path":"p%20","partitionValues":{"p":null},"size":5,"modificationTime":2,"dataChange":true,"stats":"{}","tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8}})";
    const auto remove = MakeRemove(std::get<AddFile>(Parse(line)[0]), 99, false);
    EXPECT_EQ(
        ActionToJson(remove),
        R"({"remove":{"path":"p%20","deletionTimestamp":99,"dataChange":false,"extendedFileMetadata":true,"partitionValues":{"p":null},"size":5,"tags":{"t":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":7,"defaultRowCommitVersion":8,"stats":"{}"}})");
}

TEST(ActionsTest, AVisitorCanStop) {
    int seen = 0;
    const auto status =
        ParseActions("{\"txn\":{\"appId\":\"a\",\"version\":1}}\n{\"txn\":{\"appId\":\"b\",\"version\":2}}", "f",
                     [&](Action &&) -> Status {
                         ++seen;
                         return Fail(Condition::BIRDFOOT_CANCELLED, "stop");
                     });
    EXPECT_EQ(status.error().condition(), Condition::BIRDFOOT_CANCELLED);
    EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace birdfoot
