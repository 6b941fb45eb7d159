// Appends to a table for ever, on core and the local store alone, to be killed at any moment. It prints each version
// that was acknowledged, and its file. With `check` it loads the table and prints the names of its files.
//
//   commit_loop FOLDER NAME     (makes the table if there is none; NAME makes its files unique)
//   commit_loop FOLDER check
#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/log/replay.hpp"
#include "core/txn/transaction.hpp"
#include "storage/local_store.hpp"

namespace birdfoot {
namespace {

constexpr const char *kSchema =
    R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]})";
constexpr int kFilesACommit = 20;  // so that half a commit would show

int Failed(const Error &error) {
    std::fprintf(stderr, "%s\n", error.message().c_str());
    return 1;
}

Engine LocalEngine() {
    return {std::make_shared<storage::LocalStore>(false), nullptr, [] {
                const auto now = std::chrono::system_clock::now().time_since_epoch();
                return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
            }};
}

void AddFiles(ChangeSet &changes, const std::string &name, int number) {
    for (int i = 0; i < kFilesACommit; ++i) {
        AddFile add;
        add.path = fmt::format("{}-{}-{}.parquet", name, number, i);
        add.size = 1;
        add.stats = R"({"numRecords":1})";
        changes.adds.push_back(std::move(add));
    }
}

int Append(const Engine &engine, const std::string &root, const std::string &name) {
    const Call call;
    for (int number = 0;; ++number) {
        auto snapshot = LoadSnapshot(engine, root, LatestVersion(), call);
        if (!snapshot.ok() && snapshot.error().kind() != ErrorKind::kNotFound) {
            return Failed(snapshot.error());
        }
        Transaction transaction(root, snapshot.ok() ? *snapshot : nullptr);
        auto &changes = transaction.changes();
        if (!transaction.snapshot()) {
            changes.metadata.emplace().id = name;
            changes.metadata->schema_string = kSchema;
        }
        AddFiles(changes, name, number);
        const auto outcome = transaction.Commit(engine, {}, call);
        if (!outcome.ok()) {
            return Failed(outcome.error());
        }
        if (const auto *committed = std::get_if<Committed>(&*outcome)) {
            std::printf("%lld %s-%d\n", static_cast<long long>(committed->version), name.c_str(), number);
            std::fflush(stdout);
        } else if (const auto *conflict = std::get_if<Conflict>(&*outcome);
                   !conflict || conflict->error.condition() != Condition::DELTA_TABLE_ALREADY_EXISTS) {
            return Failed(conflict ? conflict->error : std::get<OutcomeUnknown>(*outcome).error);
        }
    }
}

int Check(const Engine &engine, const std::string &root) {
    const Call call;
    const auto snapshot = LoadSnapshot(engine, root, LatestVersion(), call);
    if (!snapshot.ok()) {
        return Failed(snapshot.error());
    }
    const auto counts = ReplayFiles(
        engine, (*snapshot)->segment(), {},
        [](AddFile &&add) -> Status {
            std::printf("%s\n", add.path.c_str());
            return {};
        },
        call);
    return counts.ok() ? 0 : Failed(counts.error());
}

}  // namespace
}  // namespace birdfoot

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: commit_loop FOLDER NAME|check\n");
        return 2;
    }
    const auto engine = birdfoot::LocalEngine();
    return std::strcmp(argv[2], "check") == 0 ? birdfoot::Check(engine, argv[1])
                                              : birdfoot::Append(engine, argv[1], argv[2]);
}
