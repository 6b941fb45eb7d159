#include "core/txn/change_set.hpp"

#include <gtest/gtest.h>

#include "core/txn/pending_files.hpp"
#include "storage/memory_store.hpp"

namespace birdfoot {
namespace {

ChangeSet Everything() {
    ChangeSet changes;
    changes.operation = {"MERGE", {{"predicate", "[\"(a = b)\"]"}, {"x", ""}}, {{"numOutputRows", "3"}}};
    changes.user_metadata = "line\nbreak";
    changes.acknowledged_constraints = {"NOT NULL a", "positive"};
    changes.touched_is_read = true;
    changes.data_change = false;
    AddFile add;
    add.path = "p=a%2520b/f.parquet";
    add.partition_values = {{"p", "a b"}, {"q", std::nullopt}};
    add.size = 5;
    add.modification_time = 7;
    add.stats = R"({"numRecords":3})";
    add.tags = Tags{{"k", "v"}};
    add.deletion_vector = DeletionVectorDescriptor{"u", "ab", 1, 40, 2};
    add.base_row_id = 11;
    add.default_row_commit_version = 2;
    changes.adds = {add};
    changes.removes = {MakeRemove(add, 9, true)};
    changes.cdc = {{"_change_data/c", {{"p", "a b"}}, 4, std::nullopt}};
    Metadata metadata;
    metadata.id = "id";
    metadata.schema_string = "{}";
    metadata.configuration = {{"k", "v"}};
    changes.metadata = metadata;
    changes.protocol = Protocol{3, 7, {{"deletionVectors"}}, {{"deletionVectors"}}};
    changes.domains = {{"d", "{}", true}};
    changes.transactions = {{"app", 4, 5}};
    changes.reads->ReadTransaction("app");
    changes.reads->AddRead();
    const auto read = [&](Predicate predicate) {
        changes.reads->Narrow(changes.reads->AddRead(), std::move(predicate));
    };
    const DataType string_type(TypeKind::kString);
    const DataType binary(TypeKind::kBinary);
    const DataType real(TypeKind::kDouble);
    const DataType date(TypeKind::kDate);
    const auto decimal = DataType::Decimal(38, 10);
    read(Predicate::And(
        {Predicate::Compare({"s", "x"}, string_type, CompareOp::kEqual, Scalar::Text(string_type, "")),
         Predicate::Not(
             Predicate::Compare({"b"}, binary, CompareOp::kLess, Scalar::Text(binary, std::string("\0\xff", 2)))),
         Predicate::Or({Predicate::IsNull({"n"}, date), Predicate::IsNotNull({"n"}, date), Predicate::Unknown()})}));
    read(Predicate::Compare({"r"}, real, CompareOp::kGreaterEqual, Scalar::Real(real, -0.1)));
    read(Predicate::Compare({"d"}, decimal, CompareOp::kNotEqual,
                            Scalar::DecimalOf(decimal, Int128{1234567890123456789} * 1000000007)));
    read(Predicate::Compare({"t"}, date, CompareOp::kGreater, Scalar::Integer(date, -719162)));
    read(Predicate::Compare({"o"}, DataType(TypeKind::kBoolean), CompareOp::kLessEqual, Scalar::Bool(true)));
    read(Predicate::False());
    read(Predicate::Null());
    return changes;
}

TEST(ChangeSetTest, JsonKeepsEverything) {
    const auto changes = Everything();
    const auto json = changes.ToJson();
    const auto back = ChangeSet::FromJson(json);
    ASSERT_TRUE(back.ok()) << back.error().message();
    EXPECT_EQ(back->ToJson(), json);
    EXPECT_EQ(back->reads->predicates().size(), 8u);
    EXPECT_TRUE(back->reads->reads_whole_table());
    for (size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(back->reads->predicates()[i].ToString(), changes.reads->predicates()[i].ToString());
    }
    EXPECT_EQ(back->adds.at(0).partition_values, changes.adds.at(0).partition_values);
    EXPECT_EQ(back->adds.at(0).deletion_vector, changes.adds.at(0).deletion_vector);
    EXPECT_EQ(back->removes.at(0).base_row_id, 11);
    EXPECT_EQ(back->operation.parameters, changes.operation.parameters);
    EXPECT_TRUE(back->touched_is_read);
    EXPECT_FALSE(back->data_change);
}

TEST(ChangeSetTest, WhatIsNoChangeSetIsRefused) {
    for (
        const auto *json :
        {"", "{", "[]", "{}", R"({"operation":{}})", R"({"operation":{},"actions":[1]})",
         R"({"operation":{},"actions":[{"unknown":{}}]})", R"({"operation":{},"actions":[{}]})",
         R"({"operation":{},"actions":[{"commitInfo":{}}]})", R"({"operation":{},"actions":[{"add":{"path":1}}]})",
         R"({"operation":{},"actions":[],"reads":[{"kind":"guess"}]})",
         R"({"operation":{},"actions":[],"reads":[{"kind":"not"}]})",
         R"({"operation":{},"actions":[],"reads":[{"kind":"compare","column":["a"],"type":"long","op":"=","literalType":"long","literal":"x"}]})",
         R"({"operation":{},"actions":[],"reads":[{"kind":"isNull"}]})"}) {
        EXPECT_FALSE(ChangeSet::FromJson(json).ok()) << json;
    }
    std::string deep = R"({"kind":"true"})";
    for (int i = 0; i < 300; ++i) {
        deep = R"({"kind":"not","children":[)" + deep + "]}";
    }
    EXPECT_FALSE(ChangeSet::FromJson(R"({"operation":{},"actions":[],"reads":[)" + deep + "]}").ok());
}

TEST(ChangeSetTest, BlindAppend) {
    ChangeSet changes;
    EXPECT_TRUE(changes.empty());
    EXPECT_TRUE(changes.IsBlindAppend());
    changes.adds.emplace_back();
    EXPECT_TRUE(changes.IsBlindAppend());
    changes.reads->ReadTransaction("app");
    EXPECT_TRUE(changes.IsBlindAppend()) << "an application id is no row";
    changes.reads->AddRead();
    EXPECT_FALSE(changes.IsBlindAppend());
}

TEST(ReadSetTest, IsNarrowedOnce) {
    ReadSet reads;
    const auto read = reads.AddRead();
    EXPECT_TRUE(reads.reads_whole_table());
    reads.Narrow(read, Predicate::False());
    EXPECT_FALSE(reads.reads_whole_table());
    reads.Narrow(read, Predicate::True());
    EXPECT_FALSE(reads.reads_whole_table());
    reads.Narrow(99, Predicate::False());
    reads.Narrow(reads.AddRead(), Predicate::Unknown());
    EXPECT_TRUE(reads.reads_whole_table()) << "what is not known may be all";
}

class PendingFilesTest : public testing::Test {
protected:
    void SetUp() override {
        for (const auto *path : {"/t/a", "/t/b", "/t/c"}) {
            ASSERT_TRUE(store_->Put(path, "x", PutMode::kCreateOnly, Call()).ok());
        }
    }
    std::string Left() {
        std::string names;
        const auto listed = store_->List("/t", "", Call());
        for (const auto &info : *listed) {
            names += info.name;
        }
        return names;
    }
    std::shared_ptr<storage::MemoryStore> store_ = std::make_shared<storage::MemoryStore>();
};

TEST_F(PendingFilesTest, OnlyWhatIsAbandonedIsDeleted) {
    {
        PendingFiles files(store_);
        files.Writing("/t/a");
        files.Writing("/t/b");
        files.Abandon("/t/a");
        files.Abandon("/t/c");  // not ours
        EXPECT_EQ(Left(), "bc");
    }
    EXPECT_EQ(Left(), "c") << "a statement that failed before its commit";
}

TEST_F(PendingFilesTest, CommittedAndUnknownFilesStay) {
    PendingFiles files(store_);
    files.Writing("/t/a");
    files.Committed();
    files.Writing("/t/b");
    files.Unknown();
    files.AbandonAll();
    EXPECT_EQ(Left(), "abc");
}

}  // namespace
}  // namespace birdfoot
