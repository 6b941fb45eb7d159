// See token_cursor.hpp.
#include "sql/token_cursor.hpp"

#include <charconv>

namespace birdfoot::sql {

const Token &TokenCursor::Peek(size_t ahead) {
    while (tokens_.size() <= next_ + ahead) {
        Token token = lexer_.Next();
        while (token.is_trivia()) {
            token = lexer_.Next();
        }
        tokens_.push_back(token);
    }
    return tokens_[next_ + ahead];
}

Token TokenCursor::Take() {
    const Token token = Peek();
    if (token.kind != TokenKind::kEnd) {
        next_++;
    }
    return token;
}

bool TokenCursor::AtWords(std::initializer_list<std::string_view> words) {
    size_t ahead = 0;
    for (const auto word : words) {
        if (!AtWord(word, ahead++)) {
            return false;
        }
    }
    return true;
}

bool TokenCursor::AtAnyWord(std::initializer_list<std::string_view> words) {
    for (const auto word : words) {
        if (AtWord(word)) {
            return true;
        }
    }
    return false;
}

bool TokenCursor::Accept(std::initializer_list<std::string_view> words) {
    if (!AtWords(words)) {
        return false;
    }
    next_ += words.size();
    return true;
}

bool TokenCursor::AcceptOperator(std::string_view op) {
    if (!AtOperator(op)) {
        return false;
    }
    next_++;
    return true;
}

Status TokenCursor::Expect(std::string_view word) {
    if (!Accept(word)) {
        return Syntax(fmt::format("{} is expected here", word), "Write it, or leave the clause out");
    }
    return Status::Ok();
}

Status TokenCursor::Expect(std::initializer_list<std::string_view> words) {
    for (const auto word : words) {
        BF_RETURN_IF_ERROR(Expect(word));
    }
    return Status::Ok();
}

Status TokenCursor::ExpectOperator(std::string_view op) {
    if (!AcceptOperator(op)) {
        return Syntax(fmt::format("'{}' is expected here", op), "Check the brackets and commas before it");
    }
    return Status::Ok();
}

Status TokenCursor::ExpectEnd() {
    if (!AtEnd()) {
        return Syntax("the statement is complete before it", "Remove the rest");
    }
    return Status::Ok();
}

Result<std::string> TokenCursor::Name(std::string_view what) {
    if (!Peek().is_name()) {
        return Syntax(fmt::format("it is no {}", what), "Names with other characters are written in `…` or \"…\"");
    }
    auto name = NameOf(Take());
    if (name.empty()) {
        next_--;
        return Syntax(fmt::format("the {} is empty", what), "Give it a name");
    }
    return name;
}

Result<std::vector<std::string>> TokenCursor::DottedName(std::string_view what) {
    std::vector<std::string> parts;
    do {
        BF_ASSIGN(auto part, Name(what));
        parts.push_back(std::move(part));
    } while (AcceptOperator("."));
    return parts;
}

bool TokenCursor::AtText(size_t ahead) {
    const auto kind = Peek(ahead).kind;
    return kind == TokenKind::kString || kind == TokenKind::kQuoted;
}

Result<std::string> TokenCursor::Text(std::string_view what) {
    if (!AtText()) {
        return Syntax(fmt::format("{} is a text", what), "Write it in '…'");
    }
    std::string text;
    while (AtText()) {
        if (Peek().kind == TokenKind::kQuoted) {
            text += NameOf(Take());
            continue;
        }
        auto part = TextOf(Peek(), dialect_);
        if (!part) {
            return Syntax("it has an escape that is not understood", "Write the character itself");
        }
        text += *part;
        Take();
    }
    return text;
}

Result<int64_t> TokenCursor::Integer(std::string_view what) {
    const auto &token = Peek();
    int64_t value = 0;
    const auto *end = token.text.data() + token.text.size();
    const auto parsed = std::from_chars(token.text.data(), end, value);
    if (token.kind != TokenKind::kNumber || parsed.ec != std::errc() || parsed.ptr != end) {
        return Syntax(fmt::format("{} is a whole number", what), "Write it in digits");
    }
    Take();
    return value;
}

Result<std::string_view> TokenCursor::Parenthesised() {
    BF_RETURN_IF_ERROR(ExpectOperator("("));
    const size_t start = NextOffset();
    for (size_t depth = 1;;) {
        if (AtEnd() || Peek().kind == TokenKind::kUnterminated) {
            return Syntax("a ')' is missing", "Close the bracket");
        }
        const Token token = Take();
        if (token.IsOperator("(")) {
            depth++;
        } else if (token.IsOperator(")") && --depth == 0) {
            size_t end = token.offset;
            if (next_ >= 2 && tokens_[next_ - 2].offset >= start) {
                end = tokens_[next_ - 2].offset + tokens_[next_ - 2].text.size();
            }
            return text_.substr(start, std::max(end, start) - start);
        }
    }
}

Error TokenCursor::Syntax(std::string_view reason, std::string_view cure) {
    const auto &token = Peek();
    const size_t offset = token.kind == TokenKind::kEnd ? text_.size() : token.offset;
    size_t line = 1;
    size_t position = 1;
    for (const char c : text_.substr(0, offset)) {
        position = c == '\n' ? 1 : position + 1;
        line += c == '\n' ? 1 : 0;
    }
    std::string near = "the end of the statement";
    if (token.kind == TokenKind::kUnterminated) {
        near = fmt::format("{:.20}, which does not end", token.text);
    } else if (token.kind != TokenKind::kEnd) {
        near = token.text.size() > 60 ? fmt::format("'{:.57}…'", token.text) : fmt::format("'{}'", token.text);
    }
    return Fail(Condition::PARSE_SYNTAX_ERROR, "Syntax error at or near {} (line {}, position {}): {}. {}.", near, line,
                position, reason, cure);
}

}  // namespace birdfoot::sql
