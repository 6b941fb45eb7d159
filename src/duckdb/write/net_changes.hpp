// NetChanges: the change files of a transaction of several statements, made anew behind each statement from what the
// table was and what it is now. Readers of a version with change files look at nothing else of it (PROTOCOL.md, "Add
// CDC File"), so they tell of every row; where added and removed files say enough there are none.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/execution/execution_context.hpp"

#include "duckdb/write/change_data.hpp"
#include "duckdb/write/work_changes.hpp"

namespace birdfoot::duck {

//! Whether statements keep the origins of rows, so that another statement of the same transaction can follow: inside of
//! BEGIN … COMMIT, where the table has a change data feed.
bool KeepsOrigins(duckdb::ClientContext &context, const TableWork &work);

class NetChanges {
public:
    NetChanges(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work);

    // Behind the statement's last change of the ChangeSet, in this order.
    //! In how many tasks WriteFiles() is to run; 0: not at all.
    duckdb::idx_t Begin();
    void WriteFiles(duckdb::ExecutionContext &context);
    //! Makes them the change files of the transaction. Returns how many more there are than before.
    int64_t Finish();

private:
    void AddRowsOf(const AddFile &file);
    void AddRowsGoneFrom(const RemoveFile &file);
    RowSet VectorOf(const std::optional<DeletionVectorDescriptor> &vector) const;

    struct Successors {
        RowSet copied, changed;
    };

    duckdb::ClientContext &context_;
    DeltaTransaction &transaction_;
    TableWork &work_;
    std::map<std::string, Successors> successors_;  // rows of the snapshot's files that live on in others
    std::unique_ptr<ChangeData> change_data_;
};

}  // namespace birdfoot::duck
