// ReturnedRows: what RETURNING gives back: new rows as they are stored, deleted ones as they were, each once.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "duckdb.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"

#include "duckdb/write/change_rows.hpp"
#include "duckdb/write/row_sets.hpp"

namespace birdfoot::duck {

class ReturnedRows {
public:
    //! `types` are the table's columns; of a MERGE the action's name, too.
    ReturnedRows(duckdb::ClientContext &context, const ChangeTarget &target,
                 const duckdb::vector<duckdb::LogicalType> &types)
        : target_(target), rows_(context, types) {}

    //! One a thread.
    using Local = duckdb::ColumnDataCollection;
    std::unique_ptr<Local> MakeLocal(duckdb::ClientContext &context) const {
        return std::make_unique<Local>(context, rows_.Types());
    }
    //! The first columns of `rows` are the table's.
    void Add(Local &local, duckdb::DataChunk &rows, const char *action) const;
    //! Of the rows that a clause deletes those that come for the first time: several rows of a source may match one.
    void AddDeleted(Local &local, const RowClause &clause, duckdb::DataChunk &rows);
    void Combine(Local &local);

    duckdb::ColumnDataCollection &rows() { return rows_; }

private:
    //! Returns how many there are.
    duckdb::idx_t FirstTime(duckdb::DataChunk &rows, duckdb::SelectionVector &first);

    const ChangeTarget &target_;
    std::mutex mutex_;  // of the two below
    duckdb::ColumnDataCollection rows_;
    std::map<uint64_t, RowSet> deleted_;  // by their file's id
};

}  // namespace birdfoot::duck
