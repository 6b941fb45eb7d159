#include "duckdb/write/decimal_of_real.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "duckdb/common/operator/cast_operators.hpp"
#include "duckdb/common/types/decimal.hpp"
#include "duckdb/common/types/hugeint.hpp"
#include "duckdb/common/vector_operations/unary_executor.hpp"
#include "duckdb/function/cast/cast_function_set.hpp"
#include "duckdb/main/config.hpp"

#include "duckdb/write/type_leaves.hpp"

namespace birdfoot::duck {

namespace {

using duckdb::hugeint_t;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

bool IsReal(const LogicalType &type) { return type.id() == LogicalTypeId::FLOAT || type.id() == LogicalTypeId::DOUBLE; }

//! Without the point; none if it has more than `width` digits, or is no number.
std::optional<hugeint_t> DecimalOf(double value, int width, int scale) {
    if (!std::isfinite(value)) {
        return std::nullopt;
    }
    std::array<char, 32> text;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), std::fabs(value), std::chars_format::scientific).ptr;
    int64_t digits = 0;  // at most 17
    int exponent = scale;
    const char *at = text.data();
    for (bool behind_point = false; *at != 'e'; at++) {
        if (*at == '.') {
            behind_point = true;
            continue;
        }
        digits = digits * 10 + (*at - '0');
        exponent -= behind_point ? 1 : 0;
    }
    int power = 0;
    at += at[1] == '+' ? 2 : 1;  // from_chars takes no plus
    std::from_chars(at, end, power);
    exponent += power;

    hugeint_t number(digits);
    if (exponent < -18) {
        number = 0;  // 17 digits are less than a half then
    } else if (exponent < 0) {
        const auto unit = duckdb::Hugeint::Cast<int64_t>(duckdb::Hugeint::POWERS_OF_TEN[-exponent]);
        number = digits / unit + (digits % unit >= unit - digits % unit ? 1 : 0);
    } else if (digits != 0) {
        const auto magnitude = static_cast<int>(std::to_string(digits).size()) + exponent;
        if (magnitude > width) {
            return std::nullopt;
        }
        number *= duckdb::Hugeint::POWERS_OF_TEN[exponent];
    }
    if (number >= duckdb::Hugeint::POWERS_OF_TEN[width]) {
        return std::nullopt;
    }
    return std::signbit(value) ? -number : number;
}

template <class Real, class Number>
bool Cast(duckdb::Vector &source, duckdb::Vector &result, duckdb::idx_t count, duckdb::CastParameters &parameters) {
    const auto width = duckdb::DecimalType::GetWidth(result.GetType());
    const auto scale = duckdb::DecimalType::GetScale(result.GetType());
    bool all = true;
    duckdb::UnaryExecutor::ExecuteWithNulls<Real, Number>(
        source, result, count, [&](Real value, duckdb::ValidityMask &validity, duckdb::idx_t row) {
            const auto number = DecimalOf(value, width, scale);
            if (number) {
                return duckdb::Hugeint::Cast<Number>(*number);
            }
            duckdb::HandleCastError::AssignError(
                duckdb::StringUtil::Format("Could not cast value %s to %s",
                                           duckdb::Value::CreateValue(value).ToString(), result.GetType().ToString()),
                parameters);
            validity.SetInvalid(row);
            all = false;
            return Number();
        });
    return all;
}

template <class Real>
duckdb::BoundCastInfo CastOf(const LogicalType &decimal) {
    switch (decimal.InternalType()) {
    case duckdb::PhysicalType::INT16: return Cast<Real, int16_t>;
    case duckdb::PhysicalType::INT32: return Cast<Real, int32_t>;
    case duckdb::PhysicalType::INT64: return Cast<Real, int64_t>;
    default: return Cast<Real, hugeint_t>;
    }
}

}  // namespace

bool MakesDecimalsOfReals(const LogicalType &from, const LogicalType &to) {
    bool makes = false;
    ForEachLeaf(from, to, [&](const LogicalType &leaf, const LogicalType &target) {
        makes = makes || (IsReal(leaf) && target.id() == LogicalTypeId::DECIMAL);
    });
    return makes;
}

duckdb::BoundCastInfo CastWithDecimalsOfReals(duckdb::ClientContext &context, const LogicalType &from,
                                              const LogicalType &to) {
    auto &config = duckdb::DBConfig::GetConfig(context);
    duckdb::GetCastFunctionInput input(context);
    duckdb::CastFunctionSet casts(config);
    ForEachLeaf(from, to, [&](const LogicalType &leaf, const LogicalType &target) {
        if (IsReal(leaf) && target.id() == LogicalTypeId::DECIMAL) {
            const bool single = leaf.id() == LogicalTypeId::FLOAT;
            casts.RegisterCastFunction(leaf, target, single ? CastOf<float>(target) : CastOf<double>(target));
        } else if (leaf != target) {  // extensions have brought casts of their own
            casts.RegisterCastFunction(leaf, target, config.GetCastFunctions().GetCastFunction(leaf, target, input));
        }
    });
    return casts.GetCastFunction(from, to, input);
}

}  // namespace birdfoot::duck
