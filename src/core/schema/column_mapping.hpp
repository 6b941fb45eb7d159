// Column mapping (PROTOCOL.md, "Column Mapping"): logical names end here; below the schema all is physical.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/types.hpp"

namespace birdfoot {

enum class ColumnMappingMode : uint8_t { kNone, kName, kId };

inline constexpr std::string_view kColumnMappingId = "delta.columnMapping.id";
inline constexpr std::string_view kColumnMappingPhysicalName = "delta.columnMapping.physicalName";
//! Ids of the elements, keys and values within a column: {"<physical path>.element":4}. Only Iceberg compatibility has
//! them.
inline constexpr std::string_view kColumnMappingNestedIds = "delta.columnMapping.nested.ids";

//! "none", "name", "id"; DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE otherwise.
Result<ColumnMappingMode> ParseColumnMappingMode(std::string_view text);

//! The name that data files, statistics and partition values use for this field.
std::string PhysicalName(const StructField &field, ColumnMappingMode mode);
std::optional<int64_t> FieldId(const StructField &field);

//! The physical path of a logical one ({"a","b"} for a.b); names match without regard to case. Empty if there is none.
std::vector<std::string> PhysicalPath(const StructType &schema, const std::vector<std::string> &logical,
                                      ColumnMappingMode mode);

//! The logical path of a physical one through structs; steps that the schema lacks stay as they are.
std::vector<std::string> LogicalPath(const StructType &schema, const std::vector<std::string> &physical,
                                     ColumnMappingMode mode);

//! Under name or id mapping every struct field must have an id and a physical name: DELTA_MISSING_COLUMN_ID else.
Status CheckColumnMapping(const StructType &schema, ColumnMappingMode mode);

//! Gives ids and physical names ("col-<uuid>", or the logical name where `keep_names`) to fields without; raises
//! `*max_id`.
StructType AssignColumnMapping(const StructType &schema, bool keep_names, int64_t *max_id);
//! A schema that takes the place of `earlier`, all data with it: fields without id and physical name take those of the
//! field at the same path, where the type is the same and takes every NULL that the old one took.
StructType InheritColumnMapping(const StructType &schema, const StructType &earlier);
//! The schema without anything that column mapping has put into it.
StructType WithoutColumnMapping(const StructType &schema);
//! True if a field at any depth has an id or a physical name, whatever the mode is.
bool HasColumnMapping(const StructType &schema);

}  // namespace birdfoot
