// Per-file statistics (PROTOCOL.md, "Per-file Statistics"): reading them for data skipping, writing them as Spark does.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/json.hpp"
#include "core/log/actions.hpp"
#include "core/scan/predicate.hpp"
#include "core/schema/column_mapping.hpp"

namespace birdfoot {

//! The statistics of one file, parsed once; columns are looked up by physical path.
class FileStatistics {
public:
    //! Damaged statistics are no statistics: skipping is off for the file, nothing fails.
    static FileStatistics Parse(const std::optional<std::string> &stats_json);

    std::optional<int64_t> num_records() const { return num_records_; }  // physical rows, deleted ones included
    bool tight_bounds() const { return tight_bounds_; }
    std::optional<int64_t> NullCount(const std::vector<std::string> &column) const;
    //! Safe bounds: a timestamp's maximum is raised by 999 µs, a string's maximum is as stored (writers made it safe).
    std::optional<Scalar> Min(const std::vector<std::string> &column, const DataType &type) const;
    std::optional<Scalar> Max(const std::vector<std::string> &column, const DataType &type) const;
    //! What Evaluate asks for: wide null counts mean something only at 0 and at num_records.
    ColumnFacts Facts(const std::vector<std::string> &column, const DataType &type) const;
    //! Forgets all but the number of records, to save memory; columns are as if they had no statistics.
    void ForgetColumns() { document_.reset(); }

private:
    std::optional<JsonDocument> document_;
    std::optional<int64_t> num_records_;
    bool tight_bounds_ = true;
};

//! Statistics of one leaf as the writer gathered them, exact, before cutting and rounding.
struct LeafStatistics {
    std::vector<std::string> column;  // physical path
    DataType type;
    std::optional<Scalar>
        min;  // none where all values are NULL, or where the type has no bounds; NaN included as Spark
    std::optional<Scalar> max;
    int64_t null_count = 0;
};

//! Spark's JSON: {"numRecords":…,"minValues":{…},"maxValues":{…},"nullCount":{…},"tightBounds":true if asked}. Strings
//! are cut at `string_prefix` characters with a safe maximum (or none), timestamps at milliseconds.
std::string StatisticsToJson(int64_t num_records, const std::vector<LeafStatistics> &leaves, size_t string_prefix,
                             std::optional<bool> tight_bounds);

//! The same statistics with "tightBounds":false, for a file that gets a deletion vector: numRecords counts its rows as
//! before. What nobody can read stays as it is.
std::optional<std::string> WithWideBounds(const std::optional<std::string> &stats);

//! The same statistics with what `fresh` says of the columns that `replaced` names (physical names, at the top of the
//! schema), for a file in which these are other ones. None if there are none that anybody can read.
std::optional<std::string> WithColumns(const std::optional<std::string> &stats, const std::string &fresh,
                                       const std::set<std::string, std::less<>> &replaced);

//! The leaves that get statistics: the first dataSkippingNumIndexedCols leaves (default 32, -1 all), or those that
//! dataSkippingStatsColumns names; physical paths with their types. Partition columns are no part of it.
struct IndexedLeaf {
    std::vector<std::string> column;
    DataType type;
    bool bounds;  // false: only the null count is kept (arrays, maps, binary, boolean, variant)
};
Result<std::vector<IndexedLeaf>> IndexedLeaves(const Metadata &metadata, const StructType &schema,
                                               ColumnMappingMode mapping);

}  // namespace birdfoot
