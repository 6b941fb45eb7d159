// A winner puts the rows of our files into others (OPTIMIZE) while we change them: a1 holds the row ids 0 to 9, b1 10
// to
// 19. Which rows are left is read back from the files and vectors of the table.
#include <gtest/gtest.h>

#include "core/scan/deletion_vector.hpp"
#include "core/scan/plan.hpp"
#include "unit/core/txn/small_table.hpp"
#include "unit/support/fake_parquet.hpp"

namespace birdfoot {
namespace {

constexpr const char *kColumn = "_row-id-col-1";
using Ids = std::vector<int64_t>;

Ids Range(int64_t from, int64_t to) {
    Ids ids;
    for (auto id = from; id < to; ++id) {
        ids.push_back(id);
    }
    return ids;
}

struct TrackedTable {
    std::shared_ptr<test::MapStore> store = std::make_shared<test::MapStore>();
    std::shared_ptr<test::FakeParquet> parquet = std::make_shared<test::FakeParquet>(store);
    SmallTable table{store};

    explicit TrackedTable(bool vectors = true) {
        table.partitioned = false;
        table.engine.parquet = parquet;
        Protocol protocol;
        protocol.min_reader_version = 3;
        protocol.min_writer_version = 7;
        protocol.reader_features = {"deletionVectors"};
        protocol.writer_features = {"appendOnly", "deletionVectors", "domainMetadata", "invariants", "rowTracking"};
        table.Create({{"delta.enableRowTracking", "true"},
                      {"delta.enableDeletionVectors", vectors ? "true" : "false"},
                      {"delta.rowTracking.materializedRowIdColumnName", kColumn},
                      {"delta.rowTracking.materializedRowCommitVersionColumnName", "_row-commit-version-col-1"}},
                     protocol);
        table.Append({NewFile("a1", 10), NewFile("b1", 10)});
    }

    AddFile NewFile(const std::string &name, size_t rows) {
        const ColumnType column{.name = "id", .kind = ColumnKind::kInt64};
        parquet->SetRows(table.root + "/" + name, {column}, std::vector<std::string>(rows, R"({"id":1})"));
        return table.File(name, "a", static_cast<int64_t>(rows));
    }
    AddFile CopiedFile(const std::string &name, const Ids &ids) {
        const ColumnType column{.name = kColumn, .kind = ColumnKind::kInt64};
        std::vector<std::string> rows;
        for (auto id : ids) {
            rows.push_back(fmt::format(R"({{"{}":{}}})", kColumn, id));
        }
        parquet->SetRows(table.root + "/" + name, {column}, rows);
        return table.File(name, "a", static_cast<int64_t>(ids.size()));
    }

    //! Every file of `from` becomes `to`, which holds `ids` in this order.
    void Optimize(const std::vector<std::string> &from, const std::string &to, const Ids &ids) {
        auto files = table.Files();
        auto transaction = table.Begin("OPTIMIZE");
        transaction.changes().data_change = false;
        for (const auto &name : from) {
            transaction.changes().removes.push_back(MakeRemove(files.at(name), 1, false));
        }
        transaction.changes().adds = {CopiedFile(to, ids)};
        transaction.changes().adds[0].data_change = false;
        SmallTable::ExpectCommitted(table.Commit(transaction));
    }

    //! A DELETE that has read all rows (of no predicate that core knows) and takes rows out of a file by a vector.
    Transaction Delete(const std::string &name, const Ids &positions) {
        auto file = table.Files().at(name);
        auto transaction = table.Begin("DELETE");
        transaction.changes().reads->AddRead();
        transaction.changes().removes = {MakeRemove(file, 1, true)};
        RowSet rows;
        for (auto position : positions) {
            rows.Add(static_cast<uint64_t>(position));
        }
        if (file.deletion_vector) {
            rows.Union(*ReadDeletionVector(table.engine, table.root, *file.deletion_vector, table.call));
        }
        file.deletion_vector = InlineDeletionVector(rows);
        transaction.changes().adds = {file};
        return transaction;
    }
    Transaction DeleteFile(const std::string &name) {
        auto transaction = table.Begin("DELETE");
        transaction.changes().reads->AddRead();
        transaction.changes().removes = {MakeRemove(table.Files().at(name), 1, true)};
        return transaction;
    }

    //! The row ids of a table's rows, by file.
    std::map<std::string, Ids> RowIds() {
        std::map<std::string, Ids> found;
        for (const auto &[name, add] : table.Files()) {
            RowSet hidden;
            if (add.deletion_vector) {
                hidden = ReadDeletionVector(table.engine, table.root, *add.deletion_vector, table.call)->Clone();
                EXPECT_NE(add.stats->find(R"("tightBounds":false)"), std::string::npos) << name;
            }
            const auto &file = parquet->files.at(table.root + "/" + name);
            const bool copied = file.schema[0].name == kColumn;
            auto &ids = found[name];
            for (size_t row = 0; row < file.rows; ++row) {
                if (!hidden.Contains(row)) {
                    ids.push_back(copied ? file.columns[0].ints[row] : *add.base_row_id + static_cast<int64_t>(row));
                }
            }
        }
        return found;
    }
};

using State = std::map<std::string, Ids>;

TEST(MovedRowsTest, RowsDeletedByAVectorAreDeletedWhereTheyAreNow) {
    TrackedTable t;
    auto ours = t.Delete("a1", {2, 3});
    t.Optimize({"a1", "b1"}, "c", {19, 3, 18, 2, 17, 1, 16, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4});
    SmallTable::ExpectCommitted(t.table.Commit(ours), 3);
    EXPECT_EQ(t.RowIds(), (State{{"c", {19, 18, 17, 1, 16, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4}}}));
    EXPECT_EQ(t.table.Files().at("c").base_row_id, 20) << "of the file, as the winner's commit gave it";
}

TEST(MovedRowsTest, RowsThatWereHiddenBeforeStayOutOfIt) {
    TrackedTable t;
    auto first = t.Delete("a1", {0, 1});
    SmallTable::ExpectCommitted(t.table.Commit(first));
    auto ours = t.Delete("a1", {5});
    t.Optimize({"a1"}, "c", Range(2, 10));
    SmallTable::ExpectCommitted(t.table.Commit(ours));
    EXPECT_EQ(t.RowIds(), (State{{"b1", Range(10, 20)}, {"c", {2, 3, 4, 6, 7, 8, 9}}}));
}

TEST(MovedRowsTest, AFileDeletedWhole) {
    TrackedTable t;
    auto ours = t.DeleteFile("a1");
    t.Optimize({"a1", "b1"}, "c", Range(0, 20));
    SmallTable::ExpectCommitted(t.table.Commit(ours));
    EXPECT_EQ(t.RowIds(), (State{{"c", Range(10, 20)}}));
}

TEST(MovedRowsTest, AFileOfWhichNothingIsLeftGoesWithoutVectors) {
    TrackedTable t(false);
    auto ours = t.DeleteFile("a1");
    t.Optimize({"a1"}, "c", Range(0, 10));
    SmallTable::ExpectCommitted(t.table.Commit(ours));
    EXPECT_EQ(t.RowIds(), (State{{"b1", Range(10, 20)}}));
}

TEST(MovedRowsTest, WithoutVectorsAPartOfAFileIsAConflict) {
    TrackedTable t(false);
    auto ours = t.DeleteFile("a1");
    t.Optimize({"a1", "b1"}, "c", Range(0, 20));
    EXPECT_EQ(Name(t.table.Commit(ours)), "DELTA_CONCURRENT_DELETE_DELETE");
    EXPECT_EQ(t.RowIds(), (State{{"c", Range(0, 20)}}));
}

TEST(MovedRowsTest, CopiesOfTheRowsStay) {
    TrackedTable t;
    auto ours = t.DeleteFile("a1");
    ours.changes().operation.name = "UPDATE";
    ours.changes().adds = {t.CopiedFile("updated", Range(0, 10))};
    t.Optimize({"a1", "b1"}, "c", Range(0, 20));
    SmallTable::ExpectCommitted(t.table.Commit(ours));
    EXPECT_EQ(t.RowIds(), (State{{"c", Range(10, 20)}, {"updated", Range(0, 10)}}));
}

TEST(MovedRowsTest, MovedTwiceThenDeletedBesides) {
    TrackedTable t;
    auto ours = t.Delete("b1", {0, 9});
    ours.changes().touched_is_read = true;
    t.Optimize({"a1"}, "c", Range(0, 10));
    t.Optimize({"b1"}, "d", Range(10, 20));
    t.Optimize({"d", "c"}, "e", Range(0, 20));
    auto other = t.Delete("e", {0, 11});
    SmallTable::ExpectCommitted(t.table.Commit(other));
    SmallTable::ExpectCommitted(t.table.Commit(ours));
    EXPECT_EQ(t.RowIds(), (State{{"e", {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16, 17, 18}}}));
}

TEST(MovedRowsTest, RowsDeletedByAnotherMeanwhileAreAConflict) {
    TrackedTable t;
    auto ours = t.Delete("a1", {2, 3});
    auto other = t.Delete("a1", {3});
    SmallTable::ExpectCommitted(t.table.Commit(other));
    t.Optimize({"a1"}, "c", {0, 1, 2, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(Name(t.table.Commit(ours)), "DELTA_CONCURRENT_APPEND") << "it has read the row that went";
}

TEST(MovedRowsTest, IdsThatWereNotKeptAreAConflict) {
    TrackedTable t;
    auto ours = t.Delete("a1", {2, 3});
    t.Optimize({"a1"}, "c", Range(20, 30));
    const auto outcome = t.table.Commit(ours);
    EXPECT_EQ(Name(outcome), "DELTA_CONCURRENT_DELETE_DELETE");
    EXPECT_NE(std::get<Conflict>(*outcome).error.message().find("row ids"), std::string::npos);
}

TEST(MovedRowsTest, AFileThatIsGoneIsAConflict) {
    TrackedTable t;
    auto ours = t.Delete("a1", {2, 3});
    t.Optimize({"a1"}, "c", Range(0, 10));
    t.store->objects.erase(t.table.root + "/a1");
    EXPECT_EQ(Name(t.table.Commit(ours)), "DELTA_CONCURRENT_DELETE_DELETE");
}

}  // namespace
}  // namespace birdfoot
