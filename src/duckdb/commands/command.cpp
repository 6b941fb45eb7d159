// See command.hpp: the operators under a command.
#include "duckdb/commands/command.hpp"

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"

#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {
namespace {

using duckdb::idx_t;

class CommandState : public duckdb::GlobalSourceState {
public:
    duckdb::unique_ptr<duckdb::ColumnDataCollection> rows;
    duckdb::ColumnDataScanState scan;
};

class PhysicalCommand : public duckdb::PhysicalOperator {
public:
    PhysicalCommand(duckdb::PhysicalPlan &plan, duckdb::vector<duckdb::LogicalType> types,
                    std::shared_ptr<const Command> command)
        : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types), 1),
          command_(std::move(command)) {}

    duckdb::string GetName() const override { return command_->Name(); }
    bool IsSource() const override { return true; }

    duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(duckdb::ClientContext &) const override {
        return duckdb::make_uniq<CommandState>();
    }

protected:
    duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext &context, duckdb::DataChunk &chunk,
                                             duckdb::OperatorSourceInput &input) const override {
        return Guarded([&] {
            auto &state = input.global_state.Cast<CommandState>();
            if (!state.rows) {
                Run(context.client, state);
            }
            state.rows->Scan(state.scan, chunk);
            return chunk.size() == 0 ? duckdb::SourceResultType::FINISHED : duckdb::SourceResultType::HAVE_MORE_OUTPUT;
        });
    }

private:
    void Run(duckdb::ClientContext &context, CommandState &state) const {
        state.rows = duckdb::make_uniq<duckdb::ColumnDataCollection>(context, types);
        duckdb::ColumnDataAppendState append;
        state.rows->InitializeAppend(append);
        duckdb::DataChunk chunk;
        chunk.Initialize(context, types);
        command_->Run(context, [&](Command::Row row) {
            const auto at = chunk.size();
            for (idx_t i = 0; i < row.size() && i < types.size(); i++) {
                chunk.SetValue(i, at, row[i]);
            }
            chunk.SetCardinality(at + 1);
            if (chunk.size() == STANDARD_VECTOR_SIZE) {
                state.rows->Append(append, chunk);
                chunk.Reset();
            }
        });
        state.rows->Append(append, chunk);
        state.rows->InitializeScan(state.scan);
    }

    std::shared_ptr<const Command> command_;
};

class LogicalCommand : public duckdb::LogicalExtensionOperator {
public:
    LogicalCommand(idx_t table_index, duckdb::vector<duckdb::LogicalType> types, std::shared_ptr<const Command> command)
        : table_index_(table_index), columns_(std::move(types)), command_(std::move(command)) {}

    duckdb::vector<duckdb::ColumnBinding> GetColumnBindings() override {
        return GenerateColumnBindings(table_index_, columns_.size());
    }
    duckdb::vector<idx_t> GetTableIndex() const override { return {table_index_}; }
    void ResolveTypes() override { types = columns_; }
    duckdb::string GetExtensionName() const override { return "birdfoot"; }
    duckdb::string GetName() const override { return command_->Name(); }
    bool SupportSerialization() const override { return false; }

    duckdb::PhysicalOperator &CreatePlan(duckdb::ClientContext &, duckdb::PhysicalPlanGenerator &planner) override {
        return planner.Make<PhysicalCommand>(columns_, command_);
    }

private:
    idx_t table_index_;
    duckdb::vector<duckdb::LogicalType> columns_;
    std::shared_ptr<const Command> command_;
};

}  // namespace

duckdb::BoundStatement BindCommand(duckdb::ClientContext &context, duckdb::Binder &binder,
                                   std::shared_ptr<const Command> command) {
    duckdb::BoundStatement bound;
    auto &properties = binder.GetStatementProperties();
    properties.output_type = duckdb::QueryResultOutputType::FORCE_MATERIALIZED;
    properties.return_type = duckdb::StatementReturnType::QUERY_RESULT;
    for (auto &[name, type] : command->Columns()) {
        bound.names.push_back(name);
        bound.types.push_back(type);
    }
    if (bound.names.empty()) {
        bound.names = {"Success"};
        bound.types = {duckdb::LogicalType::BOOLEAN};
        properties.return_type = duckdb::StatementReturnType::NOTHING;
    }
    if (const auto written = command->Writes()) {
        auto &catalog = duckdb::Catalog::GetCatalog(context, *written);
        if (auto *ours = dynamic_cast<DeltaCatalog *>(&catalog); ours != nullptr && ours->read_only()) {
            Throw(Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} is refused. {}", command->Name(),
                       ours->ReadOnlyReason()));
        }
        properties.RegisterDBModify(catalog, context, duckdb::DatabaseModificationType::ALTER_TABLE);
    }
    binder.SetAlwaysRequireRebind();
    bound.plan = duckdb::make_uniq<LogicalCommand>(binder.GenerateTableIndex(), bound.types, std::move(command));
    return bound;
}

}  // namespace birdfoot::duck
