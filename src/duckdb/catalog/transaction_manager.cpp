#include "duckdb/catalog/transaction_manager.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

duckdb::Transaction &DeltaTransactionManager::StartTransaction(duckdb::ClientContext &context) {
    return Guarded([&]() -> duckdb::Transaction & {
        auto transaction = std::make_unique<DeltaTransaction>(catalog_, *this, context);
        auto &result = *transaction;
        std::lock_guard lock(mutex_);
        transactions_[&result] = std::move(transaction);
        return result;
    });
}

std::unique_ptr<DeltaTransaction> DeltaTransactionManager::Take(duckdb::Transaction &transaction) {
    std::lock_guard lock(mutex_);
    auto found = transactions_.extract(&transaction);
    return found.empty() ? nullptr : std::move(found.mapped());
}

duckdb::ErrorData DeltaTransactionManager::CommitTransaction(duckdb::ClientContext &context,
                                                             duckdb::Transaction &transaction) {
    try {
        auto ours = Take(transaction);
        return ours ? ours->Commit(context) : duckdb::ErrorData();
    } catch (...) {
        return duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION,
                                 ErrorFromException(Condition::BIRDFOOT_INTERNAL).message());
    }
}

void DeltaTransactionManager::RollbackTransaction(duckdb::Transaction &transaction) {
    Guarded([&] {
        if (auto ours = Take(transaction)) {
            ours->Rollback();
        }
    });
}

void DeltaTransactionManager::Checkpoint(duckdb::ClientContext &, bool) {
    // DuckDB asks every attached database at CHECKPOINT; ours are checkpointed table by table, after commits.
}

}  // namespace birdfoot::duck
