// The scan of a Delta table: our MultiFileList and MultiFileReader under DuckDB's own Parquet scan. This is the only
// thing that other folders know of it.
#pragma once

#include "duckdb.hpp"
#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/function/table_function.hpp"

#include "core/changes/table_changes.hpp"
#include "core/scan/plan.hpp"
#include "core/table/snapshot.hpp"
#include "core/txn/read_set.hpp"

namespace duckdb {
class ExtensionLoader;
}

namespace birdfoot::duck {

//! What is scanned, decided by the catalog.
struct ScanSource {
    SnapshotPtr snapshot;
    std::shared_ptr<const ScanOverlay> overlay;        // uncommitted changes of this transaction; may be null
    std::shared_ptr<const std::vector<AddFile>> live;  // the live files, where the table cache has them; may be null
    std::shared_ptr<ReadSet> reads;                    // where the read is registered; null for reads nobody commits on
    std::shared_ptr<const TableChanges> changes;  // read these, with their three columns, instead of the table's rows
    bool time_travel = false;                     // files must exist even if nothing of them is read (S52)
    duckdb::optional_ptr<duckdb::TableCatalogEntry> entry;  // null for delta_scan('path')
};

//! A bound scan function over `source`; registers the read in source.reads.
duckdb::TableFunction MakeDeltaScan(duckdb::ClientContext &context, ScanSource source,
                                    duckdb::unique_ptr<duckdb::FunctionData> &bind_data);

//! Registers delta_scan('path') and the names 'delta:path'.
void RegisterScan(duckdb::ExtensionLoader &loader);

//! Row ids are {file id, physical row number}: the file id is stable in a snapshot with its overlay. The file behind an
//! id of a bound scan (path as in the log, vector, statistics …), for DELETE, UPDATE and MERGE.
const ScanFile &FileOfScan(const duckdb::FunctionData &bind_data, uint64_t file_id);
//! Whether this is one of our scans, of the table at `root` as it is (not of an old version).
bool IsDeltaScanOf(const duckdb::TableFunction &function, const duckdb::FunctionData &bind_data,
                   const std::string &root);
//! Whether the scan has handed out the file with this id.
bool HasFile(const duckdb::FunctionData &bind_data, uint64_t file_id);
//! The files that the push-down has left; with no filter above the scan, all their rows are its result.
std::vector<ScanFile> FilesOfScan(const duckdb::FunctionData &bind_data);
//! Where the scan is registered as a read, and its number there.
struct ScanRead {
    std::shared_ptr<ReadSet> reads;
    size_t number;
};
ScanRead ReadOfScan(const duckdb::FunctionData &bind_data);
//! What was pushed down, for history.
std::string PredicateOfScan(const duckdb::FunctionData &bind_data);

//! Virtual columns of a table entry: filename, file_row_number, file_index, _file_id, _row_id, _row_commit_version.
duckdb::virtual_column_map_t DeltaVirtualColumns(const Snapshot &snapshot);
duckdb::vector<duckdb::column_t> DeltaRowIdColumns();
//! A row's id and the version that wrote it last, where the table tracks rows.
duckdb::vector<duckdb::column_t> DeltaRowTrackingColumns();

}  // namespace birdfoot::duck
