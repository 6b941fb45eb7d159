// The conflict rules as one table: a transaction reads version 1, the winner commits version 2, then the transaction
// commits. The expected names are those of specification section 6.3; where we are finer than Spark the row says so.
#include <functional>

#include <gtest/gtest.h>

#include "core/scan/deletion_vector.hpp"
#include "core/table/table_features.hpp"
#include "unit/core/txn/small_table.hpp"

namespace birdfoot {
namespace {

const DataType kLong(TypeKind::kLong);
const DataType kString(TypeKind::kString);

Predicate PartitionIs(const std::string &p) {
    return Predicate::Compare({"p"}, kString, CompareOp::kEqual, Scalar::Text(kString, p));
}
Predicate IdBelow(int64_t id) {
    return Predicate::Compare({"id"}, kLong, CompareOp::kLess, Scalar::Integer(kLong, id));
}
Predicate IdAbove(int64_t id) {
    return Predicate::Compare({"id"}, kLong, CompareOp::kGreater, Scalar::Integer(kLong, id));
}

//! Fills a transaction; `tag` makes its file names its own.
using Fill = std::function<void(SmallTable &, ChangeSet &, const std::string &tag)>;

void Read(ChangeSet &changes, Predicate predicate) {
    changes.reads->Narrow(changes.reads->AddRead(), std::move(predicate));
}

AddFile FileA(const SmallTable &table) { return table.File("a1", "a", 10, 0, 9); }
AddFile FileB(const SmallTable &table) { return table.File("b1", "b", 10, 10, 19); }

Fill Named(std::string name, Fill fill) {
    return [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        changes.operation.name = name;
        fill(table, changes, tag);
    };
}

Fill AppendTo(std::string p, int64_t min, int64_t max) {
    return Named("WRITE", [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        changes.adds = {table.File(tag, p, 10, min, max)};
    });
}

//! DELETE / UPDATE by copying: one file of p is replaced, all rows that match `predicate` having been read.
Fill Rewrite(std::string operation, std::string p, Predicate predicate) {
    return Named(operation, [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        const auto old = p == "a" ? FileA(table) : FileB(table);
        Read(changes, predicate);
        changes.removes = {MakeRemove(old, 1, true)};
        auto add = old;
        add.path = tag;
        changes.adds = {add};
    });
}

Fill DeleteFile(std::string p, Predicate predicate) {
    return Named("DELETE", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        Read(changes, predicate);
        changes.removes = {MakeRemove(p == "a" ? FileA(table) : FileB(table), 1, true)};
    });
}

Fill Overwrite() {
    return Named("WRITE", [](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        changes.reads->AddRead();
        changes.removes = {MakeRemove(FileA(table), 1, true), MakeRemove(FileB(table), 1, true)};
        changes.adds = {table.File(tag, "a")};
    });
}

Fill Optimize(std::string p) {
    return Named("OPTIMIZE", [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        const auto old = p == "a" ? FileA(table) : FileB(table);
        Read(changes, Predicate::True());
        changes.data_change = false;
        changes.removes = {MakeRemove(old, 1, false)};
        auto add = old;
        add.path = tag;
        add.data_change = false;
        changes.adds = {add};
    });
}

//! Removes a file and says that no data has changed, without adding what was in it.
Fill Lose(std::string p) {
    return Named("FSCK", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        changes.removes = {MakeRemove(p == "a" ? FileA(table) : FileB(table), 1, false)};
    });
}

//! INSERT … SELECT … WHERE predicate, into the partition c.
Fill InsertFromRead(Predicate predicate) {
    return Named("WRITE", [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        Read(changes, predicate);
        changes.adds = {table.File(tag, "c", 10, 1000, 1009)};
    });
}

Fill SetProperties(std::map<std::string, std::string> properties, bool scans = false) {
    return Named(scans ? "ADD CONSTRAINT" : "SET TBLPROPERTIES",
                 [=](SmallTable &table, ChangeSet &changes, const std::string &) {
                     changes.metadata = table.Load()->metadata();
                     for (const auto &[key, value] : properties) {
                         changes.metadata->configuration[key] = value;
                     }
                     if (scans) {
                         changes.reads->AddRead();
                     }
                 });
}

//! RESTORE writes the metadata whether it differs or not.
Fill Restore(std::string p) {
    return Named("RESTORE", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        changes.metadata = table.Load()->metadata();
        changes.reads->AddRead();
        changes.removes = {MakeRemove(p == "a" ? FileA(table) : FileB(table), 1, true)};
    });
}

Fill AddFeature(std::string feature) {
    return Named("UPGRADE PROTOCOL", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        auto protocol = table.Load()->protocol();
        protocol.writer_features->push_back(feature);
        changes.protocol = protocol;
    });
}

Fill DropFeature(std::string feature) {
    return Named("DROP FEATURE", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        auto protocol = table.Load()->protocol();
        std::erase(*protocol.writer_features, feature);
        changes.protocol = protocol;
    });
}

Fill SetDomain(std::string domain) {
    return Named("CLUSTER BY", [=](SmallTable &, ChangeSet &changes, const std::string &tag) {
        changes.domains = {{domain, tag, false}};
    });
}

Fill Stream(std::string app_id, int64_t batch, bool reads_it) {
    return Named("STREAMING UPDATE", [=](SmallTable &table, ChangeSet &changes, const std::string &tag) {
        if (reads_it) {
            changes.reads->ReadTransaction(app_id);
        }
        changes.transactions = {{app_id, batch, std::nullopt}};
        changes.adds = {table.File(tag, "a")};
    });
}

struct Row {
    const char *winner_name;
    Fill winner;
    const char *loser_name;
    Fill loser;
    const char *expected;
    const char *unpartitioned = nullptr;  // where it differs; there p has no statistics
};

const char *const kAppend = "DELTA_CONCURRENT_APPEND";
const char *const kDeleteRead = "DELTA_CONCURRENT_DELETE_READ";
const char *const kDeleteDelete = "DELTA_CONCURRENT_DELETE_DELETE";
const char *const kMetadata = "DELTA_METADATA_CHANGED";
const char *const kProtocol = "DELTA_PROTOCOL_CHANGED";
const char *const kTransaction = "DELTA_CONCURRENT_TRANSACTION";
const char *const kWrite = "DELTA_CONCURRENT_WRITE";

const std::map<std::string, std::string> kHarmless = {{"delta.enableDeletionVectors", "true"}};
const std::map<std::string, std::string> kHarmful = {{"delta.enableChangeDataFeed", "true"}};

std::vector<Row> Rows() {
    const auto append = AppendTo("a", 0, 9);
    const auto append_b = AppendTo("b", 10, 19);
    const auto delete_a = Rewrite("DELETE", "a", PartitionIs("a"));
    const auto delete_b = Rewrite("DELETE", "b", PartitionIs("b"));
    const auto merge_low = Rewrite("MERGE", "a", IdBelow(5));
    const auto merge_high = Rewrite("MERGE", "b", IdAbove(15));
    const auto update_all = Rewrite("UPDATE", "a", Predicate::True());
    const auto unclear = Rewrite("UPDATE", "a", Predicate::Unknown());
    const auto properties = SetProperties({{"k", "v"}});
    return {
        // -- the winner appended
        {"append", append, "append", append, "ok"},
        {"append", append, "overwrite", Overwrite(), kAppend},
        {"append", append, "delete in its partition", delete_a, kAppend},
        {"append", append_b, "delete in another partition", delete_a, "ok", kAppend},
        {"append", append_b, "merge on other ids", merge_low, "ok"},  // Spark: conflict, its rows are not looked at
        {"append", append, "merge on these ids", merge_low, kAppend},
        {"append", AppendTo("a", 100, 109), "merge on other ids of the partition", merge_low, "ok"},  // finer
        {"append", append_b, "update of all rows", update_all, kAppend},
        {"append", append_b, "update with a predicate that core cannot read", unclear, kAppend},
        {"append", append, "optimize", Optimize("a"), "ok"},
        {"append", append, "properties", properties, "ok"},
        {"append", append, "property for which all rows were read",
         SetProperties({{"delta.setTransactionRetentionDuration", "interval 1 day"}}, true), kAppend},
        {"append", append, "restore", Restore("b"), kWrite},
        {"append", append, "insert from what it appended", InsertFromRead(PartitionIs("a")), kAppend},
        {"append", append_b, "insert from another partition", InsertFromRead(PartitionIs("a")), "ok", kAppend},
        {"append", append, "stream", Stream("q", 1, true), "ok"},
        // -- the winner overwrote
        {"overwrite", Overwrite(), "append", append, "ok"},
        {"overwrite", Overwrite(), "overwrite", Overwrite(), kAppend},
        {"overwrite", Overwrite(), "delete where it added", delete_a, kAppend},
        {"overwrite", Overwrite(), "delete where it only removed", delete_b, kDeleteRead, kAppend},
        {"overwrite", Overwrite(), "optimize", Optimize("b"), kDeleteDelete},
        {"overwrite", Overwrite(), "properties", properties, "ok"},
        // -- the winner deleted, updated or merged
        {"delete", delete_a, "append", append, "ok"},
        {"delete", delete_a, "the same delete", delete_a, kAppend},
        {"delete", delete_a, "delete elsewhere", delete_b, "ok", kAppend},
        {"merge", merge_low, "merge on disjoint ids", merge_high, "ok"},  // Spark: conflict when unpartitioned
        {"delete of a file", DeleteFile("a", PartitionIs("a")), "the same", DeleteFile("a", PartitionIs("a")),
         kDeleteRead},
        {"delete of a file", DeleteFile("a", PartitionIs("a")), "insert from it", InsertFromRead(PartitionIs("a")),
         kDeleteRead},
        {"delete of a file", DeleteFile("a", PartitionIs("a")), "insert from other ids", InsertFromRead(IdAbove(15)),
         "ok"},
        {"delete of a file", DeleteFile("a", PartitionIs("a")), "insert from all", InsertFromRead(Predicate::True()),
         kDeleteRead},
        {"delete", delete_a, "optimize of its input", Optimize("a"), kDeleteDelete},
        {"delete", delete_a, "optimize of others", Optimize("b"), "ok"},
        {"delete", delete_a, "properties", properties, "ok"},
        // -- the winner optimized
        {"optimize", Optimize("a"), "append", append, "ok"},
        // (with row ids the rows are followed, see moved_rows_test; what was read is the same wherever it lies)
        {"optimize", Optimize("a"), "overwrite", Overwrite(), kDeleteDelete},
        {"optimize", Optimize("a"), "delete in it", delete_a, kDeleteDelete},
        {"optimize", Optimize("a"), "delete elsewhere", delete_b, "ok"},  // finer where there are no partitions
        {"optimize", Optimize("a"), "insert from it", InsertFromRead(PartitionIs("a")), "ok"},  // finer
        {"optimize", Optimize("a"), "merge on other ids", merge_high, "ok"},
        {"optimize", Optimize("a"), "insert from ids it did not touch", InsertFromRead(IdAbove(15)), "ok"},  // finer
        {"optimize", Optimize("a"), "the same optimize", Optimize("a"), kDeleteDelete},
        {"optimize", Optimize("a"), "optimize elsewhere", Optimize("b"), "ok"},
        {"optimize", Optimize("a"), "properties", properties, "ok"},
        {"loss", Lose("a"), "insert from it", InsertFromRead(PartitionIs("a")), kDeleteRead},
        // -- the winner changed metadata
        {"properties", properties, "append", append, kMetadata},
        {"properties", properties, "delete", delete_a, kMetadata},
        {"properties", properties, "optimize", Optimize("a"), kMetadata},
        {"properties", properties, "properties", SetProperties({{"other", "v"}}), kMetadata},
        {"change feed on", SetProperties(kHarmful), "append", append, kMetadata},
        {"vectors on", SetProperties(kHarmless), "append", append, "ok"},
        {"vectors on", SetProperties(kHarmless), "delete", delete_a, "ok"},
        {"vectors on", SetProperties(kHarmless), "properties", properties, kMetadata},
        {"timestamps on", SetProperties({{"delta.enableInCommitTimestamps", "true"}}), "append", append, "ok"},
        {"v2 checkpoints on", SetProperties({{"delta.checkpointPolicy", "v2"}}), "append", append, "ok"},
        {"row tracking on",
         SetProperties({{"delta.enableRowTracking", "true"},
                        {"delta.rowTracking.materializedRowIdColumnName", "_row-id-col-1"},
                        {"delta.rowTracking.materializedRowCommitVersionColumnName", "_row-commit-version-col-1"}}),
         "append", append, "ok"},
        {"the same metadata", SetProperties({}), "append", append, "ok"},
        {"the same metadata", SetProperties({}), "properties", properties, kMetadata},
        {"restore elsewhere", Restore("b"), "append", append, "ok"},
        {"restore elsewhere", Restore("b"), "delete in another partition", delete_a, "ok", kDeleteRead},
        {"restore", Restore("a"), "delete in its partition", delete_a, kDeleteRead},
        {"restore", Restore("a"), "optimize of its files", Optimize("a"), kDeleteDelete},
        {"restore", Restore("a"), "restore", Restore("a"), kWrite},
        // -- the winner changed the protocol
        {"harmless feature", AddFeature("changeDataFeed"), "append", append, "ok"},
        {"harmless feature", AddFeature("changeDataFeed"), "upgrade", AddFeature("domainMetadata"), kProtocol},
        {"harmful feature", AddFeature("checkConstraints"), "append", append, kProtocol},
        {"feature that we cannot write", AddFeature("someFutureFeature"), "append", append, kProtocol},
        {"feature dropped", DropFeature("appendOnly"), "append", append, kProtocol},
        // -- domains and application ids
        {"domain", SetDomain("x"), "append", append, "ok"},
        {"domain", SetDomain("x"), "another domain", SetDomain("y"), "ok"},
        {"domain", SetDomain("x"), "the same domain", SetDomain("x"), kTransaction},
        {"stream", Stream("q", 1, true), "the same stream", Stream("q", 1, true), kTransaction},
        {"stream", Stream("q", 1, true), "its next batch", Stream("q", 2, true), kTransaction},
        {"stream", Stream("q", 1, true), "another stream", Stream("r", 1, true), "ok"},
        {"idempotent write", Stream("q", 1, false), "the same write", Stream("q", 1, false), "skipped"},
        {"idempotent write", Stream("q", 2, false), "an earlier write", Stream("q", 1, false), "skipped"},
        {"idempotent write", Stream("q", 1, false), "a later write", Stream("q", 2, false), "ok"},
    };
}

//! Everything that the rows turn on must be supported already: only the property is new.
Protocol AllFeatures() {
    Protocol protocol;
    protocol.min_reader_version = 3;
    protocol.min_writer_version = 7;
    protocol.reader_features = {"deletionVectors", "v2Checkpoint"};
    protocol.writer_features = {"appendOnly", "deletionVectors", "domainMetadata", "inCommitTimestamp",
                                "invariants", "rowTracking",     "v2Checkpoint"};
    return protocol;
}

void Prepare(SmallTable &table, bool partitioned, std::map<std::string, std::string> properties = {}) {
    table.partitioned = partitioned;
    table.Create(std::move(properties), AllFeatures());
    table.Append({FileA(table), FileB(table)});
}

std::string Outcome(const Row &row, bool partitioned) {
    SmallTable table;
    Prepare(table, partitioned);
    auto loser = table.Begin();
    row.loser(table, loser.changes(), "loser");
    auto winner = table.Begin();
    row.winner(table, winner.changes(), "winner");
    table.CommitByAnyone(winner);
    const auto outcome = table.Commit(loser);
    if (outcome.ok()) {
        if (const auto *conflict = std::get_if<Conflict>(&*outcome)) {
            const auto text = conflict->error.message();
            EXPECT_NE(text.find("version 1"), std::string::npos) << text;
            EXPECT_NE(text.find("version 2"), std::string::npos) << text;
            EXPECT_NE(text.find(winner.changes().operation.name), std::string::npos) << text;
            EXPECT_NE(text.find(loser.changes().operation.name), std::string::npos) << text;
        }
    }
    return Name(outcome);
}

TEST(ConflictTableTest, EveryPair) {
    for (const auto &row : Rows()) {
        const auto pair = fmt::format("winner: {}, loser: {}", row.winner_name, row.loser_name);
        EXPECT_EQ(Outcome(row, true), row.expected) << pair;
        EXPECT_EQ(Outcome(row, false), row.unpartitioned ? row.unpartitioned : row.expected)
            << pair << ", unpartitioned";
    }
}

TEST(ConflictTableTest, WriteSerializableLetsBlindAppendsPass) {
    const auto outcome = [](const Fill &winner, const Fill &loser) {
        SmallTable table;
        Prepare(table, true, {{"delta.isolationLevel", "WriteSerializable"}});
        auto slow = table.Begin();
        loser(table, slow.changes(), "loser");
        auto fast = table.Begin();
        winner(table, fast.changes(), "winner");
        EXPECT_EQ(Name(table.Commit(fast)), "ok");
        const auto name = Name(table.Commit(slow));
        if (name == "ok") {
            EXPECT_NE(table.Log(3).find(R"("isolationLevel":"WriteSerializable")"), std::string::npos);
        }
        return name;
    };
    const auto delete_a = Rewrite("DELETE", "a", PartitionIs("a"));
    EXPECT_EQ(outcome(AppendTo("a", 0, 9), delete_a), "ok");
    EXPECT_EQ(outcome(InsertFromRead(PartitionIs("b")), Rewrite("DELETE", "a", Predicate::True())), kAppend);
    EXPECT_EQ(outcome(AppendTo("a", 0, 9),
                      SetProperties({{"delta.setTransactionRetentionDuration", "interval 1 day"}}, true)),
              kAppend)
        << "not for a change of metadata";
    EXPECT_EQ(outcome(delete_a, delete_a), kAppend);
}

TEST(ConflictTableTest, PartitionIsNamed) {
    SmallTable table;
    Prepare(table, true);
    auto loser = table.Begin();
    Rewrite("DELETE", "a", PartitionIs("a"))(table, loser.changes(), "loser");
    table.Append({table.File("new", "a")});
    const auto outcome = table.Commit(loser);
    EXPECT_NE(std::get<Conflict>(*outcome).error.message().find("[p=a]"), std::string::npos);
}

TEST(ConflictTableTest, SeveralWinnersAreFollowedInTurn) {
    SmallTable table;
    Prepare(table, true);
    auto loser = table.Begin();
    Rewrite("DELETE", "a", PartitionIs("a"))(table, loser.changes(), "loser");
    table.Append({table.File("b2", "b")});
    table.Append({table.File("b3", "b")});
    auto gone = table.Begin("DELETE");
    gone.changes().removes = {MakeRemove(table.File("b2", "b"), 1, true)};
    ASSERT_EQ(Name(table.Commit(gone)), "ok");
    SmallTable::ExpectCommitted(table.Commit(loser), 5);
    EXPECT_EQ(table.FileNames(), "b1 b3 loser ");
    auto late = Transaction(table.root, nullptr);
    EXPECT_NE(table.Log(5).find(R"("readVersion":1)"), std::string::npos);
}

TEST(ConflictTableTest, AFileThatCameAndWentSinceWasNeverRead) {
    SmallTable table;
    Prepare(table, true);
    auto loser = table.Begin("OPTIMIZE");
    InsertFromRead(PartitionIs("a"))(table, loser.changes(), "loser");
    auto bare = table.File("b2", "b");
    table.Append({bare});
    auto gone = table.Begin("DELETE");
    auto remove = MakeRemove(bare, 1, true);
    remove.partition_values.reset();  // an old writer's tombstone says nothing
    remove.stats.reset();
    gone.changes().removes = {remove};
    ASSERT_EQ(Name(table.Commit(gone)), "ok");
    EXPECT_EQ(Name(table.Commit(loser)), "ok");
    auto second = table.Begin();
    InsertFromRead(PartitionIs("a"))(table, second.changes(), "second");
    auto other = table.Begin("DELETE");
    remove = MakeRemove(FileB(table), 1, true);
    remove.partition_values.reset();
    remove.stats.reset();
    other.changes().removes = {remove};
    ASSERT_EQ(Name(table.Commit(other)), "ok");
    EXPECT_EQ(Name(table.Commit(second)), kDeleteRead) << "what is not known is a conflict";
}

TEST(ConflictTableTest, ColumnMappingSwitchedOnByTheWinner) {
    const std::string mapped =
        R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{"delta.columnMapping.id":1,)"
        R"("delta.columnMapping.physicalName":"id"}},{"name":"p","type":"string","nullable":true,)"
        R"("metadata":{"delta.columnMapping.id":2,"delta.columnMapping.physicalName":"p"}}]})";
    const auto outcome = [&](const std::string &schema) {
        SmallTable table;
        Prepare(table, true);
        auto slow = table.Begin();
        slow.changes().adds = {table.File("slow")};
        auto on = table.Begin("SET TBLPROPERTIES");
        on.changes().metadata =
            table.MetadataOf({{"delta.columnMapping.mode", "name"}, {"delta.columnMapping.maxColumnId", "2"}});
        on.changes().metadata->schema_string = schema;
        table.CommitByAnyone(on);
        return Name(table.Commit(slow));
    };
    EXPECT_EQ(outcome(mapped), "ok");
    auto retyped = mapped;
    retyped.replace(retyped.find("\"long\""), 6, "\"double\"");
    EXPECT_EQ(outcome(retyped), kMetadata);
}

TEST(ConflictTableTest, RestoreThatChangesTheMetadataFailsOthers) {
    SmallTable table;
    Prepare(table, true);
    auto slow = table.Begin();
    slow.changes().adds = {table.File("slow")};
    auto restore = table.Begin("RESTORE");
    restore.changes().metadata = table.MetadataOf({{"k", "v"}});
    ASSERT_EQ(Name(table.Commit(restore)), "ok");
    EXPECT_EQ(Name(table.Commit(slow)), kMetadata);
}

// ---- row-level concurrency: deletion vectors ----

DeletionVectorDescriptor Vector(std::vector<uint64_t> rows) {
    RowSet set;
    set.AddMany(rows.data(), rows.size());
    return InlineDeletionVector(set);
}

//! DELETE that hides rows of a1: exactly the rows that it read.
Fill HideRows(std::vector<uint64_t> rows, Predicate predicate, bool touched_is_read = true) {
    return Named("DELETE", [=](SmallTable &table, ChangeSet &changes, const std::string &) {
        Read(changes, predicate);
        changes.touched_is_read = touched_is_read;
        changes.removes = {MakeRemove(FileA(table), 1, true)};
        auto add = FileA(table);
        add.deletion_vector = Vector(rows);
        changes.adds = {add};
    });
}

struct VectorOutcome {
    std::string name;
    std::vector<uint64_t> hidden;
};

VectorOutcome AfterBoth(const Fill &winner, const Fill &loser) {
    SmallTable table;
    Prepare(table, false);
    auto slow = table.Begin();
    loser(table, slow.changes(), "loser");
    auto fast = table.Begin();
    winner(table, fast.changes(), "winner");
    EXPECT_EQ(Name(table.Commit(fast)), "ok");
    VectorOutcome outcome{Name(table.Commit(slow)), {}};
    const auto files = table.Files();
    if (const auto file = files.find("a1"); file != files.end() && file->second.deletion_vector) {
        auto rows = ReadDeletionVector(table.engine, table.root, *file->second.deletion_vector, table.call);
        EXPECT_TRUE(rows.ok()) << rows.error().message();
        outcome.hidden = rows.ok() ? rows->ToVector() : std::vector<uint64_t>();
        EXPECT_EQ(file->second.deletion_vector->cardinality, static_cast<int64_t>(outcome.hidden.size()));
    }
    return outcome;
}

TEST(VectorConflictTest, DisjointRowsAreBothHidden) {
    const auto both = AfterBoth(HideRows({1, 2}, IdBelow(3)), HideRows({7}, IdAbove(6)));
    EXPECT_EQ(both.name, "ok");
    EXPECT_EQ(both.hidden, (std::vector<uint64_t>{1, 2, 7}));
}

TEST(VectorConflictTest, TheSameRowIsAConflict) {
    const auto both = AfterBoth(HideRows({1, 2}, IdBelow(3)), HideRows({2, 7}, IdAbove(1)));
    EXPECT_EQ(both.name, kDeleteDelete);
    EXPECT_EQ(both.hidden, (std::vector<uint64_t>{1, 2}));
}

TEST(VectorConflictTest, WhoReadMoreThanItTouchedConflicts) {
    EXPECT_EQ(AfterBoth(HideRows({1}, IdBelow(3)), HideRows({7}, Predicate::True(), false)).name, kAppend);
}

TEST(VectorConflictTest, RewrittenFilesAreNotMerged) {
    const auto rewrite = Rewrite("UPDATE", "a", IdBelow(3));
    EXPECT_EQ(AfterBoth(rewrite, HideRows({7}, IdAbove(6))).name, kAppend) << "the new file may hold our rows";
    EXPECT_EQ(AfterBoth(HideRows({7}, IdAbove(6)), rewrite).name, kAppend);
    EXPECT_EQ(AfterBoth(DeleteFile("a", IdBelow(20)), HideRows({7}, IdAbove(6))).name, kDeleteDelete);
}

TEST(VectorConflictTest, ARowThatTheWinnerAddedAndWeShouldHaveReadConflicts) {
    const auto append = AppendTo("a", 0, 9);
    EXPECT_EQ(AfterBoth(append, HideRows({7}, IdAbove(6))).name, kAppend);
    EXPECT_EQ(AfterBoth(AppendTo("a", 0, 5), HideRows({7}, IdAbove(6))).name, "ok");
}

TEST(VectorConflictTest, OtherFilesMayChangeAsTheyLikeUnlessRowsComeBack) {
    SmallTable table;
    Prepare(table, false);
    auto hide_b = table.Begin("DELETE");
    hide_b.changes().reads->AddRead();
    hide_b.changes().removes = {MakeRemove(FileB(table), 1, true)};
    auto b_with_vector = FileB(table);
    b_with_vector.deletion_vector = Vector({0, 1});
    hide_b.changes().adds = {b_with_vector};
    ASSERT_EQ(Name(table.Commit(hide_b)), "ok");
    const auto outcome = [&](std::vector<uint64_t> winners_rows) {
        auto slow = table.Begin();
        HideRows({7}, IdAbove(6))(table, slow.changes(), "loser");
        auto fast = table.Begin("DELETE");
        const auto now = table.Files().at("b1");
        fast.changes().removes = {MakeRemove(now, 1, true)};
        auto after = now;
        after.deletion_vector = Vector(std::move(winners_rows));
        fast.changes().adds = {after};
        EXPECT_EQ(Name(table.Commit(fast)), "ok");
        return Name(table.Commit(slow));
    };
    EXPECT_EQ(outcome({1, 2}), kAppend) << "row 0 came back";
    EXPECT_EQ(outcome({1, 2, 3}), "ok");
}

TEST(VectorConflictTest, ThreeInARow) {
    SmallTable table;
    Prepare(table, false);
    std::vector<Transaction> all;
    for (uint64_t row = 0; row < 3; ++row) {
        all.push_back(table.Begin());
        const auto id = static_cast<int64_t>(row);
        HideRows({row}, Predicate::And({IdBelow(id + 1), IdAbove(id - 1)}))(table, all.back().changes(), "");
    }
    for (auto &transaction : all) {
        EXPECT_EQ(Name(table.Commit(transaction)), "ok");
    }
    const auto file = table.Files().at("a1");
    EXPECT_EQ(ReadDeletionVector(table.engine, table.root, *file.deletion_vector, table.call)->ToVector(),
              (std::vector<uint64_t>{0, 1, 2}));
    EXPECT_EQ(table.Files().size(), 2u);
}

}  // namespace
}  // namespace birdfoot
