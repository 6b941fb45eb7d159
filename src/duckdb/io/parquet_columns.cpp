// Columns between DuckDB's vectors and core's ColumnVector, for the Parquet port.
#include "duckdb/io/parquet_columns.hpp"

#include "core/schema/scalar.hpp"

namespace birdfoot::duck {

using duckdb::FlatVector;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::PhysicalType;
using duckdb::Vector;

namespace {

//! The rows to take from one flat vector.
struct Rows {
    const uint32_t *rows;
    size_t count;
};

void ReadValidity(Vector &vector, Rows rows, ColumnVector &out) {
    out.valid.resize(rows.count);
    auto &mask = FlatVector::Validity(vector);
    if (mask.AllValid()) {
        std::fill(out.valid.begin(), out.valid.end(), uint8_t{1});
        return;
    }
    for (size_t i = 0; i < rows.count; ++i) {
        out.valid[i] = mask.RowIsValid(rows.rows[i]) ? 1 : 0;
    }
}

template <typename From, typename Convert>
void ReadInts(Vector &vector, Rows rows, ColumnVector &out, Convert convert) {
    auto *data = FlatVector::GetData<From>(vector);
    out.ints.resize(rows.count);
    for (size_t i = 0; i < rows.count; ++i) {
        out.ints[i] = out.valid[i] ? convert(data[rows.rows[i]]) : 0;
    }
}

template <typename From>
void ReadPlainInts(Vector &vector, Rows rows, ColumnVector &out) {
    ReadInts<From>(vector, rows, out, [](From value) { return static_cast<int64_t>(value); });
}

//! True if the vector holds integers, of which all are in `out.ints` then.
bool ReadAnyInts(Vector &vector, Rows rows, ColumnVector &out) {
    switch (vector.GetType().id()) {
    case LogicalTypeId::TINYINT: ReadPlainInts<int8_t>(vector, rows, out); return true;
    case LogicalTypeId::SMALLINT: ReadPlainInts<int16_t>(vector, rows, out); return true;
    case LogicalTypeId::INTEGER: ReadPlainInts<int32_t>(vector, rows, out); return true;
    case LogicalTypeId::BIGINT: ReadPlainInts<int64_t>(vector, rows, out); return true;
    case LogicalTypeId::UTINYINT: ReadPlainInts<uint8_t>(vector, rows, out); return true;
    case LogicalTypeId::USMALLINT: ReadPlainInts<uint16_t>(vector, rows, out); return true;
    case LogicalTypeId::UINTEGER: ReadPlainInts<uint32_t>(vector, rows, out); return true;
    default: return false;
    }
}

void ReadStrings(Vector &vector, Rows rows, ColumnVector &out) {
    auto *data = FlatVector::GetData<duckdb::string_t>(vector);
    out.strings.resize(rows.count);
    for (size_t i = 0; i < rows.count; ++i) {
        const auto &text = data[rows.rows[i]];  // a reference: short strings live inside it
        out.strings[i] = out.valid[i] ? std::string_view(text.GetData(), text.GetSize()) : std::string_view();
    }
}

template <typename Unscaled>
void ReadDecimals(Vector &vector, Rows rows, uint8_t scale, std::deque<std::string> &arena, ColumnVector &out) {
    auto *data = FlatVector::GetData<Unscaled>(vector);
    out.strings.resize(rows.count);
    for (size_t i = 0; i < rows.count; ++i) {
        out.strings[i] = {};
        if (out.valid[i]) {
            const auto &value = data[rows.rows[i]];
            Int128 unscaled;
            if constexpr (std::is_same_v<Unscaled, duckdb::hugeint_t>) {
                unscaled = (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(value.lower);
            } else {
                unscaled = value;
            }
            out.strings[i] = arena.emplace_back(DecimalToText(unscaled, scale));
        }
    }
}

bool ReadDecimal(Vector &vector, Rows rows, std::deque<std::string> &arena, ColumnVector &out) {
    const auto &type = vector.GetType();
    if (type.id() != LogicalTypeId::DECIMAL) {
        if (!ReadAnyInts(vector, rows, out)) {
            return false;
        }
        out.strings.resize(rows.count);
        for (size_t i = 0; i < rows.count; ++i) {
            out.strings[i] = out.valid[i] ? arena.emplace_back(std::to_string(out.ints[i])) : std::string_view();
        }
        out.ints.clear();
        return true;
    }
    const auto scale = duckdb::DecimalType::GetScale(type);
    switch (type.InternalType()) {
    case PhysicalType::INT16: ReadDecimals<int16_t>(vector, rows, scale, arena, out); return true;
    case PhysicalType::INT32: ReadDecimals<int32_t>(vector, rows, scale, arena, out); return true;
    case PhysicalType::INT64: ReadDecimals<int64_t>(vector, rows, scale, arena, out); return true;
    default: ReadDecimals<duckdb::hugeint_t>(vector, rows, scale, arena, out); return true;
    }
}

bool ReadTimestamps(Vector &vector, Rows rows, ColumnVector &out) {
    switch (vector.GetType().id()) {
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ:
    case LogicalTypeId::BIGINT:  // an INT64 without logical type: microseconds
        ReadPlainInts<int64_t>(vector, rows, out);
        return true;
    case LogicalTypeId::TIMESTAMP_NS:
        ReadInts<int64_t>(vector, rows, out, [](int64_t nanos) { return nanos / 1000 - (nanos % 1000 < 0 ? 1 : 0); });
        return true;
    default: return false;
    }
}

bool ReadDoubles(Vector &vector, Rows rows, ColumnVector &out) {
    out.doubles.resize(rows.count);
    switch (vector.GetType().id()) {
    case LogicalTypeId::DOUBLE: {
        auto *data = FlatVector::GetData<double>(vector);
        for (size_t i = 0; i < rows.count; ++i) {
            out.doubles[i] = out.valid[i] ? data[rows.rows[i]] : 0;
        }
        return true;
    }
    case LogicalTypeId::FLOAT: {
        auto *data = FlatVector::GetData<float>(vector);
        for (size_t i = 0; i < rows.count; ++i) {
            out.doubles[i] = out.valid[i] ? data[rows.rows[i]] : 0;
        }
        return true;
    }
    default: return false;
    }
}

//! Offsets of a list or map, and the positions of the entries to take.
std::vector<uint32_t> ReadOffsets(Vector &vector, Rows rows, ColumnVector &out) {
    auto *lists = FlatVector::GetData<duckdb::list_entry_t>(vector);
    std::vector<uint32_t> entries;
    out.offsets.resize(rows.count + 1);
    out.offsets[0] = 0;
    for (size_t i = 0; i < rows.count; ++i) {
        if (out.valid[i]) {
            const auto &list = lists[rows.rows[i]];
            for (uint64_t k = 0; k < list.length; ++k) {
                entries.push_back(static_cast<uint32_t>(list.offset + k));
            }
        }
        out.offsets[i + 1] = static_cast<uint32_t>(entries.size());
    }
    return entries;
}

bool ReadScalars(Vector &vector, Rows rows, ColumnKind kind, std::deque<std::string> &arena, ColumnVector &out) {
    const auto id = vector.GetType().id();
    switch (kind) {
    case ColumnKind::kBool:
        if (id == LogicalTypeId::BOOLEAN) {
            ReadInts<bool>(vector, rows, out, [](bool value) { return int64_t{value}; });
            return true;
        }
        return false;
    case ColumnKind::kInt64: return ReadAnyInts(vector, rows, out);
    case ColumnKind::kDouble: return ReadDoubles(vector, rows, out);
    case ColumnKind::kString:
        if (id == LogicalTypeId::VARCHAR || id == LogicalTypeId::BLOB) {
            ReadStrings(vector, rows, out);
            return true;
        }
        return false;
    case ColumnKind::kDate:
        if (id == LogicalTypeId::DATE) {
            ReadInts<duckdb::date_t>(vector, rows, out, [](duckdb::date_t date) { return int64_t{date.days}; });
            return true;
        }
        return false;
    case ColumnKind::kTimestamp: return ReadTimestamps(vector, rows, out);
    case ColumnKind::kDecimal: return ReadDecimal(vector, rows, arena, out);
    default: return false;
    }
}

}  // namespace

Status ReadColumn(Vector &vector, size_t total, const uint32_t *row_numbers, size_t count, ColumnKind kind,
                  const std::string &column, std::deque<std::string> &arena, ColumnVector &out) {
    const Rows rows{row_numbers, count};
    out.kind = kind;
    vector.Flatten(total);
    ReadValidity(vector, rows, out);
    const auto id = vector.GetType().id();
    if (kind == ColumnKind::kMap && id == LogicalTypeId::MAP) {
        auto entries = ReadOffsets(vector, rows, out);
        const auto size = duckdb::ListVector::GetListSize(vector);
        out.children.resize(2);
        BF_RETURN_IF_ERROR(ReadColumn(duckdb::MapVector::GetKeys(vector), size, entries.data(), entries.size(),
                                      ColumnKind::kString, column, arena, out.children[0]));
        return ReadColumn(duckdb::MapVector::GetValues(vector), size, entries.data(), entries.size(),
                          ColumnKind::kString, column, arena, out.children[1]);
    }
    if (kind == ColumnKind::kList && id == LogicalTypeId::LIST) {
        auto entries = ReadOffsets(vector, rows, out);
        out.children.resize(1);
        return ReadColumn(duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector), entries.data(),
                          entries.size(), ColumnKind::kString, column, arena, out.children[0]);
    }
    if (!ReadScalars(vector, rows, kind, arena, out)) {
        return Fail(Condition::FAILED_READ_FILE, "Column {} is of type {}, which is not what it has to be there.",
                    column, vector.GetType().ToString());
    }
    return {};
}

LogicalType WrittenType(const ColumnType &type) {
    switch (type.kind) {
    case ColumnKind::kBool: return LogicalType::BOOLEAN;
    case ColumnKind::kInt64: return type.int32 ? LogicalType::INTEGER : LogicalType::BIGINT;
    case ColumnKind::kDouble: return type.float32 ? LogicalType::FLOAT : LogicalType::DOUBLE;
    case ColumnKind::kString: return type.binary ? LogicalType::BLOB : LogicalType::VARCHAR;
    case ColumnKind::kDate: return LogicalType::DATE;
    case ColumnKind::kTimestamp: return type.ntz ? LogicalType::TIMESTAMP : LogicalType::TIMESTAMP_TZ;
    case ColumnKind::kDecimal: return LogicalType::DECIMAL(type.precision, type.scale);
    case ColumnKind::kList: return LogicalType::LIST(WrittenType(type.children.at(0)));
    case ColumnKind::kMap: return LogicalType::MAP(WrittenType(type.children.at(0)), WrittenType(type.children.at(1)));
    case ColumnKind::kStruct: break;
    }
    duckdb::child_list_t<LogicalType> children;
    for (const auto &child : type.children) {
        children.emplace_back(child.name, WrittenType(child));
    }
    return LogicalType::STRUCT(std::move(children));
}

namespace {

template <typename To>
void WriteInts(const ColumnVector &in, size_t from, size_t count, Vector &vector) {
    auto *data = FlatVector::GetData<To>(vector);
    for (size_t i = 0; i < count; ++i) {
        data[i] = To(in.ints[from + i]);
    }
}

template <typename To>
void WriteDoubles(const ColumnVector &in, size_t from, size_t count, Vector &vector) {
    auto *data = FlatVector::GetData<To>(vector);
    for (size_t i = 0; i < count; ++i) {
        data[i] = static_cast<To>(in.doubles[from + i]);
    }
}

template <typename To>
void WriteDecimals(const ColumnVector &in, size_t from, size_t count, const ColumnType &type, Vector &vector) {
    auto *data = FlatVector::GetData<To>(vector);
    for (size_t i = 0; i < count; ++i) {
        if (!in.valid[from + i]) {
            continue;
        }
        auto unscaled = DecimalFromText(in.strings[from + i], type.precision, type.scale);
        if (!unscaled) {
            throw duckdb::InvalidInputException("%s is no decimal(%d,%d) of column %s",
                                                duckdb::string(in.strings[from + i]), int(type.precision),
                                                int(type.scale), type.name);
        }
        if constexpr (std::is_same_v<To, duckdb::hugeint_t>) {
            data[i] = duckdb::hugeint_t(static_cast<int64_t>(*unscaled >> 64), static_cast<uint64_t>(*unscaled));
        } else {
            data[i] = static_cast<To>(*unscaled);
        }
    }
}

void WriteScalars(const ColumnVector &in, size_t from, size_t count, const ColumnType &type, Vector &vector) {
    switch (vector.GetType().id()) {
    case LogicalTypeId::BOOLEAN: return WriteInts<bool>(in, from, count, vector);
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::DATE: return WriteInts<int32_t>(in, from, count, vector);
    case LogicalTypeId::FLOAT: return WriteDoubles<float>(in, from, count, vector);
    case LogicalTypeId::DOUBLE: return WriteDoubles<double>(in, from, count, vector);
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::BLOB: {
        auto *data = FlatVector::GetData<duckdb::string_t>(vector);
        for (size_t i = 0; i < count; ++i) {
            const auto &text = in.strings[from + i];
            data[i] = in.valid[from + i] ? duckdb::StringVector::AddStringOrBlob(vector, text.data(), text.size())
                                         : duckdb::string_t();
        }
        return;
    }
    case LogicalTypeId::DECIMAL:
        switch (vector.GetType().InternalType()) {
        case PhysicalType::INT16: return WriteDecimals<int16_t>(in, from, count, type, vector);
        case PhysicalType::INT32: return WriteDecimals<int32_t>(in, from, count, type, vector);
        case PhysicalType::INT64: return WriteDecimals<int64_t>(in, from, count, type, vector);
        default: return WriteDecimals<duckdb::hugeint_t>(in, from, count, type, vector);
        }
    default:  // BIGINT and timestamps
        return WriteInts<int64_t>(in, from, count, vector);
    }
}

void WriteEntries(const ColumnVector &in, size_t from, size_t count, const ColumnType &type, Vector &vector) {
    const auto first = in.offsets[from];
    const auto entries = in.offsets[from + count] - first;
    duckdb::ListVector::Reserve(vector, entries);
    auto *lists = FlatVector::GetData<duckdb::list_entry_t>(vector);
    for (size_t i = 0; i < count; ++i) {
        lists[i] = {in.offsets[from + i] - first, in.offsets[from + i + 1] - in.offsets[from + i]};
    }
    if (type.kind == ColumnKind::kMap) {
        WriteColumn(in.children.at(0), first, entries, type.children.at(0), duckdb::MapVector::GetKeys(vector));
        WriteColumn(in.children.at(1), first, entries, type.children.at(1), duckdb::MapVector::GetValues(vector));
    } else {
        WriteColumn(in.children.at(0), first, entries, type.children.at(0), duckdb::ListVector::GetEntry(vector));
    }
    duckdb::ListVector::SetListSize(vector, entries);
}

}  // namespace

void WriteColumn(const ColumnVector &in, size_t from, size_t count, const ColumnType &type, Vector &vector) {
    auto &mask = FlatVector::Validity(vector);
    for (size_t i = 0; i < count; ++i) {
        if (!in.valid[from + i]) {
            mask.SetInvalid(i);
        }
    }
    switch (type.kind) {
    case ColumnKind::kStruct: {
        auto &children = duckdb::StructVector::GetEntries(vector);
        for (size_t i = 0; i < type.children.size(); ++i) {
            WriteColumn(in.children.at(i), from, count, type.children[i], *children[i]);
        }
        // A struct that is NULL has only NULLs below it.
        for (size_t row = 0; row < count; ++row) {
            if (!mask.RowIsValid(row)) {
                FlatVector::SetNull(vector, row, true);
            }
        }
        return;
    }
    case ColumnKind::kList:
    case ColumnKind::kMap: return WriteEntries(in, from, count, type, vector);
    default: return WriteScalars(in, from, count, type, vector);
    }
}

}  // namespace birdfoot::duck
