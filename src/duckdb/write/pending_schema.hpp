// PendingSchema: the schema that a statement gives its table together with rows: columns added by schema evolution, or
// a schema replaced by an overwrite. The binder must see it before it binds the INSERT; the transaction must keep it
// only once the statement has run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/catalog/delta_transaction.hpp"

namespace birdfoot::duck {

//! The columns of a query.
struct QueryColumns {
    std::vector<std::string> names;
    duckdb::vector<duckdb::LogicalType> types;
};

//! The query's columns as Delta's. DELTA_UNSUPPORTED_DATA_TYPES names a column that has no such type.
Result<StructType> SchemaOf(const QueryColumns &columns);

//! Makes the table's schema the union with `data`, with wider types where delta.enableTypeWidening is on, and says
//! whether that changed it. Call under `work.mutex`.
bool AddMissingColumns(TableWork &work, const StructType &data);
//! Makes `data` the schema; `partition_columns` are the new ones. Says whether that changed anything.
bool ReplaceSchema(TableWork &work, StructType data, std::vector<std::string> partition_columns);

//! Puts the metadata of the table back as it was when this was made: what a statement is bound to is kept only when the
//! statement runs (EXPLAIN and PREPARE bind too).
class MetadataGuard {
public:
    explicit MetadataGuard(TableWork &work);
    ~MetadataGuard();
    MetadataGuard(const MetadataGuard &) = delete;
    MetadataGuard &operator=(const MetadataGuard &) = delete;

private:
    TableWork &work_;
    Metadata metadata_;
    Protocol protocol_;
    StructType schema_;
    ColumnMappingMode mapping_;
    std::optional<Metadata> changed_metadata_;
    std::optional<Protocol> changed_protocol_;
};

//! Makes the metadata that a statement was bound to part of the change, when the statement runs.
void KeepMetadata(TableWork &work, const Snapshot &bound);

}  // namespace birdfoot::duck
