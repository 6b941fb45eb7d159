// Deletion vectors (PROTOCOL.md, "Deletion Vector Format"): 64-bit Roaring bitmaps of row positions, inline (Z85), in a
// file beside the table, or at an absolute path.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/io/engine.hpp"
#include "core/log/actions.hpp"

namespace roaring::api {
struct roaring64_bitmap_s;
}

namespace birdfoot {

//! A set of physical row positions. Movable; copies are explicit.
class RowSet {
public:
    RowSet();
    RowSet(RowSet &&) noexcept;
    RowSet &operator=(RowSet &&) noexcept;
    ~RowSet();
    RowSet Clone() const;

    void Add(uint64_t row);
    void AddMany(const uint64_t *rows, size_t count);
    void AddRange(uint64_t from, uint64_t to);  // [from, to)
    void Union(const RowSet &other);
    void Subtract(const RowSet &other);
    bool Contains(uint64_t row) const;
    bool Intersects(const RowSet &other) const;
    uint64_t cardinality() const;
    bool empty() const { return cardinality() == 0; }
    //! Fills `keep` with the offsets in [0, count) whose row start + offset is NOT in the set; returns how many.
    size_t KeptOffsets(uint64_t start, size_t count, uint32_t *keep) const;
    std::vector<uint64_t> ToVector() const;

    //! The protocol's bytes: magic number, then the portable 64-bit bitmap (runs optimised).
    std::string Serialize() const;
    //! DELTA_DELETION_VECTOR_INVALID for bytes that are no vector; never reads out of bounds.
    static Result<RowSet> Deserialize(std::string_view bytes);

private:
    using Bitmap = roaring::api::roaring64_bitmap_s;
    explicit RowSet(Bitmap *bitmap) : bitmap_(bitmap) {}
    Bitmap *bitmap_;
};

//! The file that a descriptor of kind "u" or "p" names, as a full path.
Result<std::string> DeletionVectorPath(const std::string &root, const DeletionVectorDescriptor &descriptor);

//! Reads a vector; size, checksum and cardinality are checked.
Result<RowSet> ReadDeletionVector(const Engine &engine, const std::string &root,
                                  const DeletionVectorDescriptor &descriptor, const Call &call);

//! A vector held in the action itself.
DeletionVectorDescriptor InlineDeletionVector(const RowSet &rows);
//! Writes the vectors of several files into one new file under `root` (deletion_vector_<uuid>.bin) and gives a
//! descriptor for each;
//! `*path` is the file written (for PendingFiles).
Result<std::vector<DeletionVectorDescriptor>> WriteDeletionVectors(const Engine &engine, const std::string &root,
                                                                   const std::vector<const RowSet *> &rows,
                                                                   std::string *path, const Call &call);

//! Bytes that do not fill a block of four are padded with zeros, as delta-spark does.
std::string Z85Encode(std::string_view bytes);
std::optional<std::string> Z85Decode(std::string_view text);

}  // namespace birdfoot
