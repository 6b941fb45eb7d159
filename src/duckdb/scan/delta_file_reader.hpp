// DeltaFileReader: what DuckDB's Parquet scan asks for each file: the opened reader, constants, the deletion vector,
// how the file's columns become the table's, and which filters can be applied where.
#pragma once

#include <memory>

#include "duckdb.hpp"
#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/function/table_function.hpp"

#include "duckdb/scan/bound_scan.hpp"

namespace birdfoot::duck {

//! How a table function that is one of ours finds its scan when it is bound.
struct ScanInfo : public duckdb::TableFunctionInfo {
    explicit ScanInfo(std::shared_ptr<BoundScan> scan_p) : scan(std::move(scan_p)) {}
    const std::shared_ptr<BoundScan> scan;
};

class DeltaFileReader : public duckdb::MultiFileReader {
public:
    explicit DeltaFileReader(std::shared_ptr<BoundScan> scan) : scan_(std::move(scan)) {}
    static duckdb::unique_ptr<duckdb::MultiFileReader> Create(const duckdb::TableFunction &function);

    duckdb::unique_ptr<duckdb::MultiFileReader> Copy() const override;
    duckdb::shared_ptr<duckdb::MultiFileList> CreateFileList(duckdb::ClientContext &context,
                                                             const duckdb::vector<duckdb::string> &paths,
                                                             const duckdb::FileGlobInput &input) override;
    bool Bind(duckdb::MultiFileOptions &options, duckdb::MultiFileList &files,
              duckdb::vector<duckdb::LogicalType> &types, duckdb::vector<duckdb::string> &names,
              duckdb::MultiFileReaderBindData &bind_data) override;
    void BindOptions(duckdb::MultiFileOptions &options, duckdb::MultiFileList &files,
                     duckdb::vector<duckdb::LogicalType> &types, duckdb::vector<duckdb::string> &names,
                     duckdb::MultiFileReaderBindData &bind_data) override;

    using MultiFileReader::CreateReader;
    duckdb::shared_ptr<duckdb::BaseFileReader> CreateReader(duckdb::ClientContext &context,
                                                            duckdb::GlobalTableFunctionState &state,
                                                            const duckdb::OpenFileInfo &file, duckdb::idx_t file_index,
                                                            const duckdb::MultiFileBindData &bind_data) override;
    duckdb::ReaderInitializeType InitializeReader(duckdb::MultiFileReaderData &data,
                                                  const duckdb::MultiFileBindData &bind_data,
                                                  const duckdb::vector<duckdb::MultiFileColumnDefinition> &columns,
                                                  const duckdb::vector<duckdb::ColumnIndex> &column_ids,
                                                  duckdb::optional_ptr<duckdb::TableFilterSet> filters,
                                                  duckdb::ClientContext &context,
                                                  duckdb::MultiFileGlobalState &state) override;
    void FinalizeBind(duckdb::MultiFileReaderData &data, const duckdb::MultiFileOptions &options,
                      const duckdb::MultiFileReaderBindData &bind_data,
                      const duckdb::vector<duckdb::MultiFileColumnDefinition> &columns,
                      const duckdb::vector<duckdb::ColumnIndex> &column_ids, duckdb::ClientContext &context,
                      duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) override;
    using MultiFileReader::CreateMapping;
    duckdb::ReaderInitializeType CreateMapping(duckdb::ClientContext &context, duckdb::MultiFileReaderData &data,
                                               const duckdb::vector<duckdb::MultiFileColumnDefinition> &columns,
                                               const duckdb::vector<duckdb::ColumnIndex> &column_ids,
                                               duckdb::optional_ptr<duckdb::TableFilterSet> filters,
                                               duckdb::MultiFileList &files,
                                               const duckdb::MultiFileReaderBindData &bind_data,
                                               const duckdb::virtual_column_map_t &virtual_columns) override;
    duckdb::unique_ptr<duckdb::Expression> GetVirtualColumnExpression(
        duckdb::ClientContext &context, duckdb::MultiFileReaderData &data,
        const duckdb::vector<duckdb::MultiFileColumnDefinition> &local_columns, duckdb::idx_t &column_id,
        const duckdb::LogicalType &type, duckdb::MultiFileLocalIndex local_index,
        duckdb::optional_ptr<duckdb::MultiFileColumnDefinition> &global_column) override;
    void FinalizeChunk(duckdb::ClientContext &context, const duckdb::MultiFileBindData &bind_data,
                       duckdb::BaseFileReader &reader, const duckdb::MultiFileReaderData &data,
                       duckdb::DataChunk &input, duckdb::DataChunk &output, duckdb::ExpressionExecutor &executor,
                       duckdb::optional_ptr<duckdb::MultiFileReaderGlobalState> state) override;
    //! Every file has one value of each partition column, so an aggregate by them needs no merging.
    duckdb::TablePartitionInfo GetPartitionInfo(duckdb::ClientContext &context,
                                                const duckdb::MultiFileReaderBindData &bind_data,
                                                duckdb::TableFunctionPartitionInput &input) override;

private:
    const ScanFile &FileOf(const duckdb::OpenFileInfo &file) const;

    const std::shared_ptr<BoundScan> scan_;
};

}  // namespace birdfoot::duck
