// Type names in Spark's spelling (BIGINT, ARRAY<STRING>, STRUCT<a: INT NOT NULL COMMENT '…'>) and in DuckDB's
// (INTEGER[], STRUCT(a INTEGER), BLOB), as they stand in Spark's statements. There TIMESTAMP is Delta's timestamp, with
// a zone; in DuckDB's own CREATE TABLE, which does not pass here, it is timestamp_ntz.
#pragma once

#include <string>
#include <string_view>

#include "core/schema/types.hpp"
#include "sql/token_cursor.hpp"

namespace birdfoot::sql {

struct ParsedType {
    DataType type;
    //! Spark's name of the type, CHAR and VARCHAR with their lengths. Spark keeps it in the metadata of a column that
    //! has them anywhere in its type, since the type itself becomes string.
    std::string catalog_text;
    bool has_char = false;
};

inline constexpr std::string_view kCharVarcharMetadata = "__CHAR_VARCHAR_TYPE_STRING";
inline constexpr std::string_view kCommentMetadata = "comment";

//! Takes a type at the cursor. DELTA_UNSUPPORTED_DATA_TYPES for a type that exists but that Delta has not.
Result<ParsedType> ParseType(TokenCursor &cursor);
//! A text that is a type and nothing else.
Result<ParsedType> ParseTypeText(std::string_view text, Dialect dialect = Dialect::kDuckDb);

//! The type as DuckDB's SQL names it, for text that we generate.
std::string DuckDbTypeText(const DataType &type);

}  // namespace birdfoot::sql
