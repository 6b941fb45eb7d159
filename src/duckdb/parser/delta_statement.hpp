// DeltaStatement: what the parser hooks hand to DuckDB for a statement that is not DuckDB's, and what comes back when
// it is bound. DuckDB's own ExtensionStatement loses its parameters and text when it is copied, as PREPARE does; this
// one does not.
#pragma once

#include <memory>
#include <string>

#include "duckdb.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/parser/parser_extension.hpp"
#include "duckdb/parser/parser_options.hpp"
#include "duckdb/parser/statement/extension_statement.hpp"

#include "sql/parser.hpp"

namespace birdfoot::duck {

//! A text and what it was read as; never sql::Unchanged.
struct ReadText {
    std::string text;
    sql::Reading reading;
};
using ReadTextPtr = std::shared_ptr<const ReadText>;

class DeltaParseData : public duckdb::ParserExtensionParseData {
public:
    explicit DeltaParseData(ReadTextPtr read) : read(std::move(read)) {}
    duckdb::unique_ptr<duckdb::ParserExtensionParseData> Copy() const override {
        return duckdb::make_uniq<DeltaParseData>(read);
    }
    std::string ToString() const override { return read->text; }
    const ReadTextPtr read;
};

class DeltaStatement : public duckdb::ExtensionStatement {
public:
    explicit DeltaStatement(ReadTextPtr read);
    duckdb::unique_ptr<duckdb::SQLStatement> Copy() const override;

private:
    const ReadTextPtr read_;
};

//! Between the hook that plans a statement, which cannot bind one, and the hook that can: one a connection.
class PendingStatement : public duckdb::ClientContextState {
public:
    static void Set(duckdb::ClientContext &context, ReadTextPtr read);
    static ReadTextPtr Take(duckdb::ClientContext &context);

private:
    ReadTextPtr read_;
};

//! The statement of a text that was read, for DuckDB: EXPLAIN and PREPARE before it become DuckDB's own. Throws where
//! the query in it has an error of syntax. `options` without the override.
duckdb::unique_ptr<duckdb::SQLStatement> MakeStatement(ReadTextPtr read, const duckdb::ParserOptions &options);

//! One statement of DuckDB's text. Throws if it is none, or several.
duckdb::unique_ptr<duckdb::SQLStatement> ParseOne(const std::string &text, const duckdb::ParserOptions &options);

}  // namespace birdfoot::duck
