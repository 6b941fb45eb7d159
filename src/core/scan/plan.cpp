// Scan planning in two steps: partition values first, one verdict for all files that share them; then the statistics of
// what is left. Only files that a query must open become objects.
#include "core/scan/plan.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/log/replay.hpp"

namespace birdfoot {
namespace {

constexpr size_t kMostVerdicts = 65'536;  // tables with a partition a file must not fill the memory

struct PartitionColumn {
    std::string logical;
    std::string physical;
    DataType type;
};

Result<std::vector<PartitionColumn>> PartitionColumns(const Snapshot &snapshot) {
    std::vector<PartitionColumn> columns;
    for (const auto &name : snapshot.metadata().partition_columns) {
        const auto *field = snapshot.schema().Find(name);
        if (!field) {
            return Fail(
                Condition::DELTA_SCHEMA_MALFORMED,
                "The table is partitioned by '{}', which is not in its schema. The metaData action of the log must "
                "be repaired or restored.",
                name);
        }
        columns.push_back({field->name, PhysicalName(*field, snapshot.mapping()), field->type});
    }
    return columns;
}

//! A value by its name; without regard to case where the log spells it otherwise than the schema.
const std::optional<std::string> *FindValue(const PartitionValues &values, const std::string &name) {
    for (const auto &entry : values) {
        if (entry.first == name) {
            return &entry.second;
        }
    }
    for (const auto &entry : values) {
        if (EqualsIgnoreCase(entry.first, name)) {
            return &entry.second;
        }
    }
    return nullptr;
}

uint64_t SizeOf(const AddFile &add) { return static_cast<uint64_t>(std::max<int64_t>(add.size, 0)); }

class Planner {
public:
    Planner(const Snapshot &snapshot, std::vector<PartitionColumn> columns, const Predicate &predicate,
            const ScanOverlay *overlay)
        : snapshot_(snapshot), columns_(std::move(columns)), predicate_(predicate), overlay_(overlay) {}

    //! Whether files with these values may have rows that the query wants.
    bool Keep(const PartitionValues &values) { return VerdictOn(values).keep; }

    //! Takes a file that Keep let through.
    Status Take(AddFile &&add) {
        const auto &verdict = VerdictOn(add.partition_values);
        if (verdict.error) {
            return Error(*verdict.error).Prefixed(fmt::format("File {}", add.path));
        }
        ScanFile file;
        file.partition = verdict.values;
        file.statistics = FileStatistics::Parse(add.stats);
        if (!predicate_.is_true() && Evaluate(predicate_, FactsOfFile(file)) == Ternary::kFalse) {
            ++plan_.metrics.skipped_by_statistics;
            return {};
        }
        file.path = ResolvePath(snapshot_.root(), add.path);
        kept_bytes_ += SizeOf(add);
        file.add = std::move(add);
        plan_.files.push_back(std::move(file));
        LimitMemory();
        return {};
    }

    bool RemovedByOverlay(const AddFile &add) const {
        return overlay_ && !overlay_->removed.empty() &&
               overlay_->removed.count(FileKey(add.path, add.deletion_vector));
    }

    //! Adds the overlay's own files, and counts. `seen` are the snapshot's live files, `pruned` those not given to
    //! Take.
    Result<ScanPlan> Finish(uint64_t seen, uint64_t seen_bytes, uint64_t pruned) {
        for (const auto &add : overlay_ ? overlay_->added : std::vector<AddFile>()) {
            ++seen;
            seen_bytes += SizeOf(add);
            if (!Keep(add.partition_values)) {
                ++pruned;
                continue;
            }
            BF_RETURN_IF_ERROR(Take(AddFile(add)));
        }
        auto &metrics = plan_.metrics;
        metrics.total_files = seen;
        metrics.total_bytes = seen_bytes;
        metrics.pruned_by_partition = pruned;
        metrics.bytes_spared = seen_bytes - std::min(seen_bytes, kept_bytes_);
        return std::move(plan_);
    }

private:
    struct Verdict {
        bool keep = true;
        std::vector<Scalar> values;          // of kept files
        std::shared_ptr<const Error> error;  // told once a live file has the values
    };

    const Verdict &VerdictOn(const PartitionValues &values) {
        std::string key;
        for (const auto &column : columns_) {
            const auto *value = FindValue(values, column.physical);
            key += !value ? "?" : !*value ? "-" : fmt::format("{}:", (*value)->size());
            key += value && *value ? **value : "";
        }
        if (const auto known = verdicts_.find(key); known != verdicts_.end()) {
            return known->second;
        }
        if (verdicts_.size() >= kMostVerdicts) {
            verdicts_.clear();
        }
        return verdicts_.emplace(std::move(key), Decide(values)).first->second;
    }

    Verdict Decide(const PartitionValues &values) const {
        Verdict verdict;
        for (const auto &column : columns_) {
            const auto *text = FindValue(values, column.physical);
            if (!text) {
                verdict.error = std::make_shared<const Error>(Fail(
                    Condition::DELTA_ADD_FILE_PARTITIONING_MISMATCH,
                    "It has no value for the partition column '{}'. The file must be written again.", column.logical));
                return verdict;
            }
            auto value = Scalar::FromPartitionValue(column.type, *text);
            if (!value.ok()) {
                verdict.error = std::make_shared<const Error>(
                    value.error().Prefixed(fmt::format("partition column '{}'", column.logical)));
                return verdict;
            }
            verdict.values.push_back(*std::move(value));
        }
        if (!predicate_.is_true()) {
            const auto facts = [&](const std::vector<std::string> &column, const DataType &) {
                return PartitionFacts(column, verdict.values).value_or(ColumnFacts());
            };
            verdict.keep = Evaluate(predicate_, facts) != Ternary::kFalse;
        }
        if (!verdict.keep) {
            verdict.values.clear();
        }
        return verdict;
    }

    std::optional<ColumnFacts> PartitionFacts(const std::vector<std::string> &column,
                                              const std::vector<Scalar> &values) const {
        for (size_t i = 0; column.size() == 1 && i < columns_.size(); ++i) {
            if (columns_[i].physical != column.front()) {
                continue;
            }
            ColumnFacts facts;
            facts.all_null = values[i].is_null();
            facts.none_null = !values[i].is_null();
            facts.nan_is_bounded = true;
            if (!values[i].is_null()) {
                facts.min = facts.max = values[i];
            }
            return facts;
        }
        return std::nullopt;
    }

    FactsOf FactsOfFile(const ScanFile &file) const {
        return [&](const std::vector<std::string> &column, const DataType &type) {
            auto facts = PartitionFacts(column, file.partition);
            return facts ? *std::move(facts) : file.statistics.Facts(column, type);
        };
    }

    void LimitMemory() {
        if (plan_.files.size() == kPlanWithStatistics + 1) {
            for (auto &file : plan_.files) {
                file.statistics.ForgetColumns();
            }
        } else if (plan_.files.size() > kPlanWithStatistics) {
            plan_.files.back().statistics.ForgetColumns();
        }
    }

    const Snapshot &snapshot_;
    const std::vector<PartitionColumn> columns_;
    const Predicate &predicate_;
    const ScanOverlay *overlay_;
    std::unordered_map<std::string, Verdict> verdicts_;
    ScanPlan plan_;
    uint64_t kept_bytes_ = 0;
};

}  // namespace

std::optional<int64_t> ScanFile::live_rows() const {
    const auto records = statistics.num_records();
    if (!records) {
        return std::nullopt;
    }
    const auto deleted = add.deletion_vector ? add.deletion_vector->cardinality : 0;
    return deleted >= 0 && deleted <= *records ? std::optional(*records - deleted) : std::nullopt;
}

Result<ScanPlan> PlanScan(const Engine &engine, const Snapshot &snapshot, const Predicate &predicate,
                          const ScanOverlay *overlay, const Call &call) {
    BF_ASSIGN(auto columns, PartitionColumns(snapshot));
    Planner planner(snapshot, std::move(columns), predicate, overlay);
    FileRequest request;
    if (!predicate.is_true()) {
        request.keep = [&](const PartitionValues &values) { return planner.Keep(values); };
    }
    uint64_t removed = 0;
    uint64_t removed_bytes = 0;
    const auto visit = [&](AddFile &&add) -> Status {
        if (planner.RemovedByOverlay(add)) {
            ++removed;
            removed_bytes += SizeOf(add);
            return {};
        }
        return planner.Take(std::move(add));
    };
    BF_ASSIGN(const auto counts, ReplayFiles(engine, snapshot.segment(), request, visit, call));
    // What the transaction removed and the partitions pruned was not visited; its bytes stay in the sum.
    const uint64_t pruned = counts.seen - counts.kept;
    const uint64_t pruned_removed = std::min(pruned, overlay ? overlay->removed.size() - removed : 0);
    return planner.Finish(counts.seen - removed - pruned_removed, counts.seen_bytes - removed_bytes,
                          pruned - pruned_removed);
}

Result<ScanPlan> PlanScan(const Snapshot &snapshot, const std::vector<AddFile> &live, const Predicate &predicate,
                          const ScanOverlay *overlay) {
    BF_ASSIGN(auto columns, PartitionColumns(snapshot));
    Planner planner(snapshot, std::move(columns), predicate, overlay);
    uint64_t seen = 0;
    uint64_t seen_bytes = 0;
    uint64_t pruned = 0;
    for (const auto &add : live) {
        if (planner.RemovedByOverlay(add)) {
            continue;
        }
        ++seen;
        seen_bytes += SizeOf(add);
        if (planner.Keep(add.partition_values)) {
            BF_RETURN_IF_ERROR(planner.Take(AddFile(add)));
        } else {
            ++pruned;
        }
    }
    return planner.Finish(seen, seen_bytes, pruned);
}

}  // namespace birdfoot
