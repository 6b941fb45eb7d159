// ALTER TABLE, as far as it changes what a table is beside its files: columns, properties, comments
// (specification 4.2). Each function takes the table as it is and gives it as it will be, with history's words for it
// (specification 5). What the rows must satisfy first is the caller's business, and said where it is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schema/schema_change.hpp"
#include "core/table/table_definition.hpp"
#include "core/table/table_properties.hpp"
#include "core/txn/change_set.hpp"

namespace birdfoot {

struct Alteration {
    TableDefinition table;
    Operation operation;
    std::vector<DomainMetadata> domains;  // that change with it
    bool nothing = false;                 // there was nothing to change (IF EXISTS, IF NOT EXISTS): no version is made
};

// ---- columns ----

struct AddedColumn {
    FieldPath parent;  // empty: a column of the table
    StructField field;
    FieldPlace place;
};
//! Old rows have NULL there, so a new column may have it. FIELD_ALREADY_EXISTS unless `if_not_exists`,
//! DELTA_ADD_COLUMN_PARENT_NOT_STRUCT, DELTA_OPERATION_NOT_ALLOWED for NOT NULL.
Result<Alteration> AddColumns(const TableDefinition &table, const std::vector<AddedColumn> &columns,
                              bool if_not_exists);

//! `clustering` are the table's clustering columns. DELTA_UNSUPPORTED_DROP_COLUMN without column mapping,
//! DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN, DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN,
//! DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA.
Result<Alteration> DropColumns(const TableDefinition &table, const std::vector<FieldPath> &columns, bool if_exists,
                               const std::vector<FieldPath> &clustering);

//! DELTA_UNSUPPORTED_RENAME_COLUMN without column mapping, FIELD_ALREADY_EXISTS.
Result<Alteration> RenameColumn(const TableDefinition &table, const FieldPath &column, const std::string &new_name);

struct ColumnChange {
    FieldPath column;  // may end in "element", "key", "value" where only the type changes
    std::optional<DataType> type;
    std::optional<std::string> char_type;  // "varchar(5)", where `type` is the string that stands for it
    std::optional<std::string> comment;
    bool drop_comment = false;
    std::optional<FieldPlace> place;
    //! false: SET NOT NULL, which the rows must satisfy.
    std::optional<bool> nullable;
};
//! DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP for a type change that is no widening, or where widening is off;
//! DELTA_CANNOT_UPDATE_{STRUCT,ARRAY,MAP}_FIELD, DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY.
Result<Alteration> ChangeColumns(const TableDefinition &table, const std::vector<ColumnChange> &changes);

//! Comments, order, NULL allowed, wider types, new columns; columns left out are dropped where they are mapped.
//! DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP says what else would change.
Result<Alteration> ReplaceColumns(const TableDefinition &table, const StructType &columns,
                                  const std::vector<FieldPath> &clustering);

// ---- properties ----

//! Keys in any spelling; "comment" is the table's comment. Pseudo-properties raise the protocol. What CheckProperties
//! says, and DELTA_ADD_CONSTRAINTS, DELTA_CANNOT_CHANGE_LOCATION, DELTA_CANNOT_CHANGE_PROVIDER,
//! DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED, DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION.
Result<Alteration> SetProperties(const TableDefinition &table, const Properties &properties, bool allow_arbitrary);
//! DELTA_UNSET_NON_EXISTENT_PROPERTY unless `if_exists`.
Result<Alteration> UnsetProperties(const TableDefinition &table, const std::vector<std::string> &keys, bool if_exists);
Result<Alteration> SetTableComment(const TableDefinition &table, std::optional<std::string> comment);

}  // namespace birdfoot
