// Bytes as a deletion vector, and as the text of an inline one: refused, or a set that comes back from its own bytes.
#include <cstdlib>

#include "core/scan/deletion_vector.hpp"

using namespace birdfoot;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view bytes(reinterpret_cast<const char *>(data), size);
    if (const auto decoded = Z85Decode(bytes); decoded && bytes.find('#') == std::string_view::npos) {
        if (Z85Encode(*decoded) != bytes) {
            std::abort();
        }
    }
    if (Z85Decode(Z85Encode(bytes)).value_or("").substr(0, size) != bytes) {
        std::abort();
    }
    const auto rows = RowSet::Deserialize(bytes);
    if (!rows.ok()) {
        return 0;
    }
    const auto again = RowSet::Deserialize(rows->Serialize());
    if (!again.ok() || again->cardinality() != rows->cardinality()) {
        std::abort();
    }
    uint32_t keep[2048];
    const auto kept = rows->KeptOffsets(0, 2048, keep);
    for (size_t i = 0; i < kept; ++i) {
        if (rows->Contains(keep[i])) {
            std::abort();
        }
    }
    auto rest = rows->Clone();
    rest.AddRange(0, 100);
    rest.Subtract(*rows);
    if (rest.Intersects(*rows)) {
        std::abort();
    }
    return 0;
}
