// birdfoot shell: SQL at a prompt, with history, completion and statements over several lines. Ctrl-C gives up the line
// that is being typed, or the statement that is running; Ctrl-D leaves. Through a pipe it takes the same lines.
#include "cli/commands.hpp"
#include "cli/statement_splitter.hpp"

#include <histedit.h>
#include <langinfo.h>
#include <unistd.h>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

namespace birdfoot::cli {

namespace {

constexpr char kHelp[] =
    "Statements end with a semicolon and may take several lines. Tab completes, the arrows recall.\n"
    "  .format NAME   table, json, csv or markdown (.mode too)\n"
    "  .tables        the tables of all attached databases\n"
    "  .schema NAME   the columns of a table\n"
    "  .read FILE     run the statements in a file\n"
    "  .timer on|off  say how long each statement took\n"
    "  .print TEXT    print this text\n"
    "  .help          this text (help too)\n"
    "  .quit          leave (Ctrl-D, quit and exit too)\n";

std::filesystem::path HistoryFile() {
    if (const char *file = std::getenv("BIRDFOOT_HISTORY")) {
        return file;
    }
    if (const char *state = std::getenv("XDG_STATE_HOME"); state && *state) {
        return std::filesystem::path(state) / "birdfoot" / "history";
    }
    const char *home = std::getenv("HOME");
    return home && *home ? std::filesystem::path(home) / ".local" / "state" / "birdfoot" / "history"
                         : std::filesystem::path();
}

class Shell {
public:
    explicit Shell(const ShellArguments &arguments)
        : session_(arguments.session), output_(arguments.output.file), show_(arguments.output) {}

    int RunOnTerminal();
    int RunOnPipe();

private:
    void Read(EditLine *editor);
    void Take(const std::string &line);
    void Command(const std::string &line);
    void SetFormat(const std::string &name);
    void RunFile(const std::string &file);
    void Complain(const std::string &text);
    void End();
    Outcome RunStatement(const std::string &statement);
    void Remember(std::string statement);
    static const char *Prompt(EditLine *editor);
    static unsigned char Complete(EditLine *editor, int key);

    Session session_;
    Output output_;
    OutputOptions show_;
    StatementSplitter splitter_;
    std::string typed_;  // the lines of the statement so far
    History *history_ = nullptr;
    HistEvent event_ = {};
    bool timer_ = false;
    bool failed_ = false;
    bool leave_ = false;
};

Shell &ShellOf(EditLine *editor) {
    Shell *shell = nullptr;
    el_get(editor, EL_CLIENTDATA, &shell);
    return *shell;
}

const char *Shell::Prompt(EditLine *editor) {
    return ShellOf(editor).splitter_.pending() ? "      ...> " : "birdfoot> ";
}

//! Completes with DuckDB's own suggestions: the longest beginning they share, or a list when that adds nothing.
unsigned char Shell::Complete(EditLine *editor, int) {
    auto &shell = ShellOf(editor);
    const auto *line = el_line(editor);
    const std::string before(line->buffer, static_cast<size_t>(line->cursor - line->buffer));
    const auto text = shell.typed_ + before;
    const auto result =
        shell.session_.connection().Query("SELECT suggestion, suggestion_start FROM sql_auto_complete(" +
                                          duckdb::KeywordHelper::WriteQuoted(text, '\'') + ")");
    if (result->HasError() || result->RowCount() == 0) {
        return CC_ERROR;
    }
    std::vector<std::string> words;
    const auto start = static_cast<size_t>(result->GetValue(1, 0).GetValue<int64_t>());
    if (start > text.size() || text.size() - start > before.size()) {
        return CC_ERROR;
    }
    const auto begun = text.substr(start);
    for (size_t row = 0; row < result->RowCount(); ++row) {
        auto word = result->GetValue(0, row).ToString();
        if (duckdb::StringUtil::StartsWith(duckdb::StringUtil::Lower(word), duckdb::StringUtil::Lower(begun))) {
            words.push_back(std::move(word));
        }
    }
    if (words.empty()) {
        return CC_ERROR;
    }
    auto common = words.front();
    for (const auto &word : words) {
        const auto end = std::mismatch(common.begin(), common.end(), word.begin(), word.end()).first;
        common.erase(end, common.end());
    }
    if (common.size() > begun.size() || words.size() == 1) {
        el_deletestr(editor, static_cast<int>(begun.size()));
        return el_insertstr(editor, common.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    }
    std::string list = "\n";
    for (const auto &word : words) {
        list += word + "  ";
    }
    std::fprintf(stdout, "%s\n", list.c_str());
    return CC_REDISPLAY;
}

void Shell::Remember(std::string statement) {
    if (statement.find("--") == std::string::npos) {
        std::replace(statement.begin(), statement.end(), '\n', ' ');  // one line is easier to edit
    }
    if (history_ != nullptr) {
        history(history_, &event_, H_ENTER, statement.c_str());
    }
}

Outcome Shell::RunStatement(const std::string &statement) {
    const auto begin = std::chrono::steady_clock::now();
    const auto outcome = session_.Run(
        statement, [this](duckdb::QueryResult &result) { PrintResult(result, session_.context(), show_, output_); });
    failed_ = failed_ || outcome != Outcome::kDone;
    if (history_ != nullptr) {
        ForgetStopSignal();
    }
    if (timer_) {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        std::printf("%.3f s\n", elapsed.count());
        std::fflush(stdout);
    }
    return outcome;
}

void Shell::SetFormat(const std::string &name) {
    constexpr std::pair<const char *, Format> kFormats[] = {
        {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}, {"markdown", Format::kMarkdown}};
    for (const auto &[known, format] : kFormats) {
        if (name == known) {
            show_.format = format;
            return;
        }
    }
    Complain(".format takes table, json, csv or markdown");
}

//! Of a line that begins with a dot; through a pipe the exit code then tells.
void Shell::Complain(const std::string &text) {
    std::fprintf(stderr, "%s\n", text.c_str());
    failed_ = true;
}

void Shell::End() {
    failed_ = !session_.EndTransaction() || failed_;
    output_.Finish();
}

void Shell::RunFile(const std::string &file) {
    std::unique_ptr<FILE, int (*)(FILE *)> input(std::fopen(file.c_str(), "r"), std::fclose);
    if (!input) {
        return Complain("cannot read '" + file + "': " + std::strerror(errno));
    }
    StatementSplitter splitter;
    char buffer[1 << 14];
    while (const auto count = std::fread(buffer, 1, sizeof(buffer), input.get())) {
        splitter.Append({buffer, count});
    }
    auto statement = splitter.Rest();
    while (statement && RunStatement(*statement) != Outcome::kInterrupted) {
        statement = splitter.Rest();
    }
}

void Shell::Command(const std::string &line) {
    const auto space = line.find_first_of(" \t");
    const auto name = line.substr(0, space);
    auto argument = space == std::string::npos ? "" : line.substr(line.find_first_not_of(" \t", space));
    if (name == ".quit" || name == ".exit") {
        leave_ = true;
    } else if (name == ".help") {
        std::fputs(kHelp, stdout);
        std::fflush(stdout);
    } else if (name == ".format" || name == ".mode") {
        SetFormat(argument);
    } else if (name == ".read") {
        RunFile(argument);
    } else if (name == ".print") {
        std::printf("%s\n", argument.c_str());
        std::fflush(stdout);
    } else if (name == ".timer" && (argument == "on" || argument == "off")) {
        timer_ = argument == "on";
    } else if (name == ".timer") {
        Complain(".timer takes on or off");
    } else if (name == ".tables") {
        RunStatement(
            "SELECT table_catalog AS database, table_schema AS schema, table_name AS name "
            "FROM information_schema.tables ORDER BY ALL");
    } else if (name == ".schema" && !argument.empty()) {
        RunStatement("DESCRIBE " + argument);
    } else if (name == ".schema") {
        Complain(".schema takes a table");
    } else {
        Complain(name + " is not known here; .help lists what is");
    }
}

void Shell::Take(const std::string &line) {
    auto command = line.substr(0, line.find_last_not_of(" \t\r\n;") + 1);
    if (!splitter_.pending() && (command == "help" || command == "quit" || command == "exit")) {
        return Command("." + command);
    }
    if (!splitter_.pending() && line.starts_with('.')) {
        Remember(command);
        Command(command);
        return;
    }
    splitter_.Append(line);
    typed_ += line;
    bool ran = false;
    while (auto statement = splitter_.Next()) {
        Remember(*statement + ";");
        RunStatement(*statement);
        ran = true;
    }
    if (ran || !splitter_.pending()) {
        typed_.clear();
    }
}

void Shell::Read(EditLine *editor) {
    while (!leave_) {
        int count = 0;
        errno = 0;
        SetAtPrompt(true);
        const char *line = el_gets(editor, &count);
        SetAtPrompt(false);
        if (StopSignal() == SIGINT) {
            ForgetStopSignal();
            splitter_.Clear();
            typed_.clear();
            el_reset(editor);
            std::fputs("^C\n", stdout);
            continue;
        }
        if (line == nullptr || count <= 0 || StopSignal() != 0) {
            std::fputs("\n", stdout);
            return;
        }
        Take({line, static_cast<size_t>(count)});
    }
}

int Shell::RunOnPipe() {
    char *line = nullptr;
    size_t capacity = 0;
    ssize_t count = 0;
    while (!leave_ && StopSignal() == 0 && (count = getline(&line, &capacity, stdin)) > 0) {
        Take({line, static_cast<size_t>(count)});
    }
    std::free(line);
    if (const auto statement = splitter_.Rest(); statement && StopSignal() == 0) {
        RunStatement(*statement);
    }
    End();
    return StopSignal() != 0 ? 128 + StopSignal() : failed_ ? kExitFailed : kExitDone;
}

int Shell::RunOnTerminal() {
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        std::setlocale(LC_CTYPE, "C.UTF-8");
    }
    std::printf("Birdfoot " BIRDFOOT_VERSION " on DuckDB %s. Statements end with ';'. Type .help for more.\n",
                duckdb::DuckDB::LibraryVersion());
    std::unique_ptr<History, void (*)(History *)> history_owner(history_init(), history_end);
    std::unique_ptr<EditLine, void (*)(EditLine *)> editor(el_init("birdfoot", stdin, stdout, stderr), el_end);
    history_ = history_owner.get();
    history(history_, &event_, H_SETSIZE, 5000);
    history(history_, &event_, H_SETUNIQUE, 1);
    const auto file = HistoryFile();
    std::error_code ignored;
    std::filesystem::create_directories(file.parent_path(), ignored);
    history(history_, &event_, H_LOAD, file.c_str());

    el_set(editor.get(), EL_CLIENTDATA, this);
    el_set(editor.get(), EL_PROMPT, Prompt);
    el_set(editor.get(), EL_EDITOR, "emacs");
    el_set(editor.get(), EL_SIGNAL, 0);
    el_set(editor.get(), EL_HIST, history, history_);
    el_set(editor.get(), EL_ADDFN, "complete", "complete a name or keyword", Complete);
    el_set(editor.get(), EL_BIND, "\t", "complete", nullptr);
    el_source(editor.get(), nullptr);
    Read(editor.get());
    End();
    history(history_, &event_, H_SAVE, file.c_str());
    return kExitDone;
}

}  // namespace

CLI::App *AddShell(CLI::App &app, ShellArguments &arguments) {
    auto *command = app.add_subcommand("shell", "Type SQL at a prompt");
    AddOutputOptions(*command, arguments.output);
    AddSessionOptions(*command, arguments.session);
    command->footer(std::string(kHelp) +
                    "What was typed is kept in $XDG_STATE_HOME/birdfoot/history (or $BIRDFOOT_HISTORY).\n");
    return command;
}

int RunShell(const ShellArguments &arguments) {
    Shell shell(arguments);
    return isatty(STDIN_FILENO) ? shell.RunOnTerminal() : shell.RunOnPipe();
}

}  // namespace birdfoot::cli
