// Command: a statement that runs as a whole when it is executed (CREATE TABLE in Spark's way, ALTER TABLE … SET
// TBLPROPERTIES, SET spark.…). Binding one has no effects; its result is always materialised, since a result that
// nobody reads to its end would be rolled back. A command finds its tables by name when it runs: entries live no longer
// than a transaction, prepared statements do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/planner/binder.hpp"

namespace birdfoot::duck {

class Command {
public:
    using Row = duckdb::vector<duckdb::Value>;
    using RowSink = std::function<void(Row)>;

    virtual ~Command() = default;
    //! For EXPLAIN: "CREATE TABLE".
    virtual std::string Name() const = 0;
    //! Columns of the result; none for a statement without one.
    virtual std::vector<std::pair<std::string, duckdb::LogicalType>> Columns() const { return {}; }
    //! The catalog that it writes; DuckDB then begins a write transaction on it before Run.
    virtual std::optional<std::string> Writes() const { return std::nullopt; }
    //! Throws what DuckDB shows. Called once an execution.
    virtual void Run(duckdb::ClientContext &context, const RowSink &emit) const = 0;
};

duckdb::BoundStatement BindCommand(duckdb::ClientContext &context, duckdb::Binder &binder,
                                   std::shared_ptr<const Command> command);

}  // namespace birdfoot::duck
