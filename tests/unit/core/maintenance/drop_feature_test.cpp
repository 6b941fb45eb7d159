// DROP FEATURE on a table of log entries: the commits that it makes, and what time must pass.
#include "core/maintenance/drop_feature.hpp"

#include <gtest/gtest.h>

#include "core/table/table_features.hpp"
#include "unit/core/txn/small_table.hpp"
#include "unit/support/fake_parquet.hpp"
#include "unit/support/map_store.hpp"

namespace birdfoot {
namespace {

constexpr int64_t kDay = 86'400'000;

class DropFeatureTest : public testing::Test {
protected:
    DropFeatureTest() : maps(std::make_shared<test::MapStore>()), table(maps) {
        table.engine.parquet = std::make_shared<test::FakeParquet>(maps);
        Pass(0);
    }

    void Pass(int64_t ms) {
        table.clock += ms;
        maps->now_ms = table.clock;
    }

    std::string Drop(std::string_view feature, bool truncate = false) {
        DropFeatureOptions options;
        options.truncate_history = truncate;
        options.commit = table.options;
        options.rewrite = [&](const SnapshotPtr &, const TableDefinition &, const std::vector<AddFile> &files,
                              PendingFiles &) -> Result<std::vector<AddFile>> {
            std::vector<AddFile> written;
            for (const auto &file : files) {
                written.push_back(table.File("new-" + file.path, "a", 9));
                written.back().data_change = false;
            }
            return written;
        };
        const auto status = DropFeature(table.engine, table.root, feature, options, table.call);
        return status.ok() ? "ok" : std::string(ConditionName(status.error().condition()));
    }

    std::vector<std::string> Features() { return WriterFeatureNames(table.Load()->protocol()); }
    std::string Operation(Version version) {
        const auto document = JsonDocument::Parse(table.Log(version).substr(0, table.Log(version).find('\n')));
        return document.ok() ? std::string(document->root()["commitInfo"]["operation"].string().value_or("")) : "";
    }
    bool HasCheckpoint(Version version) {
        const auto prefix = fmt::format("{}/_delta_log/{:020}.checkpoint", table.root, version);
        const auto found = maps->objects.lower_bound(prefix);
        return found != maps->objects.end() && found->first.starts_with(prefix);
    }

    std::shared_ptr<test::MapStore> maps;
    SmallTable table;
};

TEST_F(DropFeatureTest, OnlyWhatIsThereAndCanGoIsDropped) {
    table.Create({{"delta.enableRowTracking", "true"}, {"delta.enableChangeDataFeed", "true"}});
    EXPECT_EQ(Drop("changeDataFeed"), "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE");
    EXPECT_EQ(Drop("deletionVectors"), "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT");
    EXPECT_EQ(Drop("blahabl"), "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE");
    EXPECT_EQ(Drop("delta.appendOnly"), "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY");
    EXPECT_EQ(Drop("domainMetadata"), "DELTA_FEATURE_DROP_DEPENDENT_FEATURE");
    EXPECT_EQ(Drop("rowTracking", true), "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED");
    EXPECT_EQ(table.Load()->version(), 0);
}

TEST_F(DropFeatureTest, RowIdsGoWithTheFeature) {
    table.Create({{"delta.enableRowTracking", "true"}});
    table.Append({table.File("a"), table.File("b")});
    ASSERT_EQ(table.Files().at("b").base_row_id.has_value(), true);
    ASSERT_EQ(Drop("rowTracking"), "ok");
    for (const auto &[name, file] : table.Files()) {
        EXPECT_FALSE(file.base_row_id || file.default_row_commit_version) << name;
    }
    EXPECT_EQ(Features(), (std::vector<std::string>{"appendOnly", "domainMetadata", "invariants"}));
    EXPECT_EQ(Drop("domainMetadata"), "ok");
    EXPECT_TRUE(table.Load()->metadata().configuration.empty());
    EXPECT_EQ(table.Load()->version(), 3);
}

TEST_F(DropFeatureTest, CheckpointsStandBetweenReadersAndAFeatureInTheHistory) {
    table.Create({{"delta.enableDeletionVectors", "true"}});
    auto with_vector = table.File("a");
    with_vector.deletion_vector =
        DeletionVectorDescriptor{"i", "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L", {}, 40, 1};
    table.Append({with_vector, table.File("b")});
    ASSERT_EQ(Drop("deletionVectors"), "ok");
    EXPECT_EQ(table.FileNames(), "b new-a ");
    std::string operations;
    for (Version version = 2; version <= table.Load()->version(); ++version) {
        operations += Operation(version) + (HasCheckpoint(version) ? "* " : " ");
    }
    EXPECT_EQ(operations, "UNSET TBLPROPERTIES REORG Empty Commit* Empty Commit* Empty Commit* DROP FEATURE* ");
    EXPECT_EQ(Features(), (std::vector<std::string>{"appendOnly", "checkpointProtection", "invariants"}));
    EXPECT_EQ(table.Load()->Property("delta.requireCheckpointProtectionBeforeVersion"), "7");
    EXPECT_EQ(Drop("checkpointProtection"),
              "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION");
    EXPECT_EQ(Drop("checkpointProtection", true), "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD");
    EXPECT_EQ(table.FileNames(), "b new-a ");
}

TEST_F(DropFeatureTest, TruncatedHistoryNeedsTwoRunsAndARetentionBetween) {
    table.Create({{"delta.checkpointPolicy", "v2"}});
    table.Append({table.File("a")});
    EXPECT_EQ(Drop("v2Checkpoint", true), "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD");
    EXPECT_EQ(table.Load()->Property("delta.checkpointPolicy"), "classic");
    EXPECT_EQ(Drop("v2Checkpoint", true), "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST");
    Pass(2 * kDay);
    EXPECT_EQ(Drop("v2Checkpoint", true), "ok");
    EXPECT_EQ(Features(), (std::vector<std::string>{"appendOnly", "invariants"}));
    EXPECT_EQ(table.FileNames(), "a ");
    EXPECT_FALSE(maps->objects.contains(table.root + "/_delta_log/" + CommitFileName(0)));
}

TEST_F(DropFeatureTest, AFeatureWithoutTracesGoesAtOnce) {
    table.Create({}, WithFeature({1, 2, {}, {}}, "vacuumProtocolCheck"));
    ASSERT_EQ(Drop("vacuumProtocolCheck", true), "ok");
    EXPECT_EQ(table.Load()->protocol(), (Protocol{1, 2, {}, {}}));
}

}  // namespace
}  // namespace birdfoot
