// Writing per-file statistics as Spark does (delta-spark's StatisticsCollection): which leaves get them, how strings
// are cut, and the order of the JSON.
#include <charconv>

#include "core/scan/statistics.hpp"
#include "core/schema/schema_change.hpp"
#include "core/table/table_definition.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kNumIndexedCols = "delta.dataSkippingNumIndexedCols";
constexpr std::string_view kStatsColumns = "delta.dataSkippingStatsColumns";
constexpr int64_t kDefaultIndexedCols = 32;
constexpr std::string_view kHighestAscii = "\x7F";
constexpr std::string_view kHighestCharacter = "\xF4\x8F\xBF\xBF";  // U+10FFFF

//! The types for which Spark keeps bounds.
bool HasBounds(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
    case TypeKind::kFloat:
    case TypeKind::kDouble:
    case TypeKind::kDecimal:
    case TypeKind::kString:
    case TypeKind::kDate:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: return true;
    default: return false;
    }
}

//! Walks UTF-8 by characters, counting UTF-16 units as Java's strings do; byte positions lie on characters.
struct Cursor {
    std::string_view text;
    size_t bytes = 0;
    size_t units = 0;

    bool at_end() const { return bytes >= text.size(); }
    std::string_view Character() const {
        const auto first = static_cast<unsigned char>(text[bytes]);
        return text.substr(bytes, first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4);
    }
    void Advance() {
        const auto character = Character();
        bytes += character.size();
        units += character.size() == 4 ? 2 : 1;
    }
};

//! The first `prefix` units; one more where the cut would split a pair. At the end if the text is no longer than that.
Cursor CutAt(std::string_view text, size_t prefix) {
    Cursor cursor{text};
    while (!cursor.at_end() && cursor.units < prefix) {
        cursor.Advance();
    }
    return cursor;
}

//! The first `prefix` characters. Here Spark counts code points, since its SQL does the cut.
std::optional<std::string> CutMin(std::string_view text, size_t prefix) {
    Cursor cursor{text};
    for (size_t i = 0; i < prefix && !cursor.at_end(); ++i) {
        cursor.Advance();
    }
    if (!cursor.at_end() && prefix == 0) {
        return std::nullopt;
    }
    return std::string(text.substr(0, cursor.bytes));
}

//! A short string that is no less than `text` or any string below it: the prefix and a character that is above the
//! first one cut. The prefix grows while that character is the highest there is.
std::optional<std::string> CutMax(std::string_view text, size_t prefix) {
    auto cursor = CutAt(text, prefix);
    if (cursor.at_end()) {
        return std::string(text);
    }
    if (prefix == 0) {
        return std::nullopt;
    }
    while (cursor.units <= 2 * prefix) {
        if (cursor.at_end()) {
            return std::string(text);
        }
        const auto character = cursor.Character();
        if (character == kHighestCharacter) {
            cursor.Advance();
            continue;
        }
        return std::string(text.substr(0, cursor.bytes)) +
               std::string(character < kHighestAscii ? kHighestAscii : kHighestCharacter);
    }
    return std::nullopt;
}

//! Types that have a place among the bounds, with or without a value: Spark keeps one for variants too.
bool HasPlaceAmongBounds(const DataType &type) { return HasBounds(type) || type.kind() == TypeKind::kVariant; }

//! Writes {"a":1,"s":{"b":2}} from leaves in the order of the schema. A struct appears with its first leaf, even where
//! that has no value, as in Spark's to_json.
class TreeWriter {
public:
    explicit TreeWriter(JsonWriter &writer) : writer_(writer) { writer_.BeginObject(); }

    void Leaf(const std::vector<std::string> &column, const std::optional<std::string> &json) {
        const size_t depth = column.size() - 1;
        size_t shared = 0;
        while (shared < depth && shared < open_.size() && open_[shared] == column[shared]) {
            ++shared;
        }
        CloseTo(shared);
        for (; shared < depth; ++shared) {
            writer_.Key(column[shared]).BeginObject();
            open_.push_back(column[shared]);
        }
        if (json) {
            writer_.Key(column.back()).Raw(*json);
        }
    }

    void End() {
        CloseTo(0);
        writer_.EndObject();
    }

private:
    void CloseTo(size_t depth) {
        for (; open_.size() > depth; open_.pop_back()) {
            writer_.EndObject();
        }
    }

    JsonWriter &writer_;
    std::vector<std::string> open_;
};

std::optional<std::string> BoundJson(const std::optional<Scalar> &bound, size_t prefix, bool up) {
    if (!bound || bound->is_null()) {
        return std::nullopt;
    }
    if (bound->type().kind() != TypeKind::kString) {
        return bound->ToStatisticsJson();
    }
    const auto cut = up ? CutMax(bound->text(), prefix) : CutMin(bound->text(), prefix);
    return cut ? Scalar::Text(bound->type(), *cut).ToStatisticsJson() : std::nullopt;
}

void WriteBounds(JsonWriter &writer, std::string_view name, const std::vector<LeafStatistics> &leaves, size_t prefix,
                 bool up) {
    bool any = false;
    for (const auto &leaf : leaves) {
        any = any || HasPlaceAmongBounds(leaf.type);
    }
    if (!any) {
        return;
    }
    writer.Key(name);
    TreeWriter tree(writer);
    for (const auto &leaf : leaves) {
        if (HasPlaceAmongBounds(leaf.type)) {
            tree.Leaf(leaf.column, BoundJson(up ? leaf.max : leaf.min, prefix, up));
        }
    }
    tree.End();
}

class LeafCollector {
public:
    LeafCollector(ColumnMappingMode mapping, std::optional<std::vector<FieldPath>> wanted, int64_t limit)
        : mapping_(mapping), wanted_(std::move(wanted)), limit_(limit) {}

    void Fields(const StructType &type, const FieldPath &logical, const FieldPath &physical) {
        for (const auto &field : type.fields) {
            if (limit_ >= 0 && static_cast<int64_t>(leaves.size()) >= limit_) {
                return;
            }
            auto here = logical;
            here.push_back(field.name);
            auto there = physical;
            there.push_back(PhysicalName(field, mapping_));
            if (field.type.kind() == TypeKind::kStruct) {
                Fields(field.type.struct_type(), here, there);
            } else if (Wanted(here)) {
                leaves.push_back({std::move(there), field.type, HasBounds(field.type)});
            }
        }
    }

    std::vector<IndexedLeaf> leaves;

private:
    //! One of the columns asked for is this one or a struct around it.
    bool Wanted(const FieldPath &leaf) const {
        if (!wanted_) {
            return true;
        }
        for (const auto &path : *wanted_) {
            bool inside = path.size() <= leaf.size();
            for (size_t i = 0; inside && i < path.size(); ++i) {
                inside = EqualsIgnoreCase(path[i], leaf[i]);
            }
            if (inside) {
                return true;
            }
        }
        return false;
    }

    ColumnMappingMode mapping_;
    std::optional<std::vector<FieldPath>> wanted_;
    int64_t limit_;
};

Error BadProperty(std::string_view key, std::string_view value, std::string_view right) {
    return Fail(Condition::DELTA_INVALID_CONFIGURATION_VALUE, "The table property {} is '{}'. It must be {}.", key,
                value, right);
}

}  // namespace

std::string StatisticsToJson(int64_t num_records, const std::vector<LeafStatistics> &leaves, size_t string_prefix,
                             std::optional<bool> tight_bounds) {
    std::string out;
    JsonWriter writer(out);
    writer.BeginObject().Key("numRecords").Int(num_records);
    WriteBounds(writer, "minValues", leaves, string_prefix, false);
    WriteBounds(writer, "maxValues", leaves, string_prefix, true);
    if (!leaves.empty()) {
        writer.Key("nullCount");
        TreeWriter tree(writer);
        for (const auto &leaf : leaves) {
            tree.Leaf(leaf.column, std::to_string(leaf.null_count));
        }
        tree.End();
    }
    writer.Optional("tightBounds", tight_bounds).EndObject();
    return out;
}

std::optional<std::string> WithWideBounds(const std::optional<std::string> &stats) {
    if (!stats) {
        return stats;
    }
    const auto document = JsonDocument::Parse(*stats);
    if (!document.ok() || !document->root().is_object()) {
        return stats;
    }
    std::string json;
    JsonWriter writer(json);
    writer.BeginObject();
    const auto copied = document->root().ForEachMember([&](std::string_view name, JsonValue value) -> Status {
        if (name != "tightBounds") {
            writer.Key(name).Raw(value.ToText());
        }
        return {};
    });
    if (!copied.ok()) {
        return stats;
    }
    writer.Key("tightBounds").Bool(false).EndObject();
    return json;
}

std::optional<std::string> WithColumns(const std::optional<std::string> &stats, const std::string &fresh,
                                       const std::set<std::string, std::less<>> &replaced) {
    const auto old = JsonDocument::Parse(stats.value_or(""));
    const auto with = JsonDocument::Parse(fresh);
    if (!old.ok() || !old->root().is_object() || !with.ok()) {
        return std::nullopt;
    }
    std::string json;
    JsonWriter writer(json);
    const auto copy = [&](std::string_view name, JsonValue value) -> Status {
        writer.Key(name).Raw(value.ToText());
        return {};
    };
    const auto keep = [&](std::string_view name, JsonValue value) -> Status {
        return replaced.contains(name) ? Status() : copy(name, value);
    };
    const auto is_of_columns = [](std::string_view name) {
        return name == "minValues" || name == "maxValues" || name == "nullCount";
    };
    writer.BeginObject();
    auto whole = old->root().ForEachMember([&](std::string_view name, JsonValue value) -> Status {
        return is_of_columns(name) ? Status() : copy(name, value);
    });
    for (const auto *name : {"minValues", "maxValues", "nullCount"}) {
        const auto before = old->root()[name], now = with->root()[name];
        if (before.is_object() || now.is_object()) {
            writer.Key(name).BeginObject();
            whole = whole.ok() ? before.ForEachMember(keep) : std::move(whole);
            whole = whole.ok() ? now.ForEachMember(copy) : std::move(whole);
            writer.EndObject();
        }
    }
    writer.EndObject();
    return whole.ok() ? std::optional(std::move(json)) : std::nullopt;
}

Result<std::vector<IndexedLeaf>> IndexedLeaves(const Metadata &metadata, const StructType &schema,
                                               ColumnMappingMode mapping) {
    std::optional<std::vector<FieldPath>> wanted;
    int64_t limit = kDefaultIndexedCols;
    const auto &configuration = metadata.configuration;
    if (const auto found = configuration.find(std::string(kStatsColumns)); found != configuration.end()) {
        wanted = ParsePathList(found->second);
        limit = -1;
        if (!wanted) {
            return BadProperty(kStatsColumns, found->second, "a list of column names, separated by commas");
        }
    } else if (const auto count = configuration.find(std::string(kNumIndexedCols)); count != configuration.end()) {
        const auto &text = count->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
        if (error != std::errc() || end != text.data() + text.size() || limit < -1) {
            return BadProperty(kNumIndexedCols, text, "a number of columns, or -1 for all");
        }
    }
    StructType data;
    for (const auto &field : schema.fields) {
        if (!IsPartitionColumn(metadata, field.name)) {
            data.fields.push_back(field);
        }
    }
    LeafCollector collector(mapping, std::move(wanted), limit);
    collector.Fields(data, {}, {});
    return std::move(collector.leaves);
}

}  // namespace birdfoot
