// LocalStore: files of the local file system. A Put writes a temporary file and publishes it in one step: link(2) for
// create-only (exactly one racing writer wins, whoever the others are), rename(2) for overwrite. Where a file system
// has no hard links, renameat2(RENAME_NOREPLACE) takes link's place; one that has neither is refused, since a commit
// there could be lost. By default the file and its folder are synced to the disk before Put returns.
//
// Temporary files are named ".<uuid>.tmp": no reader of a table takes them for anything, and listings leave them out.
// A symbolic link to a file is an object; symbolic links to folders are not followed by ListRecursive and DeleteFolder.
#pragma once

#include <atomic>

#include "core/io/object_store.hpp"

namespace birdfoot::storage {

class LocalStore final : public ObjectStore {
public:
    explicit LocalStore(bool fsync = true) : fsync_(fsync) {}

    //! Off: a commit survives the death of the process, but not that of the machine.
    void SetFsync(bool on) { fsync_ = on; }
    bool fsync() const { return fsync_; }

    Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &call) override;
    Result<ObjectInfo> Head(const std::string &path, const Call &call) override;
    Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from, const Call &call) override;
    Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &call) override;
    Result<std::vector<std::string>> ListFolders(const std::string &folder, const Call &call) override;
    Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) override;
    bool failed_puts_are_final() const override { return true; }
    Status Delete(const std::string &path, const Call &call) override;
    Status DeleteFolder(const std::string &folder, const Call &call) override;

private:
    std::atomic<bool> fsync_;
};

}  // namespace birdfoot::storage
