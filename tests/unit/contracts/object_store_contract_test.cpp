#include "unit/contracts/object_store_contract.hpp"

#include <atomic>
#include <filesystem>
#include <thread>

#include "core/base/uuid.hpp"

namespace birdfoot {

std::shared_ptr<std::string> MakeScratchFolder() {
    const auto path = std::filesystem::temp_directory_path() / ("birdfoot-" + RandomUuid());
    std::filesystem::create_directories(path);
    return {new std::string(path.string()), [](std::string *folder) {
                std::error_code ignored;
                std::filesystem::remove_all(*folder, ignored);
                delete folder;
            }};
}

void ObjectStoreContract::Write(const std::string &path, std::string_view bytes, PutMode mode) {
    auto result = store().Put(At(path), bytes, mode, call_);
    ASSERT_TRUE(result.ok()) << result.error().message();
    ASSERT_EQ(*result, PutResult::kWritten);
}

namespace {

std::string Names(const Result<std::vector<ObjectInfo>> &listed) {
    std::string names;
    if (!listed.ok()) {
        return listed.error().message();
    }
    for (const auto &info : *listed) {
        names += info.name + "(" + std::to_string(info.size) + ") ";
    }
    return names;
}

TEST_P(ObjectStoreContract, GetGivesWhatWasPut) {
    const std::string bytes("a\0b\xff\n", 5);
    Write("f", bytes);
    auto got = store().Get(At("f"), std::nullopt, call_);
    ASSERT_TRUE(got.ok()) << got.error().message();
    EXPECT_EQ(*got, bytes);
    Write("empty", "");
    got = store().Get(At("empty"), std::nullopt, call_);
    ASSERT_TRUE(got.ok()) << got.error().message();
    EXPECT_EQ(*got, "");
}

TEST_P(ObjectStoreContract, RangesLieWithin) {
    Write("f", "0123456789");
    EXPECT_EQ(store().Get(At("f"), ByteRange{3, 4}, call_).value(), "3456");
    EXPECT_EQ(store().Get(At("f"), ByteRange{0, 10}, call_).value(), "0123456789");
    EXPECT_EQ(store().Get(At("f"), ByteRange{10, 0}, call_).value(), "");
    EXPECT_FALSE(store().Get(At("f"), ByteRange{3, 8}, call_).ok());
    EXPECT_FALSE(store().Get(At("f"), ByteRange{11, 0}, call_).ok());
    EXPECT_FALSE(store().Get(At("f"), ByteRange{1, UINT64_MAX}, call_).ok());
}

TEST_P(ObjectStoreContract, WhatIsMissingIsSaidSo) {
    Write("folder/f", "x");
    for (const auto *path : {"none", "folder", "folder/none", "folder/f/below"}) {
        auto got = store().Get(At(path), std::nullopt, call_);
        ASSERT_FALSE(got.ok()) << path;
        EXPECT_EQ(got.error().condition(), Condition::BIRDFOOT_OBJECT_NOT_FOUND) << got.error().message();
        auto head = store().Head(At(path), call_);
        ASSERT_FALSE(head.ok()) << path;
        EXPECT_EQ(head.error().condition(), Condition::BIRDFOOT_OBJECT_NOT_FOUND) << head.error().message();
    }
    EXPECT_EQ(Names(store().List(At("none"), "", call_)), "");
    EXPECT_EQ(Names(store().List(At("folder/f"), "", call_)), "");
    EXPECT_EQ(Names(store().ListRecursive(At("none"), call_)), "");
    EXPECT_TRUE(store().Delete(At("none"), call_).ok());
    EXPECT_TRUE(store().DeleteFolder(At("none"), call_).ok());
}

TEST_P(ObjectStoreContract, HeadTellsSizeTimeAndChange) {
    Write("d/f", "12345");
    auto first = store().Head(At("d/f"), call_);
    ASSERT_TRUE(first.ok()) << first.error().message();
    EXPECT_EQ(first->name, "f");
    EXPECT_EQ(first->size, 5u);
    const auto now =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
            .count();
    EXPECT_NEAR(static_cast<double>(first->modified_ms), static_cast<double>(now), 60'000);
    Write("d/f", "54321", PutMode::kOverwrite);
    auto second = store().Head(At("d/f"), call_);
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(first->etag.empty() || first->etag != second->etag);
}

TEST_P(ObjectStoreContract, CreateOnlyNeverReplaces) {
    Write("a/b/c/f", "first");
    auto again = store().Put(At("a/b/c/f"), "second", PutMode::kCreateOnly, call_);
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(*again, PutResult::kAlreadyExists);
    EXPECT_EQ(store().Get(At("a/b/c/f"), std::nullopt, call_).value(), "first");
    Write("a/b/c/f", "third", PutMode::kOverwrite);
    EXPECT_EQ(store().Get(At("a/b/c/f"), std::nullopt, call_).value(), "third");
    EXPECT_EQ(Names(store().List(At("a/b/c"), "", call_)), "f(5) ") << "no temporary files are left";
}

TEST_P(ObjectStoreContract, ListsInTheOrderOfBytesFromAName) {
    for (const auto *name : {"b", "a", "B", "a.b", "a0", "\xc3\xa9", "z", "a b", "sub/x", "a-/y", "_c", ".d"}) {
        Write(std::string("t/") + name, name);
    }
    EXPECT_EQ(Names(store().List(At("t"), "", call_)),
              ".d(2) B(1) _c(2) a(1) a b(3) a.b(3) a0(2) b(1) z(1) \xc3\xa9(2) ");
    EXPECT_EQ(Names(store().List(At("t"), "a.b", call_)), "a.b(3) a0(2) b(1) z(1) \xc3\xa9(2) ");
    EXPECT_EQ(Names(store().List(At("t"), "a.", call_)), "a.b(3) a0(2) b(1) z(1) \xc3\xa9(2) ");
    EXPECT_EQ(Names(store().List(At("t"), "\xff", call_)), "");
}

TEST_P(ObjectStoreContract, ListsRecursively) {
    for (const auto *name : {"p=1/x", "p=1/y/z", "q", "p=1a", "p=%2F/w"}) {
        Write(std::string("t/") + name, name);
    }
    Write("tt", "not below t");
    EXPECT_EQ(Names(store().ListRecursive(At("t"), call_)), "p=%2F/w(7) p=1/x(5) p=1/y/z(7) p=1a(4) q(1) ");
}

TEST_P(ObjectStoreContract, ListsFolders) {
    for (const auto *name : {"t/b/x", "t/b/y/z", "t/a", "t/b-/x", "t/_c/x", "tt/f"}) {
        Write(name, name);
    }
    EXPECT_EQ(*store().ListFolders(At("t"), call_), (std::vector<std::string>{"_c", "b", "b-"}));
    EXPECT_EQ(store().ListFolders(At("none"), call_)->size(), 0u);
}

TEST_P(ObjectStoreContract, DeletesFilesAndFolders) {
    for (const auto *name : {"t/a", "t/b/c", "t/b/d/e", "tt/f"}) {
        Write(name, name);
    }
    ASSERT_TRUE(store().Delete(At("t/a"), call_).ok());
    EXPECT_FALSE(store().Head(At("t/a"), call_).ok());
    ASSERT_TRUE(store().DeleteFolder(At("t"), call_).ok());
    EXPECT_EQ(Names(store().ListRecursive(under_test_.root, call_)), "tt/f(4) ");
}

TEST_P(ObjectStoreContract, StrangeNames) {
    for (const auto *name : {"a b", "a%20b", "p=a%2Fb", "#?&+", "\xf0\x9f\x98\x80", "'\"\\", "x..y", "~"}) {
        Write(std::string("s/") + name, name);
        EXPECT_EQ(store().Get(At(std::string("s/") + name), std::nullopt, call_).value(), name);
    }
    EXPECT_EQ(store().List(At("s"), "", call_)->size(), 8u);
}

TEST_P(ObjectStoreContract, OneWriterWinsARace) {
    constexpr int kThreads = 8;
    constexpr int kRounds = 25;
    for (int round = 0; round < kRounds; ++round) {
        const std::string path = At("race/" + std::to_string(round));
        std::atomic<int> winners{0};
        std::atomic<int> winner{-1};
        std::atomic<int> ready{0};
        std::vector<std::thread> threads;
        for (int writer = 0; writer < kThreads; ++writer) {
            threads.emplace_back([&, writer] {
                ++ready;
                while (ready < kThreads) {
                    std::this_thread::yield();
                }
                auto result =
                    store().Put(path, std::string(1000, static_cast<char>('a' + writer)), PutMode::kCreateOnly, call_);
                if (result.ok() && *result == PutResult::kWritten) {
                    ++winners;
                    winner = writer;
                }
            });
        }
        for (auto &thread : threads) {
            thread.join();
        }
        ASSERT_EQ(winners, 1);
        ASSERT_EQ(store().Get(path, std::nullopt, call_).value(),
                  std::string(1000, static_cast<char>('a' + winner.load())));
    }
    EXPECT_EQ(store().List(At("race"), "", call_)->size(), static_cast<size_t>(kRounds));
}

TEST_P(ObjectStoreContract, AReaderSeesAllOrNothing) {
    std::atomic<bool> done{false};
    std::thread writer([&] {
        for (int i = 0; i < 50; ++i) {
            const auto size = static_cast<size_t>(i % 2 == 0 ? 200'000 : 10);
            auto result = store().Put(At("f"), std::string(size, 'x'), PutMode::kOverwrite, call_);
            EXPECT_TRUE(result.ok());
        }
        done = true;
    });
    while (!done) {
        auto got = store().Get(At("f"), std::nullopt, call_);
        if (got.ok()) {
            EXPECT_TRUE(got->size() == 200'000 || got->size() == 10) << got->size();
        }
    }
    writer.join();
}

TEST_P(ObjectStoreContract, CancelledCallsDoNothing) {
    Call cancelled;
    cancelled.cancelled = [] { return true; };
    auto put = store().Put(At("f"), "x", PutMode::kCreateOnly, cancelled);
    ASSERT_FALSE(put.ok());
    EXPECT_EQ(put.error().condition(), Condition::BIRDFOOT_CANCELLED);
    EXPECT_FALSE(store().Head(At("f"), call_).ok());
    EXPECT_FALSE(store().List(under_test_.root, "", cancelled).ok());
    EXPECT_FALSE(store().Get(At("f"), std::nullopt, cancelled).ok());
}

TEST_P(ObjectStoreContract, CallsAreCounted) {
    CallMetrics metrics;
    Call counted;
    counted.metrics = &metrics;
    ASSERT_TRUE(store().Put(At("f"), "12345", PutMode::kOverwrite, counted).ok());
    ASSERT_TRUE(store().Get(At("f"), ByteRange{1, 3}, counted).ok());
    ASSERT_TRUE(store().Head(At("f"), counted).ok());
    ASSERT_TRUE(store().List(At("x"), "", counted).ok());
    EXPECT_EQ(metrics.puts, 1u);
    EXPECT_EQ(metrics.gets, 1u);
    EXPECT_EQ(metrics.heads, 1u);
    EXPECT_EQ(metrics.lists, 1u);
    EXPECT_EQ(metrics.bytes_read, 3u);
}

}  // namespace
}  // namespace birdfoot
