// See interval.hpp.
#include "sql/interval.hpp"

#include <array>
#include <charconv>
#include <string>

namespace birdfoot::sql {
namespace {

struct IntervalUnit {
    std::string_view word;
    int64_t months;
    int64_t days;
    int64_t microseconds;
};
constexpr std::array kIntervalUnits = {
    IntervalUnit{"YEAR", 12, 0, 0},         IntervalUnit{"MONTH", 1, 0, 0},
    IntervalUnit{"WEEK", 0, 7, 0},          IntervalUnit{"DAY", 0, 1, 0},
    IntervalUnit{"HOUR", 0, 0, 3600000000}, IntervalUnit{"MINUTE", 0, 0, 60000000},
    IntervalUnit{"SECOND", 0, 0, 1000000},  IntervalUnit{"MILLISECOND", 0, 0, 1000},
    IntervalUnit{"MICROSECOND", 0, 0, 1},
};

const IntervalUnit *FindUnit(const Token &token) {
    if (token.kind != TokenKind::kWord) {
        return nullptr;
    }
    auto word = Upper(token.text);
    if (word.size() > 1 && word.back() == 'S') {
        word.pop_back();
    }
    for (const auto &unit : kIntervalUnits) {
        if (unit.word == word) {
            return &unit;
        }
    }
    return nullptr;
}

bool AddProduct(int64_t &sum, int64_t count, int64_t unit) {
    int64_t product = 0;
    return !__builtin_mul_overflow(count, unit, &product) && !__builtin_add_overflow(sum, product, &sum);
}

// number × unit; only seconds may have a fraction.
bool AddInterval(Interval &interval, std::string_view number, bool negative, const IntervalUnit &unit) {
    int64_t whole = 0;
    const auto point = number.find('.');
    const auto digits = number.substr(0, point);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) {
        return false;
    }
    int64_t fraction = 0;
    if (point != std::string_view::npos) {
        auto decimals = std::string(number.substr(point + 1));
        if (unit.word != "SECOND" || decimals.empty() || decimals.size() > 6 ||
            decimals.find_first_not_of("0123456789") != std::string::npos) {
            return false;
        }
        decimals.resize(6, '0');
        fraction = std::stoll(decimals);
    }
    const int64_t sign = negative ? -1 : 1;
    interval.has_time = interval.has_time || unit.microseconds != 0;
    return AddProduct(interval.months, sign * whole, unit.months) &&
           AddProduct(interval.days, sign * whole, unit.days) &&
           AddProduct(interval.microseconds, sign * whole, unit.microseconds) &&
           AddProduct(interval.microseconds, sign, fraction);
}

// The text of INTERVAL '1 day 2 hours'.
bool AddIntervalText(Interval &interval, std::string_view text) {
    TokenCursor cursor(text);
    bool any = false;
    while (!cursor.AtEnd()) {
        const bool negative = cursor.AcceptOperator("-");
        if (!negative) {
            cursor.AcceptOperator("+");
        }
        const Token number = cursor.Take();
        const Token unit_token = cursor.Take();
        const auto *unit = FindUnit(unit_token);
        if (number.kind != TokenKind::kNumber || unit == nullptr ||
            !AddInterval(interval, number.text, negative, *unit)) {
            return false;
        }
        any = true;
    }
    return any;
}

Error Unsupported(std::string_view what) {
    return Fail(Condition::DELTA_UNSUPPORTED_EXPRESSION,
                "INTERVAL {} is not supported. An interval is a list of whole numbers with their units. Write it like "
                "INTERVAL 1 DAY 2 HOURS.",
                what);
}

}  // namespace

Result<Interval> TakeInterval(TokenCursor &cursor) {
    Interval interval;
    for (bool any = false;; any = true) {
        const bool negative = cursor.AtOperator("-");
        const size_t ahead = negative ? 1 : 0;
        const Token number = cursor.Peek(ahead);
        const auto *unit = FindUnit(cursor.Peek(ahead + 1));
        std::string text;
        if (number.kind == TokenKind::kString) {
            text = TextOf(number, cursor.dialect()).value_or("?");
        } else if (number.kind == TokenKind::kNumber) {
            text = number.text;
        }
        if (unit == nullptr && !any && number.kind == TokenKind::kString && AddIntervalText(interval, text)) {
            cursor.Take();
            return interval;
        }
        if (unit == nullptr || text.empty()) {
            if (any) {
                return interval;
            }
            return cursor.Syntax("an interval is expected here", "Write it like INTERVAL 7 DAYS");
        }
        const bool minus = text.front() == '-';
        if (!AddInterval(interval, minus ? std::string_view(text).substr(1) : text, negative != minus, *unit)) {
            return Unsupported(text);
        }
        for (size_t i = 0; i < ahead + 2; i++) {
            cursor.Take();
        }
        if (cursor.AtWord("TO")) {
            return Unsupported("… TO …");
        }
    }
}

}  // namespace birdfoot::sql
