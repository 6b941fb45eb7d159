// One DuckDB instance with the engine loaded, and how the command line runs statements on it: settings, progress on a
// terminal, Ctrl-C and SIGTERM.
#pragma once

#include "duckdb.hpp"

#include <functional>
#include <string>
#include <vector>

namespace birdfoot::cli {

struct SessionOptions {
    std::string database;               //!< a DuckDB file; empty: in memory
    std::vector<std::string> settings;  //!< key=value, as SET takes them
    bool progress = true;               //!< a bar on stderr, when that is a terminal
};

//! A setting or database that cannot be used; the text says which.
class SessionError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class Outcome { kDone, kFailed, kInterrupted };

class Session {
public:
    explicit Session(const SessionOptions &options);
    ~Session();
    Session(const Session &) = delete;
    Session &operator=(const Session &) = delete;

    using Show = std::function<void(duckdb::QueryResult &)>;
    //! Runs what `text` holds (one statement as a rule) and hands each result to `show`, which fetches its rows. What
    //! goes wrong is printed on stderr.
    Outcome Run(const std::string &text, const Show &show);

    //! Rolls back what BEGIN began and nobody committed, and says so on stderr. False if there was something.
    bool EndTransaction();

    duckdb::Connection &connection() { return connection_; }
    duckdb::ClientContext &context() { return *connection_.context; }

private:
    void ApplySettings(const std::vector<std::string> &settings);
    void ShowProgress();
    bool CommitsNothing(const duckdb::SQLStatement &statement);

    duckdb::DuckDB database_;
    duckdb::Connection connection_;
};

//! The signal that asked us to stop, or 0. While a statement runs it is interrupted too; a second signal ends the
//! process, but for Ctrl-C at a prompt.
int StopSignal();
void ForgetStopSignal();
//! Whether a line is being typed rather than a statement run.
void SetAtPrompt(bool prompting);

}  // namespace birdfoot::cli
