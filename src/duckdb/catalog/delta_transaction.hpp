// DeltaTransaction: DuckDB's transaction on one of our catalogs. It pins a snapshot a path (repeatable reads), holds
// the work on the one table that it writes, and what is to happen to names. It is the contract between the catalog and
// the operators that read and write. A table may have several names (a path through a link, a name of an attached
// warehouse): pins, reads and work are those of its folder, in all of our catalogs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/transaction/transaction.hpp"

#include "core/io/engine.hpp"
#include "core/scan/plan.hpp"
#include "core/txn/transaction.hpp"
#include "duckdb/catalog/warehouse.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/write/row_origins.hpp"

namespace birdfoot::duck {

class DeltaCatalog;
struct ScanSource;

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
    bool created = false;     // CREATE TABLE in this transaction
    bool new_folder = false;  // then: nothing was at the root
    bool replaced = false;    // CREATE OR REPLACE TABLE in this transaction: no file of the snapshot is left
    RowOrigins origins;       // of the rows in `transaction.changes().adds`, where KeepsOrigins()
    bool moved_rows = false;  // without keeping their origins
    //! A statement has begun to change this and has not ended. DuckDB goes on with a transaction after some errors, but
    //! half a statement is never committed.
    bool half_done = false;

    //! Deletes all that was written.
    void Abandon();
    //! Makes a new metadata (and protocol, where it differs) part of the change: statements after this one see it.
    //! `schema` is that of metadata.schema_string. Call under `mutex`.
    void SetMetadata(Metadata new_metadata, StructType new_schema, ColumnMappingMode new_mapping,
                     Protocol new_protocol);
    //! The snapshot that this transaction's statements are bound to: the one read, with the pending metadata.
    SnapshotPtr View() const;
    //! Uncommitted adds and the keys removed, for our own scans.
    std::shared_ptr<const ScanOverlay> Overlay();
};

//! True for the errors that say that there is no table at a path.
bool IsNoTable(const Error &error);

//! Throws where the database may not touch this path (enable_external_access, allowed_directories): the engine's own
//! stores do not ask DuckDB's file system.
void CheckAccess(duckdb::ClientContext &context, const std::string &root);

class DeltaTransaction : public duckdb::Transaction {
public:
    DeltaTransaction(DeltaCatalog &catalog, duckdb::TransactionManager &manager, duckdb::ClientContext &context);
    static DeltaTransaction &Get(duckdb::ClientContext &context, duckdb::Catalog &catalog);
    //! On whichever of our catalogs there is, for a path without a catalog; null if none is attached.
    static DeltaTransaction *Any(duckdb::ClientContext &context);

    //! The latest snapshot, pinned at first use; null if there is no table at `root`. Throws on any other error.
    SnapshotPtr Pin(duckdb::ClientContext &context, const std::string &root);
    //! The table at `root` as the statements of this transaction see it, and where its read is registered; the snapshot
    //! is null if there is none.
    ScanSource Read(duckdb::ClientContext &context, const std::string &root);
    //! The work on `root`, begun at first use; BIRDFOOT_ONE_TABLE_PER_TRANSACTION if another table is written already,
    //! DELTA_MISSING_DELTA_TABLE if there is none, and whatever forbids writing it.
    TableWork &WorkOn(duckdb::ClientContext &context, const std::string &root);
    //! The work on a table that is about to be created at `root`; fails like WorkOn, but for there being none.
    TableWork &WorkOnNew(duckdb::ClientContext &context, const std::string &root);
    //! The work on `root` if it has begun, perhaps under another name.
    TableWork *FindWork(const std::string &root);
    //! Where reads of `root` are registered.
    std::shared_ptr<ReadSet> ReadsOf(const std::string &root);
    //! Keeps an entry alive as long as the transaction: plans hold references to it.
    duckdb::TableCatalogEntry &Keep(duckdb::unique_ptr<duckdb::TableCatalogEntry> entry);

    //! Something to do with names at the commit. `before` runs before the log is written and may fail the commit;
    //! `undo` runs when the commit failed after that; `after` runs once the commit is there. Each may be empty; none
    //! may use the ClientContext.
    struct NameChange {
        std::function<Status(const Call &)> before;
        std::function<void()> undo;
        std::function<Status(const Call &)> after;
    };
    void AtCommit(NameChange change);
    //! Names made and dropped by this transaction, as its later statements see them: the place that a name stands for,
    //! none for a dropped one. An empty `table` is the schema itself.
    void SetName(const std::string &schema, const std::string &table, std::optional<Warehouse::Place> place);
    //! Null if this transaction has not touched the name.
    const std::optional<Warehouse::Place> *ChangedName(const std::string &schema, const std::string &table);
    //! The tables that this transaction has made in a schema.
    std::vector<std::string> NewNames(const std::string &schema);
    //! The files of the table at `root` are deleted at the commit. Its work, if any, is forgotten.
    void MarkDeleted(const std::string &root);
    bool IsDeleted(const std::string &root);
    //! The last name that a look-up of this transaction did not find: only then is an error of ours in its place.
    void Missed(std::string name) { last_missed_ = std::move(name); }
    const std::string &last_missed() const { return last_missed_; }

    //! The commit hook and the rollback hook. Commit() must not use the catalog or the secrets of `context`: DuckDB has
    //! cleared its transaction by then.
    duckdb::ErrorData Commit(duckdb::ClientContext &context);
    void Rollback();

    DeltaCatalog &catalog() { return catalog_; }
    TableWork *work() { return work_.get(); }
    const Engine &engine() const { return engine_; }

private:
    std::vector<DeltaTransaction *> Others();
    SnapshotPtr FindPinned(const std::string &folder);
    std::shared_ptr<ReadSet> FindReads(const std::string &folder);
    TableWork *FindOwnWork(const std::string &folder);
    TableWork &BeginWork(duckdb::ClientContext &context, const std::string &root, SnapshotPtr snapshot);
    //! The error that the commit ends with, if any. `*committed` is set when the log has a new version.
    std::optional<Error> CommitNamesAndLog(const Call &call, std::optional<Version> *committed);
    std::optional<Error> CommitLog(const Call &call, std::optional<Version> *committed, bool *unknown);

    DeltaCatalog &catalog_;
    const Engine engine_;  // made when the transaction begins, where credentials can still be looked up
    std::mutex mutex_;
    std::map<std::string, SnapshotPtr> pinned_;  // by folder, like reads_ and deleted_
    std::map<std::string, std::shared_ptr<ReadSet>> reads_;
    std::unique_ptr<TableWork> work_;
    CommitOptions options_;  // as they were when the work began
    std::vector<NameChange> name_changes_;
    std::set<std::string> deleted_;
    std::map<std::string, std::optional<Warehouse::Place>> names_;  // by lower-case "schema/table"
    std::string last_missed_;
    duckdb::vector<duckdb::unique_ptr<duckdb::TableCatalogEntry>> entries_;
};

}  // namespace birdfoot::duck
