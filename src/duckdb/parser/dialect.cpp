// See dialect.hpp. How a statement of ours gets through DuckDB: the parser makes a DeltaStatement of it; the binder
// asks PlanFunction, which may only name a table function, so it remembers the statement and fails; the planner then
// asks every OperatorExtension, and ours binds what was remembered, in the same context and transaction.
#include "duckdb/parser/dialect.hpp"

#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/settings.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "duckdb/parser/statement/insert_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"
#include "duckdb/planner/operator/logical_dummy_scan.hpp"
#include "duckdb/planner/operator/logical_explain.hpp"
#include "duckdb/planner/operator_extension.hpp"

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

// Answers "not mine" for a script with an error in it: DuckDB then parses it, fails, and asks ParseFunction about the
// statement at fault, whose error is shown.
duckdb::ParserOverrideResult Override(duckdb::ParserExtensionInfo *, const duckdb::string &query,
                                      duckdb::ParserOptions &options) {
    try {
        const auto parts = sql::ReadScript(query);
        if (!parts) {
            return duckdb::ParserOverrideResult();
        }
        const auto inner = WithoutOverride(options);
        Statements statements;
        for (const auto &part : *parts) {
            if (!part.reading.ok()) {
                return duckdb::ParserOverrideResult();
            }
            AddStatements(part, inner, statements);
        }
        return duckdb::ParserOverrideResult(std::move(statements));
    } catch (const std::exception &) {
        return duckdb::ParserOverrideResult();
    }
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
// of ours, or an INSERT that the session lets change the schema.
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
    return {};
}

// A statement that fails to bind in its new spelling comes back here with the text it had: it must not go round for ever.
class Nesting {
public:
    Nesting() { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    bool too_deep() const { return depth_ > 8; }

private:
    static thread_local int depth_;
};
thread_local int Nesting::depth_ = 0;

duckdb::BoundStatement BindFailed(duckdb::ClientContext &context, duckdb::Binder &binder,
                                  duckdb::OperatorExtensionInfo *, duckdb::SQLStatement &statement) {
    return Guarded([&]() -> duckdb::BoundStatement {
        const Nesting nesting;
        if (nesting.too_deep()) {
            Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                       "This statement cannot be prepared. Its parameters are not known when it is bound. Run it with the "
                       "values in its text."));
        }
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
        duckdb::AllowParserOverride::DEFAULT_OVERRIDE) {
        config.SetOptionByName("allow_parser_override_extension", duckdb::Value("FALLBACK"));
    }
}

}  // namespace birdfoot::duck
