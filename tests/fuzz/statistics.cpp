// Bytes as a file's statistics: whatever they are, asking for bounds of every type is safe, and a minimum and a maximum
// of one column never make a file both certainly true and certainly false.
#include <cstdlib>

#include "core/scan/statistics.hpp"

using namespace birdfoot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const auto statistics = FileStatistics::Parse(std::string(reinterpret_cast<const char *>(data), size));
    const FactsOf facts = [&](auto &column, auto &type) { return statistics.Facts(column, type); };
    const DataType types[] = {
        DataType(TypeKind::kBoolean), DataType(TypeKind::kByte),      DataType(TypeKind::kLong),
        DataType(TypeKind::kFloat),   DataType(TypeKind::kDouble),    DataType::Decimal(38, 18),
        DataType::Decimal(5, 0),      DataType(TypeKind::kString),    DataType(TypeKind::kBinary),
        DataType(TypeKind::kDate),    DataType(TypeKind::kTimestamp), DataType(TypeKind::kTimestampNtz),
        DataType(TypeKind::kVariant)};
    for (const std::vector<std::string> &column : {std::vector<std::string>{"a"}, {"a", "b"}, {"s"}}) {
        for (const auto &type : types) {
            const auto known = statistics.Facts(column, type);
            for (const auto &literal : {known.min, known.max}) {
                if (!literal || !known.max) {
                    continue;
                }
                for (const auto op :
                     {CompareOp::kEqual, CompareOp::kNotEqual, CompareOp::kLess, CompareOp::kGreaterEqual}) {
                    const auto predicate = Predicate::Compare(column, type, op, *literal);
                    const auto yes = Evaluate(predicate, facts);
                    const auto no = Evaluate(Predicate::Not(predicate), facts);
                    if (yes == Ternary::kTrue && no == Ternary::kTrue) {
                        std::abort();
                    }
                }
                (void)StatisticsToJson(1, {{column, type, known.min, known.max, 0}}, 32, true);
            }
        }
    }
    return 0;
}
