// Errors, both ways. Every kind of core's has one DuckDB exception, and the text keeps its bracketed condition, so that
// hosts that only see text can still tell conditions apart.
#include "duckdb/translate/errors.hpp"

#include "duckdb/common/error_data.hpp"
#include "duckdb/common/exception/list.hpp"
#include "utf8proc_wrapper.hpp"

namespace birdfoot::duck {

using duckdb::ErrorData;
using duckdb::ExceptionType;
using duckdb::string;

namespace {

//! The condition that `text` begins with, as message() writes it.
std::optional<Condition> ConditionOf(std::string_view text) {
    auto end = text.find("] ");
    if (text.empty() || text[0] != '[' || end == std::string_view::npos) {
        return {};
    }
    auto name = text.substr(1, end - 1);
#define BF_CONDITION(condition, kind, sqlstate) \
    if (name == #condition) {                   \
        return Condition::condition;            \
    }
#include "core/base/error_conditions.def"
#undef BF_CONDITION
    return {};
}

//! Hosts take an error's text for UTF-8, and it may quote a damaged file.
string AsUtf8(string text) {
    duckdb::Utf8Proc::MakeValid(text.data(), text.size());
    return text;
}

}  // namespace

void Throw(const Error &error) {
    // One argument only: the constructors with several read the text as a format.
    const string text = AsUtf8(error.message());
    switch (error.kind()) {
    case ErrorKind::kInvalidInput: throw duckdb::InvalidInputException(text);
    case ErrorKind::kAlreadyExists: throw duckdb::CatalogException(text);
    case ErrorKind::kUnsupported: throw duckdb::NotImplementedException(text);
    case ErrorKind::kConstraintViolated: throw duckdb::ConstraintException(text);
    case ErrorKind::kConflict:
    case ErrorKind::kOutcomeUnknown: throw duckdb::TransactionException(text);
    case ErrorKind::kCancelled: throw duckdb::InterruptException();
    case ErrorKind::kNotFound:
    case ErrorKind::kCorruptTable:
    case ErrorKind::kIo: throw duckdb::IOException(text);
    case ErrorKind::kInternal: break;
    }
    throw duckdb::InvalidInputException("internal error: " + text);
}

Error ErrorFromException(Condition otherwise) {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return {Condition::BIRDFOOT_IO, "Out of memory."};
    } catch (const std::exception &exception) {
        ErrorData data(exception);
        const auto &text = data.RawMessage();
        if (data.Type() == ExceptionType::INTERRUPT) {
            return {Condition::BIRDFOOT_CANCELLED, "The statement was cancelled."};
        }
        if (data.Type() == ExceptionType::INTERNAL || data.Type() == ExceptionType::FATAL) {
            return {Condition::BIRDFOOT_INTERNAL, "internal error: " + text};
        }
        if (auto condition = ConditionOf(text)) {
            return {*condition, text.substr(text.find("] ") + 2)};
        }
        if (text.find("No space left on device") != string::npos) {
            return {Condition::BIRDFOOT_NO_SPACE, text};
        }
        return {otherwise, text};
    } catch (...) {
        return {Condition::BIRDFOOT_INTERNAL, "internal error: an unknown exception."};
    }
}

void RethrowOrdinary() {
    try {
        throw;
    } catch (const duckdb::Exception &exception) {
        ErrorData data(exception);
        if (data.Type() == ExceptionType::INTERNAL || data.Type() == ExceptionType::FATAL) {
            throw duckdb::InvalidInputException("internal error: " + AsUtf8(data.RawMessage()));
        }
        throw;
    } catch (const std::bad_alloc &) {
        throw duckdb::OutOfMemoryException("Out of memory.");
    } catch (const std::exception &exception) {
        throw duckdb::InvalidInputException("internal error: " + AsUtf8(exception.what()));
    } catch (...) {
        throw duckdb::InvalidInputException("internal error: an unknown exception.");
    }
}

}  // namespace birdfoot::duck
