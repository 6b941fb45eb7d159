// See spark_text.hpp. The rules for dates and timestamps are those of Spark's SparkDateTimeUtils, for numbers those of
// UTF8String and java.lang.Double.
#include "sql/translate/spark_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/schema/value_text.hpp"
#include "sql/lexer.hpp"

namespace birdfoot::sql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

//! White space and control characters of ASCII, as UTF8String.trimAll has it.
std::string_view Trim(std::string_view text) {
    const auto blank = [](char c) { return (c >= 0 && c <= ' ') || c == 127; };
    while (!text.empty() && blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

Error NotRead(std::string_view text, std::string_view what) {
    return Fail(
        Condition::DELTA_UNSUPPORTED_EXPRESSION,
        "The text '{}' is {}, which is not read here. Write it in a plainer form, or run the statement in Spark.", text,
        what);
}

//! Days since 1970 in the proleptic Gregorian calendar.
std::optional<int64_t> DaysOf(int64_t year, int64_t month, int64_t day) {
    static constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    if (month < 1 || month > 12 || day < 1 ||
        day > kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0)) {
        return std::nullopt;
    }
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

//! A zone that is an offset: Z, UTC, +8, +08:00, -0330, +01:02:03.
Read<int64_t> ReadOffset(std::string_view zone, std::string_view text) {
    for (const std::string_view prefix : {"UTC", "GMT", "UT"}) {
        if (zone.starts_with(prefix) && zone.size() > prefix.size() &&
            (zone[prefix.size()] == '+' || zone[prefix.size()] == '-')) {
            return NotRead(text, "a time with a zone like UTC+1");
        }
        if (zone == prefix) {
            return std::optional<int64_t>(0);
        }
    }
    if (zone == "Z") {
        return std::optional<int64_t>(0);
    }
    if (zone.empty() || (zone[0] != '+' && zone[0] != '-')) {
        return NotRead(text, "a time with the name of a zone");
    }
    std::array<int64_t, 3> parts = {0, 0, 0};
    size_t part = 0;
    size_t i = 1;
    for (; part < 3 && i < zone.size(); part++) {
        size_t digits = 0;
        while (digits < 2 && i < zone.size() && IsDigit(zone[i])) {
            parts[part] = parts[part] * 10 + (zone[i++] - '0');
            digits++;
        }
        if (digits != 2 && (digits == 0 || zone.find(':') == std::string_view::npos) && !(part == 0 && digits == 1)) {
            return NotRead(text, "a time with such a zone");
        }
        if (i < zone.size() && zone[i] == ':') {
            i++;
        }
    }
    if (i != zone.size() || parts[0] > 18 || parts[1] > 59 || parts[2] > 59) {
        return NotRead(text, "a time with such a zone");
    }
    const int64_t micros = (parts[0] * 3600 + parts[1] * 60 + parts[2]) * kMicrosPerSecond;
    return std::optional(zone[0] == '-' ? -micros : micros);
}

//! Digits without sign, point and exponent, and the place of the point from the right.
struct Digits {
    bool negative = false;
    std::string digits;
    int64_t scale = 0;
};

std::optional<Digits> TakeNumber(std::string_view text) {
    Digits number;
    size_t i = 0;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
        number.negative = text[i++] == '-';
    }
    bool point = false;
    bool any = false;
    for (; i < text.size() && (IsDigit(text[i]) || (text[i] == '.' && !point)); i++) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        any = true;
        number.digits += text[i];
        number.scale += point ? 1 : 0;
    }
    if (!any) {
        return std::nullopt;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        i++;
        int64_t exponent = 0;
        if (i < text.size() && text[i] == '+') {
            i++;
        }
        const auto parsed = std::from_chars(text.data() + i, text.data() + text.size(), exponent);
        if (parsed.ec != std::errc() || std::abs(exponent) > 10000) {
            return std::nullopt;
        }
        number.scale -= exponent;
        i = static_cast<size_t>(parsed.ptr - text.data());
    }
    if (i != text.size()) {
        return std::nullopt;
    }
    number.digits.erase(0, std::min(number.digits.find_first_not_of('0'), number.digits.size()));
    return number;
}

//! Spark reads these in literals alone, and four of them by its clock.
bool IsSpecialTime(std::string_view text) {
    const auto word = Upper(text);
    return word == "EPOCH" || word == "NOW" || word == "TODAY" || word == "YESTERDAY" || word == "TOMORROW";
}

void AddOne(std::string &digits) {
    size_t i = digits.size();
    while (i > 0 && digits[i - 1] == '9') {
        digits[--i] = '0';
    }
    if (i == 0) {
        digits.insert(digits.begin(), '1');
    } else {
        digits[i - 1]++;
    }
}

void RoundTo(Digits &number, int64_t scale, bool half_even) {
    if (number.scale <= scale) {
        if (!number.digits.empty()) {
            number.digits.append(static_cast<size_t>(scale - number.scale), '0');
        }
        number.scale = scale;
        return;
    }
    const auto dropped = static_cast<size_t>(number.scale - scale);
    if (number.digits.size() < dropped) {
        number.digits.insert(0, dropped - number.digits.size(), '0');
    }
    const std::string rest = number.digits.substr(number.digits.size() - dropped);
    number.digits.resize(number.digits.size() - dropped);
    bool up = rest[0] >= '5';
    if (half_even && rest[0] == '5' && rest.find_first_not_of('0', 1) == std::string::npos) {
        up = !number.digits.empty() && (number.digits.back() - '0') % 2 == 1;
    }
    if (up) {
        AddOne(number.digits);
    }
    number.scale = scale;
}

std::string ToPlainText(const Digits &number) {
    std::string digits = number.digits;
    if (number.scale < 0) {
        if (!digits.empty()) {
            digits.append(static_cast<size_t>(-number.scale), '0');
        }
    }
    const auto scale = static_cast<size_t>(std::max<int64_t>(number.scale, 0));
    if (digits.size() <= scale) {
        digits.insert(0, scale + 1 - digits.size(), '0');
    }
    if (scale > 0) {
        digits.insert(digits.size() - scale, ".");
    }
    return (number.negative ? "-" : "") + digits;
}

size_t NextCharacter(std::string_view text, size_t position) {
    position++;
    while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xC0) == 0x80) {
        position++;
    }
    return position;
}

int64_t CountCharacters(std::string_view text) {
    return std::count_if(text.begin(), text.end(),
                         [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

//! The byte at which the character number `index` begins; the end if there are fewer.
size_t OffsetOf(std::string_view text, int64_t index) {
    size_t position = 0;
    for (; index > 0 && position < text.size(); index--) {
        position = NextCharacter(text, position);
    }
    return position;
}

}  // namespace

Read<bool> ReadBoolean(std::string_view text) {
    const auto word = Upper(Trim(text));
    for (const std::string_view yes : {"T", "TRUE", "Y", "YES", "1"}) {
        if (word == yes) {
            return std::optional(true);
        }
    }
    for (const std::string_view no : {"F", "FALSE", "N", "NO", "0"}) {
        if (word == no) {
            return std::optional(false);
        }
    }
    return std::optional<bool>();
}

Read<int64_t> ReadLong(std::string_view text) {
    auto digits = Trim(text);
    const bool plus = digits.starts_with('+');
    digits.remove_prefix(plus ? 1 : 0);
    int64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() || (plus && digits.starts_with('-'))) {
        return std::optional<int64_t>();
    }
    return std::optional(value);
}

Read<double> ReadReal(std::string_view text, bool single) {
    const auto number = Trim(text);
    const auto word = Upper(number);
    static constexpr std::array<std::string_view, 8> kNames = {"NAN",      "INF",       "+INF",      "-INF",
                                                               "INFINITY", "+INFINITY", "-INFINITY", ""};
    if (std::find(kNames.begin(), kNames.end() - 1, word) != kNames.end() - 1) {
        if (word == "NAN") {
            return std::optional(std::nan(""));
        }
        return std::optional(word[0] == '-' ? -HUGE_VAL : HUGE_VAL);
    }
    const auto digits = TakeNumber(number);
    if (!digits) {
        const bool java = !word.empty() && (IsDigit(word[0]) || word[0] == '.' || word[0] == '+' || word[0] == '-') &&
                          (word.ends_with('D') || word.ends_with('F') || word.find('X') != std::string::npos);
        if (java) {
            return NotRead(text, "a number with a suffix or in hexadecimal");
        }
        return std::optional<double>();
    }
    const auto value = RealFromText(number, single);
    if (!value) {  // too large or too small for its type
        const bool large = static_cast<int64_t>(digits->digits.size()) > digits->scale;
        return std::optional(std::copysign(large ? HUGE_VAL : 0.0, digits->negative ? -1.0 : 1.0));
    }
    return value;
}

Read<std::string> ReadDecimal(std::string_view text, int64_t scale) {
    auto number = TakeNumber(Trim(text));
    if (!number) {
        return std::optional<std::string>();
    }
    RoundTo(*number, scale, false);
    return std::optional(ToPlainText(*number));
}

Read<int32_t> ReadDate(std::string_view text) {
    const auto bytes = Trim(text);
    const auto none = std::optional<int32_t>();
    if (bytes.empty()) {
        return none;
    }
    if (IsSpecialTime(bytes)) {
        return NotRead(text, "the name of a day");
    }
    std::array<int64_t, 3> segments = {1, 1, 1};
    size_t i = 0;
    size_t j = 0;
    int64_t value = 0;
    int digits = 0;
    const auto valid = [&] { return i == 0 ? digits >= 4 && digits <= 7 : digits > 0 && digits <= 2; };
    const int64_t sign = bytes[0] == '-' ? -1 : 1;
    j += bytes[0] == '-' || bytes[0] == '+' ? 1 : 0;
    for (; j < bytes.size() && bytes[j] != ' ' && bytes[j] != 'T'; j++) {
        if (i < 2 && bytes[j] == '-') {
            if (!valid()) {
                return none;
            }
            segments[i++] = value;
            value = 0;
            digits = 0;
        } else if (!IsDigit(bytes[j]) || digits > 7) {
            return none;
        } else {
            value = value * 10 + (bytes[j] - '0');
            digits++;
        }
    }
    if (!valid() || (i < 2 && j < bytes.size())) {
        return none;
    }
    segments[i] = value;
    const auto days = DaysOf(sign * segments[0], segments[1], segments[2]);
    return days ? std::optional(static_cast<int32_t>(*days)) : none;
}

// Spark's loop, segment by segment: year, month, day, hour, minute, second, fraction.
Read<SparkTimestamp> ReadTimestamp(std::string_view text) {
    const auto bytes = Trim(text);
    const auto none = std::optional<SparkTimestamp>();
    if (bytes.empty()) {
        return none;
    }
    if (IsSpecialTime(bytes)) {
        return NotRead(text, "the name of a time");
    }
    std::array<int64_t, 8> segments = {1, 1, 1, 0, 0, 0, 0, 0};
    std::optional<std::string_view> zone;
    size_t i = 0;
    int64_t value = 0;
    int digits = 0;
    int fraction_digits = 0;
    const auto valid = [&] {
        return i == 6 || i == 7 || (i == 0 ? digits >= 4 && digits <= 6 : digits > 0 && digits <= 2);
    };
    const auto next = [&] {
        if (!valid()) {
            return false;
        }
        segments[i++] = value;
        value = 0;
        digits = 0;
        return true;
    };
    const bool has_sign = bytes[0] == '-' || bytes[0] == '+';
    for (size_t j = has_sign ? 1 : 0; j < bytes.size(); j++) {
        const char b = bytes[j];
        if (IsDigit(b)) {
            fraction_digits += i == 6 ? 1 : 0;
            if (i != 6 || digits < 6) {
                value = value * 10 + (b - '0');
            }
            if (++digits > 9 && i != 6) {
                return none;
            }
            continue;
        }
        if ((j == 0 && b == 'T') || (i == 0 && b == ':' && !has_sign)) {
            return NotRead(text, "a time without a date");
        }
        bool ok = false;
        if (i < 2) {
            ok = b == '-' && next();
        } else if (i == 2) {
            ok = (b == ' ' || b == 'T') && next();
        } else if (i == 3 || i == 4) {
            ok = b == ':' && next();
        } else if (i == 5 && b == '.') {
            ok = next();
        } else if (i == 5 || i == 6) {
            ok = next();
            i = 7;
            zone = Trim(bytes.substr(j));
            if (ok) {
                break;
            }
        }
        if (!ok) {
            return none;
        }
    }
    if (!zone) {
        if (!valid()) {
            return none;
        }
        segments[i] = value;
    }
    for (; fraction_digits < 6; fraction_digits++) {
        segments[6] *= 10;
    }
    SparkTimestamp stamp;
    if (zone) {
        BF_ASSIGN(stamp.offset_micros, ReadOffset(*zone, text));
    }
    const auto days = DaysOf(bytes[0] == '-' ? -segments[0] : segments[0], segments[1], segments[2]);
    if (!days || segments[3] > 23 || segments[4] > 59 || segments[5] > 59) {
        return none;
    }
    stamp.wall_micros =
        *days * kMicrosPerDay + (segments[3] * 3600 + segments[4] * 60 + segments[5]) * kMicrosPerSecond + segments[6];
    return std::optional(stamp);
}

Read<int64_t> ReadByPattern(std::string_view text, std::string_view pattern) {
    const auto none = std::optional<int64_t>();
    std::array<int64_t, 6> fields = {0, 1, 1, 0, 0, 0};  // yyyy MM dd HH mm ss
    constexpr std::string_view kLetters = "yMdHms";
    size_t at = 0;
    for (size_t p = 0; p < pattern.size();) {
        const auto field = kLetters.find(pattern[p]);
        if (field == std::string_view::npos) {
            if (at >= text.size() || text[at++] != pattern[p++]) {
                return none;
            }
            continue;
        }
        const size_t run = std::min(pattern.find_first_not_of(pattern[p], p), pattern.size()) - p;
        p += run;
        size_t digits = 0;
        int64_t value = 0;
        const size_t most = run == 1 ? 19 : run;
        while (at < text.size() && IsDigit(text[at]) && digits < most) {
            value = value * 10 + (text[at++] - '0');
            digits++;
            if (digits > 9) {
                return none;
            }
        }
        if (digits == 0 || (run > 1 && digits != run)) {
            return none;
        }
        if (run == 4 && (at < text.size() && IsDigit(text[at])) &&
            (p == pattern.size() || kLetters.find(pattern[p]) == std::string_view::npos)) {
            return NotRead(text, "a year of more than four digits");
        }
        fields[field] = value;
    }
    const auto days = DaysOf(fields[0], fields[1], fields[2]);
    if (at != text.size() || !days || fields[0] == 0 || fields[3] > 23 || fields[4] > 59 || fields[5] > 59) {
        return none;
    }
    return std::optional(*days * kMicrosPerDay + (fields[3] * 3600 + fields[4] * 60 + fields[5]) * kMicrosPerSecond);
}

double RoundReal(double value, int64_t places, bool half_even) {
    if (std::isnan(value) || std::isinf(value)) {
        return value;
    }
    auto number = TakeNumber(RealToText(value, false));
    RoundTo(*number, std::clamp<int64_t>(places, -400, 400), half_even);
    if (number->digits.find_first_not_of('0') == std::string::npos) {
        return 0;  // a BigDecimal has no -0
    }
    return RealFromText(ToPlainText(*number), false).value_or(value);
}

std::string_view Substring(std::string_view text, int64_t start, int64_t length) {
    const int64_t first = start > 0 ? start - 1 : start < 0 ? CountCharacters(text) + start : 0;
    const int64_t last = std::clamp<int64_t>(first + length, INT32_MIN, INT32_MAX);
    if (last <= first || last <= 0) {
        return {};
    }
    const size_t from = OffsetOf(text, first);
    return text.substr(from, OffsetOf(text.substr(from), last - std::max<int64_t>(first, 0)));
}

std::string_view SubstringOfBytes(std::string_view bytes, int64_t start, int64_t length) {
    const auto size = static_cast<int64_t>(bytes.size());
    const int64_t first = start > 0 ? start - 1 : start < 0 ? size + start : 0;
    const int64_t last = std::min(first + length, size);
    const int64_t from = std::max<int64_t>(first, 0);
    return from < last ? bytes.substr(static_cast<size_t>(from), static_cast<size_t>(last - from)) : std::string_view();
}

std::string_view Right(std::string_view text, int64_t length) {
    return length <= 0 ? std::string_view() : Substring(text, -length, length);
}

std::string Pad(std::string_view text, int64_t length, std::string_view pad, bool left) {
    const int64_t missing = length - CountCharacters(text);
    if (missing <= 0 || pad.empty()) {
        return std::string(Substring(text, 1, length));
    }
    const int64_t pad_length = CountCharacters(pad);
    std::string padding;
    for (int64_t i = 0; i < missing / pad_length; i++) {
        padding += pad;
    }
    padding += Substring(pad, 1, missing % pad_length);
    return left ? padding + std::string(text) : std::string(text) + padding;
}

std::string Reverse(std::string_view text) {
    std::string out(text.size(), '\0');
    for (size_t from = 0, to = text.size(); from < text.size();) {
        const size_t next = NextCharacter(text, from);
        to -= next - from;
        text.copy(out.data() + to, next - from, from);
        from = next;
    }
    return out;
}

int32_t Locate(std::string_view part, std::string_view text, int32_t start) {
    if (start < 1) {
        return 0;
    }
    if (start > CountCharacters(text) + 1) {
        return 0;
    }
    const size_t found = text.find(part, OffsetOf(text, start - 1));
    return found == std::string_view::npos ? 0 : static_cast<int32_t>(CountCharacters(text.substr(0, found)) + 1);
}

}  // namespace birdfoot::sql
