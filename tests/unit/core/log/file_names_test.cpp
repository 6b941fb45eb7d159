#include "core/log/file_names.hpp"

#include <gtest/gtest.h>

namespace birdfoot {
namespace {

TEST(FileNamesTest, EveryKindIsRecognised) {
    auto commit = ParseLogFileName("00000000000000000012.json");
    ASSERT_TRUE(commit);
    EXPECT_EQ(commit->kind, LogFileKind::kCommit);
    EXPECT_EQ(commit->version, 12);
    EXPECT_EQ(ParseLogFileName("00000000000000000012.crc")->kind, LogFileKind::kChecksum);

    auto compaction = ParseLogFileName("00000000000000000006.00000000000000000015.compacted.json");
    ASSERT_TRUE(compaction);
    EXPECT_EQ(compaction->kind, LogFileKind::kCompaction);
    EXPECT_EQ(compaction->version, 6);
    EXPECT_EQ(compaction->end_version, 15);

    auto classic = ParseLogFileName("00000000000000000010.checkpoint.parquet");
    ASSERT_TRUE(classic);
    EXPECT_EQ(classic->kind, LogFileKind::kCheckpoint);
    EXPECT_EQ(classic->checkpoint, CheckpointKind::kClassic);

    auto part = ParseLogFileName("00000000000000000010.checkpoint.0000000002.0000000003.parquet");
    ASSERT_TRUE(part);
    EXPECT_EQ(part->checkpoint, CheckpointKind::kMultiPart);
    EXPECT_EQ(part->part, 2u);
    EXPECT_EQ(part->parts, 3u);

    EXPECT_EQ(ParseLogFileName("00000000000000000010.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json")->checkpoint,
              CheckpointKind::kV2Json);
    EXPECT_EQ(
        ParseLogFileName("00000000000000000010.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet")->checkpoint,
        CheckpointKind::kV2Parquet);
}

TEST(FileNamesTest, WhatWeWriteIsRecognised) {
    EXPECT_EQ(CommitFileName(3), "00000000000000000003.json");
    EXPECT_EQ(ChecksumFileName(3), "00000000000000000003.crc");
    EXPECT_EQ(ClassicCheckpointFileName(INT64_MAX - 2), "09223372036854775805.checkpoint.parquet");
    EXPECT_EQ(ParseLogFileName(ClassicCheckpointFileName(INT64_MAX - 2))->version, INT64_MAX - 2);
    EXPECT_FALSE(ParseLogFileName(ClassicCheckpointFileName(INT64_MAX)));
    EXPECT_EQ(V2CheckpointFileName(3, "u-1", true), "00000000000000000003.checkpoint.u-1.json");
    EXPECT_EQ(MultiPartCheckpointFileName(3, 1, 12), "00000000000000000003.checkpoint.0000000001.0000000012.parquet");
}

TEST(FileNamesTest, AllElseIsNoFileOfTheLog) {
    for (const auto *name :
         {"", "_last_checkpoint", "0.json", "00000000000000000012", "00000000000000000012.",
          "00000000000000000012.json.tmp", ".00000000000000000012.json.crc", "backup/00000000000000000001.json",
          "0000000000000000001a.json", "-0000000000000000001.json", "99999999999999999999.json",
          "000000000000000000012.json", "00000000000000000006.00000000000000000006.compacted.json",
          "00000000000000000006.00000000000000000005.compacted.json",
          "00000000000000000010.checkpoint.0000000003.0000000002.parquet",
          "00000000000000000010.checkpoint.0000000000.0000000002.parquet", "00000000000000000010.checkpoint.json",
          "00000000000000000010.checkpoint..json", "00000000000000000010.checkpoint.a.b.parquet",
          "00000000000000000010.checkpoint.parquet.tmp",
          // a staged commit belongs to _staged_commits
          "00000000000000000012.80a083e8-7026-4e79-81be-64bd76c43a11.json"}) {
        EXPECT_FALSE(ParseLogFileName(name)) << name;
    }
}

}  // namespace
}  // namespace birdfoot
