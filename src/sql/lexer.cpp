// See lexer.hpp. The rules are those of DuckDB's scan.l; where they cannot matter for finding the ends of strings,
// names and comments (bit strings, operators of several characters that we never look for), they are simplified.
#include "sql/lexer.hpp"

#include <array>

namespace birdfoot::sql {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '$'; }
char UpperOf(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

// Longest first.
constexpr std::array<std::string_view, 14> kLongOperators = {
    "<=>", "->>", "::", ":=", "=>", "<=", ">=", "<>", "!=", "==", "||", "->", "//", ".."};

void AppendUtf8(std::string &out, uint32_t code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xF0 | (code >> 18));
        out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

std::optional<uint32_t> HexValue(std::string_view digits) {
    uint32_t value = 0;
    for (char c : digits) {
        c = UpperOf(c);
        if (!IsDigit(c) && (c < 'A' || c > 'F')) {
            return std::nullopt;
        }
        value = value * 16 + static_cast<uint32_t>(IsDigit(c) ? c - '0' : c - 'A' + 10);
    }
    return value;
}

bool IsScalarValue(uint32_t code) { return code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

// One backslash escape at `body[i]`, behind the backslash; moves `i` behind it. What both DuckDB's E'' and Spark know.
// \% and \_ keep their backslash in Spark, for LIKE.
bool AppendEscape(std::string_view body, size_t &i, Dialect dialect, std::string &out) {
    const char c = body[i++];
    switch (c) {
    case 'n': out += '\n'; return true;
    case 't': out += '\t'; return true;
    case 'r': out += '\r'; return true;
    case 'b': out += '\b'; return true;
    case '\\':
    case '\'':
    case '"': out += c; return true;
    case 'u':
    case 'U': {
        const size_t length = c == 'u' ? 4 : 8;
        if (body.size() - i < length) {
            return false;
        }
        const auto code = HexValue(body.substr(i, length));
        if (!code || !IsScalarValue(*code)) {
            return false;
        }
        i += length;
        AppendUtf8(out, *code);
        return true;
    }
    case '%':
    case '_':
        if (dialect != Dialect::kSpark) {
            return false;
        }
        out += '\\';
        out += c;
        return true;
    default: return false;
    }
}

std::string Undouble(std::string_view body, char quote) {
    std::string out;
    out.reserve(body.size());
    for (size_t i = 0; i < body.size(); i++) {
        out += body[i];
        if (body[i] == quote) {
            i++;
        }
    }
    return out;
}

std::string Quote(std::string_view text, char quote) {
    std::string out(1, quote);
    for (const char c : text) {
        out += c;
        if (c == quote) {
            out += c;
        }
    }
    out += quote;
    return out;
}

}  // namespace

bool EqualsWord(std::string_view text, std::string_view upper) {
    if (text.size() != upper.size()) {
        return false;
    }
    for (size_t i = 0; i < text.size(); i++) {
        if (UpperOf(text[i]) != upper[i]) {
            return false;
        }
    }
    return true;
}

std::string Upper(std::string_view text) {
    std::string out(text);
    for (char &c : out) {
        c = UpperOf(c);
    }
    return out;
}

bool Token::IsWord(std::string_view upper) const { return kind == TokenKind::kWord && EqualsWord(text, upper); }

Token Lexer::Next() {
    Token token;
    token.offset = position_;
    if (position_ >= text_.size()) {
        return token;
    }
    token.kind = Scan();
    token.text = text_.substr(token.offset, position_ - token.offset);
    if (token.IsOperator(";")) {
        statement_start_ = true;
    } else if (!token.is_trivia()) {
        statement_start_ = false;
    }
    return token;
}

TokenKind Lexer::Scan() {
    const char c = At();
    const bool spark = dialect_ == Dialect::kSpark;
    if (IsSpace(c)) {
        while (position_ < text_.size() && IsSpace(At())) {
            position_++;
        }
        return TokenKind::kSpace;
    }
    if (c == '-' && At(1) == '-') {
        return ScanLine(TokenKind::kComment);
    }
    if (c == '/' && At(1) == '*') {
        return ScanComment();
    }
    if (statement_start_ && !spark) {
        if (c == '/' && At(1) == '/') {
            return ScanLine(TokenKind::kSlashComment);
        }
        if (c == '%' && EqualsWord(text_.substr(position_ + 1, 3), "SQL") && !IsWordPart(At(4))) {
            position_ += 4;
            return TokenKind::kMagic;
        }
    }
    if (c == '`') {
        return ScanQuoted('`', false, TokenKind::kBackQuoted);
    }
    if (c == '\'') {
        return ScanQuoted('\'', spark, TokenKind::kString);
    }
    if (c == '"') {
        return ScanQuoted('"', spark, spark ? TokenKind::kString : TokenKind::kQuoted);
    }
    if (IsWordStart(c)) {
        return ScanWord();
    }
    if (IsDigit(c) || (c == '.' && IsDigit(At(1)))) {
        return ScanNumber();
    }
    if (c == '$' && !spark) {
        return ScanDollar();
    }
    if (c == '?') {
        position_++;
        while (IsDigit(At())) {
            position_++;
        }
        return TokenKind::kParameter;
    }
    for (const auto op : kLongOperators) {
        if (text_.substr(position_, op.size()) == op) {
            position_ += op.size();
            return TokenKind::kOperator;
        }
    }
    position_++;
    return TokenKind::kOperator;
}

TokenKind Lexer::ScanQuoted(char quote, bool backslash, TokenKind kind) {
    position_++;
    while (position_ < text_.size()) {
        if (backslash && At() == '\\') {
            position_ += position_ + 1 < text_.size() ? 2 : 1;
        } else if (At() != quote) {
            position_++;
        } else if (At(1) == quote) {
            position_ += 2;
        } else {
            position_++;
            return kind;
        }
    }
    return TokenKind::kUnterminated;
}

TokenKind Lexer::ScanDollar() {
    size_t end = position_ + 1;
    while (end < text_.size() && IsWordPart(text_[end]) && text_[end] != '$') {
        end++;
    }
    if (end == text_.size() || text_[end] != '$' || IsDigit(At(1))) {
        const bool named = end > position_ + 1;
        position_ = end;
        return named ? TokenKind::kParameter : TokenKind::kOperator;
    }
    const auto delimiter = text_.substr(position_, end + 1 - position_);
    const size_t close = text_.find(delimiter, end + 1);
    position_ = close == std::string_view::npos ? text_.size() : close + delimiter.size();
    return close == std::string_view::npos ? TokenKind::kUnterminated : TokenKind::kString;
}

TokenKind Lexer::ScanComment() {
    size_t depth = 0;
    while (position_ < text_.size()) {
        if (At() == '/' && At(1) == '*') {
            depth++;
            position_ += 2;
        } else if (At() == '*' && At(1) == '/') {
            depth--;
            position_ += 2;
            if (depth == 0) {
                return TokenKind::kComment;
            }
        } else {
            position_++;
        }
    }
    return TokenKind::kUnterminated;
}

TokenKind Lexer::ScanNumber() {
    const auto digits = [&] {
        while (IsDigit(At()) || (At() == '_' && IsDigit(At(1)))) {
            position_++;
        }
    };
    digits();
    if (At() == '.' && At(1) != '.') {
        position_++;
        digits();
    }
    if (UpperOf(At()) == 'E' && (IsDigit(At(1)) || ((At(1) == '-' || At(1) == '+') && IsDigit(At(2))))) {
        position_ += 2;
        digits();
    }
    if (dialect_ == Dialect::kSpark) {
        while (IsWordPart(At()) && At() != '$') {  // 1L, 1.5BD
            position_++;
        }
    }
    return TokenKind::kNumber;
}

TokenKind Lexer::ScanWord() {
    const char first = UpperOf(At());
    if (first == 'E' && At(1) == '\'' && dialect_ == Dialect::kDuckDb) {
        position_++;
        return ScanQuoted('\'', true, TokenKind::kString);
    }
    if (first == 'R' && (At(1) == '\'' || At(1) == '"') && dialect_ == Dialect::kSpark) {
        const char quote = At(1);
        const size_t close = text_.find(quote, position_ + 2);
        position_ = close == std::string_view::npos ? text_.size() : close + 1;
        return close == std::string_view::npos ? TokenKind::kUnterminated : TokenKind::kString;
    }
    while (position_ < text_.size() && IsWordPart(At())) {
        position_++;
    }
    return TokenKind::kWord;
}

TokenKind Lexer::ScanLine(TokenKind kind) {
    while (position_ < text_.size() && At() != '\n' && At() != '\r') {
        position_++;
    }
    return kind;
}

std::vector<Token> Tokenize(std::string_view text, Dialect dialect) {
    std::vector<Token> tokens;
    Lexer lexer(text, dialect);
    for (Token token = lexer.Next(); token.kind != TokenKind::kEnd; token = lexer.Next()) {
        tokens.push_back(token);
    }
    return tokens;
}

std::vector<std::string_view> SplitStatements(std::string_view script) {
    std::vector<std::string_view> statements;
    Lexer lexer(script);
    size_t start = 0;
    bool empty = true;
    for (Token token = lexer.Next();; token = lexer.Next()) {
        const bool end = token.kind == TokenKind::kEnd;
        if (end || token.IsOperator(";")) {
            if (!empty) {
                statements.push_back(script.substr(start, token.offset - start));
            }
            start = token.offset + 1;
            empty = true;
        } else if (!token.is_trivia()) {
            empty = false;
        }
        if (end) {
            return statements;
        }
    }
}

std::string NameOf(const Token &token) {
    if (token.kind == TokenKind::kWord) {
        return std::string(token.text);
    }
    return Undouble(token.text.substr(1, token.text.size() - 2), token.text[0]);
}

std::optional<std::string> TextOf(const Token &token, Dialect dialect) {
    auto text = token.text;
    if (text[0] == '$') {
        const size_t tag = text.find('$', 1) + 1;
        return std::string(text.substr(tag, text.size() - 2 * tag));
    }
    const bool raw = UpperOf(text[0]) == 'R';
    const bool escapes = dialect == Dialect::kSpark ? !raw : UpperOf(text[0]) == 'E';
    if (raw || UpperOf(text[0]) == 'E') {
        text.remove_prefix(1);
    }
    const char quote = text[0];
    const auto body = text.substr(1, text.size() - 2);
    std::string out;
    for (size_t i = 0; i < body.size();) {
        if (escapes && body[i] == '\\') {
            i++;
            if (i == body.size() || !AppendEscape(body, i, dialect, out)) {
                return std::nullopt;
            }
        } else if (body[i] == quote) {
            if (dialect == Dialect::kSpark) {
                return std::nullopt;
            }
            out += quote;
            i += 2;
        } else {
            out += body[i++];
        }
    }
    return out;
}

std::string QuoteName(std::string_view name) { return Quote(name, '"'); }
std::string QuoteText(std::string_view text) { return Quote(text, '\''); }

std::string QuoteSparkName(std::string_view name) {
    std::string out = "`";
    for (const char c : name) {
        out += c;
        if (c == '`') {
            out += c;
        }
    }
    return out + "`";
}

std::string QuoteSparkText(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        switch (c) {
        case '\'': out += "\\'"; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        default: out += c;
        }
    }
    return out + "'";
}

}  // namespace birdfoot::sql
