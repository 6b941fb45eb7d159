// Cuts a text into SQL statements as it arrives, so that a script runs statement by statement and the shell knows when
// one is complete. It knows strings, quoted names (back-quotes too), dollar quotes and comments; the rest is the
// parser's.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace birdfoot::cli {

class StatementSplitter {
public:
    void Append(std::string_view text) { text_ += text; }

    //! The next statement that ends in a semicolon, without it. Statements of nothing but comments are passed over.
    std::optional<std::string> Next();

    //! What stands behind the last semicolon, when the text is at its end; nothing if that is white space and comments.
    std::optional<std::string> Rest();

    //! Whether a statement has begun and is not complete.
    bool pending() const { return has_content_ || mode_ == Mode::kBlockComment; }

    void Clear() { *this = StatementSplitter(); }

private:
    enum class Mode { kPlain, kQuoted, kDollar, kLineComment, kBlockComment };

    bool Step();  // takes in one piece; false when it needs more text to know what it is
    bool StepPlain();
    bool StepDollar();
    std::string Cut(size_t length);

    std::string text_;
    size_t position_ = 0;
    Mode mode_ = Mode::kPlain;
    char quote_ = 0;
    bool backslash_escapes_ = false;
    std::string dollar_tag_;
    int comment_depth_ = 0;
    bool has_content_ = false;
    bool at_semicolon_ = false;
    bool at_end_ = false;  // no more text will come
};

}  // namespace birdfoot::cli
