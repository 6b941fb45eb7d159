// JSON over yyjson: numbers are read raw, so that their text survives.
#include "core/base/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <yyjson.hpp>

namespace birdfoot {

using namespace duckdb_yyjson;  // NOLINT: the whole file speaks yyjson

namespace {

constexpr yyjson_read_flag kReadFlags = YYJSON_READ_NUMBER_AS_RAW;

std::string_view RawText(yyjson_val *value) { return {unsafe_yyjson_get_raw(value), unsafe_yyjson_get_len(value)}; }

Error Malformed(std::string_view text, const yyjson_read_err &err) {
    const size_t from = err.pos > 30 ? err.pos - 30 : 0;
    return Fail(Condition::BIRDFOOT_JSON_MALFORMED, "This is not JSON: {} at byte {}, near '{}'.", err.msg, err.pos,
                text.substr(std::min(from, text.size()), 60));
}

void AppendEscaped(std::string &out, std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            switch (byte) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            case '\b': out += "\\b"; break;
            case '\f': out += "\\f"; break;
            default:
                if (byte < 0x20) {
                    out += "\\u00";
                    out += kHex[byte >> 4];
                    out += kHex[byte & 15];
                } else {
                    out += static_cast<char>(byte);
                }
            }
            ++i;
            continue;
        }
        // A well-formed sequence is copied; anything else becomes U+FFFD, since the log must be UTF-8.
        const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
        bool good = byte >= 0xC2 && byte <= 0xF4 && i + length <= text.size();
        for (size_t k = 1; good && k < length; ++k) {
            good = (static_cast<unsigned char>(text[i + k]) & 0xC0) == 0x80;
        }
        if (good && length > 2) {
            const auto second = static_cast<unsigned char>(text[i + 1]);
            good = !(byte == 0xE0 && second < 0xA0) && !(byte == 0xED && second > 0x9F) &&
                   !(byte == 0xF0 && second < 0x90) && !(byte == 0xF4 && second > 0x8F);
        }
        if (good) {
            out.append(text, i, length);
            i += length;
        } else {
            out += "\xEF\xBF\xBD";
            ++i;
        }
    }
    out += '"';
}

}  // namespace

bool JsonValue::is_null() const { return !value_ || unsafe_yyjson_is_null(value_); }
bool JsonValue::is_object() const { return yyjson_is_obj(value_); }
bool JsonValue::is_array() const { return yyjson_is_arr(value_); }
bool JsonValue::is_string() const { return yyjson_is_str(value_); }
bool JsonValue::is_number() const { return yyjson_is_raw(value_); }
bool JsonValue::is_bool() const { return yyjson_is_bool(value_); }

JsonValue JsonValue::operator[](std::string_view name) const {
    return JsonValue(yyjson_obj_getn(value_, name.data(), name.size()));
}

size_t JsonValue::size() const {
    return is_object() ? yyjson_obj_size(value_) : is_array() ? yyjson_arr_size(value_) : 0;
}

Status JsonValue::ForEachMember(const std::function<Status(std::string_view, JsonValue)> &visit) const {
    yyjson_obj_iter iter;
    if (!yyjson_obj_iter_init(value_, &iter)) {
        return {};
    }
    while (yyjson_val *key = yyjson_obj_iter_next(&iter)) {
        BF_RETURN_IF_ERROR(
            visit({unsafe_yyjson_get_str(key), unsafe_yyjson_get_len(key)}, JsonValue(yyjson_obj_iter_get_val(key))));
    }
    return {};
}

Status JsonValue::ForEachElement(const std::function<Status(JsonValue)> &visit) const {
    yyjson_arr_iter iter;
    if (!yyjson_arr_iter_init(value_, &iter)) {
        return {};
    }
    while (yyjson_val *element = yyjson_arr_iter_next(&iter)) {
        BF_RETURN_IF_ERROR(visit(JsonValue(element)));
    }
    return {};
}

std::optional<std::string_view> JsonValue::string() const {
    if (!is_string()) {
        return std::nullopt;
    }
    return std::string_view(unsafe_yyjson_get_str(value_), unsafe_yyjson_get_len(value_));
}

std::optional<bool> JsonValue::boolean() const {
    return is_bool() ? std::optional(unsafe_yyjson_get_bool(value_)) : std::nullopt;
}

std::optional<int64_t> JsonValue::int64() const {
    const auto text = number_text();
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!text.empty() && error == std::errc() && end == text.data() + text.size()) {
        return value;
    }
    const auto real = number();  // "1.0" and "1e3" are integers to other writers
    if (real && std::nearbyint(*real) == *real && std::abs(*real) <= 9007199254740992.0) {
        return static_cast<int64_t>(*real);
    }
    return std::nullopt;
}

std::optional<double> JsonValue::number() const {
    const auto text = number_text();
    if (text.empty()) {
        return std::nullopt;
    }
    return std::strtod(std::string(text).c_str(), nullptr);
}

std::string_view JsonValue::number_text() const { return is_number() ? RawText(value_) : std::string_view(); }

std::string JsonValue::ToText() const {
    if (!value_) {
        return "null";
    }
    size_t length = 0;
    std::unique_ptr<char, void (*)(void *)> text(yyjson_val_write(value_, YYJSON_WRITE_NOFLAG, &length), std::free);
    return text ? std::string(text.get(), length) : "null";
}

JsonDocument::JsonDocument(yyjson_doc *doc) : doc_(doc, [](yyjson_doc *d) { yyjson_doc_free(d); }) {}
JsonValue JsonDocument::root() const { return JsonValue(yyjson_doc_get_root(doc_.get())); }

Result<JsonDocument> JsonDocument::Parse(std::string_view text) {
    yyjson_read_err err;
    auto *doc = yyjson_read_opts(const_cast<char *>(text.data()), text.size(), kReadFlags, nullptr, &err);
    if (!doc) {
        return Malformed(text, err);
    }
    return JsonDocument(doc);
}

Result<JsonDocument> JsonDocument::ParsePrefix(std::string_view text, size_t *consumed) {
    yyjson_read_err err;
    auto *doc = yyjson_read_opts(const_cast<char *>(text.data()), text.size(), kReadFlags | YYJSON_READ_STOP_WHEN_DONE,
                                 nullptr, &err);
    if (!doc) {
        return Malformed(text, err);
    }
    size_t end = yyjson_doc_get_read_size(doc);
    while (end < text.size() && (text[end] == '\n' || text[end] == '\r' || text[end] == ' ' || text[end] == '\t')) {
        ++end;
    }
    *consumed = end;
    return JsonDocument(doc);
}

void JsonWriter::Separate() {
    if (after_key_) {
        after_key_ = false;
    } else if (!first_.empty()) {
        if (!first_.back()) {
            out_ += ',';
        }
        first_.back() = false;
    }
}

JsonWriter &JsonWriter::BeginObject() {
    Separate();
    out_ += '{';
    first_.push_back(true);
    return *this;
}
JsonWriter &JsonWriter::EndObject() {
    out_ += '}';
    first_.pop_back();
    return *this;
}
JsonWriter &JsonWriter::BeginArray() {
    Separate();
    out_ += '[';
    first_.push_back(true);
    return *this;
}
JsonWriter &JsonWriter::EndArray() {
    out_ += ']';
    first_.pop_back();
    return *this;
}
JsonWriter &JsonWriter::Key(std::string_view name) {
    Separate();
    AppendEscaped(out_, name);
    out_ += ':';
    after_key_ = true;
    return *this;
}
JsonWriter &JsonWriter::String(std::string_view text) {
    Separate();
    AppendEscaped(out_, text);
    return *this;
}
JsonWriter &JsonWriter::Int(int64_t value) {
    Separate();
    out_ += std::to_string(value);
    return *this;
}
JsonWriter &JsonWriter::Bool(bool value) {
    Separate();
    out_ += value ? "true" : "false";
    return *this;
}
JsonWriter &JsonWriter::Null() {
    Separate();
    out_ += "null";
    return *this;
}
JsonWriter &JsonWriter::Raw(std::string_view json) {
    Separate();
    out_ += json;
    return *this;
}
JsonWriter &JsonWriter::Optional(std::string_view name, const std::optional<std::string> &text) {
    return text ? Key(name).String(*text) : *this;
}
JsonWriter &JsonWriter::Optional(std::string_view name, const std::optional<int64_t> &value) {
    return value ? Key(name).Int(*value) : *this;
}
JsonWriter &JsonWriter::Optional(std::string_view name, const std::optional<bool> &value) {
    return value ? Key(name).Bool(*value) : *this;
}

}  // namespace birdfoot
