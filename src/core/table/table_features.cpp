// The registry of table features and the gates made from it. What a feature asks of a reader or writer is implemented
// where it belongs; this file only knows names, versions, dependencies and what switches a feature on.
#include "core/table/table_features.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

namespace birdfoot {
namespace {

constexpr auto kWriter = FeatureKind::kWriter;
constexpr auto kBoth = FeatureKind::kReaderWriter;
constexpr auto kYes = Support::kYes;
constexpr auto kNo = Support::kNo;

constexpr std::string_view kUnit = "tests/unit/core/table";
constexpr std::string_view kRules = "tests/sql/rules";
constexpr std::string_view kExpressions =
    "a write is refused where the table's expression is not known to mean what it does in Spark";
constexpr std::string_view kNotYet = "writing is refused where a column or the table uses it";
constexpr std::string_view kCatalog = "its latest commits are known to a catalog alone";

// name, kind, legacy reader and writer version, read, write, enabled by, needs, test folder, remark
constexpr std::array kFeatures = {
    TableFeature{"appendOnly", kWriter, 0, 2, kYes, kYes, "delta.appendOnly", "", kUnit, ""},
    TableFeature{"invariants", kWriter, 0, 2, kYes, kYes, "", "", kRules, kExpressions},
    TableFeature{"checkConstraints", kWriter, 0, 3, kYes, kYes, "", "", kRules, kExpressions},
    TableFeature{"changeDataFeed", kWriter, 0, 4, kYes, kYes, "delta.enableChangeDataFeed", "", kUnit, ""},
    TableFeature{"generatedColumns", kWriter, 0, 4, kYes, kYes, "", "", kRules, kExpressions},
    TableFeature{"columnMapping", kBoth, 2, 5, kYes, kYes, "delta.columnMapping.mode", "", "tests/sql/alter", ""},
    TableFeature{"identityColumns", kWriter, 0, 6, kYes, kYes, "", "", kRules, ""},
    TableFeature{"allowColumnDefaults", kWriter, 0, 0, kYes, kYes, "", "", kRules, kExpressions},
    TableFeature{"deletionVectors", kBoth, 0, 0, kYes, kYes, "delta.enableDeletionVectors", "", kUnit, ""},
    TableFeature{"rowTracking", kWriter, 0, 0, kYes, kYes, "delta.enableRowTracking", "domainMetadata", kUnit, ""},
    TableFeature{"timestampNtz", kBoth, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"domainMetadata", kWriter, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"v2Checkpoint", kBoth, 0, 0, kYes, kYes, "delta.checkpointPolicy", "", kUnit, ""},
    TableFeature{"inCommitTimestamp", kWriter, 0, 0, kYes, kYes, "delta.enableInCommitTimestamps", "", kUnit, ""},
    TableFeature{"clustering", kWriter, 0, 0, kYes, kYes, "", "domainMetadata", kUnit,
                 "files are appended as they come; OPTIMIZE clusters them"},
    TableFeature{"typeWidening", kBoth, 0, 0, kYes, kYes, "delta.enableTypeWidening", "", kUnit, ""},
    TableFeature{"typeWidening-preview", kBoth, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"variantType", kBoth, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"variantType-preview", kBoth, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"variantShredding", kBoth, 0, 0, kYes, kNo, "delta.enableVariantShredding", "variantType", kUnit,
                 kNotYet},
    TableFeature{"variantShredding-preview", kBoth, 0, 0, kYes, kNo, "", "", kUnit, kNotYet},
    TableFeature{"vacuumProtocolCheck", kBoth, 0, 0, kYes, kYes, "", "", kUnit, ""},
    TableFeature{"checkpointProtection", kWriter, 0, 0, kYes, kYes, "", "", kUnit,
                 "log clean-up leaves the protected versions alone"},
    TableFeature{"materializePartitionColumns", kWriter, 0, 0, kYes, kNo,
                 "delta.enableMaterializePartitionColumnsFeature", "", kUnit, kNotYet},
    TableFeature{"icebergCompatV1", kWriter, 0, 0, kYes, kNo, "delta.enableIcebergCompatV1", "columnMapping", kUnit,
                 kNotYet},
    TableFeature{"icebergCompatV2", kWriter, 0, 0, kYes, kNo, "delta.enableIcebergCompatV2", "columnMapping", kUnit,
                 kNotYet},
    TableFeature{"icebergCompatV3", kWriter, 0, 0, kYes, kNo, "delta.enableIcebergCompatV3",
                 "columnMapping,rowTracking", kUnit, kNotYet},
    TableFeature{"coordinatedCommits-preview", kWriter, 0, 0, kYes, kNo,
                 "delta.coordinatedCommits.commitCoordinator-preview", "inCommitTimestamp,vacuumProtocolCheck", kUnit,
                 kCatalog},
    TableFeature{"catalogManaged", kBoth, 0, 0, kNo, kNo, "", "inCommitTimestamp,vacuumProtocolCheck", kUnit, kCatalog},
    TableFeature{"catalogOwned-preview", kBoth, 0, 0, kNo, kNo, "", "inCommitTimestamp,vacuumProtocolCheck", kUnit,
                 kCatalog},
    TableFeature{"catalogOwned", kBoth, 0, 0, kNo, kNo, "", "inCommitTimestamp,vacuumProtocolCheck", kUnit, kCatalog},
    TableFeature{"redirectReaderWriter-preview", kBoth, 0, 0, kNo, kNo, "delta.redirectReaderWriter-preview", "", kUnit,
                 "the table has moved"},
    TableFeature{"redirectWriterOnly-preview", kWriter, 0, 0, kYes, kNo, "delta.redirectWriterOnly-preview", "", kUnit,
                 "the table has moved"},
    TableFeature{"geospatial", kBoth, 0, 0, kNo, kNo, "", "", kUnit, "there is no geometry type"},
    TableFeature{"geospatial-dev", kBoth, 0, 0, kNo, kNo, "", "", kUnit, "there is no geometry type"},
    TableFeature{"adaptiveMetadata-preview", kBoth, 0, 0, kNo, kNo, "", "", kUnit, "its metadata is not in the log"},
    TableFeature{"collations", kBoth, 0, 0, kNo, kNo, "", "", kUnit, "strings are compared by their bytes alone"},
};

constexpr int32_t kReaderWithFeatures = 3;
constexpr int32_t kWriterWithFeatures = 7;

bool IsLegacy(const TableFeature &feature) { return feature.legacy_writer_version > 0; }

bool PropertyIsTrue(const Metadata &metadata, const std::string &key) {
    const auto it = metadata.configuration.find(key);
    return it != metadata.configuration.end() && EqualsIgnoreCase(it->second, "true");
}

bool PropertyIs(const Metadata &metadata, const std::string &key, std::string_view value) {
    const auto it = metadata.configuration.find(key);
    return it != metadata.configuration.end() && EqualsIgnoreCase(it->second, value);
}

//! True if `test` holds for any field of the type, at any depth.
bool AnyField(const StructType &type, const std::function<bool(const StructField &)> &test);
bool AnyFieldOf(const DataType &type, const std::function<bool(const StructField &)> &test) {
    switch (type.kind()) {
    case TypeKind::kStruct: return AnyField(type.struct_type(), test);
    case TypeKind::kArray: return AnyFieldOf(type.array_type().element, test);
    case TypeKind::kMap: return AnyFieldOf(type.map_type().key, test) || AnyFieldOf(type.map_type().value, test);
    default: return false;
    }
}
bool AnyField(const StructType &type, const std::function<bool(const StructField &)> &test) {
    return std::any_of(type.fields.begin(), type.fields.end(),
                       [&](const StructField &field) { return test(field) || AnyFieldOf(field.type, test); });
}

bool HasFieldMetadata(const StructType &schema, std::string_view key) {
    return AnyField(schema, [&](const StructField &field) { return field.metadata.JsonOf(key).has_value(); });
}

bool HoldsKind(const DataType &type, TypeKind kind) {
    switch (type.kind()) {
    case TypeKind::kArray: return HoldsKind(type.array_type().element, kind);
    case TypeKind::kMap: return HoldsKind(type.map_type().key, kind) || HoldsKind(type.map_type().value, kind);
    case TypeKind::kStruct:
        return std::any_of(type.struct_type().fields.begin(), type.struct_type().fields.end(),
                           [&](const StructField &field) { return HoldsKind(field.type, kind); });
    default: return type.kind() == kind;
    }
}

bool HasKind(const StructType &schema, TypeKind kind) {
    return std::any_of(schema.fields.begin(), schema.fields.end(),
                       [&](const StructField &field) { return HoldsKind(field.type, kind); });
}

std::vector<std::string_view> SplitNeeds(std::string_view needs) {
    std::vector<std::string_view> names;
    while (!needs.empty()) {
        const size_t comma = std::min(needs.find(','), needs.size());
        names.push_back(needs.substr(0, comma));
        needs.remove_prefix(std::min(comma + 1, needs.size()));
    }
    return names;
}

void AddWithNeeds(std::set<std::string> &names, std::string_view name) {
    if (!names.emplace(name).second) {
        return;
    }
    if (const auto *feature = FindFeature(name)) {
        for (const auto need : SplitNeeds(feature->needs)) {
            AddWithNeeds(names, need);
        }
    }
}

//! The features that a pair of legacy versions implies.
std::set<std::string> LegacyFeatures(int32_t reader, int32_t writer) {
    std::set<std::string> names;
    for (const auto &feature : kFeatures) {
        if (IsLegacy(feature) && feature.legacy_writer_version <= writer && feature.legacy_reader_version <= reader) {
            names.emplace(feature.name);
        }
    }
    return names;
}

//! The weakest protocol that has exactly these features: legacy versions where they say the same, else features.
Protocol ProtocolOf(const std::set<std::string> &names) {
    int32_t reader = 1;
    int32_t writer = 1;
    bool all_legacy = true;
    for (const auto &name : names) {
        const auto *feature = FindFeature(name);
        if (feature && IsLegacy(*feature)) {
            reader = std::max(reader, feature->legacy_reader_version);
            writer = std::max(writer, feature->legacy_writer_version);
        } else {
            all_legacy = false;
            reader = feature && feature->kind == kBoth ? kReaderWithFeatures : reader;
        }
    }
    Protocol protocol;
    protocol.min_reader_version = reader;
    if (all_legacy && LegacyFeatures(reader, writer) == names) {
        protocol.min_writer_version = writer;
        return protocol;
    }
    protocol.min_writer_version = kWriterWithFeatures;
    protocol.writer_features = std::vector<std::string>(names.begin(), names.end());
    if (reader == kReaderWithFeatures) {
        protocol.reader_features.emplace();
        for (const auto &name : names) {
            const auto *feature = FindFeature(name);
            if (feature && feature->kind == kBoth) {
                protocol.reader_features->push_back(name);
            }
        }
    }
    return protocol;
}

std::string Join(const std::vector<std::string> &parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

//! Whether a writer has to do anything for this feature in this table.
bool MattersToWriter(const TableFeature &feature, const Metadata &metadata, const StructType &schema) {
    static const std::set<std::string_view> kAlways = {"catalogManaged",
                                                       "catalogOwned-preview",
                                                       "catalogOwned",
                                                       "redirectReaderWriter-preview",
                                                       "redirectWriterOnly-preview",
                                                       "coordinatedCommits-preview",
                                                       "geospatial",
                                                       "geospatial-dev",
                                                       "adaptiveMetadata-preview",
                                                       "collations",
                                                       "materializePartitionColumns"};
    return kAlways.contains(feature.name) || IsFeatureActive(feature, metadata, schema);
}

}  // namespace

std::span<const TableFeature> TableFeatures() { return kFeatures; }

const TableFeature *FindFeature(std::string_view name) {
    const auto it = std::find_if(kFeatures.begin(), kFeatures.end(), [&](const auto &f) { return f.name == name; });
    return it == kFeatures.end() ? nullptr : &*it;
}

bool IsFeatureActive(const TableFeature &feature, const Metadata &metadata, const StructType &schema) {
    const auto name = feature.name;
    if (name == "invariants") {
        return HasFieldMetadata(schema, "delta.invariants");
    }
    if (name == "checkConstraints") {
        const auto it = metadata.configuration.lower_bound("delta.constraints.");
        return it != metadata.configuration.end() && it->first.starts_with("delta.constraints.");
    }
    if (name == "generatedColumns") {
        return HasFieldMetadata(schema, "delta.generationExpression");
    }
    if (name == "identityColumns") {
        return HasFieldMetadata(schema, "delta.identity.start");
    }
    if (name == "allowColumnDefaults") {
        return HasFieldMetadata(schema, "CURRENT_DEFAULT");
    }
    if (name == "columnMapping") {
        return PropertyIs(metadata, "delta.columnMapping.mode", "name") ||
               PropertyIs(metadata, "delta.columnMapping.mode", "id");
    }
    if (name == "timestampNtz") {
        return HasKind(schema, TypeKind::kTimestampNtz);
    }
    if (name == "variantType") {
        return HasKind(schema, TypeKind::kVariant);
    }
    if (name == "v2Checkpoint") {
        return PropertyIs(metadata, "delta.checkpointPolicy", "v2");
    }
    if (name == "variantShredding-preview") {
        return PropertyIsTrue(metadata, "delta.enableVariantShredding");
    }
    if (name == "changeDataFeed") {
        return PropertyIsTrue(metadata, "delta.enableChangeDataFeed") ||
               PropertyIsTrue(metadata, "delta.enableChangeDataCapture");
    }
    if (name.starts_with("coordinatedCommits") || name.starts_with("redirect")) {
        return metadata.configuration.contains(std::string(feature.enabled_by));
    }
    return !feature.enabled_by.empty() && PropertyIsTrue(metadata, std::string(feature.enabled_by));
}

std::vector<std::string> WriterFeatureNames(const Protocol &protocol) {
    std::set<std::string> names;
    if (protocol.min_writer_version < kWriterWithFeatures) {
        names = LegacyFeatures(protocol.min_reader_version, protocol.min_writer_version);
    }
    for (const auto *list : {&protocol.writer_features, &protocol.reader_features}) {
        if (*list) {
            names.insert((*list)->begin(), (*list)->end());
        }
    }
    return {names.begin(), names.end()};
}

bool HasFeature(const Protocol &protocol, std::string_view name) {
    const auto names = WriterFeatureNames(protocol);
    return std::find(names.begin(), names.end(), name) != names.end();
}

Status CheckReadable(const Protocol &protocol, const std::string &root) {
    std::vector<std::string> unsupported;
    if (protocol.reader_features) {
        for (const auto &name : *protocol.reader_features) {
            const auto *feature = FindFeature(name);
            if (!feature) {
                unsupported.push_back(fmt::format("{} (unknown)", name));
            } else if (feature->read == kNo) {
                unsupported.push_back(fmt::format("{} ({})", name, feature->remark));
            }
        }
    }
    if (protocol.min_reader_version > kReaderWithFeatures || protocol.min_reader_version < 1) {
        return Fail(
            Condition::DELTA_INVALID_PROTOCOL_VERSION,
            "Table '{}' needs reader version {}{}. This version of Birdfoot reads versions 1 to {}; a newer one may "
            "read it.",
            root, protocol.min_reader_version,
            unsupported.empty() ? "" : fmt::format(" and the reader table features {}", Join(unsupported)),
            kReaderWithFeatures);
    }
    if (!unsupported.empty()) {
        return Fail(
            Condition::DELTA_UNSUPPORTED_FEATURES_FOR_READ,
            "Unsupported Delta read feature: table '{}' requires reader table feature(s) that Birdfoot cannot read: "
            "{}. Read it with an engine that has them.",
            root, Join(unsupported));
    }
    return {};
}

Status CheckWritable(const Protocol &protocol, const Metadata &metadata, const StructType &schema,
                     const std::string &root) {
    BF_RETURN_IF_ERROR(CheckReadable(protocol, root));
    if (protocol.min_writer_version > kWriterWithFeatures || protocol.min_writer_version < 1) {
        return Fail(Condition::DELTA_INVALID_PROTOCOL_VERSION,
                    "Table '{}' needs writer version {}. This version of Birdfoot writes versions 1 to {}.", root,
                    protocol.min_writer_version, kWriterWithFeatures);
    }
    std::vector<std::string> unsupported;
    for (const auto &name : WriterFeatureNames(protocol)) {
        const auto *feature = FindFeature(name);
        if (!feature) {
            unsupported.push_back(fmt::format("{} (unknown)", name));
        } else if (feature->write == kNo && MattersToWriter(*feature, metadata, schema)) {
            unsupported.push_back(fmt::format("{} ({})", name, feature->remark));
        }
    }
    if (!unsupported.empty()) {
        return Fail(Condition::DELTA_UNSUPPORTED_FEATURES_FOR_WRITE,
                    "Unsupported Delta write feature: table '{}' requires writer table feature(s) that Birdfoot cannot "
                    "write: {}. Reading it works; write it with an engine that has them.",
                    root, Join(unsupported));
    }
    return {};
}

Protocol WithFeature(Protocol protocol, std::string_view name) {
    const auto listed = WriterFeatureNames(protocol);
    std::set<std::string> names(listed.begin(), listed.end());
    AddWithNeeds(names, name);
    return ProtocolOf(names);
}

Protocol WithoutFeature(const Protocol &protocol, std::string_view name) {
    const auto listed = WriterFeatureNames(protocol);
    std::set<std::string> names(listed.begin(), listed.end());
    names.erase(std::string(name));
    return ProtocolOf(names);
}

std::vector<std::string> FeaturesThatNeed(const Protocol &protocol, std::string_view name) {
    std::vector<std::string> dependents;
    for (auto &listed : WriterFeatureNames(protocol)) {
        const auto *feature = FindFeature(listed);
        const auto needs = feature ? SplitNeeds(feature->needs) : std::vector<std::string_view>();
        if (std::find(needs.begin(), needs.end(), name) != needs.end()) {
            dependents.push_back(std::move(listed));
        }
    }
    return dependents;
}

Protocol LowestProtocol(const Metadata &metadata, const StructType &schema) {
    const auto version = [&](const char *key, int32_t otherwise) {
        const auto it = metadata.configuration.find(key);
        return it == metadata.configuration.end() ? otherwise : std::atoi(it->second.c_str());
    };
    const int32_t reader = version("delta.minReaderVersion", 1);
    const int32_t writer = version("delta.minWriterVersion", 2);
    std::set<std::string> names =
        writer < kWriterWithFeatures ? LegacyFeatures(reader, writer) : std::set<std::string>();
    constexpr std::string_view kFeaturePrefix = "delta.feature.";
    for (const auto &[key, value] : metadata.configuration) {
        if (key.starts_with(kFeaturePrefix)) {
            AddWithNeeds(names, std::string_view(key).substr(kFeaturePrefix.size()));
        }
    }
    for (const auto &feature : kFeatures) {
        const bool by_hand = feature.name == "allowColumnDefaults" || feature.name.ends_with("-preview");
        if (!by_hand && IsFeatureActive(feature, metadata, schema)) {
            AddWithNeeds(names, feature.name);
        }
    }
    return ProtocolOf(names);
}

}  // namespace birdfoot
