// Two small transactions in every interleaving of their phases: the second one loads and commits at any two moments
// between the store calls of the first. Whatever was committed must equal the same operations done one after the other,
// in the order of their versions. A file holds the rows that its name spells ("x+y|3" holds x and y).
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "storage/fault_injecting_store.hpp"
#include "unit/core/txn/small_table.hpp"

namespace birdfoot {
namespace {

using Rows = std::multiset<std::string>;  // "x@a": row x in partition a

std::vector<std::string> RowsOf(const AddFile &file) {
    std::vector<std::string> rows;
    const auto names = file.path.substr(0, file.path.find('|'));
    for (size_t from = 0; from <= names.size();) {
        const auto end = std::min(names.find('+', from), names.size());
        rows.push_back(names.substr(from, end - from));
        from = end + 1;
    }
    return rows;
}
std::string PartitionOf(const AddFile &file) { return file.partition_values[0].second.value_or(""); }

struct SmallOperation {
    std::string name;
    //! Fills the change set from the files that the transaction read; `tag` makes names unique.
    std::function<void(SmallTable &, const std::vector<AddFile> &, ChangeSet &, const std::string &tag)> fill;
    //! What it does to rows.
    std::function<Rows(const Rows &, const std::string &tag)> model;
};

void ReadPartition(ChangeSet &changes, const std::string &p) {
    const DataType type(TypeKind::kString);
    changes.reads->Narrow(changes.reads->AddRead(),
                          Predicate::Compare({"p"}, type, CompareOp::kEqual, Scalar::Text(type, p)));
}

Rows Where(const Rows &rows, const std::string &p, bool in) {
    Rows kept;
    for (const auto &row : rows) {
        if (row.ends_with("@" + p) == in) {
            kept.insert(row);
        }
    }
    return kept;
}

SmallOperation Append(const std::string &p) {
    return {"append to " + p,
            [=](SmallTable &table, const std::vector<AddFile> &, ChangeSet &changes, const std::string &tag) {
                changes.adds = {table.File(tag + "|" + tag, p)};
            },
            [=](const Rows &rows, const std::string &tag) {
                auto after = rows;
                after.insert(tag + "@" + p);
                return after;
            }};
}

SmallOperation Delete(const std::string &p) {
    return {"delete " + p,
            [=](SmallTable &, const std::vector<AddFile> &files, ChangeSet &changes, const std::string &) {
                ReadPartition(changes, p);
                for (const auto &file : files) {
                    if (PartitionOf(file) == p) {
                        changes.removes.push_back(MakeRemove(file, 1, true));
                    }
                }
            },
            [=](const Rows &rows, const std::string &) { return Where(rows, p, false); }};
}

SmallOperation Update(const std::string &p) {
    return {"update " + p,
            [=](SmallTable &table, const std::vector<AddFile> &files, ChangeSet &changes, const std::string &tag) {
                ReadPartition(changes, p);
                for (const auto &file : files) {
                    if (PartitionOf(file) == p) {
                        changes.removes.push_back(MakeRemove(file, 1, true));
                        std::string rows;
                        for (const auto &row : RowsOf(file)) {
                            rows += (rows.empty() ? "" : "+") + row + "." + tag;
                        }
                        changes.adds.push_back(table.File(rows + "|" + tag, p));
                    }
                }
            },
            [=](const Rows &rows, const std::string &tag) {
                auto after = Where(rows, p, false);
                for (const auto &row : Where(rows, p, true)) {
                    after.insert(row.substr(0, row.find('@')) + "." + tag + "@" + p);
                }
                return after;
            }};
}

SmallOperation Overwrite() {
    return {"overwrite",
            [](SmallTable &table, const std::vector<AddFile> &files, ChangeSet &changes, const std::string &tag) {
                changes.reads->AddRead();
                for (const auto &file : files) {
                    changes.removes.push_back(MakeRemove(file, 1, true));
                }
                changes.adds = {table.File(tag + "|" + tag, "b")};
            },
            [](const Rows &, const std::string &tag) { return Rows{tag + "@b"}; }};
}

SmallOperation Copy(const std::string &from, const std::string &to) {
    return {"copy " + from + " to " + to,
            [=](SmallTable &table, const std::vector<AddFile> &files, ChangeSet &changes, const std::string &tag) {
                ReadPartition(changes, from);
                for (const auto &file : files) {
                    if (PartitionOf(file) == from) {
                        std::string rows;
                        for (const auto &row : RowsOf(file)) {
                            rows += (rows.empty() ? "" : "+") + row + ".c" + tag;
                        }
                        changes.adds.push_back(table.File(rows + "|" + tag, to));
                    }
                }
            },
            [=](const Rows &rows, const std::string &tag) {
                auto after = rows;
                for (const auto &row : Where(rows, from, true)) {
                    after.insert(row.substr(0, row.find('@')) + ".c" + tag + "@" + to);
                }
                return after;
            }};
}

SmallOperation Optimize(const std::string &p) {
    return {"optimize " + p,
            [=](SmallTable &table, const std::vector<AddFile> &files, ChangeSet &changes, const std::string &tag) {
                changes.reads->AddRead();
                changes.data_change = false;
                std::string rows;
                for (const auto &file : files) {
                    if (PartitionOf(file) == p) {
                        changes.removes.push_back(MakeRemove(file, 1, false));
                        rows += (rows.empty() ? "" : "+") + file.path.substr(0, file.path.find('|'));
                    }
                }
                if (!rows.empty()) {
                    changes.adds = {table.File(rows + "|" + tag, p)};
                    changes.adds[0].data_change = false;
                }
            },
            [](const Rows &rows, const std::string &) { return rows; }};
}

//! One transaction in two phases.
class Actor {
public:
    Actor(std::shared_ptr<ObjectStore> store, const SmallOperation &operation, std::string tag)
        : table_(std::move(store)), operation_(operation), tag_(std::move(tag)) {}

    void Load() {
        transaction_.emplace(table_.Begin(operation_.name));
        std::vector<AddFile> files;
        for (auto &[name, add] : table_.FilesOf(transaction_->snapshot())) {
            files.push_back(add);
        }
        operation_.fill(table_, files, transaction_->changes(), tag_);
    }
    void Commit() {
        const auto outcome = table_.Commit(*transaction_);
        name_ = Name(outcome);
        if (name_ == "ok") {
            version_ = std::get<Committed>(*outcome).version;
        }
    }
    const std::string &name() const { return name_; }
    std::optional<Version> version() const { return version_; }
    Rows Model(const Rows &rows) const { return operation_.model(rows, tag_); }

private:
    SmallTable table_;
    const SmallOperation &operation_;
    std::string tag_;
    std::optional<Transaction> transaction_;
    std::string name_;
    std::optional<Version> version_;
};

Rows Content(SmallTable &table) {
    Rows rows;
    for (const auto &[name, add] : table.Files()) {
        for (const auto &row : RowsOf(add)) {
            rows.insert(row + "@" + PartitionOf(add));
        }
    }
    return rows;
}

std::string Text(const Rows &rows) {
    std::string text;
    for (const auto &row : rows) {
        text += row + " ";
    }
    return text;
}

struct Tally {
    int runs = 0;
    int both = 0;
    int conflicts = 0;
};

//! Runs them with the second one's phases at the first one's store calls `load_at` <= `commit_at` (beyond the last: at
//! the end). Gives the number of store calls that the first one made.
uint64_t RunPair(const SmallOperation &first, const SmallOperation &second, uint64_t load_at, uint64_t commit_at,
                 Tally &tally) {
    auto inner = std::make_shared<storage::MemoryStore>();
    SmallTable table(inner);
    table.Create();
    table.Append({table.File("x|0", "a"), table.File("y|0", "a"), table.File("z|0", "b")});
    const auto before = Content(table);

    auto store = std::make_shared<storage::FaultInjectingStore>(inner);
    Actor one(store, first, "1");
    Actor two(inner, second, "2");
    uint64_t calls = 0;
    bool loaded = false;
    bool committed = false;
    const auto step = [&](uint64_t call) {
        if (call >= load_at && !loaded) {
            loaded = true;
            two.Load();
        }
        if (call >= commit_at && !committed) {
            committed = true;
            two.Commit();
        }
    };
    store->SetBefore([&](std::string_view, const std::string &) { step(++calls); });
    one.Load();
    one.Commit();
    store->SetBefore({});
    step(UINT64_MAX);

    auto expected = before;
    const bool one_first = !two.version() || (one.version() && *one.version() < *two.version());
    for (const auto *actor : {one_first ? &one : &two, one_first ? &two : &one}) {
        if (actor->version()) {
            expected = actor->Model(expected);
        }
        EXPECT_TRUE(actor->name() == "ok" || actor->name() == "skipped" ||
                    actor->name().starts_with("DELTA_CONCURRENT"))
            << actor->name();
    }
    EXPECT_EQ(Text(Content(table)), Text(expected))
        << first.name << " (" << one.name() << ") and " << second.name << " (" << two.name() << "), load at " << load_at
        << ", commit at " << commit_at;
    EXPECT_FALSE(one.name().starts_with("DELTA") && two.name().starts_with("DELTA")) << "one of them must get through";
    ++tally.runs;
    tally.both += one.version() && two.version() ? 1 : 0;
    tally.conflicts += one.name().starts_with("DELTA") || two.name().starts_with("DELTA") ? 1 : 0;
    return calls;
}

TEST(InterleavingTest, EveryPairIsSerializable) {
    const std::vector<SmallOperation> operations = {Append("a"),    Append("b"),    Delete("a"),
                                                    Delete("b"),    Update("a"),    Overwrite(),
                                                    Copy("a", "b"), Copy("b", "a"), Optimize("a")};
    Tally tally;
    for (const auto &first : operations) {
        for (const auto &second : operations) {
            uint64_t calls = 1;
            for (uint64_t load_at = 1; load_at <= calls + 1; ++load_at) {
                for (uint64_t commit_at = load_at; commit_at <= calls + 1; ++commit_at) {
                    calls = std::max(calls, RunPair(first, second, load_at, commit_at, tally));
                }
            }
        }
    }
    EXPECT_GT(tally.runs, 1000);
    EXPECT_GT(tally.both, tally.runs / 2);
    EXPECT_GT(tally.conflicts, 100);
    RecordProperty("runs", tally.runs);
}

}  // namespace
}  // namespace birdfoot
