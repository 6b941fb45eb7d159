// BoundScan: what all copies of one bound scan share: the source, its columns with the ids that tie them to the columns
// of files, and the files handed out so far, by the id that row ids carry.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "duckdb.hpp"

#include "core/io/engine.hpp"
#include "duckdb/scan/delta_scan.hpp"

namespace birdfoot::duck {

//! A column of the table or a part of a nested one.
struct ScanColumn {
    std::string name;      // logical
    std::string physical;  // in files, statistics and partition values
    std::optional<int64_t> field_id;
    DataType type;
    duckdb::LogicalType duck_type;
    int32_t id = 0;                    // ours alone, one a node; what DuckDB's mapper matches on
    std::optional<size_t> partition;   // position in Metadata::partition_columns; top level only
    std::vector<ScanColumn> children;  // fields of a struct; {element}; {key, value}
};

//! Our virtual columns, beside DuckDB's filename, file_row_number and file_index.
extern const duckdb::column_t kFileIdColumn;
extern const duckdb::column_t kRowIdColumn;
extern const duckdb::column_t kRowVersionColumn;

class BoundScan {
public:
    BoundScan(duckdb::ClientContext &context, ScanSource source);

    duckdb::ClientContext &context() const { return context_; }
    const Engine &engine() const { return engine_; }
    const ScanSource &source() const { return source_; }
    const Snapshot &snapshot() const { return *source_.snapshot; }
    //! The table's, with the three columns of a change feed where one is read.
    const StructType &schema() const { return schema_; }
    const std::vector<ScanColumn> &columns() const { return columns_; }  // one a field of schema()
    bool has_variant() const { return has_variant_; }
    //! Files' columns with row ids and commit versions of rows that were moved (PROTOCOL.md, "Row Tracking"); empty
    //! where the table does not track rows.
    const std::string &row_id_column() const { return row_id_column_; }
    const std::string &row_version_column() const { return row_version_column_; }
    bool tracks_rows() const { return tracks_rows_; }

    //! Physical names of the columns that have one known value in every file.
    const std::vector<std::string> &constant_names() const { return constant_names_; }
    //! The value that a column has in all rows of a file because the log says so; none for a column that is in the
    //! file.
    std::optional<Scalar> ConstantIn(const ScanFile &file, const std::string &physical) const;
    //! What is known of a file's rows, from its constants and statistics.
    ColumnFacts Facts(const ScanFile &file, const std::vector<std::string> &column, const DataType &type) const;
    Ternary Judge(const Predicate &predicate, const ScanFile &file) const;
    //! Rows of the file that the scan gives, if the log knows.
    std::optional<int64_t> LiveRows(const ScanFile &file) const;
    //! The change that a file of the change feed holds; null for a file of the table.
    const ChangeFile *ChangeOf(const ScanFile &file) const;
    //! All files of the change feed.
    const std::shared_ptr<const ScanPlan> &change_plan() const { return change_plan_; }

    //! The id of a file: the same in every scan of the snapshot.
    uint64_t FileId(const ScanFile &file) const;
    //! Makes a file known under its id, which it returns. `plan` holds the file.
    uint64_t Register(const std::shared_ptr<const ScanPlan> &plan, const ScanFile &file);
    const ScanFile &FileOf(uint64_t id) const;
    bool HasFile(uint64_t id) const;

private:
    struct Known {
        std::shared_ptr<const ScanPlan> plan;
        const ScanFile *file;
    };

    void AddChangeColumns();

    duckdb::ClientContext &context_;
    const Engine engine_;
    const ScanSource source_;
    StructType schema_;
    std::vector<ScanColumn> columns_;
    std::vector<std::string> partition_names_;  // physical, in the order of Metadata::partition_columns
    std::vector<std::string> constant_names_;
    std::shared_ptr<const ScanPlan> change_plan_;
    bool has_variant_ = false;
    bool tracks_rows_ = false;
    std::string row_id_column_;
    std::string row_version_column_;
    mutable std::mutex mutex_;
    std::unordered_map<uint64_t, Known> files_;
};

}  // namespace birdfoot::duck
