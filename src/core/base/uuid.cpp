// UUIDs from the operating system's random source. std::random_device is no choice here: the standard lets it repeat.
#include "core/base/uuid.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>

#include <sys/random.h>

namespace birdfoot {

std::string RandomUuid() {
    std::array<unsigned char, 16> bytes{};
    for (size_t filled = 0; filled < bytes.size();) {
        const auto got = getrandom(bytes.data() + filled, bytes.size() - filled, 0);
        if (got > 0) {
            filled += static_cast<size_t>(got);
        } else if (errno != EINTR) {
            std::abort();  // Linux has had getrandom since 3.17; a file name that is not unique could lose data
        }
    }
    bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);  // version 4
    bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);  // variant 1
    static constexpr char kHex[] = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text += '-';
        }
        text += kHex[bytes[i] >> 4];
        text += kHex[bytes[i] & 15];
    }
    return text;
}

}  // namespace birdfoot
