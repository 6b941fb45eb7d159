// birdfoot sql: statements from the command line, files or standard input.
#include "cli/commands.hpp"
#include "cli/statement_splitter.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <filesystem>

namespace birdfoot::cli {

namespace {

class Script {
public:
    explicit Script(const SqlArguments &arguments)
        : arguments_(arguments), session_(arguments.session), output_(arguments.output.file) {}

    //! Runs what is complete; at the end of the input also what has no semicolon. False when it must stop.
    bool Feed(std::string_view text, bool end) {
        splitter_.Append(text);
        while (auto statement = splitter_.Next()) {
            if (!RunOne(*statement)) {
                return false;
            }
        }
        if (end) {
            if (const auto statement = splitter_.Rest(); statement && !RunOne(*statement)) {
                return false;
            }
            splitter_.Clear();
        }
        return true;
    }

    bool FeedFrom(int descriptor, const std::string &name) {
        std::string buffer(1 << 16, 0);
        while (true) {
            const auto count = read(descriptor, buffer.data(), buffer.size());
            if (StopSignal() != 0) {
                outcome_ = Outcome::kInterrupted;
                return false;
            }
            if (count < 0) {
                std::fprintf(stderr, "birdfoot: cannot read %s: %s\n", name.c_str(), std::strerror(errno));
                outcome_ = Outcome::kFailed;
                return false;
            }
            if (!Feed({buffer.data(), static_cast<size_t>(count)}, count == 0)) {
                return false;
            }
            if (count == 0) {
                return true;
            }
        }
    }

    //! At the end of all input: what was begun is over, and the output is where it was asked for, unless the run
    //! failed.
    Outcome End() {
        if (!session_.EndTransaction() && outcome_ == Outcome::kDone) {
            outcome_ = Outcome::kFailed;
        }
        if (outcome_ == Outcome::kDone || (outcome_ == Outcome::kFailed && arguments_.keep_going)) {
            output_.Finish();
        }
        return outcome_;
    }

private:
    bool RunOne(const std::string &statement) {
        const auto outcome = session_.Run(statement, [this](duckdb::QueryResult &result) {
            PrintResult(result, session_.context(), arguments_.output, output_);
        });
        if (outcome != Outcome::kDone) {
            outcome_ = outcome;
        }
        return outcome == Outcome::kDone || (outcome == Outcome::kFailed && arguments_.keep_going);
    }

    const SqlArguments &arguments_;
    Session session_;
    Output output_;
    StatementSplitter splitter_;
    Outcome outcome_ = Outcome::kDone;
};

bool FeedFile(Script &script, const std::string &file) {
    if (file == "-") {
        return script.FeedFrom(STDIN_FILENO, "standard input");
    }
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat what = {};
    if (descriptor >= 0 && fstat(descriptor, &what) == 0 && S_ISDIR(what.st_mode)) {
        close(descriptor);
        throw SessionError("cannot read '" + file + "': it is a folder");
    }
    if (descriptor < 0) {
        throw SessionError("cannot read '" + file + "': " + std::strerror(errno));
    }
    const bool go_on = script.FeedFrom(descriptor, "'" + file + "'");
    close(descriptor);
    return go_on;
}

//! `-f a.sql b.sql`: the second is a file too, and not SQL.
void CheckText(const SqlArguments &arguments) {
    std::error_code ignored;
    if (!arguments.files.empty() && arguments.text.find_first_of(" ;\n") == std::string::npos &&
        std::filesystem::is_regular_file(arguments.text, ignored)) {
        throw SessionError("'" + arguments.text + "' is a file, not SQL: give each file its own -f");
    }
}

}  // namespace

CLI::App *AddSql(CLI::App &app, SqlArguments &arguments) {
    auto *command = app.add_subcommand("sql", "Run SQL statements and print what they return");
    command
        ->add_option("statements", arguments.text,
                     "SQL, statements separated by semicolons; left out or '-': read from standard input")
        ->type_name("SQL");
    command
        ->add_option("-f,--file", arguments.files,
                     "read statements from this file ('-': standard input); may be repeated: -f a.sql -f b.sql")
        ->type_name("FILE")
        ->allow_extra_args(false);
    command->add_flag("--keep-going", arguments.keep_going,
                      "go on after a statement that failed; the exit code is 1 all the same");
    AddOutputOptions(*command, arguments.output);
    AddSessionOptions(*command, arguments.session);
    command->footer(
        "Examples:\n"
        "  birdfoot sql \"CREATE TABLE delta.\\`/data/sales\\` AS FROM 'sales.csv'\"\n"
        "  birdfoot sql --format json 'SELECT * FROM delta.\"/data/sales\" VERSION AS OF 3'\n"
        "  birdfoot sql --format parquet -o june.parquet -f june.sql\n"
        "  birdfoot sql -c threads=2 -c memory_limit=2GB < nightly.sql\n"
        "\n"
        "Statements run one after the other, those of files first, in their order; the first that fails ends the run.\n"
        "A file named by -o is replaced when all is done, and stays as it was when something failed.\n"
        "Exit codes: 0 all done, 1 a statement failed, 2 wrong use, 130 interrupted.\n");
    return command;
}

int RunSql(const SqlArguments &arguments) {
    CheckText(arguments);
    Script script(arguments);
    bool go_on = true;
    for (const auto &file : arguments.files) {
        go_on = go_on && FeedFile(script, file);
    }
    if (go_on && !arguments.text.empty() && arguments.text != "-") {
        script.Feed(arguments.text, true);
    } else if (go_on && (arguments.text == "-" || arguments.files.empty())) {
        script.FeedFrom(STDIN_FILENO, "standard input");
    }
    return ExitCode(script.End());
}

}  // namespace birdfoot::cli
