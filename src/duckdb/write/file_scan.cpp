#include "duckdb/write/file_scan.hpp"

#include "duckdb/translate/types.hpp"

namespace birdfoot::duck {

FileScan::FileScan(duckdb::ClientContext &context, SnapshotPtr snapshot, std::vector<AddFile> files,
                   duckdb::vector<duckdb::column_t> columns)
    : snapshot_(std::move(snapshot)), columns_(std::move(columns)) {
    auto virtual_columns = DeltaVirtualColumns(*snapshot_);
    for (auto column : columns_) {
        auto found = virtual_columns.find(column);
        types_.push_back(found != virtual_columns.end() ? found->second.type
                                                        : TypeOf(snapshot_->schema().fields[column].type));
    }
    ScanSource source;
    source.snapshot = snapshot_;
    source.live = std::make_shared<const std::vector<AddFile>>(std::move(files));
    function_ = MakeDeltaScan(context, std::move(source), bind_data_);
    duckdb::vector<duckdb::idx_t> projection;
    duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, projection, nullptr);
    global_ = function_.init_global(context, input);
}

duckdb::idx_t FileScan::max_tasks() const { return global_->MaxThreads(); }

void FileScan::Run(duckdb::ExecutionContext &context, const std::function<void(duckdb::DataChunk &)> &visit) {
    duckdb::vector<duckdb::idx_t> projection;
    duckdb::TableFunctionInitInput init(bind_data_.get(), columns_, projection, nullptr);
    auto local = function_.init_local(context, init, global_.get());
    if (!local) {
        return;  // no file is left for this task
    }
    duckdb::DataChunk chunk;
    chunk.Initialize(context.client, types_);
    while (true) {
        if (context.client.IsInterrupted()) {
            throw duckdb::InterruptException();
        }
        chunk.Reset();
        duckdb::TableFunctionInput input(bind_data_.get(), local.get(), global_.get());
        function_.function(context.client, input, chunk);
        if (chunk.size() == 0) {
            return;
        }
        visit(chunk);
    }
}

}  // namespace birdfoot::duck
