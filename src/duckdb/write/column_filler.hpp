// ColumnFiller: the values of columns that a statement gives none for: identity columns get their next numbers, generated
// columns are computed. The operator that makes rows fills them before it hands them to the FileWriter.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/write/table_rules.hpp"

namespace birdfoot::duck {

class ColumnFiller {
public:
    //! `given`: for each column of the table, whether the statement has values for it. Throws
    //! DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED for a value of a GENERATED ALWAYS AS IDENTITY column.
    ColumnFiller(duckdb::ClientContext &context, TableWork &work, const std::vector<bool> &given);

    //! The generated columns that it computes, for WriteTarget::computed.
    const std::vector<size_t> &computed() const { return computed_; }

    //! One a thread.
    struct Local {
        std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> executors;
        duckdb::DataChunk generated;
        duckdb::DataChunk identities;
    };
    std::unique_ptr<Local> MakeLocal(duckdb::ClientContext &context) const;

    //! The chunk has the table's columns; its vectors of those columns are replaced, and live until the next call.
    void Fill(Local &local, duckdb::DataChunk &chunk);
    //! At the end of the statement: the new high-water marks become part of the pending change. Call under work.mutex.
    void Finish(TableWork &work) const;

private:
    std::mutex mutex_;
    std::vector<IdentityColumn> identities_;
    std::vector<size_t> computed_;
    std::vector<BoundRule> rules_;
};

}  // namespace birdfoot::duck
