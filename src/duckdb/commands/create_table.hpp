// CREATE TABLE, CREATE OR REPLACE TABLE and REPLACE TABLE, whoever spelt them: DuckDB's grammar, Spark's, or a CREATE
// TABLE AS. One function turns what was asked into the pending change of the transaction, or adopts the table that is
// already at the location (specification, S36-S40).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"

#include "core/schema/schema_change.hpp"
#include "core/table/new_table.hpp"
#include "duckdb/catalog/delta_transaction.hpp"

namespace birdfoot::duck {

struct CreateSpec {
    TableSpec table;                                 // without columns: adopt the table that is at the location
    std::map<std::string, std::string> constraints;  // property of a CHECK constraint: its expression, Spark's text
    std::optional<std::string> location;             // external; none: managed, or the path that the name is
    std::vector<FieldPath> cluster_by;               // none: not clustered
    bool if_not_exists = false;
    bool or_replace = false;  // CREATE OR REPLACE
    bool replace = false;     // REPLACE: there must be a table
    bool as_select = false;   // the caller adds the rows to the same transaction
};

enum class CreateOutcome : uint8_t {
    kCreated,   // version 0 is pending
    kReplaced,  // the removal of all files and the new metadata are pending
    kAdopted,   // a table was at the location already: nothing is to be committed but its name
    kExists,    // IF NOT EXISTS, and it does: nothing to do
};

struct CreateResult {
    CreateOutcome outcome = CreateOutcome::kCreated;
    std::string root;
    TableWork *work = nullptr;  // of kCreated and kReplaced; rows are added to its ChangeSet
};

//! Throws what DuckDB shows. `name` is the table's name in `schema`, or a path in a catalog of paths.
CreateResult CreateDeltaTable(duckdb::ClientContext &context, DeltaCatalog &catalog, const std::string &schema,
                              const std::string &name, CreateSpec spec);

//! What DuckDB's own CREATE TABLE [AS] asks for; refuses by name what Delta tables cannot have (keys, UNIQUE …). Its
//! CHECK, DEFAULT and generated columns are kept in Spark's words, if they mean the same there. The caller says
//! as_select.
CreateSpec CreateSpecOf(duckdb::ClientContext &context, duckdb::BoundCreateTableInfo &info);

//! `WITH (cluster_by = 'a, b.c')`: DuckDB's grammar has no words for it.
inline constexpr const char *kClusterByOption = "cluster_by";

//! A constant of a statement as text: `WITH (k = true)`, `SET (k = 3)`. Throws for what is no constant, naming `what`.
std::string ConstantText(duckdb::ClientContext &context, const duckdb::ParsedExpression &expression,
                         const std::string &what);

}  // namespace birdfoot::duck
