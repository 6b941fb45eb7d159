// Spark's spelling → DuckDB's, in any statement, touching nothing else: `name` → "name"; t VERSION AS OF 3 a →
// t a AT (VERSION => 3) (DuckDB wants the alias first), with TIMESTAMP AS OF, FOR SYSTEM_TIME AS OF and the others
// alike; a notebook's %sql and // lines before a statement. Strings and comments stay as they are. Paths with @v3 or
// @timestamp stay too: the catalog reads them in the name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace birdfoot::sql {

//! A cheap look: false is certain.
bool MayNeedRewrite(std::string_view text);

//! None if there is nothing to change (fast). A text or a comment that does not end stays as it is: DuckDB says so
//! better. PARSE_SYNTAX_ERROR for a back-quote that is not closed and a time travel clause that cannot be right.
Result<std::optional<std::string>> RewriteSpelling(std::string_view text);

//! The same, giving the text itself where nothing changes.
Result<std::string> ToDuckDbSpelling(std::string_view text);

//! An expression that is to be stored in a table, typed in DuckDB's dialect, so that Spark reads the same: "a" → `a`,
//! 'it''s' → 'it\'s'. Everything else stays as it was typed.
std::string ToSparkSpelling(std::string_view expression);

}  // namespace birdfoot::sql
