// What if it dies here? The k-th call to the store fails, for every k; a put lands but its answer is lost; others
// commit, drop or make the table anew in between; many threads append at once.
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "storage/fault_injecting_store.hpp"
#include "storage/local_store.hpp"
#include "unit/contracts/object_store_contract.hpp"
#include "unit/core/txn/small_table.hpp"

namespace birdfoot {
namespace {

using storage::Fault;
using storage::FaultInjectingStore;
using storage::LocalStore;
using storage::MemoryStore;

struct FaultyTable {
    std::shared_ptr<MemoryStore> inner = std::make_shared<MemoryStore>();
    std::shared_ptr<FaultInjectingStore> faults = std::make_shared<FaultInjectingStore>(inner);
    SmallTable table{faults};
    SmallTable witness{inner};  // sees what is really there
};

TEST(UnclearOutcomeTest, APutThatFailedIsRepeated) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("f1")};
    f.faults->FailPuts("_delta_log", Fault::kFails, 3);
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 1);
    EXPECT_EQ(f.table.sleeps, 3);
    EXPECT_EQ(f.witness.FileNames(), "f1 ");
}

TEST(UnclearOutcomeTest, APutWhoseAnswerWasLostIsRecognised) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("f1")};
    f.faults->FailPuts("_delta_log", Fault::kAnswerLost, 1);
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 1);
    EXPECT_EQ(f.witness.Load()->version(), 1);
}

TEST(UnclearOutcomeTest, ALostAnswerAtTheCreationIsRecognised) {
    FaultyTable f;
    f.faults->FailPuts("_delta_log", Fault::kAnswerLost, 1);
    f.table.Create();
    EXPECT_EQ(f.witness.Load()->version(), 0);
}

TEST(UnclearOutcomeTest, SomeoneElseMayHaveTakenTheVersionMeanwhile) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("ours")};
    f.faults->FailPuts("_delta_log", Fault::kFails, 1);
    f.table.options.sleep = [&](std::chrono::milliseconds) { f.witness.Append({f.witness.File("theirs")}); };
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 2);
    EXPECT_EQ(f.witness.FileNames(), "ours theirs ");
}

TEST(UnclearOutcomeTest, WhatCannotBeClearedUpIsSaidAndNothingElseIsTried) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("f1")};
    f.faults->FailPuts("_delta_log", Fault::kFails, 1000);
    const auto outcome = f.table.Commit(transaction);
    ASSERT_EQ(Name(outcome), "unknown");
    const auto &error = std::get<OutcomeUnknown>(*outcome).error;
    EXPECT_EQ(error.condition(), Condition::BIRDFOOT_COMMIT_OUTCOME_UNKNOWN);
    EXPECT_NE(error.message().find("version 1"), std::string::npos) << error.message();
    EXPECT_EQ(f.witness.Load()->version(), 0);
    EXPECT_FALSE(f.inner->Head("/t/_delta_log/" + CommitFileName(2), Call()).ok());
}

TEST(UnclearOutcomeTest, AStoreWithinTheMachineFailsForCertain) {
    auto folder = MakeScratchFolder();
    SmallTable table(std::make_shared<LocalStore>(false), *folder + "/file/t");
    ASSERT_TRUE(table.store->Put(*folder + "/file", "", PutMode::kCreateOnly, Call()).ok());
    Transaction create(table.root, nullptr);
    create.changes().metadata = table.MetadataOf();
    const auto outcome = table.Commit(create);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().condition(), Condition::BIRDFOOT_IO);
}

// ---- the k-th call fails ----

struct Story {
    const char *name;
    std::function<void(SmallTable &)> before;
    std::function<Result<CommitOutcome>(SmallTable &)> act;
    const char *files_before;
    const char *files_after;
};

std::vector<Story> Stories() {
    const auto nothing = [](SmallTable &) {};
    const auto filled = [](SmallTable &table) {
        table.Create();
        table.Append({table.File("f1"), table.File("f2")});
    };
    const auto create = [](SmallTable &table) {
        Transaction transaction(table.root, nullptr);
        transaction.changes().metadata = table.MetadataOf();
        transaction.changes().adds = {table.File("new")};
        return table.Commit(transaction);
    };
    //! Loading is part of the story: it may fail as well.
    const auto change = [](std::function<void(SmallTable &, ChangeSet &)> fill) {
        return [fill](SmallTable &table) -> Result<CommitOutcome> {
            BF_ASSIGN(auto snapshot, LoadSnapshot(table.engine, table.root, LatestVersion(), table.call));
            Transaction transaction(table.root, std::move(snapshot));
            fill(table, transaction.changes());
            return table.Commit(transaction);
        };
    };
    const auto append = change([](SmallTable &table, ChangeSet &changes) { changes.adds = {table.File("new")}; });
    const auto overwrite = change([](SmallTable &table, ChangeSet &changes) {
        changes.reads->AddRead();
        changes.removes = {MakeRemove(table.File("f1"), 1, true), MakeRemove(table.File("f2"), 1, true)};
        changes.adds = {table.File("new")};
    });
    return {{"create", nothing, create, "", "new "},
            {"append", filled, append, "f1 f2 ", "f1 f2 new "},
            {"overwrite", filled, overwrite, "f1 f2 ", "new "}};
}

TEST(KthCallTest, TheTableIsAsBeforeOrAfterAndTheAnswerIsTrue) {
    for (const auto &story : Stories()) {
        for (const auto fault : {Fault::kFails, Fault::kAnswerLost, Fault::kDies}) {
            for (uint64_t k = 1;; ++k) {
                FaultyTable f;
                story.before(f.table);
                const auto calls = f.faults->calls();
                f.faults->FailCall(k, fault);
                const auto outcome = story.act(f.table);
                const bool reached = f.faults->calls() - calls >= k;
                f.faults->Heal();
                const auto where =
                    fmt::format("{}, fault {}, call {}: {}", story.name, static_cast<int>(fault), k, Name(outcome));
                const bool there = IsDeltaTable(f.witness.engine, "/t", Call()).value();
                const auto files = there ? f.witness.FileNames() : "";
                if (Name(outcome) == "ok") {
                    EXPECT_EQ(files, story.files_after) << where;
                } else if (Name(outcome) == "unknown") {
                    EXPECT_TRUE(files == story.files_before || files == story.files_after) << where;
                } else {
                    EXPECT_EQ(files, story.files_before) << where;
                    // No stray state: the same thing works when it is done again.
                    EXPECT_EQ(Name(story.act(f.table)), "ok") << where;
                    EXPECT_EQ(f.witness.FileNames(), story.files_after) << where;
                }
                if (!reached) {
                    break;
                }
                ASSERT_LT(k, 100u);
            }
        }
    }
}

// ---- the table changes under our feet ----

TEST(GoneTableTest, ADroppedTableIsNotBroughtBack) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin();
    transaction.changes().adds = {table.File("f1")};
    ASSERT_TRUE(table.store->DeleteFolder("/t", table.call).ok());
    EXPECT_EQ(Name(table.Commit(transaction)), "DELTA_CONCURRENT_WRITE");
    EXPECT_TRUE(table.store->ListRecursive("/t", table.call)->empty());
}

TEST(GoneTableTest, ATableMadeAnewIsAnother) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin();
    transaction.changes().adds = {table.File("f1")};
    ASSERT_TRUE(table.store->DeleteFolder("/t", table.call).ok());
    table.Create();
    EXPECT_EQ(Name(table.Commit(transaction)), "DELTA_CONCURRENT_WRITE");
    EXPECT_EQ(table.Load()->version(), 0);
}

TEST(GoneTableTest, AVersionThatLogCleanUpRemovedIsNotWrittenAgain) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin();
    transaction.changes().adds = {table.File("late")};
    for (int i = 0; i < 3; ++i) {
        table.Append({table.File(fmt::format("f{}", i))});
    }
    for (Version version = 0; version < 3; ++version) {  // as if a checkpoint covered them
        ASSERT_TRUE(table.store->Delete("/t/_delta_log/" + CommitFileName(version), table.call).ok());
    }
    EXPECT_EQ(Name(table.Commit(transaction)), "DELTA_CONCURRENT_WRITE");
    EXPECT_FALSE(table.store->Head("/t/_delta_log/" + CommitFileName(1), table.call).ok());
}

TEST(CreationTest, OneOfTwoCreates) {
    SmallTable table;
    Transaction first(table.root, nullptr);
    first.changes().metadata = table.MetadataOf();
    Transaction second(table.root, nullptr);
    second.changes().metadata = table.MetadataOf();
    EXPECT_EQ(Name(table.Commit(first)), "ok");
    EXPECT_EQ(Name(table.Commit(second)), "DELTA_TABLE_ALREADY_EXISTS");
}

TEST(CreationTest, ARaceAtThePutIsLostToo) {
    FaultyTable f;
    Transaction slow(f.table.root, nullptr);
    slow.changes().metadata = f.table.MetadataOf();
    f.faults->SetBefore([&](std::string_view operation, const std::string &) {
        if (operation == "put") {
            f.witness.Create();
        }
    });
    EXPECT_EQ(Name(f.table.Commit(slow)), "DELTA_TABLE_ALREADY_EXISTS");
}

TEST(CreationTest, ALogWhoseBeginningWasCleanedUpIsATable) {
    SmallTable table;
    table.Create();
    table.Append({table.File("f1")});
    ASSERT_TRUE(table.store->Delete("/t/_delta_log/" + CommitFileName(0), table.call).ok());
    Transaction create(table.root, nullptr);
    create.changes().metadata = table.MetadataOf();
    EXPECT_EQ(Name(table.Commit(create)), "DELTA_TABLE_ALREADY_EXISTS");
}

// ---- limits, cancelling, stale lists, idempotent writes ----

TEST(CommitLimitTest, GivesUpAfterSoManyAttempts) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("slow")};
    f.table.options.max_attempts = 3;
    int others = 0;
    f.faults->SetBefore([&](std::string_view operation, const std::string &) {
        if (operation == "put") {
            f.witness.Append({f.witness.File(fmt::format("f{}", others++))});
        }
    });
    const auto outcome = f.table.Commit(transaction);
    EXPECT_EQ(Name(outcome), "DELTA_MAX_COMMIT_RETRIES_EXCEEDED");
    EXPECT_NE(std::get<Conflict>(*outcome).error.message().find("tried 3 times"), std::string::npos);
    EXPECT_EQ(others, 3);
}

TEST(CommitLimitTest, BacksOffOnlyWhenOthersKeepWinning) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("slow")};
    int others = 0;
    f.faults->SetBefore([&](std::string_view operation, const std::string &) {
        if (operation == "put" && others < 8) {
            f.witness.Append({f.witness.File(fmt::format("f{}", others++))});
        }
    });
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 9);
    EXPECT_EQ(f.table.sleeps, 5);
}

TEST(CommitLimitTest, CancelledBeforeThePutIsCertain) {
    SmallTable table;
    table.Create();
    auto transaction = table.Begin();
    transaction.changes().adds = {table.File("f1")};
    table.call.cancelled = [] { return true; };
    EXPECT_EQ(Name(table.Commit(transaction)), "BIRDFOOT_CANCELLED");
    table.call.cancelled = {};
    EXPECT_EQ(table.Load()->version(), 0);
}

TEST(CommitLimitTest, CancellingDuringThePutDoesNotUndoIt) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("f1")};
    bool cancelled = false;
    f.table.call.cancelled = [&] { return cancelled; };
    f.faults->SetBefore([&](std::string_view operation, const std::string &) { cancelled = operation == "put"; });
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 1);
}

TEST(StaleListTest, WinnersAreProbedNotListed) {
    FaultyTable f;
    f.table.Create();
    auto transaction = f.table.Begin();
    transaction.changes().adds = {f.table.File("slow")};
    f.table.Append({f.table.File("f1")});
    f.table.Append({f.table.File("f2")});
    f.faults->StaleLists(10);
    SmallTable::ExpectCommitted(f.table.Commit(transaction), 3);
}

TEST(IdempotentWriteTest, B137_IsMadeOnce) {
    SmallTable table;
    table.Create();
    const auto write = [&](int64_t version, const std::string &name) {
        auto transaction = table.Begin();
        transaction.changes().transactions = {{"q", version, 5}};
        transaction.changes().adds = {table.File(name)};
        return Name(table.Commit(transaction));
    };
    EXPECT_EQ(write(1, "f1"), "ok");
    EXPECT_EQ(write(1, "f1-again"), "skipped");
    EXPECT_EQ(write(0, "f0"), "skipped");
    EXPECT_EQ(write(2, "f2"), "ok");
    EXPECT_EQ(table.FileNames(), "f1 f2 ");
    EXPECT_EQ(table.Load()->version(), 2);
}

// ---- many at once ----

void EightThreadsAppend(const std::function<std::shared_ptr<ObjectStore>()> &make, const std::string &root) {
    constexpr int kThreads = 8;
    constexpr int kAppends = 50;
    SmallTable main(make(), root);
    main.Create();
    std::vector<std::thread> threads;
    for (int writer = 0; writer < kThreads; ++writer) {
        threads.emplace_back([&, writer] {
            SmallTable table(main.store, root);
            table.options.sleep = {};
            for (int i = 0; i < kAppends; ++i) {
                table.Append({table.File(fmt::format("w{}-{}", writer, i))});
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(main.Load()->version(), kThreads * kAppends);
    EXPECT_EQ(main.Files().size(), static_cast<size_t>(kThreads * kAppends));
}

TEST(ManyWritersTest, InMemory) {
    auto store = std::make_shared<MemoryStore>();
    EightThreadsAppend([&] { return store; }, "/t");
}

TEST(ManyWritersTest, OnTheLocalFileSystem) {
    auto folder = MakeScratchFolder();
    EightThreadsAppend([] { return std::make_shared<LocalStore>(false); }, *folder + "/t");
}

TEST(ManyWritersTest, B107_OverwritesNeverAddUp) {
    SmallTable main;
    main.Create();
    main.Append({main.File("first")});
    std::atomic<int> committed{0};
    std::vector<std::thread> threads;
    for (int writer = 0; writer < 4; ++writer) {
        threads.emplace_back([&, writer] {
            SmallTable table(main.store);
            for (int i = 0; i < 10; ++i) {
                auto transaction = table.Begin();
                transaction.changes().reads->AddRead();
                for (const auto &[name, add] : table.FilesOf(transaction.snapshot())) {
                    transaction.changes().removes.push_back(MakeRemove(add, 1, true));
                }
                transaction.changes().adds = {table.File(fmt::format("w{}-{}", writer, i))};
                committed += Name(table.Commit(transaction)) == "ok" ? 1 : 0;
            }
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(main.Files().size(), 1u);
    EXPECT_EQ(main.Load()->version(), 1 + committed);
    EXPECT_GE(committed, 1);
}

}  // namespace
}  // namespace birdfoot
