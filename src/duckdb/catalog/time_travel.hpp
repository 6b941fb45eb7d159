// Time travel: the only place that reads an AT clause, and the names `path@v3` and `path@yyyyMMddHHmmssSSS`.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "duckdb.hpp"
#include "duckdb/planner/tableref/bound_at_clause.hpp"

#include "core/table/snapshot.hpp"

namespace birdfoot::duck {

//! VERSION takes whole numbers (or their text), TIMESTAMP anything that casts to a point in time; what has no zone is
//! read in the session's. DELTA_VERSION_INVALID, DELTA_TIMESTAMP_INVALID.
VersionTarget TargetOf(duckdb::ClientContext &context, const duckdb::BoundAtClause &at);

//! "/data/t@v3" is {"/data/t", version 3}; none for a name without such an end.
std::optional<std::pair<std::string, VersionTarget>> TargetInName(duckdb::ClientContext &context,
                                                                  const std::string &name);

}  // namespace birdfoot::duck
