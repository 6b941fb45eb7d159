#include "core/table/table_cache.hpp"

#include <thread>

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class TableCacheTest : public LogTest {
protected:
    void SetUp() override { engine.cache = std::make_shared<TableCache>(); }
    SnapshotPtr Open() {
        auto snapshot = OpenSnapshot(engine, root, LatestVersion(), call);
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        return snapshot.ok() ? *snapshot : nullptr;
    }
    Names Files(const SnapshotPtr &snapshot) {
        const auto files = CachedFiles(engine, snapshot, call);
        Names paths;
        for (const auto &file : **files) {
            paths.push_back(file.path);
        }
        return paths;
    }
};

TEST_F(TableCacheTest, AnUnchangedTableCostsTwoHeads) {
    Create(Add("a"));
    const auto first = Open();
    EXPECT_EQ(Files(first), (Names{"a"}));
    store->gets = store->lists = store->heads = 0;
    EXPECT_EQ(Open(), first);
    EXPECT_EQ(Files(first), (Names{"a"}));
    EXPECT_EQ(store->gets + store->lists, 0);
    EXPECT_EQ(store->heads, 2);
}

TEST_F(TableCacheTest, NewCommitsAloneAreRead) {
    Create(Add("a") + Add("b"));
    EXPECT_EQ(Files(Open()), (Names{"a", "b"}));
    Commit(1, Add("c"));
    Commit(2, Remove("a") + Add("d"));
    store->gets = store->lists = 0;
    const auto snapshot = Open();
    EXPECT_EQ(Files(snapshot), (Names{"b", "c", "d"}));
    EXPECT_EQ(store->gets, 2);
    EXPECT_EQ(store->lists, 0);
}

TEST_F(TableCacheTest, AnotherTableUnderThePathIsNoticed) {
    Create(Add("a"));
    EXPECT_EQ(Files(Open()), (Names{"a"}));
    store->objects.clear();
    store->now_ms = 5'000;
    Create(Add("z"));
    EXPECT_EQ(Files(Open()), (Names{"z"}));
    store->objects.clear();
    EXPECT_FALSE(OpenSnapshot(engine, root, LatestVersion(), call).ok());
    Create(Add("y"));
    EXPECT_EQ(Files(Open()), (Names{"y"}));
}

TEST_F(TableCacheTest, AnOlderVersionTakesNothingFromTheNewest) {
    Create(Add("a"));
    Commit(1, Add("b"));
    const auto newest = Open();
    EXPECT_EQ(Files(newest), (Names{"a", "b"}));
    EXPECT_EQ(Files(*OpenSnapshot(engine, root, AtVersion{0}, call)), (Names{"a"}));
    store->gets = 0;
    EXPECT_EQ(Files(newest), (Names{"a", "b"}));
    EXPECT_EQ(store->gets, 0);
}

TEST_F(TableCacheTest, LargeTablesKeepNoFiles) {
    std::string lines;
    for (size_t i = 0; i <= TableCache::kMaxLiveFiles; ++i) {
        lines += Add(fmt::format("f{}", i));
    }
    Create(lines);
    EXPECT_EQ(*CachedFiles(engine, Open(), call), nullptr);
    Commit(1, Remove("f0"));
    EXPECT_EQ(*CachedFiles(engine, Open(), call), nullptr);
}

TEST_F(TableCacheTest, ManyThreadsAndAWriter) {
    Create(Add("f0"));
    std::atomic<bool> failed{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                const auto snapshot = OpenSnapshot(engine, root, LatestVersion(), call);
                const auto files =
                    snapshot.ok() ? CachedFiles(engine, *snapshot, call) : Result<LiveFiles>(LiveFiles());
                if (!files.ok() || !*files || (*files)->size() != static_cast<size_t>((*snapshot)->version()) + 1) {
                    failed = true;
                }
            }
        });
    }
    for (Version v = 1; v <= 50; ++v) {
        ASSERT_TRUE(
            store->Put(LogPath(CommitFileName(v)), Add(fmt::format("f{}", v)), PutMode::kCreateOnly, call).ok());
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_FALSE(failed);
}

}  // namespace
}  // namespace birdfoot::test
