// Rows as JSON. Each column of a chunk becomes a tree of texts, cast by DuckDB a column at a time; what DuckDB's own
// JSON would lose (digits, NaN, the zone) is handled here.
#include "cli/output.hpp"

#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/main/client_context.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace birdfoot::cli {

namespace {

using duckdb::FlatVector;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Vector;

void AppendQuoted(std::string &out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    size_t begin = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x20 && c != '"' && c != '\\') {
            continue;
        }
        out += text.substr(begin, i - begin);
        begin = i + 1;
        out += '\\';
        switch (c) {
        case '\n': out += 'n'; break;
        case '\r': out += 'r'; break;
        case '\t': out += 't'; break;
        case '"':
        case '\\': out += static_cast<char>(c); break;
        default:
            out += "u00";
            out += kHex[c >> 4];
            out += kHex[c & 15];
        }
    }
    out += text.substr(begin);
    out += '"';
}

//! Text that is JSON already, on one line, with DuckDB's bare NaN and Infinity as strings.
void AppendJson(std::string &out, std::string_view json) {
    bool in_string = false;
    for (size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (in_string) {
            out += c;
            if (c == '\\' && i + 1 < json.size()) {
                out += json[++i];
            }
            in_string = c != '"';
            continue;
        }
        in_string = c == '"';
        const auto rest = json.substr(i);
        const auto *bare = rest.starts_with("NaN")         ? "NaN"
                           : rest.starts_with("Infinity")  ? "Infinity"
                           : rest.starts_with("-Infinity") ? "-Infinity"
                                                           : nullptr;
        if (bare != nullptr) {
            AppendQuoted(out, bare);
            i += std::string_view(bare).size() - 1;
        } else if (c != '\n' && c != '\r') {
            out += c;
        }
    }
}

template <typename T>
void AppendReal(std::string &out, T value) {
    if (std::isnan(value)) {
        out += "\"NaN\"";
    } else if (std::isinf(value)) {
        out += value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else {
        char text[32];
        const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
        const std::string_view digits(text, static_cast<size_t>(end - text));
        out += digits;
        if (digits.find_first_of(".e") == std::string_view::npos) {
            out += ".0";
        }
    }
}

//! A date or timestamp as DuckDB prints it, but with ISO 8601's years before Christ: 0044-03-15 (BC) is -0043-03-15.
void AppendDateTime(std::string &out, std::string_view text, const char *zone) {
    const bool infinite = text.ends_with("infinity");
    out += '"';
    if (const auto mark = text.find(" (BC)"); mark != std::string_view::npos) {
        int year = 0;
        std::from_chars(text.data(), text.data() + mark, year);
        const auto digits = std::to_string(year - 1);
        out += year == 1 ? "" : "-";
        out.append(digits.size() < 4 ? 4 - digits.size() : 0, '0');
        out += digits;
        const auto month = text.find('-');
        out += text.substr(month, mark - month);
        out += text.substr(mark + 5);
    } else {
        out += text;
    }
    out += infinite ? "" : zone;
    out += '"';
}

class JsonColumn {
public:
    JsonColumn(Vector &column, size_t count, duckdb::ClientContext &context) : vector_(column) {
        vector_.Flatten(count);
        const auto &type = vector_.GetType();
        switch (type.id()) {
        case LogicalTypeId::STRUCT:
        case LogicalTypeId::UNION: AddMembers(count, context); break;
        case LogicalTypeId::LIST:
        case LogicalTypeId::MAP:
            shape_ = Shape::kList;
            children_.emplace_back(duckdb::ListVector::GetEntry(vector_), duckdb::ListVector::GetListSize(vector_),
                                   context);
            if (type.id() == LogicalTypeId::MAP) {
                shape_ = duckdb::MapType::KeyType(type).id() == LogicalTypeId::VARCHAR ? Shape::kObject : Shape::kList;
            }
            break;
        case LogicalTypeId::ARRAY:
            shape_ = Shape::kArray;
            array_size_ = duckdb::ArrayType::GetSize(type);
            children_.emplace_back(duckdb::ArrayVector::GetEntry(vector_), count * array_size_, context);
            break;
        case LogicalTypeId::FLOAT: shape_ = Shape::kFloat; break;
        case LogicalTypeId::DOUBLE: shape_ = Shape::kDouble; break;
        default: CastToText(count, context);
        }
    }

    void Append(std::string &out, size_t row) const {
        if (FlatVector::IsNull(vector_, row)) {
            out += "null";
            return;
        }
        switch (shape_) {
        case Shape::kQuoted: AppendQuoted(out, Text(row)); break;
        case Shape::kDateTime: AppendDateTime(out, Text(row), zone_); break;
        case Shape::kBare: out += Text(row); break;
        case Shape::kJson: AppendJson(out, Text(row)); break;
        case Shape::kFloat: AppendReal(out, FlatVector::GetData<float>(vector_)[row]); break;
        case Shape::kDouble: AppendReal(out, FlatVector::GetData<double>(vector_)[row]); break;
        case Shape::kStruct: AppendStruct(out, row); break;
        case Shape::kUnion: AppendUnion(out, row); break;
        case Shape::kList:
        case Shape::kObject: {
            const auto &entry = FlatVector::GetData<duckdb::list_entry_t>(vector_)[row];
            AppendList(out, entry.offset, entry.length);
            break;
        }
        case Shape::kArray: AppendList(out, row * array_size_, array_size_); break;
        }
    }

private:
    enum class Shape { kQuoted, kDateTime, kBare, kJson, kFloat, kDouble, kStruct, kUnion, kList, kObject, kArray };

    void AddMembers(size_t count, duckdb::ClientContext &context) {
        const auto &type = vector_.GetType();
        shape_ = type.id() == LogicalTypeId::UNION ? Shape::kUnion : Shape::kStruct;
        auto &entries = duckdb::StructVector::GetEntries(vector_);
        for (size_t i = 0; i < entries.size(); ++i) {
            names_.push_back(duckdb::StructType::GetChildName(type, i));
            children_.emplace_back(*entries[i], count, context);
        }
    }

    void CastToText(size_t count, duckdb::ClientContext &context) {
        const auto &type = vector_.GetType();
        LogicalType target = LogicalType::VARCHAR;
        switch (type.id()) {
        case LogicalTypeId::BOOLEAN:
        case LogicalTypeId::TINYINT:
        case LogicalTypeId::SMALLINT:
        case LogicalTypeId::INTEGER:
        case LogicalTypeId::BIGINT:
        case LogicalTypeId::HUGEINT:
        case LogicalTypeId::UTINYINT:
        case LogicalTypeId::USMALLINT:
        case LogicalTypeId::UINTEGER:
        case LogicalTypeId::UBIGINT:
        case LogicalTypeId::UHUGEINT:
        case LogicalTypeId::BIGNUM:
        case LogicalTypeId::DECIMAL:
        case LogicalTypeId::SQLNULL: shape_ = Shape::kBare; break;
        case LogicalTypeId::VARIANT:
            target = LogicalType::JSON();
            shape_ = Shape::kJson;
            break;
        case LogicalTypeId::DATE:
        case LogicalTypeId::TIMESTAMP:
        case LogicalTypeId::TIMESTAMP_TZ: shape_ = Shape::kDateTime; break;
        default: shape_ = type.IsJSONType() ? Shape::kJson : Shape::kQuoted;
        }
        count = std::max<size_t>(count, 1);  // DuckDB has no vector of no rows
        Vector text(target, count);
        if (type.id() == LogicalTypeId::TIMESTAMP_TZ) {
            // Without its zone it is cast as what it is, an instant in UTC, whatever zone the session has.
            Vector instant(LogicalType::TIMESTAMP, count);
            instant.Reinterpret(vector_);
            duckdb::VectorOperations::Cast(context, instant, text, count);
            zone_ = "+00";
        } else {
            duckdb::VectorOperations::Cast(context, vector_, text, count);
        }
        text.Flatten(count);
        vector_.ReferenceAndSetType(text);
    }

    std::string_view Text(size_t row) const {
        const auto &text = FlatVector::GetData<duckdb::string_t>(vector_)[row];
        return {text.GetData(), text.GetSize()};
    }

    void AppendStruct(std::string &out, size_t row) const {
        const bool unnamed = duckdb::StructType::IsUnnamed(vector_.GetType());
        out += unnamed ? '[' : '{';
        for (size_t i = 0; i < children_.size(); ++i) {
            out += i == 0 ? "" : ",";
            if (!unnamed) {
                AppendQuoted(out, names_[i]);
                out += ':';
            }
            children_[i].Append(out, row);
        }
        out += unnamed ? ']' : '}';
    }

    //! The member that is set, under its name. The first child is the tag.
    void AppendUnion(std::string &out, size_t row) const {
        const auto tag = FlatVector::GetData<duckdb::union_tag_t>(duckdb::UnionVector::GetTags(vector_))[row];
        out += '{';
        AppendQuoted(out, names_[tag + 1U]);
        out += ':';
        children_[tag + 1U].Append(out, row);
        out += '}';
    }

    void AppendList(std::string &out, size_t begin, size_t length) const {
        const auto &child = children_.front();
        out += shape_ == Shape::kObject ? '{' : '[';
        for (size_t i = begin; i < begin + length; ++i) {
            out += i == begin ? "" : ",";
            if (shape_ == Shape::kObject) {
                child.children_[0].Append(out, i);
                out += ':';
                child.children_[1].Append(out, i);
            } else {
                child.Append(out, i);
            }
        }
        out += shape_ == Shape::kObject ? '}' : ']';
    }

    mutable Vector vector_;
    Shape shape_ = Shape::kQuoted;
    const char *zone_ = "";
    std::vector<std::string> names_;
    std::vector<JsonColumn> children_;
    size_t array_size_ = 0;
};

}  // namespace

void PrintJson(duckdb::QueryResult &result, duckdb::ClientContext &context, Output &output) {
    auto names = result.names;
    duckdb::QueryResult::DeduplicateColumns(names);
    std::vector<std::string> keys;
    for (const auto &name : names) {
        AppendQuoted(keys.emplace_back(keys.empty() ? "{" : ","), name);
        keys.back() += ':';
    }
    auto &out = output.buffer();
    while (auto chunk = result.Fetch()) {
        std::vector<JsonColumn> columns;
        for (auto &column : chunk->data) {
            columns.emplace_back(column, chunk->size(), context);
        }
        for (size_t row = 0; row < chunk->size(); ++row) {
            for (size_t i = 0; i < columns.size(); ++i) {
                out += keys[i];
                columns[i].Append(out, row);
            }
            out += "}\n";
            output.FlushIfLarge();
        }
    }
}

}  // namespace birdfoot::cli
