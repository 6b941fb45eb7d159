// Bytes as a partition value of every type, and as a path: what is read is written so that it reads back the same.
#include <cstdlib>

#include "core/scan/plan.hpp"
#include "core/schema/scalar.hpp"

using namespace birdfoot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string text(reinterpret_cast<const char *>(data), size);
    const DataType types[] = {
        DataType(TypeKind::kBoolean), DataType(TypeKind::kShort),     DataType(TypeKind::kLong),
        DataType(TypeKind::kFloat),   DataType(TypeKind::kDouble),    DataType::Decimal(38, 18),
        DataType::Decimal(9, 0),      DataType(TypeKind::kString),    DataType(TypeKind::kBinary),
        DataType(TypeKind::kDate),    DataType(TypeKind::kTimestamp), DataType(TypeKind::kTimestampNtz),
        DataType(TypeKind::kVoid)};
    for (const auto &type : types) {
        const auto value = Scalar::FromPartitionValue(type, text);
        if (!value.ok()) {
            continue;
        }
        const auto again = Scalar::FromPartitionValue(type, value->ToPartitionValue());
        if (!again.ok() || again->is_null() != value->is_null()) {
            std::abort();
        }
        if (!value->is_null()) {
            const auto order = Scalar::Compare(*value, *again);
            if (!order || *order != 0) {
                std::abort();
            }
        }
        (void)value->ToStatisticsJson();
        (void)value->ToString();
    }
    const auto folder = PartitionFolder({"x"}, std::vector<std::optional<std::string>>{text});
    if (ResolvePath("/t", EncodePath(folder)) != "/t/" + folder) {
        std::abort();
    }
    return 0;
}
