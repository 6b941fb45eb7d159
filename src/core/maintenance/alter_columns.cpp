// Columns: add, drop, rename, change, replace (PROTOCOL.md, "Column Mapping", "Type Widening", "Schema Serialization
// Format"). Generated columns and constraints that use a column are the caller's to look for: expressions are not known
// here.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "core/base/json.hpp"
#include "core/maintenance/alter.hpp"
#include "core/schema/schema_rules.hpp"
#include "core/schema/type_widening.hpp"
#include "core/table/table_features.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kStatsColumns = "delta.dataSkippingStatsColumns";
constexpr std::string_view kCharType = "__CHAR_VARCHAR_TYPE_STRING";
constexpr std::string_view kIdentityStart = "delta.identity.start";
constexpr std::string_view kMappingAdvice =
    "Enable column mapping first: ALTER TABLE table_name SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name'). "
    "Readers that lack it will no longer read the table.";

bool IsPrefix(const FieldPath &shorter, const FieldPath &longer) {
    return shorter.size() <= longer.size() &&
           std::equal(shorter.begin(), shorter.end(), longer.begin(), EqualsIgnoreCase);
}

Result<Alteration> Complete(TableDefinition changed, const TableDefinition &table, Operation operation) {
    BF_ASSIGN(auto complete, CompleteChange(std::move(changed), table, SchemaChange::kAltered));
    return Alteration{std::move(complete), std::move(operation), {}, false};
}

Alteration Nothing(const TableDefinition &table) { return {table, {}, {}, true}; }

//! A field as history shows it: whole name, without what only the table's schema is about.
void DescribeField(JsonWriter &writer, const FieldPath &path, const StructField &field, bool char_as_type) {
    const auto char_type = field.metadata.StringOf(kCharType);
    writer.BeginObject().Key("name").String(PathText(path)).Key("type");
    if (char_as_type && char_type) {
        writer.String(*char_type);
    } else {
        writer.Raw(TypeToJson(field.type));
    }
    writer.Key("nullable").Bool(field.nullable).Key("metadata").BeginObject();
    writer.Optional("comment", field.metadata.StringOf("comment"));
    if (char_type && !char_as_type) {
        writer.Key(kCharType).String(*char_type);
    }
    writer.EndObject().EndObject();
}

bool HasNotNull(const StructField &field);
bool HasNotNull(const DataType &type) {
    switch (type.kind()) {
    case TypeKind::kStruct:
        return std::any_of(type.struct_type().fields.begin(), type.struct_type().fields.end(),
                           [](const auto &field) { return HasNotNull(field); });
    case TypeKind::kArray: return HasNotNull(type.array_type().element);
    case TypeKind::kMap: return HasNotNull(type.map_type().key) || HasNotNull(type.map_type().value);
    default: return false;
    }
}
bool HasNotNull(const StructField &field) { return !field.nullable || HasNotNull(field.type); }

//! The property that names the columns with statistics follows them when they get other names, or go.
Status EditStatsColumns(Metadata &metadata, const std::function<bool(FieldPath &)> &keep) {
    const auto found = metadata.configuration.find(std::string(kStatsColumns));
    auto columns = found == metadata.configuration.end() ? std::nullopt : ParsePathList(found->second);
    if (!columns) {
        return {};
    }
    const auto before = PathListText(*columns);
    std::erase_if(*columns, [&](FieldPath &column) { return !keep(column); });
    if (PathListText(*columns) != before) {
        found->second = PathListText(*columns);
    }
    return {};
}

Error CannotChange(const FieldPath &path, const std::string &from, const std::string &to, std::string_view cure) {
    return Fail(Condition::DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP,
                "ALTER TABLE CHANGE COLUMN is not supported for changing column {} from {} to {}. {}", PathText(path),
                from, to, cure);
}

struct CharType {
    bool varchar = false;
    int64_t length = 0;
};
std::optional<CharType> ParseCharType(const std::optional<std::string> &text) {
    if (!text) {
        return std::nullopt;
    }
    const auto open = text->find('(');
    return CharType{text->starts_with("varchar"), open == std::string::npos ? 0 : std::atoll(text->c_str() + open + 1)};
}

//! Whether values of one char, varchar or string type are values of another.
bool CanBecome(const std::optional<CharType> &from, const std::optional<CharType> &to) {
    if (!to) {
        return true;  // a string takes all
    }
    if (!from) {
        return false;
    }
    return to->varchar ? to->length >= from->length : !from->varchar && to->length == from->length;
}

Status CheckTypeChange(const TableDefinition &table, const FieldPath &path, const DataType &from, const DataType &to) {
    if (from.SameAs(to)) {
        return {};
    }
    const auto name = PathText(path);
    switch (from.kind()) {
    case TypeKind::kStruct:
        return Fail(Condition::DELTA_CANNOT_UPDATE_STRUCT_FIELD,
                    "Cannot update field {} type: update a struct by adding, dropping or changing its fields.", name);
    case TypeKind::kArray:
        return Fail(Condition::DELTA_CANNOT_UPDATE_ARRAY_FIELD,
                    "Cannot update field {} type: update the element by changing {}.element.", name, name);
    case TypeKind::kMap:
        return Fail(Condition::DELTA_CANNOT_UPDATE_MAP_FIELD,
                    "Cannot update field {} type: update a map by changing {}.key or {}.value.", name, name, name);
    case TypeKind::kVoid: return {};
    default: break;
    }
    if (!CanWiden(from, to)) {
        return CannotChange(path, from.ToString(), to.ToString(),
                            "That is no widening. Add a column of the new type and fill it instead.");
    }
    if (!BoolProperty(table.metadata, "delta.enableTypeWidening")) {
        return CannotChange(path, from.ToString(), to.ToString(),
                            "Types are widened where the table allows it: ALTER TABLE table_name SET TBLPROPERTIES "
                            "('delta.enableTypeWidening' = 'true').");
    }
    return {};
}

Status ChangeField(const TableDefinition &table, const ColumnChange &change, const FieldPath &path,
                   StructField &field) {
    if (change.type) {
        const auto char_type = field.metadata.StringOf(kCharType);
        if (field.type.is_nested() && char_type != change.char_type) {
            return CannotChange(path, char_type.value_or(field.type.ToString()),
                                change.char_type.value_or(change.type->ToString()), "Change its parts.");
        }
        BF_RETURN_IF_ERROR(CheckTypeChange(table, path, field.type, *change.type));
        if (!field.type.SameAs(*change.type) && field.metadata.JsonOf(kIdentityStart)) {
            return Fail(Condition::DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED,
                        "ALTER TABLE ALTER COLUMN is not supported for IDENTITY columns: {} stays {}.", PathText(path),
                        field.type.ToString());
        }
        if (char_type != change.char_type && !CanBecome(ParseCharType(char_type), ParseCharType(change.char_type))) {
            return CannotChange(path, char_type.value_or(field.type.ToString()), *change.char_type,
                                "Its values may be longer. Use a longer type.");
        }
        if (!field.type.SameAs(*change.type)) {
            field.type = *change.type;
        }
        if (change.char_type) {
            field.metadata.SetString(std::string(kCharType), *change.char_type);
        } else {
            field.metadata.Remove(kCharType);
        }
    }
    if (change.nullable) {
        field.nullable = *change.nullable;
    }
    if (change.comment) {
        field.metadata.SetString("comment", *change.comment);
    } else if (change.drop_comment) {
        field.metadata.Remove("comment");
    }
    return {};
}

//! The element of an array, the key or value of a map: no field of its own, so all it has is a type.
Result<StructType> ChangePart(const TableDefinition &table, const StructType &schema, const ColumnChange &change,
                              const FieldPath &path) {
    if (change.comment || change.drop_comment) {
        return Fail(Condition::DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY,
                    "Can't add a comment to {}. Adding a comment to a map key/value or array element is not supported.",
                    PathText(path));
    }
    BF_ASSIGN(const auto type, TypeAt(schema, path));
    if (change.nullable || change.place || change.char_type) {
        return CannotChange(path, type.ToString(),
                            change.char_type.value_or("a part with another place or nullability"),
                            "Only the type of an array's element, a map's key or value can change.");
    }
    if (!change.type) {
        return schema;
    }
    BF_RETURN_IF_ERROR(CheckTypeChange(table, path, type, *change.type));
    return type.SameAs(*change.type) ? Result<StructType>(schema) : WithType(schema, path, *change.type);
}

//! Spark keeps the lengths of char and varchar within a column as one text for all of it, which a change of its parts
//! would leave behind.
Status CheckNoCharInside(const StructType &schema, const FieldPath &path) {
    const auto *column = path.size() > 1 ? schema.Find(path[0]) : nullptr;
    if (column && column->metadata.JsonOf(kCharType)) {
        return Fail(
            Condition::BIRDFOOT_UNSUPPORTED,
            "Column {} holds char or varchar types inside, and its parts cannot be changed. Add a column of the "
            "new type and fill it instead.",
            column->name);
    }
    return {};
}

//! True if the last step of the path is no field's name.
bool IsPartOfCollection(const StructType &schema, const FieldPath &path) {
    const auto above = TypeAt(schema, {path.begin(), path.end() - 1});
    return above.ok() && (above->kind() == TypeKind::kArray || above->kind() == TypeKind::kMap);
}

}  // namespace

Result<Alteration> AddColumns(const TableDefinition &table, const std::vector<AddedColumn> &columns,
                              bool if_not_exists) {
    auto changed = table;
    std::string described;
    JsonWriter writer(described);
    writer.BeginArray();
    bool any = false;
    for (const auto &column : columns) {
        if (HasNotNull(column.field)) {
            return Fail(
                Condition::DELTA_OPERATION_NOT_ALLOWED,
                "Operation not allowed: `NOT NULL in ALTER TABLE ADD COLUMNS` is not supported for Delta tables. "
                "Rows that are there have NULL in {}. Add the column without NOT NULL, fill it, and SET NOT NULL.",
                column.field.name);
        }
        FieldPath path;
        if (!column.parent.empty()) {
            BF_RETURN_IF_ERROR(TypeAt(changed.schema, column.parent, &path));
        }
        path.push_back(column.field.name);
        if (if_not_exists && FindField(changed.schema, path).ok()) {
            continue;
        }
        BF_RETURN_IF_ERROR(CheckNoCharInside(changed.schema, path));
        if (path.size() > 1 && column.field.metadata.JsonOf(kCharType)) {
            return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                        "Cannot add {}: a char or varchar inside another column is not supported. Use STRING.",
                        PathText(path));
        }
        BF_ASSIGN(changed.schema, WithField(changed.schema, column.parent, column.field, column.place));
        any = true;
        writer.BeginObject().Key("column");
        DescribeField(writer, path, column.field, true);
        if (!column.place.last()) {
            writer.Key("position").String(column.place.ToText());
        }
        writer.EndObject();
    }
    writer.EndArray();
    if (!any) {
        return Nothing(table);
    }
    return Complete(std::move(changed), table, {"ADD COLUMNS", {{"columns", described}}, {}});
}

Result<Alteration> DropColumns(const TableDefinition &table, const std::vector<FieldPath> &columns, bool if_exists,
                               const std::vector<FieldPath> &clustering) {
    auto changed = table;
    std::vector<std::string> dropped;
    for (const auto &column : columns) {
        FieldPath path;
        if (const auto found = TypeAt(changed.schema, column, &path); !found.ok()) {
            if (if_exists) {
                continue;
            }
            return found.error();
        }
        if (table.mapping == ColumnMappingMode::kNone) {
            return Fail(Condition::DELTA_UNSUPPORTED_DROP_COLUMN,
                        "DROP COLUMN is not supported for your Delta table: its files name the column {}. {}",
                        PathText(path), kMappingAdvice);
        }
        if (path.size() == 1 && IsPartitionColumn(table.metadata, path[0])) {
            return Fail(Condition::DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN,
                        "Dropping partition columns ({}) is not allowed.", path[0]);
        }
        for (const auto &clustered : clustering) {
            if (IsPrefix(path, clustered)) {
                return Fail(Condition::DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN,
                            "Dropping clustering columns ({}) is not allowed. Change them first: ALTER TABLE … CLUSTER "
                            "BY.",
                            PathText(clustered));
            }
        }
        BF_RETURN_IF_ERROR(CheckNoCharInside(changed.schema, path));
        BF_ASSIGN(changed.schema, WithoutField(changed.schema, path));
        BF_RETURN_IF_ERROR(EditStatsColumns(changed.metadata, [&](FieldPath &with) { return !IsPrefix(path, with); }));
        dropped.push_back(PathText(path));
    }
    if (dropped.empty()) {
        return Nothing(table);
    }
    std::string list;
    JsonWriter writer(list);
    writer.BeginArray();
    for (const auto &name : dropped) {
        writer.String(name);
    }
    writer.EndArray();
    return Complete(std::move(changed), table, {"DROP COLUMNS", {{"columns", list}}, {}});
}

Result<Alteration> RenameColumn(const TableDefinition &table, const FieldPath &column, const std::string &new_name) {
    FieldPath path;
    BF_RETURN_IF_ERROR(FindField(table.schema, column, &path));
    auto renamed = path;
    renamed.back() = new_name;
    if (table.mapping == ColumnMappingMode::kNone) {
        return Fail(Condition::DELTA_UNSUPPORTED_RENAME_COLUMN,
                    "Column rename is not supported for your Delta table: its files name the column {}. {}",
                    PathText(path), kMappingAdvice);
    }
    if (!EqualsIgnoreCase(path.back(), new_name) && FindField(table.schema, renamed).ok()) {
        return Fail(Condition::FIELD_ALREADY_EXISTS, "Cannot rename column {}, because {} already exists.",
                    PathText(path), PathText(renamed));
    }
    BF_RETURN_IF_ERROR(CheckNoCharInside(table.schema, path));
    auto changed = table;
    BF_ASSIGN(changed.schema, WithChangedField(table.schema, path, [&](StructField &field) -> Status {
                  field.name = new_name;
                  return {};
              }));
    if (path.size() == 1) {
        for (auto &partition : changed.metadata.partition_columns) {
            partition = EqualsIgnoreCase(partition, path[0]) ? new_name : partition;
        }
    }
    BF_RETURN_IF_ERROR(EditStatsColumns(changed.metadata, [&](FieldPath &with) {
        if (IsPrefix(path, with)) {
            with[path.size() - 1] = new_name;
        }
        return true;
    }));
    return Complete(std::move(changed), table,
                    {"RENAME COLUMN", {{"oldColumnPath", PathText(path)}, {"newColumnPath", PathText(renamed)}}, {}});
}

Result<Alteration> ChangeColumns(const TableDefinition &table, const std::vector<ColumnChange> &changes) {
    auto changed = table;
    std::vector<std::string> described;
    for (const auto &change : changes) {
        FieldPath path;
        BF_RETURN_IF_ERROR(TypeAt(changed.schema, change.column, &path));
        if (change.type || change.place) {
            BF_RETURN_IF_ERROR(CheckNoCharInside(changed.schema, path));
        }
        StructField field;
        if (IsPartOfCollection(changed.schema, path)) {
            BF_ASSIGN(changed.schema, ChangePart(table, changed.schema, change, path));
            BF_ASSIGN(field.type, TypeAt(changed.schema, path));
        } else {
            const auto edit = [&](StructField &at) { return ChangeField(table, change, path, at); };
            BF_ASSIGN(changed.schema, WithChangedField(changed.schema, path, edit, change.place));
            BF_ASSIGN(const auto *found, FindField(changed.schema, path));
            field = *found;
        }
        JsonWriter writer(described.emplace_back());
        DescribeField(writer, path, field, false);
    }
    changed.schema = RecordTypeChanges(changed.schema, table.schema);
    Operation operation;
    if (described.size() == 1) {
        operation = {"CHANGE COLUMN", {{"column", described[0]}}, {}};
        if (changes[0].place) {
            operation.parameters.emplace_back("position", changes[0].place->ToText());
        }
    } else {
        operation = {"CHANGE COLUMNS", {{"columns", fmt::format("[{}]", fmt::join(described, ","))}}, {}};
    }
    return Complete(std::move(changed), table, std::move(operation));
}

namespace {

Error CannotReplace(const FieldPath &path, std::string_view what) {
    return Fail(Condition::DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP,
                "Unsupported ALTER TABLE REPLACE COLUMNS operation. Reason: {} of {}. Make the change with ALTER TABLE "
                "ADD, DROP, RENAME or ALTER COLUMN.",
                what, PathText(path));
}

//! What REPLACE COLUMNS makes of the fields of one struct: those of `wanted`, each what it was but for what it may
//! become.
class Replacing {
public:
    explicit Replacing(const TableDefinition &table) : table_(table) {}

    Result<StructType> Fields(const StructType &there, const StructType &wanted, FieldPath path) {
        StructType result;
        for (const auto &field : wanted.fields) {
            path.push_back(field.name);
            const auto *old = there.Find(field.name);
            if (!old && HasNotNull(field)) {
                return CannotReplace(path, "adding NOT NULL");
            }
            added_ = added_ || !old;
            result.fields.push_back(field);
            if (old) {
                auto &kept = result.fields.back();
                kept = *old;
                if (old->nullable && !field.nullable) {
                    return CannotReplace(path, "tightening the nullability");
                }
                kept.nullable = field.nullable;
                if (const auto comment = field.metadata.StringOf("comment")) {
                    kept.metadata.SetString("comment", *comment);
                }
                BF_ASSIGN(kept.type, Type(old->type, field.type, path));
            }
            path.pop_back();
        }
        for (const auto &field : there.fields) {
            if (!wanted.Find(field.name)) {
                path.push_back(field.name);
                dropped_.push_back(path);
                path.pop_back();
            }
        }
        return result;
    }

    bool added() const { return added_; }
    const std::vector<FieldPath> &dropped() const { return dropped_; }

private:
    Result<DataType> Type(const DataType &there, const DataType &wanted, FieldPath path) {
        if (there.kind() != wanted.kind() || !there.is_nested()) {
            if (auto may = CheckTypeChange(table_, path, there, wanted); !may.ok()) {
                return may.error().condition() == Condition::DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP
                           ? CannotReplace(path, fmt::format("changing the type from {} to {}", there.ToString(),
                                                             wanted.ToString()))
                           : may.error();
            }
            return there.SameAs(wanted) ? there : wanted;
        }
        if (there.kind() == TypeKind::kStruct) {
            BF_ASSIGN(auto fields, Fields(there.struct_type(), wanted.struct_type(), std::move(path)));
            return DataType::Struct(std::move(fields));
        }
        if (there.kind() == TypeKind::kArray) {
            path.emplace_back("element");
            BF_ASSIGN(auto element, Type(there.array_type().element, wanted.array_type().element, std::move(path)));
            return DataType::Array(std::move(element), there.array_type().contains_null);
        }
        auto side = path;
        side.emplace_back("key");
        BF_ASSIGN(auto key, Type(there.map_type().key, wanted.map_type().key, side));
        side.back() = "value";
        BF_ASSIGN(auto value, Type(there.map_type().value, wanted.map_type().value, std::move(side)));
        return DataType::Map(std::move(key), std::move(value), there.map_type().value_contains_null);
    }

    const TableDefinition &table_;
    bool added_ = false;
    std::vector<FieldPath> dropped_;
};

}  // namespace

Result<Alteration> ReplaceColumns(const TableDefinition &table, const StructType &columns,
                                  const std::vector<FieldPath> &clustering) {
    BF_RETURN_IF_ERROR(CheckDuplicateNames(columns, "the columns named"));
    Replacing replacing(table);
    BF_ASSIGN(auto schema, replacing.Fields(table.schema, columns, {}));
    auto changed = table;
    if (!replacing.dropped().empty()) {
        if (table.mapping == ColumnMappingMode::kNone) {
            return CannotReplace(replacing.dropped().front(), "dropping");
        }
        if (replacing.added()) {
            return CannotReplace(replacing.dropped().front(), "adding columns together with the dropping");
        }
        BF_ASSIGN(auto without, DropColumns(table, replacing.dropped(), false, clustering));
        changed = std::move(without.table);
    }
    changed.schema = RecordTypeChanges(schema, table.schema);
    std::string described;
    JsonWriter writer(described);
    writer.BeginArray();
    for (const auto &field : columns.fields) {
        DescribeField(writer, {field.name}, field, true);
    }
    writer.EndArray();
    return Complete(std::move(changed), table, {"REPLACE COLUMNS", {{"columns", described}}, {}});
}

}  // namespace birdfoot
