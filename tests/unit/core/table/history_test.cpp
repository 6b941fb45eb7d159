#include "core/table/history.hpp"

#include "unit/support/log_fixture.hpp"

namespace birdfoot::test {
namespace {

class HistoryTest : public LogTest {
protected:
    //! The version at a time in milliseconds; -1 too early, -2 too late.
    Version At(double millis, bool whole_second = false) {
        const auto found = Load(AtTimestamp{static_cast<int64_t>(millis * 1000), whole_second});
        if (found.ok()) {
            return (*found)->version();
        }
        EXPECT_TRUE(found.error().condition() == Condition::DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION ||
                    found.error().condition() == Condition::DELTA_TIMESTAMP_GREATER_THAN_COMMIT)
            << found.error().message();
        return found.error().condition() == Condition::DELTA_TIMESTAMP_GREATER_THAN_COMMIT ? -2 : -1;
    }
    std::string Info(int64_t ict, const std::string &operation = "WRITE") {
        return fmt::format(R"({{"commitInfo":{{"inCommitTimestamp":{},"timestamp":1,"operation":"{}"}}}})", ict,
                           operation) +
               "\n";
    }
    std::string InCommitMetadata(const std::string &more = "") {
        std::string metadata = kMetadata;
        metadata.replace(metadata.find(R"("configuration":{})"), 18,
                         R"("configuration":{"delta.enableInCommitTimestamps":"true")" + more + "}");
        return metadata;
    }
};

// B113
TEST_F(HistoryTest, B113FileTimesAreMadeToRise) {
    Commit(0, std::string(kProtocol) + "\n" + kMetadata, 100);
    Commit(1, "", 90);
    Commit(2, "", 100);
    Commit(3, "", 110);
    EXPECT_EQ(At(99), -1);
    EXPECT_EQ(At(100), 0);
    EXPECT_EQ(At(101), 1);
    EXPECT_EQ(At(102), 2);
    EXPECT_EQ(At(105), 2);
    EXPECT_EQ(At(110), 3);
    EXPECT_EQ(At(110.5), 3) << "file times have no finer digits";
    EXPECT_EQ(At(111), -2);
    const auto rows = ReadHistory(engine, **Load(), std::nullopt, call);
    ASSERT_TRUE(rows.ok());
    std::vector<int64_t> times;
    for (const auto &row : *rows) {
        times.push_back(row.timestamp_ms);
    }
    EXPECT_EQ(times, (std::vector<int64_t>{110, 102, 101, 100}));
}

// S47: a time without fraction stands for its second, but only where there would be nothing else.
TEST_F(HistoryTest, S47AWholeSecondReachesTheFirstVersion) {
    Commit(0, std::string(kProtocol) + "\n" + kMetadata, 5'400);
    Commit(1, "", 7'000);
    EXPECT_EQ(At(5'000, true), 0);
    EXPECT_EQ(At(5'000, false), -1);
    EXPECT_EQ(At(4'000, true), -1);
    EXPECT_EQ(At(6'000, true), 0);
    EXPECT_EQ(At(7'000, true), 1);
}

// B112
TEST_F(HistoryTest, B112InCommitTimestampsCountFromWhereTheyWereEnabled) {
    const int64_t copied = 1'000'000;  // all files were copied much later
    Commit(0, std::string(kProtocol) + "\n" + kMetadata, copied);
    Commit(1, "", copied + 1);
    Commit(
        2,
        Info(200) +
            InCommitMetadata(
                R"(,"delta.inCommitTimestampEnablementVersion":"2","delta.inCommitTimestampEnablementTimestamp":"200")"),
        copied + 2);
    Commit(3, Info(300), copied);
    Commit(4, Info(400) + std::string(100'000, ' '), copied);
    EXPECT_EQ(At(200), 2);
    EXPECT_EQ(At(299), 2);
    EXPECT_EQ(At(300), 3);
    EXPECT_EQ(At(399), 3);
    EXPECT_EQ(At(400), 4);
    EXPECT_EQ(At(401), -2);
    EXPECT_EQ(At(199), -1) << "before enablement the files' times count, and they are later";
    const auto rows = ReadHistory(engine, **Load(), std::nullopt, call);
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ((*rows)[0].timestamp_ms, 400);
    EXPECT_EQ((*rows)[3].timestamp_ms, copied + 1);
    EXPECT_NE((*rows)[0].commit_info->find("WRITE"), std::string::npos);
    EXPECT_FALSE((*rows)[4].commit_info);
    Commit(5, R"({"commitInfo":{"timestamp":1}})");
    EXPECT_EQ(Load(AtTimestamp{500'000}).error().condition(), Condition::DELTA_LOG_FILE_MALFORMED);
}

TEST_F(HistoryTest, InCommitTimestampsFromTheBeginning) {
    Commit(0, Info(100) + kProtocol + "\n" + InCommitMetadata(), 9);
    Commit(1, Info(200), 9);
    EXPECT_EQ(At(99), -1);
    EXPECT_EQ(At(100), 0);
    EXPECT_EQ(At(200), 1);
    EXPECT_EQ(At(201), -2);
}

TEST_F(HistoryTest, RowsAreNewestFirstAndLimited) {
    Create();
    Commit(1, Add("a") + R"({"commitInfo":{"operation":"WRITE"}})");
    Commit(2, R"({"commitInfo":{"operation":"DELETE"}})");
    const auto rows = ReadHistory(engine, **Load(), 2, call);
    ASSERT_TRUE(rows.ok());
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_EQ((*rows)[0].version, 2);
    EXPECT_EQ((*rows)[0].commit_info, R"({"operation":"DELETE"})");
    EXPECT_EQ((*rows)[1].commit_info, R"({"operation":"WRITE"})") << "wherever in the commit it stands";
    EXPECT_EQ(ReadHistory(engine, **Load(AtVersion{1}), std::nullopt, call)->size(), 2u);
}

TEST_F(HistoryTest, FromATimeToTheNextVersion) {
    Commit(0, std::string(kProtocol) + "\n" + kMetadata, 100);
    Commit(1, "", 200);
    const auto from = [&](double millis) {
        const auto found = VersionFromTime(engine, **Load(), static_cast<int64_t>(millis * 1000), call);
        return found.ok() && *found ? (*found)->version : -1;
    };
    EXPECT_EQ(from(0), 0);
    EXPECT_EQ(from(100), 0);
    EXPECT_EQ(from(100.5), 1);
    EXPECT_EQ(from(200), 1);
    EXPECT_EQ(from(200.5), -1);
}

}  // namespace
}  // namespace birdfoot::test
