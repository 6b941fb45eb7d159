// Statistics that cannot be read leave their struct null, as from_json does in Spark: the text beside them is the
// truth.
#include "core/txn/checkpoint_rows.hpp"

#include <algorithm>

#include "core/table/table_properties.hpp"

namespace birdfoot {
namespace {

// ---- types ----

ColumnType TypeOf(std::string name, const DataType &type) {
    ColumnType column;
    column.name = std::move(name);
    switch (type.kind()) {
    case TypeKind::kBoolean: column.kind = ColumnKind::kBool; break;
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger: column.int32 = true; [[fallthrough]];
    case TypeKind::kLong: column.kind = ColumnKind::kInt64; break;
    case TypeKind::kFloat: column.float32 = true; [[fallthrough]];
    case TypeKind::kDouble: column.kind = ColumnKind::kDouble; break;
    case TypeKind::kDecimal:
        column.kind = ColumnKind::kDecimal;
        column.precision = type.precision();
        column.scale = type.scale();
        break;
    case TypeKind::kDate: column.kind = ColumnKind::kDate; break;
    case TypeKind::kTimestampNtz: column.ntz = true; [[fallthrough]];
    case TypeKind::kTimestamp: column.kind = ColumnKind::kTimestamp; break;
    case TypeKind::kBinary: column.binary = true; [[fallthrough]];
    default: column.kind = ColumnKind::kString; break;
    }
    return column;
}

ColumnType StructOf(std::string name) {
    ColumnType type;
    type.name = std::move(name);
    type.kind = ColumnKind::kStruct;
    return type;
}

//! Puts a leaf below `root`, making the structs on the way.
void AddLeaf(ColumnType &root, const std::vector<std::string> &path, ColumnType leaf) {
    ColumnType *at = &root;
    for (size_t i = 0; i + 1 < path.size(); ++i) {
        const auto found = std::find_if(at->children.begin(), at->children.end(),
                                        [&](const ColumnType &child) { return child.name == path[i]; });
        at = found != at->children.end() ? &*found : &at->children.emplace_back(StructOf(path[i]));
    }
    at->children.push_back(std::move(leaf));
}

ColumnType StatisticsType(const std::vector<IndexedLeaf> &leaves) {
    auto min = StructOf("minValues");
    auto null_count = StructOf("nullCount");
    for (const auto &leaf : leaves) {
        if (leaf.bounds) {
            AddLeaf(min, leaf.column, TypeOf(leaf.column.back(), leaf.type));
        }
        AddLeaf(null_count, leaf.column, TypeOf(leaf.column.back(), DataType(TypeKind::kLong)));
    }
    auto max = min;
    max.name = "maxValues";
    auto type = StructOf("stats_parsed");
    type.children.push_back(TypeOf("numRecords", DataType(TypeKind::kLong)));
    for (auto *part : {&min, &max, &null_count}) {
        if (!part->children.empty()) {
            type.children.push_back(std::move(*part));
        }
    }
    type.children.push_back(TypeOf("tightBounds", DataType(TypeKind::kBoolean)));
    return type;
}

// ---- values ----

ColumnVector Empty(const ColumnType &type) {
    ColumnVector column;
    column.kind = type.kind;
    for (const auto &child : type.children) {
        column.children.push_back(Empty(child));
    }
    if (type.kind == ColumnKind::kMap || type.kind == ColumnKind::kList) {
        column.offsets.push_back(0);
    }
    return column;
}

void PutNull(ColumnVector &column) {
    column.valid.push_back(0);
    switch (column.kind) {
    case ColumnKind::kBool:
    case ColumnKind::kInt64:
    case ColumnKind::kDate:
    case ColumnKind::kTimestamp: column.ints.push_back(0); break;
    case ColumnKind::kDouble: column.doubles.push_back(0); break;
    case ColumnKind::kString:
    case ColumnKind::kDecimal: column.strings.emplace_back(); break;
    case ColumnKind::kStruct:
        for (auto &child : column.children) {
            PutNull(child);
        }
        break;
    case ColumnKind::kMap:
    case ColumnKind::kList: column.offsets.push_back(column.offsets.back()); break;
    }
}

void PutText(ColumnVector &column, std::string_view text) {
    column.valid.push_back(1);
    column.strings.push_back(text);
}
void PutInt(ColumnVector &column, int64_t value) {
    column.valid.push_back(1);
    column.ints.push_back(value);
}

//! The children of a struct, one after the other.
class Members {
public:
    explicit Members(ColumnVector &column) : column_(column) { column.valid.push_back(1); }
    ColumnVector &Next() { return column_.children[next_++]; }

    Members &Text(const std::string &text) {
        PutText(Next(), text);
        return *this;
    }
    Members &Text(const std::optional<std::string> &text) {
        auto &column = Next();
        text ? PutText(column, *text) : PutNull(column);
        return *this;
    }
    Members &Int(std::optional<int64_t> value) {
        auto &column = Next();
        value ? PutInt(column, *value) : PutNull(column);
        return *this;
    }
    Members &Flag(std::optional<bool> value) { return Int(value ? std::optional<int64_t>(*value) : std::nullopt); }
    Members &Map(const PartitionValues *map) {
        auto &column = Next();
        if (!map) {
            PutNull(column);
            return *this;
        }
        column.valid.push_back(1);
        for (const auto &[key, value] : *map) {
            PutText(column.children[0], key);
            value ? PutText(column.children[1], *value) : PutNull(column.children[1]);
        }
        column.offsets.push_back(static_cast<uint32_t>(column.children[0].size()));
        return *this;
    }
    Members &Map(const std::map<std::string, std::string> &map) {
        auto &column = Next();
        column.valid.push_back(1);
        for (const auto &[key, value] : map) {
            PutText(column.children[0], key);
            PutText(column.children[1], value);
        }
        column.offsets.push_back(static_cast<uint32_t>(column.children[0].size()));
        return *this;
    }
    Members &List(const std::vector<std::string> *list) {
        auto &column = Next();
        if (!list) {
            PutNull(column);
            return *this;
        }
        column.valid.push_back(1);
        for (const auto &text : *list) {
            PutText(column.children[0], text);
        }
        column.offsets.push_back(static_cast<uint32_t>(column.children[0].size()));
        return *this;
    }
    Members &Vector(const std::optional<DeletionVectorDescriptor> &vector) {
        auto &column = Next();
        if (!vector) {
            PutNull(column);
            return *this;
        }
        Members(column)
            .Text(vector->storage_type)
            .Text(vector->path_or_inline)
            .Int(vector->offset)
            .Int(vector->size_in_bytes)
            .Int(vector->cardinality);
        return *this;
    }

private:
    ColumnVector &column_;
    size_t next_ = 0;
};

template <typename T>
const T *PointerTo(const std::optional<T> &value) {
    return value ? &*value : nullptr;
}

void PutScalar(ColumnVector &column, const std::optional<Scalar> &value, std::deque<std::string> &texts) {
    if (!value || value->is_null()) {
        PutNull(column);
        return;
    }
    switch (column.kind) {
    case ColumnKind::kDouble:
        column.valid.push_back(1);
        column.doubles.push_back(value->real());
        break;
    case ColumnKind::kDecimal:
        PutText(column, texts.emplace_back(DecimalToText(value->decimal(), value->type().scale())));
        break;
    case ColumnKind::kString: PutText(column, texts.emplace_back(value->text())); break;
    default: PutInt(column, value->integer()); break;
    }
}

//! The type that a leaf's values are read as.
DataType ValueType(const ColumnType &type) {
    switch (type.kind) {
    case ColumnKind::kBool: return DataType(TypeKind::kBoolean);
    case ColumnKind::kInt64: return DataType(type.int32 ? TypeKind::kInteger : TypeKind::kLong);
    case ColumnKind::kDouble: return DataType(type.float32 ? TypeKind::kFloat : TypeKind::kDouble);
    case ColumnKind::kDecimal: return DataType::Decimal(type.precision, type.scale);
    case ColumnKind::kDate: return DataType(TypeKind::kDate);
    case ColumnKind::kTimestamp: return DataType(type.ntz ? TypeKind::kTimestampNtz : TypeKind::kTimestamp);
    default: return DataType(type.binary ? TypeKind::kBinary : TypeKind::kString);
    }
}

//! A struct or leaf of statistics from its JSON.
void PutStatistics(ColumnVector &column, const ColumnType &type, JsonValue json, std::deque<std::string> &texts) {
    if (type.kind != ColumnKind::kStruct) {
        PutScalar(column, json.is_null() ? std::nullopt : Scalar::FromStatistics(ValueType(type), json), texts);
        return;
    }
    if (!json.is_object()) {
        PutNull(column);
        return;
    }
    column.valid.push_back(1);
    for (size_t i = 0; i < type.children.size(); ++i) {
        PutStatistics(column.children[i], type.children[i], json[type.children[i].name], texts);
    }
}

void PutRemove(ColumnVector &column, const RemoveFile &remove) {
    Members(column)
        .Text(remove.path)
        .Int(remove.deletion_timestamp)
        .Flag(remove.data_change)
        .Flag(remove.extended_file_metadata)
        .Map(PointerTo(remove.partition_values))
        .Int(remove.size)
        .Vector(remove.deletion_vector)
        .Int(remove.base_row_id)
        .Int(remove.default_row_commit_version);
}

void PutMetadata(ColumnVector &column, const Metadata &metadata) {
    Members members(column);
    members.Text(metadata.id).Text(metadata.name).Text(metadata.description);
    Members(members.Next()).Text(metadata.format_provider).Map(metadata.format_options);
    members.Text(metadata.schema_string)
        .List(&metadata.partition_columns)
        .Map(metadata.configuration)
        .Int(metadata.created_time);
}

void PutProtocol(ColumnVector &column, const Protocol &protocol) {
    Members(column)
        .Int(protocol.min_reader_version)
        .Int(protocol.min_writer_version)
        .List(PointerTo(protocol.reader_features))
        .List(PointerTo(protocol.writer_features));
}

std::vector<std::pair<std::string, DataType>> PartitionColumns(const Snapshot &snapshot) {
    std::vector<std::pair<std::string, DataType>> columns;
    for (const auto &name : snapshot.metadata().partition_columns) {
        if (const auto *field = snapshot.schema().Find(name)) {
            columns.emplace_back(PhysicalName(*field, snapshot.mapping()), field->type);
        }
    }
    return columns;
}

}  // namespace

Result<CheckpointColumns> ColumnsOf(const Snapshot &snapshot) {
    CheckpointColumns columns;
    columns.statistics_text = BoolProperty(snapshot.metadata(), "delta.checkpoint.writeStatsAsJson");
    if (!BoolProperty(snapshot.metadata(), "delta.checkpoint.writeStatsAsStruct")) {
        return columns;
    }
    BF_ASSIGN(const auto leaves, IndexedLeaves(snapshot.metadata(), snapshot.schema(), snapshot.mapping()));
    columns.statistics = StatisticsType(leaves);
    const auto partition = PartitionColumns(snapshot);
    if (!partition.empty()) {
        columns.partition_values = StructOf("partitionValues_parsed");
        for (const auto &[name, type] : partition) {
            columns.partition_values->children.push_back(TypeOf(name, type));
        }
    }
    return columns;
}

CheckpointRows::CheckpointRows(const Snapshot &snapshot, const CheckpointColumns &columns, bool sidecar)
    : columns_(columns), partition_(PartitionColumns(snapshot)) {
    schema_ = {AddColumn(columns), RemoveColumn()};
    if (!sidecar) {
        auto table = TableColumns(false);
        schema_.insert(schema_.begin(), std::move(table.front()));
        schema_.insert(schema_.end(), std::make_move_iterator(table.begin() + 1), std::make_move_iterator(table.end()));
    }
}

void CheckpointRows::PutPartitionValues(ColumnVector &column, const PartitionValues &values) {
    column.valid.push_back(1);
    for (size_t i = 0; i < partition_.size(); ++i) {
        const auto &[name, type] = partition_[i];
        const auto found = std::find_if(values.begin(), values.end(),
                                        [&name = name](const auto &value) { return value.first == name; });
        const auto value = Scalar::FromPartitionValue(type, found == values.end() ? std::nullopt : found->second);
        PutScalar(column.children[i], value.ok() ? std::optional(*value) : std::nullopt, texts_);
    }
}

void CheckpointRows::PutAdd(ColumnVector &column, const AddFile &add) {
    Members members(column);
    members.Text(add.path)
        .Map(&add.partition_values)
        .Int(add.size)
        .Int(add.modification_time)
        .Flag(add.data_change)
        .Map(PointerTo(add.tags))
        .Vector(add.deletion_vector)
        .Int(add.base_row_id)
        .Int(add.default_row_commit_version)
        .Text(add.clustering_provider);
    if (columns_.statistics_text) {
        members.Text(add.stats);
    }
    if (columns_.partition_values) {
        PutPartitionValues(members.Next(), add.partition_values);
    }
    if (columns_.statistics) {
        auto json = add.stats ? JsonDocument::Parse(*add.stats) : Fail(Condition::BIRDFOOT_JSON_MALFORMED, "none");
        PutStatistics(members.Next(), *columns_.statistics, json.ok() ? json->root() : JsonValue(), texts_);
    }
}

std::vector<ColumnVector> CheckpointRows::Build(std::vector<Action> actions) {
    actions_ = std::move(actions);
    texts_.clear();
    std::vector<ColumnVector> columns;
    for (const auto &type : schema_) {
        columns.push_back(Empty(type));
    }
    const auto column = [&](std::string_view name) -> ColumnVector * {
        const auto it =
            std::find_if(schema_.begin(), schema_.end(), [&](const auto &type) { return type.name == name; });
        return it == schema_.end() ? nullptr : &columns[static_cast<size_t>(it - schema_.begin())];
    };
    auto *add_column = column("add");
    auto *remove_column = column("remove");
    auto *txn = column("txn");
    auto *metadata_column = column("metaData");
    auto *protocol_column = column("protocol");
    auto *domain_column = column("domainMetadata");
    for (const auto &action : actions_) {
        const ColumnVector *filled = nullptr;
        if (const auto *add = std::get_if<AddFile>(&action)) {
            PutAdd(*add_column, *add);
            filled = add_column;
        } else if (const auto *remove = std::get_if<RemoveFile>(&action)) {
            PutRemove(*remove_column, *remove);
            filled = remove_column;
        } else if (const auto *transaction = std::get_if<SetTransaction>(&action)) {
            Members(*txn).Text(transaction->app_id).Int(transaction->version).Int(transaction->last_updated);
            filled = txn;
        } else if (const auto *metadata = std::get_if<Metadata>(&action)) {
            PutMetadata(*metadata_column, *metadata);
            filled = metadata_column;
        } else if (const auto *protocol = std::get_if<Protocol>(&action)) {
            PutProtocol(*protocol_column, *protocol);
            filled = protocol_column;
        } else if (const auto *domain = std::get_if<DomainMetadata>(&action)) {
            Members(*domain_column).Text(domain->domain).Text(domain->configuration).Flag(domain->removed);
            filled = domain_column;
        }
        for (auto &other : columns) {
            if (&other != filled) {
                PutNull(other);
            }
        }
    }
    return columns;
}

}  // namespace birdfoot
