// Settings: see settings.hpp. Spark's list is that of the specification, section 2.18, as far as something here heeds
// it.
#include "duckdb/settings.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/config.hpp"
#include "duckdb/main/database.hpp"

#include "core/table/table_properties.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

constexpr const char *kFsync = "birdfoot_fsync";
constexpr const char *kCatalogName = "birdfoot_catalog_name";
constexpr const char *kCheckpoints = "birdfoot_checkpoints";
constexpr const char *kDefaultDeletionVectors = "birdfoot_default_deletion_vectors";
constexpr const char *kColumnUpdateMinBytes = "birdfoot_column_update_min_bytes";
constexpr const char *kSessionKey = "birdfoot_session_settings";

constexpr std::string_view kAutoMerge = "spark.databricks.delta.schema.autoMerge.enabled";
constexpr std::string_view kUserMetadata = "spark.databricks.delta.commitInfo.userMetadata";
constexpr std::string_view kTxnAppId = "spark.databricks.delta.write.txnAppId";
constexpr std::string_view kTxnVersion = "spark.databricks.delta.write.txnVersion";
constexpr std::string_view kTxnAutoReset = "spark.databricks.delta.write.txnVersion.autoReset.enabled";
constexpr std::string_view kHistoryMetrics = "spark.databricks.delta.history.metricsEnabled";
constexpr std::string_view kMaxCommitAttempts = "spark.databricks.delta.maxCommitAttempts";
constexpr std::string_view kArbitraryProperties = "spark.databricks.delta.allowArbitraryProperties.enabled";
constexpr std::string_view kEnforceRetention =
    "spark.databricks.delta.vacuum.enforceTimeTravelWithinDeletedFileRetentionDuration";
constexpr std::string_view kOverwriteMode = "spark.sql.sources.partitionOverwriteMode";
constexpr std::string_view kPropertyDefaults = "spark.databricks.delta.properties.defaults.";

enum class ValueKind : uint8_t { kBool, kNumber, kText, kOverwriteMode, kFixed, kTimeZone };
struct KnownSetting {
    std::string_view key;
    ValueKind kind;
    const char *initial;  // null: none; of kFixed: the only one
};
constexpr KnownSetting kKnown[] = {
    {kAutoMerge, ValueKind::kBool, "false"},
    {kUserMetadata, ValueKind::kText, nullptr},
    {kTxnAppId, ValueKind::kText, nullptr},
    {kTxnVersion, ValueKind::kNumber, nullptr},
    {kTxnAutoReset, ValueKind::kBool, "false"},
    {kHistoryMetrics, ValueKind::kBool, "true"},
    {kMaxCommitAttempts, ValueKind::kNumber, "10000000"},
    {kOverwriteMode, ValueKind::kOverwriteMode, "static"},
    {"spark.databricks.delta.retentionDurationCheck.enabled", ValueKind::kBool, "true"},
    {kArbitraryProperties, ValueKind::kBool, "false"},
    {"spark.databricks.delta.replaceWhere.constraintCheck.enabled", ValueKind::kBool, "true"},
    {"spark.databricks.delta.replaceWhere.dataColumns.enabled", ValueKind::kBool, "true"},
    {kEnforceRetention, ValueKind::kBool, "false"},
    {"spark.sql.storeAssignmentPolicy", ValueKind::kFixed, "ANSI"},
    {"spark.sql.ansi.enabled", ValueKind::kFixed, "true"},
    {"spark.sql.caseSensitive", ValueKind::kFixed, "false"},
    {"spark.sql.session.timeZone", ValueKind::kTimeZone, nullptr},
};

std::string Lower(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

std::string_view Trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

const KnownSetting *FindKnown(const std::string &lower_key) {
    for (auto &known : kKnown) {
        if (Lower(known.key) == lower_key) {
            return &known;
        }
    }
    return nullptr;
}

//! The known key that an unknown one was meant to be: a write that goes by a default, because a letter was missing, may
//! delete what was to stay. Spark's own keys differ from these by six letters at least.
std::optional<std::string> MeantKey(const std::string &lower_key) {
    constexpr duckdb::idx_t kTypos = 3;
    for (auto &known : kKnown) {
        if (duckdb::StringUtil::LevenshteinDistance(lower_key, Lower(known.key)) <= kTypos) {
            return std::string(known.key);
        }
    }
    auto dot = lower_key.rfind('.');
    auto defaults = Lower(kPropertyDefaults);
    if (dot != std::string::npos && !lower_key.starts_with(defaults) &&
        duckdb::StringUtil::LevenshteinDistance(lower_key.substr(0, dot + 1), defaults) <= kTypos) {
        return std::string(kPropertyDefaults) + lower_key.substr(dot + 1);
    }
    return std::nullopt;
}

std::optional<int64_t> NumberOf(std::string_view text) {
    int64_t number = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

Status CheckTimeZone(duckdb::ClientContext &context, std::string_view key, const std::string &value) {
    duckdb::Value zone;
    if (context.TryGetCurrentSetting("TimeZone", zone) && EqualsIgnoreCase(zone.ToString(), value)) {
        return {};
    }
    return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE,
                "{} is not followed here; the session's time zone is {}. SET TimeZone = '{}' changes it.", key,
                zone.ToString(), value);
}

Status CheckValue(duckdb::ClientContext &context, const KnownSetting &known, const std::string &value) {
    const char *wanted = nullptr;
    switch (known.kind) {
    case ValueKind::kBool:
        wanted = Lower(value) == "true" || Lower(value) == "false" ? nullptr : "true or false";
        break;
    case ValueKind::kNumber: wanted = NumberOf(value) ? nullptr : "a whole number"; break;
    case ValueKind::kOverwriteMode:
        wanted = Lower(value) == "static" || Lower(value) == "dynamic" ? nullptr : "static or dynamic";
        break;
    case ValueKind::kFixed: wanted = Lower(value) == Lower(known.initial) ? nullptr : known.initial; break;
    case ValueKind::kTimeZone: return CheckTimeZone(context, known.key, value);
    case ValueKind::kText: break;
    }
    if (wanted) {
        return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE, "{} cannot be '{}'. It is {}.", known.key, value,
                    wanted);
    }
    return {};
}

duckdb::Value GlobalSetting(duckdb::DatabaseInstance &db, const char *name) {
    duckdb::Value value;
    db.TryGetCurrentSetting(name, value);
    return value;
}

void CheckCheckpoints(duckdb::ClientContext &, duckdb::SetScope, duckdb::Value &value) {
    auto mode = value.IsNull() ? std::string() : Lower(value.ToString());
    if (mode != "on" && mode != "off" && mode != "inline") {
        Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                   "{} cannot be '{}'. It is on (after the commit, in the background), inline (before the statement "
                   "returns) or off.",
                   kCheckpoints, value.ToString()));
    }
    value = duckdb::Value(mode);
}

void ApplyFsync(duckdb::ClientContext &context, duckdb::SetScope, duckdb::Value &value) {
    SetFsync(*context.db, value.IsNull() || value.GetValue<bool>());
}

void AttachUnderNewName(duckdb::ClientContext &context, duckdb::SetScope, duckdb::Value &value) {
    Guarded([&] {
        auto name = value.IsNull() ? std::string() : value.ToString();
        auto problem = name.empty() ? std::string("A catalog must have a name.") : AttachPathCatalog(*context.db, name);
        if (!problem.empty()) {
            Throw(Error(Condition::BIRDFOOT_INVALID_INPUT, problem));
        }
    });
}

}  // namespace

void RegisterSettings(duckdb::DatabaseInstance &db) {
    auto &config = duckdb::DBConfig::GetConfig(db);
    using duckdb::LogicalType;
    using duckdb::SetScope;
    using duckdb::Value;
    config.AddExtensionOption(kFsync, "Flush commits and data files of Delta tables to the disk before they count",
                              LogicalType::BOOLEAN, Value::BOOLEAN(true), ApplyFsync, SetScope::GLOBAL);
    config.AddExtensionOption(kCatalogName, "Name of the catalog whose table names are paths of Delta tables",
                              LogicalType::VARCHAR, Value("delta"), AttachUnderNewName, SetScope::GLOBAL);
    config.AddExtensionOption(
        kCheckpoints, "When a checkpoint that a commit asks for is written: on (in the background), inline, off",
        LogicalType::VARCHAR, Value("on"), CheckCheckpoints, SetScope::GLOBAL);
    config.AddExtensionOption(kDefaultDeletionVectors, "New Delta tables have deletion vectors", LogicalType::BOOLEAN,
                              Value::BOOLEAN(false), nullptr, SetScope::SESSION);
    config.AddExtensionOption(kColumnUpdateMinBytes,
                              "Without deletion vectors, files of so many bytes are updated column by column",
                              LogicalType::UBIGINT, Value::UBIGINT(1 << 20), nullptr, SetScope::SESSION);
    SetFsync(db, FsyncOf(db));  // the database may have been opened with the setting already
}

CheckpointMode CheckpointModeOf(duckdb::DatabaseInstance &db) {
    auto mode = GlobalSetting(db, kCheckpoints).ToString();
    if (mode == "off") {
        return CheckpointMode::kOff;
    }
    return mode == "inline" ? CheckpointMode::kInline : CheckpointMode::kBackground;
}

bool FsyncOf(duckdb::DatabaseInstance &db) {
    auto value = GlobalSetting(db, kFsync);
    return value.IsNull() || value.GetValue<bool>();
}

uint64_t ColumnUpdateMinBytesOf(duckdb::ClientContext &context) {
    duckdb::Value value;
    context.TryGetCurrentSetting(kColumnUpdateMinBytes, value);
    return value.IsNull() ? 0 : value.GetValue<uint64_t>();
}

std::string CatalogNameOf(duckdb::DatabaseInstance &db) {
    auto value = GlobalSetting(db, kCatalogName);
    return value.IsNull() || value.ToString().empty() ? "delta" : value.ToString();
}

SessionSettings &SessionSettings::Of(duckdb::ClientContext &context) {
    return *context.registered_state->GetOrCreate<SessionSettings>(kSessionKey);
}

Status SessionSettings::Set(duckdb::ClientContext &context, std::string_view key, std::string_view value) {
    std::string name(Trimmed(key));
    std::string text(Trimmed(value));
    auto lower = Lower(name);
    if (auto *known = FindKnown(lower)) {
        BF_RETURN_IF_ERROR(CheckValue(context, *known, text));
    } else if (auto meant = MeantKey(lower)) {
        return Fail(Condition::BIRDFOOT_INVALID_INPUT, "There is no setting {}. Did you mean {}?", name, *meant);
    }
    std::lock_guard lock(mutex_);
    values_[lower] = {std::move(name), std::move(text)};
    return {};
}

void SessionSettings::Reset(std::string_view key) {
    std::lock_guard lock(mutex_);
    values_.erase(Lower(Trimmed(key)));
}

std::optional<std::string> SessionSettings::Get(std::string_view key) const {
    auto lower = Lower(Trimmed(key));
    {
        std::lock_guard lock(mutex_);
        if (auto found = values_.find(lower); found != values_.end()) {
            return found->second.second;
        }
    }
    auto *known = FindKnown(lower);
    return known && known->initial ? std::optional<std::string>(known->initial) : std::nullopt;
}

std::vector<std::pair<std::string, std::string>> SessionSettings::All() const {
    std::vector<std::pair<std::string, std::string>> all;
    std::lock_guard lock(mutex_);
    for (auto &[lower, entry] : values_) {
        all.push_back(entry);
    }
    return all;
}

bool SessionSettings::GetBool(std::string_view key) const {
    auto value = Get(key);
    return value && Lower(*value) == "true";
}

std::map<std::string, std::string> SessionSettings::DefaultTableProperties() const {
    std::map<std::string, std::string> properties;
    auto prefix = Lower(kPropertyDefaults);
    std::lock_guard lock(mutex_);
    for (auto &[lower, entry] : values_) {
        if (lower.starts_with(prefix)) {
            // In the property's own spelling: a table's own value replaces it.
            properties[CanonicalPropertyKey("delta." + entry.first.substr(prefix.size()))] = entry.second;
        }
    }
    return properties;
}

bool AutoMergeOf(duckdb::ClientContext &context) { return SessionSettings::Of(context).GetBool(kAutoMerge); }

bool DynamicPartitionOverwriteOf(duckdb::ClientContext &context) {
    return Lower(*SessionSettings::Of(context).Get(kOverwriteMode)) == "dynamic";
}

std::optional<std::string> UserMetadataOf(duckdb::ClientContext &context) {
    return SessionSettings::Of(context).Get(kUserMetadata);
}

bool AllowsArbitraryProperties(duckdb::ClientContext &context) {
    return SessionSettings::Of(context).GetBool(kArbitraryProperties);
}

bool EnforcesRetentionOf(duckdb::ClientContext &context) {
    return SessionSettings::Of(context).GetBool(kEnforceRetention);
}

std::map<std::string, std::string> DefaultTablePropertiesOf(duckdb::ClientContext &context) {
    auto properties = SessionSettings::Of(context).DefaultTableProperties();
    duckdb::Value value;
    if (context.TryGetCurrentSetting(kDefaultDeletionVectors, value) && !value.IsNull() && value.GetValue<bool>()) {
        properties.emplace("delta.enableDeletionVectors", "true");
    }
    return properties;
}

CommitOptions CommitOptionsOf(duckdb::ClientContext &context) {
    auto &session = SessionSettings::Of(context);
    CommitOptions options;
    options.engine_info = fmt::format("Birdfoot/{} DuckDB/{}", BIRDFOOT_VERSION,
                                      std::string_view(duckdb::DuckDB::LibraryVersion()).substr(1));
    options.history_metrics = session.GetBool(kHistoryMetrics);
    auto attempts = NumberOf(*session.Get(kMaxCommitAttempts)).value_or(options.max_attempts);
    options.max_attempts = static_cast<int>(std::clamp<int64_t>(attempts, 1, std::numeric_limits<int>::max()));
    return options;
}

Result<std::optional<IdempotentWrite>> IdempotentWriteOf(duckdb::ClientContext &context) {
    auto &session = SessionSettings::Of(context);
    auto app_id = session.Get(kTxnAppId);
    auto version = session.Get(kTxnVersion);
    if (!app_id && !version) {
        return std::optional<IdempotentWrite>();
    }
    if (!app_id || !version) {
        return Fail(Condition::DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS,
                    "Only {} is set. An idempotent write needs both {} and {}. Set the other, or reset this one.",
                    app_id ? kTxnAppId : kTxnVersion, kTxnAppId, kTxnVersion);
    }
    return std::optional<IdempotentWrite>({*app_id, *NumberOf(*version), session.GetBool(kTxnAutoReset)});
}

}  // namespace birdfoot::duck
