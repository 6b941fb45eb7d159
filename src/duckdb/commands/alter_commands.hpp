// ALTER TABLE in Spark's way, as commands.
#pragma once

#include <memory>
#include <string>

#include "duckdb/commands/command.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

//! Throws BIRDFOOT_UNSUPPORTED for an action that is not supported yet, by its name.
std::shared_ptr<const Command> MakeAlterCommand(const sql::AlterTable &statement, std::string catalog);

}  // namespace birdfoot::duck
