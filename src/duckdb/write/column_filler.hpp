// ColumnFiller: the values of columns that a statement gives none for: identity columns get their next numbers,
// generated columns are computed. An empty text in a partition column becomes the NULL that it is read as
// (PROTOCOL.md, "Partition Value Serialization"), so that constraints are checked on what the table will hold. The
// operator that makes rows fills them before it hands them to the FileWriter.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/write/table_rules.hpp"

namespace birdfoot::duck {

//! Rows that come from one place: an INSERT, or a clause of a MERGE.
struct FilledRows {
    enum Kind { kInserted, kUpdated, kNone } kind = kInserted;
    std::vector<bool> given;  // for each column of the table, whether it has a value; empty: all have
};

class ColumnFiller {
public:
    //! Throws DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED for a value of a GENERATED ALWAYS AS IDENTITY
    //! column, and DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED for an update of an identity column.
    ColumnFiller(duckdb::ClientContext &context, TableWork &work, const std::vector<FilledRows> &sources);

    //! The generated columns that it computes for all rows, for WriteTarget::computed.
    std::vector<size_t> computed() const;

    //! One a thread.
    struct Local {
        std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> executors;
        duckdb::DataChunk generated;
        duckdb::DataChunk identities;
    };
    std::unique_ptr<Local> MakeLocal(duckdb::ClientContext &context) const;

    //! The chunk has the table's columns first; its vectors of columns to fill are replaced, and live until the next
    //! call.
    void Fill(Local &local, duckdb::DataChunk &chunk, size_t source = 0);
    //! At the end of the statement: the new high-water marks become part of the pending change. Call under work.mutex.
    void Finish(TableWork &work) const;

private:
    struct Generated {
        size_t column;
        BoundRule rule;
    };
    //! What is filled in for the rows of a source: positions in the lists below.
    struct Filling {
        bool any_rows = true;
        std::vector<size_t> identities, generated;
    };

    void EmptyToNull(duckdb::DataChunk &chunk) const;
    void FillIdentities(Local &local, duckdb::DataChunk &chunk, const std::vector<size_t> &numbered);

    std::vector<Filling> fillings_;
    std::vector<size_t> partition_texts_;  // columns of text or bytes
    std::vector<Generated> generated_;
    std::mutex mutex_;
    std::vector<IdentityColumn> identities_;
};

}  // namespace birdfoot::duck
