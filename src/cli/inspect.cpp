// birdfoot history, detail, files, log, features: what there is to know about one table, each a statement that SQL has
// too.
#include "cli/commands.hpp"

namespace birdfoot::cli {

struct Inspection {
    const char *name;
    const char *summary;
    const char *before;  // the statement around the table's quoted path
    const char *after;
    char quote;
};

namespace {

constexpr Inspection kInspections[] = {
    {"history", "The versions of a table: when, who, what, how much", "DESCRIBE HISTORY delta.", "", '"'},
    {"detail", "What a table is: location, size, partitioning, features, properties", "DESCRIBE DETAIL delta.", "",
     '"'},
    {"files", "The data files of the current version, with partition values and statistics", "FROM birdfoot_files(",
     ")", '\''},
    {"log", "Every action in the log, as it was written", "FROM birdfoot_log(", ")", '\''},
    {"features", "The features a table uses, and whether Birdfoot reads and writes them", "FROM birdfoot_features(",
     ")", '\''},
};

std::string Quote(const std::string &text, char quote) {
    std::string quoted(1, quote);
    for (const char c : text) {
        quoted.append(c == quote ? 2 : 1, c);
    }
    return quoted + quote;
}

}  // namespace

std::vector<std::pair<CLI::App *, const Inspection *>> AddInspections(CLI::App &app, InspectArguments &arguments) {
    std::vector<std::pair<CLI::App *, const Inspection *>> commands;
    for (const auto &inspection : kInspections) {
        auto *command = app.add_subcommand(inspection.name, inspection.summary);
        command->add_option("path", arguments.path, "the table: a folder or URL")->required()->type_name("PATH");
        AddOutputOptions(*command, arguments.output);
        AddSessionOptions(*command, arguments.session);
        command->footer(std::string("The same in SQL: ") + inspection.before +
                        Quote("/path/to/table", inspection.quote) + inspection.after);
        commands.emplace_back(command, &inspection);
    }
    return commands;
}

int RunInspection(const Inspection &inspection, const InspectArguments &arguments) {
    Session session(arguments.session);
    Output output(arguments.output.format == Format::kParquet ? "" : arguments.output.file);
    const auto statement = inspection.before + Quote(arguments.path, inspection.quote) + inspection.after;
    return ExitCode(session.Run(statement, [&](duckdb::QueryResult &result) {
        PrintResult(result, session.context(), arguments.output, output);
    }));
}

}  // namespace birdfoot::cli
