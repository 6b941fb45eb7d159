// birdfoot history, detail, files, log, features: what there is to know about one table, each a statement that SQL has
// too.
#include "cli/commands.hpp"

namespace birdfoot::cli {

struct Inspection {
    const char *name;
    const char *summary;
    const char *function;
    bool path_required;
};

namespace {

constexpr Inspection kInspections[] = {
    {"history", "The versions of a table: when, what, how much", "birdfoot_history", true},
    {"detail", "What a table is: location, size, partitioning, features, properties", "birdfoot_detail", true},
    {"files", "The data files of the current version, with partition values and statistics", "birdfoot_files", true},
    {"log", "Every action in the log, as it was written", "birdfoot_log", true},
    {"features", "The features a table uses, or all that Birdfoot knows: which it reads and writes",
     "birdfoot_features", false},
};

constexpr std::string_view kHistory = "history";

std::string Call(const Inspection &inspection, const std::string &arguments) {
    return std::string("FROM ") + inspection.function + "(" + arguments + ")";
}

std::string Statement(const Inspection &inspection, const InspectArguments &arguments) {
    if (arguments.path.empty()) {
        return Call(inspection, "");
    }
    auto parameters = duckdb::KeywordHelper::WriteQuoted(arguments.path, '\'');
    if (arguments.limit > 0) {
        parameters += ", newest := " + std::to_string(arguments.limit);
    }
    // A terminal has no room for the columns that nobody but Databricks fills.
    const bool some = inspection.name == kHistory && !arguments.all_columns;
    return (some ? "SELECT version, timestamp, operation, operationParameters, operationMetrics " : "") +
           Call(inspection, parameters);
}

}  // namespace

std::vector<std::pair<CLI::App *, const Inspection *>> AddInspections(CLI::App &app, InspectArguments &arguments) {
    std::vector<std::pair<CLI::App *, const Inspection *>> commands;
    for (const auto &inspection : kInspections) {
        auto *command = app.add_subcommand(inspection.name, inspection.summary);
        command->add_option("path", arguments.path, "the table: a folder, perhaps with a version (folder@v3)")
            ->required(inspection.path_required)
            ->type_name("PATH");
        if (inspection.name == kHistory) {
            command->add_option("-n,--limit", arguments.limit, "this many versions, the newest")->type_name("N");
            command->add_flag("--all-columns", arguments.all_columns, "who, where and how too");
        }
        AddOutputOptions(*command, arguments.output);
        AddSessionOptions(*command, arguments.session);
        command->footer("The same in SQL: " + Call(inspection, "'/path/to/table'"));
        commands.emplace_back(command, &inspection);
    }
    return commands;
}

int RunInspection(const Inspection &inspection, const InspectArguments &arguments) {
    Session session(arguments.session);
    Output output(arguments.output.file);
    const auto outcome = session.Run(Statement(inspection, arguments), [&](duckdb::QueryResult &result) {
        PrintResult(result, session.context(), arguments.output, output);
    });
    if (outcome == Outcome::kDone) {
        output.Finish();
    }
    return ExitCode(outcome);
}

}  // namespace birdfoot::cli
