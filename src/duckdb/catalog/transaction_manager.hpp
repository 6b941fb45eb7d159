// DeltaTransactionManager: starts, commits and rolls back our transactions for DuckDB.
#pragma once

#include <map>
#include <mutex>

#include "duckdb.hpp"
#include "duckdb/transaction/transaction_manager.hpp"

#include "duckdb/catalog/delta_transaction.hpp"

namespace birdfoot::duck {

class DeltaTransactionManager : public duckdb::TransactionManager {
public:
    DeltaTransactionManager(duckdb::AttachedDatabase &db, DeltaCatalog &catalog)
        : duckdb::TransactionManager(db), catalog_(catalog) {}

    duckdb::Transaction &StartTransaction(duckdb::ClientContext &context) override;
    duckdb::ErrorData CommitTransaction(duckdb::ClientContext &context, duckdb::Transaction &transaction) override;
    void RollbackTransaction(duckdb::Transaction &transaction) override;
    void Checkpoint(duckdb::ClientContext &context, bool force) override;

private:
    //! Takes the transaction out of the list: after a failed commit DuckDB does not call RollbackTransaction.
    std::unique_ptr<DeltaTransaction> Take(duckdb::Transaction &transaction);

    DeltaCatalog &catalog_;
    std::mutex mutex_;
    std::map<duckdb::Transaction *, std::unique_ptr<DeltaTransaction>> transactions_;
};

}  // namespace birdfoot::duck
