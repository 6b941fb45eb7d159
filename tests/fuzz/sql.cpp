// Any text: it never crashes, hangs or overflows the stack; tokens are lossless; what is rewritten needs no rewriting
// again; a printed expression parses to the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sql/expression.hpp"
#include "sql/lexer.hpp"
#include "sql/parser.hpp"
#include "sql/rewrite.hpp"
#include "sql/types.hpp"

namespace {

using namespace birdfoot::sql;  // NOLINT: a program of its own

void Require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void CheckTokens(std::string_view text, Dialect dialect) {
    std::string whole;
    for (const auto &token : Tokenize(text, dialect)) {
        Require(!token.text.empty());
        whole += token.text;
        if (token.kind == TokenKind::kString) {
            (void)TextOf(token, dialect);
        } else if (token.is_name()) {
            (void)NameOf(token);
        }
    }
    Require(whole == text);
}

void CheckExpression(std::string_view text, Dialect dialect) {
    const auto expression = ParseExpression(text, dialect);
    if (!expression.ok()) {
        return;
    }
    (void)ToDuckDbText(*expression);
    const auto spark = ToSparkText(*expression);
    if (dialect == Dialect::kSpark) {
        // The brackets that printing adds may make it too deep for the parser's bounds, but nothing else.
        const auto again = ParseExpression(spark);
        Require(again.ok() ? ToSparkText(*again) == spark : again.error().text().find(" too ") != std::string::npos);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    CheckTokens(text, Dialect::kDuckDb);
    CheckTokens(text, Dialect::kSpark);
    CheckExpression(text, Dialect::kDuckDb);
    CheckExpression(text, Dialect::kSpark);
    (void)ParseTypeText(text);
    (void)ToSparkSpelling(text);
    (void)ReadScript(text);
    (void)ReadStatement(text);
    if (const auto rewritten = RewriteSpelling(text); rewritten.ok() && *rewritten) {
        (void)RewriteSpelling(**rewritten);
    }
    return 0;
}
