// A small table on disk and DuckDB to read it with, for the fuzz targets that put hostile files into a log. Reading it
// by every way there is must end in rows or in an error, and leave the database sound.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "duckdb.hpp"
#include "duckdb/common/error_data.hpp"
#include "duckdb/main/valid_checker.hpp"

#include "core/changes/table_changes.hpp"
#include "core/log/checkpoint_reader.hpp"
#include "core/log/checksum.hpp"
#include "core/scan/plan.hpp"
#include "core/table/history.hpp"
#include "core/table/report.hpp"
#include "core/txn/checkpoint_writer.hpp"
#include "core/txn/transaction.hpp"
#include "duckdb/io/parquet_io.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::fuzz {

inline void Require(bool condition, const char *what) {
    if (!condition) {
        std::fprintf(stderr, "not so: %s\n", what);
        std::abort();
    }
}

//! Version 0 makes the table, 1 and 2 change it; whatever else the log holds is the target's.
class Table {
public:
    Table() {
        folder_ = std::filesystem::temp_directory_path() / ("birdfoot-fuzz-" + std::to_string(getpid()));
        duckdb::DBConfig config;
        config.SetOptionByName("enable_external_file_cache", duckdb::Value::BOOLEAN(false));  // one name, many files
        config.SetOptionByName("memory_limit", duckdb::Value("512MB"));
        config.SetOptionByName("threads", duckdb::Value::BIGINT(2));
        database_ = std::make_unique<duckdb::DuckDB>(nullptr, &config);
        engine_.store = std::make_shared<storage::LocalStore>(false);
        engine_.parquet = std::make_shared<duck::DuckParquetIo>(database_->instance);
        engine_.now_ms = [] { return int64_t{1700000000000}; };
    }
    ~Table() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    duckdb::DuckDB &database() { return *database_; }
    std::string LogPath(const std::string &name) const { return (folder_ / "_delta_log" / name).string(); }

    //! Without its first commits the table depends on a checkpoint at version 1.
    void Begin(bool with_first_commits) {
        falls_back_ = with_first_commits;
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_ / "_delta_log" / "_sidecars");
        if (with_first_commits) {
            Put(CommitFileName(0), kCommit0);
            Put(CommitFileName(1), kCommit1);
        }
        Put(CommitFileName(2), kCommit2);
    }
    void Put(const std::string &name, std::string_view bytes) const {
        std::ofstream(LogPath(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }

    void ReadAll() {
        Read();
        Require(!duckdb::ValidChecker::IsInvalidated(*database_->instance), "the database is still valid");
    }

private:
    static constexpr std::string_view kCommit0 =
        R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors","v2Checkpoint"],"writerFeatures":["deletionVectors","v2Checkpoint"]}})"
        "\n"
        R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"p\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["p"],"configuration":{},"createdTime":7}})"
        "\n"
        R"({"add":{"path":"p=1/a","partitionValues":{"p":"1"},"size":5,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":3,\"minValues\":{\"a\":1},\"maxValues\":{\"a\":9},\"nullCount\":{\"a\":0}}"}})"
        "\n"
        R"({"txn":{"appId":"app","version":4}})"
        "\n";
    static constexpr std::string_view kCommit1 =
        R"({"add":{"path":"p=2/b","partitionValues":{"p":"2"},"size":5,"modificationTime":2,"dataChange":true}})"
        "\n";
    static constexpr std::string_view kCommit2 =
        R"({"commitInfo":{"timestamp":9,"operation":"WRITE"}})"
        "\n"
        R"({"remove":{"path":"p=1/a","deletionTimestamp":1699999999999,"dataChange":true,"partitionValues":{"p":"1"},"size":5}})"
        "\n"
        R"({"add":{"path":"c","partitionValues":{"p":null},"size":5,"modificationTime":2,"dataChange":true}})"
        "\n";

    void Read() {
        const auto root = folder_.string();
        const auto loaded = LoadSnapshot(engine_, root, LatestVersion(), {});
        (void)LoadSnapshot(engine_, root, AtVersion{1}, {});
        (void)LoadSnapshot(engine_, root, AtTimestamp{1'600'000'000'000'000}, {});
        if (!loaded.ok()) {
            return;
        }
        const auto &snapshot = **loaded;
        const auto &segment = snapshot.segment();
        (void)ReplayExtras(engine_, segment, {});
        (void)ReplayTombstones(engine_, segment, 0, [](RemoveFile &&) -> Status { return {}; }, {});
        (void)ReadChecksum(engine_, segment, snapshot.protocol(), snapshot.metadata(), {});
        if (segment.checkpoint) {
            (void)CheckpointSidecars(engine_, segment, {});
        }
        Report(*loaded);
        const auto visit = [](AddFile &&) -> Status { return {}; };
        const auto all = ReplayFiles(engine_, segment, {}, visit, {});
        FileRequest kept;
        kept.keep = [](const PartitionValues &) { return true; };
        const auto filtered = ReplayFiles(engine_, segment, kept, visit, {});
        Require(falls_back_ || !all.ok() || !filtered.ok() || all->kept == filtered->kept, "what keeps all keeps all");
        Plan(snapshot);
        if (all.ok() && WriteCheckpoint(engine_, snapshot, {}).ok()) {
            const auto again = LoadSnapshot(engine_, root, LatestVersion(), {});
            Require(again.ok(), "a checkpoint that was written can be read");
            const auto files = ReplayFiles(engine_, (*again)->segment(), {}, visit, {});
            Require(files.ok() && (falls_back_ || files->seen == all->seen), "it holds the files that it was made of");
        }
        Append(*loaded);
    }

    void Plan(const Snapshot &snapshot) {
        const DataType text(TypeKind::kString), number(TypeKind::kLong);
        const auto one = Predicate::Compare({"p"}, text, CompareOp::kEqual, Scalar::Text(text, "1"));
        (void)PlanScan(engine_, snapshot, one, nullptr, {});
        const auto few = Predicate::Compare({"a"}, number, CompareOp::kLess, Scalar::Integer(number, 4));
        const auto plan = PlanScan(engine_, snapshot, few, nullptr, {});
        if (plan.ok()) {
            for (const auto &file : plan->files) {
                (void)file.live_rows();
            }
        }
    }

    void Report(const SnapshotPtr &snapshot) {
        const RowVisitor visit = [](ReportRow &&) -> Status { return {}; };
        (void)ReportHistory(engine_, *snapshot, std::nullopt, visit, {});
        (void)ReportDetail(engine_, snapshot->root(), snapshot, std::nullopt, {});
        (void)ReportFiles(engine_, *snapshot, true, visit, {});
        (void)ReportLog(engine_, snapshot->root(), visit, {});
        (void)ReportFeatures(snapshot.get(), visit);
        (void)ReportProperties(*snapshot, visit);
        (void)ReportPartitions(engine_, *snapshot, visit, {});
        (void)PlanTableChanges(engine_, snapshot->root(), {}, {});
    }

    void Append(const SnapshotPtr &snapshot) {
        Transaction transaction(snapshot->root(), snapshot);
        AddFile add;
        add.path = "p=1/new";
        add.partition_values = {{"p", "1"}};
        add.size = 7;
        add.stats = R"({"numRecords":3})";
        transaction.changes().adds.push_back(std::move(add));
        const auto outcome = transaction.Commit(engine_, {}, {});
        if (!outcome.ok() || !std::holds_alternative<Committed>(*outcome)) {
            return;
        }
        const auto after = UpdateSnapshot(engine_, snapshot, {});
        Require(after.ok(), "the table can be read after a commit");
        (void)RunPostCommit(engine_, *after, {});
    }

    std::filesystem::path folder_;
    bool falls_back_ = false;  // on the commits, where the checkpoint cannot be read: then counts may differ
    std::unique_ptr<duckdb::DuckDB> database_;
    Engine engine_;
};

}  // namespace birdfoot::fuzz
