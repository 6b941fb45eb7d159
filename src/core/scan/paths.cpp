// Paths of the log and of partition folders. Two layers of escaping that Spark applies one after the other: a
// partition's folder is escaped as Hive does ("A/A" is "x=A%2FA"), and add.path is the URI form of the whole relative
// path
// ("x=A%252FA/part-0.parquet"). A reader takes away the second layer only; values never come from folder names.
#include <cstdint>

#include "core/scan/plan.hpp"

namespace birdfoot {
namespace {

constexpr std::string_view kNullFolder = "__HIVE_DEFAULT_PARTITION__";

void AppendEscape(std::string &out, char c) {
    static constexpr char kHex[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
}

bool IsAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

//! The characters that Spark's ExternalCatalogUtils.escapePathName escapes, and NUL, at which Spark fails.
std::string EscapeFolderName(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool control = (c >= 0 && c < 0x20) || c == 0x7F;
        if (control || std::string_view("\"#%'*/:=?\\{[]^").find(c) != std::string_view::npos) {
            AppendEscape(out, c);
        } else {
            out += c;
        }
    }
    return out;
}

//! Bytes of a character at the start of `text` that java.net.URI quotes although it is not ASCII: control characters
//! and spaces. 0 for any other.
size_t QuotedBeyondAscii(std::string_view text) {
    const auto starts = [&](std::string_view bytes) { return text.substr(0, bytes.size()) == bytes; };
    if (text.size() >= 2 && text[0] == '\xC2' && static_cast<unsigned char>(text[1]) <= 0xA0) {
        return 2;  // U+0080 … U+00A0
    }
    if (starts("\xE2\x80") && text.size() >= 3) {
        const auto last = static_cast<unsigned char>(text[2]);
        return last <= 0x8A || last == 0xA8 || last == 0xA9 || last == 0xAF ? 3 : 0;  // U+2000 … 200A, 2028, 2029, 202F
    }
    return starts("\xE1\x9A\x80") || starts("\xE2\x81\x9F") || starts("\xE3\x80\x80") ? 3 : 0;
}

//! "s3://b/x", "file:/x"; a relative path may hold a colon, but not in front of its first slash with a scheme before
//! it.
bool HasScheme(std::string_view path) {
    const auto colon = path.find(':');
    if (colon == std::string_view::npos || colon == 0 || path.substr(colon, 2) != ":/" || !IsAlphanumeric(path[0])) {
        return false;
    }
    for (const char c : path.substr(0, colon)) {
        if (!IsAlphanumeric(c) && c != '+' && c != '-' && c != '.') {
            return false;
        }
    }
    return true;
}

}  // namespace

bool IsAbsolutePath(std::string_view log_path) { return log_path.starts_with('/') || HasScheme(log_path); }

std::string ResolvePath(const std::string &root, std::string_view log_path) {
    auto decoded = DecodePath(log_path);
    if (IsAbsolutePath(log_path)) {
        return decoded;
    }
    return root.ends_with('/') ? root + decoded : root + "/" + decoded;
}

std::string EncodePath(std::string_view relative_path) {
    std::string out;
    out.reserve(relative_path.size() + 16);
    for (size_t i = 0; i < relative_path.size();) {
        const char c = relative_path[i];
        if (static_cast<unsigned char>(c) < 0x80) {
            if (IsAlphanumeric(c) ||
                (c != '\0' && std::string_view("-_.!~*'():@&=+$,;/").find(c) != std::string_view::npos)) {
                out += c;
            } else {
                AppendEscape(out, c);
            }
            ++i;
            continue;
        }
        size_t quoted = QuotedBeyondAscii(relative_path.substr(i));
        if (quoted == 0) {
            out += c;
            ++i;
        }
        for (; quoted > 0; --quoted) {
            AppendEscape(out, relative_path[i++]);
        }
    }
    return out;
}

std::string PartitionFolder(const std::vector<std::string> &names,
                            const std::vector<std::optional<std::string>> &values) {
    std::string folder;
    for (size_t i = 0; i < names.size(); ++i) {
        const bool null = !values[i] || values[i]->empty();
        folder +=
            EscapeFolderName(names[i]) + "=" + (null ? std::string(kNullFolder) : EscapeFolderName(*values[i])) + "/";
    }
    return folder;
}

std::string PartitionFolder(const std::vector<std::string> &names, const std::vector<Scalar> &values) {
    std::vector<std::optional<std::string>> texts;
    for (const auto &value : values) {
        // In a folder's name Spark has no ISO form: a timestamp is written as one without zone, here in UTC.
        texts.push_back(value.type().kind() == TypeKind::kTimestamp && !value.is_null()
                            ? Scalar::Integer(DataType(TypeKind::kTimestampNtz), value.integer()).ToPartitionValue()
                            : value.ToPartitionValue());
    }
    return PartitionFolder(names, texts);
}

}  // namespace birdfoot
