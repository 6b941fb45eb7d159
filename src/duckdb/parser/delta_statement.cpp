// See delta_statement.hpp.
#include "duckdb/parser/delta_statement.hpp"

#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/explain_statement.hpp"
#include "duckdb/parser/statement/prepare_statement.hpp"

#include "duckdb/parser/dialect.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

constexpr const char *kPendingKey = "birdfoot_pending_statement";

// The query in a statement, where its parameters are.
std::string QueryOf(const sql::Statement &statement) {
    if (const auto *insert = std::get_if<sql::Insert>(&statement)) {
        return insert->query;
    }
    if (const auto *create = std::get_if<sql::CreateTable>(&statement)) {
        return create->query.value_or("");
    }
    if (const auto *update = std::get_if<sql::Update>(&statement)) {
        return sql::PlainText(*update);
    }
    if (const auto *merge = std::get_if<sql::Merge>(&statement)) {
        return sql::PlainText(*merge);
    }
    return {};
}

}  // namespace

DeltaStatement::DeltaStatement(ReadTextPtr read)
    : ExtensionStatement(DialectExtension(), duckdb::make_uniq<DeltaParseData>(read)), read_(std::move(read)) {
    query = read_->text;
    stmt_length = query.size();
}

duckdb::unique_ptr<duckdb::SQLStatement> DeltaStatement::Copy() const {
    auto copy = duckdb::make_uniq<DeltaStatement>(read_);
    copy->named_param_map = named_param_map;
    return copy;
}

void PendingStatement::Set(duckdb::ClientContext &context, ReadTextPtr read) {
    context.registered_state->GetOrCreate<PendingStatement>(kPendingKey)->read_ = std::move(read);
}

ReadTextPtr PendingStatement::Take(duckdb::ClientContext &context) {
    auto state = context.registered_state->Get<PendingStatement>(kPendingKey);
    return state ? std::move(state->read_) : nullptr;
}

duckdb::unique_ptr<duckdb::SQLStatement> ParseOne(const std::string &text, const duckdb::ParserOptions &options) {
    duckdb::Parser parser(options);
    parser.ParseQuery(text);
    if (parser.statements.size() != 1) {
        Throw(Fail(Condition::PARSE_SYNTAX_ERROR, "One statement is expected, not {}: {}. Write one.",
                   parser.statements.size(), text));
    }
    return std::move(parser.statements[0]);
}

duckdb::unique_ptr<duckdb::SQLStatement> MakeStatement(ReadTextPtr read, const duckdb::ParserOptions &options) {
    if (const auto *rewritten = std::get_if<sql::Rewritten>(&read->reading)) {
        return ParseOne(rewritten->text, options);
    }
    const auto &parsed = std::get<sql::Parsed>(read->reading);
    // What stands behind EXPLAIN or PREPARE is a statement without it: bound, it must not become one with it again.
    auto own = read;
    if (!parsed.prefix.empty()) {
        own = std::make_shared<ReadText>(ReadText{parsed.text, sql::Parsed{parsed.statement, {}, parsed.text}});
    }
    auto statement = duckdb::make_uniq<DeltaStatement>(std::move(own));
    if (const auto query = QueryOf(parsed.statement); !query.empty()) {
        statement->named_param_map = ParseOne(query, options)->named_param_map;
    }
    if (parsed.prefix.empty()) {
        return statement;
    }
    auto outer = ParseOne(parsed.prefix + "SELECT 1", options);
    outer->query = read->text;
    outer->stmt_length = read->text.size();
    if (outer->type == duckdb::StatementType::PREPARE_STATEMENT) {
        outer->Cast<duckdb::PrepareStatement>().statement = std::move(statement);
    } else {
        outer->named_param_map = statement->named_param_map;
        outer->Cast<duckdb::ExplainStatement>().stmt = std::move(statement);
    }
    return outer;
}

}  // namespace birdfoot::duck
