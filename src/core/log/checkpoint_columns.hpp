// The columns of a checkpoint's add and remove (PROTOCOL.md, "Checkpoint Schema"): which are asked for, and actions
// made of a row's values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/io/parquet_io.hpp"
#include "core/log/actions.hpp"
#include "core/log/key_set.hpp"

namespace birdfoot {

//! The value in a row of a batch's column; none where it is NULL.
std::optional<std::string> TextAt(const ColumnVector &column, size_t row);
std::optional<int64_t> IntAt(const ColumnVector &column, size_t row);
std::optional<bool> BoolAt(const ColumnVector &column, size_t row);
std::optional<PartitionValues> MapAt(const ColumnVector &column, size_t row);
std::map<std::string, std::string> TextMapAt(const ColumnVector &column, size_t row);
std::optional<std::vector<std::string>> ListAt(const ColumnVector &column, size_t row);

//! Collects requests under one struct ("add", "remove" …) and gives each its place.
class Columns {
public:
    explicit Columns(std::string parent) : parent_(std::move(parent)) {}
    size_t Want(std::vector<std::string> path, ColumnKind kind) {
        path.insert(path.begin(), parent_);
        requests.push_back({std::move(path), kind});
        return requests.size() - 1;
    }
    std::vector<ColumnRequest> requests;

private:
    std::string parent_;
};

//! Path and vector, together the key.
struct KeyColumns {
    size_t path, storage_type, path_or_inline, offset;

    explicit KeyColumns(Columns &columns)
        : path(columns.Want({"path"}, ColumnKind::kString)),
          storage_type(columns.Want({"deletionVector", "storageType"}, ColumnKind::kString)),
          path_or_inline(columns.Want({"deletionVector", "pathOrInlineDv"}, ColumnKind::kString)),
          offset(columns.Want({"deletionVector", "offset"}, ColumnKind::kInt64)) {}

    //! True if the tail has named this row's key.
    bool IsIn(const KeySet &seen, const ReadBatch &batch, size_t row) const {
        if (seen.empty()) {
            return false;
        }
        const auto text = batch.columns[path].strings[row];
        const bool has_vector = !batch.columns[storage_type].is_null(row);
        if (!has_vector && text.find('%') == std::string_view::npos && !text.starts_with("file:")) {
            return seen.Contains(text);
        }
        std::optional<DeletionVectorDescriptor> vector;
        if (has_vector) {
            vector.emplace();
            vector->storage_type = batch.columns[storage_type].strings[row];
            vector->path_or_inline = TextAt(batch.columns[path_or_inline], row).value_or("");
            vector->offset = IntAt(batch.columns[offset], row);
        }
        return seen.Contains(FileKey(text, vector));
    }
};

//! What add and remove have in common beside the key.
struct FileColumns {
    KeyColumns key;
    size_t partition_values, size, vector_size, cardinality, tags, base_row_id, row_commit_version;

    explicit FileColumns(Columns &columns)
        : key(columns),
          partition_values(columns.Want({"partitionValues"}, ColumnKind::kMap)),
          size(columns.Want({"size"}, ColumnKind::kInt64)),
          vector_size(columns.Want({"deletionVector", "sizeInBytes"}, ColumnKind::kInt64)),
          cardinality(columns.Want({"deletionVector", "cardinality"}, ColumnKind::kInt64)),
          tags(columns.Want({"tags"}, ColumnKind::kMap)),
          base_row_id(columns.Want({"baseRowId"}, ColumnKind::kInt64)),
          row_commit_version(columns.Want({"defaultRowCommitVersion"}, ColumnKind::kInt64)) {}

    template <typename File>
    void Fill(const ReadBatch &batch, size_t row, File &file) const {
        const auto &c = batch.columns;
        file.path = TextAt(c[key.path], row).value_or("");
        file.tags = MapAt(c[tags], row);
        file.base_row_id = IntAt(c[base_row_id], row);
        file.default_row_commit_version = IntAt(c[row_commit_version], row);
        if (!c[key.storage_type].is_null(row)) {
            auto &vector = file.deletion_vector.emplace();
            vector.storage_type = c[key.storage_type].strings[row];
            vector.path_or_inline = TextAt(c[key.path_or_inline], row).value_or("");
            vector.offset = IntAt(c[key.offset], row);
            vector.size_in_bytes = IntAt(c[vector_size], row).value_or(0);
            vector.cardinality = IntAt(c[cardinality], row).value_or(0);
        }
    }
};

struct AddColumns {
    FileColumns file;
    size_t modification_time, data_change, clustering_provider;
    std::optional<size_t> stats;

    AddColumns(Columns &columns, bool with_stats)
        : file(columns),
          modification_time(columns.Want({"modificationTime"}, ColumnKind::kInt64)),
          data_change(columns.Want({"dataChange"}, ColumnKind::kBool)),
          clustering_provider(columns.Want({"clusteringProvider"}, ColumnKind::kString)) {
        if (with_stats) {
            stats = columns.Want({"stats"}, ColumnKind::kString);
        }
    }

    AddFile Read(const ReadBatch &batch, size_t row) const {
        const auto &c = batch.columns;
        AddFile add;
        file.Fill(batch, row, add);
        add.partition_values = MapAt(c[file.partition_values], row).value_or(PartitionValues());
        add.size = IntAt(c[file.size], row).value_or(0);
        add.modification_time = IntAt(c[modification_time], row).value_or(0);
        add.data_change = BoolAt(c[data_change], row).value_or(false);
        add.clustering_provider = TextAt(c[clustering_provider], row);
        if (stats) {
            add.stats = TextAt(c[*stats], row);
        }
        return add;
    }
};

struct RemoveColumns {
    FileColumns file;
    size_t deletion_timestamp, data_change, extended, stats;

    explicit RemoveColumns(Columns &columns)
        : file(columns),
          deletion_timestamp(columns.Want({"deletionTimestamp"}, ColumnKind::kInt64)),
          data_change(columns.Want({"dataChange"}, ColumnKind::kBool)),
          extended(columns.Want({"extendedFileMetadata"}, ColumnKind::kBool)),
          stats(columns.Want({"stats"}, ColumnKind::kString)) {}

    RemoveFile Read(const ReadBatch &batch, size_t row) const {
        const auto &c = batch.columns;
        RemoveFile remove;
        file.Fill(batch, row, remove);
        remove.partition_values = MapAt(c[file.partition_values], row);
        remove.size = IntAt(c[file.size], row);
        remove.deletion_timestamp = IntAt(c[deletion_timestamp], row);
        remove.data_change = BoolAt(c[data_change], row).value_or(true);
        remove.extended_file_metadata = BoolAt(c[extended], row);
        remove.stats = TextAt(c[stats], row);
        return remove;
    }
};

}  // namespace birdfoot
