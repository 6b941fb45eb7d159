// How one file's columns become those asked for: constants, filters that the reader may apply, and the expressions that
// turn what is read into the table's columns.
#pragma once

#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/table_filter.hpp"
#include "parquet_reader.hpp"

#include "duckdb/scan/bound_scan.hpp"
#include "duckdb/scan/legacy_calendar.hpp"

namespace birdfoot::duck {

class FileMapping {
public:
    //! The file's columns are tied (TieColumns).
    FileMapping(const BoundScan &scan, const ScanFile &file, duckdb::MultiFileReaderData &data);

    //! The value that a column has in all rows of the file, if there is such a thing.
    std::optional<duckdb::Value> ConstantOf(duckdb::column_t column) const;
    //! The filters that the reader is to apply; none at all if the file cannot satisfy one.
    std::optional<duckdb::TableFilterSet> FiltersFor(duckdb::ClientContext &context,
                                                     const duckdb::TableFilterSet &filters,
                                                     const duckdb::vector<duckdb::ColumnIndex> &column_ids) const;
    //! Once DuckDB has mapped the columns: what it does otherwise than we want it.
    void Finish(const duckdb::vector<duckdb::ColumnIndex> &column_ids);

private:
    //! The position of a column of that name in the file.
    std::optional<duckdb::idx_t> Stored(const std::string &name) const;
    //! DuckDB would turn a filter's constant into the file's type where the two differ, and that may round (1.5 becomes
    //! 2): such columns, and those that are rebased, are filtered after they have been converted, by an expression that
    //! skips no row groups.
    duckdb::unique_ptr<duckdb::TableFilter> FilterFor(const duckdb::TableFilter &filter, duckdb::column_t column) const;
    //! Row ids and commit versions of rows that were moved are stored in the file; the others follow from the file's
    //! own.
    void AddRowTracking(const duckdb::vector<duckdb::ColumnIndex> &column_ids);
    //! Nested columns are put into the table's shape by us, where they are not in it already.
    void ShapeNestedColumns(const duckdb::vector<duckdb::ColumnIndex> &column_ids);
    //! Where a column of the file stands in the reader's chunks.
    duckdb::idx_t PositionOf(size_t local) const;
    void RebaseColumns(const duckdb::vector<duckdb::ColumnIndex> &column_ids);
    //! True if a filter stands on a column of the file.
    bool IsFiltered(size_t local) const;

    const BoundScan &scan_;
    const ScanFile &file_;
    duckdb::MultiFileReaderData &data_;
    duckdb::ParquetReader &reader_;
    const LegacyCalendar calendar_;
};

}  // namespace birdfoot::duck
