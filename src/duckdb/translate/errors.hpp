// Errors, both ways, in one switch: core's Error becomes the DuckDB exception of its kind, never an InternalException
// (which would close the whole database); what DuckDB throws below a port becomes an Error.
#pragma once

#include <utility>

#include "duckdb.hpp"

#include "core/base/result.hpp"

namespace birdfoot::duck {

[[noreturn]] void Throw(const Error &error);

template <typename T>
T ValueOrThrow(Result<T> result) {
    if (!result.ok()) {
        Throw(result.error());
    }
    return std::move(result).value();
}
inline void OkOrThrow(const Status &status) {
    if (!status.ok()) {
        Throw(status.error());
    }
}

//! The Error for the exception being handled; call inside a catch block. An InterruptException is BIRDFOOT_CANCELLED.
Error ErrorFromException(Condition otherwise);

[[noreturn]] void RethrowOrdinary();  // inside a catch block

//! Runs `body`; an InternalException or FatalException, or anything that is no DuckDB exception, leaves as an ordinary
//! exception whose text begins "internal error". Wrap every callback that DuckDB calls.
template <typename Body>
auto Guarded(Body &&body) -> decltype(body()) {
    try {
        return body();
    } catch (...) {
        RethrowOrdinary();
    }
}

}  // namespace birdfoot::duck
