// Settings of the engine: DuckDB's own kind (`SET birdfoot_fsync = false`) for what concerns the machine, and Spark's
// (`SET spark.databricks.delta.schema.autoMerge.enabled = true`) for what concerns statements, kept one set a
// connection.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/main/client_context_state.hpp"

#include "core/base/result.hpp"
#include "core/txn/transaction.hpp"

namespace birdfoot::duck {

//! Adds the birdfoot_ settings to a database.
void RegisterSettings(duckdb::DatabaseInstance &db);

//! When the checkpoint that a commit asks for is written.
enum class CheckpointMode : uint8_t { kOff, kBackground, kInline };
CheckpointMode CheckpointModeOf(duckdb::DatabaseInstance &db);
//! birdfoot_fsync: whether commits and data files are flushed to the disk before they count as written.
bool FsyncOf(duckdb::DatabaseInstance &db);
//! birdfoot_column_update_min_bytes: the size from which a file is updated column by column.
uint64_t ColumnUpdateMinBytesOf(duckdb::ClientContext &context);
//! birdfoot_catalog_name: the name under which LOAD attaches the catalog of paths.
std::string CatalogNameOf(duckdb::DatabaseInstance &db);

//! Spark's settings, as one connection has set them. Keys are trimmed and compare without regard to case.
class SessionSettings : public duckdb::ClientContextState {
public:
    static SessionSettings &Of(duckdb::ClientContext &context);

    //! DELTA_INVALID_CONFIGURATION_VALUE for a value that the setting cannot have, DELTA_OPERATION_NOT_ALLOWED for a
    //! setting of Delta's that is known and not supported. Any other key is kept: Spark has many that mean nothing
    //! here.
    Status Set(duckdb::ClientContext &context, std::string_view key, std::string_view value);
    void Reset(std::string_view key);
    //! What was set, else the default; none for a key without either.
    std::optional<std::string> Get(std::string_view key) const;
    //! All that were set, by key.
    std::vector<std::pair<std::string, std::string>> All() const;

    bool GetBool(std::string_view key) const;
    //! Table properties that new tables get: spark.databricks.delta.properties.defaults.*, birdfoot_default_*.
    std::map<std::string, std::string> DefaultTableProperties() const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, std::pair<std::string, std::string>> values_;  // lower-case key → key as written, value
};

//! schema.autoMerge.enabled
bool AutoMergeOf(duckdb::ClientContext &context);
//! spark.sql.sources.partitionOverwriteMode = dynamic
bool DynamicPartitionOverwriteOf(duckdb::ClientContext &context);
//! commitInfo.userMetadata
std::optional<std::string> UserMetadataOf(duckdb::ClientContext &context);
//! allowArbitraryProperties.enabled: delta.* keys that are not known are no error.
bool AllowsArbitraryProperties(duckdb::ClientContext &context);
//! vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration: versions are refused whose files VACUUM may have
//! deleted.
bool EnforcesRetentionOf(duckdb::ClientContext &context);
//! What a new table has unless the statement says otherwise.
std::map<std::string, std::string> DefaultTablePropertiesOf(duckdb::ClientContext &context);
CommitOptions CommitOptionsOf(duckdb::ClientContext &context);

//! write.txnAppId and write.txnVersion: a write that this application has made already is skipped.
struct IdempotentWrite {
    std::string app_id;
    int64_t version = 0;
    bool auto_reset = false;  // write.txnVersion.autoReset.enabled: the version is unset after the write
};
//! DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS when only one of the two is set.
Result<std::optional<IdempotentWrite>> IdempotentWriteOf(duckdb::ClientContext &context);

}  // namespace birdfoot::duck
