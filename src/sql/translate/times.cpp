// Instants and the session's wall clock, and what intervals add to them. Spark does this with java.time: of two
// instants with the same wall time it takes the earlier one (or the one with the offset that a time had before it was
// moved), and moves a wall time within a gap behind it. DuckDB's cast takes the later of two, so text is built around
// it.
#include <cstdlib>

#include "sql/translate/translator.hpp"

namespace birdfoot::sql {
namespace {

constexpr std::string_view kDay = "86400000000";

std::string Offset(const std::string &instant) {
    return fmt::format("(epoch_us(CAST({0} AS TIMESTAMP)) - epoch_us({0}))", instant);
}

//! `wall` as an instant with this offset.
std::string WithOffset(const std::string &wall, const std::string &offset) {
    return fmt::format("make_timestamptz(epoch_us({}) - {})", wall, offset);
}

bool IsLiteral(const Value &interval) { return interval.literal != nullptr; }

}  // namespace

std::string WallOf(const std::string &instant) { return fmt::format("CAST({} AS TIMESTAMP)", instant); }

std::string InstantOf(const std::string &wall) {
    return Once(wall, "wall", [](const std::string &w) {
        return Once(fmt::format("CAST({} AS TIMESTAMP WITH TIME ZONE)", w), "later", [&](const std::string &later) {
            const auto day_before = fmt::format("({} - INTERVAL 24 HOUR)", later);
            const auto earlier = WithOffset(w, Offset(day_before));
            return fmt::format("CASE WHEN CAST({0} AS TIMESTAMP) = {1} THEN least({0}, {2}) ELSE {2} END", earlier, w,
                               later);
        });
    });
}

std::string InstantLike(const std::string &instant, const std::string &wall) {
    return Once(wall, "moved", [&](const std::string &moved) {
        const auto same = WithOffset(moved, Offset(instant));
        return fmt::format("CASE WHEN CAST({0} AS TIMESTAMP) = {1} THEN {0} ELSE {2} END", same, moved,
                           InstantOf(moved));
    });
}

Result<std::string> WallTime(Value value, std::string_view function) {
    if (value.type.Is(TypeKind::kTimestampNtz)) {
        return value.text;
    }
    if (value.type.Is(TypeKind::kDate)) {
        return WallOf(value.text);
    }
    BF_ASSIGN(auto instant, Implicitly(std::move(value), TypeKind::kTimestamp, function));
    return WallOf(instant.text);
}

Result<Value> AddInterval(Value value, const Value &interval, bool minus) {
    if (!value.type.is_time()) {
        return Mismatch(fmt::format("{} with an interval", value.type.ToString()));
    }
    const std::string amount = fmt::format("({}{})", minus ? "-" : "", interval.text);
    const bool months = interval.type.interval == IntervalKind::kMonths;
    const bool days = interval.type.interval == IntervalKind::kDays;
    const auto type = value.type;
    if (type.Is(TypeKind::kDate)) {
        if (months) {
            return Value{fmt::format("CAST(({} + to_months({})) AS DATE)", value.text, amount), type, true};
        }
        if (days) {
            return Value{fmt::format("({} + CAST({} // {} AS INTEGER))", value.text, amount, kDay), type, true};
        }
        BF_ASSIGN(value, Cast(std::move(value), TypeKind::kTimestamp));
    }
    if (value.type.Is(TypeKind::kTimestampNtz)) {
        return Value{fmt::format("({} + {}({}))", value.text, months ? "to_months" : "to_microseconds", amount),
                     value.type, true};
    }
    auto text = Once(value.text, "instant", [&](const std::string &instant) {
        const auto wall = WallOf(instant);
        if (months) {
            return InstantLike(instant, fmt::format("({} + to_months({}))", wall, amount));
        }
        // Days move the wall clock, the rest is time that passes.
        const auto moved =
            InstantLike(instant, fmt::format("({} + to_days(CAST({} // {} AS INTEGER)))", wall, amount, kDay));
        if (days) {
            return moved;
        }
        const bool short_literal = IsLiteral(interval) && std::llabs(std::atoll(interval.text.c_str())) < 86400000000LL;
        return fmt::format("({} + to_microseconds({} % {}))", short_literal ? instant : moved, amount, kDay);
    });
    return Value{std::move(text), TypeKind::kTimestamp, true};
}

}  // namespace birdfoot::sql
