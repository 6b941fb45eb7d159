// A row's id is the value of the materialised column, or where that is NULL the file's base row id and the position.
// Ids are unique in a version, so each row that we touched is in exactly one of the winner's files.
#include "core/txn/moved_rows.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "core/scan/deletion_vector.hpp"
#include "core/scan/plan.hpp"
#include "core/scan/statistics.hpp"

namespace birdfoot {
namespace {

//! What the winner's file loses: `gone` holds rows by position, its old vector included.
struct Loss {
    const AddFile *file;
    RowSet gone;
    bool all;
};

class MovedRows {
public:
    MovedRows(const Engine &engine, const std::string &root, const Metadata &metadata, const Call &call)
        : engine_(engine), root_(root), call_(call) {
        const auto found = metadata.configuration.find("delta.rowTracking.materializedRowIdColumnName");
        column_ = found == metadata.configuration.end() ? "" : found->second;
    }

    //! Notes the rows that we took out of a file of ours: those that `add` hides beyond the file's old vector, or all
    //! that were left if it was removed.
    Status Touch(const RemoveFile &remove, const AddFile *add) {
        BF_ASSIGN(const auto before, RowsOf(remove.deletion_vector));
        BF_ASSIGN(const auto after, RowsOf(add ? add->deletion_vector : std::nullopt));
        return ForEachRow(remove.path, *remove.base_row_id, [&](uint64_t position, uint64_t id) {
            if (!before.Contains(position) && (!add || after.Contains(position))) {
                touched_.Add(id);
            }
        });
    }

    //! Finds rows noted in a file of the winner's.
    Status Find(const AddFile &file) {
        BF_ASSIGN(auto gone, RowsOf(file.deletion_vector));
        const auto gone_before = gone.cardinality();
        const auto hidden = gone.Clone();
        uint64_t rows = 0;
        BF_RETURN_IF_ERROR(ForEachRow(file.path, *file.base_row_id, [&](uint64_t position, uint64_t id) {
            ++rows;
            if (!hidden.Contains(position) && touched_.Contains(id)) {
                gone.Add(position);
            }
        }));
        if (const auto count = gone.cardinality() - gone_before; count > 0) {
            found_ += count;
            losses_.push_back({&file, std::move(gone), false});
            losses_.back().all = losses_.back().gone.cardinality() == rows;
        }
        return {};
    }

    bool found_all() const { return found_ == touched_.cardinality(); }
    std::vector<Loss> &losses() { return losses_; }

private:
    Result<RowSet> RowsOf(const std::optional<DeletionVectorDescriptor> &vector) {
        return vector ? ReadDeletionVector(engine_, root_, *vector, call_) : RowSet();
    }

    Status ForEachRow(const std::string &path, int64_t base_row_id,
                      const std::function<void(uint64_t position, uint64_t id)> &visit) {
        ReadRequest request;
        request.files = {ResolvePath(root_, path)};
        request.columns.push_back(ColumnRequest{std::vector<std::string>{column_}, ColumnKind::kInt64});
        request.row_numbers = true;
        return engine_.parquet->Read(
            request,
            [&](const ReadBatch &batch) -> Status {
                const auto &ids = batch.columns[0];
                for (size_t i = 0; i < batch.rows; ++i) {
                    visit(static_cast<uint64_t>(batch.row[i]),
                          static_cast<uint64_t>(ids.is_null(i) ? base_row_id + batch.row[i] : ids.ints[i]));
                }
                return {};
            },
            call_);
    }

    const Engine &engine_;
    const std::string &root_;
    const Call &call_;
    std::string column_;
    RowSet touched_;  // row ids
    uint64_t found_ = 0;
    std::vector<Loss> losses_;
};

//! The add that gives a removed file another vector; null if the file goes.
const AddFile *AddedAgain(const ChangeSet &changes, const RemoveFile &remove) {
    const auto path = DecodePath(remove.path);
    const auto found = std::find_if(changes.adds.begin(), changes.adds.end(),
                                    [&](const AddFile &add) { return DecodePath(add.path) == path; });
    return found == changes.adds.end() ? nullptr : &*found;
}

void DropChanges(const std::vector<size_t> &moved, ChangeSet &changes) {
    std::set<std::string> paths;
    for (const auto index : moved) {
        paths.insert(DecodePath(changes.removes[index].path));
    }
    const auto dropped = [&](const auto &file) { return paths.contains(DecodePath(file.path)); };
    std::erase_if(changes.removes, dropped);
    std::erase_if(changes.adds, dropped);
}

}  // namespace

Result<std::optional<Error>> FollowMovedRows(const Engine &engine, const ConflictChecker &checker, const Winner &winner,
                                             const std::vector<size_t> &moved, const Metadata &metadata,
                                             const std::string &root, ChangeSet &changes, PendingFiles &files,
                                             const Call &call) {
    const auto conflict = [&](std::string_view what) {
        return std::optional(checker.Conflict(Condition::DELTA_CONCURRENT_DELETE_DELETE, winner, what));
    };
    const auto is_tracked = [](const AddFile *add) { return add->base_row_id.has_value(); };
    if (!engine.parquet || !std::all_of(winner.adds.begin(), winner.adds.end(), is_tracked)) {
        return conflict("moved rows that this one changes, without their row ids");
    }
    MovedRows rows(engine, root, metadata, call);
    const auto follow = [&]() -> Status {
        for (const auto index : moved) {
            BF_RETURN_IF_ERROR(rows.Touch(changes.removes[index], AddedAgain(changes, changes.removes[index])));
        }
        for (const auto *add : winner.adds) {
            BF_RETURN_IF_ERROR(rows.Find(*add));
        }
        return {};
    };
    if (auto followed = follow(); !followed.ok()) {
        if (followed.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
            return conflict("moved rows that this one changes, and a file that held them is gone");
        }
        return followed.error();
    }
    if (!rows.found_all()) {
        return conflict("moved rows that this one changes, and not all of them are to be found by their row ids");
    }
    std::vector<const RowSet *> vectors;
    for (const auto &loss : rows.losses()) {
        if (loss.all) {
            continue;
        }
        if (!FileStatistics::Parse(loss.file->stats).num_records()) {
            return conflict(
                "moved rows that this one changes into a file without statistics, which can have no vector");
        }
        vectors.push_back(&loss.gone);
    }
    if (!vectors.empty() && !IsSwitchedOn(metadata, "delta.enableDeletionVectors")) {
        return conflict(
            "moved rows that this one changes (where delta.enableDeletionVectors is on, they are followed)");
    }
    std::vector<DeletionVectorDescriptor> descriptors;
    if (!vectors.empty()) {
        std::string path;
        BF_ASSIGN(descriptors, WriteDeletionVectors(engine, root, vectors, &path, call));
        files.Writing(path);
    }
    DropChanges(moved, changes);
    auto descriptor = descriptors.begin();
    for (const auto &loss : rows.losses()) {
        changes.removes.push_back(MakeRemove(*loss.file, engine.now_ms(), true));
        if (!loss.all) {
            auto add = *loss.file;
            add.deletion_vector = *descriptor++;
            add.stats = WithWideBounds(add.stats);
            add.data_change = true;
            changes.adds.push_back(std::move(add));
        }
    }
    return std::optional<Error>();
}

}  // namespace birdfoot
