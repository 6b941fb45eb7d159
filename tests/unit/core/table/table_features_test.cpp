#include "core/table/table_features.hpp"

#include <gtest/gtest.h>

#include <set>

namespace birdfoot {
namespace {

using Names = std::vector<std::string>;

Protocol Of(int reader, int writer, std::optional<Names> reader_features = {},
            std::optional<Names> writer_features = {}) {
    return {reader, writer, std::move(reader_features), std::move(writer_features)};
}
StructType SchemaOf(const char *type, const char *metadata = "{}") {
    return *ParseSchema(fmt::format(
        R"({{"type":"struct","fields":[{{"name":"a","type":{},"nullable":true,"metadata":{}}}]}})", type, metadata));
}
Metadata With(std::map<std::string, std::string> configuration) {
    Metadata metadata;
    metadata.configuration = std::move(configuration);
    return metadata;
}

TEST(TableFeaturesTest, EveryNameOfTheProtocolIsThereOnce) {
    std::set<std::string_view> names;
    for (const auto &feature : TableFeatures()) {
        EXPECT_TRUE(names.insert(feature.name).second) << feature.name;
        for (std::string_view needs = feature.needs; !needs.empty();) {
            const auto comma = std::min(needs.find(','), needs.size());
            EXPECT_TRUE(FindFeature(needs.substr(0, comma))) << needs;
            needs.remove_prefix(std::min(comma + 1, needs.size()));
        }
    }
    // PROTOCOL.md, appendix "Valid Feature Names"
    for (const auto *name : {"appendOnly", "invariants", "checkConstraints", "generatedColumns", "allowColumnDefaults",
                             "changeDataFeed", "columnMapping", "identityColumns", "deletionVectors", "rowTracking",
                             "timestampNtz", "domainMetadata", "v2Checkpoint", "catalogManaged", "icebergCompatV1",
                             "icebergCompatV2", "clustering", "vacuumProtocolCheck", "inCommitTimestamp"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
}

// As Protocol.forNewTable of delta-spark.
TEST(TableFeaturesTest, NewTablesGetTheLowestProtocol) {
    const auto plain = SchemaOf("\"long\"");
    EXPECT_EQ(LowestProtocol({}, plain), Of(1, 2));
    EXPECT_EQ(LowestProtocol(With({{"delta.appendOnly", "true"}}), plain), Of(1, 2));
    EXPECT_EQ(LowestProtocol(With({{"delta.enableChangeDataFeed", "true"}}), plain),
              Of(1, 7, {}, Names{"appendOnly", "changeDataFeed", "invariants"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.enableDeletionVectors", "true"}}), plain),
              Of(3, 7, Names{"deletionVectors"}, Names{"appendOnly", "deletionVectors", "invariants"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.columnMapping.mode", "name"}}), plain),
              Of(2, 7, {}, Names{"appendOnly", "columnMapping", "invariants"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.enableRowTracking", "true"}}), plain),
              Of(1, 7, {}, Names{"appendOnly", "domainMetadata", "invariants", "rowTracking"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.checkpointPolicy", "v2"}}), plain),
              Of(3, 7, Names{"v2Checkpoint"}, Names{"appendOnly", "invariants", "v2Checkpoint"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.feature.clustering", "supported"}}), plain),
              Of(1, 7, {}, Names{"appendOnly", "clustering", "domainMetadata", "invariants"}));
    EXPECT_EQ(LowestProtocol(With({{"delta.minWriterVersion", "3"}}), plain), Of(1, 3));
    EXPECT_EQ(LowestProtocol(With({{"delta.minReaderVersion", "2"}, {"delta.minWriterVersion", "5"}}), plain),
              Of(2, 5));
    EXPECT_EQ(LowestProtocol({}, SchemaOf("\"long\"", R"({"delta.generationExpression":"b + 1"})")),
              Of(1, 7, {}, Names{"appendOnly", "generatedColumns", "invariants"}));
    // Both feature lists hold column mapping once the reader version is 3.
    EXPECT_EQ(LowestProtocol(With({{"delta.columnMapping.mode", "id"}}), SchemaOf("\"timestamp_ntz\"")),
              Of(3, 7, Names{"columnMapping", "timestampNtz"},
                 Names{"appendOnly", "columnMapping", "invariants", "timestampNtz"}));
}

// B8
TEST(TableFeaturesTest, B8ANaiveTimestampKeepsWhatTheVersionsImplied) {
    const auto wanted = With({{"delta.minReaderVersion", "1"}, {"delta.minWriterVersion", "2"}});
    EXPECT_EQ(LowestProtocol(wanted, SchemaOf(R"({"type":"array","elementType":"timestamp_ntz","containsNull":true})")),
              Of(3, 7, Names{"timestampNtz"}, Names{"appendOnly", "invariants", "timestampNtz"}));
}

// B7
TEST(TableFeaturesTest, B7FeaturesAddedToLegacyProtocolsSpellOutWhatTheyImplied) {
    EXPECT_EQ(WithFeature(Of(1, 2), "appendOnly"), Of(1, 2));
    EXPECT_EQ(WithFeature(Of(1, 2), "checkConstraints"), Of(1, 3));
    EXPECT_EQ(WithFeature(Of(1, 3), "inCommitTimestamp"),
              Of(1, 7, {}, Names{"appendOnly", "checkConstraints", "inCommitTimestamp", "invariants"}));
    const auto vectors = WithFeature(Of(2, 5), "deletionVectors");
    EXPECT_EQ(vectors.reader_features, (Names{"columnMapping", "deletionVectors"}));
    EXPECT_EQ(vectors.min_reader_version, 3);
    EXPECT_EQ(vectors.min_writer_version, 7);
    EXPECT_EQ(WithFeature(vectors, "deletionVectors"), vectors);
    EXPECT_EQ(WithFeature(Of(1, 7, {}, Names{"unheardOf"}), "rowTracking").writer_features,
              (Names{"domainMetadata", "rowTracking", "unheardOf"}));
}

TEST(TableFeaturesTest, LegacyVersionsImplyFeatures) {
    EXPECT_EQ(WriterFeatureNames(Of(1, 1)), (Names{}));
    EXPECT_EQ(WriterFeatureNames(Of(1, 4)),
              (Names{"appendOnly", "changeDataFeed", "checkConstraints", "generatedColumns", "invariants"}));
    EXPECT_FALSE(HasFeature(Of(1, 5), "columnMapping")) << "the reader version does not allow it";
    EXPECT_TRUE(HasFeature(Of(2, 5), "columnMapping"));
    EXPECT_FALSE(HasFeature(Of(3, 7, Names{}, Names{}), "appendOnly"));
}

TEST(TableFeaturesTest, WritingIsRefusedByNameWhereAFeatureMatters) {
    const auto plain = SchemaOf("\"long\"");
    // (1,6) implies much, but this table uses none of it.
    EXPECT_TRUE(CheckWritable(Of(1, 6), {}, plain, "/t").ok());
    EXPECT_TRUE(CheckWritable(Of(1, 7, {}, Names{"checkConstraints"}), {}, plain, "/t").ok());
    const auto refused = [&](const Protocol &protocol, const Metadata &metadata, const StructType &schema,
                             std::string_view name) {
        const auto status = CheckWritable(protocol, metadata, schema, "/t");
        ASSERT_FALSE(status.ok()) << name;
        EXPECT_EQ(status.error().condition(), Condition::DELTA_UNSUPPORTED_FEATURES_FOR_WRITE);
        EXPECT_NE(status.error().text().find(name), std::string::npos) << status.error().text();
    };
    refused(Of(1, 7, {}, Names{"unheardOf"}), {}, plain, "unheardOf");
    refused(Of(1, 7, {}, Names{"icebergCompatV1"}), With({{"delta.enableIcebergCompatV1", "true"}}), plain,
            "icebergCompatV1");
    // What is said of rows in expressions is checked by who writes them.
    EXPECT_TRUE(CheckWritable(Of(1, 3), With({{"delta.constraints.c", "a > 0"}}), plain, "/t").ok());
    EXPECT_TRUE(CheckWritable(Of(1, 6), {}, SchemaOf("\"long\"", R"({"delta.identity.start":1})"), "/t").ok());
    refused(Of(1, 7, {}, Names{"redirectWriterOnly-preview"}), {}, plain, "redirectWriterOnly-preview");
    EXPECT_EQ(CheckWritable(Of(1, 8), {}, plain, "/t").error().condition(), Condition::DELTA_INVALID_PROTOCOL_VERSION);
    EXPECT_FALSE(CheckWritable(Of(3, 7, Names{"unheardOf"}, Names{"unheardOf"}), {}, plain, "/t").ok());
}

}  // namespace
}  // namespace birdfoot
