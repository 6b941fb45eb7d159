// What if the k-th call fails, for every k of a statement: the calls to the object store (nothing happened; it happened
// but the answer was lost; everything fails from here on), and the calls to the file system that write data files (the
// disk is full). The error is clean, the table is as before or after, nothing lies about that no version names, the
// database goes on.
#include <set>

#include "duckdb/common/local_file_system.hpp"
#include "duckdb/common/virtual_file_system.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "duckdb/database.hpp"
#include "duckdb/extension.hpp"
#include "duckdb/io/engine.hpp"
#include "storage/fault_injecting_store.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::testing {
namespace {

namespace fs = std::filesystem;
using storage::Fault;
using storage::FaultInjectingStore;

class Birdfoot {
public:
    void Load(duckdb::ExtensionLoader &loader) { duck::LoadExtension(loader); }
    std::string Name() const { return "birdfoot"; }
    std::string Version() const { return "test"; }
};

//! DuckDB's files, of which the k-th call that writes fails, and all that follow.
class FullDisk final : public duckdb::LocalFileSystem {
public:
    struct Count {
        std::atomic<uint64_t> calls{0}, fail_from{0};
    };
    explicit FullDisk(std::shared_ptr<Count> count) : count_(std::move(count)) {}

    duckdb::unique_ptr<duckdb::FileHandle> OpenFile(const duckdb::string &path, duckdb::FileOpenFlags flags,
                                                    duckdb::optional_ptr<duckdb::FileOpener> opener) override {
        if (flags.OpenForWriting()) {
            Check();
        }
        return LocalFileSystem::OpenFile(path, flags, opener);
    }
    void Write(duckdb::FileHandle &handle, void *buffer, int64_t bytes, duckdb::idx_t location) override {
        Check();
        LocalFileSystem::Write(handle, buffer, bytes, location);
    }
    int64_t Write(duckdb::FileHandle &handle, void *buffer, int64_t bytes) override {
        Check();
        return LocalFileSystem::Write(handle, buffer, bytes);
    }
    void FileSync(duckdb::FileHandle &handle) override {
        Check();
        LocalFileSystem::FileSync(handle);
    }
    void CreateDirectory(const duckdb::string &path, duckdb::optional_ptr<duckdb::FileOpener> opener) override {
        Check();
        LocalFileSystem::CreateDirectory(path, opener);
    }

private:
    void Check() {
        const auto call = ++count_->calls;
        if (count_->fail_from != 0 && call >= count_->fail_from) {
            throw duckdb::IOException("No space left on device");
        }
    }
    std::shared_ptr<Count> count_;
};

struct Host {
    explicit Host(std::shared_ptr<ObjectStore> store, std::shared_ptr<FullDisk::Count> disk = nullptr) {
        duckdb::DBConfig config;
        if (disk) {
            config.file_system = duckdb::make_uniq<duckdb::VirtualFileSystem>(duckdb::make_uniq<FullDisk>(disk));
        }
        db = std::make_unique<duckdb::DuckDB>(nullptr, &config);
        duck::UseStore(*db->instance, std::move(store));
        db->LoadStaticExtension<Birdfoot>();
        con = std::make_unique<duckdb::Connection>(*db);
    }
    std::unique_ptr<duckdb::DuckDB> db;
    std::unique_ptr<duckdb::Connection> con;
};

struct Story {
    const char *name;
    std::vector<std::string> before;  // {t} stands for the table
    std::string act;
    std::string rows_before, rows_after;
};

const std::vector<Story> &Stories() {
    static const std::string kMake = "CREATE TABLE {t} (id INT, p VARCHAR) PARTITIONED BY (p)";
    static const std::string kFill = "INSERT INTO {t} VALUES (1, 'a'), (2, 'b')";
    static const std::string kMany = "INSERT INTO {t} SELECT i, 'a' FROM range(3) r(i)";
    static const std::string kVectors =
        "CREATE TABLE {t} (id INT, p VARCHAR) USING delta PARTITIONED BY (p) TBLPROPERTIES "
        "('delta.enableDeletionVectors' = 'true', "
        "'delta.enableChangeDataFeed' = 'true')";
    static const std::string kNone = "none";
    static const std::vector<Story> kStories = {
        {"create", {}, kMake, kNone, ""},
        {"create as", {}, "CREATE TABLE {t} PARTITIONED BY (p) AS SELECT 1 AS id, 'x' AS p", kNone, "1|x\n"},
        {"insert", {kMake, kFill}, "INSERT INTO {t} VALUES (3, 'a')", "1|a\n2|b\n", "1|a\n2|b\n3|a\n"},
        {"overwrite", {kMake, kFill}, "INSERT OVERWRITE {t} VALUES (9, 'z')", "1|a\n2|b\n", "9|z\n"},
        {"delete", {kMake, kFill}, "DELETE FROM {t} WHERE id = 2", "1|a\n2|b\n", "1|a\n"},
        {"delete with a vector", {kVectors, kMany}, "DELETE FROM {t} WHERE id > 1", "0|a\n1|a\n2|a\n", "0|a\n1|a\n"},
        {"update", {kMake, kMany}, "UPDATE {t} SET id = 9 WHERE id = 1", "0|a\n1|a\n2|a\n", "0|a\n2|a\n9|a\n"},
        {"update with a vector",
         {kVectors, kMany},
         "UPDATE {t} SET id = 9 WHERE id = 1",
         "0|a\n1|a\n2|a\n",
         "0|a\n2|a\n9|a\n"},
        {"merge",
         {kVectors, kMany},
         "MERGE INTO {t} t USING (VALUES (1, 'a'), (7, 'b')) s(id, p) ON t.id = s.id WHEN MATCHED THEN DELETE WHEN NOT "
         "MATCHED THEN "
         "INSERT (id, p) VALUES (s.id, s.p)",
         "0|a\n1|a\n2|a\n",
         "0|a\n2|a\n7|b\n"},
        {"checkpoint",
         {kMake, kFill, "ALTER TABLE {t} SET TBLPROPERTIES ('delta.checkpointInterval' = '1')"},
         "INSERT INTO {t} VALUES (3, 'a')",
         "1|a\n2|b\n",
         "1|a\n2|b\n3|a\n"},
    };
    return kStories;
}

class KthCallTest : public ::testing::Test {
protected:
    std::string Sql(std::string text) const {
        for (auto at = text.find("{t}"); at != std::string::npos; at = text.find("{t}")) {
            text.replace(at, 3, "delta.\"" + root_ + "\"");
        }
        return text;
    }
    //! What a reader that shares nothing with the writer sees.
    std::string Rows() {
        const auto found = Query(*witness_.con, "SELECT id, p FROM delta_scan('" + root_ + "') ORDER BY ALL");
        const bool none = found.find("DELTA_PATH_DOES_NOT_EXIST") != std::string::npos ||
                          found.find("DELTA_MISSING_DELTA_TABLE") != std::string::npos;
        return found.starts_with("error: ") && none ? "none" : found;
    }
    std::set<std::string> DataFiles() const {
        std::set<std::string> files;
        if (!fs::exists(root_)) {
            return files;
        }
        for (const auto &entry : fs::recursive_directory_iterator(root_)) {
            const auto path = entry.path().string();
            if (path.ends_with(".parquet") && path.find("_delta_log") == std::string::npos) {
                files.insert(fs::relative(entry.path(), root_).string());
            }
        }
        return files;
    }
    void Prepare(const Story &story) {
        root_ = folder_ / ("t" + std::to_string(tables_++));
        Host host(std::make_shared<storage::LocalStore>());
        for (const auto &sql : story.before) {
            const auto answer = Query(*host.con, Sql(sql));
            ASSERT_FALSE(answer.starts_with("error")) << answer;
        }
    }
    //! Acts with a fault armed; then the table, its folder and the process are looked at. `heal` ends the fault.
    //! `died`: nothing could be cleaned up either, as if the process had been killed.
    void Act(Host &host, const Story &story, const std::string &where, bool died, const std::function<void()> &heal) {
        const auto files_before = DataFiles();
        const auto answer = Query(*host.con, Sql(story.act));
        heal();
        const auto rows = Rows();
        EXPECT_EQ(Query(*host.con, "SELECT 42"), "42\n") << where;
        if (!answer.starts_with("error: ")) {
            EXPECT_EQ(rows, story.rows_after) << where;
        } else if (answer.find("BIRDFOOT_COMMIT_OUTCOME_UNKNOWN") != std::string::npos) {
            EXPECT_TRUE(rows == story.rows_before || rows == story.rows_after) << where << ": " << rows;
        } else {
            EXPECT_EQ(answer.find("INTERNAL"), std::string::npos) << where << ": " << answer;
            EXPECT_EQ(rows, story.rows_before) << where << ": " << answer;
            if (died) {
                return;
            }
            EXPECT_EQ(DataFiles(), files_before) << where << ": " << answer;
            // No stray state: the same thing works when it is done again.
            const auto again = Query(*host.con, Sql(story.act));
            EXPECT_FALSE(again.starts_with("error")) << where << ": " << answer << " then " << again;
            EXPECT_EQ(Rows(), story.rows_after) << where;
        }
    }

    TemporaryFolder folder_;
    std::string root_;
    int tables_ = 0;
    Host witness_{std::make_shared<storage::LocalStore>()};
};

TEST_F(KthCallTest, OfTheStore) {
    for (const auto &story : Stories()) {
        for (const auto fault : {Fault::kFails, Fault::kAnswerLost, Fault::kDies}) {
            bool reached = true;
            for (uint64_t k = 1; reached; ++k) {
                ASSERT_LT(k, 200u);
                Prepare(story);
                auto faults = std::make_shared<FaultInjectingStore>(std::make_shared<storage::LocalStore>(false));
                {
                    Host host(faults);
                    const auto calls = faults->calls();
                    faults->FailCall(k, fault);
                    Act(host, story,
                        std::string(story.name) + ", call " + std::to_string(k) + ", fault " +
                            std::to_string(static_cast<int>(fault)),
                        fault == Fault::kDies, [&] {
                            reached = faults->calls() - calls >= k;
                            faults->Heal();
                        });
                }
            }
        }
    }
}

TEST_F(KthCallTest, OfTheDisk) {
    for (const auto &story : Stories()) {
        bool reached = true;
        for (uint64_t k = 1; reached; ++k) {
            ASSERT_LT(k, 200u);
            Prepare(story);
            auto disk = std::make_shared<FullDisk::Count>();
            Host host(std::make_shared<storage::LocalStore>(false), disk);
            disk->fail_from = disk->calls + k;
            Act(host, story, std::string(story.name) + ", write " + std::to_string(k), false, [&] {
                reached = disk->calls >= disk->fail_from;
                disk->fail_from = 0;
            });
        }
    }
}

}  // namespace
}  // namespace birdfoot::testing
