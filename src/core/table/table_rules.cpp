// See table_rules.hpp.
#include "core/table/table_rules.hpp"

#include "core/base/json.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kStart = "delta.identity.start";
constexpr std::string_view kStep = "delta.identity.step";
constexpr std::string_view kHighWater = "delta.identity.highWaterMark";
constexpr std::string_view kAllowExplicit = "delta.identity.allowExplicitInsert";

//! {"expression":{"expression":"x > 3"}}
Result<std::string> InvariantText(const std::string &json, const std::string &column) {
    const auto document = JsonDocument::Parse(json);
    const auto text = document.ok() ? document->root()["expression"]["expression"].string() : std::nullopt;
    if (!text) {
        return Fail(Condition::DELTA_SCHEMA_MALFORMED,
                    "The invariant of column {} cannot be read: {}. Remove delta.invariants from its metadata.", column,
                    json);
    }
    return std::string(*text);
}

Status AddInvariants(const StructType &type, const std::string &prefix, std::vector<CheckRule> &rules) {
    for (const auto &field : type.fields) {
        if (const auto json = field.metadata.StringOf(kInvariants)) {
            BF_ASSIGN(auto text, InvariantText(*json, prefix + field.name));
            auto name = fmt::format("EXPRESSION({})", text);
            rules.push_back({std::move(name), std::move(text)});
        } else if (const auto raw = field.metadata.JsonOf(kInvariants)) {
            return InvariantText(*raw, prefix + field.name).error();
        }
        if (field.type.kind() == TypeKind::kStruct) {
            BF_RETURN_IF_ERROR(AddInvariants(field.type.struct_type(), prefix + field.name + ".", rules));
        }
    }
    return Status::Ok();
}

}  // namespace

Result<std::vector<CheckRule>> CheckConstraints(const Metadata &metadata, const StructType &schema) {
    std::vector<CheckRule> rules;
    for (auto it = metadata.configuration.lower_bound(std::string(kConstraintPrefix));
         it != metadata.configuration.end() && it->first.starts_with(kConstraintPrefix); ++it) {
        rules.push_back({it->first.substr(kConstraintPrefix.size()), it->second});
    }
    BF_RETURN_IF_ERROR(AddInvariants(schema, "", rules));
    return rules;
}

std::string ConstraintKey(std::string_view name) {
    std::string key(kConstraintPrefix);
    for (const char c : name) {
        key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return key;
}

std::optional<std::string> ConstraintProperty(const Metadata &metadata, std::string_view name) {
    for (const auto &[key, value] : metadata.configuration) {
        if (key.starts_with(kConstraintPrefix) &&
            EqualsIgnoreCase(std::string_view(key).substr(kConstraintPrefix.size()), name)) {
            return key;
        }
    }
    return std::nullopt;
}

std::vector<GeneratedColumn> GeneratedColumns(const Protocol &protocol, const StructType &schema) {
    std::vector<GeneratedColumn> columns;
    if (!HasFeature(protocol, "generatedColumns")) {
        return columns;
    }
    for (size_t i = 0; i < schema.fields.size(); i++) {
        if (auto text = schema.fields[i].metadata.StringOf(kGenerationExpression)) {
            columns.push_back({i, std::move(*text)});
        }
    }
    return columns;
}

std::optional<IdentityColumn> IdentityOf(const StructField &field) {
    const auto start = field.metadata.IntOf(kStart);
    const auto step = field.metadata.IntOf(kStep);
    if (!start || !step) {
        return std::nullopt;
    }
    IdentityColumn identity;
    identity.allow_explicit = field.metadata.JsonOf(kAllowExplicit) == "true";
    identity.start = *start;
    identity.step = *step;
    identity.high_water = field.metadata.IntOf(kHighWater);
    return identity;
}

std::vector<IdentityColumn> IdentityColumns(const Protocol &protocol, const StructType &schema) {
    std::vector<IdentityColumn> columns;
    if (!HasFeature(protocol, "identityColumns")) {
        return columns;
    }
    for (size_t i = 0; i < schema.fields.size(); i++) {
        if (auto identity = IdentityOf(schema.fields[i])) {
            identity->column = i;
            columns.push_back(*identity);
        }
    }
    return columns;
}

void SetIdentity(StructField &field, const IdentityColumn &identity) {
    field.metadata.Set(std::string(kStart), std::to_string(identity.start));
    field.metadata.Set(std::string(kStep), std::to_string(identity.step));
    field.metadata.Set(std::string(kAllowExplicit), identity.allow_explicit ? "true" : "false");
    if (identity.high_water) {
        field.metadata.Set(std::string(kHighWater), std::to_string(*identity.high_water));
    } else {
        field.metadata.Remove(kHighWater);
    }
}

std::optional<int64_t> NextIdentity(const IdentityColumn &identity) {
    if (!identity.high_water) {
        return identity.start;
    }
    int64_t next = 0;
    return __builtin_add_overflow(*identity.high_water, identity.step, &next) ? std::nullopt : std::optional(next);
}

std::optional<std::string> DefaultOf(const Protocol &protocol, const StructField &field) {
    if (!HasFeature(protocol, "allowColumnDefaults")) {
        return std::nullopt;
    }
    return field.metadata.StringOf(kCurrentDefault);
}

}  // namespace birdfoot
