// How rows find their partition: rows of one partition that come in a run are buffered by their thread alone; mixed
// rows are staged until many of each partition are together. PartitionBuffers does the rest.
#include "duckdb/write/file_writer.hpp"

#include <algorithm>
#include <map>

#include "duckdb/catalog/catalog_entry/scalar_function_catalog_entry.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/function/function_binder.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"

#include "core/table/table_definition.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"
#include "duckdb/write/data_files.hpp"
#include "duckdb/write/partition_buffers.hpp"
#include "duckdb/write/partition_keys.hpp"
#include "duckdb/write/row_checks.hpp"
#include "duckdb/write/table_rules.hpp"

namespace birdfoot::duck {

namespace {

constexpr size_t kStagedRows = 128 * 1024;
constexpr uint64_t kStagedBytes = 64ull << 20;
constexpr const char *kChangeType = "_change_type";

//! Bytes of text and lists, roughly: what makes a row much larger than its fixed part.
uint64_t VariableBytes(duckdb::DataChunk &chunk) {
    uint64_t bytes = 0;
    for (auto &vector : chunk.data) {
        auto type = vector.GetType().InternalType();
        if (type == duckdb::PhysicalType::VARCHAR) {
            duckdb::UnifiedVectorFormat format;
            vector.ToUnifiedFormat(chunk.size(), format);
            const auto *texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
            for (duckdb::idx_t i = 0; i < chunk.size(); i++) {
                auto index = format.sel->get_index(i);
                bytes += format.validity.RowIsValid(index) ? texts[index].GetSize() : 0;
            }
        } else if (type == duckdb::PhysicalType::LIST) {
            bytes += duckdb::ListVector::GetListSize(vector) * 16;
        }
    }
    return bytes;
}

//! variant_to_parquet_variant makes a variant null of an SQL NULL; that is another value.
void KeepNulls(duckdb::Vector &source, duckdb::Vector &target, duckdb::idx_t count) {
    duckdb::UnifiedVectorFormat format;
    source.ToUnifiedFormat(count, format);
    if (format.validity.AllValid()) {
        return;
    }
    target.Flatten(count);
    for (duckdb::idx_t i = 0; i < count; i++) {
        if (!format.validity.RowIsValid(format.sel->get_index(i))) {
            duckdb::FlatVector::SetNull(target, i, true);
        }
    }
}

struct WriterLocal : FileWriter::Local {
    explicit WriterLocal(const std::vector<PartitionColumn> &columns) : keys(columns) {}

    std::unique_ptr<TableRules::Local> rules;  // made at the first rows
    std::unique_ptr<duckdb::ExpressionExecutor> variants;
    duckdb::DataChunk converted;   // variants as structs
    duckdb::DataChunk file_chunk;  // the file's columns
    PartitionKeys keys;
    std::vector<Partition *> partitions;  // of the chunk's rows

    Partition *run = nullptr;  // the partition of the rows in run_rows
    std::unique_ptr<RowBuffer> run_rows;

    duckdb::DataChunk staged;
    std::vector<Partition *> staged_partitions;
    uint64_t staged_bytes = 0;
};

}  // namespace

struct FileWriter::Impl {
    Impl(duckdb::ClientContext &context, WriteTarget target, PendingFiles &pending);

    void Check(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk);
    void WriteChecked(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk);
    void Combine(duckdb::ClientContext &context, WriterLocal &local);

    void AddFileColumns();
    void AddRowIdColumns();
    void BindVariants(duckdb::ClientContext &context);
    void MakeFileChunk(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk);

    void AppendRun(duckdb::ClientContext &context, WriterLocal &local, Partition &partition);
    void Stage(duckdb::ClientContext &context, WriterLocal &local);
    void Scatter(duckdb::ClientContext &context, WriterLocal &local);

    WriteTarget target;
    RowChecks checks;
    std::unique_ptr<TableRules> rules;  // null where rows are as they are
    ParquetLayout layout;
    std::vector<size_t> positions;         // the file's columns in the chunks
    std::vector<StructField> file_fields;  // what they are
    std::vector<PartitionColumn> partition_columns;
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> variant_expressions;
    std::vector<size_t> variant_columns;  // in the file
    std::unique_ptr<StatisticsPlan> plan;
    std::unique_ptr<DataFiles> files;
    std::unique_ptr<PartitionBuffers> partitions;
};

FileWriter::Impl::Impl(duckdb::ClientContext &context, WriteTarget target_p, PendingFiles &pending)
    : target(std::move(target_p)), checks(target.schema, target.metadata) {
    AddFileColumns();
    OkOrThrow(SetCodec(target.metadata, layout));
    BindVariants(context);
    std::vector<IndexedLeaf> leaves;
    if (!target.change_data) {
        rules = std::make_unique<TableRules>(context, target.metadata, target.protocol, target.schema, target.computed);
        leaves = ValueOrThrow(IndexedLeaves(target.metadata, target.schema, target.mapping));
    }
    plan = std::make_unique<StatisticsPlan>(std::move(leaves), file_fields, target.mapping);
    files = std::make_unique<DataFiles>(context, target, layout, *plan, pending);
    partitions = std::make_unique<PartitionBuffers>(target, layout, *plan, partition_columns, *files);
}

void FileWriter::Impl::AddFileColumns() {
    const auto &fields = target.schema.fields;
    std::map<std::string, PartitionColumn> found;
    for (size_t i = 0; i < fields.size(); i++) {
        const auto &field = fields[i];
        const bool partition = IsPartitionColumn(target.metadata, field.name);
        if (partition) {
            found[field.name] = {i, PhysicalName(field, target.mapping), field.type, field.name};
        }
        if ((partition && !target.materialize_partition_columns) || field.type.kind() == TypeKind::kVoid) {
            continue;
        }
        layout.types.push_back(ValueOrThrow(FileTypeOf(field.type, target.mapping, field.name)));
        layout.names.push_back(PhysicalName(field, target.mapping));
        AddFieldIds(field, target.mapping, layout.field_ids);
        if (field.type.kind() == TypeKind::kVariant) {
            variant_columns.push_back(positions.size());
        }
        positions.push_back(i);
        file_fields.push_back(field);
    }
    for (const auto &name : target.metadata.partition_columns) {
        for (const auto &[field, column] : found) {
            if (EqualsIgnoreCase(name, field)) {
                partition_columns.push_back(column);
            }
        }
    }
    if (partition_columns.size() != target.metadata.partition_columns.size()) {
        Throw(Fail(Condition::DELTA_PARTITION_COLUMN_NOT_FOUND,
                   "The table is partitioned by a column that its schema lacks. Its metadata is damaged. Repair it."));
    }
    if (target.change_data) {
        layout.types.push_back(duckdb::LogicalType::VARCHAR);
        layout.names.push_back(kChangeType);
        positions.push_back(fields.size());
    }
    if (target.row_ids) {
        AddRowIdColumns();
    }
    if (layout.types.empty()) {
        Throw(Fail(Condition::DELTA_NON_PARTITION_COLUMN_ABSENT,
                   "Data written into Delta needs to contain at least one non-partitioned column. All columns of the "
                   "table are partition columns or of type void. Add another column."));
    }
    if (target.origins) {
        layout.origins = true;
        layout.types.push_back(duckdb::LogicalType::UBIGINT);
        positions.push_back(fields.size() + (target.row_ids ? 2 : 0));
    }
}

//! PROTOCOL.md, "Row Tracking": ids of rows that come from other files, in columns that no schema names.
void FileWriter::Impl::AddRowIdColumns() {
    for (const char *property : {"delta.rowTracking.materializedRowIdColumnName",
                                 "delta.rowTracking.materializedRowCommitVersionColumnName"}) {
        auto name = target.metadata.configuration.find(property);
        if (name == target.metadata.configuration.end()) {
            Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                       "The table {} tracks rows but lacks the property {}, so rows cannot be moved between its files. "
                       "Its metadata is damaged. Repair it.",
                       target.root, property));
        }
        positions.push_back(target.schema.fields.size() + (layout.types.size() - file_fields.size()));
        layout.types.push_back(duckdb::LogicalType::BIGINT);
        layout.names.push_back(name->second);
    }
}

void FileWriter::Impl::BindVariants(duckdb::ClientContext &context) {
    for (auto column : variant_columns) {
        auto &entry = duckdb::Catalog::GetSystemCatalog(context).GetEntry<duckdb::ScalarFunctionCatalogEntry>(
            context, DEFAULT_SCHEMA, "variant_to_parquet_variant");
        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
        arguments.push_back(
            duckdb::make_uniq<duckdb::BoundReferenceExpression>(duckdb::LogicalType::VARIANT(), positions[column]));
        duckdb::ErrorData error;
        auto bound = duckdb::FunctionBinder(context).BindScalarFunction(entry, std::move(arguments), error);
        if (!bound) {
            error.Throw();
        }
        variant_expressions.push_back(std::move(bound));
    }
}

void FileWriter::Impl::MakeFileChunk(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk) {
    if (local.file_chunk.ColumnCount() == 0) {
        local.file_chunk.InitializeEmpty(layout.types);
    }
    if (!variant_columns.empty()) {
        if (!local.variants) {
            local.variants = std::make_unique<duckdb::ExpressionExecutor>(context, variant_expressions);
            duckdb::vector<duckdb::LogicalType> types;
            for (auto &expression : variant_expressions) {
                types.push_back(expression->return_type);
            }
            local.converted.Initialize(context, types);
        }
        local.converted.Reset();
        local.variants->Execute(chunk, local.converted);
        for (size_t i = 0; i < variant_columns.size(); i++) {
            KeepNulls(chunk.data[positions[variant_columns[i]]], local.converted.data[i], chunk.size());
        }
    }
    size_t variant = 0;
    for (size_t i = 0; i < positions.size(); i++) {
        bool is_variant = variant < variant_columns.size() && variant_columns[variant] == i;
        auto &source = is_variant ? local.converted.data[variant++] : chunk.data[positions[i]];
        // The types differ in the names of struct fields only: logical there, physical here.
        local.file_chunk.data[i].Reinterpret(source);
    }
    local.file_chunk.SetCardinality(chunk.size());
}

void FileWriter::Impl::Check(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk) {
    if (chunk.size() == 0 || target.change_data) {  // old rows are as they are
        return;
    }
    checks.Check(chunk);
    if (!local.rules) {
        local.rules = rules->MakeLocal(context);
    }
    rules->Check(*local.rules, chunk);
}

void FileWriter::Impl::WriteChecked(duckdb::ClientContext &context, WriterLocal &local, duckdb::DataChunk &chunk) {
    if (chunk.size() == 0) {
        return;
    }
    MakeFileChunk(context, local, chunk);
    partitions->CountRows(chunk.size());
    if (partition_columns.empty()) {
        return AppendRun(context, local, *partitions->Find({}));
    }
    auto find = [this](const PartitionKeys::TextValues &values) { return partitions->Find(values); };
    if (local.keys.Assign(chunk, find, local.partitions)) {
        return AppendRun(context, local, *local.partitions[0]);
    }
    Stage(context, local);
}

void FileWriter::Impl::AppendRun(duckdb::ClientContext &context, WriterLocal &local, Partition &partition) {
    if (local.run != &partition) {
        if (local.run_rows && !local.run_rows->empty()) {
            partitions->HandOver(context, *local.run, std::move(local.run_rows));
        }
        local.run = &partition;
        local.run_rows.reset();
    }
    if (!local.run_rows) {
        local.run_rows = partitions->NewBuffer(context);
    }
    local.run_rows->Append(local.file_chunk);
    if (local.run_rows->IsFull()) {
        partitions->HandOver(context, partition, std::move(local.run_rows));
    }
}

void FileWriter::Impl::Stage(duckdb::ClientContext &context, WriterLocal &local) {
    auto &rows = local.file_chunk;
    if (local.staged.ColumnCount() == 0) {
        local.staged.Initialize(context, layout.types, kStagedRows);
    }
    if (local.staged.size() + rows.size() > kStagedRows) {
        Scatter(context, local);
    }
    local.staged.Append(rows);
    local.staged_partitions.insert(local.staged_partitions.end(), local.partitions.begin(), local.partitions.end());
    local.staged_bytes += VariableBytes(rows);
    if (local.staged_bytes >= kStagedBytes) {
        Scatter(context, local);
    }
}

void FileWriter::Impl::Scatter(duckdb::ClientContext &context, WriterLocal &local) {
    auto count = local.staged_partitions.size();
    std::vector<std::pair<uint32_t, duckdb::sel_t>> order(count);
    for (size_t i = 0; i < count; i++) {
        order[i] = {local.staged_partitions[i]->id, static_cast<duckdb::sel_t>(i)};
    }
    std::sort(order.begin(), order.end());
    duckdb::SelectionVector selection(STANDARD_VECTOR_SIZE);
    duckdb::DataChunk rows;
    rows.InitializeEmpty(layout.types);
    for (size_t from = 0; from < count;) {
        duckdb::idx_t size = 0;
        auto id = order[from].first;
        for (; from < count && order[from].first == id && size < STANDARD_VECTOR_SIZE; from++) {
            selection.set_index(size++, order[from].second);
        }
        for (size_t i = 0; i < layout.types.size(); i++) {
            rows.data[i].Slice(local.staged.data[i], selection, size);
        }
        rows.SetCardinality(size);
        partitions->Append(context, *local.staged_partitions[order[from - 1].second], rows);
    }
    local.staged.Reset();
    local.staged_partitions.clear();
    local.staged_bytes = 0;
}

void FileWriter::Impl::Combine(duckdb::ClientContext &context, WriterLocal &local) {
    if (!local.staged_partitions.empty()) {
        Scatter(context, local);
    }
    if (local.run_rows && !local.run_rows->empty()) {
        partitions->HandOver(context, *local.run, std::move(local.run_rows));
    }
    local.run_rows.reset();
}

FileWriter::FileWriter(duckdb::ClientContext &context, WriteTarget target, PendingFiles &files)
    : impl_(std::make_unique<Impl>(context, std::move(target), files)) {}

FileWriter::~FileWriter() = default;

duckdb::unique_ptr<FileWriter::Local> FileWriter::MakeLocal() {
    return duckdb::make_uniq<WriterLocal>(impl_->partition_columns);
}

void FileWriter::Check(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk) {
    impl_->Check(context, static_cast<WriterLocal &>(local), chunk);
}

void FileWriter::Write(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk) {
    Check(context, local, chunk);
    WriteChecked(context, local, chunk);
}

void FileWriter::WriteChecked(duckdb::ClientContext &context, Local &local, duckdb::DataChunk &chunk) {
    impl_->WriteChecked(context, static_cast<WriterLocal &>(local), chunk);
}

void FileWriter::Combine(duckdb::ClientContext &context, Local &local) {
    impl_->Combine(context, static_cast<WriterLocal &>(local));
}

bool FileWriter::FinishSome(duckdb::ClientContext &context) { return impl_->partitions->FinishSome(context); }

std::vector<WrittenFile> FileWriter::Finish(duckdb::ClientContext &context) {
    while (impl_->partitions->FinishSome(context)) {
    }
    return impl_->files->Finish();
}

AddFile ToAddFile(WrittenFile file, bool data_change) {
    AddFile add;
    add.path = std::move(file.path);
    add.partition_values = std::move(file.partition_values);
    add.size = static_cast<int64_t>(file.size);
    add.modification_time = file.modification_time;
    add.data_change = data_change;
    add.stats = std::move(file.stats);
    return add;
}

}  // namespace birdfoot::duck
