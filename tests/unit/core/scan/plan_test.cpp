#include "core/scan/plan.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "storage/memory_store.hpp"

namespace birdfoot {
namespace {

const DataType kInt(TypeKind::kInteger), kLong(TypeKind::kLong), kString(TypeKind::kString), kDouble(TypeKind::kDouble);

// A table of p (partition, string, physical "col-p"), q (partition, double) and id (long, physical "col-i").
class PlanTest : public testing::Test {
protected:
    PlanTest() {
        engine_.store = std::make_shared<storage::MemoryStore>();
        engine_.now_ms = [] { return int64_t{0}; };
        Commit(0, Protocol() + Metadata() + Add("col-p=a/1", R"({"col-p":"a","q":"1.0"})", 0, 9) +
                      Add("col-p=a/2", R"({"col-p":"a","q":"NaN"})", 10, 19) +
                      Add("col-p=b%2520c/3", R"({"col-p":"b c","q":null})", 20, 29));
    }

    static std::string Protocol() {
        return R"({"protocol":{"minReaderVersion":2,"minWriterVersion":5}})"
               "\n";
    }
    static std::string Metadata() {
        const auto field = [](std::string_view name, std::string_view type, int id, std::string_view physical) {
            return fmt::format(
                R"({{\"name\":\"{}\",\"type\":\"{}\",\"nullable\":true,\"metadata\":{{\"delta.columnMapping.id\":{},)"
                R"(\"delta.columnMapping.physicalName\":\"{}\"}}}})",
                name, type, id, physical);
        };
        return R"({"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[)" +
               field("p", "string", 1, "col-p") + "," + field("q", "double", 2, "q") + "," +
               field("id", "long", 3, "col-i") +
               R"(]}","partitionColumns":["P","q"],"configuration":{"delta.columnMapping.mode":"name"}}})"
               "\n";
    }
    static std::string Add(std::string_view path, std::string_view values, int64_t min, int64_t max) {
        return fmt::format(
            R"({{"add":{{"path":"{}","partitionValues":{},"size":100,"modificationTime":1,"dataChange":true,"stats":)"
            R"("{{\"numRecords\":10,\"minValues\":{{\"col-i\":{}}},\"maxValues\":{{\"col-i\":{}}},\"nullCount\":{{\"col-i\":0}}}}"}}}})"
            "\n",
            path, values, min, max);
    }
    void Commit(int version, const std::string &body) {
        ASSERT_TRUE(
            engine_.store->Put(fmt::format("/t/_delta_log/{:020}.json", version), body, PutMode::kCreateOnly, call_)
                .ok());
    }

    Result<ScanPlan> Plan(const Predicate &predicate, const ScanOverlay *overlay = nullptr) {
        BF_ASSIGN(const auto snapshot, LoadSnapshot(engine_, "/t", LatestVersion{}, call_));
        return PlanScan(engine_, *snapshot, predicate, overlay, call_);
    }
    //! The last letters of the files' paths, sorted.
    std::string Files(const Predicate &predicate, const ScanOverlay *overlay = nullptr) {
        auto plan = Plan(predicate, overlay);
        EXPECT_TRUE(plan.ok()) << plan.error().message();
        std::string names;
        for (const auto &file : plan.ok() ? plan->files : std::vector<ScanFile>()) {
            names += file.path.back();
        }
        std::sort(names.begin(), names.end());
        return names;
    }
    static Predicate P(CompareOp op, std::string value) {
        return Predicate::Compare({"col-p"}, kString, op, Scalar::Text(kString, std::move(value)));
    }
    static Predicate Q(CompareOp op, double value) {
        return Predicate::Compare({"q"}, kDouble, op, Scalar::Real(kDouble, value));
    }
    static Predicate Id(CompareOp op, int64_t value) {
        return Predicate::Compare({"col-i"}, kLong, op, Scalar::Integer(kLong, value));
    }

    Engine engine_;
    Call call_;
};

TEST_F(PlanTest, EachFileWithWhatAReaderNeeds) {
    const auto plan = Plan(Predicate::True());
    ASSERT_TRUE(plan.ok()) << plan.error().message();
    ASSERT_EQ(plan->files.size(), 3U);
    EXPECT_EQ(plan->metrics.total_files, 3U);
    EXPECT_EQ(plan->metrics.total_bytes, 300U);
    EXPECT_EQ(plan->metrics.bytes_spared, 0U);
    for (const auto &file : plan->files) {
        EXPECT_EQ(file.live_rows(), 10);
        if (file.path.back() == '3') {
            EXPECT_EQ(file.path, "/t/col-p=b%20c/3");  // decoded once
            EXPECT_EQ(file.partition[0].text(), "b c");
            EXPECT_TRUE(file.partition[1].is_null());
        }
    }
}

TEST_F(PlanTest, PartitionsThenStatistics) {
    using enum CompareOp;
    EXPECT_EQ(Files(P(kEqual, "a")), "12");
    EXPECT_EQ(Files(Predicate::Not(P(kEqual, "a"))), "3");
    EXPECT_EQ(Files(Q(kGreater, 5)), "2");  // NaN is above 5, and 1.0 is exactly known
    EXPECT_EQ(Files(Predicate::Not(Q(kLessEqual, 5))), "2");
    EXPECT_EQ(Files(Predicate::IsNull({"q"}, kDouble)), "3");
    EXPECT_EQ(Files(Id(kGreaterEqual, 15)), "23");
    EXPECT_EQ(Files(Predicate::And({P(kEqual, "a"), Id(kGreaterEqual, 15)})), "2");
    EXPECT_EQ(Files(Predicate::Or({P(kEqual, "b c"), Id(kLess, 5)})), "13");
    EXPECT_EQ(Files(Predicate::And({P(kEqual, "a"), Predicate::Unknown()})), "12");
    EXPECT_EQ(Files(Predicate::Or({P(kEqual, "a"), Predicate::Unknown()})), "123");
    EXPECT_EQ(Files(Predicate::False()), "");
    const auto plan = Plan(Predicate::And({P(kEqual, "a"), Id(kGreaterEqual, 15)}));
    EXPECT_EQ(plan->metrics.total_files, 3U);
    EXPECT_EQ(plan->metrics.pruned_by_partition, 1U);
    EXPECT_EQ(plan->metrics.skipped_by_statistics, 1U);
    EXPECT_EQ(plan->metrics.bytes_spared, 200U);
}

TEST_F(PlanTest, BothFormsAgreeWithAnOverlay) {
    using enum CompareOp;
    auto live = Plan(Predicate::True());
    ASSERT_TRUE(live.ok());
    std::vector<AddFile> files;
    for (auto &file : live->files) {
        files.push_back(file.add);
    }
    ScanOverlay overlay;
    overlay.removed.insert(FileKey("col-p=a/1", std::nullopt));
    AddFile again = *std::find_if(files.begin(), files.end(), [](auto &file) { return file.path.back() == '1'; });
    again.path = "col-p=b%2520c/4";
    again.partition_values = {{"q", "2.0"}, {"col-p", "b c"}};
    DeletionVectorDescriptor vector;
    vector.storage_type = "i";
    vector.cardinality = 4;
    again.deletion_vector = vector;
    overlay.added.push_back(again);
    const auto snapshot = *LoadSnapshot(engine_, "/t", LatestVersion{}, call_);
    for (const auto &predicate : {Predicate::True(), P(kEqual, "b c"), Q(kGreater, 1.5), Id(kLess, 15)}) {
        const auto stored = Plan(predicate, &overlay);
        const auto in_memory = PlanScan(*snapshot, files, predicate, &overlay);
        ASSERT_TRUE(stored.ok() && in_memory.ok());
        std::multiset<std::string> a, b;
        for (const auto &file : stored->files) {
            a.insert(file.path);
        }
        for (const auto &file : in_memory->files) {
            b.insert(file.path);
        }
        EXPECT_EQ(a, b);
        EXPECT_EQ(stored->metrics.total_files, 3U);
        EXPECT_EQ(in_memory->metrics.total_files, 3U);
        EXPECT_EQ(stored->metrics.skipped_by_statistics, in_memory->metrics.skipped_by_statistics);
        EXPECT_EQ(stored->files.back().path, "/t/col-p=b%20c/4");
        EXPECT_EQ(stored->files.back().live_rows(), 6);
    }
}

TEST_F(PlanTest, ValuesThatDoNotFitTheSchemaAreErrorsOfTheFilesThatAreOpened) {
    Commit(1, Add("bad", R"({"col-p":"c","q":"one"})", 0, 1));
    auto plan = Plan(Predicate::True());
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().condition(), Condition::DELTA_INVALID_PARTITION_VALUE);
    EXPECT_NE(plan.error().text().find("'q'"), std::string::npos) << plan.error().text();
    EXPECT_NE(plan.error().text().find("bad"), std::string::npos) << plan.error().text();
    Commit(2, R"({"remove":{"path":"bad","deletionTimestamp":1,"dataChange":true}})"
              "\n");
    EXPECT_EQ(Files(Predicate::True()), "123");
    Commit(3, Add("none", R"({"col-p":"c"})", 0, 1));
    plan = Plan(Predicate::True());
    ASSERT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().condition(), Condition::DELTA_ADD_FILE_PARTITIONING_MISMATCH);
}

TEST_F(PlanTest, ManyFilesKeepOnlyTheirCounts) {
    const auto snapshot = *LoadSnapshot(engine_, "/t", LatestVersion{}, call_);
    AddFile add;
    add.partition_values = {{"col-p", "a"}, {"q", "1.0"}};
    add.stats = R"({"numRecords":10,"minValues":{"col-i":1},"maxValues":{"col-i":2},"nullCount":{"col-i":0}})";
    std::vector<AddFile> files(kPlanWithStatistics + 5, add);
    const auto plan = PlanScan(*snapshot, files, Id(CompareOp::kEqual, 1), nullptr);
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->files.size(), files.size());
    EXPECT_EQ(plan->files.front().live_rows(), 10);
    EXPECT_EQ(plan->files.front().statistics.NullCount({"col-i"}), std::nullopt);
    EXPECT_EQ(plan->files.back().statistics.NullCount({"col-i"}), std::nullopt);
    files.resize(3);
    EXPECT_EQ(PlanScan(*snapshot, files, Predicate::True(), nullptr)->files[2].statistics.NullCount({"col-i"}), 0);
}

}  // namespace
}  // namespace birdfoot
