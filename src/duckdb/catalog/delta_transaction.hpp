// DeltaTransaction: DuckDB's transaction on one of our catalogs. It pins a snapshot a path (repeatable reads) and holds
// the work on the one table that it writes.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/transaction/transaction.hpp"

#include "core/scan/plan.hpp"
#include "core/txn/transaction.hpp"

namespace birdfoot::duck {

class DeltaCatalog;

//! The table being written in this transaction. Operators add to `transaction.changes()` under `mutex`, name every file
//! in `files` before its first byte, and never touch the store otherwise.
struct TableWork {
    TableWork(std::string root, SnapshotPtr snapshot, std::shared_ptr<ObjectStore> store)
        : transaction(std::move(root), std::move(snapshot)), files(std::move(store)) {}

    std::mutex mutex;
    Transaction transaction;
    PendingFiles files;
    // The table as the transaction's own statements see it: metadata of the pending change, else of the snapshot.
    Metadata metadata;
    Protocol protocol;
    StructType schema;
    ColumnMappingMode mapping = ColumnMappingMode::kNone;
    bool created = false;      // CREATE TABLE in this transaction
    bool statement_failed = false;

    //! Uncommitted adds and the keys removed, for our own scans.
    std::shared_ptr<const ScanOverlay> Overlay();
};

class DeltaTransaction : public duckdb::Transaction {
public:
    DeltaTransaction(DeltaCatalog &catalog, duckdb::TransactionManager &manager, duckdb::ClientContext &context);
    static DeltaTransaction &Get(duckdb::ClientContext &context, duckdb::Catalog &catalog);

    //! The latest snapshot, pinned at first use; null if there is no table at `root`. Throws on any other error.
    SnapshotPtr Pin(duckdb::ClientContext &context, const std::string &root);
    //! The work on `root`, begun at first use; BIRDFOOT_ONE_TABLE_PER_TRANSACTION if another table is written already.
    TableWork &WorkOn(duckdb::ClientContext &context, const std::string &root);
    //! The work on `root` if it has begun.
    TableWork *FindWork(const std::string &root);
    //! Where reads of `root` are registered.
    std::shared_ptr<ReadSet> ReadsOf(const std::string &root);
    //! Keeps an entry alive as long as the transaction: plans hold references to it.
    duckdb::TableCatalogEntry &Keep(duckdb::unique_ptr<duckdb::TableCatalogEntry> entry);

    DeltaCatalog &catalog() { return catalog_; }
    TableWork *work() { return work_.get(); }

private:
    DeltaCatalog &catalog_;
    std::mutex mutex_;
    std::map<std::string, SnapshotPtr> pinned_;
    std::map<std::string, std::shared_ptr<ReadSet>> reads_;
    std::unique_ptr<TableWork> work_;
    duckdb::vector<duckdb::unique_ptr<duckdb::TableCatalogEntry>> entries_;
};

}  // namespace birdfoot::duck
