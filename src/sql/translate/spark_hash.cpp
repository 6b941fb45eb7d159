// Spark's hash (Murmur3, 32 bits, with its own way of taking the last bytes) and xxhash64, as partition columns made of
// buckets use them. Declared in spark_text.hpp.
#include <cstring>

#include "sql/translate/spark_text.hpp"

namespace birdfoot::sql {
namespace {

uint32_t Rotate(uint32_t value, int bits) { return (value << bits) | (value >> (32 - bits)); }
uint64_t Rotate(uint64_t value, int bits) { return (value << bits) | (value >> (64 - bits)); }

uint32_t MixKey(uint32_t key) { return Rotate(key * 0xcc9e2d51U, 15) * 0x1b873593U; }
uint32_t Mix(uint32_t hash, uint32_t key) { return Rotate(hash ^ MixKey(key), 13) * 5 + 0xe6546b64U; }

int32_t Finish(uint32_t hash, uint32_t length) {
    hash ^= length;
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bU;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35U;
    return static_cast<int32_t>(hash ^ (hash >> 16));
}

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

template <typename T>
T Load(const char *bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

int64_t FinishXx(uint64_t hash) {
    hash = (hash ^ (hash >> 33)) * kPrime2;
    hash = (hash ^ (hash >> 29)) * kPrime3;
    return static_cast<int64_t>(hash ^ (hash >> 32));
}

uint64_t Round(uint64_t sum, uint64_t input) { return Rotate(sum + input * kPrime2, 31) * kPrime1; }
uint64_t MixLong(uint64_t hash, uint64_t value) { return Rotate(hash ^ Round(0, value), 27) * kPrime1 + kPrime4; }
uint64_t MixInt(uint64_t hash, uint32_t value) { return Rotate(hash ^ (value * kPrime1), 23) * kPrime2 + kPrime3; }

}  // namespace

int32_t Murmur3OfInt(int32_t value, int32_t seed) {
    return Finish(Mix(static_cast<uint32_t>(seed), static_cast<uint32_t>(value)), 4);
}

int32_t Murmur3OfLong(int64_t value, int32_t seed) {
    const auto bits = static_cast<uint64_t>(value);
    return Finish(Mix(Mix(static_cast<uint32_t>(seed), static_cast<uint32_t>(bits)), static_cast<uint32_t>(bits >> 32)),
                  8);
}

int32_t Murmur3OfBytes(std::string_view bytes, int32_t seed) {
    auto hash = static_cast<uint32_t>(seed);
    size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4) {
        hash = Mix(hash, Load<uint32_t>(bytes.data() + i));
    }
    for (; i < bytes.size(); i++) {  // each byte a key of its own, with its sign
        hash = Mix(hash, static_cast<uint32_t>(static_cast<int32_t>(static_cast<signed char>(bytes[i]))));
    }
    return Finish(hash, static_cast<uint32_t>(bytes.size()));
}

int64_t XxHash64OfInt(int32_t value, int64_t seed) {
    return FinishXx(MixInt(static_cast<uint64_t>(seed) + kPrime5 + 4, static_cast<uint32_t>(value)));
}

int64_t XxHash64OfLong(int64_t value, int64_t seed) {
    return FinishXx(MixLong(static_cast<uint64_t>(seed) + kPrime5 + 8, static_cast<uint64_t>(value)));
}

int64_t XxHash64OfBytes(std::string_view bytes, int64_t seed_value) {
    const auto seed = static_cast<uint64_t>(seed_value);
    size_t i = 0;
    uint64_t hash = seed + kPrime5;
    if (bytes.size() >= 32) {
        uint64_t v1 = seed + kPrime1 + kPrime2, v2 = seed + kPrime2, v3 = seed, v4 = seed - kPrime1;
        for (; i + 32 <= bytes.size(); i += 32) {
            v1 = Round(v1, Load<uint64_t>(bytes.data() + i));
            v2 = Round(v2, Load<uint64_t>(bytes.data() + i + 8));
            v3 = Round(v3, Load<uint64_t>(bytes.data() + i + 16));
            v4 = Round(v4, Load<uint64_t>(bytes.data() + i + 24));
        }
        hash = Rotate(v1, 1) + Rotate(v2, 7) + Rotate(v3, 12) + Rotate(v4, 18);
        for (const uint64_t v : {v1, v2, v3, v4}) {
            hash = (hash ^ Round(0, v)) * kPrime1 + kPrime4;
        }
    }
    hash += bytes.size();
    for (; i + 8 <= bytes.size(); i += 8) {
        hash = MixLong(hash, Load<uint64_t>(bytes.data() + i));
    }
    if (i + 4 <= bytes.size()) {
        hash = MixInt(hash, Load<uint32_t>(bytes.data() + i));
        i += 4;
    }
    for (; i < bytes.size(); i++) {
        hash = Rotate(hash ^ (static_cast<unsigned char>(bytes[i]) * kPrime5), 11) * kPrime1;
    }
    return FinishXx(hash);
}

}  // namespace birdfoot::sql
