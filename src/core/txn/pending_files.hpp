// PendingFiles follows every data, vector and change file that a transaction writes: writing → sealed → handed over →
// committed | abandoned | unknown. Only *abandoned* files are deleted: after an unknown outcome nothing is, ever.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/io/engine.hpp"

namespace birdfoot {

class PendingFiles {
public:
    explicit PendingFiles(std::shared_ptr<ObjectStore> store) : store_(std::move(store)) {}
    ~PendingFiles();  // deletes what is still ours to delete (a statement that failed before the commit)

    //! Before the first byte is written.
    void Writing(std::string path);
    //! The file is no longer part of the transaction (a statement was undone): it is deleted now.
    void Abandon(const std::string &path);
    void Committed();  // they belong to the table now
    void Unknown();    // they may belong to the table
    void AbandonAll();

private:
    std::mutex mutex_;
    std::shared_ptr<ObjectStore> store_;
    std::vector<std::string> paths_;
};

}  // namespace birdfoot
