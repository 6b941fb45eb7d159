#include "core/table/snapshot.hpp"

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class SnapshotTest : public LogTest {};

TEST_F(SnapshotTest, CommitsMakeTheState) {
    Create(Add("a") + Add("b"));
    Commit(1, Remove("a") + Add("c"));
    const auto snapshot = Load();
    ASSERT_TRUE(snapshot.ok()) << snapshot.error().message();
    EXPECT_EQ((*snapshot)->version(), 1);
    EXPECT_EQ((*snapshot)->schema().fields.size(), 2u);
    EXPECT_TRUE((*snapshot)->IsPartitionColumn("P"));
    EXPECT_EQ(Paths(), (Names{"b", "c"}));
    EXPECT_EQ(Paths(AtVersion{0}), (Names{"a", "b"}));
}

TEST_F(SnapshotTest, TheNewestActionOfAKeyWins) {
    Create(Add("a%20b") + Add("c"));
    Commit(1, Remove("a b") + Remove("c"));
    Commit(2, Add("c"));
    // A file and the same file with a vector are different keys.
    Commit(
        3,
        Remove("c") +
            R"({"add":{"path":"c","partitionValues":{"p":"a"},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","sizeInBytes":1,"cardinality":2}}})");
    EXPECT_EQ(Paths(), (Names{"c"}));
    EXPECT_EQ(Paths(AtVersion{1}), (Names{}));
    EXPECT_EQ(Paths(AtVersion{2}), (Names{"c"}));
}

TEST_F(SnapshotTest, VersionsThatAreNotThereAreAnErrorWithTheRange) {
    Create();
    Commit(1, Add("a"));
    const auto missing = Load(AtVersion{7});
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().message(),
              "[DELTA_VERSION_NOT_FOUND] Cannot time travel Delta table /t to version 7. Available versions: [0, 1].");
    EXPECT_EQ(Load(AtVersion{-1}).error().condition(), Condition::DELTA_VERSION_INVALID);
}

TEST_F(SnapshotTest, WhatIsNoTableIsNamed) {
    auto error = Load().error();
    EXPECT_EQ(error.condition(), Condition::DELTA_PATH_DOES_NOT_EXIST);
    EXPECT_NE(error.text().find("is not a Delta table"), std::string::npos);
    EXPECT_FALSE(*IsDeltaTable(engine, root, call));
    store->Set("/t/part-0.parquet", "x");
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_MISSING_DELTA_TABLE);
    store->Set(LogPath("00000000000000000000.crc"), "garbage");
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_MISSING_DELTA_TABLE);
    EXPECT_FALSE(*IsDeltaTable(engine, root, call));
    Create();
    EXPECT_TRUE(*IsDeltaTable(engine, root, call));
}

TEST_F(SnapshotTest, WithoutProtocolOrMetadataThereIsNoState) {
    Commit(0, kMetadata);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_STATE_RECOVER_ERROR);
    EXPECT_NE(Load().error().text().find("protocol"), std::string::npos);
    Commit(0, kProtocol);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_STATE_RECOVER_ERROR);
    EXPECT_NE(Load().error().text().find("metadata"), std::string::npos);
}

TEST_F(SnapshotTest, AGapIsAnErrorUnlessOnlyTheListingHasIt) {
    Create();
    Commit(1, Add("a"));
    Commit(2, Add("b"));
    Commit(3, Add("c"));
    store->hidden.insert(LogPath(CommitFileName(2)));
    EXPECT_EQ(Paths(), (Names{"a", "b", "c"}));
    store->objects.erase(LogPath(CommitFileName(2)));
    const auto error = Load().error();
    EXPECT_EQ(error.condition(), Condition::DELTA_VERSIONS_NOT_CONTIGUOUS);
    EXPECT_NE(error.text().find("00000000000000000002.json"), std::string::npos);
    EXPECT_EQ(Paths(AtVersion{1}), (Names{"a"}));
}

TEST_F(SnapshotTest, AStaleListingDoesNotHideTheVersionAskedFor) {
    Create();
    Commit(1, Add("a"));
    store->hidden.insert(LogPath(CommitFileName(1)));
    EXPECT_EQ(Paths(AtVersion{1}), (Names{"a"}));
}

TEST_F(SnapshotTest, ALogThatBeginsLaterIsTruncated) {
    Commit(3, std::string(kProtocol) + "\n" + kMetadata);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_TRUNCATED_TRANSACTION_LOG);
}

TEST_F(SnapshotTest, AFileWithAHugeVersionDoesNotHangTheReader) {
    Create();
    Commit(INT64_MAX - 2, Add("a"));
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_VERSIONS_NOT_CONTIGUOUS);
}

// B3
TEST_F(SnapshotTest, B3SubFoldersOfTheLogAreNoPartOfIt) {
    Create();
    Commit(1, Add("a"));
    store->Set(LogPath("backup/" + CommitFileName(1)), Add("b"));
    store->Set(LogPath("_staged_commits/" + CommitFileName(2)), Add("b"));
    EXPECT_EQ((*Load())->version(), 1);
}

// B5
TEST_F(SnapshotTest, B5UnknownReaderFeaturesAndVersionsAreRefusedByName) {
    Commit(
        0,
        std::string(
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["blahabl","deletionVectors"],"writerFeatures":["blahabl"]}})") +
            "\n" + kMetadata);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_UNSUPPORTED_FEATURES_FOR_READ);
    EXPECT_NE(Load().error().text().find("blahabl"), std::string::npos);
    EXPECT_EQ(Load().error().text().find("deletionVectors"), std::string::npos);
    Commit(0, std::string(R"({"protocol":{"minReaderVersion":4,"minWriterVersion":7}})") + "\n" + kMetadata);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_INVALID_PROTOCOL_VERSION);
    for (const auto *name : {"catalogManaged", "catalogOwned", "catalogOwned-preview"}) {
        Commit(
            0,
            fmt::format(
                R"({{"protocol":{{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["{0}"],"writerFeatures":["{0}"]}}}})",
                name) +
                "\n" + kMetadata);
        EXPECT_EQ(Load().error().condition(), Condition::DELTA_UNSUPPORTED_FEATURES_FOR_READ);
        EXPECT_NE(Load().error().text().find(name), std::string::npos);
    }
}

// B7
TEST_F(SnapshotTest, B7MissingFeatureListsAreReadOnlyWhereNothingContradictsThem) {
    Commit(0, std::string(R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7}})") + "\n" + kMetadata);
    EXPECT_TRUE(Load().ok());
    std::string mapped = kMetadata;
    mapped.replace(mapped.find(R"("configuration":{})"), 18,
                   R"("configuration":{"delta.enableDeletionVectors":"true"})");
    Commit(0, std::string(R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7}})") + "\n" + mapped);
    EXPECT_EQ(Load().error().condition(), Condition::DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH);
}

// B143
TEST_F(SnapshotTest, B143EmptyFeatureListsBelowTheirVersionsAreRead) {
    Commit(0,
           std::string(
               R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2,"readerFeatures":[],"writerFeatures":[]}})") +
               "\n" + kMetadata);
    EXPECT_TRUE(Load().ok());
}

// B17
TEST_F(SnapshotTest, B17GarbageAndLyingHintsChangeNothing) {
    Create();
    Commit(1, Add("a"));
    for (const auto *hint : {"", "{", R"({"version":"x"})", R"({"version":1,"size":5})", R"({"version":900})",
                             R"({"version":-4})", R"({"version":9223372036854775807})", "[]"}) {
        store->Set(LogPath("_last_checkpoint"), hint);
        EXPECT_EQ(Paths(), (Names{"a"})) << hint;
    }
}

TEST_F(SnapshotTest, InCommitTimestampsCountWhereTheTableHasThem) {
    Create();
    EXPECT_EQ((*Load())->timestamp_ms(), 1000);
    std::string metadata = kMetadata;
    metadata.replace(metadata.find(R"("configuration":{})"), 18,
                     R"("configuration":{"delta.enableInCommitTimestamps":"true"})");
    Commit(1, std::string(R"({"commitInfo":{"inCommitTimestamp":77,"timestamp":5}})") + "\n" + metadata);
    EXPECT_EQ((*Load())->in_commit_timestamp(), 77);
    EXPECT_EQ((*Load())->timestamp_ms(), 77);
}

TEST_F(SnapshotTest, RootsAreNormalised) {
    EXPECT_EQ(NormalizeTableRoot("file:///a%20b/c/"), "/a b/c");
    EXPECT_EQ(NormalizeTableRoot("/a%20b//c/./d/"), "/a%20b/c/d");
    EXPECT_EQ(NormalizeTableRoot("s3://bucket/t/"), "s3://bucket/t");
    EXPECT_EQ(NormalizeTableRoot("/"), "/");
    EXPECT_TRUE(NormalizeTableRoot("t").starts_with("/"));
    EXPECT_TRUE(NormalizeTableRoot("t/").ends_with("/t"));
    EXPECT_FALSE(NormalizeTableRoot(".").ends_with("."));
}

}  // namespace
}  // namespace birdfoot::test
