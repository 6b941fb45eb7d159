// Row sets over CRoaring, and the storage of deletion vectors: the bytes of one, files of several, and Z85. Bytes that
// are damaged are an error, never "nothing was deleted".
#include "core/scan/deletion_vector.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include <roaring.h>
#include <zlib.h>

#include "core/base/uuid.hpp"
#include "core/scan/plan.hpp"

namespace birdfoot {

using namespace roaring::api;  // NOLINT: the whole file speaks CRoaring

namespace {

constexpr uint32_t kMagic = 1681511377;
constexpr uint32_t kNativeMagic = 1681511376;  // an older layout of delta-spark's own, which no protocol describes
constexpr char kFileVersion = 1;
constexpr size_t kFieldSize = 4;  // of the length before a vector in a file, and of the checksum behind it
constexpr size_t kEncodedUuidSize = 20;
constexpr uint64_t kOneReadOffset = 4096;
constexpr std::string_view kZ85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

template <typename... Args>
Error Invalid(fmt::format_string<Args...> format, Args &&...args) {
    return Fail(Condition::DELTA_DELETION_VECTOR_INVALID,
                "A deletion vector cannot be read: {}. The table's log or the file is damaged; restore the table to an "
                "earlier version.",
                fmt::format(format, std::forward<Args>(args)...));
}

uint32_t LittleEndian32(std::string_view bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
        value |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    }
    return value;
}

uint32_t BigEndian32(std::string_view bytes) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) {
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

std::string BigEndianBytes(uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
            static_cast<char>(value)};
}

uint32_t Checksum(std::string_view bytes) {
    return static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef *>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::string FileName(std::string_view uuid) { return fmt::format("deletion_vector_{}.bin", uuid); }

//! The 16 bytes of a UUID's text, and back.
std::string UuidBytes(std::string_view text) {
    std::string bytes;
    int high = -1;
    for (const char c : text) {
        if (c == '-') {
            continue;
        }
        const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
        if (high < 0) {
            high = digit;
        } else {
            bytes += static_cast<char>(high << 4 | digit);
            high = -1;
        }
    }
    return bytes;
}

std::string UuidText(std::string_view bytes) {
    std::string text;
    for (size_t i = 0; i < bytes.size(); ++i) {
        text += i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
    }
    return text;
}

Result<std::string> ReadFromFile(const Engine &engine, const std::string &path,
                                 const DeletionVectorDescriptor &descriptor, const Call &call) {
    const auto size = static_cast<uint64_t>(descriptor.size_in_bytes);
    const auto offset = static_cast<uint64_t>(descriptor.offset.value_or(0));
    // The version byte is fetched along where that costs nothing.
    const uint64_t from = offset <= kOneReadOffset ? 0 : offset;
    const uint64_t length = offset - from + kFieldSize + size + kFieldSize;
    BF_ASSIGN(const auto read, engine.store->Get(path, ByteRange{from, length}, call));
    std::string_view bytes = read;
    if (bytes.size() != length) {
        return Fail(Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH,
                    "The deletion vector at offset {} of {} is cut off. Restore the file or the table.", offset, path);
    }
    if (from == 0 && bytes[0] != kFileVersion) {
        return Invalid("{} has format version {}, not {}", path, static_cast<int>(bytes[0]),
                       static_cast<int>(kFileVersion));
    }
    bytes.remove_prefix(offset - from);
    if (const auto stored = BigEndian32(bytes); stored != size) {
        return Fail(
            Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH,
            "The deletion vector at offset {} of {} has {} bytes, the log says {}. Restore the file or the table.",
            offset, path, stored, size);
    }
    const auto data = bytes.substr(kFieldSize, size);
    if (BigEndian32(bytes.substr(kFieldSize + size)) != Checksum(data)) {
        return Fail(
            Condition::DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH,
            "The deletion vector at offset {} of {} does not match its checksum. Restore the file or the table.",
            offset, path);
    }
    return std::string(data);
}

}  // namespace

RowSet::RowSet() : bitmap_(roaring64_bitmap_create()) {}
RowSet::RowSet(RowSet &&other) noexcept : bitmap_(std::exchange(other.bitmap_, nullptr)) {}
RowSet &RowSet::operator=(RowSet &&other) noexcept {
    std::swap(bitmap_, other.bitmap_);
    return *this;
}
RowSet::~RowSet() {
    if (bitmap_) {
        roaring64_bitmap_free(bitmap_);
    }
}
RowSet RowSet::Clone() const { return RowSet(roaring64_bitmap_copy(bitmap_)); }

void RowSet::Add(uint64_t row) { roaring64_bitmap_add(bitmap_, row); }
void RowSet::AddMany(const uint64_t *rows, size_t count) { roaring64_bitmap_add_many(bitmap_, count, rows); }
void RowSet::AddRange(uint64_t from, uint64_t to) { roaring64_bitmap_add_range(bitmap_, from, to); }
void RowSet::Union(const RowSet &other) { roaring64_bitmap_or_inplace(bitmap_, other.bitmap_); }
void RowSet::Subtract(const RowSet &other) { roaring64_bitmap_andnot_inplace(bitmap_, other.bitmap_); }
bool RowSet::Contains(uint64_t row) const { return roaring64_bitmap_contains(bitmap_, row); }
bool RowSet::Intersects(const RowSet &other) const { return roaring64_bitmap_intersect(bitmap_, other.bitmap_); }
uint64_t RowSet::cardinality() const { return roaring64_bitmap_get_cardinality(bitmap_); }

size_t RowSet::KeptOffsets(uint64_t start, size_t count, uint32_t *keep) const {
    const uint64_t gone = roaring64_bitmap_range_cardinality(bitmap_, start, start + count);
    if (gone == 0) {
        std::iota(keep, keep + count, 0U);
        return count;
    }
    if (gone == count) {
        return 0;
    }
    auto *deleted = roaring64_iterator_create(bitmap_);
    roaring64_iterator_move_equalorlarger(deleted, start);
    size_t kept = 0;
    for (size_t offset = 0; offset < count; ++offset) {
        if (roaring64_iterator_has_value(deleted) && roaring64_iterator_value(deleted) == start + offset) {
            roaring64_iterator_advance(deleted);
        } else {
            keep[kept++] = static_cast<uint32_t>(offset);
        }
    }
    roaring64_iterator_free(deleted);
    return kept;
}

std::vector<uint64_t> RowSet::ToVector() const {
    std::vector<uint64_t> rows(cardinality());
    roaring64_bitmap_to_uint64_array(bitmap_, rows.data());
    return rows;
}

std::string RowSet::Serialize() const {
    const RowSet compact = Clone();
    roaring64_bitmap_run_optimize(compact.bitmap_);
    std::string bytes(sizeof kMagic + roaring64_bitmap_portable_size_in_bytes(compact.bitmap_), '\0');
    for (size_t i = 0; i < sizeof kMagic; ++i) {
        bytes[i] = static_cast<char>(kMagic >> (8 * i));
    }
    roaring64_bitmap_portable_serialize(compact.bitmap_, bytes.data() + sizeof kMagic);
    return bytes;
}

Result<RowSet> RowSet::Deserialize(std::string_view bytes) {
    if (bytes.size() < sizeof kMagic) {
        return Invalid("it has {} bytes", bytes.size());
    }
    const auto magic = LittleEndian32(bytes);
    if (magic == kNativeMagic ||
        BigEndian32(bytes) == kNativeMagic) {  // the protocol's example of an inline vector is one
        return Invalid("it is in delta-spark's unpublished 'native' format, which is not supported");
    }
    if (magic != kMagic) {
        return Invalid("it starts with the magic number {}, not {}", magic, kMagic);
    }
    bytes.remove_prefix(sizeof kMagic);
    auto *bitmap = roaring64_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
    if (!bitmap) {
        return Invalid("its {} bytes are no 64-bit Roaring bitmap", bytes.size());
    }
    RowSet rows(bitmap);
    const char *reason = nullptr;
    if (!roaring64_bitmap_internal_validate(bitmap, &reason)) {
        return Invalid("its bitmap is inconsistent ({})", reason ? reason : "no reason given");
    }
    if (!roaring64_bitmap_is_empty(bitmap) &&
        roaring64_bitmap_maximum(bitmap) > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
        return Invalid("it names the row {}", roaring64_bitmap_maximum(bitmap));
    }
    return rows;
}

Result<std::string> DeletionVectorPath(const std::string &root, const DeletionVectorDescriptor &descriptor) {
    const std::string_view text = descriptor.path_or_inline;
    if (descriptor.storage_type == "p") {
        if (!IsAbsolutePath(text)) {
            return Invalid("its path '{}' is not absolute", text);
        }
        return ResolvePath(root, text);
    }
    if (descriptor.storage_type != "u") {
        return Invalid("its storage type is '{}'; known are 'u', 'i' and 'p'", descriptor.storage_type);
    }
    const auto prefix_size = text.size() - std::min(text.size(), kEncodedUuidSize);
    const auto uuid = Z85Decode(text.substr(prefix_size));
    if (!uuid || uuid->size() != 16) {
        return Invalid("'{}' names no file", text);
    }
    const auto folder = prefix_size == 0 ? root : root + "/" + std::string(text.substr(0, prefix_size));
    return folder + "/" + FileName(UuidText(*uuid));
}

Result<RowSet> ReadDeletionVector(const Engine &engine, const std::string &root,
                                  const DeletionVectorDescriptor &descriptor, const Call &call) {
    if (descriptor.size_in_bytes < 0 || descriptor.size_in_bytes > std::numeric_limits<int32_t>::max() ||
        descriptor.offset.value_or(0) < 0 || descriptor.cardinality < 0) {
        return Invalid("the log says size {}, offset {}, cardinality {}", descriptor.size_in_bytes,
                       descriptor.offset.value_or(0), descriptor.cardinality);
    }
    std::string bytes;
    if (descriptor.storage_type == "i") {
        auto decoded = Z85Decode(descriptor.path_or_inline);
        if (!decoded) {
            return Invalid("it is inline, and no Z85 text");
        }
        if (decoded->size() < static_cast<size_t>(descriptor.size_in_bytes)) {
            return Fail(
                Condition::DELTA_DELETION_VECTOR_SIZE_MISMATCH,
                "An inline deletion vector has {} bytes, the log says {}. Restore the table to an earlier version.",
                decoded->size(), descriptor.size_in_bytes);
        }
        bytes = decoded->substr(0, static_cast<size_t>(descriptor.size_in_bytes));  // the rest is padding
    } else {
        BF_ASSIGN(const auto path, DeletionVectorPath(root, descriptor));
        BF_ASSIGN(bytes, ReadFromFile(engine, path, descriptor, call));
    }
    BF_ASSIGN(auto rows, RowSet::Deserialize(bytes));
    if (rows.cardinality() != static_cast<uint64_t>(descriptor.cardinality)) {
        return Fail(Condition::DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH,
                    "A deletion vector deletes {} rows, the log says {}. Restore the table to an earlier version.",
                    rows.cardinality(), descriptor.cardinality);
    }
    return rows;
}

DeletionVectorDescriptor InlineDeletionVector(const RowSet &rows) {
    const auto bytes = rows.Serialize();
    DeletionVectorDescriptor descriptor;
    descriptor.storage_type = "i";
    descriptor.path_or_inline = Z85Encode(bytes);
    descriptor.size_in_bytes = static_cast<int64_t>(bytes.size());
    descriptor.cardinality = static_cast<int64_t>(rows.cardinality());
    return descriptor;
}

Result<std::vector<DeletionVectorDescriptor>> WriteDeletionVectors(const Engine &engine, const std::string &root,
                                                                   const std::vector<const RowSet *> &rows,
                                                                   std::string *path, const Call &call) {
    const auto uuid = RandomUuid();
    *path = root + "/" + FileName(uuid);
    std::string file(1, kFileVersion);
    std::vector<DeletionVectorDescriptor> descriptors;
    for (const auto *set : rows) {
        const auto bytes = set->Serialize();
        DeletionVectorDescriptor descriptor;
        descriptor.storage_type = "u";
        descriptor.path_or_inline = Z85Encode(UuidBytes(uuid));
        descriptor.offset = static_cast<int64_t>(file.size());
        descriptor.size_in_bytes = static_cast<int64_t>(bytes.size());
        descriptor.cardinality = static_cast<int64_t>(set->cardinality());
        descriptors.push_back(std::move(descriptor));
        file += BigEndianBytes(static_cast<uint32_t>(bytes.size())) + bytes + BigEndianBytes(Checksum(bytes));
        if (file.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
            return Fail(Condition::BIRDFOOT_UNSUPPORTED,
                        "The deletion vectors of one statement would fill more than 2 GiB, which the format cannot "
                        "address. Delete in several statements.");
        }
    }
    BF_ASSIGN(const auto put, engine.store->Put(*path, file, PutMode::kCreateOnly, call));
    if (put == PutResult::kAlreadyExists) {
        return Fail(Condition::BIRDFOOT_INTERNAL, "The new file {} exists already.", *path);
    }
    return descriptors;
}

std::string Z85Encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 3) / 4 * 5);
    for (size_t i = 0; i < bytes.size(); i += 4) {
        std::string block(bytes.substr(i, 4));
        block.resize(4, '\0');
        uint32_t value = BigEndian32(block);
        char digits[5];
        for (int place = 4; place >= 0; --place) {
            digits[place] = kZ85[value % 85];
            value /= 85;
        }
        text.append(digits, 5);
    }
    return text;
}

std::optional<std::string> Z85Decode(std::string_view text) {
    static const auto kValues = [] {
        std::array<int8_t, 256> values{};
        values.fill(-1);
        for (size_t i = 0; i < kZ85.size(); ++i) {
            values[static_cast<unsigned char>(kZ85[i])] = static_cast<int8_t>(i);
        }
        return values;
    }();
    if (text.size() % 5 != 0) {
        return std::nullopt;
    }
    std::string bytes;
    bytes.reserve(text.size() / 5 * 4);
    for (size_t i = 0; i < text.size(); i += 5) {
        auto block = text.substr(i, 5);
        size_t padding = 0;
        if (i + 5 == text.size()) {
            // A valid block never starts with "#", the highest digit. Rust's z85 pads a short tail so, in front.
            padding = std::min(block.find_first_not_of('#'), size_t{4});
            block.remove_prefix(padding);
        }
        uint64_t value = 0;
        for (const char c : block) {
            const auto digit = kValues[static_cast<unsigned char>(c)];
            if (digit < 0) {
                return std::nullopt;
            }
            value = value * 85 + static_cast<uint64_t>(digit);
        }
        if (padding == 4 || value >> (8 * (4 - padding)) != 0) {
            return std::nullopt;
        }
        bytes += BigEndianBytes(static_cast<uint32_t>(value)).substr(padding);
    }
    return bytes;
}

}  // namespace birdfoot
