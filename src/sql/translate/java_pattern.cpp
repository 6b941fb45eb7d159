// See java_pattern.hpp.
#include "sql/translate/java_pattern.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace birdfoot::sql {
namespace {

struct Letters {
    std::string_view java;
    std::string_view strftime;
};
constexpr std::array kWritten = {
    Letters{"yyyy", "%Y"},   Letters{"yy", "%y"},  Letters{"MM", "%m"},   Letters{"M", "%-m"},  Letters{"dd", "%d"},
    Letters{"d", "%-d"},     Letters{"HH", "%H"},  Letters{"H", "%-H"},   Letters{"hh", "%I"},  Letters{"h", "%-I"},
    Letters{"mm", "%M"},     Letters{"m", "%-M"},  Letters{"ss", "%S"},   Letters{"s", "%-S"},  Letters{"SSS", "%g"},
    Letters{"SSSSSS", "%f"}, Letters{"a", "%p"},   Letters{"E", "%a"},    Letters{"EE", "%a"},  Letters{"EEE", "%a"},
    Letters{"EEEE", "%A"},   Letters{"MMM", "%b"}, Letters{"MMMM", "%B"}, Letters{"DDD", "%j"}, Letters{"D", "%-j"},
};
constexpr std::array<std::string_view, 12> kRead = {"yyyy", "MM", "M", "dd", "d", "HH", "H", "mm", "m", "ss", "s", ""};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Error Unsupported(std::string_view pattern, std::string_view part) {
    return Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                "The pattern '{}' has {}, which is not known to mean the same here as in Spark. Write it without.",
                pattern, part);
}

//! Calls `letters` for each run of one letter and `text` for what is literal.
Status Walk(std::string_view pattern, const std::function<Status(std::string_view)> &letters,
            const std::function<void(char)> &text) {
    for (size_t i = 0; i < pattern.size();) {
        const char c = pattern[i];
        if (IsLetter(c)) {
            const size_t start = i;
            while (i < pattern.size() && pattern[i] == c) {
                i++;
            }
            BF_RETURN_IF_ERROR(letters(pattern.substr(start, i - start)));
        } else if (c == '\'') {
            const size_t close = pattern.find('\'', i + 1);
            if (close == std::string_view::npos) {
                return Unsupported(pattern, "an open quote");
            }
            if (close == i + 1) {
                text('\'');
            }
            for (size_t j = i + 1; j < close; j++) {
                text(pattern[j]);
            }
            i = close + 1;
            if (i < pattern.size() && pattern[i] == '\'' && close > i - 1) {
                return Unsupported(pattern, "a doubled quote");
            }
        } else if (std::string_view("[]{}#").find(c) != std::string_view::npos) {
            return Unsupported(pattern, std::string(1, c));
        } else {
            text(c);
            i++;
        }
    }
    return Status::Ok();
}

}  // namespace

Result<std::string> TranslateJavaPattern(std::string_view pattern) {
    std::string out;
    const auto letters = [&](std::string_view run) -> Status {
        for (const auto &known : kWritten) {
            if (known.java == run) {
                out += known.strftime;
                return Status::Ok();
            }
        }
        return Unsupported(pattern, run);
    };
    BF_RETURN_IF_ERROR(
        Walk(pattern, letters, [&](char c) { out += c == '%' ? std::string("%%") : std::string(1, c); }));
    return out;
}

Status CheckParsePattern(std::string_view pattern) {
    bool after_short = false;
    size_t years = 0;
    const auto letters = [&](std::string_view run) -> Status {
        if (std::find(kRead.begin(), kRead.end(), run) == kRead.end() || after_short) {
            return Unsupported(pattern, run);
        }
        years += run == "yyyy";
        after_short = run.size() == 1;
        return Status::Ok();
    };
    bool plain = true;
    BF_RETURN_IF_ERROR(Walk(pattern, letters, [&](char c) {
        after_short = false;
        plain = plain && c != '\'' && !(c >= '0' && c <= '9') && static_cast<unsigned char>(c) < 0x80;
    }));
    if (!plain || years != 1) {
        return Unsupported(pattern, "no year of four digits, or text of other than signs and letters");
    }
    return Status::Ok();
}

}  // namespace birdfoot::sql
