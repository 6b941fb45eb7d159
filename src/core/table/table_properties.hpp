// Table properties (the `configuration` of metaData whose keys begin with "delta."): which there are, what they may
// hold, what they are where a table does not set them. Keys are compared without regard to case and kept in their own
// spelling.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"

namespace birdfoot {

using Properties = std::map<std::string, std::string>;

enum class PropertyKind : uint8_t {
    kBool,
    kPositiveInt,
    kInt,
    kLong,
    kInterval,
    kChoice,
    kText,
    kInternal,  // kept by writers themselves: a user does not set it
};

struct TableProperty {
    std::string_view key;
    PropertyKind kind;
    std::string_view default_value;  // "" is none
    std::string_view allowed;        // kChoice: comma-separated; kInt: the least value; else for the message
    bool of_protocol;                // decides the protocol alone and is never stored (delta.minReaderVersion …)
};

//! Every property that there is, sorted by key.
std::span<const TableProperty> TableProperties();
//! Ignores case; null for an unknown one. "delta.constraints.x", "delta.feature.x" are no entries.
const TableProperty *FindProperty(std::string_view key);
//! The key as Delta spells it: "delta.appendonly" → "delta.appendOnly"; keys that are not Delta's stay as they are.
std::string CanonicalPropertyKey(std::string_view key);

//! Checks what a user sets and gives it back with canonical keys. `existing` is what the table has (for rules over two
//! properties). DELTA_UNKNOWN_CONFIGURATION (unless `allow_arbitrary`), DELTA_INVALID_CONFIGURATION_VALUE,
//! DELTA_CANNOT_MODIFY_TABLE_PROPERTY, DELTA_UNSUPPORTED_FEATURES_IN_CONFIG.
Result<Properties> CheckProperties(const Properties &wanted, const Properties &existing, bool allow_arbitrary);
//! True for delta.minReaderVersion, delta.minWriterVersion, delta.feature.* and delta.ignoreProtocolDefaults.
bool IsProtocolProperty(std::string_view key);
//! The lowest protocol for a new table's metadata, whose protocol properties are then removed from it.
Protocol TakeProtocol(Metadata &metadata, const StructType &schema);

//! Values of a table, or the defaults. A value that is no such thing (written by somebody else) is an error for
//! intervals, the default for the others.
bool BoolProperty(const Metadata &metadata, std::string_view key);
int64_t IntProperty(const Metadata &metadata, std::string_view key);
std::optional<std::string> TextProperty(const Metadata &metadata, std::string_view key);
//! Milliseconds; none where neither the table nor the default says any.
Result<std::optional<int64_t>> IntervalProperty(const Metadata &metadata, std::string_view key);

//! "interval 1 week", "36 hours", "1 day 12 hours" in milliseconds; none for months, years, negative ones and what is
//! none.
std::optional<int64_t> ParseInterval(std::string_view text);

}  // namespace birdfoot
