// A cursor over the tokens of one statement without white space and comments, read lazily, and the texts of syntax
// errors: `[PARSE_SYNTAX_ERROR] Syntax error at or near 'X' (line 1, position 7): reason. cure.`
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::sql {

class TokenCursor {
public:
    explicit TokenCursor(std::string_view text, Dialect dialect = Dialect::kDuckDb)
        : text_(text), dialect_(dialect), lexer_(text, dialect) {}

    std::string_view text() const { return text_; }
    Dialect dialect() const { return dialect_; }

    const Token &Peek(size_t ahead = 0);
    Token Take();
    bool AtEnd() { return Peek().kind == TokenKind::kEnd; }

    //! Where the cursor stands, to come back to.
    size_t mark() const { return next_; }
    void Rewind(size_t mark) { next_ = mark; }
    //! The offset in the text of the next token, and of the end of the last one taken.
    size_t NextOffset() { return Peek().kind == TokenKind::kEnd ? text_.size() : Peek().offset; }
    //! The last token taken; one must have been.
    const Token &last() const { return tokens_[next_ - 1]; }
    size_t last_end() const { return next_ == 0 ? 0 : tokens_[next_ - 1].offset + tokens_[next_ - 1].text.size(); }

    bool AtWord(std::string_view word, size_t ahead = 0) { return Peek(ahead).IsWord(word); }
    bool AtWords(std::initializer_list<std::string_view> words);
    bool AtAnyWord(std::initializer_list<std::string_view> words);
    bool AtOperator(std::string_view op, size_t ahead = 0) { return Peek(ahead).IsOperator(op); }

    //! Takes the words if they all stand here.
    bool Accept(std::initializer_list<std::string_view> words);
    bool Accept(std::string_view word) { return Accept({word}); }
    bool AcceptOperator(std::string_view op);
    Status Expect(std::string_view word);
    Status Expect(std::initializer_list<std::string_view> words);
    Status ExpectOperator(std::string_view op);
    Status ExpectEnd();

    //! A name: a word or a quoted identifier. `what` completes "… is no <what>".
    Result<std::string> Name(std::string_view what);
    //! a.b.c
    Result<std::vector<std::string>> DottedName(std::string_view what);
    //! A string, "…" included, since Spark has both; adjacent ones are joined.
    Result<std::string> Text(std::string_view what);
    bool AtText(size_t ahead = 0);
    Result<int64_t> Integer(std::string_view what);
    //! Takes what stands between '(' and its ')', as text without the two.
    Result<std::string_view> Parenthesised();

    //! An error about the next token. `reason` ends without a full stop, `cure` too.
    Error Syntax(std::string_view reason, std::string_view cure);

private:
    std::string_view text_;
    Dialect dialect_;
    Lexer lexer_;
    std::vector<Token> tokens_;
    size_t next_ = 0;
};

}  // namespace birdfoot::sql
