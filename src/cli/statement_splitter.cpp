#include "cli/statement_splitter.hpp"

#include <algorithm>
#include <utility>

namespace birdfoot::cli {

namespace {

bool IsNamePart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

}  // namespace

std::optional<std::string> StatementSplitter::Next() {
    while (Step()) {
        if (!at_semicolon_) {
            continue;
        }
        at_semicolon_ = false;
        const bool empty = !has_content_;
        auto statement = Cut(position_);
        if (!empty) {
            statement.pop_back();
            return statement;
        }
    }
    return std::nullopt;
}

std::optional<std::string> StatementSplitter::Rest() {
    at_end_ = true;
    auto statement = Next();
    if (!statement && has_content_) {
        statement = Cut(text_.size());
    }
    at_end_ = false;
    return statement;
}

std::string StatementSplitter::Cut(size_t length) {
    const auto begin = std::find_if_not(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(length), IsSpace);
    std::string statement(begin, text_.begin() + static_cast<ptrdiff_t>(length));
    text_.erase(0, length);
    position_ = 0;
    has_content_ = false;
    return statement;
}

bool StatementSplitter::Step() {
    if (position_ >= text_.size()) {
        return false;
    }
    const char c = text_[position_];
    switch (mode_) {
    case Mode::kPlain: return StepPlain();
    case Mode::kDollar: return StepDollar();
    case Mode::kQuoted:
        // A doubled quote ends one string and begins the next one, which comes to the same.
        if (c == '\\' && backslash_escapes_) {
            ++position_;
        } else if (c == quote_) {
            mode_ = Mode::kPlain;
        }
        ++position_;
        return true;
    case Mode::kLineComment:
        if (c == '\n') {
            mode_ = Mode::kPlain;
        }
        ++position_;
        return true;
    case Mode::kBlockComment:
        if (position_ + 1 == text_.size() && !at_end_ && (c == '*' || c == '/')) {
            return false;
        }
        if (text_.compare(position_, 2, "*/") == 0) {
            mode_ = --comment_depth_ == 0 ? Mode::kPlain : Mode::kBlockComment;
            ++position_;
        } else if (text_.compare(position_, 2, "/*") == 0) {
            ++comment_depth_;
            ++position_;
        }
        ++position_;
        return true;
    }
    return false;
}

bool StatementSplitter::StepPlain() {
    const char c = text_[position_];
    const bool last = position_ + 1 == text_.size();
    if (last && !at_end_ && (c == '-' || c == '/')) {
        return false;
    }
    if (text_.compare(position_, 2, "--") == 0) {
        mode_ = Mode::kLineComment;
        position_ += 2;
        return true;
    }
    if (text_.compare(position_, 2, "/*") == 0) {
        mode_ = Mode::kBlockComment;
        comment_depth_ = 1;
        position_ += 2;
        return true;
    }
    if (c == ';') {
        ++position_;
        at_semicolon_ = true;
        return true;
    }
    const bool after_name = position_ > 0 && IsNamePart(text_[position_ - 1]);
    if (c == '$' && !after_name) {
        size_t end = position_ + 1;
        while (end < text_.size() && IsNamePart(text_[end])) {
            ++end;
        }
        if (end == text_.size() && !at_end_) {
            return false;
        }
        if (end < text_.size() && text_[end] == '$') {
            dollar_tag_ = text_.substr(position_, end + 1 - position_);
            mode_ = Mode::kDollar;
            has_content_ = true;
            position_ = end + 1;
            return true;
        }
    }
    if (c == '\'' || c == '"' || c == '`') {
        mode_ = Mode::kQuoted;
        quote_ = c;
        const bool escape_string = position_ > 0 && (text_[position_ - 1] == 'e' || text_[position_ - 1] == 'E') &&
                                   (position_ == 1 || !IsNamePart(text_[position_ - 2]));
        backslash_escapes_ = c == '\'' && escape_string;
    }
    has_content_ = has_content_ || !IsSpace(c);
    ++position_;
    return true;
}

bool StatementSplitter::StepDollar() {
    const auto end = text_.find(dollar_tag_, position_);
    if (end == std::string::npos) {
        // The tag itself may be cut in two by the end of what has arrived.
        const auto kept = dollar_tag_.size() - 1;
        position_ = text_.size() - position_ > kept ? text_.size() - kept : position_;
        return false;
    }
    position_ = end + dollar_tag_.size();
    mode_ = Mode::kPlain;
    return true;
}

}  // namespace birdfoot::cli
