// Numbers are handed out a chunk at a time, in the order in which threads ask: unique and in the direction of the step,
// with gaps where a statement fails, as in Spark.
#include "duckdb/write/column_filler.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

ColumnFiller::ColumnFiller(duckdb::ClientContext &context, TableWork &work, const std::vector<bool> &given) {
    std::lock_guard lock(work.mutex);
    for (const auto &identity : IdentityColumns(work.protocol, work.schema)) {
        if (!given[identity.column]) {
            identities_.push_back(identity);
        } else if (!identity.allow_explicit) {
            Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED,
                       "Providing values for GENERATED ALWAYS AS IDENTITY column {} is not supported. The table numbers its "
                       "rows itself. Leave the column out of the statement.",
                       work.schema.fields[identity.column].name));
        }
    }
    for (const auto &generated : GeneratedColumns(work.protocol, work.schema)) {
        if (!given[generated.column]) {
            computed_.push_back(generated.column);
            rules_.push_back(BindGenerated(context, work.schema, generated));
        }
    }
}

std::unique_ptr<ColumnFiller::Local> ColumnFiller::MakeLocal(duckdb::ClientContext &context) const {
    auto local = std::make_unique<Local>();
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto &rule : rules_) {
        local->executors.push_back(std::make_unique<duckdb::ExpressionExecutor>(context, *rule.expression));
        types.push_back(rule.expression->return_type);
    }
    if (!types.empty()) {
        local->generated.Initialize(context, types);
    }
    if (!identities_.empty()) {
        local->identities.Initialize(
            context, duckdb::vector<duckdb::LogicalType>(identities_.size(), duckdb::LogicalType::BIGINT));
    }
    return local;
}

void ColumnFiller::Fill(Local &local, duckdb::DataChunk &chunk) {
    const auto count = chunk.size();
    if (!identities_.empty() && count > 0) {
        local.identities.Reset();
        std::lock_guard lock(mutex_);
        for (size_t i = 0; i < identities_.size(); i++) {
            auto &identity = identities_[i];
            auto *numbers = duckdb::FlatVector::GetData<int64_t>(local.identities.data[i]);
            for (duckdb::idx_t row = 0; row < count; row++) {
                const auto next = NextIdentity(identity);
                if (!next) {
                    Throw(Fail(Condition::BIRDFOOT_INVALID_INPUT,
                               "The identity column has no numbers left: the next one would not fit into BIGINT. Give the "
                               "rows numbers of your own, or make a new table."));
                }
                numbers[row] = *next;
                identity.high_water = next;
            }
            chunk.data[identity.column].Reference(local.identities.data[i]);
        }
    }
    if (rules_.empty()) {
        return;
    }
    local.generated.Reset();
    for (size_t i = 0; i < rules_.size(); i++) {
        local.executors[i]->ExecuteExpression(chunk, local.generated.data[i]);
    }
    for (size_t i = 0; i < rules_.size(); i++) {
        chunk.data[computed_[i]].Reference(local.generated.data[i]);
    }
}

void ColumnFiller::Finish(TableWork &work) const {
    auto schema = work.schema;
    bool changed = false;
    for (const auto &identity : identities_) {
        const auto before = IdentityOf(schema.fields[identity.column]);
        if (before && before->high_water != identity.high_water) {
            SetIdentity(schema.fields[identity.column], identity);
            changed = true;
        }
    }
    if (changed) {
        auto metadata = work.metadata;
        metadata.schema_string = SchemaToJson(schema);
        work.SetMetadata(std::move(metadata), std::move(schema), work.mapping, work.protocol);
    }
}

}  // namespace birdfoot::duck
