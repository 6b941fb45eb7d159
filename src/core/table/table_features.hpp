// The table features that the protocol has (PROTOCOL.md, "Table Features"), one record each: the gates for reading and
// writing, docs/FEATURES.md and `birdfoot features` come from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/actions.hpp"
#include "core/schema/types.hpp"

namespace birdfoot {

enum class FeatureKind : uint8_t { kWriter, kReaderWriter };
enum class Support : uint8_t { kYes, kNo };

struct TableFeature {
    std::string_view name;
    FeatureKind kind;
    int32_t legacy_reader_version;  // the version that implies it, 0: none
    int32_t legacy_writer_version;
    Support read;
    Support write;
    std::string_view enabled_by;   // the property that turns it on, "" where a type or an action does
    std::string_view needs;        // other features, comma-separated
    std::string_view test_folder;  // what proves it
    std::string_view remark;       // for FEATURES.md: why it is refused, what is left out
};

std::span<const TableFeature> TableFeatures();
const TableFeature *FindFeature(std::string_view name);

//! True if the table uses the feature: a property, a type or a column's metadata switches it on. A feature that a
//! protocol lists (legacy versions list many) need not be active.
bool IsFeatureActive(const TableFeature &feature, const Metadata &metadata, const StructType &schema);

//! The features that a protocol asks of a writer, legacy versions spelt out; sorted.
std::vector<std::string> WriterFeatureNames(const Protocol &protocol);
bool HasFeature(const Protocol &protocol, std::string_view name);

//! DELTA_UNSUPPORTED_FEATURES_FOR_READ / DELTA_INVALID_PROTOCOL_VERSION, names included.
Status CheckReadable(const Protocol &protocol, const std::string &root);
//! DELTA_UNSUPPORTED_FEATURES_FOR_WRITE names what we cannot write, and why.
Status CheckWritable(const Protocol &protocol, const Metadata &metadata, const StructType &schema,
                     const std::string &root);

//! Adds a feature and what it needs, raising versions and spelling legacy ones out as the protocol asks; the result is
//! the weakest form that says so, as Spark's is: (1,2) stays (1,2), vectors make it (3,7) with appendOnly and
//! invariants.
Protocol WithFeature(Protocol protocol, std::string_view name);
//! The weakest protocol with all features but this one.
Protocol WithoutFeature(const Protocol &protocol, std::string_view name);
//! The features that `protocol` has and that need this one.
std::vector<std::string> FeaturesThatNeed(const Protocol &protocol, std::string_view name);
//! The lowest protocol for this metadata: what Spark gives a new table. The pseudo-properties delta.minReaderVersion,
//! delta.minWriterVersion and delta.feature.<name> count where they are there (table_properties checks and removes
//! them).
Protocol LowestProtocol(const Metadata &metadata, const StructType &schema);

}  // namespace birdfoot
