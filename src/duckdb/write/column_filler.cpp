// Numbers are handed out a chunk at a time, in the order in which threads ask: unique and in the direction of the step,
// with gaps where a statement fails, as in Spark.
#include "duckdb/write/column_filler.hpp"

#include <algorithm>
#include <optional>

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

bool IsGiven(const FilledRows &rows, size_t column) { return column >= rows.given.size() || rows.given[column]; }

//! Whether the rows get a number for the column.
bool IsNumbered(const FilledRows &rows, const IdentityColumn &identity, const StructType &schema) {
    const auto &name = schema.fields[identity.column].name;
    const bool given = IsGiven(rows, identity.column);
    if (rows.kind == FilledRows::kNone) {
        return false;
    }
    if (rows.kind == FilledRows::kUpdated) {  // a row keeps its number
        if (given) {
            Throw(Fail(Condition::DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED,
                       "UPDATE on IDENTITY column {} is not supported. Leave it out: a row keeps its number.", name));
        }
        return false;
    }
    if (given && !identity.allow_explicit) {
        Throw(
            Fail(Condition::DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED,
                 "Providing values for GENERATED ALWAYS AS IDENTITY column {} is not supported. The table numbers its "
                 "rows itself. Leave the column out of the statement.",
                 name));
    }
    return !given;
}

}  // namespace

ColumnFiller::ColumnFiller(duckdb::ClientContext &context, TableWork &work, const std::vector<FilledRows> &sources)
    : fillings_(sources.size()) {
    for (size_t i = 0; i < sources.size(); i++) {
        fillings_[i].any_rows = sources[i].kind != FilledRows::kNone;
    }
    std::lock_guard lock(work.mutex);
    for (const auto &name : work.metadata.partition_columns) {
        const auto column = work.schema.IndexOf(name);
        const auto kind = column ? work.schema.fields[*column].type.kind() : TypeKind::kVoid;
        if (kind == TypeKind::kString || kind == TypeKind::kBinary) {
            partition_texts_.push_back(*column);
        }
    }
    for (const auto &identity : IdentityColumns(work.protocol, work.schema)) {
        for (size_t i = 0; i < sources.size(); i++) {
            if (IsNumbered(sources[i], identity, work.schema)) {
                fillings_[i].identities.push_back(identities_.size());
            }
        }
        identities_.push_back(identity);
    }
    for (const auto &column : GeneratedColumns(work.protocol, work.schema)) {
        bool any = false;
        for (size_t i = 0; i < sources.size(); i++) {
            if (!IsGiven(sources[i], column.column)) {
                fillings_[i].generated.push_back(generated_.size());
                any = true;
            }
        }
        if (any) {
            generated_.push_back({column.column, BindGenerated(context, work.schema, column)});
        }
    }
}

std::vector<size_t> ColumnFiller::computed() const {
    std::vector<size_t> columns;
    for (size_t i = 0; i < generated_.size(); i++) {
        const auto computes = [&](const Filling &filling) {
            return !filling.any_rows ||
                   std::find(filling.generated.begin(), filling.generated.end(), i) != filling.generated.end();
        };
        if (std::all_of(fillings_.begin(), fillings_.end(), computes)) {
            columns.push_back(generated_[i].column);
        }
    }
    return columns;
}

std::unique_ptr<ColumnFiller::Local> ColumnFiller::MakeLocal(duckdb::ClientContext &context) const {
    auto local = std::make_unique<Local>();
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto &[column, rule] : generated_) {
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

void ColumnFiller::Fill(Local &local, duckdb::DataChunk &chunk, size_t source) {
    if (chunk.size() == 0) {
        return;
    }
    EmptyToNull(chunk);
    const auto &filling = fillings_[source];
    if (!filling.identities.empty()) {
        FillIdentities(local, chunk, filling.identities);
    }
    if (filling.generated.empty()) {
        return;
    }
    local.generated.Reset();
    for (auto i : filling.generated) {
        local.executors[i]->ExecuteExpression(chunk, local.generated.data[i]);
    }
    for (auto i : filling.generated) {
        chunk.data[generated_[i].column].Reference(local.generated.data[i]);
    }
}

void ColumnFiller::EmptyToNull(duckdb::DataChunk &chunk) const {
    for (auto column : partition_texts_) {
        duckdb::UnifiedVectorFormat format;
        chunk.data[column].ToUnifiedFormat(chunk.size(), format);
        const auto *texts = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format);
        std::optional<duckdb::Vector> changed;  // the vector may be others', too
        for (duckdb::idx_t row = 0; row < chunk.size(); row++) {
            const auto index = format.sel->get_index(row);
            if (!format.validity.RowIsValid(index) || texts[index].GetSize() > 0) {
                continue;
            }
            if (!changed) {
                changed.emplace(chunk.data[column].GetType(),
                                std::max<duckdb::idx_t>(chunk.size(), STANDARD_VECTOR_SIZE));
                duckdb::VectorOperations::Copy(chunk.data[column], *changed, chunk.size(), 0, 0);
            }
            duckdb::FlatVector::SetNull(*changed, row, true);
        }
        if (changed) {
            chunk.data[column].Reference(*changed);
        }
    }
}

void ColumnFiller::FillIdentities(Local &local, duckdb::DataChunk &chunk, const std::vector<size_t> &numbered) {
    local.identities.Reset();
    std::lock_guard lock(mutex_);
    for (auto i : numbered) {
        auto &identity = identities_[i];
        auto *numbers = duckdb::FlatVector::GetData<int64_t>(local.identities.data[i]);
        for (duckdb::idx_t row = 0; row < chunk.size(); row++) {
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
