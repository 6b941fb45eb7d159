// The tokens of SQL text, for two dialects: what a user types into DuckDB (DuckDB's own rules plus Spark's back-quotes)
// and expressions as Spark stores them in tables (backslash escapes, "strings", number suffixes). Lossless: the texts
// of all tokens, put together, are the input. It never fails; text that does not end (an open quote) is one token of
// kind kUnterminated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace birdfoot::sql {

enum class Dialect : uint8_t { kDuckDb, kSpark };

enum class TokenKind : uint8_t {
    kEnd,
    kWord,        // name or keyword without quotes
    kQuoted,      // "name" (in Spark's dialect such text is a kString)
    kBackQuoted,  // `name`
    kString,      // 'text', E'text', $tag$text$tag$
    kNumber,
    kParameter,  // ? ?1 $1 $name
    kOperator,   // also punctuation
    kSpace,
    kComment,       // -- … and /* … */, nested
    kSlashComment,  // a line // … before a statement's first token: tolerated, DuckDB knows no such comment
    kMagic,         // a notebook's %sql before a statement's first token
    kUnterminated,
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    std::string_view text;
    size_t offset = 0;

    bool is_trivia() const {
        return kind == TokenKind::kSpace || kind == TokenKind::kComment || kind == TokenKind::kSlashComment ||
               kind == TokenKind::kMagic;
    }
    bool is_name() const {
        return kind == TokenKind::kWord || kind == TokenKind::kQuoted || kind == TokenKind::kBackQuoted;
    }
    //! A keyword; `upper` is written in capitals. Quoted names are no keywords.
    bool IsWord(std::string_view upper) const;
    bool IsOperator(std::string_view op) const { return kind == TokenKind::kOperator && text == op; }
};

//! Reads tokens one by one, so that a caller who only needs the first ones pays for no more.
class Lexer {
public:
    explicit Lexer(std::string_view text, Dialect dialect = Dialect::kDuckDb) : text_(text), dialect_(dialect) {}
    Token Next();  //!< kEnd at the end, for ever

private:
    TokenKind Scan();
    TokenKind ScanQuoted(char quote, bool backslash, TokenKind kind);
    TokenKind ScanDollar();
    TokenKind ScanComment();
    TokenKind ScanNumber();
    TokenKind ScanWord();
    TokenKind ScanLine(TokenKind kind);
    char At(size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }

    std::string_view text_;
    Dialect dialect_;
    size_t position_ = 0;
    bool statement_start_ = true;
};

std::vector<Token> Tokenize(std::string_view text, Dialect dialect = Dialect::kDuckDb);

//! The statements of a script, cut at top-level semicolons (which belong to none of them); those of white space and
//! comments alone are left out.
std::vector<std::string_view> SplitStatements(std::string_view script);

//! The name that a kWord, kQuoted or kBackQuoted token stands for; case is kept.
std::string NameOf(const Token &token);
//! The text that a string token stands for. None for escapes that we do not know. In Spark's dialect none for a doubled
//! quote too: Spark 3 and 4 disagree about it.
std::optional<std::string> TextOf(const Token &token, Dialect dialect = Dialect::kDuckDb);

//! "a""b", 'it''s': as DuckDB reads them.
std::string QuoteName(std::string_view name);
std::string QuoteText(std::string_view text);
//! `a``b`, 'it\'s': as Spark reads them.
std::string QuoteSparkName(std::string_view name);
std::string QuoteSparkText(std::string_view text);

bool EqualsWord(std::string_view text, std::string_view upper);
std::string Upper(std::string_view text);

}  // namespace birdfoot::sql
