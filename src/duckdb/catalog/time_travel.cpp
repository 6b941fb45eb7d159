#include "duckdb/catalog/time_travel.hpp"

#include <charconv>

#include "duckdb/common/string_util.hpp"
#include "duckdb/common/types/timestamp.hpp"
#include "duckdb/main/client_context.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

constexpr int64_t kMicrosPerSecond = 1'000'000;

bool AllDigits(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::optional<Version> VersionIn(std::string_view digits) {
    Version version = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    return problem == std::errc() && end == digits.data() + digits.size() && version >= 0 ? std::optional(version)
                                                                                          : std::nullopt;
}

VersionTarget VersionOf(const Value &value) {
    // Through text, so that 3, '3' and 3::UTINYINT are one thing and 3.5 is none.
    auto text = value.IsNull() ? std::string("NULL") : value.ToString();
    if (auto version = VersionIn(text)) {
        return AtVersion{*version};
    }
    Throw(Fail(Condition::DELTA_VERSION_INVALID,
               "'{}' is not a version. Versions are whole numbers from 0 on. DESCRIBE HISTORY lists those of a table.",
               text));
}

//! A point in time; what has no zone is read in the session's.
AtTimestamp PointOf(duckdb::ClientContext &context, const Value &value) {
    Value point;
    std::string problem;
    auto type = value.type().id();
    bool is_time = type == LogicalTypeId::VARCHAR || type == LogicalTypeId::DATE || type == LogicalTypeId::TIMESTAMP ||
                   type == LogicalTypeId::TIMESTAMP_TZ || type == LogicalTypeId::TIMESTAMP_SEC ||
                   type == LogicalTypeId::TIMESTAMP_MS || type == LogicalTypeId::TIMESTAMP_NS;
    if (!value.IsNull() && is_time && value.TryCastAs(context, LogicalType::TIMESTAMP_TZ, point, &problem) &&
        !point.IsNull()) {
        auto time = duckdb::timestamp_t(point.GetValue<duckdb::timestamp_tz_t>().value);
        if (duckdb::Timestamp::IsFinite(time)) {
            return {time.value, time.value % kMicrosPerSecond == 0};
        }
    }
    Throw(Fail(Condition::DELTA_TIMESTAMP_INVALID,
               "'{}' is not a point in time. Write a timestamp or its text, such as '2024-05-31 12:00:00'.",
               value.ToString()));
}

VersionTarget TimestampOf(duckdb::ClientContext &context, const Value &value) {
    auto point = PointOf(context, value);
    if (!value.IsNull() && value.type().id() == LogicalTypeId::VARCHAR) {
        // "12:00:00.000" says what it means to the millisecond; "12:00:00" does not.
        point.whole_second = value.ToString().find('.') == std::string::npos;
    }
    return point;
}

//! yyyyMMddHHmmssSSS
std::optional<VersionTarget> CompactTimestampOf(duckdb::ClientContext &context, const std::string &digits) {
    auto part = [&](size_t from, size_t length) { return digits.substr(from, length); };
    auto text = part(0, 4) + "-" + part(4, 2) + "-" + part(6, 2) + " " + part(8, 2) + ":" + part(10, 2) + ":" +
                part(12, 2) + "." + part(14, 3);
    Value point;
    std::string problem;
    if (!Value(text).TryCastAs(context, LogicalType::TIMESTAMP_TZ, point, &problem) || point.IsNull()) {
        return std::nullopt;
    }
    return AtTimestamp{point.GetValue<duckdb::timestamp_tz_t>().value, false};
}

}  // namespace

VersionTarget TargetOf(duckdb::ClientContext &context, const duckdb::BoundAtClause &at) {
    if (duckdb::StringUtil::CIEquals(at.Unit(), "version")) {
        return VersionOf(at.GetValue());
    }
    if (duckdb::StringUtil::CIEquals(at.Unit(), "timestamp")) {
        return TimestampOf(context, at.GetValue());
    }
    Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
               "AT ({} => …) is not known. Write AT (VERSION => 3) or AT (TIMESTAMP => '2024-05-31 12:00:00').",
               at.Unit()));
}

std::optional<std::pair<std::string, VersionTarget>> TargetInName(duckdb::ClientContext &context,
                                                                  const std::string &name) {
    constexpr size_t kCompactTimestamp = 17;
    auto at = name.rfind('@');
    if (at == std::string::npos || at == 0 || at + 1 == name.size()) {
        return std::nullopt;
    }
    auto base = name.substr(0, at);
    auto target = name.substr(at + 1);
    if ((target[0] == 'v' || target[0] == 'V') && AllDigits(target.substr(1))) {
        if (auto version = VersionIn(target.substr(1))) {
            return std::pair<std::string, VersionTarget>(base, AtVersion{*version});
        }
    }
    if (target.size() == kCompactTimestamp && AllDigits(target)) {
        if (auto time = CompactTimestampOf(context, target)) {
            return std::pair<std::string, VersionTarget>(base, *time);
        }
    }
    return std::nullopt;
}

}  // namespace birdfoot::duck
