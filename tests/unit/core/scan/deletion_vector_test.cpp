#include "core/scan/deletion_vector.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "storage/memory_store.hpp"

namespace birdfoot {
namespace {

using Rows = std::vector<uint64_t>;

std::string FromHex(std::string_view hex) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hex.size(); i += 2) {
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    }
    return bytes;
}

DeletionVectorDescriptor Vector(std::string type, std::string text, std::optional<int64_t> offset, int64_t size,
                                int64_t cardinality) {
    DeletionVectorDescriptor descriptor;
    descriptor.storage_type = std::move(type);
    descriptor.path_or_inline = std::move(text);
    descriptor.offset = offset;
    descriptor.size_in_bytes = size;
    descriptor.cardinality = cardinality;
    return descriptor;
}

class DeletionVectorTest : public testing::Test {
protected:
    DeletionVectorTest() { engine_.store = std::make_shared<storage::MemoryStore>(); }

    Result<RowSet> Read(const DeletionVectorDescriptor &descriptor) {
        return ReadDeletionVector(engine_, "/t", descriptor, call_);
    }
    Rows RowsOf(const DeletionVectorDescriptor &descriptor) {
        auto rows = Read(descriptor);
        EXPECT_TRUE(rows.ok()) << rows.error().message();
        return rows.ok() ? rows->ToVector() : Rows{};
    }
    Condition ConditionOf(const DeletionVectorDescriptor &descriptor) {
        auto rows = Read(descriptor);
        return rows.ok() ? Condition::BIRDFOOT_INTERNAL : rows.error().condition();
    }
    void Put(const std::string &path, std::string_view bytes) {
        ASSERT_TRUE(engine_.store->Put(path, bytes, PutMode::kOverwrite, call_).ok());
    }

    Engine engine_;
    Call call_;
};

// A file that Spark wrote (spark-partitioned-table-with-dv-large): five vectors one after the other.
constexpr std::string_view kSparkFile =
    "0100000022d1d339640100000000000000000000003a30000001000000000000001000000027002d6306d000000024d1d33964010000000000"
    "000000"
    "0000003a30000001000000000001001000000087009600ac30001100000028d1d339640100000000000000000000003a300000010000000000"
    "030010"
    "000000000012001e00b400c419636600000026d1d339640100000000000000000000003a300000010000000000020010000000190064009c00"
    "b36923"
    "2600000024d1d339640100000000000000000000003a3000000100000000000100100000004b004e00d94a1eb8";
constexpr auto kSparkFileId = "Xnn-=:A*jwFzeMNSY9zC";

TEST_F(DeletionVectorTest, InlineVectorsOfOthers) {
    EXPECT_EQ(RowsOf(Vector("i", "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", std::nullopt, 44, 6)),
              (Rows{3, 4, 7, 11, 18, 29}));
    // krs-cdf-table-with-dv: a tail of two bytes that Rust's z85 padded in front.
    EXPECT_EQ(RowsOf(Vector("i", "^Bg9^0rr910000000000iXQKl0rr91000005c8Xg##093", std::nullopt, 34, 1)), (Rows{3}));
    EXPECT_EQ(RowsOf(Vector("i", "^Bg9^0rr910000000000iXQKl0rr91000315c8Xg000f5", std::nullopt, 36, 2)), (Rows{0, 5}));
    // The protocol's own example is in the layout that its text does not describe: big-endian, without 64-bit keys.
    auto native = Read(Vector("i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", std::nullopt, 40, 6));
    ASSERT_FALSE(native.ok());
    EXPECT_NE(native.error().text().find("native"), std::string::npos) << native.error().text();
}

TEST_F(DeletionVectorTest, VectorsInAFileThatSparkWrote) {
    Put("/t/deletion_vector_b86cba62-c87a-4399-80da-d5ffaa3746a8.bin", FromHex(kSparkFile));
    EXPECT_EQ(RowsOf(Vector("u", kSparkFileId, 1, 34, 1)), (Rows{39}));
    EXPECT_EQ(RowsOf(Vector("u", kSparkFileId, 43, 36, 2)), (Rows{135, 150}));
    EXPECT_EQ(RowsOf(Vector("u", kSparkFileId, 87, 40, 4)), (Rows{0, 18, 30, 180}));
    EXPECT_EQ(RowsOf(Vector("u", kSparkFileId, 135, 38, 3)), (Rows{25, 100, 156}));
    EXPECT_EQ(RowsOf(Vector("u", kSparkFileId, 181, 36, 2)), (Rows{75, 78}));
    EXPECT_EQ(RowsOf(Vector("p", "file:///t/deletion_vector_b86cba62-c87a-4399-80da-d5ffaa3746a8.bin", 43, 36, 2)),
              (Rows{135, 150}));
}

// B78: damage is an error, never "nothing was deleted".
TEST_F(DeletionVectorTest, DamageIsAnError) {
    const std::string path = "/t/deletion_vector_b86cba62-c87a-4399-80da-d5ffaa3746a8.bin";
    const auto good = Vector("u", kSparkFileId, 43, 36, 2);
    EXPECT_EQ(ConditionOf(good), Condition::BIRDFOOT_OBJECT_NOT_FOUND);
    Put(path, FromHex(kSparkFile));
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, 43, 36, 3)), Condition::DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH);
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, 43, 35, 2)), Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH);
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, 44, 36, 2)), Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH);
    EXPECT_FALSE(Read(Vector("u", kSparkFileId, 181, 1000, 2)).ok());
    EXPECT_FALSE(Read(Vector("u", kSparkFileId, 1 << 30, 36, 2)).ok());
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, -1, 36, 2)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, 1, -1, 2)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("u", kSparkFileId, 1, int64_t{1} << 40, 2)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("u", "short", 1, 34, 1)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("x", kSparkFileId, 1, 34, 1)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("p", "relative.bin", 1, 34, 1)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("i", "wi5b=0000\"", std::nullopt, 4, 1)), Condition::DELTA_DELETION_VECTOR_INVALID);
    EXPECT_EQ(ConditionOf(Vector("i", "wi5b=00001", std::nullopt, 40, 6)),
              Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH);
    auto bytes = FromHex(kSparkFile);
    bytes[60] = static_cast<char>(bytes[60] ^ 1);
    Put(path, bytes);
    EXPECT_EQ(ConditionOf(good), Condition::DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH);
    bytes[0] = 2;
    Put(path, bytes);
    EXPECT_EQ(ConditionOf(good), Condition::DELTA_DELETION_VECTOR_INVALID);
}

TEST_F(DeletionVectorTest, BytesThatAreNoVector) {
    const auto refused = [](std::string_view bytes) {
        auto rows = RowSet::Deserialize(bytes);
        return !rows.ok() && rows.error().condition() == Condition::DELTA_DELETION_VECTOR_INVALID;
    };
    RowSet some;
    some.Add(5);
    auto bytes = some.Serialize();
    EXPECT_TRUE(refused(""));
    EXPECT_TRUE(refused("abc"));
    for (size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_TRUE(refused(std::string_view(bytes).substr(0, size))) << size;
    }
    bytes[0] = static_cast<char>(bytes[0] - 1);
    auto native = RowSet::Deserialize(bytes);
    ASSERT_FALSE(native.ok());
    EXPECT_NE(native.error().text().find("native"), std::string::npos);
    RowSet negative;
    negative.Add(uint64_t{1} << 63);
    EXPECT_TRUE(refused(negative.Serialize()));
    // A bucket without rows between two others: delta-spark writes all buckets up to the highest.
    const auto sparse = FromHex(
        "d1d33964"
        "0200000000000000"
        "00000000"
        "3a30000000000000"
        "01000000"
        "3a30000001000000000000001000000027002d");
    auto rows = RowSet::Deserialize(std::string_view(sparse).substr(0, 46));
    ASSERT_TRUE(rows.ok()) << rows.error().message();
    EXPECT_EQ(rows->ToVector(), (Rows{(uint64_t{1} << 32) + 39}));
}

TEST_F(DeletionVectorTest, PathsOfFiles) {
    const auto path = [](const DeletionVectorDescriptor &descriptor) {
        return *DeletionVectorPath("s3://mytable", descriptor);
    };
    EXPECT_EQ(path(Vector("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6)),
              "s3://mytable/ab/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");  // the protocol's example
    EXPECT_EQ(path(Vector("u", "^-aqEH.-t@S}K{vb[*k^", 4, 40, 6)),
              "s3://mytable/deletion_vector_d2c639aa-8816-431a-aaf6-d3fe2512ff61.bin");
    EXPECT_EQ(path(Vector("p", "s3://other/a%20b.bin", 4, 40, 6)), "s3://other/a b.bin");
    EXPECT_EQ(path(Vector("p", "file:/x/%25.bin", 4, 40, 6)), "/x/%.bin");
}

TEST_F(DeletionVectorTest, WhatIsWrittenIsReadBack) {
    std::mt19937_64 random(1);
    std::vector<RowSet> sets(6);
    sets[1].Add(0);
    sets[2].AddRange(10, 1'000'000);
    for (int i = 0; i < 20'000; ++i) {
        sets[3].Add(random() % 100'000);
    }
    sets[4].AddRange((uint64_t{1} << 32) - 5, (uint64_t{1} << 32) + 5);
    sets[5].Add((uint64_t{1} << 40) + 7);
    std::vector<const RowSet *> pointers;
    for (const auto &set : sets) {
        pointers.push_back(&set);
    }
    std::string path;
    const auto descriptors = WriteDeletionVectors(engine_, "/t", pointers, &path, call_);
    ASSERT_TRUE(descriptors.ok());
    EXPECT_EQ(path, *DeletionVectorPath("/t", descriptors->front()));
    EXPECT_EQ(descriptors->front().offset, 1);
    for (size_t i = 0; i < sets.size(); ++i) {
        EXPECT_EQ(RowsOf(descriptors->at(i)), sets[i].ToVector()) << i;
        const auto in_log = InlineDeletionVector(sets[i]);
        EXPECT_EQ(RowsOf(in_log), sets[i].ToVector()) << i;
        EXPECT_EQ(in_log.offset, std::nullopt);
    }
    EXPECT_LT(sets[2].Serialize().size(), 400U);  // runs
    // As delta-spark serialises it.
    RowSet like_spark;
    for (const uint64_t row : {0, 18, 30, 180}) {
        like_spark.Add(row);
    }
    EXPECT_EQ(like_spark.Serialize(), FromHex(kSparkFile.substr((87 + 4) * 2, 40 * 2)));
}

// B70
TEST_F(DeletionVectorTest, KeptOffsetsAreTheComplement) {
    std::mt19937 random(3);
    RowSet rows;
    std::vector<bool> deleted(20'000);
    for (int i = 0; i < 9'000; ++i) {
        const auto row = random() % deleted.size();
        deleted[row] = true;
        rows.Add(row);
    }
    rows.AddRange(4096, 6144);
    std::fill(deleted.begin() + 4096, deleted.begin() + 6144, true);
    std::vector<uint32_t> keep(2048);
    for (size_t start = 0; start < deleted.size() + 4096; start += 2048) {
        const auto kept = rows.KeptOffsets(start, 2048, keep.data());
        std::vector<uint32_t> expected;
        for (uint32_t offset = 0; offset < 2048; ++offset) {
            if (start + offset >= deleted.size() || !deleted[start + offset]) {
                expected.push_back(offset);
            }
        }
        ASSERT_EQ(std::vector<uint32_t>(keep.begin(), keep.begin() + static_cast<int64_t>(kept)), expected) << start;
    }
    EXPECT_EQ(rows.KeptOffsets(0, 0, keep.data()), 0U);
    RowSet last;
    last.AddRange(0, 9);
    EXPECT_EQ(last.KeptOffsets(0, 10, keep.data()), 1U);
    EXPECT_EQ(keep[0], 9U);
}

TEST_F(DeletionVectorTest, SetAlgebra) {
    RowSet a;
    const uint64_t rows[] = {1, 5, 9};
    a.AddMany(rows, 3);
    auto b = a.Clone();
    b.Add(7);
    EXPECT_EQ(a.cardinality(), 3U);
    b.Subtract(a);
    EXPECT_EQ(b.ToVector(), Rows{7});
    EXPECT_FALSE(a.Intersects(b));
    a.Union(b);
    EXPECT_TRUE(a.Intersects(b));
    EXPECT_TRUE(a.Contains(7));
    EXPECT_FALSE(a.Contains(8));
    RowSet moved = std::move(a);
    EXPECT_EQ(moved.cardinality(), 4U);
    EXPECT_TRUE(RowSet().empty());
}

TEST_F(DeletionVectorTest, Z85) {
    EXPECT_EQ(Z85Encode(FromHex("864fd26fb559f75b")), "HelloWorld");  // the example of its specification
    EXPECT_EQ(Z85Decode("HelloWorld"), FromHex("864fd26fb559f75b"));
    EXPECT_EQ(Z85Decode("%nSc1"), std::nullopt);  // one more than 32 bits hold
    EXPECT_EQ(Z85Decode("%nSc0"), std::string(4, '\xFF'));
    EXPECT_EQ(Z85Decode("#####"), std::nullopt);
    EXPECT_EQ(Z85Decode("####0"), std::nullopt);
    EXPECT_EQ(Z85Decode("###0a"), std::string("\x0A"));
    EXPECT_EQ(Z85Decode("###%%"), std::nullopt);
    EXPECT_EQ(Z85Decode("##0930000"), std::nullopt);
    EXPECT_EQ(Z85Decode("##09300000"), std::nullopt);  // padding in the middle
    EXPECT_EQ(Z85Decode("abcd"), std::nullopt);
    EXPECT_EQ(Z85Decode("ab cd"), std::nullopt);
    EXPECT_EQ(Z85Decode(""), "");
    EXPECT_EQ(Z85Decode(Z85Encode("abcde")), std::string("abcde\0\0\0", 8));
}

}  // namespace
}  // namespace birdfoot
