// Spark leaves remove.tags and remove.stats out of checkpoints, and so do we.
#include "core/log/checkpoint_schema.hpp"

namespace birdfoot {
namespace {

ColumnType Leaf(std::string name, ColumnKind kind) {
    ColumnType type;
    type.name = std::move(name);
    type.kind = kind;
    return type;
}
ColumnType Text(std::string name) { return Leaf(std::move(name), ColumnKind::kString); }
ColumnType Long(std::string name) { return Leaf(std::move(name), ColumnKind::kInt64); }
ColumnType Flag(std::string name) { return Leaf(std::move(name), ColumnKind::kBool); }
ColumnType Int(std::string name) {
    auto type = Long(std::move(name));
    type.int32 = true;
    return type;
}
ColumnType Struct(std::string name, std::vector<ColumnType> children) {
    auto type = Leaf(std::move(name), ColumnKind::kStruct);
    type.children = std::move(children);
    return type;
}
ColumnType TextMap(std::string name) {
    auto type = Leaf(std::move(name), ColumnKind::kMap);
    type.children = {Text("key"), Text("value")};
    return type;
}
ColumnType TextList(std::string name) {
    auto type = Leaf(std::move(name), ColumnKind::kList);
    type.children = {Text("element")};
    return type;
}
ColumnType VectorColumn() {
    return Struct("deletionVector", {Text("storageType"), Text("pathOrInlineDv"), Int("offset"), Int("sizeInBytes"),
                                     Long("cardinality")});
}

}  // namespace

ColumnType AddColumn(const CheckpointColumns &columns) {
    auto add = Struct("add", {Text("path"), TextMap("partitionValues"), Long("size"), Long("modificationTime"),
                              Flag("dataChange"), TextMap("tags"), VectorColumn(), Long("baseRowId"),
                              Long("defaultRowCommitVersion"), Text("clusteringProvider")});
    if (columns.statistics_text) {
        add.children.push_back(Text("stats"));
    }
    if (columns.partition_values) {
        add.children.push_back(*columns.partition_values);
    }
    if (columns.statistics) {
        add.children.push_back(*columns.statistics);
    }
    return add;
}

ColumnType RemoveColumn() {
    return Struct("remove", {Text("path"), Long("deletionTimestamp"), Flag("dataChange"), Flag("extendedFileMetadata"),
                             TextMap("partitionValues"), Long("size"), VectorColumn(), Long("baseRowId"),
                             Long("defaultRowCommitVersion")});
}

std::vector<ColumnType> TableColumns(bool v2_manifest) {
    std::vector<ColumnType> columns = {
        Struct("txn", {Text("appId"), Long("version"), Long("lastUpdated")}),
        Struct("metaData",
               {Text("id"), Text("name"), Text("description"), Struct("format", {Text("provider"), TextMap("options")}),
                Text("schemaString"), TextList("partitionColumns"), TextMap("configuration"), Long("createdTime")}),
        Struct("protocol", {Int("minReaderVersion"), Int("minWriterVersion"), TextList("readerFeatures"),
                            TextList("writerFeatures")}),
        Struct("domainMetadata", {Text("domain"), Text("configuration"), Flag("removed")})};
    if (v2_manifest) {
        columns.push_back(Struct("checkpointMetadata", {Long("version"), TextMap("tags")}));
        columns.push_back(
            Struct("sidecar", {Text("path"), Long("sizeInBytes"), Long("modificationTime"), TextMap("tags")}));
    }
    return columns;
}

}  // namespace birdfoot
