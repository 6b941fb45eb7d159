// JSON for the log: a parsed document with light views (yyjson), and an appending writer. Numbers keep their text, so
// that decimals and 64-bit integers lose nothing; keys keep their order, so that what we do not understand can be
// written back as it was. The first of two equal keys wins.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace duckdb_yyjson {
struct yyjson_doc;
struct yyjson_val;
}  // namespace duckdb_yyjson

namespace birdfoot {

using duckdb_yyjson::yyjson_doc;
using duckdb_yyjson::yyjson_val;

//! A view of one value; valid as long as its JsonDocument. A default-made view is "absent".
class JsonValue {
public:
    JsonValue() = default;
    explicit JsonValue(yyjson_val *value) : value_(value) {}

    bool present() const { return value_ != nullptr; }
    bool is_null() const;  //!< absent or null
    bool is_object() const;
    bool is_array() const;
    bool is_string() const;
    bool is_number() const;
    bool is_bool() const;

    //! The member of that name; absent if there is none or this is no object.
    JsonValue operator[](std::string_view name) const;
    size_t size() const;  //!< members of an object, elements of an array, else 0

    //! Visits members in order; stops at the first error.
    Status ForEachMember(const std::function<Status(std::string_view, JsonValue)> &visit) const;
    Status ForEachElement(const std::function<Status(JsonValue)> &visit) const;

    std::optional<std::string_view> string() const;  //!< of a string only
    std::optional<bool> boolean() const;             //!< of a bool only
    std::optional<int64_t> int64() const;            //!< of a number without fraction that fits (1.0 is accepted)
    std::optional<double> number() const;            //!< of any number
    //! The number as it was written; empty for anything else.
    std::string_view number_text() const;
    //! This value as compact JSON text.
    std::string ToText() const;

private:
    yyjson_val *value_ = nullptr;
};

class JsonDocument {
public:
    //! Parses one JSON value that fills `text` (which need not outlive the document). BIRDFOOT_JSON_MALFORMED names the
    //! position. Deep nesting is bounded by yyjson, not by the stack.
    static Result<JsonDocument> Parse(std::string_view text);
    //! Parses a value at the start of `text` and says how many bytes it took (white space behind it included): commits
    //! may be pretty-printed over several lines, so they are read value by value. `*consumed` is set on success.
    static Result<JsonDocument> ParsePrefix(std::string_view text, size_t *consumed);

    JsonValue root() const;

private:
    explicit JsonDocument(yyjson_doc *doc);
    std::shared_ptr<yyjson_doc> doc_;
};

//! Appends JSON to a string. The caller sees to it that Begin/End and Key/value pair up.
class JsonWriter {
public:
    explicit JsonWriter(std::string &out) : out_(out) {}

    JsonWriter &BeginObject();
    JsonWriter &EndObject();
    JsonWriter &BeginArray();
    JsonWriter &EndArray();
    JsonWriter &Key(std::string_view name);
    JsonWriter &String(std::string_view text);  //!< invalid UTF-8 becomes U+FFFD
    JsonWriter &Int(int64_t value);
    JsonWriter &Bool(bool value);
    JsonWriter &Null();
    JsonWriter &Raw(std::string_view json);  //!< text that is JSON already
    //! Key and value, left out altogether when there is none.
    JsonWriter &Optional(std::string_view name, const std::optional<std::string> &text);
    JsonWriter &Optional(std::string_view name, const std::optional<int64_t> &value);
    JsonWriter &Optional(std::string_view name, const std::optional<bool> &value);

private:
    void Separate();
    std::string &out_;
    std::vector<bool> first_;  // one a level: nothing written there yet
    bool after_key_ = false;
};

}  // namespace birdfoot
