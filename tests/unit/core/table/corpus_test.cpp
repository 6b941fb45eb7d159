// Real tables of other writers, where they are on this machine (BIRDFOOT_CORPUS): every one is opened, replayed and its
// history read from its JSON alone. Parquet checkpoints are refused here for want of a reader; the golden tests read
// them.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/log/replay.hpp"
#include "core/table/history.hpp"
#include "core/table/snapshot.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::test {
namespace {

TEST(CorpusTest, EveryTableIsOpenedOrRefusedByName) {
    const char *folder = std::getenv("BIRDFOOT_CORPUS");
    if (!folder) {
        GTEST_SKIP() << "BIRDFOOT_CORPUS is not set";
    }
    const Engine engine{std::make_shared<storage::LocalStore>(), nullptr, [] { return int64_t{0}; }};
    size_t opened = 0;
    for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "tables")) {
        const auto root = NormalizeTableRoot((entry.path() / "delta").string());
        for (std::optional<Version> version = std::nullopt;; version = version.value_or(-1) + 1) {
            const auto snapshot =
                LoadSnapshot(engine, root, version ? VersionTarget(AtVersion{*version}) : LatestVersion(), {});
            if (!snapshot.ok()) {
                EXPECT_NE(snapshot.error().kind(), ErrorKind::kInternal) << snapshot.error().message();
                EXPECT_NE(snapshot.error().kind(), ErrorKind::kIo) << snapshot.error().message();
                break;
            }
            ++opened;
            const auto counts =
                ReplayFiles(engine, (*snapshot)->segment(), {}, [](AddFile &&) -> Status { return {}; }, {});
            if (!counts.ok()) {
                EXPECT_EQ(counts.error().condition(), Condition::BIRDFOOT_UNSUPPORTED) << counts.error().message();
            }
            EXPECT_TRUE(ReadHistory(engine, **snapshot, 5, {}).ok()) << root;
            if (version && *version > 30) {
                break;
            }
        }
    }
    EXPECT_GT(opened, 100u);
}

}  // namespace
}  // namespace birdfoot::test
