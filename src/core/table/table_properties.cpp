// The list of properties (specification 2.16) and the checks that delta-spark makes when one is set.
#include "core/table/table_properties.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr auto kBool = PropertyKind::kBool;
constexpr auto kInterval = PropertyKind::kInterval;
constexpr auto kText = PropertyKind::kText;
constexpr auto kChoice = PropertyKind::kChoice;
constexpr auto kInt = PropertyKind::kInt;
constexpr auto kInternal = PropertyKind::kInternal;

constexpr std::string_view kConstraintPrefix = "delta.constraints.";
constexpr std::string_view kFeaturePrefix = "delta.feature.";
constexpr std::string_view kUniversalPrefix = "delta.universalformat.config.";
constexpr std::string_view kDeltaPrefix = "delta.";

// Sorted by key without regard to case.
constexpr std::array kProperties = {
    TableProperty{"delta.appendOnly", kBool, "false", "", false},
    TableProperty{"delta.autoOptimize", kBool, "", "", false},
    TableProperty{"delta.autoOptimize.autoCompact", kChoice, "", "true,false,auto", false},
    TableProperty{"delta.autoOptimize.optimizeWrite", kBool, "", "", false},
    TableProperty{"delta.castIcebergTimeType", kBool, "false", "", false},
    TableProperty{"delta.checkpoint.writeStatsAsJson", kBool, "true", "", false},
    TableProperty{"delta.checkpoint.writeStatsAsStruct", kBool, "true", "", false},
    TableProperty{"delta.checkpointInterval", PropertyKind::kPositiveInt, "10", "", false},
    TableProperty{"delta.checkpointPolicy", kChoice, "classic", "classic,v2", false},
    TableProperty{"delta.checkpointRetentionDuration", kInterval, "interval 2 days", "", false},
    TableProperty{"delta.columnMapping.maxColumnId", kInternal, "0", "", false},
    TableProperty{"delta.columnMapping.mode", kChoice, "none", "none,name,id", false},
    TableProperty{"delta.compatibility.symlinkFormatManifest.enabled", kBool, "false", "", false},
    TableProperty{"delta.coordinatedCommits.commitCoordinator-preview", kText, "", "", false},
    TableProperty{"delta.coordinatedCommits.commitCoordinatorConf-preview", kText, "", "", false},
    TableProperty{"delta.coordinatedCommits.tableConf-preview", kText, "", "", false},
    TableProperty{"delta.dataSkippingNumIndexedCols", kInt, "32", "-1", false},
    TableProperty{"delta.dataSkippingStatsColumns", kText, "", "", false},
    TableProperty{"delta.dataSkippingStringPrefixLength", kInt, "32", "0", false},
    TableProperty{"delta.deletedFileRetentionDuration", kInterval, "interval 1 week", "", false},
    TableProperty{"delta.delta-rs.checkpoint.useRunLengthEncoding", kBool, "", "", false},
    TableProperty{"delta.dropFeatureTruncateHistory.retentionDuration", kInterval, "interval 24 hours", "", false},
    TableProperty{"delta.enableChangeDataCapture", kBool, "false", "", false},
    TableProperty{"delta.enableChangeDataFeed", kBool, "false", "", false},
    TableProperty{"delta.enableDeletionVectors", kBool, "false", "", false},
    TableProperty{"delta.enableExpiredLogCleanup", kBool, "true", "", false},
    TableProperty{"delta.enableFullRetentionRollback", kBool, "true", "", false},
    TableProperty{"delta.enableIcebergCompatV1", kBool, "", "", false},
    TableProperty{"delta.enableIcebergCompatV2", kBool, "", "", false},
    TableProperty{"delta.enableIcebergCompatV3", kBool, "", "", false},
    TableProperty{"delta.enableInCommitTimestamps", kBool, "false", "", false},
    TableProperty{"delta.enableMaterializePartitionColumnsFeature", kBool, "", "", false},
    TableProperty{"delta.enableRowTracking", kBool, "false", "", false},
    TableProperty{"delta.enableTypeWidening", kBool, "false", "", false},
    TableProperty{"delta.enableVariantShredding", kBool, "false", "", false},
    TableProperty{"delta.ignoreIcebergBucketPartition", kBool, "false", "", false},
    TableProperty{"delta.ignoreProtocolDefaults", kBool, "false", "", true},
    TableProperty{"delta.inCommitTimestampEnablementTimestamp", PropertyKind::kLong, "", "", false},
    TableProperty{"delta.inCommitTimestampEnablementVersion", PropertyKind::kLong, "", "", false},
    TableProperty{"delta.isolationLevel", kChoice, "Serializable", "Serializable", false},
    TableProperty{"delta.logRetentionDuration", kInterval, "interval 30 days", "", false},
    TableProperty{"delta.minReaderVersion", kChoice, "1", "1,2,3", true},
    TableProperty{"delta.minWriterVersion", kChoice, "2", "1,2,3,4,5,6,7", true},
    TableProperty{"delta.parquet.compression.codec", kChoice, "",
                  "uncompressed,none,snappy,gzip,lz4,lz4_raw,zstd,brotli", false},
    TableProperty{"delta.parquet.format.version", kText, "1.0.0", "1.0.0 or 2.x.y", false},
    TableProperty{"delta.randomizeFilePrefixes", kBool, "false", "", false},
    TableProperty{"delta.randomPrefixLength", PropertyKind::kPositiveInt, "2", "", false},
    TableProperty{"delta.redirectReaderWriter-preview", kText, "", "", false},
    TableProperty{"delta.redirectWriterOnly-preview", kText, "", "", false},
    TableProperty{"delta.requireCheckpointProtectionBeforeVersion", kInt, "0", "0", false},
    TableProperty{"delta.rowTracking.materializedRowCommitVersionColumnName", kInternal, "", "", false},
    TableProperty{"delta.rowTracking.materializedRowIdColumnName", kInternal, "", "", false},
    TableProperty{"delta.rowTrackingSuspended", kBool, "false", "", false},
    TableProperty{"delta.sampleRetentionDuration", kInterval, "interval 7 days", "", false},
    TableProperty{"delta.setTransactionRetentionDuration", kInterval, "", "", false},
    TableProperty{"delta.targetFileSize", kText, "", "", false},
    TableProperty{"delta.tuneFileSizesForRewrites", kBool, "", "", false},
    TableProperty{"delta.universalFormat.enabledFormats", kText, "", "iceberg, hudi", false},
    TableProperty{"delta.universalFormat.iceberg.atomicConversion.supported", kBool, "false", "", false},
    TableProperty{"delta.writePartitionColumnsToParquet", kBool, "", "", false},
};

std::string Lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
    });
    return lower;
}

std::optional<int64_t> ParseLong(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? std::optional(value)
                                                                                     : std::nullopt;
}

std::optional<bool> ParseBool(std::string_view text) {
    return EqualsIgnoreCase(text, "true")    ? std::optional(true)
           : EqualsIgnoreCase(text, "false") ? std::optional(false)
                                             : std::nullopt;
}

bool IsChoice(std::string_view choices, std::string_view value) {
    while (!choices.empty()) {
        const size_t comma = std::min(choices.find(','), choices.size());
        if (EqualsIgnoreCase(choices.substr(0, comma), value)) {
            return true;
        }
        choices.remove_prefix(std::min(comma + 1, choices.size()));
    }
    return false;
}

bool IsParquetVersion(std::string_view value) {
    const auto digits = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const size_t dot = value.size() > 2 ? value.find('.', 2) : std::string_view::npos;
    return value == "1.0.0" || (value.starts_with("2.") && dot != std::string_view::npos &&
                                digits(value.substr(2, dot - 2)) && digits(value.substr(dot + 1)));
}

//! What a good value looks like; none if this is one.
std::optional<std::string> Problem(const TableProperty &property, std::string_view value) {
    switch (property.kind) {
    case PropertyKind::kBool:
        return ParseBool(value) ? std::nullopt : std::optional<std::string>("needs to be a boolean: true or false");
    case PropertyKind::kPositiveInt: {
        const auto number = ParseLong(value);
        return number && *number > 0 && *number <= INT32_MAX
                   ? std::nullopt
                   : std::optional<std::string>("needs to be a positive integer");
    }
    case PropertyKind::kInt: {
        const auto number = ParseLong(value);
        const auto least = ParseLong(property.allowed);
        return number && *number >= *least
                   ? std::nullopt
                   : std::optional(fmt::format("needs to be an integer greater than or equal to {}", *least));
    }
    case PropertyKind::kLong:
        return ParseLong(value) ? std::nullopt : std::optional<std::string>("needs to be an integer");
    case PropertyKind::kInterval:
        return ParseInterval(value) ? std::nullopt
                                    : std::optional<std::string>(
                                          "needs to be provided as a calendar interval such as '2 weeks'. Months and "
                                          "years are not accepted. You may specify '365 days' for a year instead");
    case PropertyKind::kChoice:
        return IsChoice(property.allowed, value)
                   ? std::nullopt
                   : std::optional(fmt::format("needs to be one of: {}", property.allowed));
    case PropertyKind::kText:
    case PropertyKind::kInternal: break;
    }
    if (property.key == "delta.parquet.format.version" && !IsParquetVersion(value)) {
        return fmt::format("needs to be a Parquet format version: {}", property.allowed);
    }
    if (property.key == "delta.universalFormat.enabledFormats" && !value.empty()) {
        return "needs the metadata of another format beside the log, which this version does not write";
    }
    return std::nullopt;
}

Result<std::string> CheckFeatureProperty(std::string_view name, std::string_view value) {
    const auto features = TableFeatures();
    const auto feature =
        std::find_if(features.begin(), features.end(), [&](const auto &f) { return EqualsIgnoreCase(f.name, name); });
    if (feature == features.end()) {
        return Fail(
            Condition::DELTA_UNSUPPORTED_FEATURES_IN_CONFIG,
            "There is no table feature '{}', which the properties ask for. `birdfoot features` lists those there "
            "are.",
            name);
    }
    if (!EqualsIgnoreCase(value, "supported") && !EqualsIgnoreCase(value, "enabled")) {
        return Fail(Condition::DELTA_UNSUPPORTED_FEATURE_STATUS,
                    "Expecting the status for table feature {} to be \"supported\", but got \"{}\".", feature->name,
                    value);
    }
    return fmt::format("{}{}", kFeaturePrefix, feature->name);
}

//! The canonical key, once key and value are good.
Result<std::string> CheckProperty(const std::string &key, const std::string &value, bool allow_arbitrary) {
    const auto lower = Lower(key);
    if (!lower.starts_with(kDeltaPrefix)) {
        return key;
    }
    if (lower.starts_with(kConstraintPrefix)) {
        return fmt::format("{}{}", kConstraintPrefix, key.substr(kConstraintPrefix.size()));
    }
    if (lower.starts_with(kFeaturePrefix)) {
        return CheckFeatureProperty(std::string_view(key).substr(kFeaturePrefix.size()), value);
    }
    const auto *property = FindProperty(key);
    if (!property) {
        if (lower.starts_with(kUniversalPrefix)) {
            return lower;
        }
        if (allow_arbitrary) {
            return key;
        }
        return Fail(Condition::DELTA_UNKNOWN_CONFIGURATION,
                    "Unknown configuration was specified: {}. Check its spelling, or set "
                    "spark.databricks.delta.allowArbitraryProperties.enabled to true to store it all the same.",
                    key);
    }
    if (property->kind == kInternal) {
        return Fail(Condition::DELTA_CANNOT_MODIFY_TABLE_PROPERTY,
                    "The Delta table configuration {} cannot be specified by the user: writers keep it.",
                    property->key);
    }
    if (const auto problem = Problem(*property, value)) {
        return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE, "The value '{}' of {} is not allowed: it {}.", value,
                    property->key, *problem);
    }
    return std::string(property->key);
}

//! The log must reach back as far as the files that it speaks of.
Status CheckRetention(const Properties &merged) {
    const auto interval = [&](const char *key) {
        const auto it = merged.find(key);
        return ParseInterval(it == merged.end() ? FindProperty(key)->default_value : std::string_view(it->second));
    };
    const auto log = interval("delta.logRetentionDuration");
    const auto files = interval("delta.deletedFileRetentionDuration");
    if (log && files && *log < *files) {
        return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                    "The table property delta.logRetentionDuration ({} hours) needs to be greater than or equal to "
                    "delta.deletedFileRetentionDuration ({} hours). Set both.",
                    *log / 3'600'000, *files / 3'600'000);
    }
    return {};
}

}  // namespace

std::span<const TableProperty> TableProperties() { return kProperties; }

const TableProperty *FindProperty(std::string_view key) {
    const auto it = std::find_if(kProperties.begin(), kProperties.end(),
                                 [&](const auto &p) { return EqualsIgnoreCase(p.key, key); });
    return it == kProperties.end() ? nullptr : &*it;
}

std::string CanonicalPropertyKey(std::string_view key) {
    if (const auto *property = FindProperty(key)) {
        return std::string(property->key);
    }
    const auto lower = Lower(key);
    for (const auto prefix : {kConstraintPrefix, kFeaturePrefix}) {
        if (lower.starts_with(prefix)) {
            return fmt::format("{}{}", prefix, key.substr(prefix.size()));
        }
    }
    return lower.starts_with(kUniversalPrefix) ? lower : std::string(key);
}

Result<Properties> CheckProperties(const Properties &wanted, const Properties &existing, bool allow_arbitrary) {
    Properties checked;
    bool retention = false;
    for (const auto &[key, value] : wanted) {
        BF_ASSIGN(auto canonical, CheckProperty(key, value, allow_arbitrary));
        retention =
            retention || canonical == "delta.logRetentionDuration" || canonical == "delta.deletedFileRetentionDuration";
        const auto [entry, is_new] = checked.emplace(canonical, value);
        if (!is_new && entry->second != value) {
            return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                        "The property {} is given twice: '{}' and '{}'. Give it once.", canonical, entry->second,
                        value);
        }
    }
    if (retention) {
        Properties merged = checked;
        merged.insert(existing.begin(), existing.end());
        BF_RETURN_IF_ERROR(CheckRetention(merged));
    }
    return checked;
}

bool IsProtocolProperty(std::string_view key) {
    const auto *property = FindProperty(key);
    return property ? property->of_protocol : Lower(key).starts_with(kFeaturePrefix);
}

Protocol TakeProtocol(Metadata &metadata, const StructType &schema) {
    auto protocol = LowestProtocol(metadata, schema);
    std::erase_if(metadata.configuration, [](const auto &entry) { return IsProtocolProperty(entry.first); });
    return protocol;
}

std::optional<std::string> TextProperty(const Metadata &metadata, std::string_view key) {
    const auto set = metadata.configuration.find(std::string(key));
    if (set != metadata.configuration.end()) {
        return set->second;
    }
    const auto *property = FindProperty(key);
    return property && !property->default_value.empty() ? std::optional(std::string(property->default_value))
                                                        : std::nullopt;
}

bool BoolProperty(const Metadata &metadata, std::string_view key) {
    const auto value = ParseBool(TextProperty(metadata, key).value_or(""));
    const auto *property = FindProperty(key);
    return value.value_or(property && property->default_value == "true");
}

int64_t IntProperty(const Metadata &metadata, std::string_view key) {
    const auto value = ParseLong(TextProperty(metadata, key).value_or(""));
    const auto *property = FindProperty(key);
    const bool good = value && property && !Problem(*property, std::to_string(*value));
    return good ? *value : property ? ParseLong(property->default_value).value_or(0) : value.value_or(0);
}

Result<std::optional<int64_t>> IntervalProperty(const Metadata &metadata, std::string_view key) {
    const auto text = TextProperty(metadata, key);
    if (!text) {
        return std::optional<int64_t>();
    }
    const auto value = ParseInterval(*text);
    if (!value) {
        return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                    "The table's property {} is '{}', which is no interval. Set it to one such as 'interval 7 days'.",
                    key, *text);
    }
    return value;
}

std::optional<int64_t> ParseInterval(std::string_view text) {
    struct Unit {
        std::string_view name;
        int64_t micros;
    };
    static constexpr Unit kUnits[] = {{"week", 604'800'000'000}, {"day", 86'400'000'000}, {"hour", 3'600'000'000},
                                      {"minute", 60'000'000},    {"second", 1'000'000},   {"millisecond", 1'000},
                                      {"microsecond", 1}};
    auto words = Lower(text);
    std::string_view rest = words;
    const auto next = [&]() -> std::string_view {
        const size_t from = std::min(rest.find_first_not_of(" \t\r\n"), rest.size());
        const size_t to = std::min(rest.find_first_of(" \t\r\n", from), rest.size());
        const auto word = rest.substr(from, to - from);
        rest.remove_prefix(to);
        return word;
    };
    auto word = next();
    if (word == "interval") {
        word = next();
    }
    int64_t micros = 0;
    bool any = false;
    for (; !word.empty(); word = next()) {
        if (word.front() == '+') {
            word.remove_prefix(1);
        }
        const auto number = ParseLong(word);
        auto name = next();
        if (name.ends_with('s')) {
            name.remove_suffix(1);
        }
        const auto unit =
            std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit &u) { return u.name == name; });
        int64_t part = 0;
        if (!number || unit == std::end(kUnits) || __builtin_mul_overflow(*number, unit->micros, &part) ||
            __builtin_add_overflow(micros, part, &micros)) {
            return std::nullopt;
        }
        any = true;
    }
    return any && micros >= 0 ? std::optional(micros / 1000) : std::nullopt;
}

}  // namespace birdfoot
