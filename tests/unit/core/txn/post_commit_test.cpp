#include "core/table/table_cache.hpp"
#include "core/txn/transaction.hpp"
#include "unit/support/fake_parquet.hpp"
#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class PostCommitTest : public LogTest {
protected:
    //! Makes versions 0 to `last`, each with what follows a commit; gives the versions that got a checkpoint.
    std::vector<Version> Checkpoints(Version last) {
        engine.parquet = std::make_shared<FakeParquet>(store);
        engine.cache = std::make_shared<TableCache>();
        std::vector<Version> versions;
        for (Version version = 0; version <= last; ++version) {
            Commit(version, (version == 0 ? std::string(kProtocol) + "\n" + kMetadata + "\n" : std::string()) +
                                Add("f" + std::to_string(version)));
            const auto snapshot = OpenSnapshot(engine, root, LatestVersion(), call);
            EXPECT_TRUE(snapshot.ok());
            const auto report = RunPostCommit(engine, *snapshot, call);
            EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
            if (report.checkpoint_written) {
                versions.push_back(version);
            }
        }
        return versions;
    }
};

// The cached snapshot grows commit by commit and lists nothing, so it has to be told that there is a checkpoint now.
TEST_F(PostCommitTest, OneCheckpointAnInterval) { EXPECT_EQ(Checkpoints(35), (std::vector<Version>{10, 20, 30})); }

}  // namespace
}  // namespace birdfoot::test
