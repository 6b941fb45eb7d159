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
    ColumnBuilder builder(snapshot.mapping());
    const auto &partition_columns = snapshot.metadata().partition_columns;
    partition_names_.resize(partition_columns.size());
    for (const auto &field : snapshot.schema().fields) {
        auto &column = columns_.emplace_back(builder.Build(field));
        for (size_t i = 0; i < partition_columns.size(); ++i) {
            if (EqualsIgnoreCase(partition_columns[i], field.name)) {
                column.partition = i;
                partition_names_[i] = column.physical;
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

ColumnFacts BoundScan::Facts(const ScanFile &file, const std::vector<std::string> &column, const DataType &type) const {
    if (column.size() == 1) {
        for (size_t i = 0; i < partition_names_.size() && i < file.partition.size(); ++i) {
            if (partition_names_[i] == column[0]) {
                const auto &value = file.partition[i];
                ColumnFacts facts;
                facts.all_null = value.is_null();
                facts.none_null = !value.is_null();
                if (!value.is_null()) {
                    facts.min = value;
                    facts.max = value;
                    facts.nan_is_bounded = true;
                }
                return facts;
            }
        }
    }
    return file.statistics.Facts(column, type);
}

Ternary BoundScan::Judge(const Predicate &predicate, const ScanFile &file) const {
    return Evaluate(predicate, [&](const std::vector<std::string> &column, const DataType &type) {
        return Facts(file, column, type);
    });
}

uint64_t BoundScan::FileId(const ScanFile &file) { return Hash(FileKey(file.add.path, file.add.deletion_vector)); }

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
