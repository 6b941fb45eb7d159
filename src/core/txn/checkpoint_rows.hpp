// From actions to the columns of a checkpoint: each action fills its own struct column and leaves the others null.
// Beside the log's own texts, statistics and partition values are parsed into typed columns where the table wants them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/log/checkpoint_schema.hpp"
#include "core/scan/statistics.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot {

//! Which columns the table's properties ask for.
Result<CheckpointColumns> ColumnsOf(const Snapshot &snapshot);

class CheckpointRows {
public:
    //! `sidecar`: added and removed files alone.
    CheckpointRows(const Snapshot &snapshot, const CheckpointColumns &columns, bool sidecar);

    const std::vector<ColumnType> &schema() const { return schema_; }
    //! The columns of these actions, in the schema's order; they point into this object until the next call.
    std::vector<ColumnVector> Build(std::vector<Action> actions);

private:
    void PutAdd(ColumnVector &column, const AddFile &add);
    void PutPartitionValues(ColumnVector &column, const PartitionValues &values);

    CheckpointColumns columns_;
    std::vector<ColumnType> schema_;
    std::vector<std::pair<std::string, DataType>> partition_;  // physical names
    std::vector<IndexedLeaf> leaves_;
    std::vector<Action> actions_;
    std::deque<std::string> texts_;  // what columns point to beside the actions
};

}  // namespace birdfoot
