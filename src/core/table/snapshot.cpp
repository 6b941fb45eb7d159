// Loading snapshots: list, read the tail, take protocol and metadata, check what they ask for, parse the schema. A file
// that vanishes between listing and reading (log clean-up runs elsewhere) makes us list again; a checkpoint that cannot
// be read makes us fall back to an older one and the commits after it.
#include "core/table/snapshot.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/log/checkpoint_reader.hpp"
#include "core/log/replay.hpp"
#include "core/schema/type_widening.hpp"
#include "core/table/history.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr int kMaxListings = 4;  // how often the log may change under our feet
constexpr std::string_view kMappingMode = "delta.columnMapping.mode";

bool HasScheme(std::string_view path) {
    const size_t colon = path.find("://");
    return colon != std::string_view::npos && path.find('/') > colon;
}

//! One '/' between names, no "." among them.
std::string TidyLocalPath(const std::filesystem::path &path) {
    std::string tidy;
    for (const auto &part : path) {
        const auto name = part.string();
        if (name == "/" || name == "." || name.empty()) {
            continue;
        }
        tidy += '/' + name;
    }
    return tidy.empty() ? "/" : tidy;
}

//! Protocol (3,7) without its lists of features is read as if they were empty, but only where nothing in the table
//! contradicts that.
Status CheckFeatureLists(const Protocol &protocol, const Metadata &metadata, const StructType &schema,
                         const std::string &root) {
    if (protocol.min_reader_version < 3 || protocol.reader_features) {
        return {};
    }
    for (const auto &feature : TableFeatures()) {
        if (feature.kind == FeatureKind::kReaderWriter && IsFeatureActive(feature, metadata, schema)) {
            return Fail(Condition::DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH,
                        "Table '{}' has reader version {} but no list of reader features, although it uses {}. Its "
                        "protocol action is damaged.",
                        root, protocol.min_reader_version, feature.name);
        }
    }
    return {};
}

Error StateError(const LogSegment &segment, std::string_view what) {
    return Fail(
        Condition::DELTA_STATE_RECOVER_ERROR,
        "The {} of your Delta table could not be recovered while reconstructing version {}: there is no {} action "
        "in {}. Did you manually delete files in the _delta_log folder?",
        what, segment.version, what == "metadata" ? "metaData" : what, segment.log_folder);
}

//! `earlier`, if given, is a snapshot of the same table whose parsed schema may be shared.
Result<SnapshotPtr> BuildSnapshot(const std::string &root, LogSegment segment, TableState state,
                                  const Snapshot *earlier) {
    if (!state.protocol) {
        return StateError(segment, "protocol");
    }
    BF_RETURN_IF_ERROR(CheckReadable(*state.protocol, root));
    if (!state.metadata) {
        return StateError(segment, "metadata");
    }
    const auto &metadata = *state.metadata;
    if (!EqualsIgnoreCase(metadata.format_provider, "parquet")) {
        return Fail(Condition::BIRDFOOT_UNSUPPORTED, "Table '{}' keeps its data as '{}'. Delta tables are Parquet.",
                    root, metadata.format_provider);
    }
    const auto property = [&](std::string_view key) -> std::optional<std::string> {
        const auto it = metadata.configuration.find(std::string(key));
        return it == metadata.configuration.end() ? std::nullopt : std::optional(it->second);
    };
    StructType schema;
    auto mapping = ColumnMappingMode::kNone;
    if (earlier && earlier->metadata() == metadata) {
        schema = earlier->schema();
        mapping = earlier->mapping();
    } else {
        BF_ASSIGN(schema, ParseSchema(metadata.schema_string));
        BF_ASSIGN(mapping, ParseColumnMappingMode(property(kMappingMode).value_or("none")));
        BF_RETURN_IF_ERROR(CheckColumnMapping(schema, mapping));
        BF_RETURN_IF_ERROR(CheckTypeChanges(schema));
    }
    for (const auto &name : metadata.partition_columns) {
        if (!schema.Find(name)) {
            return Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                        "Partition column {} of table '{}' is not in its schema. Its metaData action is damaged.", name,
                        root);
        }
    }
    BF_RETURN_IF_ERROR(CheckFeatureLists(*state.protocol, metadata, schema, root));
    std::optional<int64_t> in_commit_timestamp;
    if (EqualsIgnoreCase(property("delta.enableInCommitTimestamps").value_or("false"), "true") &&
        state.last_commit_info) {
        in_commit_timestamp = state.last_commit_info->in_commit_timestamp;
    }
    return SnapshotPtr(std::make_shared<const Snapshot>(root, std::move(segment), *std::move(state.protocol),
                                                        *std::move(state.metadata), std::move(schema), mapping,
                                                        in_commit_timestamp));
}

Result<SnapshotPtr> LoadSegment(const Engine &engine, const std::string &root, LogSegment segment,
                                const Snapshot *earlier, const Call &call) {
    BF_RETURN_IF_ERROR(ReadTail(engine, segment, call));
    // The segment that could be read is the one that the snapshot keeps.
    return WithOlderCheckpoint(engine, segment, call, [&](const LogSegment &tried, bool *) -> Result<SnapshotPtr> {
        BF_ASSIGN(auto state, ReplayStateOnce(engine, tried, call));
        return BuildSnapshot(root, tried, std::move(state), earlier);
    });
}

Result<SnapshotPtr> LoadVersion(const Engine &engine, const std::string &root, std::optional<Version> version,
                                const Call &call) {
    for (int listings = 1;; ++listings) {
        BF_ASSIGN(auto segment, ListLogSegment(engine, root, version, call));
        auto snapshot = LoadSegment(engine, root, std::move(segment), nullptr, call);
        if (snapshot.ok() || snapshot.error().condition() != Condition::BIRDFOOT_OBJECT_NOT_FOUND ||
            listings == kMaxListings) {
            return snapshot;
        }
    }
}

}  // namespace

std::optional<std::string> Snapshot::Property(const std::string &key) const {
    const auto it = metadata_.configuration.find(key);
    return it == metadata_.configuration.end() ? std::nullopt : std::optional(it->second);
}

bool Snapshot::IsPartitionColumn(std::string_view logical_name) const {
    return std::any_of(metadata_.partition_columns.begin(), metadata_.partition_columns.end(),
                       [&](const std::string &name) { return EqualsIgnoreCase(name, logical_name); });
}

int64_t Snapshot::timestamp_ms() const { return in_commit_timestamp_.value_or(segment_.last_commit.modified_ms); }

std::string NormalizeTableRoot(std::string_view path) {
    std::string text(path);
    if (text.starts_with("file:")) {
        text = DecodePath(text);
    }
    if (HasScheme(text)) {
        const size_t bucket = text.find("://") + 3;
        while (text.size() > bucket && text.back() == '/') {
            text.pop_back();
        }
        return text;
    }
    if (text == "~" || text.starts_with("~/")) {  // as a shell does, and DuckDB
        if (const char *home = std::getenv("HOME")) {
            text.replace(0, 1, home);
        }
    }
    std::error_code ignored;
    const auto absolute = std::filesystem::absolute(text.empty() ? "." : text, ignored);
    return TidyLocalPath(absolute);
}

Result<SnapshotPtr> LoadSnapshot(const Engine &engine, const std::string &root, const VersionTarget &target,
                                 const Call &call) {
    if (const auto *at = std::get_if<AtVersion>(&target)) {
        if (at->version < 0) {
            return Fail(Condition::DELTA_VERSION_INVALID, "Version {} is invalid: versions begin at 0.", at->version);
        }
        return LoadVersion(engine, root, at->version, call);
    }
    BF_ASSIGN(auto latest, LoadVersion(engine, root, std::nullopt, call));
    if (const auto *time = std::get_if<AtTimestamp>(&target)) {
        BF_ASSIGN(const auto found, VersionAtTime(engine, *latest, *time, OutOfRange::kError, call));
        return found.version == latest->version() ? std::move(latest) : LoadVersion(engine, root, found.version, call);
    }
    return latest;
}

Result<SnapshotPtr> UpdateSnapshot(const Engine &engine, const SnapshotPtr &earlier, const Call &call) {
    BF_ASSIGN(auto extended, ExtendLogSegment(engine, earlier->segment(), call));
    if (!extended) {
        // Another table stands there, or clean-up took the commit.
        return LoadVersion(engine, earlier->root(), std::nullopt, call);
    }
    if (extended->version == earlier->version()) {
        return earlier;
    }
    if (extended->first_in_tail() > earlier->version() + 1) {
        // A newer checkpoint stands for commits that were not seen one by one.
        return LoadSegment(engine, earlier->root(), *std::move(extended), earlier.get(), call);
    }
    BF_RETURN_IF_ERROR(ReadTail(engine, *extended, call));
    BF_ASSIGN(auto state, ReplayStateSince(engine, *extended, earlier->version(), call));
    if (!state.protocol) {
        state.protocol = earlier->protocol();
    }
    if (!state.metadata) {
        state.metadata = earlier->metadata();
    }
    return BuildSnapshot(earlier->root(), *std::move(extended), std::move(state), earlier.get());
}

Result<bool> IsDeltaTable(const Engine &engine, const std::string &root, const Call &call) {
    const std::string folder = fmt::format("{}/{}", root, kLogFolder);
    const auto first = engine.store->Head(folder + "/" + CommitFileName(0), call);
    if (first.ok()) {
        return true;
    }
    if (first.error().condition() != Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
        return first.error();
    }
    BF_ASSIGN(const auto files, engine.store->List(folder, "", call));
    return std::any_of(files.begin(), files.end(), [](const ObjectInfo &file) {
        const auto name = ParseLogFileName(file.name);
        return name && (name->kind == LogFileKind::kCommit || name->kind == LogFileKind::kCheckpoint);
    });
}

}  // namespace birdfoot
