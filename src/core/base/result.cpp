// The table of conditions, once, from error_conditions.def.
#include "core/base/result.hpp"

#include <array>

namespace birdfoot {
namespace {

struct ConditionRecord {
    std::string_view name;
    ErrorKind kind;
    std::string_view sqlstate;
};

constexpr std::array kConditions = {
#define BF_CONDITION(name, kind, sqlstate) ConditionRecord{#name, ErrorKind::kind, sqlstate},
#include "core/base/error_conditions.def"
#undef BF_CONDITION
};

}  // namespace

std::string_view ConditionName(Condition condition) { return kConditions[static_cast<size_t>(condition)].name; }
ErrorKind ConditionKind(Condition condition) { return kConditions[static_cast<size_t>(condition)].kind; }
std::string_view ConditionSqlState(Condition condition) { return kConditions[static_cast<size_t>(condition)].sqlstate; }

}  // namespace birdfoot
