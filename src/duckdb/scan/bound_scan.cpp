// BoundScan: what all copies of one bound scan share.
#include "duckdb/scan/bound_scan.hpp"

#include "core/schema/column_mapping.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

// Far from DuckDB's own, which count up from the start.
const duckdb::column_t kFileIdColumn = duckdb::VIRTUAL_COLUMN_START + 1000;
const duckdb::column_t kRowIdColumn = duckdb::VIRTUAL_COLUMN_START + 1001;
const duckdb::column_t kRowVersionColumn = duckdb::VIRTUAL_COLUMN_START + 1002;

namespace {

class ColumnBuilder {
public:
    explicit ColumnBuilder(ColumnMappingMode mapping) : mapping_(mapping) {}

    ScanColumn Build(const StructField &field) {
        auto column = Part(field.name, field.type);
        column.physical = PhysicalName(field, mapping_);
        column.field_id = FieldId(field);
        return column;
    }
    bool has_variant() const { return has_variant_; }

private:
    ScanColumn Part(const std::string &name, const DataType &type) {
        ScanColumn column;
        column.name = name;
        column.type = type;
        column.duck_type = TypeOf(type);
        column.id = next_id_++;
        switch (type.kind()) {
        case TypeKind::kStruct:
            for (const auto &field : type.struct_type().fields) {
                column.children.push_back(Build(field));
            }
            break;
        case TypeKind::kArray: column.children.push_back(Part("list", type.array_type().element)); break;
        case TypeKind::kMap:
            column.children.push_back(Part("key", type.map_type().key));
            column.children.push_back(Part("value", type.map_type().value));
            break;
        case TypeKind::kVariant: has_variant_ = true; break;
        default: break;
        }
        return column;
    }

    const ColumnMappingMode mapping_;
    int32_t next_id_ = 0;
    bool has_variant_ = false;
};

const std::string kChangeType = "_change_type";
const std::string kCommitVersion = "_commit_version";
const std::string kCommitTimestamp = "_commit_timestamp";

//! FNV-1a: stable, and good enough for what is checked for collisions.
uint64_t Hash(std::string_view text) {
    uint64_t hash = 14695981039346656037ull;
    for (unsigned char c : text) {
        hash = (hash ^ c) * 1099511628211ull;
    }
    return hash;
}

}  // namespace

BoundScan::BoundScan(duckdb::ClientContext &context, ScanSource source)
    : context_(context), engine_(EngineOf(*context.db)), source_(std::move(source)) {
    const auto &snapshot = *source_.snapshot;
    schema_ = snapshot.schema();
    if (source_.changes) {
        AddChangeColumns();
    }
    ColumnBuilder builder(snapshot.mapping());
    const auto &partition_columns = snapshot.metadata().partition_columns;
    partition_names_.resize(partition_columns.size());
    for (const auto &field : schema_.fields) {
        auto &column = columns_.emplace_back(builder.Build(field));
        for (size_t i = 0; i < partition_columns.size(); ++i) {
            if (EqualsIgnoreCase(partition_columns[i], field.name)) {
                column.partition = i;
                partition_names_[i] = column.physical;
                constant_names_.push_back(column.physical);
            }
        }
    }
    has_variant_ = builder.has_variant();
    if (snapshot.Property("delta.enableRowTracking") == "true") {
        tracks_rows_ = true;
        row_id_column_ = snapshot.Property("delta.rowTracking.materializedRowIdColumnName").value_or("");
        row_version_column_ =
            snapshot.Property("delta.rowTracking.materializedRowCommitVersionColumnName").value_or("");
    }
}

void BoundScan::AddChangeColumns() {
    schema_.fields.push_back({kChangeType, DataType(TypeKind::kString), true, {}});
    schema_.fields.push_back({kCommitVersion, DataType(TypeKind::kLong), true, {}});
    schema_.fields.push_back({kCommitTimestamp, DataType(TypeKind::kTimestamp), true, {}});
    constant_names_ = {kCommitVersion, kCommitTimestamp};  // the type may differ from row to row
    auto plan = std::make_shared<ScanPlan>();
    for (const auto &change : source_.changes->files) {
        plan->files.push_back(change.file);
        plan->metrics.total_bytes += static_cast<uint64_t>(std::max<int64_t>(change.file.add.size, 0));
    }
    plan->metrics.total_files = plan->files.size();
    change_plan_ = std::move(plan);
}

const ChangeFile *BoundScan::ChangeOf(const ScanFile &file) const {
    return change_plan_ ? &source_.changes->files[static_cast<size_t>(&file - change_plan_->files.data())] : nullptr;
}

std::optional<Scalar> BoundScan::ConstantIn(const ScanFile &file, const std::string &physical) const {
    if (const auto *change = ChangeOf(file)) {
        if (physical == kCommitVersion) {
            return Scalar::Integer(DataType(TypeKind::kLong), change->version);
        }
        if (physical == kCommitTimestamp) {
            return Scalar::Integer(DataType(TypeKind::kTimestamp), change->timestamp_ms * 1000);
        }
        if (physical == kChangeType && change->kind != ChangeKind::kInFile) {
            return Scalar::Text(DataType(TypeKind::kString), std::string(ChangeTypeText(change->kind)));
        }
    }
    for (size_t i = 0; i < partition_names_.size() && i < file.partition.size(); ++i) {
        if (partition_names_[i] == physical) {
            return file.partition[i];
        }
    }
    return {};
}

ColumnFacts BoundScan::Facts(const ScanFile &file, const std::vector<std::string> &column, const DataType &type) const {
    const auto value = column.size() == 1 ? ConstantIn(file, column[0]) : std::nullopt;
    if (!value) {
        return file.statistics.Facts(column, type);
    }
    ColumnFacts facts;
    facts.all_null = value->is_null();
    facts.none_null = !value->is_null();
    if (!value->is_null()) {
        facts.min = value;
        facts.max = value;
        facts.nan_is_bounded = true;
    }
    return facts;
}

std::optional<int64_t> BoundScan::LiveRows(const ScanFile &file) const {
    const auto *change = ChangeOf(file);
    if (!change || !change->rows) {
        return file.live_rows();
    }
    const auto rows = static_cast<int64_t>(change->rows->cardinality());
    const auto records = file.statistics.num_records();
    return change->only_rows ? std::optional(rows) : records ? std::optional(*records - rows) : std::nullopt;
}

Ternary BoundScan::Judge(const Predicate &predicate, const ScanFile &file) const {
    return Evaluate(predicate, [&](const std::vector<std::string> &column, const DataType &type) {
        return Facts(file, column, type);
    });
}

uint64_t BoundScan::FileId(const ScanFile &file) const {
    if (change_plan_) {
        return static_cast<uint64_t>(&file - change_plan_->files.data());  // one file may hold changes of many versions
    }
    return Hash(FileKey(file.add.path, file.add.deletion_vector));
}

uint64_t BoundScan::Register(const std::shared_ptr<const ScanPlan> &plan, const ScanFile &file) {
    const auto id = FileId(file);
    std::lock_guard lock(mutex_);
    auto [entry, is_new] = files_.try_emplace(id, Known{plan, &file});
    const auto &known = entry->second.file->add;
    if (!is_new && (known.path != file.add.path || known.deletion_vector != file.add.deletion_vector)) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The files {} and {} have the same id. Run OPTIMIZE on the table.",
                   known.path, file.add.path));
    }
    return id;
}

bool BoundScan::HasFile(uint64_t id) const {
    std::lock_guard lock(mutex_);
    return files_.contains(id);
}

const ScanFile &BoundScan::FileOf(uint64_t id) const {
    std::lock_guard lock(mutex_);
    auto entry = files_.find(id);
    if (entry == files_.end()) {
        Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The scan of {} has no file with the id {}.", snapshot().root(), id));
    }
    return *entry->second.file;
}

}  // namespace birdfoot::duck
