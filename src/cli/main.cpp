// The `birdfoot` command: reads the command line and hands over to a subcommand.
#include "cli/commands.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdio>

#include <exception>
#include <map>

namespace birdfoot::cli {

int ExitCode(Outcome outcome) {
    switch (outcome) {
    case Outcome::kDone: return kExitDone;
    case Outcome::kInterrupted: return 128 + (StopSignal() != 0 ? StopSignal() : SIGINT);
    default: return kExitFailed;
    }
}

void AddSessionOptions(CLI::App &command, SessionOptions &options) {
    command.add_option("-c,--set", options.settings, "a setting, as SET takes it; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    command.add_option("-d,--database", options.database, "a DuckDB database file to open (default: none, in memory)")
        ->type_name("FILE");
}

void AddOutputOptions(CLI::App &command, OutputOptions &options) {
    static const std::map<std::string, Format> formats = {{"table", Format::kTable},
                                                          {"json", Format::kJson},
                                                          {"csv", Format::kCsv},
                                                          {"parquet", Format::kParquet},
                                                          {"markdown", Format::kMarkdown}};
    const auto set_format = [&options](const std::string &name) {
        const auto found = formats.find(CLI::detail::to_lower(name));
        if (found == formats.end()) {
            throw CLI::ValidationError("--format",
                                       "'" + name + "' is none. There are table, json, csv, parquet and markdown");
        }
        options.format = found->second;
    };
    command
        .add_option_function<std::string>("--format", set_format,
                                          "table (default), json (one object a row), csv, parquet or markdown")
        ->type_name("FORMAT");
    command.add_option("--null", options.null_text, "how NULL is printed in tables, CSV and Markdown")
        ->type_name("TEXT");
    command.add_flag("--counts", options.counts, "say how many rows a statement changed, whatever the format");
    command.add_option("-o,--output", options.file, "write the result to this file, once all is done")
        ->type_name("FILE");
}

namespace {

void CheckOutput(const OutputOptions &options) {
    if (options.format == Format::kParquet && options.file.empty() && isatty(STDOUT_FILENO)) {
        throw SessionError("Parquet is not for a terminal: name a file with -o, or redirect the output");
    }
}

//! Before CLI11 says no more than that a command is missing.
void CheckCommand(const CLI::App &app, int argc, char **argv) {
    if (argc < 2 || argv[1][0] == '-') {
        return;
    }
    std::string commands;
    for (const auto *command : app.get_subcommands({})) {
        if (command->get_name() == argv[1]) {
            return;
        }
        commands += (commands.empty() ? "" : ", ") + command->get_name();
    }
    throw SessionError("there is no command '" + std::string(argv[1]) + "'. The commands are " + commands);
}

int Main(int argc, char **argv) {
    CLI::App app("Birdfoot: Delta Lake tables without the JVM. Create, query and change them with SQL.");
    app.name("birdfoot");
    app.set_version_flag(
        "-V,--version", std::string("birdfoot " BIRDFOOT_VERSION " (DuckDB ") + duckdb::DuckDB::LibraryVersion() + ")");
    app.require_subcommand(0, 1);
    app.footer(
        "Examples:\n"
        "  birdfoot sql 'SELECT count(*) FROM delta.\"/data/events\"'\n"
        "  birdfoot shell\n"
        "  birdfoot history /data/events\n"
        "\n"
        "'birdfoot COMMAND --help' says more about a command.\n");

    SqlArguments sql;
    ShellArguments shell;
    InspectArguments inspect;
    const auto *sql_command = AddSql(app, sql);
    const auto *shell_command = AddShell(app, shell);
    const auto inspections = AddInspections(app, inspect);
    CheckCommand(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitDone : kExitUsage;
    }
    if (*sql_command) {
        CheckOutput(sql.output);
        return RunSql(sql);
    }
    if (*shell_command) {
        CheckOutput(shell.output);
        return RunShell(shell);
    }
    for (const auto &[command, inspection] : inspections) {
        if (*command) {
            CheckOutput(inspect.output);
            return RunInspection(*inspection, inspect);
        }
    }
    std::fputs(app.help().c_str(), stderr);
    return kExitUsage;
}

}  // namespace

}  // namespace birdfoot::cli

int main(int argc, char **argv) {
    try {
        return birdfoot::cli::Main(argc, argv);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "birdfoot: %s\n", error.what());
        return birdfoot::cli::kExitUsage;
    }
}
