// The actions of the log (PROTOCOL.md, "Actions"), as plain structs, and their JSON. Fields that we do not know are
// ignored on reading; whole actions that we do not know are skipped. Paths stay as the log has them (percent-encoded).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/json.hpp"
#include "core/base/result.hpp"
#include "core/log/file_names.hpp"

namespace birdfoot {

struct Protocol {
    int32_t min_reader_version = 1;
    int32_t min_writer_version = 2;
    std::optional<std::vector<std::string>> reader_features;  // present from reader version 3 on
    std::optional<std::vector<std::string>> writer_features;  // present from writer version 7 on
    bool operator==(const Protocol &) const = default;
};

struct Metadata {
    std::string id;
    std::optional<std::string> name;
    std::optional<std::string> description;
    std::string format_provider = "parquet";
    std::map<std::string, std::string> format_options;
    std::string schema_string;  // byte for byte
    std::vector<std::string> partition_columns;
    std::optional<int64_t> created_time;
    std::map<std::string, std::string> configuration;
    bool operator==(const Metadata &) const = default;
};

//! PROTOCOL.md, "Deletion Vectors".
struct DeletionVectorDescriptor {
    std::string storage_type;  // "u" relative, "i" inline, "p" absolute
    std::string path_or_inline;
    std::optional<int64_t> offset;
    int64_t size_in_bytes = 0;
    int64_t cardinality = 0;
    bool operator==(const DeletionVectorDescriptor &) const = default;
    //! What tells one vector of a file from another: storage type, path and "@offset".
    std::string UniqueId() const;
};

using PartitionValues = std::vector<std::pair<std::string, std::optional<std::string>>>;  // physical name → text
using Tags = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct AddFile {
    std::string path;
    PartitionValues partition_values;
    int64_t size = 0;
    int64_t modification_time = 0;
    bool data_change = true;
    std::optional<std::string> stats;  // JSON text
    std::optional<Tags> tags;
    std::optional<DeletionVectorDescriptor> deletion_vector;
    std::optional<int64_t> base_row_id;
    std::optional<int64_t> default_row_commit_version;
    std::optional<std::string> clustering_provider;
};

struct RemoveFile {
    std::string path;
    std::optional<int64_t> deletion_timestamp;
    bool data_change = true;
    std::optional<bool> extended_file_metadata;
    std::optional<PartitionValues> partition_values;
    std::optional<int64_t> size;
    std::optional<std::string> stats;
    std::optional<Tags> tags;
    std::optional<DeletionVectorDescriptor> deletion_vector;
    std::optional<int64_t> base_row_id;
    std::optional<int64_t> default_row_commit_version;
};

struct AddCdcFile {
    std::string path;
    PartitionValues partition_values;
    int64_t size = 0;
    std::optional<Tags> tags;
};

struct SetTransaction {
    std::string app_id;
    int64_t version = 0;
    std::optional<int64_t> last_updated;
    bool operator==(const SetTransaction &) const = default;
};

struct DomainMetadata {
    std::string domain;
    std::string configuration;
    bool removed = false;
    bool operator==(const DomainMetadata &) const = default;
};

//! commitInfo is free-form: the few members that we use, and all of it as it was.
struct CommitInfo {
    std::optional<int64_t> timestamp;
    std::optional<int64_t> in_commit_timestamp;
    std::optional<std::string> operation;
    std::optional<bool> is_blind_append;
    std::optional<std::string> txn_id;
    std::string json;  // the whole object, compact
};

struct CheckpointMetadata {
    Version version = 0;
    std::optional<Tags> tags;
};

struct Sidecar {
    std::string path;
    int64_t size_in_bytes = 0;
    int64_t modification_time = 0;
    std::optional<Tags> tags;
};

using Action = std::variant<AddFile, RemoveFile, Metadata, Protocol, SetTransaction, DomainMetadata, CommitInfo,
                            AddCdcFile, CheckpointMetadata, Sidecar>;

//! A path of the log as the store knows it: percent-decoded once; "file:///x" is "/x".
std::string DecodePath(std::string_view path);

//! What identifies a file in replay: decoded path and vector. Two spellings of one path are one key.
std::string FileKey(std::string_view path, const std::optional<DeletionVectorDescriptor> &vector);

//! Reads a commit (or a JSON checkpoint manifest): one JSON object after the other, on lines of their own or not.
//! Unknown actions are skipped. DELTA_LOG_FILE_MALFORMED names `file` and what is wrong.
Status ParseActions(std::string_view text, std::string_view file, const std::function<Status(Action &&)> &visit);
//! One action as the line {"add":{…}} without its newline.
std::string ActionToJson(const Action &action);

//! The tombstone of an add: everything that the add said, its vector included.
RemoveFile MakeRemove(const AddFile &add, int64_t deletion_timestamp, bool data_change);
//! The file of a tombstone, as an add: all that reading it needs.
AddFile FileOf(const RemoveFile &remove);

}  // namespace birdfoot
