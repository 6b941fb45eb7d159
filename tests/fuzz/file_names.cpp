// Any bytes as a file name of the log, as a path and as a key.
#include "core/log/file_names.hpp"
#include "core/log/actions.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    using namespace birdfoot;
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const auto name = ParseLogFileName(text);
    if (name && (name->version < 0 || name->end_version < name->version ||
                 (name->kind == LogFileKind::kCommit && CommitFileName(name->version) != text))) {
        __builtin_trap();
    }
    (void)FileKey(text, std::nullopt);
    return 0;
}
