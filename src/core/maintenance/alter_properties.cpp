// Properties and comments of a table. What a single property may hold is table_properties' business; here is what
// ALTER TABLE does not let a user set, and what properties ask of each other and of the schema.
#include <algorithm>
#include <cctype>

#include "core/base/json.hpp"
#include "core/maintenance/alter.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kComment = "comment";

std::string JsonMap(const Properties &properties) {
    std::string text;
    JsonWriter writer(text);
    writer.BeginObject();
    for (const auto &[key, value] : properties) {
        writer.Key(key).String(value);
    }
    writer.EndObject();
    return text;
}

Status CheckMayBeSet(const std::string &key) {
    const auto canonical = CanonicalPropertyKey(key);
    if (canonical.starts_with("delta.constraints.")) {
        return Fail(Condition::DELTA_ADD_CONSTRAINTS,
                    "Please use ALTER TABLE ADD CONSTRAINT to add CHECK constraints: the rows that are there must "
                    "satisfy them.");
    }
    if (key == "location") {
        return Fail(Condition::DELTA_CANNOT_CHANGE_LOCATION,
                    "Cannot change the 'location' of the Delta table using SET TBLPROPERTIES. Please use ALTER TABLE "
                    "SET LOCATION instead.");
    }
    if (key == "provider") {
        return Fail(Condition::DELTA_CANNOT_CHANGE_PROVIDER,
                    "'provider' is a reserved table property, and cannot be altered.");
    }
    if (key == "clusteringColumns") {
        return Fail(Condition::DELTA_CANNOT_MODIFY_TABLE_PROPERTY,
                    "The Delta table configuration {} cannot be specified by the user. Use ALTER TABLE CLUSTER BY.",
                    key);
    }
    if (EqualsIgnoreCase(canonical, "delta.feature.clustering")) {
        return Fail(
            Condition::DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED,
            "Cannot enable clustering table feature using ALTER TABLE SET TBLPROPERTIES. Please use ALTER TABLE "
            "CLUSTER BY.");
    }
    return {};
}

//! Spark records the key of a feature in lower case.
std::string RecordedKey(std::string key) {
    if (key.starts_with("delta.feature.")) {
        std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    }
    return key;
}

Result<Alteration> Complete(TableDefinition changed, const TableDefinition &table, Operation operation) {
    BF_ASSIGN(auto complete, CompleteChange(std::move(changed), table, SchemaChange::kAltered));
    return Alteration{std::move(complete), std::move(operation), {}, false};
}

}  // namespace

Result<Alteration> SetProperties(const TableDefinition &table, const Properties &properties, bool allow_arbitrary) {
    auto changed = table;
    Properties wanted = properties;
    Properties recorded;
    if (const auto comment = wanted.find(std::string(kComment)); comment != wanted.end()) {
        changed.metadata.description = comment->second;
        recorded.insert(*comment);
        wanted.erase(comment);
    }
    for (const auto &[key, value] : wanted) {
        BF_RETURN_IF_ERROR(CheckMayBeSet(key));
    }
    BF_ASSIGN(const auto checked, CheckProperties(wanted, table.metadata.configuration, allow_arbitrary));
    for (const auto &[key, value] : checked) {
        changed.metadata.configuration[key] = value;
        recorded[RecordedKey(key)] = value;
    }
    return Complete(std::move(changed), table, {"SET TBLPROPERTIES", {{"properties", JsonMap(recorded)}}, {}});
}

Result<Alteration> UnsetProperties(const TableDefinition &table, const std::vector<std::string> &keys, bool if_exists) {
    auto changed = table;
    std::string list;
    JsonWriter writer(list);
    writer.BeginArray();
    for (const auto &key : keys) {
        const auto canonical = CanonicalPropertyKey(key);
        const auto *property = FindProperty(key);
        if (property && property->kind == PropertyKind::kInternal) {
            return Fail(Condition::DELTA_CANNOT_MODIFY_TABLE_PROPERTY,
                        "The Delta table configuration {} cannot be unset by the user: writers keep it.", canonical);
        }
        writer.String(canonical);
        const bool is_comment = canonical == kComment;
        const bool is_set =
            is_comment ? changed.metadata.description.has_value() : changed.metadata.configuration.contains(canonical);
        if (!is_set && !if_exists) {
            return Fail(Condition::DELTA_UNSET_NON_EXISTENT_PROPERTY,
                        "Attempted to unset non-existent property '{}'. UNSET TBLPROPERTIES IF EXISTS does not mind.",
                        key);
        }
        changed.metadata.configuration.erase(canonical);
        if (is_comment) {
            changed.metadata.description.reset();
        }
    }
    writer.EndArray();
    // Spark looks for the keys first, and records that each may be missing.
    return Complete(std::move(changed), table,
                    {"UNSET TBLPROPERTIES", {{"properties", list}, {"ifExists", "true"}}, {}});
}

Result<Alteration> SetTableComment(const TableDefinition &table, std::optional<std::string> comment) {
    auto changed = table;
    // As Spark records it: a comment is a property named so.
    const auto recorded = JsonMap({{std::string(kComment), comment.value_or("")}});
    changed.metadata.description = std::move(comment);
    return Complete(std::move(changed), table, {"SET TBLPROPERTIES", {{"properties", recorded}}, {}});
}

}  // namespace birdfoot
