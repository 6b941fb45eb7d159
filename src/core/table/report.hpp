// Reports: what there is to know about a table, as rows with named and typed columns: DESCRIBE HISTORY and DETAIL, SHOW
// TBLPROPERTIES and PARTITIONS, and the birdfoot_… table functions. The columns of history and detail are
// delta-spark's.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/schema/scalar.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot {

//! A value of a report: NULL, a plain value, a list of texts, a map of texts, or a struct's values in order.
struct ReportValue {
    using Map = std::vector<std::pair<std::string, std::optional<std::string>>>;
    std::variant<std::monostate, Scalar, std::vector<std::string>, Map, std::vector<ReportValue>> value;

    ReportValue() = default;
    ReportValue(Scalar scalar) : value(std::move(scalar)) {}                    // NOLINT: implicit on purpose
    ReportValue(std::vector<std::string> list) : value(std::move(list)) {}      // NOLINT
    ReportValue(Map map) : value(std::move(map)) {}                             // NOLINT
    ReportValue(std::vector<ReportValue> fields) : value(std::move(fields)) {}  // NOLINT

    static ReportValue Text(std::optional<std::string> text);
    static ReportValue Long(std::optional<int64_t> number);
    static ReportValue Int(std::optional<int64_t> number);
    static ReportValue Bool(std::optional<bool> truth);
    static ReportValue TimeMs(std::optional<int64_t> milliseconds);
};

using ReportRow = std::vector<ReportValue>;
using RowVisitor = std::function<Status(ReportRow &&)>;

//! One a commit, newest first.
StructType HistoryColumns();
Status ReportHistory(const Engine &engine, const Snapshot &latest, std::optional<size_t> limit, const RowVisitor &visit,
                     const Call &call);

//! One row. `name`: of a catalog's table. Without a table at `root`, a row that says no more than the location.
StructType DetailColumns();
Result<ReportRow> ReportDetail(const Engine &engine, const std::string &root, const SnapshotPtr &snapshot,
                               std::optional<std::string> name, const Call &call);

//! One a live file of the snapshot; without `statistics` the column of that name is NULL.
StructType FileColumns();
Status ReportFiles(const Engine &engine, const Snapshot &snapshot, bool statistics, const RowVisitor &visit,
                   const Call &call);

//! One an action of the JSON commits that are still there, in their order: version, kind and the action as it was
//! written.
StructType LogColumns();
Status ReportLog(const Engine &engine, const std::string &root, const RowVisitor &visit, const Call &call);

//! The features that a table's protocol has; without a snapshot those that there are.
StructType FeatureColumns();
Status ReportFeatures(const Snapshot *snapshot, const RowVisitor &visit);

//! Key and value, sorted: the configuration, and what the protocol says in the form of properties.
StructType PropertyColumns();
Status ReportProperties(const Snapshot &snapshot, const RowVisitor &visit);

//! The distinct partitions that have files, sorted, one typed column a partition column.
//! DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE.
Result<StructType> PartitionColumnsOf(const Snapshot &snapshot);
Status ReportPartitions(const Engine &engine, const Snapshot &snapshot, const RowVisitor &visit, const Call &call);

}  // namespace birdfoot
