// A table at /t in a MapStore, whose commits a test writes as JSON.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/log/replay.hpp"
#include "core/table/snapshot.hpp"
#include "unit/support/map_store.hpp"

namespace birdfoot::test {

inline constexpr const char *kProtocol = R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})";
inline constexpr const char *kMetadata =
    R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"x\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"p\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["p"],"configuration":{}}})";

class LogTest : public ::testing::Test {
protected:
    std::shared_ptr<MapStore> store = std::make_shared<MapStore>();
    Engine engine{store, nullptr, [this] { return store->now_ms; }};
    Call call;
    std::string root = "/t";

    std::string LogPath(const std::string &name) const { return root + "/_delta_log/" + name; }
    //! Without lines: a commit that changes nothing, which is not an empty file.
    void Commit(Version version, const std::string &lines, std::optional<int64_t> time = std::nullopt) {
        store->Set(LogPath(CommitFileName(version)), lines.empty() ? R"({"commitInfo":{}})" : lines, time);
    }
    static std::string Add(const std::string &path, const std::string &partition = "a", int64_t size = 10) {
        return fmt::format(
            R"({{"add":{{"path":"{}","partitionValues":{{"p":"{}"}},"size":{},"modificationTime":5,"dataChange":true,"stats":"{{\"numRecords\":3}}"}}}})"
            "\n",
            path, partition, size);
    }
    static std::string Remove(const std::string &path, int64_t time = 7) {
        return fmt::format(
            R"({{"remove":{{"path":"{}","deletionTimestamp":{},"dataChange":true,"extendedFileMetadata":true,"partitionValues":{{"p":"a"}},"size":10}}}})"
            "\n",
            path, time);
    }
    void Create(const std::string &more = "") { Commit(0, std::string(kProtocol) + "\n" + kMetadata + "\n" + more); }
    Result<SnapshotPtr> Load(VersionTarget target = LatestVersion()) {
        return LoadSnapshot(engine, root, target, call);
    }
    std::vector<std::string> Paths(const LogSegment &segment, FileRequest request = {}) {
        std::vector<std::string> paths;
        const auto counts = ReplayFiles(
            engine, segment, request,
            [&](AddFile &&add) -> Status {
                paths.push_back(add.path);
                return {};
            },
            call);
        EXPECT_TRUE(counts.ok()) << counts.error().message();
        std::sort(paths.begin(), paths.end());
        return paths;
    }
    std::vector<std::string> Paths(VersionTarget target = LatestVersion()) {
        const auto snapshot = Load(target);
        EXPECT_TRUE(snapshot.ok()) << snapshot.error().message();
        return snapshot.ok() ? Paths((*snapshot)->segment()) : std::vector<std::string>();
    }
};

using Names = std::vector<std::string>;

}  // namespace birdfoot::test
