// See session_commands.hpp. What SET key shows is Spark's: key and value, "<undefined>" for a key without one. A SET
// that sets has no rows, as in DuckDB: they would stand in the CSV of the query behind it.
#include "duckdb/commands/session_commands.hpp"

#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

std::vector<std::pair<std::string, duckdb::LogicalType>> KeyAndValue() {
    return {{"key", duckdb::LogicalType::VARCHAR}, {"value", duckdb::LogicalType::VARCHAR}};
}

}  // namespace

void SetOptionCommand::Run(duckdb::ClientContext &context, const RowSink &) const {
    OkOrThrow(SessionSettings::Of(context).Set(context, set_.key, set_.value));
}

std::vector<std::pair<std::string, duckdb::LogicalType>> ShowOptionCommand::Columns() const { return KeyAndValue(); }

void ShowOptionCommand::Run(duckdb::ClientContext &context, const RowSink &emit) const {
    const auto value = SessionSettings::Of(context).Get(show_.key);
    emit({duckdb::Value(show_.key), duckdb::Value(value.value_or("<undefined>"))});
}

void ResetOptionCommand::Run(duckdb::ClientContext &context, const RowSink &) const {
    SessionSettings::Of(context).Reset(reset_.key);
}

}  // namespace birdfoot::duck
