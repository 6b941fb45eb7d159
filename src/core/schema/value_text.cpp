// Dates, times and numbers to text and back. Nothing here rounds unless its name says so, and nothing reads a locale.
#include "core/schema/value_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace birdfoot {
namespace {

constexpr unsigned kMaxDigits = 38;
constexpr int64_t kMaxYear = 400'000;  // beyond the range of microseconds, and of what any writer has

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string_view Trim(std::string_view text) {
    const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    while (!text.empty() && space(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && space(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

//! Takes between `least` and `most` digits from the front.
std::optional<int64_t> TakeDigits(std::string_view &text, size_t least, size_t most) {
    size_t length = 0;
    int64_t value = 0;
    while (length < most && length < text.size() && IsDigit(text[length])) {
        value = value * 10 + (text[length++] - '0');
    }
    if (length < least) {
        return std::nullopt;
    }
    text.remove_prefix(length);
    return value;
}

bool TakeChar(std::string_view &text, char wanted) {
    if (text.empty() || text.front() != wanted) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

unsigned DaysInMonth(int64_t year, unsigned month) {
    static constexpr unsigned kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && IsLeap(year) ? 29 : kDays[month - 1];
}

//! "[+-]yyyy[-[M]M[-[d]d]]": what Spark reads as a date.
std::optional<int64_t> TakeDate(std::string_view &text) {
    const bool negative = TakeChar(text, '-');
    if (!negative) {
        TakeChar(text, '+');
    }
    auto year = TakeDigits(text, 4, 7);
    if (!year || *year > kMaxYear) {
        return std::nullopt;
    }
    *year = negative ? -*year : *year;
    int64_t parts[] = {1, 1};
    for (auto &part : parts) {
        if (!TakeChar(text, '-')) {
            break;
        }
        const auto digits = TakeDigits(text, 1, 2);
        if (!digits) {
            return std::nullopt;
        }
        part = *digits;
    }
    const auto [month, day] = parts;
    if (month < 1 || month > 12 || day < 1 || day > DaysInMonth(*year, static_cast<unsigned>(month))) {
        return std::nullopt;
    }
    return DaysFromCivil(*year, static_cast<unsigned>(month), static_cast<unsigned>(day));
}

std::optional<int64_t> TakeTime(std::string_view &text) {
    const auto hour = TakeDigits(text, 1, 2);
    if (!hour || *hour > 23 || !TakeChar(text, ':')) {
        return std::nullopt;
    }
    const auto minute = TakeDigits(text, 1, 2);
    if (!minute || *minute > 59) {
        return std::nullopt;
    }
    int64_t micros = (*hour * 3600 + *minute * 60) * kMicrosPerSecond;
    if (!TakeChar(text, ':')) {
        return micros;
    }
    const auto second = TakeDigits(text, 1, 2);
    if (!second || *second > 59) {
        return std::nullopt;
    }
    micros += *second * kMicrosPerSecond;
    if (TakeChar(text, '.')) {
        int64_t unit = kMicrosPerSecond / 10;
        if (text.empty() || !IsDigit(text.front())) {
            return std::nullopt;
        }
        for (; !text.empty() && IsDigit(text.front()); text.remove_prefix(1), unit /= 10) {
            micros += (text.front() - '0') * unit;
        }
    }
    return micros;
}

//! The zone, which must be all that is left.
std::optional<int64_t> ZoneOffset(std::string_view text) {
    if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") {
        return 0;
    }
    for (const std::string_view name : {"UTC", "GMT", "UT"}) {
        if (text.substr(0, name.size()) == name) {
            text.remove_prefix(name.size());
            break;
        }
    }
    const bool negative = TakeChar(text, '-');
    if (!negative && !TakeChar(text, '+')) {
        return std::nullopt;
    }
    const auto hours = TakeDigits(text, 1, 2);
    int64_t rest = 0;
    for (const int64_t unit : {60, 1}) {
        if (text.empty()) {
            break;
        }
        TakeChar(text, ':');
        const auto part = TakeDigits(text, 2, 2);
        if (!part || *part > 59) {
            return std::nullopt;
        }
        rest += *part * unit;
    }
    if (!hours || *hours > 18 || !text.empty()) {
        return std::nullopt;
    }
    const int64_t micros = (*hours * 3600 + rest) * kMicrosPerSecond;
    return negative ? -micros : micros;
}

//! A number's text taken apart: the value is digits × 10^exponent.
struct DecimalParts {
    bool negative = false;
    std::string digits;  // no zeros at either end; empty for zero
    int64_t exponent = 0;
    bool like_real = false;  // it may have been printed from a double: a point or an exponent, 17 digits at most
};

std::optional<DecimalParts> TakeDecimal(std::string_view text) {
    DecimalParts parts;
    text = Trim(text);
    parts.negative = TakeChar(text, '-');
    if (!parts.negative) {
        TakeChar(text, '+');
    }
    bool any = false;
    bool point = false;
    const auto whole = text;
    while (!text.empty() && (IsDigit(text.front()) || (text.front() == '.' && !point))) {
        if (text.front() == '.') {
            point = true;
        } else {
            any = true;
            parts.digits += text.front();
            parts.exponent -= point ? 1 : 0;
        }
        text.remove_prefix(1);
    }
    if (!any) {
        return std::nullopt;
    }
    if (!text.empty() && Lower(text.front()) == 'e') {
        text.remove_prefix(1);
        const bool minus = TakeChar(text, '-');
        if (!minus) {
            TakeChar(text, '+');
        }
        const auto exponent = TakeDigits(text, 1, 6);
        if (!exponent) {
            return std::nullopt;
        }
        parts.exponent += minus ? -*exponent : *exponent;
    }
    if (!text.empty()) {
        return std::nullopt;
    }
    parts.digits.erase(0, std::min(parts.digits.find_first_not_of('0'), parts.digits.size()));
    parts.like_real = parts.digits.size() <= 17 && whole.find_first_of(".eE") != std::string_view::npos;
    while (!parts.digits.empty() && parts.digits.back() == '0') {
        parts.digits.pop_back();
        ++parts.exponent;
    }
    return parts;
}

//! digits × 10^(exponent + scale), without its sign; none beyond 38 digits. `*exact` is false where digits were cut.
std::optional<Int128> Unscaled(const DecimalParts &parts, uint8_t scale, bool *exact) {
    *exact = true;
    if (parts.digits.empty()) {
        return Int128{0};
    }
    const int64_t shift = parts.exponent + scale;
    const int64_t kept = static_cast<int64_t>(parts.digits.size()) + std::min<int64_t>(shift, 0);
    if (kept + std::max<int64_t>(shift, 0) > kMaxDigits) {
        return std::nullopt;
    }
    Int128 value = 0;
    for (int64_t i = 0; i < kept; ++i) {
        value = value * 10 + (parts.digits[static_cast<size_t>(i)] - '0');
    }
    *exact = shift >= 0;  // there are no zeros at the end to cut
    return shift > 0 ? value * PowerOfTen(static_cast<unsigned>(shift)) : value;
}

}  // namespace

Int128 PowerOfTen(unsigned exponent) {
    Int128 power = 1;
    for (; exponent > 0; --exponent) {
        power *= 10;
    }
    return power;
}

// Both are Howard Hinnant's well-known algorithms for the proleptic Gregorian calendar.
int64_t DaysFromCivil(int64_t year, unsigned month, unsigned day) {
    year -= month <= 2 ? 1 : 0;
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const auto year_of_era = static_cast<unsigned>(year - era * 400);
    const unsigned day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + static_cast<int64_t>(day_of_era) - 719'468;
}

CivilDate CivilFromDays(int64_t days) {
    days += 719'468;
    const int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
    const auto day_of_era = static_cast<unsigned>(days - era * 146'097);
    const unsigned year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const unsigned day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const unsigned shifted_month = (5 * day_of_year + 2) / 153;
    const unsigned day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    const unsigned month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    return {static_cast<int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

std::string DateToText(int64_t days) {
    const auto date = CivilFromDays(days);
    const std::string_view sign = date.year < 0 ? "-" : date.year > 9999 ? "+" : "";
    return fmt::format("{}{:04}-{:02}-{:02}", sign, std::abs(date.year), date.month, date.day);
}

std::optional<int64_t> DateFromText(std::string_view text) {
    text = Trim(text);
    const auto days = TakeDate(text);
    // Spark ignores a time behind the day.
    return text.empty() || text.front() == ' ' || text.front() == 'T' ? days : std::nullopt;
}

std::optional<ParsedTimestamp> ParseTimestamp(std::string_view text) {
    text = Trim(text);
    const auto days = TakeDate(text);
    if (!days) {
        return std::nullopt;
    }
    int64_t time = 0;
    ParsedTimestamp parsed;
    if (TakeChar(text, 'T') || TakeChar(text, ' ')) {
        const auto taken = TakeTime(text);
        if (!taken) {
            return std::nullopt;
        }
        time = *taken;
        text = Trim(text);
    }
    if (!text.empty()) {
        parsed.offset_micros = ZoneOffset(text);
        if (!parsed.offset_micros) {
            return std::nullopt;
        }
    }
    if (__builtin_mul_overflow(*days, kMicrosPerDay, &parsed.wall_micros) ||
        __builtin_add_overflow(parsed.wall_micros, time, &parsed.wall_micros)) {
        return std::nullopt;
    }
    return parsed;
}

std::optional<int64_t> TimestampFromText(std::string_view text, bool *zoned) {
    const auto parsed = ParseTimestamp(text);
    int64_t micros = 0;
    if (!parsed || __builtin_sub_overflow(parsed->wall_micros, parsed->offset_micros.value_or(0), &micros)) {
        return std::nullopt;
    }
    if (zoned) {
        *zoned = parsed->offset_micros.has_value();
    }
    return micros;
}

std::string TimestampToText(int64_t micros, TimestampStyle style) {
    int64_t days = micros / kMicrosPerDay;
    int64_t rest = micros % kMicrosPerDay;
    if (rest < 0) {
        --days;
        rest += kMicrosPerDay;
    }
    const int64_t seconds = rest / kMicrosPerSecond;
    int64_t fraction = rest % kMicrosPerSecond;
    auto text = fmt::format("{}{}{:02}:{:02}:{:02}", DateToText(days), style == TimestampStyle::kSpaced ? ' ' : 'T',
                            seconds / 3600, seconds / 60 % 60, seconds % 60);
    switch (style) {
    case TimestampStyle::kIsoMicros: return text + fmt::format(".{:06}", fraction);
    case TimestampStyle::kIsoMillis: return text + fmt::format(".{:03}", fraction / 1000);
    case TimestampStyle::kSpaced: break;
    }
    if (fraction != 0) {
        text += fmt::format(".{:06}", fraction);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text;
}

std::string RealToText(double value, bool single) {
    if (std::isnan(value)) {
        return "NaN";
    }
    const std::string sign = std::signbit(value) ? "-" : "";
    value = std::abs(value);
    if (std::isinf(value)) {
        return sign + "Infinity";
    }
    if (value == 0) {
        return sign + "0.0";
    }
    char buffer[64];
    char *end =
        single ? std::to_chars(buffer, std::end(buffer), static_cast<float>(value), std::chars_format::scientific).ptr
               : std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific).ptr;
    if (buffer[1] == 'e') {
        // Java has two digits at least, and where one would do takes the nearest two: 4.9E-324, not 5.0E-324.
        char two[64];
        const auto two_end = std::to_chars(two, std::end(two), value, std::chars_format::scientific, 1).ptr;
        if (RealFromText({two, static_cast<size_t>(two_end - two)}, single) == value) {
            end = std::copy(two, two_end, buffer);
        }
    }
    const std::string_view text(buffer, static_cast<size_t>(end - buffer));  // d[.ddd]e±dd
    const auto e = text.find('e');
    std::string digits(text.substr(0, 1));
    if (e > 2) {
        digits += text.substr(2, e - 2);
        digits.erase(digits.find_last_not_of('0') + 1);
    }
    int exponent = 0;
    std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
    const auto size = static_cast<int>(digits.size());
    if (exponent < -3 || exponent >= 7) {
        return sign + digits.substr(0, 1) + "." + (size > 1 ? digits.substr(1) : "0") + "E" + std::to_string(exponent);
    }
    if (exponent < 0) {
        return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
    }
    if (size <= exponent + 1) {
        return sign + digits + std::string(static_cast<size_t>(exponent + 1 - size), '0') + ".0";
    }
    return sign + digits.insert(static_cast<size_t>(exponent + 1), ".");
}

std::optional<double> RealFromText(std::string_view text, bool single) {
    text = Trim(text);
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
        if (!text.empty() && text.front() == '-') {
            return std::nullopt;
        }
    }
    const auto read = [&](auto value) -> std::optional<double> {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
            return std::nullopt;
        }
        return value;
    };
    return single ? read(float{}) : read(double{});
}

std::optional<int64_t> IntegerFromText(std::string_view text) {
    const auto parts = TakeDecimal(text);
    bool exact = false;
    const auto value = parts ? Unscaled(*parts, 0, &exact) : std::nullopt;
    if (!value || !exact) {
        return std::nullopt;
    }
    const Int128 integer = parts->negative ? -*value : *value;
    if (integer < std::numeric_limits<int64_t>::min() || integer > std::numeric_limits<int64_t>::max()) {
        return std::nullopt;
    }
    return static_cast<int64_t>(integer);
}

std::string DecimalToText(Int128 unscaled, uint8_t scale) {
    const bool negative = unscaled < 0;
    auto rest = negative ? -static_cast<unsigned __int128>(unscaled) : static_cast<unsigned __int128>(unscaled);
    std::string text;
    for (unsigned place = 0; rest != 0 || place <= scale; ++place) {
        if (place == scale && scale != 0) {
            text += '.';
        }
        text += static_cast<char>('0' + static_cast<int>(rest % 10));
        rest /= 10;
    }
    if (negative) {
        text += '-';
    }
    std::reverse(text.begin(), text.end());
    return text;
}

std::optional<Int128> DecimalFromText(std::string_view text, uint8_t precision, uint8_t scale) {
    const auto parts = TakeDecimal(text);
    bool exact = false;
    const auto value = parts ? Unscaled(*parts, scale, &exact) : std::nullopt;
    if (!value || !exact || *value >= PowerOfTen(std::min<unsigned>(precision, kMaxDigits))) {
        return std::nullopt;
    }
    return parts->negative ? -*value : *value;
}

std::optional<Int128> DecimalBound(std::string_view text, uint8_t precision, uint8_t scale, bool up) {
    const auto parts = TakeDecimal(text);
    bool exact = false;
    const auto magnitude = parts ? Unscaled(*parts, scale, &exact) : std::nullopt;
    if (!magnitude) {
        return std::nullopt;
    }
    Int128 value = parts->negative ? -*magnitude : *magnitude;
    if (!exact && up != parts->negative) {
        value += up ? 1 : -1;  // cutting moved it towards zero, so away from the bound's side
    }
    if (parts->like_real && precision > 15 && value != 0) {
        const Int128 lost = (*magnitude >> 52) + 1;
        value += up ? lost : -lost;
    }
    return value;
}

}  // namespace birdfoot
