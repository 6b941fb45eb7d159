#include "cli/session.hpp"

#include "cli/progress.hpp"
#include "duckdb/extension.hpp"
#include "duckdb/main/client_config.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/main/valid_checker.hpp"
#include "duckdb/parser/statement/transaction_statement.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdio>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <system_error>
#include <utility>

namespace birdfoot::cli {

namespace {

std::atomic<int> stop_signal{0};
std::atomic<duckdb::ClientContext *> running{nullptr};  // whom the handler interrupts
std::atomic<bool> at_prompt{false};

void HandleStop(int signal) {
    // At a prompt a second Ctrl-C ends nothing: a first one that came before the read began is not seen until then.
    if (stop_signal.exchange(signal) != 0 && !(signal == SIGINT && at_prompt)) {
        _exit(128 + signal);
    }
    if (auto *context = running.load()) {
        context->Interrupt();  // sets an atomic flag, no more
    }
}

sigset_t StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    return signals;
}

class BirdfootExtension {
public:
    void Load(duckdb::ExtensionLoader &loader) { duck::LoadExtension(loader); }
    std::string Name() const { return "birdfoot"; }
    std::string Version() const { return BIRDFOOT_VERSION; }
};

std::pair<std::string, std::string> SplitSetting(const std::string &setting) {
    const auto equals = setting.find('=');
    const auto name = setting.substr(0, equals);
    const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; };
    if (equals == std::string::npos || name.empty() || !std::all_of(name.begin(), name.end(), is_part)) {
        throw SessionError("-c takes key=value, not '" + setting + "'");
    }
    return {name, setting.substr(equals + 1)};
}

//! What DuckDB itself knows is set before the database opens (some of it cannot change later), the rest afterwards.
void Configure(duckdb::DBConfig &config, const SessionOptions &options) {
    for (const auto &setting : options.settings) {
        const auto [key, value] = SplitSetting(setting);
        const auto option = duckdb::DBConfig::GetOptionByName(key);
        if (option && option->set_global) {
            try {
                config.SetOptionByName(key, duckdb::Value(value));
            } catch (const std::exception &error) {
                throw SessionError("-c " + setting + ": " + duckdb::ErrorData(error).RawMessage());
            }
        }
    }
}

duckdb::DuckDB Open(const SessionOptions &options) {
    try {
        // Worker threads are made here: they inherit the mask, so a signal always meets the main thread.
        const auto signals = StopSignals();
        pthread_sigmask(SIG_BLOCK, &signals, nullptr);
        duckdb::DBConfig config;
        Configure(config, options);
        duckdb::DuckDB database(options.database.empty() ? nullptr : options.database.c_str(), &config);
        database.LoadStaticExtension<BirdfootExtension>();
        return database;
    } catch (const SessionError &) {
        throw;
    } catch (const std::exception &error) {
        throw SessionError(duckdb::ErrorData(error).Message());
    }
}

}  // namespace

int StopSignal() { return stop_signal.load(); }

void ForgetStopSignal() { stop_signal = 0; }

void SetAtPrompt(bool prompting) { at_prompt = prompting; }

Session::Session(const SessionOptions &options) : database_(Open(options)), connection_(database_) {
    ApplySettings(options.settings);
    if (options.progress && isatty(STDERR_FILENO)) {
        ShowProgress();
    }
    struct sigaction action = {};
    action.sa_handler = HandleStop;  // without SA_RESTART: a read of the terminal returns
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    const auto signals = StopSignals();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

Session::~Session() { running = nullptr; }

void Session::ApplySettings(const std::vector<std::string> &settings) {
    for (const auto &setting : settings) {
        const auto [key, value] = SplitSetting(setting);
        const auto option = duckdb::DBConfig::GetOptionByName(key);
        if (option && option->set_global) {
            continue;
        }
        const auto result = connection_.Query("SET " + key + " = " + duckdb::KeywordHelper::WriteQuoted(value, '\''));
        if (result->HasError()) {
            throw SessionError("-c " + setting + ": " + result->GetError());
        }
    }
}

void Session::ShowProgress() {
    auto &config = duckdb::ClientConfig::GetConfig(context());
    config.enable_progress_bar = true;
    config.print_progress_bar = true;
    config.wait_time = 1000;  // milliseconds
    config.display_create_func = MakeProgressDisplay;
}

bool Session::EndTransaction() {
    if (connection_.IsAutoCommit()) {
        return true;
    }
    connection_.Query("ROLLBACK");
    std::fputs("The transaction that BEGIN began was not committed: it is rolled back. End it with COMMIT.\n", stderr);
    return false;
}

//! Of a transaction in which a statement has failed DuckDB's COMMIT is a ROLLBACK, and does not say so.
bool Session::CommitsNothing(const duckdb::SQLStatement &statement) {
    if (statement.type != duckdb::StatementType::TRANSACTION_STATEMENT ||
        statement.Cast<duckdb::TransactionStatement>().info->type != duckdb::TransactionType::COMMIT) {
        return false;
    }
    auto &transaction = context().transaction;
    return transaction.HasActiveTransaction() && duckdb::ValidChecker::IsInvalidated(transaction.ActiveTransaction());
}

Outcome Session::Run(const std::string &text, const Show &show) {
    duckdb::ErrorData error;
    bool stopped = false;
    running = connection_.context.get();
    try {
        for (auto &statement : connection_.ExtractStatements(text)) {
            if (StopSignal() != 0) {
                stopped = true;
                break;
            }
            AllowProgress(true);
            const bool commits_nothing = CommitsNothing(*statement);
            const auto result = connection_.SendQuery(std::move(statement));
            if (result->HasError()) {
                error = result->GetErrorObject();
                break;
            }
            if (commits_nothing) {
                error =
                    duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION,
                                      "A statement of the transaction had failed, so that COMMIT has rolled it back. "
                                      "Nothing of it is kept: run it again.");
                break;
            }
            show(*result);
            if (result->HasError()) {  // a stream may fail behind its first rows
                error = result->GetErrorObject();
                break;
            }
        }
    } catch (const std::system_error &exception) {
        stopped = StopSignal() != 0;
        error = duckdb::ErrorData(duckdb::ExceptionType::IO, exception.what());
    } catch (const std::exception &exception) {
        error = duckdb::ErrorData(exception);
    }
    running = nullptr;
    ClearProgress();
    // A statement that was done before the signal came is done; what else it says of itself is worth reading.
    if (stopped || (error.HasError() && error.Type() == duckdb::ExceptionType::INTERRUPT)) {
        std::fputs("Interrupted.\n", stderr);
        return Outcome::kInterrupted;
    }
    if (error.HasError()) {
        std::fprintf(stderr, "%s\n", error.Message().c_str());
        return StopSignal() != 0 ? Outcome::kInterrupted : Outcome::kFailed;
    }
    return Outcome::kDone;
}

}  // namespace birdfoot::cli
