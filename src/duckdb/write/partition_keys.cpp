#include "duckdb/write/partition_keys.hpp"

#include <cstring>

#include "duckdb/common/types/vector.hpp"

#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::idx_t;

void AppendKey(std::string &key, const duckdb::UnifiedVectorFormat &format, duckdb::PhysicalType type, idx_t row) {
    auto index = format.sel->get_index(row);
    if (!format.validity.RowIsValid(index)) {
        key.push_back('\0');
        return;
    }
    key.push_back('\1');
    if (type == duckdb::PhysicalType::VARCHAR) {
        const auto &text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[index];
        auto size = static_cast<uint32_t>(text.GetSize());
        key.append(reinterpret_cast<const char *>(&size), sizeof(size));
        key.append(text.GetData(), size);
    } else {
        auto width = duckdb::GetTypeIdSize(type);
        key.append(reinterpret_cast<const char *>(format.data) + index * width, width);
    }
}

Int128 Decimal(const duckdb::UnifiedVectorFormat &format, duckdb::PhysicalType type, idx_t index) {
    switch (type) {
    case duckdb::PhysicalType::INT16: return duckdb::UnifiedVectorFormat::GetData<int16_t>(format)[index];
    case duckdb::PhysicalType::INT32: return duckdb::UnifiedVectorFormat::GetData<int32_t>(format)[index];
    case duckdb::PhysicalType::INT64: return duckdb::UnifiedVectorFormat::GetData<int64_t>(format)[index];
    default: {
        const auto &value = duckdb::UnifiedVectorFormat::GetData<duckdb::hugeint_t>(format)[index];
        return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
    }
    }
}

Scalar ScalarAt(const duckdb::UnifiedVectorFormat &format, duckdb::PhysicalType physical, const DataType &type,
                idx_t row) {
    auto index = format.sel->get_index(row);
    if (!format.validity.RowIsValid(index)) {
        return Scalar::Null(type);
    }
    switch (type.kind()) {
    case TypeKind::kBoolean: return Scalar::Bool(duckdb::UnifiedVectorFormat::GetData<bool>(format)[index]);
    case TypeKind::kFloat: return Scalar::Real(type, duckdb::UnifiedVectorFormat::GetData<float>(format)[index]);
    case TypeKind::kDouble: return Scalar::Real(type, duckdb::UnifiedVectorFormat::GetData<double>(format)[index]);
    case TypeKind::kDecimal: return Scalar::DecimalOf(type, Decimal(format, physical, index));
    case TypeKind::kByte: return Scalar::Integer(type, duckdb::UnifiedVectorFormat::GetData<int8_t>(format)[index]);
    case TypeKind::kShort: return Scalar::Integer(type, duckdb::UnifiedVectorFormat::GetData<int16_t>(format)[index]);
    case TypeKind::kInteger:
    case TypeKind::kDate: return Scalar::Integer(type, duckdb::UnifiedVectorFormat::GetData<int32_t>(format)[index]);
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
        return Scalar::Integer(type, duckdb::UnifiedVectorFormat::GetData<int64_t>(format)[index]);
    default: {
        auto text = duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[index].GetString();
        return text.empty() ? Scalar::Null(type) : Scalar::Text(type, std::move(text));  // '' reads as NULL
    }
    }
}

std::optional<std::string> TextOf(const Scalar &value, const PartitionColumn &column) {
    if (auto status = value.CheckPartitionValue(); !status.ok()) {
        Throw(status.error().Prefixed("Column " + column.logical_name));
    }
    return value.ToPartitionValue();
}

}  // namespace

bool PartitionKeys::Assign(duckdb::DataChunk &chunk, const Find &find, std::vector<Partition *> &rows) {
    auto count = chunk.size();
    std::vector<duckdb::UnifiedVectorFormat> formats(columns_.size());
    bool constant = true;
    for (size_t i = 0; i < columns_.size(); i++) {
        auto &vector = chunk.data[columns_[i].position];
        constant &= vector.GetVectorType() == duckdb::VectorType::CONSTANT_VECTOR;
        vector.ToUnifiedFormat(count, formats[i]);
    }
    rows.resize(count);
    Partition *previous = nullptr;
    std::string previous_key, key;
    bool uniform = true;
    for (idx_t row = 0; row < count; row++) {
        if (constant && row > 0) {
            rows[row] = previous;
            continue;
        }
        key.clear();
        for (size_t i = 0; i < columns_.size(); i++) {
            AppendKey(key, formats[i], chunk.data[columns_[i].position].GetType().InternalType(), row);
        }
        if (!previous || key != previous_key) {
            auto &known = known_[key];
            if (!known) {
                TextValues values;
                for (size_t i = 0; i < columns_.size(); i++) {
                    auto physical = chunk.data[columns_[i].position].GetType().InternalType();
                    values.push_back(TextOf(ScalarAt(formats[i], physical, columns_[i].type, row), columns_[i]));
                }
                known = find(values);
            }
            uniform &= !previous || known == previous;
            previous = known;
            previous_key.swap(key);
        }
        rows[row] = previous;
    }
    return uniform;
}

}  // namespace birdfoot::duck
