// Changes of a schema at a path, as ALTER TABLE makes them: a path goes through structs by name, through arrays by
// "element", through maps by "key" and "value". Pure: what a change means for a table is decided elsewhere.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/types.hpp"

namespace birdfoot {

using FieldPath = std::vector<std::string>;

//! a.element.`b.c`, as Spark writes it into messages and history: quoted where a name has a dot or a quote in it.
std::string PathText(const FieldPath &path);
//! "a, b.`c.d`": the columns that a table property names. None if it is no such list.
std::optional<std::vector<FieldPath>> ParsePathList(std::string_view text);
std::string PathListText(const std::vector<FieldPath> &paths);

//! Where among its siblings a field goes: first, behind another, or (neither) last.
struct FieldPlace {
    bool first = false;
    std::string after;
    bool last() const { return !first && after.empty(); }
    std::string ToText() const;  //!< "FIRST", "AFTER x"
};

//! The field at the path; `*spelt`, if given, becomes the path as the schema spells it. DELTA_COLUMN_NOT_FOUND.
Result<const StructField *> FindField(const StructType &schema, const FieldPath &path, FieldPath *spelt = nullptr);
//! The type at a path, which may end in "element", "key" or "value". DELTA_COLUMN_NOT_FOUND.
Result<DataType> TypeAt(const StructType &schema, const FieldPath &path, FieldPath *spelt = nullptr);

//! FIELD_ALREADY_EXISTS, DELTA_ADD_COLUMN_PARENT_NOT_STRUCT, DELTA_COLUMN_NOT_FOUND for the parent or the sibling.
Result<StructType> WithField(const StructType &schema, const FieldPath &parent, StructField field,
                             const FieldPlace &place);
//! DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA, DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE.
Result<StructType> WithoutField(const StructType &schema, const FieldPath &path);
//! The field at the path as `change` makes it, and where `place` is given, there.
Result<StructType> WithChangedField(const StructType &schema, const FieldPath &path,
                                    const std::function<Status(StructField &)> &change,
                                    const std::optional<FieldPlace> &place = std::nullopt);
//! Another type at a path that may end in "element", "key" or "value".
Result<StructType> WithType(const StructType &schema, const FieldPath &path, const DataType &type);

}  // namespace birdfoot
