// A parser of the pattern that writes while it reads. Java's `.` and `$` know more line breaks than RE2's, its \d \w \s
// are ASCII, (?i) folds ASCII letters alone: all of that is written out as classes.
#include "sql/translate/java_regex.hpp"

#include <algorithm>

namespace birdfoot::sql {
namespace {

constexpr std::string_view kNoLineBreak = "[^\\n\\r\\x{85}\\x{2028}\\x{2029}]";
constexpr std::string_view kEnd = "(?:\\r\\n|[\\n\\r\\x{85}\\x{2028}\\x{2029}])?\\z";
constexpr int kMaxRepeat = 1000;
constexpr size_t kMaxDepth = 100;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char OtherCase(char c) { return static_cast<char>(c ^ 0x20); }

std::string_view ClassOf(char letter) {
    switch (letter) {
    case 'd': return "0-9";
    case 'w': return "0-9A-Za-z_";
    case 's': return " \\t\\n\\x0B\\f\\r";
    default: return {};
    }
}

class RegexTranslator {
public:
    explicit RegexTranslator(std::string_view pattern) : pattern_(pattern) {}

    Result<Re2Pattern> Translate() {
        TakeFlags();
        BF_ASSIGN(result_.may_be_empty, Alternatives());
        if (!AtEnd()) {
            return Refuse("an unmatched )");
        }
        return std::move(result_);
    }

private:
    bool AtEnd() const { return position_ == pattern_.size(); }
    char Peek(size_t ahead = 0) const {
        return position_ + ahead < pattern_.size() ? pattern_[position_ + ahead] : '\0';
    }

    Error Refuse(std::string_view what) const {
        return Fail(
            Condition::DELTA_UNSUPPORTED_EXPRESSION,
            "The regular expression '{}' has {}, which is not known to mean the same here as in Spark. Write it "
            "without.",
            pattern_, what);
    }

    void TakeFlags() {
        while (pattern_.substr(position_).starts_with("(?i)") || pattern_.substr(position_).starts_with("(?s)")) {
            (Peek(2) == 'i' ? ignore_case_ : dot_all_) = true;
            position_ += 4;
        }
    }

    //! Whether it may match nothing.
    Result<bool> Alternatives() {
        if (++depth_ > kMaxDepth) {
            return Refuse("too many brackets");
        }
        bool may_be_empty = false;
        while (true) {
            BF_ASSIGN(const bool empty, Sequence());
            may_be_empty = may_be_empty || empty;
            if (Peek() != '|' || AtEnd()) {
                depth_--;
                return may_be_empty;
            }
            result_.text += '|';
            position_++;
        }
    }

    Result<bool> Sequence() {
        bool may_be_empty = true;
        while (!AtEnd() && Peek() != '|' && Peek() != ')') {
            bool anchor = false;
            BF_ASSIGN(bool empty, Atom(anchor));
            BF_ASSIGN(const bool optional, Quantifier(anchor));
            may_be_empty = may_be_empty && (empty || optional);
        }
        return may_be_empty;
    }

    //! Whether the atom may then be missing.
    Result<bool> Quantifier(bool anchor) {
        const char c = Peek();
        if (AtEnd() || (c != '*' && c != '+' && c != '?' && c != '{')) {
            return false;
        }
        if (anchor) {
            return Refuse("a repeated anchor");
        }
        bool optional = c != '+';
        if (c == '{') {
            const size_t close = pattern_.find('}', position_);
            const auto body = close == std::string_view::npos ? std::string_view()
                                                              : pattern_.substr(position_ + 1, close - position_ - 1);
            const auto comma = body.find(',');
            const auto low = body.substr(0, comma);
            const auto high = comma == std::string_view::npos ? low : body.substr(comma + 1);
            const auto number = [](std::string_view digits) {
                return !digits.empty() && digits.size() <= 4 && std::all_of(digits.begin(), digits.end(), IsDigit) &&
                       std::stoi(std::string(digits)) <= kMaxRepeat;
            };
            if (!number(low) || (!high.empty() && !number(high))) {
                return Refuse("{" + std::string(body) + "}");
            }
            optional = std::stoi(std::string(low)) == 0;
            result_.text += pattern_.substr(position_, close + 1 - position_);
            position_ = close + 1;
        } else {
            result_.text += c;
            position_++;
        }
        if (Peek() == '?') {
            result_.text += '?';
            position_++;
        }
        if (!AtEnd() && (Peek() == '+' || Peek() == '*' || Peek() == '?' || Peek() == '{')) {
            return Refuse("a quantifier behind a quantifier");
        }
        return optional;
    }

    Result<bool> Atom(bool &anchor) {
        const char c = Peek();
        switch (c) {
        case '(': return Group();
        case '[': return Class();
        case '\\': return Escape(anchor);
        case '.':
            result_.text += dot_all_ ? "[\\x00-\\x{10FFFF}]" : kNoLineBreak;
            position_++;
            return false;
        case '^':
            result_.text += "\\A";
            position_++;
            anchor = true;
            return true;
        case '$':
            position_++;
            if (!AtEnd() && Peek() != '|' && Peek() != ')') {
                return Refuse("$ before its end");
            }
            result_.text += kEnd;
            result_.has_end = true;
            anchor = true;
            return true;
        case '*':
        case '+':
        case '?':
        case '{':
        case '}': return Refuse(std::string("a ") + c + " with nothing before it");
        default: break;
        }
        Literal(c);
        position_++;
        while (!AtEnd() && (static_cast<unsigned char>(Peek()) & 0xC0) == 0x80) {  // the rest of one character
            result_.text += pattern_[position_++];
        }
        return false;
    }

    void Literal(char c) {
        if (ignore_case_ && IsLetter(c)) {
            result_.text += std::string("[") + c + OtherCase(c) + "]";
        } else if (std::string_view("\\.+*?()[]{}|^$").find(c) != std::string_view::npos) {
            result_.text += std::string("\\") + c;
        } else {
            result_.text += c;
        }
    }

    Result<bool> Group() {
        position_++;
        if (Peek() == '?') {
            if (Peek(1) == ':') {
                position_ += 2;
                result_.text += "(?:";
            } else if (Peek(1) == '<' && IsLetter(Peek(2))) {
                const size_t close = pattern_.find('>', position_);
                if (close == std::string_view::npos) {
                    return Refuse("a name without its >");
                }
                position_ = close + 1;
                result_.groups++;
                result_.text += '(';
            } else {
                return Refuse(fmt::format("(?{}", Peek(1)));
            }
        } else {
            result_.groups++;
            result_.text += '(';
        }
        BF_ASSIGN(const bool empty, Alternatives());
        if (Peek() != ')' || AtEnd()) {
            return Refuse("a ( without its )");
        }
        position_++;
        result_.text += ')';
        return empty;
    }

    //! The character that an escape stands for; 0 if it is none.
    Result<char> EscapedCharacter() {
        const char c = Peek();
        switch (c) {
        case 't': return '\t';
        case 'n': return '\n';
        case 'r': return '\r';
        case 'f': return '\f';
        case 'a': return '\a';
        case 'e': return '\x1B';
        default: break;
        }
        if (AtEnd() || IsLetter(c) || IsDigit(c) || static_cast<unsigned char>(c) >= 0x80) {
            return Refuse(fmt::format("\\{}", AtEnd() ? ' ' : c));
        }
        return c;
    }

    void Character(char c) {
        if (static_cast<unsigned char>(c) < 0x20) {
            result_.text += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
        } else {
            Literal(c);
        }
    }

    Result<bool> Escape(bool &anchor) {
        position_++;
        const char c = Peek();
        const char lower = IsLetter(c) ? static_cast<char>(c | 0x20) : c;
        if (const auto body = ClassOf(lower); IsLetter(c) && !body.empty()) {
            result_.text += fmt::format("[{}{}]", c == lower ? "" : "^", body);
            position_++;
            return false;
        }
        if (c == 'A' || c == 'z') {
            result_.text += std::string("\\") + c;
            position_++;
            anchor = true;
            return true;
        }
        BF_ASSIGN(const char character, EscapedCharacter());
        Character(character);
        position_++;
        return false;
    }

    void ClassCharacter(char c) {
        if (static_cast<unsigned char>(c) < 0x20) {
            result_.text += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
        } else {
            if (std::string_view("\\[]^-").find(c) != std::string_view::npos) {
                result_.text += '\\';
            }
            result_.text += c;
        }
    }

    //! One character of a class, as bytes of UTF-8.
    Result<std::string> ClassMember() {
        if (Peek() == '\\') {
            position_++;
            BF_ASSIGN(const char c, EscapedCharacter());
            position_++;
            return std::string(1, c);
        }
        std::string character(1, pattern_[position_++]);
        while (!AtEnd() && (static_cast<unsigned char>(Peek()) & 0xC0) == 0x80) {
            character += pattern_[position_++];
        }
        return character;
    }

    void WriteMember(const std::string &character) {
        if (character.size() == 1) {
            ClassCharacter(character[0]);
        } else {
            result_.text += character;
        }
    }

    //! The other case of the ASCII letters in a range.
    void FoldRange(char low, char high) {
        for (const char first : {'a', 'A'}) {
            const char from = std::max(low, first);
            const char to = std::min(high, static_cast<char>(first + 25));
            if (from <= to) {
                result_.text += fmt::format("{}-{}", OtherCase(from), OtherCase(to));
            }
        }
    }

    Result<bool> Class() {
        position_++;
        result_.text += '[';
        if (Peek() == '^') {
            result_.text += '^';
            position_++;
        }
        if (Peek() == ']') {
            return Refuse("a class that begins with ]");
        }
        while (!AtEnd() && Peek() != ']') {
            if (Peek() == '[' || (Peek() == '&' && Peek(1) == '&')) {
                return Refuse("a class within a class");
            }
            if (Peek() == '\\' && !ClassOf(Peek(1)).empty()) {
                result_.text += ClassOf(Peek(1));
                position_ += 2;
                continue;
            }
            BF_ASSIGN(const auto low, ClassMember());
            if (Peek() == '-' && Peek(1) != ']' && position_ + 1 < pattern_.size()) {
                position_++;
                if (Peek() == '[' || (Peek() == '\\' && !ClassOf(Peek(1)).empty())) {
                    return Refuse("a range that ends in a class");
                }
                BF_ASSIGN(const auto high, ClassMember());
                WriteMember(low);
                result_.text += '-';
                WriteMember(high);
                if (ignore_case_) {
                    FoldRange(low.size() == 1 ? low[0] : '\x7F', high.size() == 1 ? high[0] : '\x7F');
                }
            } else {
                WriteMember(low);
                if (ignore_case_ && low.size() == 1 && IsLetter(low[0])) {
                    result_.text += OtherCase(low[0]);
                }
            }
        }
        if (AtEnd()) {
            return Refuse("a [ without its ]");
        }
        position_++;
        result_.text += ']';
        return false;
    }

    std::string_view pattern_;
    size_t position_ = 0;
    size_t depth_ = 0;
    bool ignore_case_ = false;
    bool dot_all_ = false;
    Re2Pattern result_;
};

}  // namespace

Result<Re2Pattern> TranslateJavaRegex(std::string_view pattern) { return RegexTranslator(pattern).Translate(); }

Result<std::string> TranslateJavaReplacement(std::string_view replacement, size_t groups) {
    std::string out;
    for (size_t i = 0; i < replacement.size(); i++) {
        const char c = replacement[i];
        const char next = i + 1 < replacement.size() ? replacement[i + 1] : '\0';
        if (c == '$') {
            const bool two_digits = i + 2 < replacement.size() && IsDigit(replacement[i + 2]);
            if (!IsDigit(next) || two_digits || static_cast<size_t>(next - '0') > groups) {
                return Fail(
                    Condition::DELTA_UNSUPPORTED_EXPRESSION,
                    "The replacement '{}' of REGEXP_REPLACE refers to a group that is not there, or in a way that "
                    "is not understood. Write $1 to $9, and \\$ for the sign.",
                    replacement);
            }
            out += std::string("\\") + next;
            i++;
        } else if (c == '\\') {
            if (next == '\0') {
                return Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                            "The replacement '{}' of REGEXP_REPLACE ends with its escape character. Double it.",
                            replacement);
            }
            out += next == '\\' ? "\\\\" : std::string(1, next);
            i++;
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace birdfoot::sql
