// The allow-lists, as data. Whatever is not on them fails the transaction.
#include "core/txn/metadata_conflicts.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "core/schema/column_mapping.hpp"
#include "core/schema/types.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

//! Features that ask nothing of data written before they were added, or that a rebase sees to (row ids, timestamps).
constexpr std::array<std::string_view, 16> kHarmlessFeatures = {
    "appendOnly",      "changeDataFeed",       "columnMapping",     "timestampNtz",
    "deletionVectors", "rowTracking",          "domainMetadata",    "icebergCompatV1",
    "icebergCompatV2", "icebergCompatV3",      "v2Checkpoint",      "catalogManaged",
    "typeWidening",    "typeWidening-preview", "inCommitTimestamp", "vacuumProtocolCheck"};

constexpr std::string_view kRowTracking = "delta.enableRowTracking";
constexpr std::string_view kMappingMode = "delta.columnMapping.mode";

//! Members of a field's metadata that column mapping owns.
constexpr std::array<std::string_view, 5> kMappingMembers = {kColumnMappingId, kColumnMappingPhysicalName,
                                                             "delta.columnMapping.nested.ids", "parquet.field.id",
                                                             "parquet.field.nested.ids"};

std::string_view PropertyOf(const Metadata &metadata, std::string_view key) {
    const auto found = metadata.configuration.find(std::string(key));
    return found == metadata.configuration.end() ? std::string_view() : std::string_view(found->second);
}

bool IsTrue(std::string_view text) { return EqualsIgnoreCase(text, "true"); }

bool TurnsNameMappingOn(const Metadata &before, const Metadata &after) {
    const auto mode = PropertyOf(before, kMappingMode);
    return (mode.empty() || EqualsIgnoreCase(mode, "none")) &&
           EqualsIgnoreCase(PropertyOf(after, kMappingMode), "name");
}

bool IsHarmlessProperty(const std::string &key, const Metadata &before, const Metadata &after,
                        const Protocol &protocol) {
    const auto value = PropertyOf(after, key);
    const bool is_new = !before.configuration.contains(key);
    if (key == kRowTracking) {
        return HasFeature(protocol, "rowTracking") && IsTrue(value);
    }
    if (key == "delta.rowTracking.materializedRowIdColumnName" ||
        key == "delta.rowTracking.materializedRowCommitVersionColumnName") {
        return IsTrue(PropertyOf(after, kRowTracking));
    }
    if (key == kMappingMode) {
        return HasFeature(protocol, "columnMapping") && TurnsNameMappingOn(before, after);
    }
    if (key == "delta.columnMapping.maxColumnId") {
        return true;
    }
    if (key == "delta.enableDeletionVectors") {
        return HasFeature(protocol, "deletionVectors") && IsTrue(value);
    }
    if (key == "delta.checkpointPolicy") {
        return HasFeature(protocol, "v2Checkpoint") && value == "v2";
    }
    if (key == "delta.enableInCommitTimestamps") {
        return HasFeature(protocol, "inCommitTimestamp") && IsTrue(value);
    }
    if (key == "delta.inCommitTimestampEnablementVersion" || key == "delta.inCommitTimestampEnablementTimestamp") {
        return is_new;
    }
    return key == "io.unitycatalog.tableId" && is_new;
}

std::optional<std::string> HarmfulProperty(const Metadata &before, const Metadata &after, const Protocol &protocol) {
    for (const auto &[key, value] : before.configuration) {
        if (!after.configuration.contains(key)) {
            return key;
        }
    }
    for (const auto &[key, value] : after.configuration) {
        const auto old = before.configuration.find(key);
        if ((old == before.configuration.end() || old->second != value) &&
            !IsHarmlessProperty(key, before, after, protocol)) {
            return key;
        }
    }
    return std::nullopt;
}

// ---- schemas that differ in nothing but what column mapping adds ----

std::set<FieldMetadata::Entry> WithoutMapping(const FieldMetadata &metadata) {
    std::set<FieldMetadata::Entry> entries;
    for (const auto &entry : metadata.entries()) {
        if (std::find(kMappingMembers.begin(), kMappingMembers.end(), entry.first) == kMappingMembers.end()) {
            entries.insert(entry);
        }
    }
    return entries;
}

bool SameButMapping(const StructType &a, const StructType &b);

bool SameButMapping(const DataType &a, const DataType &b) {
    if (a.kind() != b.kind()) {
        return false;
    }
    switch (a.kind()) {
    case TypeKind::kStruct: return SameButMapping(a.struct_type(), b.struct_type());
    case TypeKind::kArray:
        return a.array_type().contains_null == b.array_type().contains_null &&
               SameButMapping(a.array_type().element, b.array_type().element);
    case TypeKind::kMap:
        return a.map_type().value_contains_null == b.map_type().value_contains_null &&
               SameButMapping(a.map_type().key, b.map_type().key) &&
               SameButMapping(a.map_type().value, b.map_type().value);
    default: return a.SameAs(b);
    }
}

bool SameButMapping(const StructType &a, const StructType &b) {
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      [](const StructField &x, const StructField &y) {
                          return x.name == y.name && x.nullable == y.nullable && SameButMapping(x.type, y.type) &&
                                 WithoutMapping(x.metadata) == WithoutMapping(y.metadata);
                      });
}

bool OnlyMappingChanged(const Metadata &before, const Metadata &after) {
    if (!TurnsNameMappingOn(before, after)) {
        return false;
    }
    const auto old_schema = ParseSchema(before.schema_string);
    const auto new_schema = ParseSchema(after.schema_string);
    return old_schema.ok() && new_schema.ok() && SameButMapping(*old_schema, *new_schema);
}

}  // namespace

std::optional<std::string> ProtocolChangeThatFailsOthers(const Protocol &before, const Protocol &after) {
    const auto old_features = WriterFeatureNames(before);
    const auto new_features = WriterFeatureNames(after);
    for (const auto &name : old_features) {
        if (!std::binary_search(new_features.begin(), new_features.end(), name)) {
            return fmt::format("dropped the table feature {}", name);
        }
    }
    for (const auto &name : new_features) {
        const bool is_new = !std::binary_search(old_features.begin(), old_features.end(), name);
        if (is_new && std::find(kHarmlessFeatures.begin(), kHarmlessFeatures.end(), name) == kHarmlessFeatures.end()) {
            return fmt::format("added the table feature {}", name);
        }
    }
    return std::nullopt;
}

std::optional<std::string> MetadataChangeThatFailsOthers(const Metadata &before, const Metadata &after,
                                                         const Protocol &protocol) {
    Metadata same_but_two = after;
    same_but_two.configuration = before.configuration;
    same_but_two.schema_string = before.schema_string;
    if (!(same_but_two == before)) {
        return "changed the table's metadata";
    }
    if (before.schema_string != after.schema_string && !OnlyMappingChanged(before, after)) {
        return "changed the table's schema";
    }
    if (const auto key = HarmfulProperty(before, after, protocol)) {
        return fmt::format("changed the table property {}", *key);
    }
    return std::nullopt;
}

bool IsIdentityOnly(const CommitInfo &info) {
    const auto document = JsonDocument::Parse(info.json);
    if (!document.ok()) {
        return false;
    }
    const auto tag = document->root()["tags"]["delta.identity.schemaUpdate"];
    return tag.string() == "true" || tag.boolean() == true;
}

}  // namespace birdfoot
