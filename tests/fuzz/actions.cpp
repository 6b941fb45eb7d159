// Any bytes as a commit: never a crash, and what is read can be written and read again.
#include "core/log/actions.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace birdfoot;
    (void)ParseActions({reinterpret_cast<const char *>(data), size}, "fuzz", [](Action &&action) -> Status {
        const auto text = ActionToJson(action);
        const auto again = ParseActions(text, "again", [&](Action &&second) -> Status {
            if (ActionToJson(second) != text) {
                __builtin_trap();
            }
            return {};
        });
        if (!again.ok()) {
            __builtin_trap();
        }
        return {};
    });
    return 0;
}
