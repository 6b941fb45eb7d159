// Files that Spark wrote with its legacy calendar.
#include "duckdb/scan/legacy_calendar.hpp"

#include "duckdb/common/vector_operations/vector_operations.hpp"
#include "duckdb/execution/expression_executor_state.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"

#include "core/schema/scalar.hpp"
#include "duckdb/translate/errors.hpp"

namespace birdfoot::duck {

using duckdb::FlatVector;
using duckdb::LogicalTypeId;
using duckdb::ParquetColumnSchema;
using duckdb::Vector;

namespace {

constexpr int32_t kFirstGregorianDay = -141427;             // 1582-10-15
constexpr int64_t kZonesAgree = -2208988800ll * 1'000'000;  // 1900-01-01T00:00:00Z
constexpr int64_t kMicrosOfADay = 86'400ll * 1'000'000;

int64_t FloorDivide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

//! What to do with a column and its parts: the same tree.
struct Step {
    enum class Kind : uint8_t { kNothing, kDate, kTimestamp, kNested } kind = Kind::kNothing;
    std::vector<Step> children;

    bool operator==(const Step &) const = default;
};

Step StepOf(const LegacyCalendar &calendar, const ParquetColumnSchema &column) {
    Step step;
    switch (column.type.id()) {
    case LogicalTypeId::DATE: step.kind = calendar.datetime ? Step::Kind::kDate : Step::Kind::kNothing; break;
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_TZ: {
        const bool is_int96 = column.type_info == duckdb::ParquetExtraTypeInfo::IMPALA_TIMESTAMP;
        const bool concerned = is_int96 ? calendar.int96 : calendar.datetime;
        step.kind = concerned ? Step::Kind::kTimestamp : Step::Kind::kNothing;
        break;
    }
    case LogicalTypeId::STRUCT:
    case LogicalTypeId::LIST:
    case LogicalTypeId::MAP:
        for (const auto &child : column.children) {
            step.children.push_back(StepOf(calendar, child));
            if (step.children.back().kind != Step::Kind::kNothing) {
                step.kind = Step::Kind::kNested;
            }
        }
        break;
    default: break;
    }
    return step;
}

struct RebaseData : public duckdb::FunctionData {
    RebaseData(Step step_p, bool utc_p, std::string file_p)
        : step(std::move(step_p)), utc(utc_p), file(std::move(file_p)) {}

    duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<RebaseData>(step, utc, file); }
    bool Equals(const FunctionData &other) const override {
        auto &data = other.Cast<RebaseData>();
        return step == data.step && utc == data.utc && file == data.file;
    }

    const Step step;
    const bool utc;
    const std::string file;
};

void RebaseDates(Vector &vector, size_t count) {
    auto *days = FlatVector::GetData<duckdb::date_t>(vector);
    auto &mask = FlatVector::Validity(vector);
    for (size_t i = 0; i < count; ++i) {
        if (mask.RowIsValid(i)) {
            days[i].days = GregorianDay(days[i].days);
        }
    }
}

void RebaseTimestamps(Vector &vector, size_t count, const RebaseData &data) {
    auto *micros = FlatVector::GetData<int64_t>(vector);
    auto &mask = FlatVector::Validity(vector);
    for (size_t i = 0; i < count; ++i) {
        if (!mask.RowIsValid(i) || micros[i] >= kZonesAgree) {
            continue;
        }
        if (!data.utc) {
            Throw(Fail(
                Condition::BIRDFOOT_UNSUPPORTED,
                "The file {} holds timestamps before 1900 in Spark's legacy calendar, written in a time zone other "
                "than UTC. Let Spark write them anew with spark.sql.parquet.datetimeRebaseModeInWrite and "
                "spark.sql.parquet.int96RebaseModeInWrite = CORRECTED.",
                data.file));
        }
        const auto day = FloorDivide(micros[i], kMicrosOfADay);
        micros[i] += (GregorianDay(static_cast<int32_t>(day)) - day) * kMicrosOfADay;
    }
}

void Apply(const Step &step, Vector &vector, size_t count, const RebaseData &data) {
    switch (step.kind) {
    case Step::Kind::kNothing: return;
    case Step::Kind::kDate: return RebaseDates(vector, count);
    case Step::Kind::kTimestamp: return RebaseTimestamps(vector, count, data);
    case Step::Kind::kNested: break;
    }
    if (vector.GetType().InternalType() == duckdb::PhysicalType::STRUCT) {
        auto &children = duckdb::StructVector::GetEntries(vector);
        for (size_t i = 0; i < children.size() && i < step.children.size(); ++i) {
            Apply(step.children[i], *children[i], count, data);
        }
    } else {
        Apply(step.children[0], duckdb::ListVector::GetEntry(vector), duckdb::ListVector::GetListSize(vector), data);
    }
}

void RebaseFunction(duckdb::DataChunk &arguments, duckdb::ExpressionState &state, Vector &result) {
    auto &data = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<RebaseData>();
    duckdb::VectorOperations::Copy(arguments.data[0], result, arguments.size(), 0, 0);
    result.Flatten(arguments.size());
    Apply(data.step, result, arguments.size(), data);
}

const std::string *Find(const duckdb_parquet::FileMetaData &footer, const char *key) {
    for (const auto &entry : footer.key_value_metadata) {
        if (entry.key == key) {
            return &entry.value;
        }
    }
    return nullptr;
}

}  // namespace

int32_t GregorianDay(int32_t legacy_day) {
    if (legacy_day >= kFirstGregorianDay) {
        return legacy_day;
    }
    // The Julian date of a day number (E. G. Richards' algorithm, years counted from 4801 BC).
    const int64_t shifted = int64_t{legacy_day} + 2440588 + 32082;
    const int64_t d = FloorDivide(4 * shifted + 3, 1461);
    const int64_t e = shifted - FloorDivide(1461 * d, 4);
    const int64_t m = (5 * e + 2) / 153;
    const int64_t day = e - (153 * m + 2) / 5 + 1;
    const int64_t month = m + 3 - 12 * (m / 10);
    const int64_t year = d - 4800 + m / 10;
    // A 29 February that the Gregorian calendar lacks is its 1 March, as in Spark.
    return static_cast<int32_t>(DaysFromCivil(year, static_cast<unsigned>(month), 1) + day - 1);
}

LegacyCalendar LegacyCalendar::Of(const duckdb_parquet::FileMetaData &footer) {
    LegacyCalendar calendar;
    const auto *version = Find(footer, "org.apache.spark.version");
    if (!version) {
        return calendar;
    }
    calendar.datetime = *version < "3.0.0" || Find(footer, "org.apache.spark.legacyDateTime");
    calendar.int96 = *version < "3.1.0" || Find(footer, "org.apache.spark.legacyINT96");
    const auto *zone = Find(footer, "org.apache.spark.timeZone");
    calendar.utc = zone && (*zone == "UTC" || *zone == "Etc/UTC" || *zone == "Z" || *zone == "GMT");
    return calendar;
}

bool LegacyCalendar::Concerns(const ParquetColumnSchema &column) const {
    return (datetime || int96) && StepOf(*this, column).kind != Step::Kind::kNothing;
}

duckdb::unique_ptr<duckdb::Expression> LegacyCalendar::Rebase(duckdb::unique_ptr<duckdb::Expression> value,
                                                              const ParquetColumnSchema &column,
                                                              const std::string &file) const {
    const auto type = value->return_type;
    duckdb::ScalarFunction function("legacy_calendar", {type}, type, RebaseFunction);
    function.SetFallible();
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> arguments;
    arguments.push_back(std::move(value));
    return duckdb::make_uniq<duckdb::BoundFunctionExpression>(
        type, std::move(function), std::move(arguments),
        duckdb::make_uniq<RebaseData>(StepOf(*this, column), utc, file));
}

}  // namespace birdfoot::duck
