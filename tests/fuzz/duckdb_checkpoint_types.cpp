// Checkpoints whose columns are of other types, and hold other values, than the protocol says: the bytes choose what
// DuckDB writes, so that every input is sound Parquet.
#include "fuzz/duckdb_table.hpp"

using namespace birdfoot;

namespace {

class Bytes {
public:
    Bytes(const uint8_t *data, size_t size) : data_(data), end_(data + size) {}
    unsigned Next(unsigned below) { return data_ == end_ ? 0 : *data_++ % below; }

private:
    const uint8_t *data_;
    const uint8_t *end_;
};

//! A field of a checkpoint: its type there, and a value that fits.
struct Field {
    const char *name;
    const char *type;
    const char *value;
};

constexpr const char *kVector =
    "STRUCT(storageType VARCHAR, pathOrInlineDv VARCHAR, \"offset\" INTEGER, sizeInBytes INTEGER, cardinality BIGINT)";
constexpr const char *kStatistics =
    "STRUCT(numRecords BIGINT, minValues STRUCT(a BIGINT), maxValues STRUCT(a BIGINT), nullCount STRUCT(a BIGINT))";
constexpr const char *kTextMap = "MAP(VARCHAR, VARCHAR)";
constexpr const char *kSchema =
    R"({"type":"struct","fields":[{"name":"a","type":"long","nullable":true,"metadata":{}},{"name":"p","type":"string","nullable":true,"metadata":{}}]})";

struct ActionColumn {
    const char *name;
    std::vector<Field> fields;
};

const std::vector<ActionColumn> &Actions() {
    static const std::vector<ActionColumn> actions = {
        {"protocol",
         {{"minReaderVersion", "INTEGER", "3"},
          {"minWriterVersion", "INTEGER", "7"},
          {"readerFeatures", "VARCHAR[]", "[deletionVectors]"},
          {"writerFeatures", "VARCHAR[]", "[deletionVectors]"}}},
        {"metaData",
         {{"id", "VARCHAR", "i"},
          {"schemaString", "VARCHAR", kSchema},
          {"format", "STRUCT(provider VARCHAR, options MAP(VARCHAR, VARCHAR))", "{provider: parquet}"},
          {"partitionColumns", "VARCHAR[]", "[p]"},
          {"configuration", kTextMap, "{}"},
          {"createdTime", "BIGINT", "7"},
          {"name", "VARCHAR", "n"}}},
        {"add",
         {{"path", "VARCHAR", "p=1/a"},
          {"partitionValues", kTextMap, "{p=1}"},
          {"size", "BIGINT", "5"},
          {"modificationTime", "BIGINT", "2"},
          {"dataChange", "BOOLEAN", "true"},
          {"tags", kTextMap, "{a=b}"},
          {"deletionVector", kVector, "{storageType: u, pathOrInlineDv: ab, \"offset\": 1, cardinality: 2}"},
          {"baseRowId", "BIGINT", "0"},
          {"stats", "VARCHAR", R"({"numRecords":3})"},
          {"stats_parsed", kStatistics, "{numRecords: 3, minValues: {a: 1}, maxValues: {a: 7}}"},
          {"clusteringProvider", "VARCHAR", "c"}}},
        {"remove",
         {{"path", "VARCHAR", "p=1/z"},
          {"deletionTimestamp", "BIGINT", "1699999999999"},
          {"dataChange", "BOOLEAN", "true"},
          {"extendedFileMetadata", "BOOLEAN", "true"},
          {"partitionValues", kTextMap, "{p=1}"},
          {"size", "BIGINT", "5"},
          {"deletionVector", kVector, "NULL"}}},
        {"txn", {{"appId", "VARCHAR", "app"}, {"version", "BIGINT", "4"}, {"lastUpdated", "BIGINT", "1"}}},
        {"domainMetadata",
         {{"domain", "VARCHAR", "d"}, {"configuration", "VARCHAR", "{}"}, {"removed", "BOOLEAN", "false"}}},
        {"sidecar", {{"path", "VARCHAR", "s.parquet"}, {"sizeInBytes", "BIGINT", "9"}}}};
    return actions;
}

constexpr const char *kScalars[] = {
    "BOOLEAN",       "TINYINT",        "SMALLINT", "INTEGER", "BIGINT",   "UTINYINT",     "USMALLINT",
    "UINTEGER",      "UBIGINT",        "HUGEINT",  "FLOAT",   "DOUBLE",   "DECIMAL(4,2)", "DECIMAL(9,9)",
    "DECIMAL(18,3)", "DECIMAL(38,10)", "VARCHAR",  "BLOB",    "DATE",     "TIMESTAMP",    "TIMESTAMPTZ",
    "TIMESTAMP_NS",  "TIMESTAMP_S",    "TIME",     "TIMETZ",  "INTERVAL", "UUID",         "\"NULL\""};
constexpr const char *kValues[] = {"NULL",
                                   "0",
                                   "1",
                                   "-1",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "1.5",
                                   "nan",
                                   "-infinity",
                                   "true",
                                   "",
                                   "a%20b",
                                   "file:///x",
                                   "2024-02-29",
                                   "0001-01-01 00:00:00",
                                   "294247-01-10 04:00:54.775807",
                                   "infinity",
                                   "[1, NULL]",
                                   "[[1], []]",
                                   "{p=1, p=2, q=NULL}",
                                   "{}",
                                   "{a: 1}",
                                   "{a: {a: -7}}",
                                   "{numRecords: -1, minValues: {a: nan}}",
                                   "\\xFF\\x00",
                                   "[a, deletionVectors]",
                                   "00000000-0000-0000-0000-000000000001"};

std::string OtherType(Bytes &bytes, int depth) {
    const auto choice = bytes.Next(depth > 3 ? 10 : 16);
    if (choice < 10) {
        return kScalars[bytes.Next(std::size(kScalars))];
    }
    if (choice < 12) {
        return OtherType(bytes, depth + 1) + "[]";
    }
    if (choice == 12) {
        const auto key = std::string(kScalars[bytes.Next(std::size(kScalars) - 1)]);
        return "MAP(" + key + ", " + OtherType(bytes, depth + 1) + ")";
    }
    static constexpr const char *kNames[] = {"a", "numRecords", "minValues", "maxValues", "nullCount", "storageType"};
    const auto first = bytes.Next(std::size(kNames));
    std::string type = "STRUCT(";
    const auto fields = 1 + bytes.Next(3);
    for (unsigned i = 0; i < fields; ++i) {
        type +=
            std::string(i ? ", " : "") + kNames[(first + i) % std::size(kNames)] + " " + OtherType(bytes, depth + 1);
    }
    return type + ")";
}

std::string Quoted(const std::string &text) {
    std::string quoted = "'";
    for (const char c : text) {
        quoted += c == '\'' ? "''" : std::string(1, c);
    }
    return quoted + "'";
}

//! One action's column as an expression over a row number `r`.
std::string ColumnOf(const ActionColumn &action, unsigned row, Bytes &bytes) {
    if (bytes.Next(16) == 15) {
        return "TRY_CAST(" + Quoted(kValues[bytes.Next(std::size(kValues))]) + " AS " + OtherType(bytes, 0) + ") AS " +
               action.name;
    }
    std::string fields;
    for (const auto &field : action.fields) {
        const auto choice = bytes.Next(16);
        if (choice == 15) {
            continue;
        }
        const auto type = choice >= 12 ? OtherType(bytes, 0) : std::string(field.type);
        const auto value = choice >= 8 ? Quoted(kValues[bytes.Next(std::size(kValues))]) : Quoted(field.value);
        fields += (fields.empty() ? "" : ", ") + ("\"" + std::string(field.name)) + "\": CASE WHEN r % 3 < " +
                  std::to_string(choice == 7 ? 1 : 3) + " THEN TRY_CAST(" + value + " AS " + type + ") END";
    }
    if (fields.empty()) {
        return "NULL AS " + std::string(action.name);
    }
    return "CASE WHEN r % 8 = " + std::to_string(row) + " THEN {" + fields + "} END AS " + action.name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static fuzz::Table table;
    static duckdb::Connection connection(table.database());
    Bytes bytes(data, size);
    const bool alone = bytes.Next(2) != 0;
    const bool v2 = bytes.Next(2) != 0;
    const bool many_groups = bytes.Next(4) == 0;
    std::string columns;
    unsigned row = 0;
    for (const auto &action : Actions()) {
        const auto present = bytes.Next(16) != 15;
        if (present && (v2 || std::string_view(action.name) != "sidecar")) {
            columns += (columns.empty() ? "" : ", ") + ColumnOf(action, row, bytes);
        }
        ++row;
    }
    if (columns.empty()) {
        return 0;
    }
    table.Begin(!alone);
    const auto file = table.LogPath(v2 ? V2CheckpointFileName(1, "u", false) : ClassicCheckpointFileName(1));
    const auto written = connection.Query("COPY (SELECT " + columns + " FROM range(" + (many_groups ? "5000" : "16") +
                                          ") t(r)) TO '" + file + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)");
    if (!written->HasError()) {
        table.ReadAll();
    }
    return 0;
}
