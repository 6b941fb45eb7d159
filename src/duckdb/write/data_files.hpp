// DataFiles: the files of one write: their names, folders, statistics and durability. What goes into which file is
// FileWriter's decision.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "duckdb.hpp"

#include "duckdb/write/file_writer.hpp"
#include "duckdb/write/leaf_statistics.hpp"
#include "duckdb/write/parquet_file.hpp"

namespace birdfoot::duck {

struct NewFile {
    size_t number = 0;
    std::string relative_path;  // not encoded
    PartitionValues partition_values;
};

struct OpenFile : NewFile {
    OpenFile(NewFile file, const StatisticsPlan &plan) : NewFile(std::move(file)), statistics(plan) {}

    std::unique_ptr<ParquetFile> parquet;
    StatisticsCollector statistics;
    // Kept by FileWriter, under the partition's mutex.
    uint64_t expected_bytes = 0;  // of row groups being encoded
    uint32_t in_flight = 0;       // row groups being encoded
    bool retired = false;         // takes no further row groups
};

class DataFiles {
public:
    DataFiles(duckdb::ClientContext &context, const WriteTarget &target, const ParquetLayout &layout,
              const StatisticsPlan &plan, PendingFiles &pending);

    //! Names a file and makes its folder. What is in it is the caller's, who says when it is whole.
    NewFile Begin(duckdb::ClientContext &context, const PartitionValues &values);
    DictionaryUse &dictionaries() { return dictionaries_; }
    std::string PathOf(const NewFile &file) const { return target_.root + "/" + file.relative_path; }
    //! The file is on the disk when this returns, if the settings ask for it.
    void End(duckdb::ClientContext &context, const NewFile &file, int64_t rows, std::string stats, FileOrigins origins);
    std::string StatisticsOf(const StatisticsCollector &statistics) const;

    std::shared_ptr<OpenFile> Open(duckdb::ClientContext &context, const PartitionValues &values);
    //! Writes the footer.
    void Close(duckdb::ClientContext &context, OpenFile &file);
    //! All closed files, in the order in which they were opened.
    std::vector<WrittenFile> Finish();

private:
    std::string NewFolder(const PartitionValues &values);
    std::string NewName(size_t number) const;

    const WriteTarget &target_;
    const ParquetLayout &layout_;
    DictionaryUse dictionaries_;
    const StatisticsPlan &plan_;
    PendingFiles &pending_;
    const bool fsync_;
    const size_t string_prefix_;
    const size_t random_prefix_;        // length; 0: partition folders
    std::set<std::string> timestamps_;  // physical names of columns whose folders look other than their values
    std::mutex mutex_;
    size_t opened_ = 0;
    std::set<std::string> folders_;  // below the root, made or seen
    std::vector<std::pair<size_t, WrittenFile>> written_;
};

}  // namespace birdfoot::duck
