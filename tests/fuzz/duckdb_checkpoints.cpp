// Bytes as each of the files of a log: checkpoints of each form and their parts, the hint, checksums, a compaction, a
// commit. The first byte says which.
#include "fuzz/duckdb_table.hpp"

using namespace birdfoot;

namespace {

constexpr const char *kUuid = "11111111-2222-3333-4444-555555555555";
constexpr std::string_view kManifest =
    R"({"checkpointMetadata":{"version":1}})"
    "\n"
    R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}})"
    "\n"
    R"({"metaData":{"id":"i","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"p\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["p"],"configuration":{"delta.checkpointPolicy":"v2"},"createdTime":7}})"
    "\n"
    R"({"sidecar":{"path":"s.parquet","sizeInBytes":9,"modificationTime":2}})"
    "\n";

void PutFile(const fuzz::Table &table, unsigned which, std::string_view bytes) {
    switch (which) {
    case 0: return table.Put(ClassicCheckpointFileName(1), bytes);
    case 1: return table.Put(V2CheckpointFileName(1, kUuid, false), bytes);
    case 2: return table.Put(V2CheckpointFileName(1, kUuid, true), bytes);
    case 3: table.Put(V2CheckpointFileName(1, kUuid, true), kManifest); return table.Put("_sidecars/s.parquet", bytes);
    case 4:
        table.Put(MultiPartCheckpointFileName(1, 1, 2), bytes);
        return table.Put(MultiPartCheckpointFileName(1, 2, 2), bytes);
    case 5: return table.Put("_last_checkpoint", bytes);
    case 6: table.Put(ChecksumFileName(1), bytes); return table.Put(ChecksumFileName(2), bytes);
    case 7: return table.Put("00000000000000000000.00000000000000000001.compacted.json", bytes);
    default: return table.Put(CommitFileName(2), bytes);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fuzz::Table table;
    if (size == 0) {
        return 0;
    }
    table.Begin(data[0] & 16);
    PutFile(table, data[0] & 15, {reinterpret_cast<const char *>(data) + 1, size - 1});
    table.ReadAll();
    return 0;
}
