// DeltaFileList: the files of a scan, planned when they are first asked for, so that the first filters are known by
// then. The list that a scan runs on prunes once more, with the filters that joins and top-N have gathered by the time
// a file's turn comes, before the file is opened.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_list.hpp"

#include "duckdb/scan/bound_scan.hpp"

namespace birdfoot::duck {

//! The result of planning; `kept` are positions in plan->files.
struct PlannedFiles {
    std::shared_ptr<const ScanPlan> plan;
    std::vector<uint32_t> kept;
    ScanMetrics metrics;

    const ScanFile &at(size_t i) const { return plan->files[kept[i]]; }
    size_t size() const { return kept.size(); }
};

class DeltaFileList : public duckdb::MultiFileList {
public:
    //! All files; registers the read.
    explicit DeltaFileList(std::shared_ptr<BoundScan> scan);
    ~DeltaFileList() override;

    BoundScan &scan() const { return *scan_; }
    //! The files that the log, the partitions and the statistics leave. Plans at the first call.
    const PlannedFiles &Planned() const;
    //! The same if they were planned already, else null.
    const PlannedFiles *PlannedAlready() const;
    //! What was pushed down so far, and the part of it that the files are certain to satisfy.
    const Predicate &predicate() const { return predicate_; }
    const Predicate &consumed() const { return consumed_; }
    //! Its number in source().reads.
    size_t read() const { return read_; }
    //! Files that the last filters spared, of the list that a scan runs on.
    size_t late_pruned() const;
    //! What the optimiser may know of a column; null where that is nothing. Kept, since it is asked for many times.
    duckdb::unique_ptr<duckdb::BaseStatistics> Statistics(size_t column) const;

    duckdb::unique_ptr<duckdb::MultiFileList> ComplexFilterPushdown(
        duckdb::ClientContext &context, const duckdb::MultiFileOptions &options, duckdb::MultiFilePushdownInfo &info,
        duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> &filters) const override;
    duckdb::unique_ptr<duckdb::MultiFileList> DynamicFilterPushdown(duckdb::ClientContext &context,
                                                                    const duckdb::MultiFileOptions &options,
                                                                    const duckdb::vector<duckdb::string> &names,
                                                                    const duckdb::vector<duckdb::LogicalType> &types,
                                                                    const duckdb::vector<duckdb::column_t> &column_ids,
                                                                    duckdb::TableFilterSet &filters) const override;
    duckdb::vector<duckdb::OpenFileInfo> GetAllFiles() const override;
    duckdb::vector<duckdb::OpenFileInfo> GetDisplayFileList(duckdb::optional_idx max_files) const override;
    //! Never SINGLE_FILE: that would make the scan of a table of one file single-threaded.
    duckdb::FileExpandResult GetExpandResult() const override;
    duckdb::idx_t GetTotalFileCount() const override;
    duckdb::unique_ptr<duckdb::NodeStatistics> GetCardinality(duckdb::ClientContext &context) const override;
    //! A read of its own: nobody knows which filters will be pushed into the copy.
    duckdb::unique_ptr<duckdb::MultiFileList> Copy() const override;

protected:
    duckdb::OpenFileInfo GetFile(duckdb::idx_t i) const override;

private:
    struct LateFilter;

    DeltaFileList(const DeltaFileList &parent, size_t read);
    std::shared_ptr<const PlannedFiles> Plan() const;
    std::shared_ptr<const PlannedFiles> Refine(const PlannedFiles &from, const Predicate &predicate) const;
    bool MayMatch(const ScanFile &file) const;
    duckdb::OpenFileInfo InfoOf(const ScanFile &file) const;

    std::shared_ptr<BoundScan> scan_;
    size_t read_ = 0;
    Predicate predicate_;
    Predicate consumed_;

    mutable std::mutex mutex_;
    mutable std::shared_ptr<const PlannedFiles> planned_;
    mutable std::vector<std::optional<duckdb::unique_ptr<duckdb::BaseStatistics>>> statistics_;

    // Of the list that a scan runs on:
    std::vector<LateFilter> late_filters_;
    mutable std::vector<uint32_t> handed_out_;  // positions in the planned files
    mutable size_t cursor_ = 0;
};

}  // namespace birdfoot::duck
