// Spark SQL expressions as a small tree: the ones stored in tables (CHECK constraints, generated columns, defaults),
// replaceWhere conditions, partition values and timestamps to travel to. Parsing understands more than translation
// (sql/translate) does: a function is an opaque node here. Sub-queries, window functions and lambdas are not understood
// at all.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/schema/types.hpp"
#include "sql/token_cursor.hpp"

namespace birdfoot::sql {

enum class ExpressionKind : uint8_t {
    kNull,
    kBoolean,    // text: TRUE or FALSE
    kNumber,     // text: digits; type: void where its size decides (5, 1.5, 1e3), else what a suffix said (5L, 1.5BD)
    kText,       // text: without quotes
    kBinary,     // text: hexadecimal digits
    kTyped,      // DATE '…', TIMESTAMP '…': text, type
    kInterval,   // months, days, microseconds
    kParameter,  // ?, $name: text
    kColumn,     // name
    kNot,
    kNegate,          // -x
    kBinaryOperator,  // text: AND OR = <> < <= > >= <=> + - * / % DIV || & | ^ << >> >>>
    kUnaryOperator,   // text: + ~
    kBetween,         // value, low, high
    kIn,              // value, then the list
    kLike,            // text: LIKE ILIKE RLIKE; value, pattern [, escape]
    kIs,              // text: NULL TRUE FALSE UNKNOWN; value
    kCast,            // type; value. text: CAST or TRY_CAST
    kCase,            // [operand if has_operand], then pairs WHEN THEN, [else if has_else]
    kFunction,        // text: name in capitals; arguments
    kField,           // text: field; value
    kSubscript,       // value, index
};

struct Expression {
    ExpressionKind kind = ExpressionKind::kNull;
    std::string text;
    std::vector<std::string> name;
    DataType type;
    std::vector<Expression> children;
    bool negated = false;      // NOT IN, NOT LIKE, NOT BETWEEN, IS NOT
    bool has_operand = false;  // of CASE
    bool has_else = false;
    bool of_list = false;  // of LIKE: it stood in LIKE ANY or LIKE ALL
    int64_t months = 0;
    int64_t days = 0;
    int64_t microseconds = 0;
    bool has_time = false;  // of an interval: a unit below the day was named
};

//! A whole text as one expression. Text stored in a table is of Spark's dialect.
Result<Expression> ParseExpression(std::string_view text, Dialect dialect = Dialect::kSpark);
//! Takes an expression at the cursor; in its `Value` form without AND, OR, comparisons and predicates, as it stands
//! behind TIMESTAMP AS OF.
Result<Expression> TakeExpression(TokenCursor &cursor);
Result<Expression> TakeValue(TokenCursor &cursor);

enum class NameQuotes : uint8_t { kAlways, kWhereNeeded };
//! Spark's text of it, which parses to the same tree; for people, plain names may go without quotes.
std::string ToSparkText(const Expression &expression, NameQuotes quotes = NameQuotes::kAlways);

//! DuckDB's text of what a user of this session typed; functions that are not known here are DuckDB's. What a table
//! stores is translated by sql/translate/translation.hpp. DELTA_UNSUPPORTED_EXPRESSION names what has no equivalent.
Result<std::string> ToDuckDbText(const Expression &expression);

}  // namespace birdfoot::sql
