// DeltaFileList: the files of a scan.
#include "duckdb/scan/file_list.hpp"

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/storage/statistics/numeric_stats.hpp"

#include "core/table/table_cache.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/scan/generated_pruning.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/predicates.hpp"
#include "duckdb/translate/values.hpp"

namespace birdfoot::duck {

using duckdb::column_t;
using duckdb::idx_t;
using duckdb::MultiFileList;
using duckdb::Value;

namespace {

//! Above this many files, statistics would cost more than they bring.
constexpr size_t kMostFilesWithStatistics = 10'000;

}  // namespace

struct DeltaFileList::LateFilter {
    column_t column;
    const duckdb::TableFilter *filter;  // the scan's own, which outlives its list
};

DeltaFileList::DeltaFileList(std::shared_ptr<BoundScan> scan) : scan_(std::move(scan)) {
    if (const auto &reads = scan_->source().reads) {
        read_ = reads->AddRead();
    }
}

DeltaFileList::DeltaFileList(const DeltaFileList &parent, size_t read)
    : scan_(parent.scan_), read_(read), predicate_(parent.predicate_), consumed_(parent.consumed_) {
    std::lock_guard lock(parent.mutex_);
    planned_ = parent.planned_;
}

DeltaFileList::~DeltaFileList() = default;

const PlannedFiles &DeltaFileList::Planned() const {
    std::lock_guard lock(mutex_);
    if (!planned_) {
        planned_ = Plan();
    }
    return *planned_;
}

const PlannedFiles *DeltaFileList::PlannedAlready() const {
    std::lock_guard lock(mutex_);
    return planned_.get();
}

std::shared_ptr<const PlannedFiles> DeltaFileList::Plan() const {
    const auto &source = scan_->source();
    PlannedFiles planned;
    if (source.changes) {
        planned.plan = scan_->change_plan();
    } else {
        const auto call = CallOf(scan_->context());
        const auto &engine = scan_->engine();
        // The files of old versions are not worth keeping.
        const auto live =
            source.live || source.time_travel ? source.live : ValueOrThrow(CachedFiles(engine, source.snapshot, call));
        planned.plan = std::make_shared<ScanPlan>(
            ValueOrThrow(live ? PlanScan(*source.snapshot, *live, predicate_, source.overlay.get())
                              : PlanScan(engine, *source.snapshot, predicate_, source.overlay.get(), call)));
    }
    planned.metrics = planned.plan->metrics;
    for (uint32_t i = 0; i < planned.plan->files.size(); ++i) {
        planned.kept.push_back(i);
    }
    if (source.changes) {
        return Refine(planned, predicate_);
    }
    return consumed_.is_true() ? std::make_shared<PlannedFiles>(std::move(planned))
                               : Refine(planned, Predicate::True());
}

//! Applies a predicate to planned files. What was consumed has to be certain for every file that is left.
std::shared_ptr<const PlannedFiles> DeltaFileList::Refine(const PlannedFiles &from, const Predicate &predicate) const {
    auto planned = std::make_shared<PlannedFiles>();
    planned->plan = from.plan;
    planned->metrics = from.metrics;
    for (auto position : from.kept) {
        const auto &file = from.plan->files[position];
        const auto by_partition = scan_->Judge(consumed_, file);
        if (by_partition == Ternary::kUnknown) {
            Throw(Fail(Condition::BIRDFOOT_INTERNAL, "The filter {} on partitions cannot be decided for {}.",
                       consumed_.ToString(), file.add.path));
        }
        if (by_partition == Ternary::kFalse) {
            ++planned->metrics.pruned_by_partition;
        } else if (scan_->Judge(predicate, file) == Ternary::kFalse) {
            ++planned->metrics.skipped_by_statistics;
        } else {
            planned->kept.push_back(position);
            continue;
        }
        planned->metrics.bytes_spared += static_cast<uint64_t>(file.add.size);
    }
    return planned;
}

duckdb::unique_ptr<MultiFileList> DeltaFileList::ComplexFilterPushdown(
    duckdb::ClientContext &context, const duckdb::MultiFileOptions &, duckdb::MultiFilePushdownInfo &info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> &filters) const {
    const auto &schema = scan_->schema();
    const FieldOf field_of = [&](const duckdb::Expression &expression) -> const StructField * {
        if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_COLUMN_REF) {
            return nullptr;
        }
        auto &reference = expression.Cast<duckdb::BoundColumnRefExpression>();
        if (reference.binding.table_index != info.table_index ||
            reference.binding.column_index >= info.column_ids.size()) {
            return nullptr;
        }
        const auto column = info.column_ids[reference.binding.column_index];
        return column < schema.fields.size() ? &schema.fields[column] : nullptr;
    };
    std::vector<Predicate> known;
    std::vector<Predicate> exact;
    for (idx_t i = 0; i < filters.size();) {
        auto term = PredicateOf(*filters[i], scan_->snapshot().mapping(), field_of);
        if (term.kind == PredicateKind::kUnknown) {
            ++i;
            continue;
        }
        known.push_back(term);
        // A filter on partitions alone is decided by the log, so nothing has to be filtered above the scan: a DELETE
        // of whole partitions then sees a bare scan.
        if (term.OnlyUses(scan_->constant_names())) {
            exact.push_back(std::move(term));
            filters.erase_at(i);
        } else {
            ++i;
        }
    }
    if (known.empty()) {
        return nullptr;
    }
    auto predicate = GeneratedPruning(scan_->snapshot()).Extend(context, Predicate::And(std::move(known)));
    if (const auto &reads = scan_->source().reads) {
        reads->Narrow(read_, predicate);
    }
    auto list = duckdb::unique_ptr<DeltaFileList>(new DeltaFileList(*this, read_));
    list->predicate_ = Predicate::And({predicate_, predicate});
    exact.push_back(consumed_);
    list->consumed_ = Predicate::And(std::move(exact));
    if (list->planned_) {
        list->planned_ = list->Refine(*list->planned_, predicate);
    }
    return list;
}

duckdb::unique_ptr<MultiFileList> DeltaFileList::DynamicFilterPushdown(duckdb::ClientContext &,
                                                                       const duckdb::MultiFileOptions &,
                                                                       const duckdb::vector<duckdb::string> &,
                                                                       const duckdb::vector<duckdb::LogicalType> &,
                                                                       const duckdb::vector<column_t> &column_ids,
                                                                       duckdb::TableFilterSet &filters) const {
    Planned();
    auto list = duckdb::unique_ptr<DeltaFileList>(new DeltaFileList(*this, read_));
    for (const auto &[position, filter] : filters.filters) {
        list->late_filters_.push_back({column_ids[position], filter.get()});
    }
    return list;
}

bool DeltaFileList::MayMatch(const ScanFile &file) const {
    const auto &schema = scan_->schema();
    auto &context = scan_->context();
    for (const auto &late : late_filters_) {
        if (late.column == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILENAME) {
            if (!MaySatisfy(context, *late.filter, Value(file.path))) {
                return false;
            }
        } else if (late.column == kFileIdColumn) {
            if (!MaySatisfy(context, *late.filter, Value::UBIGINT(scan_->FileId(file)))) {
                return false;
            }
        } else if (late.column < schema.fields.size()) {
            const auto &column = scan_->columns()[late.column];
            if (const auto constant = scan_->ConstantIn(file, column.physical)) {
                if (!MaySatisfy(context, *late.filter, ValueOf(*constant))) {
                    return false;
                }
                continue;
            }
            const auto predicate = PredicateOf(*late.filter, scan_->snapshot().mapping(), schema.fields[late.column]);
            if (scan_->Judge(predicate, file) == Ternary::kFalse) {
                return false;
            }
        }
    }
    return true;
}

duckdb::OpenFileInfo DeltaFileList::InfoOf(const ScanFile &file) const {
    // Nothing here switches off the validation of DuckDB's cache of file contents: a file made anew under its name, or
    // removed by VACUUM, would be read from stale bytes.
    duckdb::OpenFileInfo info(file.path);
    info.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
    info.extended_info->options["birdfoot_file_id"] = Value::UBIGINT(scan_->Register(Planned().plan, file));
    return info;
}

duckdb::OpenFileInfo DeltaFileList::GetFile(idx_t i) const {
    const auto &planned = Planned();
    if (late_filters_.empty()) {
        return i < planned.size() ? InfoOf(planned.at(i)) : duckdb::OpenFileInfo();
    }
    size_t position;
    {
        std::lock_guard lock(mutex_);
        while (handed_out_.size() <= i && cursor_ < planned.size()) {
            if (MayMatch(planned.at(cursor_))) {
                handed_out_.push_back(static_cast<uint32_t>(cursor_));
            }
            ++cursor_;
        }
        if (i >= handed_out_.size()) {
            return {};
        }
        position = handed_out_[i];
    }
    return InfoOf(planned.at(position));
}

size_t DeltaFileList::late_pruned() const {
    std::lock_guard lock(mutex_);
    return cursor_ - handed_out_.size();
}

duckdb::vector<duckdb::OpenFileInfo> DeltaFileList::GetAllFiles() const {
    duckdb::vector<duckdb::OpenFileInfo> files;
    const auto &planned = Planned();
    for (size_t i = 0; i < planned.size(); ++i) {
        files.push_back(InfoOf(planned.at(i)));
    }
    return files;
}

duckdb::vector<duckdb::OpenFileInfo> DeltaFileList::GetDisplayFileList(duckdb::optional_idx max_files) const {
    duckdb::vector<duckdb::OpenFileInfo> files;
    const auto &planned = Planned();
    const auto most = max_files.IsValid() ? max_files.GetIndex() : planned.size();
    for (size_t i = 0; i < planned.size() && i < most; ++i) {
        files.emplace_back(planned.at(i).path);
    }
    return files;
}

duckdb::FileExpandResult DeltaFileList::GetExpandResult() const {
    return Planned().size() == 0 ? duckdb::FileExpandResult::NO_FILES : duckdb::FileExpandResult::MULTIPLE_FILES;
}

idx_t DeltaFileList::GetTotalFileCount() const { return Planned().size(); }

duckdb::unique_ptr<duckdb::NodeStatistics> DeltaFileList::GetCardinality(duckdb::ClientContext &) const {
    const auto &planned = Planned();
    uint64_t rows = 0;
    uint64_t bytes_with_rows = 0;
    uint64_t bytes_without = 0;
    for (size_t i = 0; i < planned.size(); ++i) {
        const auto &file = planned.at(i);
        const auto size = static_cast<uint64_t>(std::max<int64_t>(file.add.size, 0));
        if (auto live = scan_->LiveRows(file)) {
            rows = std::min<uint64_t>(rows + static_cast<uint64_t>(std::max<int64_t>(*live, 0)), INT64_MAX);
            bytes_with_rows += size;
        } else {
            bytes_without += size;
        }
    }
    // Files without statistics: as many rows a byte as the others have, or 100 bytes a row.
    const double rows_a_byte =
        rows > 0 && bytes_with_rows > 0 ? static_cast<double>(rows) / static_cast<double>(bytes_with_rows) : 0.01;
    const auto more = std::min(static_cast<double>(bytes_without) * rows_a_byte, 1e18);
    rows = std::min<uint64_t>(rows + static_cast<uint64_t>(more), INT64_MAX);
    return duckdb::make_uniq<duckdb::NodeStatistics>(rows);
}

duckdb::unique_ptr<MultiFileList> DeltaFileList::Copy() const {
    const auto &reads = scan_->source().reads;
    return duckdb::unique_ptr<DeltaFileList>(new DeltaFileList(*this, reads ? reads->AddRead() : 0));
}

namespace {

bool HasUsefulBounds(const DataType &type) {
    return type.is_integer() || type.kind() == TypeKind::kDecimal || type.kind() == TypeKind::kDate ||
           type.kind() == TypeKind::kTimestamp || type.kind() == TypeKind::kTimestampNtz;
}

//! Times at the ends of what DuckDB can hold mean infinity there.
bool IsFinite(const Scalar &scalar) {
    switch (scalar.type().kind()) {
    case TypeKind::kDate:
        return scalar.integer() > -std::numeric_limits<int32_t>::max() &&
               scalar.integer() < std::numeric_limits<int32_t>::max();
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz: return duckdb::Timestamp::IsFinite(duckdb::timestamp_t(scalar.integer()));
    default: return true;
    }
}

}  // namespace

duckdb::unique_ptr<duckdb::BaseStatistics> DeltaFileList::Statistics(size_t number) const {
    const auto &planned = Planned();
    if (planned.size() == 0 || planned.size() > kMostFilesWithStatistics) {
        return nullptr;
    }
    std::lock_guard lock(mutex_);
    statistics_.resize(scan_->columns().size());
    auto &kept = statistics_[number];
    if (kept) {
        return *kept ? (*kept)->ToUnique() : nullptr;
    }
    kept.emplace();
    const auto &column = scan_->columns()[number];
    if (column.type.is_nested() || column.type.kind() == TypeKind::kVariant || column.type.kind() == TypeKind::kVoid) {
        return nullptr;
    }
    bool none_null = true;
    bool bounded = HasUsefulBounds(column.type);
    std::optional<Scalar> min;
    std::optional<Scalar> max;
    for (size_t i = 0; i < planned.size() && (none_null || bounded); ++i) {
        const auto facts = scan_->Facts(planned.at(i), {column.physical}, column.type);
        none_null = none_null && facts.none_null == true;
        if (!bounded || facts.all_null == true) {
            continue;
        }
        bounded = facts.min && facts.max && IsFinite(*facts.min) && IsFinite(*facts.max);
        if (bounded) {
            min = !min || *Scalar::Compare(*facts.min, *min) < 0 ? facts.min : min;
            max = !max || *Scalar::Compare(*facts.max, *max) > 0 ? facts.max : max;
        }
    }
    bounded = bounded && min && max;
    if (!bounded && !none_null) {
        return nullptr;
    }
    auto statistics = duckdb::BaseStatistics::CreateUnknown(column.duck_type);
    if (bounded) {
        duckdb::NumericStats::SetMin(statistics, ValueOf(*min));
        duckdb::NumericStats::SetMax(statistics, ValueOf(*max));
    }
    if (none_null) {
        statistics.Set(duckdb::StatsInfo::CANNOT_HAVE_NULL_VALUES);
    }
    *kept = statistics.ToUnique();
    return statistics.ToUnique();
}

}  // namespace birdfoot::duck
