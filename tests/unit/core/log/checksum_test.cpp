#include "core/log/checksum.hpp"

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class ChecksumTest : public LogTest {
protected:
    bool Write() {
        const auto snapshot = *Load();
        const auto written =
            WriteChecksum(engine, snapshot->segment(), snapshot->protocol(), snapshot->metadata(), call);
        EXPECT_TRUE(written.ok()) << written.error().message();
        return written.ok() && *written;
    }
    std::optional<Checksum> Read() {
        const auto snapshot = *Load();
        return *ReadChecksum(engine, snapshot->segment(), snapshot->protocol(), snapshot->metadata(), call);
    }
    std::string Bytes(Version version) { return store->objects.at(LogPath(ChecksumFileName(version))).bytes; }
    static std::string Inner(const char *line) {
        const std::string text = line;
        return text.substr(text.find(':') + 1, text.size() - text.find(':') - 2);
    }
};

TEST_F(ChecksumTest, CountsAndThenAddsUp) {
    Create(Add("a", "a", 10) + R"({"txn":{"appId":"app","version":4}})");
    ASSERT_TRUE(Write());
    EXPECT_EQ(
        Bytes(0),
        R"({"tableSizeBytes":10,"numFiles":1,"numMetadata":1,"numProtocol":1,"setTransactions":[{"appId":"app","version":4}],"domainMetadata":[],"metadata":)" +
            Inner(kMetadata) + R"(,"protocol":)" + Inner(kProtocol) + "}\n");
    Commit(1, R"({"commitInfo":{"txnId":"t1","inCommitTimestamp":77}})"
              "\n" +
                  Add("b", "a", 32) + Remove("a") +
                  R"({"txn":{"appId":"app","version":5}})"
                  "\n"
                  R"({"domainMetadata":{"domain":"d","configuration":"x","removed":false}})");
    // The one before is used: a wrong sum there shows.
    store->objects[LogPath(ChecksumFileName(0))].bytes.replace(18, 2, "11");
    ASSERT_TRUE(Write());
    const auto sums = Read();
    ASSERT_TRUE(sums);
    EXPECT_EQ(sums->table_size_bytes, 33);
    EXPECT_EQ(sums->num_files, 1);
    EXPECT_EQ(sums->txn_id, "t1");
    EXPECT_EQ(sums->in_commit_timestamp, 77);
    EXPECT_EQ(sums->transactions->at(0).version, 5);
    EXPECT_EQ(sums->domains->at(0).domain, "d");
    EXPECT_FALSE(Write()) << "it is there already";
}

TEST_F(ChecksumTest, WhatACommitLeavesOpenIsCountedInstead) {
    Create(Add("a", "a", 10));
    ASSERT_TRUE(Write());
    std::string same = Add("a", "a", 10);
    same.replace(same.find("\"dataChange\":true"), 17, "\"dataChange\":false");
    Commit(1, same);
    ASSERT_TRUE(Write());
    EXPECT_EQ(Read()->num_files, 1);
    Commit(2, R"({"remove":{"path":"a","dataChange":true}})");
    ASSERT_TRUE(Write());
    EXPECT_EQ(Read()->num_files, 0);
    EXPECT_EQ(Read()->table_size_bytes, 0);
}

TEST_F(ChecksumTest, LargeTablesWithoutAPreviousOneGetNone) {
    std::string lines;
    for (uint64_t i = 0; i <= kMaxCountedFiles; ++i) {
        lines += Add(fmt::format("f{}", i));
    }
    Create(lines);
    EXPECT_FALSE(Write());
}

TEST_F(ChecksumTest, OneThatDisagreesWithTheLogIsNone) {
    Create(Add("a"));
    ASSERT_TRUE(Write());
    auto &bytes = store->objects[LogPath(ChecksumFileName(0))].bytes;
    const auto good = bytes;
    bytes.replace(bytes.find("\"minWriterVersion\":2"), 20, "\"minWriterVersion\":3");
    EXPECT_FALSE(Read());
    EXPECT_EQ((*Load())->protocol().min_writer_version, 2) << "the log is right";
    for (const auto *damaged : {"", "{", "[]", R"({"tableSizeBytes":1})"}) {
        bytes = damaged;
        EXPECT_FALSE(Read()) << damaged;
        EXPECT_TRUE(Load().ok());
    }
    bytes = good;
    EXPECT_TRUE(Read());
}

TEST_F(ChecksumTest, VectorsAreSummed) {
    Commit(
        0,
        std::string(
            R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}})") +
            "\n" + kMetadata + "\n" + Add("a"));
    ASSERT_TRUE(Write());
    EXPECT_EQ(Read()->num_deleted_records, 0);
    Commit(
        1,
        Remove("a") +
            R"({"add":{"path":"a","partitionValues":{"p":"a"},"size":10,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","sizeInBytes":1,"cardinality":2}}})");
    ASSERT_TRUE(Write());
    EXPECT_EQ(Read()->num_deleted_records, 2);
    EXPECT_EQ(Read()->num_deletion_vectors, 1);
    EXPECT_EQ(Read()->num_files, 1);
}

}  // namespace
}  // namespace birdfoot::test
