// How one file's columns become those asked for.
#include "duckdb/scan/file_mapping.hpp"

#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_constant_expression.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/list.hpp"

#include "duckdb/scan/file_columns.hpp"
#include "duckdb/scan/nested_columns.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/predicates.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {

using duckdb::BoundConstantExpression;
using duckdb::BoundReferenceExpression;
using duckdb::column_t;
using duckdb::Expression;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::TableFilter;
using duckdb::TableFilterSet;
using duckdb::TableFilterType;
using duckdb::Value;

namespace {

//! `known`, or where that is NULL: base + offset. NULL where the base is.
void FallBackFunction(duckdb::DataChunk &arguments, duckdb::ExpressionState &, duckdb::Vector &result) {
    duckdb::UnifiedVectorFormat known;
    duckdb::UnifiedVectorFormat base;
    duckdb::UnifiedVectorFormat offset;
    arguments.data[0].ToUnifiedFormat(arguments.size(), known);
    arguments.data[1].ToUnifiedFormat(arguments.size(), base);
    arguments.data[2].ToUnifiedFormat(arguments.size(), offset);
    auto *values = duckdb::FlatVector::GetData<int64_t>(result);
    auto &mask = duckdb::FlatVector::Validity(result);
    for (idx_t i = 0; i < arguments.size(); ++i) {
        const auto at_known = known.sel->get_index(i);
        const auto at_base = base.sel->get_index(i);
        if (known.validity.RowIsValid(at_known)) {
            values[i] = duckdb::UnifiedVectorFormat::GetData<int64_t>(known)[at_known];
        } else if (base.validity.RowIsValid(at_base)) {
            const auto first = duckdb::UnifiedVectorFormat::GetData<int64_t>(base)[at_base];
            const auto row = duckdb::UnifiedVectorFormat::GetData<int64_t>(offset)[offset.sel->get_index(i)];
            if (first < 0 || row > INT64_MAX - first) {
                Throw(Fail(Condition::DELTA_LOG_FILE_MALFORMED,
                           "A file's rows have the ids from {} on, which are not enough for its rows. The table's log "
                           "is damaged. Restore it.",
                           first));
            }
            values[i] = first + row;
        } else {
            mask.SetInvalid(i);
        }
    }
}

duckdb::unique_ptr<Expression> FallBack(duckdb::unique_ptr<Expression> known, std::optional<int64_t> base,
                                        duckdb::unique_ptr<Expression> offset) {
    duckdb::ScalarFunction function("row_tracking", {LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT},
                                    LogicalType::BIGINT, FallBackFunction);
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    duckdb::vector<duckdb::unique_ptr<Expression>> arguments;
    arguments.push_back(std::move(known));
    arguments.push_back(
        duckdb::make_uniq<BoundConstantExpression>(base ? Value::BIGINT(*base) : Value(LogicalType::BIGINT)));
    arguments.push_back(std::move(offset));
    return duckdb::make_uniq<duckdb::BoundFunctionExpression>(LogicalType::BIGINT, std::move(function),
                                                              std::move(arguments), nullptr);
}

//! What of a filter has to hold for each row: without the parts that are there to skip row groups. Null: nothing.
duckdb::unique_ptr<TableFilter> Required(const TableFilter &filter) {
    switch (filter.filter_type) {
    case TableFilterType::OPTIONAL_FILTER:
    case TableFilterType::DYNAMIC_FILTER:
    case TableFilterType::BLOOM_FILTER: return nullptr;
    case TableFilterType::CONJUNCTION_AND: {
        auto all = duckdb::make_uniq<duckdb::ConjunctionAndFilter>();
        for (const auto &child : filter.Cast<duckdb::ConjunctionAndFilter>().child_filters) {
            if (auto required = Required(*child)) {
                all->child_filters.push_back(std::move(required));
            }
        }
        if (all->child_filters.empty()) {
            return nullptr;
        }
        return all;
    }
    case TableFilterType::CONJUNCTION_OR:
        for (const auto &child : filter.Cast<duckdb::ConjunctionOrFilter>().child_filters) {
            auto required = Required(*child);
            if (!required || !required->Equals(*child)) {
                return nullptr;
            }
        }
        return filter.Copy();
    case TableFilterType::STRUCT_EXTRACT: {
        auto &extract = filter.Cast<duckdb::StructFilter>();
        auto child = Required(*extract.child_filter);
        if (!child) {
            return nullptr;
        }
        return duckdb::make_uniq<duckdb::StructFilter>(extract.child_idx, extract.child_name, std::move(child));
    }
    default: return filter.Copy();
    }
}

//! DuckDB skips row groups of NULLs for IS DISTINCT FROM, although they satisfy it.
bool ComparesNulls(const TableFilter &filter) {
    const auto any = [](const auto &children) {
        return std::any_of(children.begin(), children.end(), [](const auto &child) { return ComparesNulls(*child); });
    };
    switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
        const auto type = filter.Cast<duckdb::ConstantFilter>().comparison_type;
        return type == duckdb::ExpressionType::COMPARE_DISTINCT_FROM ||
               type == duckdb::ExpressionType::COMPARE_NOT_DISTINCT_FROM;
    }
    case TableFilterType::CONJUNCTION_AND: return any(filter.Cast<duckdb::ConjunctionAndFilter>().child_filters);
    case TableFilterType::CONJUNCTION_OR: return any(filter.Cast<duckdb::ConjunctionOrFilter>().child_filters);
    case TableFilterType::STRUCT_EXTRACT: return ComparesNulls(*filter.Cast<duckdb::StructFilter>().child_filter);
    case TableFilterType::OPTIONAL_FILTER: {
        const auto &child = filter.Cast<duckdb::OptionalFilter>().child_filter;
        return child && ComparesNulls(*child);
    }
    default: return false;
    }
}

void ReplaceReference(duckdb::unique_ptr<Expression> &expression,
                      const std::function<duckdb::unique_ptr<Expression>(duckdb::unique_ptr<Expression>)> &wrap) {
    if (expression->GetExpressionClass() == duckdb::ExpressionClass::BOUND_REF) {
        expression = wrap(std::move(expression));
        return;
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        *expression, [&](duckdb::unique_ptr<Expression> &child) { ReplaceReference(child, wrap); });
}

}  // namespace

FileMapping::FileMapping(const BoundScan &scan, const ScanFile &file, duckdb::MultiFileReaderData &data)
    : scan_(scan),
      file_(file),
      data_(data),
      reader_(data.reader->Cast<duckdb::ParquetReader>()),
      calendar_(LegacyCalendar::Of(*reader_.GetFileMetadata())) {}

void FileMapping::Finish(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
    AddRowTracking(column_ids);
    ShapeNestedColumns(column_ids);
    RebaseColumns(column_ids);
}

std::optional<Value> FileMapping::ConstantOf(column_t column) const {
    if (column == kFileIdColumn) {
        return Value::UBIGINT(scan_.FileId(file_));
    }
    if (column == kRowIdColumn) {
        const bool none = !scan_.tracks_rows() || (!file_.add.base_row_id && !Stored(scan_.row_id_column()));
        return none ? std::optional(Value(LogicalType::BIGINT)) : std::nullopt;
    }
    if (column == kRowVersionColumn) {
        if (scan_.tracks_rows() && Stored(scan_.row_version_column())) {
            return {};
        }
        const auto &version = file_.add.default_row_commit_version;
        return scan_.tracks_rows() && version ? Value::BIGINT(*version) : Value(LogicalType::BIGINT);
    }
    if (column >= scan_.columns().size()) {
        return {};
    }
    const auto &wanted = scan_.columns()[column];
    if (const auto constant = scan_.ConstantIn(file_, wanted.physical)) {
        return ValueOf(*constant);
    }
    if (wanted.type.kind() == TypeKind::kVoid || !FindTied(reader_.columns, wanted.id)) {
        return Value(wanted.duck_type);
    }
    return {};
}

std::optional<idx_t> FileMapping::Stored(const std::string &name) const {
    for (idx_t i = 0; !name.empty() && i < reader_.columns.size(); ++i) {
        if (reader_.columns[i].name == name) {
            return i;
        }
    }
    return {};
}

std::optional<TableFilterSet> FileMapping::FiltersFor(duckdb::ClientContext &context, const TableFilterSet &filters,
                                                      const duckdb::vector<duckdb::ColumnIndex> &column_ids) const {
    TableFilterSet kept;
    for (const auto &[position, filter] : filters.filters) {
        const auto column = column_ids[position].GetPrimaryIndex();
        bool constant = false;
        for (const auto &entry : data_.constant_map) {
            if (entry.column_idx.GetIndex() == position) {
                constant = true;
                if (!MaySatisfy(context, *filter, entry.value)) {
                    return {};
                }
            }
        }
        if (constant || column == kRowIdColumn || column == kRowVersionColumn) {
            continue;  // what is left here comes from joins; filters on those two stay above the scan
        }
        if (auto applied = FilterFor(*filter, column)) {
            kept.filters[position] = std::move(applied);
        }
    }
    return kept;
}

duckdb::unique_ptr<TableFilter> FileMapping::FilterFor(const TableFilter &filter, column_t column) const {
    if (column >= scan_.columns().size()) {
        return filter.Copy();
    }
    const auto &wanted = scan_.columns()[column];
    const auto local = *FindTied(reader_.columns, wanted.id);
    if (IsSame(wanted, reader_.columns[local]) && !calendar_.Concerns(reader_.root_schema->children[local]) &&
        !ComparesNulls(filter)) {
        return filter.Copy();
    }
    auto required = Required(filter);
    if (!required) {
        return nullptr;
    }
    const BoundReferenceExpression reference(wanted.duck_type, 0ull);
    return duckdb::make_uniq<duckdb::ExpressionFilter>(required->ToExpression(reference));
}

void FileMapping::AddRowTracking(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
    for (idx_t i = 0; i < column_ids.size(); ++i) {
        const auto column = column_ids[i].GetPrimaryIndex();
        const bool is_id = column == kRowIdColumn;
        if ((!is_id && column != kRowVersionColumn) || ConstantOf(column)) {
            continue;
        }
        duckdb::unique_ptr<Expression> known = duckdb::make_uniq<BoundConstantExpression>(Value(LogicalType::BIGINT));
        if (auto stored = Stored(is_id ? scan_.row_id_column() : scan_.row_version_column())) {
            known =
                duckdb::make_uniq<BoundReferenceExpression>(reader_.columns[*stored].type, reader_.column_ids.size());
            if (known->return_type != LogicalType::BIGINT) {
                known = duckdb::BoundCastExpression::AddDefaultCastToType(std::move(known), LogicalType::BIGINT);
            }
            reader_.column_ids.push_back(duckdb::MultiFileLocalColumnId(*stored));
            reader_.column_indexes.push_back(duckdb::ColumnIndex(*stored));
        }
        auto &expression = data_.expressions[i];  // the row number, see GetVirtualColumnExpression
        expression = is_id ? FallBack(std::move(known), file_.add.base_row_id, std::move(expression))
                           : FallBack(std::move(known), file_.add.default_row_commit_version,
                                      duckdb::make_uniq<BoundConstantExpression>(Value::BIGINT(0)));
    }
}

void FileMapping::ShapeNestedColumns(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
    for (idx_t i = 0; i < column_ids.size(); ++i) {
        const auto column = column_ids[i].GetPrimaryIndex();
        auto local = column < scan_.columns().size() ? FindTied(reader_.columns, scan_.columns()[column].id)
                                                     : std::optional<size_t>();
        if (!local || scan_.columns()[column].children.empty() ||
            data_.expressions[i]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) {
            continue;
        }
        const auto &wanted = scan_.columns()[column];
        const auto &in_file = reader_.columns[*local];
        const auto shaped = [&](idx_t position) -> duckdb::unique_ptr<Expression> {
            auto value = duckdb::make_uniq<BoundReferenceExpression>(in_file.type, position);
            if (IsSame(wanted, in_file)) {
                return value;
            }
            return ToTableShape(std::move(value), wanted, in_file);
        };
        // Where a filter stands on the column, the reader converts it before; else the expression does after.
        auto in_reader = reader_.expression_map.find(*local);
        if (in_reader != reader_.expression_map.end()) {
            in_reader->second = shaped(0);
        } else {
            data_.expressions[i] = shaped(PositionOf(*local));
        }
    }
}

idx_t FileMapping::PositionOf(size_t local) const {
    idx_t position = 0;
    while (reader_.column_ids[duckdb::MultiFileLocalIndex(position)].GetId() != local) {
        ++position;
    }
    return position;
}

void FileMapping::RebaseColumns(const duckdb::vector<duckdb::ColumnIndex> &column_ids) {
    for (idx_t i = 0; i < column_ids.size(); ++i) {
        const auto column = column_ids[i].GetPrimaryIndex();
        auto local = column < scan_.columns().size() ? FindTied(reader_.columns, scan_.columns()[column].id)
                                                     : std::optional<size_t>();
        if (!local || !calendar_.Concerns(reader_.root_schema->children[*local]) ||
            data_.expressions[i]->GetExpressionClass() == duckdb::ExpressionClass::BOUND_CONSTANT) {
            continue;
        }
        const auto &node = reader_.root_schema->children[*local];
        const auto wrap = [&](duckdb::unique_ptr<Expression> value) {
            return calendar_.Rebase(std::move(value), node, reader_.file.path);
        };
        auto in_reader = reader_.expression_map.find(*local);
        if (in_reader != reader_.expression_map.end()) {
            ReplaceReference(in_reader->second, wrap);
        } else if (IsFiltered(*local)) {
            reader_.expression_map[*local] = wrap(duckdb::make_uniq<BoundReferenceExpression>(node.type, 0ull));
        } else {
            ReplaceReference(data_.expressions[i], wrap);
        }
    }
}

bool FileMapping::IsFiltered(size_t local) const {
    if (!reader_.filters) {
        return false;
    }
    for (const auto &[position, filter] : reader_.filters->filters) {
        if (reader_.column_ids[duckdb::MultiFileLocalIndex(position)].GetId() == local) {
            return true;
        }
    }
    return false;
}

}  // namespace birdfoot::duck
