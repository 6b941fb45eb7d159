// See spark_functions.hpp. A value at a time, through DuckDB's executors; the rules are in sql/translate/spark_text.
#include "duckdb/translate/spark_functions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "duckdb.hpp"
#include "duckdb/common/exception/conversion_exception.hpp"
#include "duckdb/common/vector_operations/binary_executor.hpp"
#include "duckdb/common/vector_operations/ternary_executor.hpp"
#include "duckdb/common/vector_operations/unary_executor.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/function/scalar_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/planner/expression/bound_function_expression.hpp"
#include "utf8proc_wrapper.hpp"

#include <zlib.h>

#include "core/schema/value_text.hpp"
#include "duckdb/translate/errors.hpp"
#include "sql/translate/spark_text.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::DataChunk;
using duckdb::ExpressionState;
using duckdb::idx_t;
using duckdb::LogicalType;
using duckdb::string_t;
using duckdb::ValidityMask;
using duckdb::Vector;

std::string_view ViewOf(const string_t &text) { return {text.GetData(), text.GetSize()}; }
string_t Store(Vector &result, std::string_view text) {
    return duckdb::StringVector::AddStringOrBlob(result, text.data(), text.size());
}

[[noreturn]] void ThrowMalformed(std::string_view text, const char *type) {
    throw duckdb::ConversionException(
        "[CAST_INVALID_INPUT] The value '%s' of the type \"STRING\" cannot be cast to \"%s\" "
        "because it is malformed. Correct the value, or use try_cast.",
        std::string(text), type);
}

[[noreturn]] void ThrowZero(const char *condition) {
    throw duckdb::InvalidInputException("[%s] Division by zero. Use NULLIF to have NULL then.", condition);
}

[[noreturn]] void ThrowOverflow() {
    throw duckdb::OutOfRangeException(
        "[ARITHMETIC_OVERFLOW] A number does not fit into its type. Cast it to a wider one.");
}

//! A function of one text that reads a value; spark_NAME fails where spark_try_NAME gives NULL.
template <typename T>
void RegisterRead(duckdb::ExtensionLoader &loader, const std::string &name, const char *type_name,
                  LogicalType result_type, std::function<sql::Read<T>(std::string_view)> read) {
    for (const bool try_read : {false, true}) {
        auto run = [read, type_name, try_read](DataChunk &arguments, ExpressionState &, Vector &result) {
            duckdb::UnaryExecutor::ExecuteWithNulls<string_t, T>(arguments.data[0], result, arguments.size(),
                                                                 [&](string_t text, ValidityMask &mask, idx_t row) {
                                                                     auto value = ValueOrThrow(read(ViewOf(text)));
                                                                     if (value) {
                                                                         return *value;
                                                                     }
                                                                     if (!try_read) {
                                                                         ThrowMalformed(ViewOf(text), type_name);
                                                                     }
                                                                     mask.SetInvalid(row);
                                                                     return T();
                                                                 });
        };
        duckdb::ScalarFunction function((try_read ? "spark_try_" : "spark_") + name, {LogicalType::VARCHAR},
                                        result_type, run);
        function.SetFallible();
        loader.RegisterFunction(function);
    }
}

//! A zone in the text counts for nothing.
sql::Read<duckdb::timestamp_t> WallOf(std::string_view text) {
    BF_ASSIGN(const auto stamp, sql::ReadTimestamp(text));
    return stamp ? std::optional(duckdb::timestamp_t(stamp->wall_micros)) : std::nullopt;
}

//! spark_wall is NULL where the text has a zone, spark_instant where it has none.
void RegisterStamps(duckdb::ExtensionLoader &loader) {
    for (const bool instant : {false, true}) {
        for (const bool try_read : {false, true}) {
            auto run = [instant, try_read](DataChunk &arguments, ExpressionState &, Vector &result) {
                duckdb::UnaryExecutor::ExecuteWithNulls<string_t, int64_t>(
                    arguments.data[0], result, arguments.size(), [&](string_t text, ValidityMask &mask, idx_t row) {
                        const auto stamp = ValueOrThrow(sql::ReadTimestamp(ViewOf(text)));
                        if (!stamp && !try_read) {
                            ThrowMalformed(ViewOf(text), "TIMESTAMP");
                        }
                        if (!stamp || stamp->offset_micros.has_value() != instant) {
                            mask.SetInvalid(row);
                            return int64_t(0);
                        }
                        return stamp->wall_micros - stamp->offset_micros.value_or(0);
                    });
            };
            const std::string name = std::string(try_read ? "spark_try_" : "spark_") + (instant ? "instant" : "wall");
            duckdb::ScalarFunction function(name, {LogicalType::VARCHAR},
                                            instant ? LogicalType::TIMESTAMP_TZ : LogicalType::TIMESTAMP, run);
            function.SetFallible();
            loader.RegisterFunction(function);
        }
    }
}

void RegisterReads(duckdb::ExtensionLoader &loader) {
    RegisterRead<bool>(loader, "boolean", "BOOLEAN", LogicalType::BOOLEAN, sql::ReadBoolean);
    RegisterRead<int64_t>(loader, "long", "BIGINT", LogicalType::BIGINT, sql::ReadLong);
    RegisterRead<double>(loader, "double", "DOUBLE", LogicalType::DOUBLE,
                         [](std::string_view text) { return sql::ReadReal(text, false); });
    RegisterRead<float>(loader, "float", "FLOAT", LogicalType::FLOAT, [](std::string_view text) -> sql::Read<float> {
        BF_ASSIGN(const auto value, sql::ReadReal(text, true));
        return value ? std::optional(static_cast<float>(*value)) : std::nullopt;
    });
    RegisterRead<duckdb::date_t>(loader, "date", "DATE", LogicalType::DATE,
                                 [](std::string_view text) -> sql::Read<duckdb::date_t> {
                                     BF_ASSIGN(const auto days, sql::ReadDate(text));
                                     return days ? std::optional(duckdb::date_t(*days)) : std::nullopt;
                                 });
    RegisterRead<duckdb::timestamp_t>(loader, "timestamp_ntz", "TIMESTAMP_NTZ", LogicalType::TIMESTAMP, WallOf);
    RegisterStamps(loader);
    for (const bool try_read : {false, true}) {
        auto run = [try_read](DataChunk &arguments, ExpressionState &, Vector &result) {
            duckdb::BinaryExecutor::ExecuteWithNulls<string_t, int32_t, string_t>(
                arguments.data[0], arguments.data[1], result, arguments.size(),
                [&](string_t text, int32_t scale, ValidityMask &mask, idx_t row) {
                    const auto number = ValueOrThrow(sql::ReadDecimal(ViewOf(text), scale));
                    if (number) {
                        return Store(result, *number);
                    }
                    if (!try_read) {
                        ThrowMalformed(ViewOf(text), "DECIMAL");
                    }
                    mask.SetInvalid(row);
                    return string_t();
                });
        };
        duckdb::ScalarFunction function(try_read ? "spark_try_decimal" : "spark_decimal",
                                        {LogicalType::VARCHAR, LogicalType::INTEGER}, LogicalType::VARCHAR, run);
        function.SetFallible();
        loader.RegisterFunction(function);
    }
    auto parse = [](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::BinaryExecutor::Execute<string_t, string_t, duckdb::timestamp_t>(
            arguments.data[0], arguments.data[1], result, arguments.size(), [&](string_t text, string_t pattern) {
                const auto micros = ValueOrThrow(sql::ReadByPattern(ViewOf(text), ViewOf(pattern)));
                if (!micros) {
                    throw duckdb::ConversionException(
                        "[CANNOT_PARSE_TIMESTAMP] Text '%s' could not be parsed by the pattern "
                        "'%s'.",
                        text.GetString(), pattern.GetString());
                }
                return duckdb::timestamp_t(*micros);
            });
    };
    duckdb::ScalarFunction function("spark_parse_time", {LogicalType::VARCHAR, LogicalType::VARCHAR},
                                    LogicalType::TIMESTAMP, parse);
    function.SetFallible();
    loader.RegisterFunction(function);
}

// ---- numbers ----

template <typename A, typename B, typename R, typename F>
void RegisterBinary(duckdb::ScalarFunctionSet &set, const LogicalType &a, const LogicalType &b, const LogicalType &r,
                    F body) {
    auto run = [body](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::BinaryExecutor::Execute<A, B, R>(arguments.data[0], arguments.data[1], result, arguments.size(), body);
    };
    duckdb::ScalarFunction function({a, b}, r, run);
    function.SetFallible();
    set.AddFunction(function);
}

template <typename T>
T Remainder(T a, T b) {
    if (b == 0) {
        ThrowZero("REMAINDER_BY_ZERO");
    }
    if constexpr (std::is_floating_point_v<T>) {
        return std::fmod(a, b);
    } else {
        return b == T(-1) ? T(0) : static_cast<T>(a % b);
    }
}

//! Never negative for a positive divisor.
template <typename T>
T PositiveRemainder(T a, T b) {
    const T rest = Remainder(a, b);
    return rest < 0 ? Remainder(static_cast<T>(rest + b), b) : rest;
}

template <typename T>
void RegisterRemainders(duckdb::ScalarFunctionSet &remainder, duckdb::ScalarFunctionSet &pmod,
                        const LogicalType &type) {
    RegisterBinary<T, T, T>(remainder, type, type, type, [](T a, T b) { return Remainder(a, b); });
    RegisterBinary<T, T, T>(pmod, type, type, type, [](T a, T b) { return PositiveRemainder(a, b); });
}

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

Int128 ToInt128(duckdb::hugeint_t value) {
    return (static_cast<Int128>(value.upper) << 64) | static_cast<Int128>(static_cast<unsigned __int128>(value.lower));
}
duckdb::hugeint_t ToHugeint(Int128 value) {
    return duckdb::hugeint_t(static_cast<int64_t>(value >> 64), static_cast<uint64_t>(value));
}

//! The scales of spark_divide(a, b, scale).
struct DivideScales : duckdb::FunctionData {
    DivideScales(int shift_p, uint8_t scale_p) : shift(shift_p), scale(scale_p) {}
    int shift;  // by how many digits the dividend moves
    uint8_t scale;
    duckdb::unique_ptr<FunctionData> Copy() const override { return duckdb::make_uniq<DivideScales>(shift, scale); }
    bool Equals(const FunctionData &other) const override {
        return shift == other.Cast<DivideScales>().shift && scale == other.Cast<DivideScales>().scale;
    }
};

LogicalType AsWideDecimal(const LogicalType &type) {
    return LogicalType::DECIMAL(38,
                                type.id() == duckdb::LogicalTypeId::DECIMAL ? duckdb::DecimalType::GetScale(type) : 0);
}

//! Decimals of any precision come as those of 38 digits and the same scale.
duckdb::unique_ptr<duckdb::FunctionData> BindDecimals(
    duckdb::ClientContext &, duckdb::ScalarFunction &function,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> &arguments) {
    for (size_t i = 0; i < arguments.size(); i++) {
        function.arguments[i] = AsWideDecimal(arguments[i]->return_type);
    }
    if (function.GetReturnType().id() == duckdb::LogicalTypeId::DECIMAL) {
        function.SetReturnType(function.arguments[0]);
    }
    return nullptr;
}

duckdb::unique_ptr<duckdb::FunctionData> BindDivide(duckdb::ClientContext &context, duckdb::ScalarFunction &function,
                                                    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> &arguments) {
    const auto scale = duckdb::ExpressionExecutor::EvaluateScalar(context, *arguments[2]).GetValue<uint8_t>();
    for (size_t i = 0; i < 2; i++) {
        function.arguments[i] = AsWideDecimal(arguments[i]->return_type);
    }
    function.SetReturnType(LogicalType::DECIMAL(38, scale));
    const int shift = scale - duckdb::DecimalType::GetScale(function.arguments[0]) +
                      duckdb::DecimalType::GetScale(function.arguments[1]);
    return duckdb::make_uniq<DivideScales>(shift, scale);
}

//! Half up, as BigDecimal divides.
Int128 DivideDecimal(Int128 a, Int128 b, int shift) {
    if (b == 0) {
        ThrowZero("DIVIDE_BY_ZERO");
    }
    Int128 dividend = 0;
    if (__builtin_mul_overflow(a, PowerOfTen(static_cast<unsigned>(shift)), &dividend)) {
        throw duckdb::OutOfRangeException(
            "[NUMERIC_VALUE_OUT_OF_RANGE] A quotient of decimals needs more digits than are "
            "computed here. Cast one of the operands to DOUBLE, or to a decimal of fewer "
            "digits.");
    }
    const Int128 quotient = dividend / b;
    const Int128 rest = dividend % b;
    const auto magnitude = [](Int128 value) { return value < 0 ? -value : value; };
    const bool up = magnitude(rest) >= magnitude(b) - magnitude(rest);
    return quotient + (up ? ((dividend < 0) == (b < 0) ? 1 : -1) : 0);
}

void RegisterDivisions(duckdb::ExtensionLoader &loader) {
    duckdb::ScalarFunctionSet divide("spark_divide");
    RegisterBinary<double, double, double>(divide, LogicalType::DOUBLE, LogicalType::DOUBLE, LogicalType::DOUBLE,
                                           [](double a, double b) {
                                               if (b == 0) {
                                                   ThrowZero("DIVIDE_BY_ZERO");
                                               }
                                               return a / b;
                                           });
    auto decimals = [](DataChunk &arguments, ExpressionState &state, Vector &result) {
        const int shift = state.expr.Cast<duckdb::BoundFunctionExpression>().bind_info->Cast<DivideScales>().shift;
        duckdb::BinaryExecutor::Execute<duckdb::hugeint_t, duckdb::hugeint_t, duckdb::hugeint_t>(
            arguments.data[0], arguments.data[1], result, arguments.size(),
            [&](duckdb::hugeint_t a, duckdb::hugeint_t b) {
                return ToHugeint(DivideDecimal(ToInt128(a), ToInt128(b), shift));
            });
    };
    duckdb::ScalarFunction of_decimals(
        {duckdb::LogicalTypeId::DECIMAL, duckdb::LogicalTypeId::DECIMAL, LogicalType::INTEGER},
        duckdb::LogicalTypeId::DECIMAL, decimals, BindDivide);
    of_decimals.SetFallible();
    divide.AddFunction(of_decimals);
    loader.RegisterFunction(divide);

    duckdb::ScalarFunctionSet div("spark_div");
    RegisterBinary<int64_t, int64_t, int64_t>(div, LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT,
                                              [](int64_t a, int64_t b) {
                                                  if (b == 0) {
                                                      ThrowZero("DIVIDE_BY_ZERO");
                                                  }
                                                  if (a == INT64_MIN && b == -1) {
                                                      ThrowOverflow();
                                                  }
                                                  return a / b;
                                              });
    loader.RegisterFunction(div);
    duckdb::ScalarFunctionSet floor_div("spark_floor_div");
    RegisterBinary<int64_t, int64_t, int64_t>(floor_div, LogicalType::BIGINT, LogicalType::BIGINT, LogicalType::BIGINT,
                                              FloorDiv);
    loader.RegisterFunction(floor_div);

    duckdb::ScalarFunctionSet remainder("spark_remainder"), pmod("spark_pmod");
    RegisterRemainders<int8_t>(remainder, pmod, LogicalType::TINYINT);
    RegisterRemainders<int16_t>(remainder, pmod, LogicalType::SMALLINT);
    RegisterRemainders<int32_t>(remainder, pmod, LogicalType::INTEGER);
    RegisterRemainders<int64_t>(remainder, pmod, LogicalType::BIGINT);
    RegisterRemainders<float>(remainder, pmod, LogicalType::FLOAT);
    RegisterRemainders<double>(remainder, pmod, LogicalType::DOUBLE);
    auto decimal_rest = [](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::BinaryExecutor::Execute<duckdb::hugeint_t, duckdb::hugeint_t, duckdb::hugeint_t>(
            arguments.data[0], arguments.data[1], result, arguments.size(),
            [&](duckdb::hugeint_t a, duckdb::hugeint_t b) { return ToHugeint(Remainder(ToInt128(a), ToInt128(b))); });
    };
    duckdb::ScalarFunction rest_of_decimals({duckdb::LogicalTypeId::DECIMAL, duckdb::LogicalTypeId::DECIMAL},
                                            duckdb::LogicalTypeId::DECIMAL, decimal_rest, BindDecimals);
    rest_of_decimals.SetFallible();
    remainder.AddFunction(rest_of_decimals);
    loader.RegisterFunction(remainder);
    loader.RegisterFunction(pmod);

    auto unscaled = [](DataChunk &arguments, ExpressionState &, Vector &result) {
        result.Reinterpret(arguments.data[0]);
    };
    loader.RegisterFunction(duckdb::ScalarFunction("spark_unscaled", {duckdb::LogicalTypeId::DECIMAL},
                                                   LogicalType::HUGEINT, unscaled, BindDecimals));
}

template <typename T>
void RegisterShifts(duckdb::ScalarFunctionSet &left, duckdb::ScalarFunctionSet &right,
                    duckdb::ScalarFunctionSet &unsigned_right, const LogicalType &type) {
    using Bits = std::make_unsigned_t<T>;
    constexpr int32_t kMask = sizeof(T) * 8 - 1;
    RegisterBinary<T, int32_t, T>(left, type, LogicalType::INTEGER, type, [](T value, int32_t count) {
        return static_cast<T>(static_cast<Bits>(value) << (count & kMask));
    });
    RegisterBinary<T, int32_t, T>(right, type, LogicalType::INTEGER, type,
                                  [](T value, int32_t count) { return static_cast<T>(value >> (count & kMask)); });
    RegisterBinary<T, int32_t, T>(unsigned_right, type, LogicalType::INTEGER, type, [](T value, int32_t count) {
        return static_cast<T>(static_cast<Bits>(value) >> (count & kMask));
    });
}

//! (long) value, as Java has it: NaN is 0, what is too large the nearest.
int64_t Saturate(double value) {
    if (std::isnan(value)) {
        return 0;
    }
    return value >= 9223372036854775808.0   ? INT64_MAX
           : value < -9223372036854775808.0 ? INT64_MIN
                                            : static_cast<int64_t>(value);
}

template <typename A, typename R, typename F>
void RegisterUnary(duckdb::ExtensionLoader &loader, const char *name, const LogicalType &a, const LogicalType &r,
                   F body) {
    auto run = [body](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::UnaryExecutor::Execute<A, R>(arguments.data[0], result, arguments.size(), body);
    };
    loader.RegisterFunction(duckdb::ScalarFunction(name, {a}, r, run));
}

void RegisterNumbers(duckdb::ExtensionLoader &loader) {
    duckdb::ScalarFunctionSet left("spark_shift_left"), right("spark_shift_right"),
        unsigned_right("spark_shift_right_unsigned");
    RegisterShifts<int32_t>(left, right, unsigned_right, LogicalType::INTEGER);
    RegisterShifts<int64_t>(left, right, unsigned_right, LogicalType::BIGINT);
    loader.RegisterFunction(left);
    loader.RegisterFunction(right);
    loader.RegisterFunction(unsigned_right);
    RegisterUnary<double, int64_t>(loader, "spark_saturate", LogicalType::DOUBLE, LogicalType::BIGINT, Saturate);
    RegisterUnary<double, float>(loader, "spark_to_float", LogicalType::DOUBLE, LogicalType::FLOAT,
                                 [](double value) { return static_cast<float>(value); });
    for (const bool half_even : {false, true}) {
        duckdb::ScalarFunctionSet round(half_even ? "spark_bround" : "spark_round");
        RegisterBinary<double, int64_t, double>(
            round, LogicalType::DOUBLE, LogicalType::BIGINT, LogicalType::DOUBLE,
            [half_even](double value, int64_t places) { return sql::RoundReal(value, places, half_even); });
        loader.RegisterFunction(round);
    }
}

// ---- text ----

template <typename T>
void RegisterText(duckdb::ScalarFunctionSet &set, const LogicalType &type, std::function<std::string(T)> print) {
    set.AddFunction(duckdb::ScalarFunction(
        {type}, LogicalType::VARCHAR, [print](DataChunk &arguments, ExpressionState &, Vector &result) {
            duckdb::UnaryExecutor::Execute<T, string_t>(arguments.data[0], result, arguments.size(),
                                                        [&](T value) { return Store(result, print(value)); });
        }));
}

void RegisterTexts(duckdb::ExtensionLoader &loader) {
    duckdb::ScalarFunctionSet text("spark_text");
    RegisterText<float>(text, LogicalType::FLOAT, [](float value) { return RealToText(value, true); });
    RegisterText<double>(text, LogicalType::DOUBLE, [](double value) { return RealToText(value, false); });
    RegisterText<duckdb::date_t>(text, LogicalType::DATE, [](duckdb::date_t value) { return DateToText(value.days); });
    RegisterText<duckdb::timestamp_t>(text, LogicalType::TIMESTAMP, [](duckdb::timestamp_t value) {
        return TimestampToText(value.value, TimestampStyle::kSpaced);
    });
    loader.RegisterFunction(text);

    duckdb::ScalarFunctionSet substring("spark_substring");
    for (const auto &type : {LogicalType::VARCHAR, LogicalType::BLOB}) {
        const bool bytes = type == LogicalType::BLOB;
        substring.AddFunction(
            duckdb::ScalarFunction({type, LogicalType::INTEGER, LogicalType::INTEGER}, type,
                                   [bytes](DataChunk &arguments, ExpressionState &, Vector &result) {
                                       duckdb::TernaryExecutor::Execute<string_t, int32_t, int32_t, string_t>(
                                           arguments.data[0], arguments.data[1], arguments.data[2], result,
                                           arguments.size(), [&](string_t value, int32_t start, int32_t length) {
                                               const auto view = ViewOf(value);
                                               return Store(result, bytes ? sql::SubstringOfBytes(view, start, length)
                                                                          : sql::Substring(view, start, length));
                                           });
                                   }));
    }
    loader.RegisterFunction(substring);
    loader.RegisterFunction(duckdb::ScalarFunction(
        "spark_right", {LogicalType::VARCHAR, LogicalType::INTEGER}, LogicalType::VARCHAR,
        [](DataChunk &arguments, ExpressionState &, Vector &result) {
            duckdb::BinaryExecutor::Execute<string_t, int32_t, string_t>(
                arguments.data[0], arguments.data[1], result, arguments.size(),
                [&](string_t value, int32_t length) { return Store(result, sql::Right(ViewOf(value), length)); });
        }));
    for (const bool left : {true, false}) {
        loader.RegisterFunction(duckdb::ScalarFunction(
            left ? "spark_lpad" : "spark_rpad", {LogicalType::VARCHAR, LogicalType::INTEGER, LogicalType::VARCHAR},
            LogicalType::VARCHAR, [left](DataChunk &arguments, ExpressionState &, Vector &result) {
                duckdb::TernaryExecutor::Execute<string_t, int32_t, string_t, string_t>(
                    arguments.data[0], arguments.data[1], arguments.data[2], result, arguments.size(),
                    [&](string_t value, int32_t length, string_t pad) {
                        return Store(result, sql::Pad(ViewOf(value), length, ViewOf(pad), left));
                    });
            }));
    }
    loader.RegisterFunction(
        duckdb::ScalarFunction("spark_locate", {LogicalType::VARCHAR, LogicalType::VARCHAR, LogicalType::INTEGER},
                               LogicalType::INTEGER, [](DataChunk &arguments, ExpressionState &, Vector &result) {
                                   duckdb::TernaryExecutor::Execute<string_t, string_t, int32_t, int32_t>(
                                       arguments.data[0], arguments.data[1], arguments.data[2], result,
                                       arguments.size(), [&](string_t part, string_t text, int32_t start) {
                                           return sql::Locate(ViewOf(part), ViewOf(text), start);
                                       });
                               }));
    auto reverse = [](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::UnaryExecutor::Execute<string_t, string_t>(
            arguments.data[0], result, arguments.size(),
            [&](string_t value) { return Store(result, sql::Reverse(ViewOf(value))); });
    };
    loader.RegisterFunction(
        duckdb::ScalarFunction("spark_reverse", {LogicalType::VARCHAR}, LogicalType::VARCHAR, reverse));
    RegisterUnary<string_t, int64_t>(loader, "spark_crc32", LogicalType::BLOB, LogicalType::BIGINT, [](string_t value) {
        return static_cast<int64_t>(::crc32(0, reinterpret_cast<const Bytef *>(value.GetData()), value.GetSize()));
    });
}

// ---- case ----

struct CodePoints {
    int first;
    int last;
};
// Where Spark's mapping (ICU's full one) is not the simple one that DuckDB has: special cases, and letters that the
// latter's older Unicode does not know.
constexpr CodePoints kUnlikeUpper[] = {
    {0x149, 0x149},   {0x19b, 0x19b},   {0x1f0, 0x1f0},   {0x264, 0x264},   {0x390, 0x390},     {0x3b0, 0x3b0},
    {0x587, 0x587},   {0x1c8a, 0x1c8a}, {0x1e96, 0x1e9a}, {0x1f50, 0x1f50}, {0x1f52, 0x1f52},   {0x1f54, 0x1f54},
    {0x1f56, 0x1f56}, {0x1f80, 0x1faf}, {0x1fb2, 0x1fb4}, {0x1fb6, 0x1fb7}, {0x1fbc, 0x1fbc},   {0x1fc2, 0x1fc4},
    {0x1fc6, 0x1fc7}, {0x1fcc, 0x1fcc}, {0x1fd2, 0x1fd3}, {0x1fd6, 0x1fd7}, {0x1fe2, 0x1fe4},   {0x1fe6, 0x1fe7},
    {0x1ff2, 0x1ff4}, {0x1ff6, 0x1ff7}, {0x1ffc, 0x1ffc}, {0xa7cd, 0xa7cd}, {0xa7cf, 0xa7cf},   {0xa7d3, 0xa7d3},
    {0xa7d5, 0xa7d5}, {0xa7db, 0xa7db}, {0xfb00, 0xfb06}, {0xfb13, 0xfb17}, {0x10d70, 0x10d85}, {0x16ebb, 0x16ed3}};
constexpr CodePoints kUnlikeLower[] = {{0x130, 0x130},   {0x3a3, 0x3a3},     {0x1c89, 0x1c89},  {0xa7cb, 0xa7cc},
                                       {0xa7ce, 0xa7ce}, {0xa7d2, 0xa7d2},   {0xa7d4, 0xa7d4},  {0xa7da, 0xa7da},
                                       {0xa7dc, 0xa7dc}, {0x10d50, 0x10d65}, {0x16ea0, 0x16eb8}};

//! The text in capitals or small letters; fails on letters whose mapping differs.
std::string ChangeCase(std::string_view text, bool upper) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            const bool changes = upper ? byte >= 'a' && byte <= 'z' : byte >= 'A' && byte <= 'Z';
            out += static_cast<char>(changes ? byte ^ 0x20 : byte);
            i++;
            continue;
        }
        int size = 0;
        const int code = duckdb::Utf8Proc::UTF8ToCodepoint(text.data() + i, size);
        const auto letter = text.substr(i, static_cast<size_t>(size));
        i += static_cast<size_t>(size);
        if (upper && code == 0xdf) {  // ß
            out += "SS";
            continue;
        }
        const auto within = [code](const CodePoints &range) { return code >= range.first && code <= range.last; };
        if (upper ? std::any_of(std::begin(kUnlikeUpper), std::end(kUnlikeUpper), within)
                  : std::any_of(std::begin(kUnlikeLower), std::end(kUnlikeLower), within)) {
            Throw(Fail(
                Condition::DELTA_UNSUPPORTED_EXPRESSION,
                "{} of the letter '{}' is not known to be what it is in Spark. Write the expression without it, or run "
                "the statement in Spark.",
                upper ? "UPPER" : "LOWER", letter));
        }
        char bytes[4];
        const int mapped = upper ? duckdb::Utf8Proc::CodepointToUpper(code) : duckdb::Utf8Proc::CodepointToLower(code);
        duckdb::Utf8Proc::CodepointToUtf8(mapped, size, bytes);
        out.append(bytes, static_cast<size_t>(size));
    }
    return out;
}

void RegisterCase(duckdb::ExtensionLoader &loader) {
    for (const bool upper : {true, false}) {
        auto run = [upper](DataChunk &arguments, ExpressionState &, Vector &result) {
            duckdb::UnaryExecutor::Execute<string_t, string_t>(
                arguments.data[0], result, arguments.size(),
                [&](string_t value) { return Store(result, ChangeCase(ViewOf(value), upper)); });
        };
        duckdb::ScalarFunction function(upper ? "spark_upper" : "spark_lower", {LogicalType::VARCHAR},
                                        LogicalType::VARCHAR, run);
        function.SetFallible();
        loader.RegisterFunction(function);
    }
}

// ---- hashes ----

//! hash(value, seed): the seed where the value is NULL.
template <typename T, typename H>
void RegisterHash(duckdb::ScalarFunctionSet &set, const LogicalType &type, const LogicalType &hash_type,
                  std::function<H(T, H)> hash) {
    auto run = [hash](DataChunk &arguments, ExpressionState &, Vector &result) {
        duckdb::UnifiedVectorFormat values, seeds;
        const auto count = arguments.size();
        arguments.data[0].ToUnifiedFormat(count, values);
        arguments.data[1].ToUnifiedFormat(count, seeds);
        result.SetVectorType(duckdb::VectorType::FLAT_VECTOR);
        auto *out = duckdb::FlatVector::GetData<H>(result);
        for (idx_t i = 0; i < count; i++) {
            const auto seed = duckdb::UnifiedVectorFormat::GetData<H>(seeds)[seeds.sel->get_index(i)];
            const auto index = values.sel->get_index(i);
            out[i] = values.validity.RowIsValid(index)
                         ? hash(duckdb::UnifiedVectorFormat::GetData<T>(values)[index], seed)
                         : seed;
        }
        if (arguments.AllConstant()) {
            result.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
        }
    };
    duckdb::ScalarFunction function({type, hash_type}, hash_type, run);
    function.SetNullHandling(duckdb::FunctionNullHandling::SPECIAL_HANDLING);
    set.AddFunction(function);
}

int32_t BitsOf(float value) {
    value = value == 0 ? 0 : std::isnan(value) ? std::nanf("") : value;
    int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}
int64_t BitsOf(double value) {
    value = value == 0 ? 0 : std::isnan(value) ? std::nan("") : value;
    int64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

template <typename H>
void RegisterHashes(duckdb::ExtensionLoader &loader, const char *name, const LogicalType &hash, H (*of_int)(int32_t, H),
                    H (*of_long)(int64_t, H), H (*of_bytes)(std::string_view, H)) {
    duckdb::ScalarFunctionSet set(name);
    RegisterHash<bool, H>(set, LogicalType::BOOLEAN, hash, [=](bool v, H seed) { return of_int(v ? 1 : 0, seed); });
    RegisterHash<int8_t, H>(set, LogicalType::TINYINT, hash, [=](int8_t v, H seed) { return of_int(v, seed); });
    RegisterHash<int16_t, H>(set, LogicalType::SMALLINT, hash, [=](int16_t v, H seed) { return of_int(v, seed); });
    RegisterHash<int32_t, H>(set, LogicalType::INTEGER, hash, [=](int32_t v, H seed) { return of_int(v, seed); });
    RegisterHash<int64_t, H>(set, LogicalType::BIGINT, hash, [=](int64_t v, H seed) { return of_long(v, seed); });
    RegisterHash<int32_t, H>(set, LogicalType::DATE, hash, [=](int32_t v, H seed) { return of_int(v, seed); });
    RegisterHash<int64_t, H>(set, LogicalType::TIMESTAMP, hash, [=](int64_t v, H seed) { return of_long(v, seed); });
    RegisterHash<int64_t, H>(set, LogicalType::TIMESTAMP_TZ, hash, [=](int64_t v, H seed) { return of_long(v, seed); });
    RegisterHash<float, H>(set, LogicalType::FLOAT, hash, [=](float v, H seed) { return of_int(BitsOf(v), seed); });
    RegisterHash<double, H>(set, LogicalType::DOUBLE, hash, [=](double v, H seed) { return of_long(BitsOf(v), seed); });
    RegisterHash<string_t, H>(set, LogicalType::VARCHAR, hash,
                              [=](string_t v, H seed) { return of_bytes(ViewOf(v), seed); });
    RegisterHash<string_t, H>(set, LogicalType::BLOB, hash,
                              [=](string_t v, H seed) { return of_bytes(ViewOf(v), seed); });
    loader.RegisterFunction(set);
}

}  // namespace

void RegisterSparkFunctions(duckdb::ExtensionLoader &loader) {
    RegisterReads(loader);
    RegisterDivisions(loader);
    RegisterNumbers(loader);
    RegisterTexts(loader);
    RegisterCase(loader);
    RegisterHashes<int32_t>(loader, "spark_hash", LogicalType::INTEGER, sql::Murmur3OfInt, sql::Murmur3OfLong,
                            sql::Murmur3OfBytes);
    RegisterHashes<int64_t>(loader, "spark_xxhash64", LogicalType::BIGINT, sql::XxHash64OfInt, sql::XxHash64OfLong,
                            sql::XxHash64OfBytes);
}

}  // namespace birdfoot::duck
