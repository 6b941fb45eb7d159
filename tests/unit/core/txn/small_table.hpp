// A table of two columns, `id` (long) and `p` (string, the partition column unless it is unpartitioned), made of
// nothing but log entries, for tests of commits: files are names with statistics, and no Parquet is written.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/log/replay.hpp"
#include "core/txn/commit_rules.hpp"
#include "core/txn/transaction.hpp"
#include "storage/memory_store.hpp"

namespace birdfoot {

inline const std::string kSmallSchema =
    R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},)"
    R"({"name":"p","type":"string","nullable":true,"metadata":{}}]})";

//! "ok", "skipped", "unknown", or the condition of the conflict or error.
inline std::string Name(const Result<CommitOutcome> &outcome) {
    if (!outcome.ok()) {
        return std::string(ConditionName(outcome.error().condition()));
    }
    if (const auto *committed = std::get_if<Committed>(&*outcome)) {
        return committed->skipped ? "skipped" : "ok";
    }
    const auto *conflict = std::get_if<Conflict>(&*outcome);
    return conflict ? std::string(ConditionName(conflict->error.condition())) : "unknown";
}

struct SmallTable {
    explicit SmallTable(std::shared_ptr<ObjectStore> the_store = std::make_shared<storage::MemoryStore>(),
                        std::string the_root = "/t")
        : store(std::move(the_store)), root(std::move(the_root)) {
        engine = Engine{store, nullptr, [this] { return clock.load(); }};
        options.engine_info = "Birdfoot/test";
        options.sleep = [this](std::chrono::milliseconds) { ++sleeps; };
    }

    Metadata MetadataOf(std::map<std::string, std::string> properties = {}) const {
        Metadata metadata;
        metadata.id = "11111111-2222-4333-8444-555555555555";
        metadata.schema_string = kSmallSchema;
        if (partitioned) {
            metadata.partition_columns = {"p"};
        }
        metadata.created_time = 1;
        metadata.configuration = std::move(properties);
        return metadata;
    }

    //! Version 0, empty.
    void Create(std::map<std::string, std::string> properties = {}, std::optional<Protocol> protocol = std::nullopt) {
        Transaction transaction(root, nullptr);
        transaction.changes().metadata = MetadataOf(std::move(properties));
        transaction.changes().protocol = std::move(protocol);
        transaction.changes().operation.name = "CREATE TABLE";
        ExpectCommitted(Commit(transaction), 0);
    }

    SnapshotPtr Load() {
        auto snapshot = LoadSnapshot(engine, root, LatestVersion(), call);
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        return snapshot.ok() ? *snapshot : nullptr;
    }
    Transaction Begin(std::string operation = "WRITE") {
        Transaction transaction(root, Load());
        transaction.changes().operation.name = std::move(operation);
        return transaction;
    }
    Result<CommitOutcome> Commit(Transaction &transaction) { return transaction.Commit(engine, options, call); }

    //! Commits; what we do not write ourselves as an engine would that does.
    void CommitByAnyone(Transaction &transaction) {
        const auto name = Name(Commit(transaction));
        if (name == "ok") {
            return;
        }
        EXPECT_EQ(name, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE");
        const auto latest = Load();
        CommitBase base;
        base.version = latest->version();
        base.protocol = latest->protocol();
        base.metadata = latest->metadata();
        const auto body = CommitBody(base, transaction.changes(), {}, clock++, std::nullopt);
        const auto path = root + "/_delta_log/" + CommitFileName(base.version + 1);
        EXPECT_TRUE(store->Put(path, body, PutMode::kCreateOnly, call).ok());
    }

    //! Ids lie between min and max.
    AddFile File(const std::string &name, const std::string &p = "a", int64_t rows = 10, int64_t min = 0,
                 int64_t max = 9) const {
        AddFile add;
        add.path = name;
        if (partitioned) {
            add.partition_values = {{"p", p}};
        }
        add.size = 100;
        add.modification_time = 1;
        add.stats =
            fmt::format(R"({{"numRecords":{},"minValues":{{"id":{}}},"maxValues":{{"id":{}}},"nullCount":{{"id":0}}}})",
                        rows, min, max);
        return add;
    }
    //! Commits files as a blind append.
    void Append(std::vector<AddFile> files) {
        auto transaction = Begin();
        transaction.changes().adds = std::move(files);
        ExpectCommitted(Commit(transaction));
    }

    std::map<std::string, AddFile> Files() { return FilesOf(Load()); }
    std::map<std::string, AddFile> FilesOf(const SnapshotPtr &snapshot) {
        std::map<std::string, AddFile> files;
        if (snapshot) {
            auto counts = ReplayFiles(
                engine, snapshot->segment(), {},
                [&](AddFile &&add) -> Status {
                    auto name = add.path;
                    files.emplace(std::move(name), std::move(add));
                    return {};
                },
                call);
            EXPECT_TRUE(counts.ok()) << counts.error().message();
        }
        return files;
    }
    std::string FileNames() {
        std::string names;
        for (const auto &[name, add] : Files()) {
            names += name + " ";
        }
        return names;
    }
    std::string Log(Version version) {
        auto text = store->Get(root + "/_delta_log/" + CommitFileName(version), std::nullopt, call);
        return text.ok() ? *text : text.error().message();
    }

    static void ExpectCommitted(const Result<CommitOutcome> &outcome, Version version = -1) {
        ASSERT_TRUE(outcome.ok()) << outcome.error().message();
        if (const auto *conflict = std::get_if<Conflict>(&*outcome)) {
            FAIL() << conflict->error.message();
        }
        const auto *committed = std::get_if<Committed>(&*outcome);
        ASSERT_NE(committed, nullptr) << std::get<OutcomeUnknown>(*outcome).error.message();
        EXPECT_FALSE(committed->skipped);
        if (version >= 0) {
            EXPECT_EQ(committed->version, version);
        }
    }

    std::shared_ptr<ObjectStore> store;
    std::string root;
    bool partitioned = true;
    std::atomic<int64_t> clock{1'700'000'000'000};
    std::atomic<int> sleeps{0};
    Engine engine;
    CommitOptions options;
    Call call;
};

}  // namespace birdfoot
