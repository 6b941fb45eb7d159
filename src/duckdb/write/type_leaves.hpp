// The parts of a type beside those of the type that it is cast to.
#pragma once

#include "duckdb.hpp"

#include "core/schema/types.hpp"

namespace birdfoot::duck {

inline bool IsList(const duckdb::LogicalType &type) {
    return type.id() == duckdb::LogicalTypeId::LIST || type.id() == duckdb::LogicalTypeId::ARRAY;
}

inline const duckdb::LogicalType &ElementOf(const duckdb::LogicalType &list) {
    return list.id() == duckdb::LogicalTypeId::LIST ? duckdb::ListType::GetChildType(list)
                                                    : duckdb::ArrayType::GetChildType(list);
}

//! Calls `visit` for each type in `from` that is no struct, list or map, with what it becomes in a cast to `to`.
template <class Visit>
void ForEachLeaf(const duckdb::LogicalType &from, const duckdb::LogicalType &to, const Visit &visit) {
    if (IsList(from) && IsList(to)) {
        return ForEachLeaf(ElementOf(from), ElementOf(to), visit);
    }
    if (from.id() == duckdb::LogicalTypeId::MAP && to.id() == duckdb::LogicalTypeId::MAP) {
        ForEachLeaf(duckdb::MapType::KeyType(from), duckdb::MapType::KeyType(to), visit);
        return ForEachLeaf(duckdb::MapType::ValueType(from), duckdb::MapType::ValueType(to), visit);
    }
    if (from.id() != duckdb::LogicalTypeId::STRUCT || to.id() != duckdb::LogicalTypeId::STRUCT) {
        return visit(from, to);
    }
    const auto &sources = duckdb::StructType::GetChildTypes(from);
    const auto &targets = duckdb::StructType::GetChildTypes(to);
    for (size_t i = 0; i < sources.size(); i++) {
        for (size_t k = 0; k < targets.size(); k++) {
            const bool same =
                duckdb::StructType::IsUnnamed(from) ? i == k : EqualsIgnoreCase(sources[i].first, targets[k].first);
            if (same) {
                ForEachLeaf(sources[i].second, targets[k].second, visit);
            }
        }
    }
}

}  // namespace birdfoot::duck
