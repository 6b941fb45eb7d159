// ObjectStore: the port to whatever keeps the files. Paths are full paths in the store's own form: "/data/t/_delta_log/
// 00000000000000000000.json", "s3://bucket/t/part-0.parquet"; never percent-encoded, "/" between folders, no trailing
// "/". Every implementation and decorator passes tests/unit/contracts/object_store_contract.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/io/call.hpp"

namespace birdfoot {

struct ObjectInfo {
    std::string name;         // path below the folder listed; the last part of the path from Head
    uint64_t size = 0;        // bytes
    int64_t modified_ms = 0;  // milliseconds since the epoch
    std::string etag;         // changes with the content; may be empty where the store has none
};

struct ByteRange {
    uint64_t offset = 0;
    uint64_t length = 0;
};

enum class PutMode : uint8_t { kCreateOnly, kOverwrite };
enum class PutResult : uint8_t { kWritten, kAlreadyExists };

class ObjectStore {
public:
    virtual ~ObjectStore() = default;

    //! The object's bytes, or those of a range that must lie within it. BIRDFOOT_OBJECT_NOT_FOUND if it is not there.
    virtual Result<std::string> Get(const std::string &path, std::optional<ByteRange> range, const Call &call) = 0;
    //! BIRDFOOT_OBJECT_NOT_FOUND if there is no such object. A folder is no object.
    virtual Result<ObjectInfo> Head(const std::string &path, const Call &call) = 0;
    //! The objects directly in `folder` (no sub-folders) whose name is >= `from`, sorted by the bytes of the name.
    //! A missing folder is an empty list.
    virtual Result<std::vector<ObjectInfo>> List(const std::string &folder, const std::string &from,
                                                 const Call &call) = 0;
    //! The objects at any depth below `folder`; names are paths relative to it, sorted by their bytes.
    virtual Result<std::vector<ObjectInfo>> ListRecursive(const std::string &folder, const Call &call) = 0;
    //! The names of the folders directly in `folder`, sorted; those that hold no object may be left out. For names of
    //! schemas and tables, never for a table's content.
    virtual Result<std::vector<std::string>> ListFolders(const std::string &folder, const Call &call) {
        BF_ASSIGN(auto objects, ListRecursive(folder, call));
        std::vector<std::string> folders;
        for (auto &object : objects) {
            auto slash = object.name.find('/');
            if (slash == std::string::npos) {
                continue;
            }
            if (folders.empty() || folders.back() != object.name.substr(0, slash)) {
                folders.push_back(object.name.substr(0, slash));
            }
        }
        std::sort(folders.begin(), folders.end());
        return folders;
    }
    //! Writes the whole object; a reader sees all of it or nothing. kCreateOnly: exactly one of several racing writers
    //! gets kWritten, the others kAlreadyExists and the object is the winner's. An error says nothing about whether the
    //! object was written; BIRDFOOT_COMMIT_OUTCOME_UNKNOWN says so explicitly. Missing folders are made.
    virtual Result<PutResult> Put(const std::string &path, std::string_view bytes, PutMode mode, const Call &call) = 0;
    //! True if an error of Put other than BIRDFOOT_COMMIT_OUTCOME_UNKNOWN means that the object was certainly not
    //! written and will not be: so for a store within this machine, never for one behind a network.
    virtual bool failed_puts_are_final() const { return false; }
    //! Deleting what is not there is no error.
    virtual Status Delete(const std::string &path, const Call &call) = 0;
    //! Removes a folder and all below it (object stores: every object with the prefix). A missing one is no error.
    virtual Status DeleteFolder(const std::string &folder, const Call &call) = 0;
};

}  // namespace birdfoot
