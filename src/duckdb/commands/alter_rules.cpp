// See alter_rules.hpp.
#include "duckdb/commands/alter_rules.hpp"

#include <algorithm>

#include "duckdb/execution/expression_executor.hpp"

#include "core/base/json.hpp"
#include "core/schema/scalar.hpp"
#include "core/table/new_table.hpp"
#include "core/table/table_features.hpp"
#include "core/table/table_rules.hpp"
#include "duckdb/catalog/delta_table.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/commands/check_rules.hpp"
#include "duckdb/commands/visit_rows.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/spark_expressions.hpp"
#include "duckdb/write/work_changes.hpp"
#include "sql/translate/translation.hpp"

namespace birdfoot::duck {

namespace {

TableWork &WorkOnTable(duckdb::ClientContext &context, DeltaTableEntry &table) {
    table.RequireWritable();
    return DeltaTransaction::Get(context, table.catalog).WorkOn(context, table.root());
}

//! Under the work's mutex: makes the new metadata the pending one, with the features that it needs.
void Keep(duckdb::ClientContext &context, TableWork &work, Metadata metadata, StructType schema, Operation operation) {
    metadata.schema_string = SchemaToJson(schema);
    CheckTableRules(context, metadata, schema);
    auto protocol = RaiseProtocol(work.protocol, metadata, schema);
    OkOrThrow(CheckWritable(protocol, metadata, schema, work.transaction.root()));
    work.SetMetadata(std::move(metadata), std::move(schema), work.mapping, std::move(protocol));
    RecordOperation(work, std::move(operation));
}

//! A field as history shows it.
std::string FieldJson(const StructField &field) {
    StructType one;
    one.fields.push_back(field);
    constexpr std::string_view kBefore = R"({"type":"struct","fields":[)";
    auto text = SchemaToJson(one);
    return text.substr(kBefore.size(), text.size() - kBefore.size() - 2);
}

void KeepField(duckdb::ClientContext &context, TableWork &work, size_t position, StructField field) {
    auto schema = work.schema;
    auto json = FieldJson(field);
    schema.fields[position] = std::move(field);
    Keep(context, work, work.metadata, std::move(schema), {"CHANGE COLUMN", {{"column", std::move(json)}}, {}});
}

size_t PositionOf(const TableWork &work, const sql::ColumnPath &column) {
    const auto position = column.size() == 1 ? work.schema.IndexOf(column[0]) : std::nullopt;
    if (!position) {
        Throw(Fail(Condition::UNRESOLVED_COLUMN,
                   "A column, variable, or function parameter with name `{}` cannot be resolved. The table has no such "
                   "column. "
                   "Correct the name.",
                   fmt::join(column, ".")));
    }
    return *position;
}

//! The mark of a sequence whose next number lies behind `farthest`; none where there is no such number.
std::optional<int64_t> MarkBehind(const IdentityColumn &identity, int64_t farthest) {
    const Int128 distance = static_cast<Int128>(farthest) - identity.start;
    const Int128 step = identity.step;
    if ((step > 0) != (distance >= 0) && distance != 0) {
        return identity.high_water;  // the rows' numbers lie before the start
    }
    const Int128 steps = (distance + step - (step > 0 ? 1 : -1)) / step;
    const Int128 mark = identity.start + steps * step;
    return mark > INT64_MAX || mark < INT64_MIN ? std::nullopt : std::optional(static_cast<int64_t>(mark));
}

}  // namespace

void SyncIdentity(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::ColumnPath &column) {
    auto &work = WorkOnTable(context, table);
    const auto position = PositionOf(work, column);
    auto identity = IdentityOf(work.schema.fields[position]);
    if (!identity) {
        Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN,
                   "ALTER TABLE ALTER COLUMN SYNC IDENTITY cannot be called on non IDENTITY columns ({}).", column[0]));
    }
    std::optional<int64_t> farthest;
    VisitRows(context, DeltaTransaction::Get(context, table.catalog), work, [&](duckdb::DataChunk &chunk) {
        duckdb::UnifiedVectorFormat format;
        chunk.data[position].ToUnifiedFormat(chunk.size(), format);
        const auto *numbers = duckdb::UnifiedVectorFormat::GetData<int64_t>(format);
        for (duckdb::idx_t row = 0; row < chunk.size(); row++) {
            const auto index = format.sel->get_index(row);
            if (format.validity.RowIsValid(index)) {
                const auto number = numbers[index];
                farthest = !farthest            ? number
                           : identity->step > 0 ? std::max(*farthest, number)
                                                : std::min(*farthest, number);
            }
        }
    });
    if (farthest) {
        const auto mark = MarkBehind(*identity, *farthest);
        if (!mark && identity->high_water) {
            Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                       "Column {} has the number {}, behind which its sequence has none left. Make a new table.",
                       column[0], *farthest));
        }
        identity->high_water = mark;
    }
    std::lock_guard lock(work.mutex);
    auto field = work.schema.fields[position];
    SetIdentity(field, *identity);
    KeepField(context, work, position, std::move(field));
}

void SetColumnDefault(duckdb::ClientContext &context, DeltaTableEntry &table, const sql::ColumnPath &column,
                      const std::optional<std::string> &value) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    const auto position = PositionOf(work, column);
    auto field = work.schema.fields[position];
    if (value && !HasFeature(work.protocol, "allowColumnDefaults")) {
        Throw(Fail(
            Condition::WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED,
            "Failed to execute ALTER TABLE command because it assigned a column DEFAULT value, but the corresponding "
            "table feature was not enabled. Please retry the command again after executing ALTER TABLE {} SET "
            "TBLPROPERTIES('delta.feature.allowColumnDefaults' = 'supported').",
            table.name));
    }
    if (value && IdentityOf(field)) {
        Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED,
                   "ALTER TABLE ALTER COLUMN is not supported for IDENTITY columns ({}).", field.name));
    }
    if (value) {
        field.metadata.SetString(std::string(kCurrentDefault), *value);
    } else {
        field.metadata.Remove(kCurrentDefault);
    }
    KeepField(context, work, position, std::move(field));
}

void AddTableConstraint(duckdb::ClientContext &context, DeltaTableEntry &table,
                        const sql::NamedConstraint &constraint) {
    auto &work = WorkOnTable(context, table);
    if (EqualsIgnoreCase(constraint.name, "char_varchar") || constraint.name.empty()) {
        Throw(Fail(Condition::DELTA_INVALID_CONSTRAINT_NAME,
                   "Cannot use '{}' as the name of a CHECK constraint. Choose another one.", constraint.name));
    }
    if (const auto old = ConstraintProperty(work.metadata, constraint.name)) {
        Throw(Fail(Condition::DELTA_CONSTRAINT_ALREADY_EXISTS,
                   "Constraint '{}' already exists. Please delete the old constraint first. Old constraint: {}",
                   constraint.name, work.metadata.configuration.at(*old)));
    }
    CheckConstraintText(constraint.name, constraint.expression, work.schema);
    auto bound =
        BindTranslation(context, ValueOrThrow(sql::TranslateText(constraint.expression, work.schema)), work.schema);
    duckdb::ExpressionExecutor executor(context, *bound);
    duckdb::idx_t violations = 0;
    VisitRows(context, DeltaTransaction::Get(context, table.catalog), work, [&](duckdb::DataChunk &chunk) {
        duckdb::SelectionVector passed(chunk.size());
        violations += chunk.size() - executor.SelectExpression(chunk, passed);
    });
    if (violations > 0) {
        Throw(Fail(
            Condition::DELTA_NEW_CHECK_CONSTRAINT_VIOLATION,
            "{} rows in {} violate the new CHECK constraint ({}). Correct or delete them first. A row for which it "
            "is NULL violates it, too, unlike in SQL elsewhere: add OR … IS NULL to allow it.",
            violations, table.name, constraint.expression));
    }
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    metadata.configuration[ConstraintKey(constraint.name)] = constraint.expression;
    Keep(context, work, std::move(metadata), work.schema,
         {"ADD CONSTRAINT", {{"name", constraint.name}, {"expr", constraint.expression}}, {}});
}

void DropTableConstraint(duckdb::ClientContext &context, DeltaTableEntry &table, const std::string &name,
                         bool if_exists) {
    auto &work = WorkOnTable(context, table);
    std::lock_guard lock(work.mutex);
    auto metadata = work.metadata;
    const auto property = ConstraintProperty(metadata, name);
    if (!property) {
        if (if_exists) {
            return;
        }
        Throw(Fail(
            Condition::DELTA_CONSTRAINT_DOES_NOT_EXIST,
            "Cannot drop nonexistent constraint {} from table {}. To avoid throwing an error, provide the parameter IF "
            "EXISTS.",
            name, table.name));
    }
    const auto expression = metadata.configuration.at(*property);
    metadata.configuration.erase(*property);
    Keep(context, work, std::move(metadata), work.schema,
         {"DROP CONSTRAINT", {{"name", name}, {"expr", expression}, {"existed", "true"}}, {}});
}

}  // namespace birdfoot::duck
