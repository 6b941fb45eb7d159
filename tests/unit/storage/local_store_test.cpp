// What only the local file system has: permissions, full disks, links, Hadoop's checksum files, left-over temporaries.
#include "storage/local_store.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "unit/contracts/object_store_contract.hpp"

namespace birdfoot {
namespace {

using storage::LocalStore;
namespace fs = std::filesystem;

class LocalStoreTest : public testing::Test {
protected:
    std::string At(const std::string &path) { return *folder_ + "/" + path; }
    void Touch(const std::string &path) { std::ofstream(At(path)) << "x"; }

    std::shared_ptr<std::string> folder_ = MakeScratchFolder();
    LocalStore store_;
    Call call_;
};

TEST_F(LocalStoreTest, AFileInThePlaceOfAFolderIsNamed) {
    Touch("f");
    auto put = store_.Put(At("f/_delta_log/0.json"), "x", PutMode::kCreateOnly, call_);
    ASSERT_FALSE(put.ok());
    EXPECT_EQ(put.error().condition(), Condition::BIRDFOOT_IO);
    EXPECT_NE(put.error().message().find("not a folder"), std::string::npos) << put.error().message();
}

TEST_F(LocalStoreTest, AFullDiskIsNamedAndLeavesNothing) {
    fs::create_directory(At("small"));
    if (::mount("tmpfs", At("small").c_str(), "tmpfs", 0, "size=64k") != 0) {
        GTEST_SKIP() << "a small file system cannot be mounted here";
    }
    auto put = store_.Put(At("small/f"), std::string(1 << 20, 'x'), PutMode::kCreateOnly, call_);
    const bool empty = fs::is_empty(At("small"));
    ::umount(At("small").c_str());
    ASSERT_FALSE(put.ok());
    EXPECT_EQ(put.error().condition(), Condition::BIRDFOOT_NO_SPACE) << put.error().message();
    EXPECT_TRUE(empty);
}

TEST_F(LocalStoreTest, NoPermissionIsNamed) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may write anywhere";
    }
    fs::create_directory(At("locked"));
    ::chmod(At("locked").c_str(), 0555);
    auto put = store_.Put(At("locked/f"), "x", PutMode::kCreateOnly, call_);
    ASSERT_FALSE(put.ok());
    EXPECT_NE(put.error().message().find("permission"), std::string::npos) << put.error().message();
    ::chmod(At("locked").c_str(), 0755);
}

TEST_F(LocalStoreTest, HadoopsStaleChecksumGoesWithTheFile) {
    // Spark's local file system refuses _last_checkpoint when ._last_checkpoint.crc beside it is of an older content.
    Touch("_last_checkpoint");
    Touch("._last_checkpoint.crc");
    Touch(".other.crc");
    ASSERT_TRUE(store_.Put(At("_last_checkpoint"), "{}", PutMode::kOverwrite, call_).ok());
    EXPECT_FALSE(fs::exists(At("._last_checkpoint.crc")));
    EXPECT_TRUE(fs::exists(At(".other.crc")));
    Touch(".0.json.crc");
    ASSERT_TRUE(store_.Put(At("0.json"), "{}", PutMode::kCreateOnly, call_).ok());
    EXPECT_FALSE(fs::exists(At(".0.json.crc"))) << "left by a file of that name deleted earlier";
    Touch(".0.json.crc");
    ASSERT_TRUE(store_.Delete(At("0.json"), call_).ok());
    EXPECT_FALSE(fs::exists(At(".0.json.crc")));
    Touch(".1.json.crc");
    Touch("1.json");
    EXPECT_EQ(store_.Put(At("1.json"), "{}", PutMode::kCreateOnly, call_).value(), PutResult::kAlreadyExists);
    EXPECT_TRUE(fs::exists(At(".1.json.crc"))) << "the winner's file keeps its checksum";
}

TEST_F(LocalStoreTest, LeftOverTemporariesAreNoObjects) {
    Touch(".6b1c2f0e-0000-4000-8000-000000000000.tmp");
    Touch("a");
    EXPECT_EQ(store_.List(*folder_, "", call_)->size(), 1u);
    EXPECT_EQ(store_.ListRecursive(*folder_, call_)->size(), 1u);
    ASSERT_TRUE(store_.DeleteFolder(*folder_, call_).ok());
    EXPECT_FALSE(fs::exists(*folder_));
}

TEST_F(LocalStoreTest, LinksToFilesAreObjectsLinksToFoldersAreNotFollowed) {
    fs::create_directory(At("outside"));
    Touch("outside/f");
    fs::create_directory(At("t"));
    fs::create_symlink(At("outside"), At("t/link"));
    fs::create_symlink(At("outside/f"), At("t/g"));
    fs::create_symlink(At("nowhere"), At("t/broken"));
    EXPECT_EQ(store_.List(At("t"), "", call_)->size(), 1u);
    EXPECT_EQ(store_.ListRecursive(At("t"), call_)->size(), 1u);
    EXPECT_FALSE(store_.DeleteFolder(At("t/link"), call_).ok());
    ASSERT_TRUE(store_.DeleteFolder(At("t"), call_).ok());
    EXPECT_TRUE(fs::exists(At("outside/f")));
}

TEST_F(LocalStoreTest, ANewFileOfTheSameNameHasAnotherTag) {
    ASSERT_TRUE(store_.Put(At("f"), "1", PutMode::kCreateOnly, call_).ok());
    const auto before = store_.Head(At("f"), call_)->etag;
    ASSERT_TRUE(store_.Delete(At("f"), call_).ok());
    ASSERT_TRUE(store_.Put(At("f"), "2", PutMode::kCreateOnly, call_).ok());
    EXPECT_NE(before, store_.Head(At("f"), call_)->etag);
}

}  // namespace
}  // namespace birdfoot
