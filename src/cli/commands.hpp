// The subcommands. Each adds itself to the command line, and runs when it was the one chosen; the result is the exit
// code: 0 done, 1 a statement failed, 2 wrong use, 128 + the signal when it was stopped.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/output.hpp"
#include "cli/session.hpp"

namespace birdfoot::cli {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

int ExitCode(Outcome outcome);

void AddSessionOptions(CLI::App &command, SessionOptions &options);
void AddOutputOptions(CLI::App &command, OutputOptions &options);

struct SqlArguments {
    SessionOptions session;
    OutputOptions output;
    std::string text;
    std::vector<std::string> files;
    bool keep_going = false;
};
CLI::App *AddSql(CLI::App &app, SqlArguments &arguments);
int RunSql(const SqlArguments &arguments);

struct ShellArguments {
    SessionOptions session;
    OutputOptions output;
};
CLI::App *AddShell(CLI::App &app, ShellArguments &arguments);
int RunShell(const ShellArguments &arguments);

//! history, detail, files, log and features: a statement each on one table.
struct InspectArguments {
    SessionOptions session;
    OutputOptions output;
    std::string path;
    size_t limit = 0;          // history; 0: all versions
    bool all_columns = false;  // history
};
struct Inspection;
std::vector<std::pair<CLI::App *, const Inspection *>> AddInspections(CLI::App &app, InspectArguments &arguments);
int RunInspection(const Inspection &inspection, const InspectArguments &arguments);

}  // namespace birdfoot::cli
