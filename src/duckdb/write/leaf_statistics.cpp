// Statistics as Spark's StatisticsCollection gives them: a leaf is null where it or a struct around it is; NaN lies
// above every number; text is compared by its bytes; arrays, maps, binaries, booleans and variants have a null count
// alone. Cutting of strings and rounding of timestamps is StatisticsToJson's.
#include "duckdb/write/leaf_statistics.hpp"

#include <cmath>
#include <limits>

#include "duckdb/common/types/decimal.hpp"
#include "duckdb/common/types/vector.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::idx_t;
using Leaf = StatisticsCollector::Leaf;

//! Calls `visit` with each value that is not NULL, counting the others.
template <typename T, typename Visit>
void ForEachValue(const duckdb::UnifiedVectorFormat &format, idx_t count, const std::vector<bool> *null_parent,
                  int64_t &null_count, Visit &&visit) {
    const auto *values = duckdb::UnifiedVectorFormat::GetData<T>(format);
    if (!null_parent && format.validity.AllValid()) {
        if (!format.sel->IsSet()) {
            for (idx_t i = 0; i < count; i++) {
                visit(values[i]);
            }
        } else {
            for (idx_t i = 0; i < count; i++) {
                visit(values[format.sel->get_index(i)]);
            }
        }
        return;
    }
    for (idx_t i = 0; i < count; i++) {
        auto index = format.sel->get_index(i);
        if ((null_parent && (*null_parent)[i]) || !format.validity.RowIsValid(index)) {
            null_count++;
        } else {
            visit(values[index]);
        }
    }
}

template <typename T>
void UpdateIntegers(Leaf &leaf, const duckdb::UnifiedVectorFormat &format, idx_t count,
                    const std::vector<bool> *null_parent) {
    auto min = std::numeric_limits<T>::max();
    auto max = std::numeric_limits<T>::min();
    auto nulls = leaf.null_count;
    ForEachValue<T>(format, count, null_parent, leaf.null_count, [&](T value) {
        min = value < min ? value : min;
        max = value > max ? value : max;
    });
    if (leaf.null_count - nulls == static_cast<int64_t>(count)) {
        return;
    }
    leaf.min_integer = leaf.any ? std::min<int64_t>(leaf.min_integer, min) : min;
    leaf.max_integer = leaf.any ? std::max<int64_t>(leaf.max_integer, max) : max;
    leaf.any = true;
}

bool RealLess(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

template <typename T>
void UpdateReals(Leaf &leaf, const duckdb::UnifiedVectorFormat &format, idx_t count,
                 const std::vector<bool> *null_parent) {
    ForEachValue<T>(format, count, null_parent, leaf.null_count, [&](T value) {
        if (std::isnan(value)) {
            leaf.any_nan = true;
        } else if (!leaf.any) {
            leaf.min_real = leaf.max_real = value;
            leaf.any = true;
        } else if (RealLess(value, leaf.min_real)) {
            leaf.min_real = value;
        } else if (RealLess(leaf.max_real, value)) {
            leaf.max_real = value;
        }
    });
}

void UpdateHuge(Leaf &leaf, const duckdb::UnifiedVectorFormat &format, idx_t count,
                const std::vector<bool> *null_parent) {
    ForEachValue<duckdb::hugeint_t>(format, count, null_parent, leaf.null_count, [&](duckdb::hugeint_t value) {
        leaf.min_huge = leaf.any ? std::min(leaf.min_huge, value) : value;
        leaf.max_huge = leaf.any ? std::max(leaf.max_huge, value) : value;
        leaf.any = true;
    });
}

void UpdateText(Leaf &leaf, const duckdb::UnifiedVectorFormat &format, idx_t count,
                const std::vector<bool> *null_parent) {
    duckdb::string_t min, max;
    bool any = false;
    ForEachValue<duckdb::string_t>(format, count, null_parent, leaf.null_count, [&](const duckdb::string_t &value) {
        if (!any) {
            min = max = value;
            any = true;
        } else if (value < min) {
            min = value;
        } else if (value > max) {
            max = value;
        }
    });
    if (!any) {
        return;
    }
    auto low = min.GetString(), high = max.GetString();
    if (!leaf.any || low < leaf.min_text) {
        leaf.min_text = std::move(low);
    }
    if (!leaf.any || high > leaf.max_text) {
        leaf.max_text = std::move(high);
    }
    leaf.any = true;
}

void CountNulls(Leaf &leaf, const duckdb::UnifiedVectorFormat &format, idx_t count,
                const std::vector<bool> *null_parent) {
    if (!null_parent && format.validity.AllValid()) {
        return;
    }
    for (idx_t i = 0; i < count; i++) {
        leaf.null_count += (null_parent && (*null_parent)[i]) || !format.validity.RowIsValid(format.sel->get_index(i));
    }
}

void UpdateLeaf(Leaf &leaf, bool bounds, duckdb::Vector &vector, idx_t count, const std::vector<bool> *null_parent) {
    duckdb::UnifiedVectorFormat format;
    vector.ToUnifiedFormat(count, format);
    if (!bounds) {
        return CountNulls(leaf, format, count, null_parent);
    }
    switch (vector.GetType().InternalType()) {
    case duckdb::PhysicalType::INT8: return UpdateIntegers<int8_t>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::INT16: return UpdateIntegers<int16_t>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::INT32: return UpdateIntegers<int32_t>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::INT64: return UpdateIntegers<int64_t>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::INT128: return UpdateHuge(leaf, format, count, null_parent);
    case duckdb::PhysicalType::FLOAT: return UpdateReals<float>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::DOUBLE: return UpdateReals<double>(leaf, format, count, null_parent);
    case duckdb::PhysicalType::VARCHAR: return UpdateText(leaf, format, count, null_parent);
    default: return CountNulls(leaf, format, count, null_parent);
    }
}

Int128 ToInt128(const duckdb::hugeint_t &value) {
    return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
}

void SetBounds(LeafStatistics &result, const Leaf &leaf) {
    const auto &type = result.type;
    auto nan = std::numeric_limits<double>::quiet_NaN();
    switch (type.kind()) {
    case TypeKind::kFloat:
    case TypeKind::kDouble:  // NaN lies above every number
        if (leaf.any || leaf.any_nan) {
            result.min = Scalar::Real(type, leaf.any ? leaf.min_real : nan);
            result.max = Scalar::Real(type, leaf.any_nan ? nan : leaf.max_real);
        }
        return;
    case TypeKind::kString:
        result.min = Scalar::Text(type, leaf.min_text);
        result.max = Scalar::Text(type, leaf.max_text);
        break;
    case TypeKind::kDecimal: {
        bool huge = type.precision() > duckdb::Decimal::MAX_WIDTH_INT64;
        result.min = Scalar::DecimalOf(type, huge ? ToInt128(leaf.min_huge) : Int128{leaf.min_integer});
        result.max = Scalar::DecimalOf(type, huge ? ToInt128(leaf.max_huge) : Int128{leaf.max_integer});
        break;
    }
    default:
        result.min = Scalar::Integer(type, leaf.min_integer);
        result.max = Scalar::Integer(type, leaf.max_integer);
        break;
    }
    if (!leaf.any) {
        result.min.reset();
        result.max.reset();
    }
}

//! Finds or makes the node for the rest of a physical path below a struct; false if it leads nowhere.
bool AddPath(StatisticsPlan::Node &node, const DataType &type, ColumnMappingMode mapping,
             const std::vector<std::string> &path, size_t depth, size_t leaf) {
    if (depth == path.size()) {
        node.leaf = leaf;
        return true;
    }
    if (type.kind() != TypeKind::kStruct) {
        return false;
    }
    const auto &fields = type.struct_type().fields;
    for (size_t i = 0; i < fields.size(); i++) {
        if (PhysicalName(fields[i], mapping) != path[depth]) {
            continue;
        }
        for (auto &child : node.children) {
            if (child.position == i) {
                return AddPath(child, fields[i].type, mapping, path, depth + 1, leaf);
            }
        }
        node.children.emplace_back().position = i;
        return AddPath(node.children.back(), fields[i].type, mapping, path, depth + 1, leaf);
    }
    return false;
}

}  // namespace

StatisticsPlan::StatisticsPlan(std::vector<IndexedLeaf> leaves, const std::vector<StructField> &columns,
                               ColumnMappingMode mapping)
    : leaves_(std::move(leaves)), absent_(leaves_.size(), false) {
    // The columns are the fields of one struct, so the same search serves them.
    StructType all;
    all.fields = columns;
    auto type = DataType::Struct(std::move(all));
    Node root;
    for (size_t i = 0; i < leaves_.size(); i++) {
        absent_[i] = !AddPath(root, type, mapping, leaves_[i].column, 0, i);
    }
    roots_ = std::move(root.children);
}

void StatisticsCollector::Visit(duckdb::Vector &vector, idx_t count, const StatisticsPlan::Node &node,
                                const std::vector<bool> *null_parent) {
    if (node.leaf != SIZE_MAX) {
        return UpdateLeaf(leaves_[node.leaf], plan_->leaves()[node.leaf].bounds, vector, count, null_parent);
    }
    vector.Flatten(count);
    auto &validity = duckdb::FlatVector::Validity(vector);
    std::vector<bool> nulls;
    if (!validity.AllValid()) {
        nulls.resize(count);
        for (idx_t i = 0; i < count; i++) {
            nulls[i] = !validity.RowIsValid(i) || (null_parent && (*null_parent)[i]);
        }
        null_parent = &nulls;
    }
    auto &entries = duckdb::StructVector::GetEntries(vector);
    for (const auto &child : node.children) {
        Visit(*entries[child.position], count, child, null_parent);
    }
}

void StatisticsCollector::Update(duckdb::DataChunk &chunk) {
    rows_ += static_cast<int64_t>(chunk.size());
    for (const auto &column : plan_->roots()) {
        Visit(chunk.data[column.position], chunk.size(), column, nullptr);
    }
}

void StatisticsCollector::Merge(const StatisticsCollector &other) {
    rows_ += other.rows_;
    for (size_t i = 0; i < leaves_.size(); i++) {
        auto &mine = leaves_[i];
        const auto &theirs = other.leaves_[i];
        mine.null_count += theirs.null_count;
        mine.any_nan |= theirs.any_nan;
        if (!theirs.any) {
            continue;
        }
        if (!mine.any) {
            auto nulls = mine.null_count;
            auto nan = mine.any_nan;
            mine = theirs;
            mine.null_count = nulls;
            mine.any_nan = nan;
            continue;
        }
        mine.min_integer = std::min(mine.min_integer, theirs.min_integer);
        mine.max_integer = std::max(mine.max_integer, theirs.max_integer);
        mine.min_real = RealLess(theirs.min_real, mine.min_real) ? theirs.min_real : mine.min_real;
        mine.max_real = RealLess(mine.max_real, theirs.max_real) ? theirs.max_real : mine.max_real;
        mine.min_huge = std::min(mine.min_huge, theirs.min_huge);
        mine.max_huge = std::max(mine.max_huge, theirs.max_huge);
        mine.min_text = std::min(mine.min_text, theirs.min_text);
        mine.max_text = std::max(mine.max_text, theirs.max_text);
    }
}

std::vector<LeafStatistics> StatisticsCollector::Leaves() const {
    std::vector<LeafStatistics> result;
    result.reserve(leaves_.size());
    for (size_t i = 0; i < leaves_.size(); i++) {
        const auto &leaf = plan_->leaves()[i];
        LeafStatistics statistics;
        statistics.column = leaf.column;
        statistics.type = leaf.type;
        statistics.null_count = plan_->IsAbsent(i) ? rows_ : leaves_[i].null_count;
        if (leaf.bounds && !plan_->IsAbsent(i)) {
            SetBounds(statistics, leaves_[i]);
        }
        result.push_back(std::move(statistics));
    }
    return result;
}

}  // namespace birdfoot::duck
