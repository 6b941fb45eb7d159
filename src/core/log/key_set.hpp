// KeySet: the keys of files (path and vector) that later commits have named already (PROTOCOL.md, "Action
// Reconciliation").
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace birdfoot {

//! FileKeys, looked up without making a string.
class KeySet {
public:
    //! False if it was there.
    bool Insert(std::string key) { return keys_.insert(std::move(key)).second; }
    bool Contains(std::string_view key) const { return keys_.find(key) != keys_.end(); }
    bool empty() const { return keys_.empty(); }

private:
    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    std::unordered_set<std::string, Hash, std::equal_to<>> keys_;
};

}  // namespace birdfoot
