// See dialect.hpp. How a statement of ours gets through DuckDB: the parser makes a DeltaStatement of it; the binder
// asks PlanFunction, which may only name a table function, so it remembers the statement and fails; the planner then
// asks every OperatorExtension, and ours binds what was remembered, in the same context and transaction.
#include "duckdb/parser/dialect.hpp"

#include <atomic>

#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/extension_callback_manager.hpp"
#include "duckdb/main/settings.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"
#include "duckdb/planner/operator/logical_dummy_scan.hpp"
#include "duckdb/planner/operator/logical_explain.hpp"
#include "duckdb/planner/operator_extension.hpp"

#include "duckdb/parser/bind_changes.hpp"
#include "duckdb/parser/bind_statement.hpp"
#include "duckdb/parser/delta_statement.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/write/bind_insert.hpp"

namespace birdfoot::duck {
namespace {

using Statements = duckdb::vector<duckdb::unique_ptr<duckdb::SQLStatement>>;

duckdb::ParserOptions WithoutOverride(duckdb::ParserOptions options) {
    options.parser_override_setting = duckdb::AllowParserOverride::DEFAULT_OVERRIDE;
    return options;
}

void AddStatements(const sql::ScriptPart &part, const duckdb::ParserOptions &options, Statements &out) {
    if (std::holds_alternative<sql::Unchanged>(*part.reading)) {
        duckdb::Parser parser(options);
        parser.ParseQuery(std::string(part.text));
        for (auto &statement : parser.statements) {
            out.push_back(std::move(statement));
        }
        return;
    }
    out.push_back(MakeStatement(std::make_shared<ReadText>(ReadText{std::string(part.text), *part.reading}), options));
}

Statements Parse(const duckdb::string &query, const duckdb::ParserOptions &options) {
    const auto parts = sql::ReadScript(query);
    if (!parts) {
        duckdb::Parser parser(options);
        parser.ParseQuery(query);
        return std::move(parser.statements);
    }
    Statements statements;
    for (const auto &part : *parts) {
        if (!part.reading.ok()) {
            throw duckdb::ParserException(part.reading.error().message());
        }
        AddStatements(part, options, statements);
    }
    return statements;
}

// Answers for every text, and throws for an error in one, as DuckDB's parser does: an answer "not mine" would hand the
// text to the next extension's parser. Only under STRICT, which a user chooses for another parser's sake, that one is
// asked.
duckdb::ParserOverrideResult Override(duckdb::ParserExtensionInfo *, const duckdb::string &query,
                                      duckdb::ParserOptions &options) {
    if (options.parser_override_setting == duckdb::AllowParserOverride::STRICT_OVERRIDE && !sql::ReadScript(query)) {
        return duckdb::ParserOverrideResult();
    }
    return Guarded([&] { return duckdb::ParserOverrideResult(Parse(query, WithoutOverride(options))); });
}

// FALLBACK asks the parsers of all extensions, in the order in which they were loaded. DuckDB's extension autocomplete
// brings one, which is an experiment and is loaded before us wherever it is built in (the command lines): switching our
// parser on must not switch that one on too. It sleeps until somebody asks for STRICT, as its enable_peg_parser() does.
std::atomic<duckdb::parser_override_function_t> sleeping_parser{nullptr};

duckdb::ParserOverrideResult Asleep(duckdb::ParserExtensionInfo *info, const duckdb::string &query,
                                    duckdb::ParserOptions &options) {
    if (options.parser_override_setting != duckdb::AllowParserOverride::STRICT_OVERRIDE) {
        return duckdb::ParserOverrideResult();
    }
    return sleeping_parser.load()(info, query, options);
}

// False if there is a parser that cannot be put to sleep.
bool PutOtherParsersToSleep(duckdb::DatabaseInstance &db) {
    for (const auto &extension : duckdb::ExtensionCallbackManager::Get(db).ParserExtensions()) {
        const auto parser = extension.parser_override;
        if (parser == nullptr || parser == Override || parser == Asleep) {
            continue;
        }
        duckdb::parser_override_function_t none = nullptr;
        if (!sleeping_parser.compare_exchange_strong(none, parser) && none != parser) {
            return false;
        }
        // The list is DuckDB's, and others may be reading it: one pointer of it is replaced, at once.
        auto &slot = const_cast<duckdb::ParserExtension &>(extension).parser_override;
        std::atomic_ref<duckdb::parser_override_function_t>(slot).store(Asleep);
    }
    return true;
}

duckdb::ParserExtensionParseResult ParseFunction(duckdb::ParserExtensionInfo *, const duckdb::string &query) {
    try {
        auto reading = sql::ReadStatement(query);
        if (!reading.ok()) {
            return duckdb::ParserExtensionParseResult(reading.error().message());
        }
        if (std::holds_alternative<sql::Unchanged>(*reading)) {
            return duckdb::ParserExtensionParseResult();
        }
        auto read = std::make_shared<ReadText>(ReadText{query, std::move(*reading)});
        MakeStatement(read, duckdb::ParserOptions());  // says whether the query in it parses
        return duckdb::ParserExtensionParseResult(duckdb::make_uniq<DeltaParseData>(std::move(read)));
    } catch (const std::exception &exception) {
        return duckdb::ParserExtensionParseResult(duckdb::ErrorData(exception).RawMessage());
    }
}

duckdb::ParserExtensionPlanResult PlanFunction(duckdb::ParserExtensionInfo *, duckdb::ClientContext &context,
                                               duckdb::unique_ptr<duckdb::ParserExtensionParseData> data) {
    PendingStatement::Set(context, static_cast<DeltaParseData &>(*data).read);
    throw duckdb::BinderException("This statement is bound by the extension birdfoot, which has not been asked.");
}

duckdb::BoundStatement Explain(duckdb::BoundStatement bound, duckdb::Binder &binder,
                               duckdb::ExplainStatement &statement) {
    const auto unoptimised = bound.plan->ToString(statement.explain_format);
    auto explain = duckdb::make_uniq<duckdb::LogicalExplain>(std::move(bound.plan), statement.explain_type,
                                                             statement.explain_format);
    explain->logical_plan_unopt = unoptimised;
    duckdb::BoundStatement out;
    out.plan = std::move(explain);
    out.names = {"explain_key", "explain_value"};
    out.types = {duckdb::LogicalType::VARCHAR, duckdb::LogicalType::VARCHAR};
    binder.GetStatementProperties().return_type = duckdb::StatementReturnType::QUERY_RESULT;
    return out;
}

// Types of parameters that only their values can tell: as the planner does for its own statements, the plan is made
// when they are known.
duckdb::BoundStatement Postponed(duckdb::Binder &binder) {
    duckdb::BoundStatement bound;
    bound.names = {"unknown"};
    bound.types = {duckdb::LogicalTypeId::UNKNOWN};
    bound.plan = duckdb::make_uniq<duckdb::LogicalDummyScan>(binder.GenerateTableIndex());
    if (auto parameters = binder.GetParameters()) {
        parameters->rebind = true;
    }
    return bound;
}

duckdb::BoundStatement BindRead(duckdb::ClientContext &context, duckdb::Binder &binder, const ReadTextPtr &read) {
    const auto *parsed = std::get_if<sql::Parsed>(&read->reading);
    if (parsed != nullptr && parsed->prefix.empty()) {
        return BindStatement(context, binder, *parsed);
    }
    // Without the override a whole text comes as one statement of ours.
    auto statement = MakeStatement(read, WithoutOverride(context.GetParserOptions()));
    auto inner = duckdb::Binder::CreateBinder(context, &binder);
    if (parsed != nullptr && statement->type == duckdb::StatementType::EXPLAIN_STATEMENT) {
        auto bound = BindStatement(context, *inner, *parsed);
        return Explain(std::move(bound), binder, statement->Cast<duckdb::ExplainStatement>());
    }
    return inner->Bind(*statement);
}

// A statement of DuckDB's that it could not bind: spelt in Spark's way where the override is off, a VACUUM of a table
// of ours, or an INSERT or MERGE that the session lets change the schema.
duckdb::BoundStatement BindOther(duckdb::ClientContext &context, duckdb::Binder &binder,
                                 const duckdb::SQLStatement &statement) {
    if (statement.query.empty()) {
        return {};
    }
    auto reading = sql::ReadStatement(statement.query);
    if (reading.ok() && !std::holds_alternative<sql::Unchanged>(*reading)) {
        return BindRead(context, binder, std::make_shared<ReadText>(ReadText{statement.query, std::move(*reading)}));
    }
    if (statement.type == duckdb::StatementType::INSERT_STATEMENT) {
        auto again = ParseOne(statement.query, WithoutOverride(context.GetParserOptions()));
        auto inner = duckdb::Binder::CreateBinder(context, &binder);
        if (again->type == duckdb::StatementType::INSERT_STATEMENT) {
            auto bound = BindEvolvingInsert(*inner, context, again->Cast<duckdb::InsertStatement>());
            return bound ? std::move(*bound) : duckdb::BoundStatement();
        }
    }
    if (statement.type == duckdb::StatementType::MERGE_INTO_STATEMENT) {
        auto again = ParseOne(statement.query, WithoutOverride(context.GetParserOptions()));
        if (again->type == duckdb::StatementType::MERGE_INTO_STATEMENT) {
            auto bound = BindEvolvingMerge(context, binder, again->Cast<duckdb::MergeIntoStatement>());
            return bound ? std::move(*bound) : duckdb::BoundStatement();
        }
    }
    return {};
}

duckdb::BoundStatement BindFailed(duckdb::ClientContext &context, duckdb::Binder &binder,
                                  duckdb::OperatorExtensionInfo *, duckdb::SQLStatement &statement) {
    return Guarded([&]() -> duckdb::BoundStatement {
        try {
            const auto read = PendingStatement::Take(context);
            if (!read) {
                return BindOther(context, binder, statement);
            }
            auto bound = BindRead(context, binder, read);
            return statement.type == duckdb::StatementType::EXPLAIN_STATEMENT
                       ? Explain(std::move(bound), binder, statement.Cast<duckdb::ExplainStatement>())
                       : std::move(bound);
        } catch (const duckdb::ParameterNotResolvedException &) {
            return Postponed(binder);
        }
    });
}

class DialectOperators : public duckdb::OperatorExtension {
public:
    DialectOperators() { Bind = BindFailed; }
    std::string GetName() override { return "birdfoot"; }
    duckdb::unique_ptr<duckdb::LogicalExtensionOperator> Deserialize(duckdb::Deserializer &) override {
        throw duckdb::NotImplementedException("Plans of Delta commands cannot be deserialised");
    }
};

}  // namespace

duckdb::ParserExtension DialectExtension() {
    duckdb::ParserExtension extension;
    extension.parse_function = ParseFunction;
    extension.plan_function = PlanFunction;
    extension.parser_override = Override;
    return extension;
}

void RegisterDialect(duckdb::DatabaseInstance &db) {
    auto &config = duckdb::DBConfig::GetConfig(db);
    duckdb::ParserExtension::Register(config, DialectExtension());
    duckdb::OperatorExtension::Register(config, duckdb::make_shared_ptr<DialectOperators>());
    // The user's choice, if there is one, stays.
    if (duckdb::Settings::Get<duckdb::AllowParserOverrideExtensionSetting>(db) ==
            duckdb::AllowParserOverride::DEFAULT_OVERRIDE &&
        PutOtherParsersToSleep(db)) {
        config.SetOptionByName("allow_parser_override_extension", duckdb::Value("FALLBACK"));
    }
}

}  // namespace birdfoot::duck
