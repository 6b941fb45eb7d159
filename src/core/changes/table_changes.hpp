// Change data feed (PROTOCOL.md, "Add CDC File" and "Change Data Files"): which files hold the row-level changes of a
// range of versions, and which of their rows. Only the files of those versions are named; nothing of the table is
// scanned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/scan/deletion_vector.hpp"
#include "core/scan/plan.hpp"
#include "core/table/snapshot.hpp"

namespace birdfoot {

enum class ChangeKind : uint8_t {
    kInsert,  // every row was inserted
    kDelete,  // every row was deleted
    kInFile,  // the file's own column _change_type says it
};
//! "insert", "delete"; "" for kInFile.
std::string_view ChangeTypeText(ChangeKind kind);

struct ChangeFile {
    ScanFile file;  // path, partition values, size, statistics; its add holds no vector: `rows` stands for it
    ChangeKind kind = ChangeKind::kInsert;
    Version version = 0;
    int64_t timestamp_ms = 0;
    std::shared_ptr<const RowSet> rows;  // null: all rows of the file
    bool only_rows = false;              // true: those rows alone; false: all but those
};

struct ChangeRange {
    Version start = 0;
    std::optional<Version> end;  // none, or later than the latest: the latest
    //! A start after the latest version gives no changes instead of an error.
    bool allow_out_of_range = false;
};

struct TableChanges {
    SnapshotPtr snapshot;  // of the range's last version: every file is read by its schema
    Version start = 0;
    Version end = 0;
    std::vector<ChangeFile> files;  // by version; deletes before inserts
};

//! DELTA_VERSION_INVALID, DELTA_INVALID_CDC_RANGE, DELTA_CDC_START_VERSION_AFTER_LATEST, DELTA_VERSION_NOT_FOUND for a
//! bad range; DELTA_MISSING_CHANGE_DATA names the version where the feed is off; DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_*
//! where the schema changed in a way that the last version's schema cannot read.
Result<TableChanges> PlanTableChanges(const Engine &engine, const std::string &root, const ChangeRange &range,
                                      const Call &call);

}  // namespace birdfoot
