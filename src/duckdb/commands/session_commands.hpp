// SET, SET key and RESET of Spark's settings, as commands: they take effect when they run, not when they are bound.
#pragma once

#include "duckdb/commands/command.hpp"
#include "sql/statement.hpp"

namespace birdfoot::duck {

class SetOptionCommand : public Command {
public:
    explicit SetOptionCommand(sql::SetOption set) : set_(std::move(set)) {}
    std::string Name() const override { return "SET"; }
    void Run(duckdb::ClientContext &context, const RowSink &emit) const override;

private:
    const sql::SetOption set_;
};

class ShowOptionCommand : public Command {
public:
    explicit ShowOptionCommand(sql::ShowOption show) : show_(std::move(show)) {}
    std::string Name() const override { return "SET"; }
    std::vector<std::pair<std::string, duckdb::LogicalType>> Columns() const override;
    void Run(duckdb::ClientContext &context, const RowSink &emit) const override;

private:
    const sql::ShowOption show_;
};

class ResetOptionCommand : public Command {
public:
    explicit ResetOptionCommand(sql::ResetOption reset) : reset_(std::move(reset)) {}
    std::string Name() const override { return "RESET"; }
    void Run(duckdb::ClientContext &context, const RowSink &emit) const override;

private:
    const sql::ResetOption reset_;
};

}  // namespace birdfoot::duck
