// Type widening (PROTOCOL.md, "Type Widening"): which type may become which, and the history of it in the schema.
#pragma once

#include <string>
#include <vector>

#include "core/schema/types.hpp"

namespace birdfoot {

inline constexpr std::string_view kTypeChanges = "delta.typeChanges";

//! True if a column of `from` may become one of `to`, another type: ALTER TABLE … TYPE, and what readers must accept.
bool CanWiden(const DataType &from, const DataType &to);
//! True if schema evolution does it unasked: not from integers to decimals and doubles.
bool CanWidenUnasked(const DataType &from, const DataType &to);

struct WidenedColumn {
    std::vector<std::string> column;  // path from the root, with "element", "key" and "value"
    DataType from;
    DataType to;
};
//! What has another type in `after`, columns matched by name.
std::vector<WidenedColumn> WidenedColumns(const StructType &before, const StructType &after);

//! `schema` with delta.typeChanges extended by what differs from `earlier`, as delta-spark records it.
StructType RecordTypeChanges(const StructType &schema, const StructType &earlier);
//! What a reader must check: DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA names a recorded change that the protocol lacks.
Status CheckTypeChanges(const StructType &schema);

}  // namespace birdfoot
