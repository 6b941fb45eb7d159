// See statement.hpp: how tables' names are written.
#include "sql/statement.hpp"

#include "sql/lexer.hpp"

namespace birdfoot::sql {
namespace {

bool NeedsQuotes(std::string_view name) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) {
        return true;
    }
    for (const char c : name) {
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::string TableName::ToDuckDb(std::string_view path_catalog) const {
    if (path) {
        return QuoteName(path_catalog) + "." + QuoteName(*path);
    }
    std::string out;
    for (const auto &part : parts) {
        out += (out.empty() ? "" : ".") + QuoteName(part);
    }
    return out;
}

std::string TableName::ToText() const {
    if (path) {
        return "delta." + QuoteSparkName(*path);
    }
    std::string out;
    for (const auto &part : parts) {
        out += (out.empty() ? "" : ".") + (NeedsQuotes(part) ? QuoteSparkName(part) : part);
    }
    return out;
}

}  // namespace birdfoot::sql
