// Scan planning: from a snapshot and a predicate to the files that a query must open, each with what a reader needs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/scan/predicate.hpp"
#include "core/scan/statistics.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot {

//! A plan of more files than this does not keep their columns' statistics in memory (AddFile::stats has the text).
inline constexpr size_t kPlanWithStatistics = 10'000;

struct ScanFile {
    AddFile add;
    std::string path;               // full path: decoded, joined to the root unless it was absolute
    std::vector<Scalar> partition;  // one a partition column, in the order of Metadata::partition_columns
    FileStatistics statistics;      // parsed; above kPlanWithStatistics files only the number of records
    //! numRecords less the vector's cardinality, if known.
    std::optional<int64_t> live_rows() const;
};

//! Uncommitted changes of a transaction, seen by its own statements.
struct ScanOverlay {
    std::vector<AddFile> added;
    std::set<std::string> removed;  // FileKey of what the transaction removed (or re-added with another vector)
};

struct ScanMetrics {
    uint64_t total_files = 0;
    uint64_t total_bytes = 0;
    uint64_t pruned_by_partition = 0;
    uint64_t skipped_by_statistics = 0;
    uint64_t bytes_spared = 0;
};

struct ScanPlan {
    std::vector<ScanFile> files;
    ScanMetrics metrics;
};

//! `predicate` holds physical columns. Files keep a stable order (that of the log, then the overlay's).
//! DELTA_INVALID_PARTITION_VALUE / DELTA_ADD_FILE_PARTITIONING_MISMATCH for a file whose values do not fit the schema.
Result<ScanPlan> PlanScan(const Engine &engine, const Snapshot &snapshot, const Predicate &predicate,
                          const ScanOverlay *overlay, const Call &call);
//! The same from files that are in memory already (the table cache keeps small tables' files).
Result<ScanPlan> PlanScan(const Snapshot &snapshot, const std::vector<AddFile> &live, const Predicate &predicate,
                          const ScanOverlay *overlay);

//! Full path of a log path: percent-decoded once; absolute ones ("/x", "file:///x", "s3://…") as they are.
std::string ResolvePath(const std::string &root, std::string_view log_path);
//! True for "/x", "file:/x", "s3://b/x": not below the table's root by its form.
bool IsAbsolutePath(std::string_view log_path);
//! What goes into add.path for a file below the root: percent-encoded as Spark (java.net.URI) does.
std::string EncodePath(std::string_view relative_path);
//! "p=a%2Fb/" folders as Spark writes them (Hive escaping), "" for an unpartitioned table.
std::string PartitionFolder(const std::vector<std::string> &names,
                            const std::vector<std::optional<std::string>> &values);
//! The same from values; timestamps appear as Spark's folders have them ("ts=2024-01-01 10%3A00%3A00"), in UTC.
std::string PartitionFolder(const std::vector<std::string> &names, const std::vector<Scalar> &values);

}  // namespace birdfoot
