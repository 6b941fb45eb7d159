// A value that JSON cannot hold, or of a type that has no bounds, is left out: then it is as if it were missing.
#include "core/log/parsed_statistics.hpp"

#include "core/base/json.hpp"
#include "core/schema/scalar.hpp"

namespace birdfoot {
namespace {

std::optional<std::string> ValueToJson(ColumnKind kind, bool ntz, const ColumnVector &column, size_t row) {
    switch (kind) {
    case ColumnKind::kBool: return column.ints[row] ? "true" : "false";
    case ColumnKind::kInt64: return std::to_string(column.ints[row]);
    case ColumnKind::kDouble: return Scalar::Real(DataType(TypeKind::kDouble), column.doubles[row]).ToStatisticsJson();
    case ColumnKind::kString: {
        std::string text;
        JsonWriter(text).String(column.strings[row]);
        return text;
    }
    case ColumnKind::kDate: return Scalar::Integer(DataType(TypeKind::kDate), column.ints[row]).ToStatisticsJson();
    case ColumnKind::kTimestamp:
        return Scalar::Integer(DataType(ntz ? TypeKind::kTimestampNtz : TypeKind::kTimestamp), column.ints[row])
            .ToStatisticsJson();
    case ColumnKind::kDecimal: return std::string(column.strings[row]);
    default: return std::nullopt;
    }
}

}  // namespace

ParsedStatistics::ParsedStatistics(const ParquetField &field, std::vector<std::string> path,
                                   std::vector<ColumnRequest> &requests) {
    path.push_back(field.name);
    for (const auto &child : field.children) {
        if (auto node = Build(child, path, requests)) {
            roots_.push_back(*std::move(node));
        }
    }
}

std::optional<ParsedStatistics::Node> ParsedStatistics::Build(const ParquetField &field, std::vector<std::string> &path,
                                                              std::vector<ColumnRequest> &requests) {
    Node node;
    JsonWriter(node.key).String(field.name);
    node.key += ':';
    node.kind = field.kind;
    node.ntz = field.ntz;
    path.push_back(field.name);
    bool useful = false;
    if (field.kind == ColumnKind::kStruct) {
        for (const auto &child : field.children) {
            if (auto built = Build(child, path, requests)) {
                node.children.push_back(*std::move(built));
                useful = true;
            }
        }
    } else if (field.kind != ColumnKind::kMap && field.kind != ColumnKind::kList && !field.binary) {
        node.column = requests.size();
        requests.push_back({path, field.kind});
        useful = true;
    }
    path.pop_back();
    return useful ? std::optional(std::move(node)) : std::nullopt;
}

bool ParsedStatistics::Append(const Node &node, const ReadBatch &batch, size_t row, std::string &out) {
    if (node.kind != ColumnKind::kStruct) {
        const auto &column = batch.columns[node.column];
        const auto value = column.is_null(row) ? std::nullopt : ValueToJson(node.kind, node.ntz, column, row);
        if (!value) {
            return false;
        }
        out += node.key;
        out += *value;
        return true;
    }
    const size_t before = out.size();
    out += node.key;
    out += '{';
    bool any = false;
    for (const auto &child : node.children) {
        if (Append(child, batch, row, out)) {
            out += ',';
            any = true;
        }
    }
    if (!any) {
        out.resize(before);
        return false;
    }
    out.back() = '}';
    return true;
}

std::optional<std::string> ParsedStatistics::JsonOf(const ReadBatch &batch, size_t row) const {
    std::string text = "{";
    for (const auto &root : roots_) {
        if (Append(root, batch, row, text)) {
            text += ',';
        }
    }
    if (text.size() == 1) {
        return std::nullopt;
    }
    text.back() = '}';
    return text;
}

}  // namespace birdfoot
