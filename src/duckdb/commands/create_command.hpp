// CREATE TABLE and CREATE TABLE LIKE in Spark's way, as commands.
#pragma once

#include "duckdb.hpp"

#include "core/table/snapshot.hpp"
#include "duckdb/commands/command.hpp"
#include "duckdb/commands/create_table.hpp"
#include "duckdb/parser/table_names.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

//! What Spark's statement asks for; of a CREATE TABLE AS without its columns. Refuses by name what is not supported
//! yet.
CreateSpec CreateSpecOf(const sql::CreateTable &statement);
//! The layout of another table: columns, partitioning, properties, comment.
CreateSpec LikeSpecOf(const Snapshot &source, const sql::CreateTableLike &statement);

class CreateTableCommand : public Command {
public:
    CreateTableCommand(CreateSpec spec, NewTableAddress address)
        : spec_(std::move(spec)), address_(std::move(address)) {}
    std::string Name() const override { return "CREATE TABLE"; }
    std::optional<std::string> Writes() const override { return address_.catalog; }
    void Run(duckdb::ClientContext &context, const RowSink &emit) const override;

private:
    const CreateSpec spec_;
    const NewTableAddress address_;
};

}  // namespace birdfoot::duck
