// ChangeSet::FromJson: any bytes; what is read must be written in a form that reads as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/txn/change_set.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const auto changes = birdfoot::ChangeSet::FromJson({reinterpret_cast<const char *>(data), size});
    if (changes.ok()) {
        const auto json = changes->ToJson();
        const auto again = birdfoot::ChangeSet::FromJson(json);
        if (!again.ok() || again->ToJson() != json) {
            std::abort();
        }
    }
    return 0;
}
