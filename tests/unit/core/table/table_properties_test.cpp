#include "core/table/table_properties.hpp"

#include <gtest/gtest.h>

#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

Condition ErrorOf(const Properties &wanted, const Properties &existing = {}) {
    const auto checked = CheckProperties(wanted, existing, false);
    return checked.ok() ? Condition::BIRDFOOT_INTERNAL : checked.error().condition();
}

TEST(TablePropertiesTest, KeysGetTheirOwnSpelling) {
    const auto checked = CheckProperties({{"delta.appendonly", "TRUE"},
                                          {"DELTA.LOGRETENTIONDURATION", "interval 60 days"},
                                          {"myKey", "x"},
                                          {"delta.feature.DELETIONVECTORS", "supported"},
                                          {"delta.constraints.C1", "x > 0"},
                                          {"delta.universalFormat.config.iceberg.X", "y"}},
                                         {}, false);
    ASSERT_TRUE(checked.ok()) << checked.error().message();
    EXPECT_EQ(*checked, (Properties{{"delta.appendOnly", "TRUE"},
                                    {"delta.logRetentionDuration", "interval 60 days"},
                                    {"myKey", "x"},
                                    {"delta.feature.deletionVectors", "supported"},
                                    {"delta.constraints.C1", "x > 0"},
                                    {"delta.universalformat.config.iceberg.x", "y"}}));
}

TEST(TablePropertiesTest, WhatIsWrongIsNamed) {
    EXPECT_EQ(ErrorOf({{"delta.apendOnly", "true"}}), Condition::DELTA_UNKNOWN_CONFIGURATION);
    EXPECT_TRUE(CheckProperties({{"delta.apendOnly", "true"}}, {}, true).ok());
    const auto error = CheckProperties({{"delta.appendOnly", "maybe"}}, {}, false).error();
    EXPECT_EQ(
        error.message(),
        "[DELTA_INVALID_CONFIGURATION_VALUE] The value 'maybe' of delta.appendOnly is not allowed: it needs to be a "
        "boolean: true or false.");
    for (const auto &[key, value] : Properties{{"delta.checkpointInterval", "0"},
                                               {"delta.checkpointPolicy", "v3"},
                                               {"delta.columnMapping.mode", "index"},
                                               {"delta.dataSkippingNumIndexedCols", "-2"},
                                               {"delta.dataSkippingStringPrefixLength", "x"},
                                               {"delta.deletedFileRetentionDuration", "1 month"},
                                               {"delta.inCommitTimestampEnablementVersion", "1.5"},
                                               {"delta.isolationLevel", "WriteSerializable"},
                                               {"delta.logRetentionDuration", "interval -1 days"},
                                               {"delta.minReaderVersion", "4"},
                                               {"delta.minWriterVersion", "x"},
                                               {"delta.parquet.compression.codec", "zip"},
                                               {"delta.parquet.format.version", "2.x"},
                                               {"delta.randomPrefixLength", "0"},
                                               {"delta.requireCheckpointProtectionBeforeVersion", "-1"},
                                               {"delta.universalFormat.enabledFormats", "iceberg,orc"}}) {
        EXPECT_EQ(ErrorOf({{key, value}}), Condition::DELTA_INVALID_CONFIGURATION_VALUE) << key;
    }
    EXPECT_EQ(ErrorOf({{"delta.columnMapping.maxColumnId", "9"}}), Condition::DELTA_CANNOT_MODIFY_TABLE_PROPERTY);
    EXPECT_EQ(ErrorOf({{"delta.feature.blahabl", "supported"}}), Condition::DELTA_UNSUPPORTED_FEATURES_IN_CONFIG);
    EXPECT_EQ(ErrorOf({{"delta.feature.deletionVectors", "maybe"}}), Condition::DELTA_UNSUPPORTED_FEATURE_STATUS);
    EXPECT_EQ(ErrorOf({{"delta.appendOnly", "true"}, {"delta.APPENDONLY", "false"}}),
              Condition::DELTA_INVALID_CONFIGURATION_VALUE);
}

TEST(TablePropertiesTest, TheLogReachesBackAsFarAsTheFiles) {
    EXPECT_EQ(ErrorOf({{"delta.logRetentionDuration", "1 day"}}), Condition::DELTA_INVALID_CONFIGURATION_VALUE);
    EXPECT_TRUE(
        CheckProperties({{"delta.logRetentionDuration", "1 day"}, {"delta.deletedFileRetentionDuration", "1 day"}}, {},
                        false)
            .ok());
    EXPECT_TRUE(CheckProperties({{"delta.logRetentionDuration", "interval 30 days"},
                                 {"delta.deletedFileRetentionDuration", "interval 7 days"}},
                                {}, false)
                    .ok());
    EXPECT_TRUE(CheckProperties({{"delta.logRetentionDuration", "1 day"}},
                                {{"delta.deletedFileRetentionDuration", "1 hour"}}, false)
                    .ok());
}

TEST(TablePropertiesTest, Intervals) {
    EXPECT_EQ(ParseInterval("interval 1 week"), 604'800'000);
    EXPECT_EQ(ParseInterval("INTERVAL 36 Hours"), 129'600'000);
    EXPECT_EQ(ParseInterval("1 day 12 hours 5 milliseconds"), 129'600'005);
    EXPECT_EQ(ParseInterval(" 0  seconds "), 0);
    EXPECT_EQ(ParseInterval("2 days -1 day"), 86'400'000);
    for (const auto *text : {"", "interval", "1", "day", "1 month", "1 year", "-1 day", "1 fortnight", "x days",
                             "9223372036854775807 weeks", "1.5 days"}) {
        EXPECT_EQ(ParseInterval(text), std::nullopt) << text;
    }
}

TEST(TablePropertiesTest, DefaultsAndValues) {
    Metadata metadata;
    EXPECT_TRUE(BoolProperty(metadata, "delta.enableExpiredLogCleanup"));
    EXPECT_FALSE(BoolProperty(metadata, "delta.appendOnly"));
    EXPECT_EQ(IntProperty(metadata, "delta.checkpointInterval"), 10);
    EXPECT_EQ(**IntervalProperty(metadata, "delta.logRetentionDuration"), 2'592'000'000);
    EXPECT_EQ(*IntervalProperty(metadata, "delta.setTransactionRetentionDuration"), std::nullopt);
    metadata.configuration = {
        {"delta.appendOnly", "True"}, {"delta.checkpointInterval", "zero"}, {"delta.logRetentionDuration", "soon"}};
    EXPECT_TRUE(BoolProperty(metadata, "delta.appendOnly"));
    EXPECT_EQ(IntProperty(metadata, "delta.checkpointInterval"), 10);
    EXPECT_FALSE(IntervalProperty(metadata, "delta.logRetentionDuration").ok());
}

TEST(TablePropertiesTest, TheListIsSortedAndItsDefaultsAreGood) {
    for (const auto &property : TableProperties()) {
        if (!property.default_value.empty() && property.kind != PropertyKind::kInternal) {
            EXPECT_TRUE(
                CheckProperties({{std::string(property.key), std::string(property.default_value)}}, {}, false).ok())
                << property.key;
        }
        EXPECT_EQ(CanonicalPropertyKey(property.key), property.key);
    }
}

TEST(TablePropertiesTest, ProtocolPropertiesAreTakenOut) {
    Metadata metadata;
    metadata.configuration = {{"delta.minReaderVersion", "1"},
                              {"delta.minWriterVersion", "2"},
                              {"delta.feature.deletionVectors", "supported"},
                              {"k", "v"}};
    const auto protocol = TakeProtocol(metadata, {});
    EXPECT_EQ(metadata.configuration, (Properties{{"k", "v"}}));
    EXPECT_TRUE(HasFeature(protocol, "deletionVectors"));
}

}  // namespace
}  // namespace birdfoot
