// Result<T>, Status and Error: how core reports what went wrong. Core never throws; every fallible function returns one
// of these, [[nodiscard]]. Eleven kinds say what a caller can do, a condition (error_conditions.def) says what
// happened, in delta-spark's names. The text is always `[CONDITION] problem. cause. cure.`
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY
#endif
#include <fmt/format.h>

namespace birdfoot {

enum class ErrorKind : uint8_t {
    kInvalidInput,        // the statement, option or value is wrong: change it
    kNotFound,            // a table, version or file is not there
    kAlreadyExists,       // a table or file is there already
    kConflict,            // another writer was first: run the statement again
    kUnsupported,         // we refuse by name
    kConstraintViolated,  // the data breaks a rule of the table
    kCorruptTable,        // the table's bytes are not what the protocol says
    kIo,                  // the store failed
    kOutcomeUnknown,      // the commit may or may not have happened
    kCancelled,           // the user stopped it
    kInternal,            // a bug of ours
};

enum class Condition : uint16_t {
#define BF_CONDITION(name, kind, sqlstate) name,
#include "core/base/error_conditions.def"
#undef BF_CONDITION
};

//! The condition's name as users see it, e.g. "DELTA_CONCURRENT_APPEND".
std::string_view ConditionName(Condition condition);
ErrorKind ConditionKind(Condition condition);
std::string_view ConditionSqlState(Condition condition);

class [[nodiscard]] Error {
public:
    //! `text` without the bracketed name: problem. cause. cure.
    Error(Condition condition, std::string text) : condition_(condition), text_(std::move(text)) {}

    Condition condition() const { return condition_; }
    ErrorKind kind() const { return ConditionKind(condition_); }
    const std::string &text() const { return text_; }
    //! `[CONDITION] text`
    std::string message() const { return fmt::format("[{}] {}", ConditionName(condition_), text_); }
    //! The same error with more context before its text.
    Error Prefixed(std::string_view context) const { return {condition_, fmt::format("{}: {}", context, text_)}; }

private:
    Condition condition_;
    std::string text_;
};

//! Builds an error in one line: `return Fail(Condition::DELTA_VERSION_NOT_FOUND, "Version {} …", v);`
template <typename... Args>
Error Fail(Condition condition, fmt::format_string<Args...> format, Args &&...args) {
    return {condition, fmt::format(format, std::forward<Args>(args)...)};
}

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit on purpose
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose
    template <typename U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_same_v<std::remove_cvref_t<U>, T> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> && std::is_convertible_v<U, T>) Result(U &&value)
        : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // NOLINT

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T &value() & {
        assert(ok());
        return std::get<0>(state_);
    }
    const T &value() const & {
        assert(ok());
        return std::get<0>(state_);
    }
    T &&value() && {
        assert(ok());
        return std::get<0>(std::move(state_));
    }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    const Error &error() const & {
        assert(!ok());
        return std::get<1>(state_);
    }
    Error &&error() && {
        assert(!ok());
        return std::get<1>(std::move(state_));
    }

private:
    std::variant<T, Error> state_;
};

class [[nodiscard]] Status {
public:
    Status() = default;
    Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit on purpose
    static Status Ok() { return {}; }

    bool ok() const { return !error_.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error &error() const & {
        assert(!ok());
        return *error_;
    }
    Error &&error() && {
        assert(!ok());
        return *std::move(error_);
    }

private:
    std::optional<Error> error_;
};

#define BF_CONCAT_INNER(a, b) a##b
#define BF_CONCAT(a, b) BF_CONCAT_INNER(a, b)

//! BF_RETURN_IF_ERROR(expr): leaves the function with the error of a Status or Result.
#define BF_RETURN_IF_ERROR(...)                                \
    do {                                                       \
        if (auto bf_status = (__VA_ARGS__); !bf_status.ok()) { \
            return std::move(bf_status).error();               \
        }                                                      \
    } while (0)

//! BF_ASSIGN(auto x, expr): x = the value, or leaves the function with the error.
#define BF_ASSIGN(lhs, ...) BF_ASSIGN_IMPL(BF_CONCAT(bf_result_, __LINE__), lhs, __VA_ARGS__)
#define BF_ASSIGN_IMPL(tmp, lhs, ...)  \
    auto tmp = (__VA_ARGS__);          \
    if (!tmp.ok()) {                   \
        return std::move(tmp).error(); \
    }                                  \
    lhs = std::move(tmp).value()

}  // namespace birdfoot
