// Reading per-file statistics. What is damaged, of another type or contradicts itself is as if it were not there: then
// the file is opened. Bounds are moved outwards by what writers are known to lose.
#include "core/scan/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/schema/value_text.hpp"

namespace birdfoot {
namespace {

JsonValue At(JsonValue value, const std::vector<std::string> &column) {
    for (const auto &part : column) {
        value = value[part];
    }
    return value;
}

//! How many digits a number's text has, without its exponent and leading zeros.
size_t SignificantDigits(std::string_view text) {
    size_t digits = 0;
    for (const char c : text.substr(0, text.find_first_of("eE"))) {
        digits += (c >= '0' && c <= '9' && (c != '0' || digits > 0)) ? 1 : 0;
    }
    return digits;
}

std::optional<Scalar> Bound(const DataType &type, JsonValue json, bool up) {
    if (type.kind() == TypeKind::kDecimal) {
        const auto text = json.is_number() ? json.number_text() : json.string().value_or("");
        const auto value = DecimalBound(text, type.precision(), type.scale(), up);
        return value ? std::optional(Scalar::DecimalOf(type, *value)) : std::nullopt;
    }
    auto value = Scalar::FromStatistics(type, json);
    if (!value) {
        return std::nullopt;
    }
    switch (type.kind()) {
    case TypeKind::kFloat:
    case TypeKind::kDouble: {
        if (std::isnan(value->real())) {
            return up ? value : std::nullopt;  // a minimum that is NaN says nothing: some writers let NaN swallow all
        }
        // Short text may be a float's, from before the column was widened; the float lies beside the double of that
        // text.
        if (type.kind() == TypeKind::kDouble && json.is_number() && SignificantDigits(json.number_text()) <= 9) {
            const auto single = RealFromText(json.number_text(), true).value_or(value->real());
            return Scalar::Real(type, up ? std::max(single, value->real()) : std::min(single, value->real()));
        }
        return value;
    }
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: {
        // Writers cut to milliseconds.
        constexpr int64_t kLost = 999;
        const bool room = value->integer() <= std::numeric_limits<int64_t>::max() - kLost;
        return up && room ? std::optional(Scalar::Integer(type, value->integer() + kLost)) : value;
    }
    case TypeKind::kString: {
        // Old Spark versions ended a cut maximum with U+FFFD, which is not above all characters.
        constexpr std::string_view kOldEnd = "\xEF\xBF\xBD";
        if (up && value->text().ends_with(kOldEnd)) {
            return Scalar::Text(type,
                                value->text().substr(0, value->text().size() - kOldEnd.size()) + "\xF4\x8F\xBF\xBF");
        }
        return value;
    }
    default: return value;
    }
}

}  // namespace

FileStatistics FileStatistics::Parse(const std::optional<std::string> &stats_json) {
    FileStatistics statistics;
    if (!stats_json || stats_json->empty()) {
        return statistics;
    }
    auto document = JsonDocument::Parse(*stats_json);
    if (!document.ok() || !document->root().is_object()) {
        return statistics;
    }
    const auto root = document->root();
    const auto records = root["numRecords"].int64();
    if (records && *records >= 0) {
        statistics.num_records_ = *records;
    }
    statistics.tight_bounds_ = root["tightBounds"].boolean().value_or(true);
    statistics.document_ = *std::move(document);
    return statistics;
}

std::optional<int64_t> FileStatistics::NullCount(const std::vector<std::string> &column) const {
    const auto count = document_ ? At(document_->root()["nullCount"], column).int64() : std::nullopt;
    return count && *count >= 0 ? count : std::nullopt;
}

std::optional<Scalar> FileStatistics::Min(const std::vector<std::string> &column, const DataType &type) const {
    return document_ ? Bound(type, At(document_->root()["minValues"], column), false) : std::nullopt;
}

std::optional<Scalar> FileStatistics::Max(const std::vector<std::string> &column, const DataType &type) const {
    return document_ ? Bound(type, At(document_->root()["maxValues"], column), true) : std::nullopt;
}

ColumnFacts FileStatistics::Facts(const std::vector<std::string> &column, const DataType &type) const {
    ColumnFacts facts;
    facts.min = Min(column, type);
    facts.max = Max(column, type);
    const auto nulls = NullCount(column);
    if (!nulls) {
        return facts;
    }
    if (*nulls == 0) {
        facts.none_null = true;
    } else if (num_records_ && *nulls == *num_records_ && !facts.min && !facts.max) {
        facts.all_null = true;  // bounds beside it would contradict it, and a file must not be lost by that
    }
    return facts;
}

}  // namespace birdfoot
