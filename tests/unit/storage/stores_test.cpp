// Every store and decorator against the port's contract, and what the decorators add.
#include <gtest/gtest.h>

#include "storage/fault_injecting_store.hpp"
#include "storage/local_store.hpp"
#include "storage/memory_store.hpp"
#include "storage/retrying_store.hpp"
#include "unit/contracts/object_store_contract.hpp"

namespace birdfoot {
namespace {

using storage::Fault;
using storage::FaultInjectingStore;
using storage::LocalStore;
using storage::MemoryStore;
using storage::RetryingStore;
using storage::RetryPolicy;

StoreUnderTest Local(bool fsync) {
    auto folder = MakeScratchFolder();
    return {std::make_shared<LocalStore>(fsync), *folder, folder};
}

INSTANTIATE_TEST_SUITE_P(
    Stores, ObjectStoreContract,
    testing::Values(StoreCase{"Memory",
                              [] {
                                  return StoreUnderTest{std::make_shared<MemoryStore>(), "/memory", nullptr};
                              }},
                    StoreCase{"Local", [] { return Local(false); }},
                    StoreCase{"LocalWithFsync", [] { return Local(true); }},
                    StoreCase{
                        "FaultInjecting",
                        [] {
                            auto inner = std::make_shared<MemoryStore>();
                            return StoreUnderTest{std::make_shared<FaultInjectingStore>(inner), "/memory", nullptr};
                        }},
                    StoreCase{"Retrying",
                              [] {
                                  auto inner = std::make_shared<MemoryStore>();
                                  return StoreUnderTest{std::make_shared<RetryingStore>(inner), "/memory", nullptr};
                              }}),
    [](const testing::TestParamInfo<StoreCase> &info) { return info.param.name; });

TEST(FaultInjectingStoreTest, FailsTheChosenCallOnly) {
    auto inner = std::make_shared<MemoryStore>();
    FaultInjectingStore store(inner);
    const Call call;
    store.FailCall(2, Fault::kFails);
    EXPECT_TRUE(store.Put("/a", "1", PutMode::kCreateOnly, call).ok());
    EXPECT_FALSE(store.Put("/b", "1", PutMode::kCreateOnly, call).ok());
    EXPECT_TRUE(store.Put("/c", "1", PutMode::kCreateOnly, call).ok());
    EXPECT_FALSE(inner->Head("/b", call).ok());
    EXPECT_EQ(store.calls(), 3u);
}

TEST(FaultInjectingStoreTest, TheAnswerIsLostButThePutHappened) {
    auto inner = std::make_shared<MemoryStore>();
    FaultInjectingStore store(inner);
    const Call call;
    store.FailPuts("log", Fault::kAnswerLost, 1);
    EXPECT_TRUE(store.Put("/data", "1", PutMode::kCreateOnly, call).ok());
    EXPECT_FALSE(store.Put("/log/0", "1", PutMode::kCreateOnly, call).ok());
    EXPECT_EQ(store.Put("/log/0", "1", PutMode::kCreateOnly, call).value(), PutResult::kAlreadyExists);
}

TEST(FaultInjectingStoreTest, DeadIsDeadAndListsAreStale) {
    auto inner = std::make_shared<MemoryStore>();
    FaultInjectingStore store(inner);
    const Call call;
    for (const auto *path : {"/t/a", "/t/b", "/t/c"}) {
        ASSERT_TRUE(store.Put(path, "1", PutMode::kCreateOnly, call).ok());
    }
    store.StaleLists(2);
    EXPECT_EQ(store.List("/t", "", call)->size(), 1u);
    EXPECT_TRUE(store.Head("/t/c", call).ok()) << "a stale list does not hide the object itself";
    store.FailCall(1, Fault::kDies);
    EXPECT_FALSE(store.Head("/t/c", call).ok());
    EXPECT_FALSE(store.Head("/t/c", call).ok());
    store.Heal();
    EXPECT_EQ(store.List("/t", "", call)->size(), 3u);
}

TEST(RetryingStoreTest, TriesAgainWhatIsSafe) {
    auto faulty = std::make_shared<FaultInjectingStore>(std::make_shared<MemoryStore>());
    std::vector<int64_t> slept;
    RetryPolicy policy;
    policy.sleep = [&](std::chrono::milliseconds delay) { slept.push_back(delay.count()); };
    RetryingStore store(faulty, policy);
    const Call call;
    faulty->FailPuts("f", Fault::kFails, 3);
    EXPECT_TRUE(store.Put("/f", "1", PutMode::kOverwrite, call).ok());
    ASSERT_EQ(slept.size(), 3u);
    EXPECT_GE(slept[2], 200);
    EXPECT_LE(slept[2], 400);
    faulty->FailPuts("g", Fault::kFails, 1);
    EXPECT_FALSE(store.Put("/g", "1", PutMode::kCreateOnly, call).ok()) << "a create-only put is left to its caller";
    const auto calls = faulty->calls();
    EXPECT_FALSE(store.Get("/none", std::nullopt, call).ok());
    EXPECT_EQ(faulty->calls(), calls + 1) << "what is missing is not asked for again";
}

}  // namespace
}  // namespace birdfoot
