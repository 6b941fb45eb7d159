// The parts of the statement parser, for parser.cpp and each other; nobody else includes this. A function takes its
// statement from the cursor, which stands behind the words that led to it. Those that give std::optional answer none
// where the statement is left to DuckDB.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "sql/statement.hpp"
#include "sql/token_cursor.hpp"

namespace birdfoot::sql {

// statements: the cursor stands at the statement's first word
Result<std::optional<Statement>> TakeCreateTable(TokenCursor &cursor);  // CREATE, REPLACE; LIKE and CLONE too
Result<std::optional<Statement>> TakeAlterTable(TokenCursor &cursor);
//! `with` is the text of WITH … before the INSERT.
Result<std::optional<Statement>> TakeInsert(TokenCursor &cursor, std::string_view with);
Result<std::optional<Statement>> TakeUpdate(TokenCursor &cursor);
Result<std::optional<Statement>> TakeMerge(TokenCursor &cursor);
Result<std::optional<Statement>> TakeMaintenance(TokenCursor &cursor);  // OPTIMIZE, VACUUM, RESTORE, REORG …
Result<std::optional<Statement>> TakeDescribeOrShow(TokenCursor &cursor);
Result<std::optional<Statement>> TakeSession(TokenCursor &cursor);  // SET, RESET

// pieces
Result<TableName> TakeTable(TokenCursor &cursor);
Result<std::string> TakePath(TokenCursor &cursor);  // the text of LOCATION
Result<Properties> TakeProperties(TokenCursor &cursor);
Result<std::string> TakePropertyKey(TokenCursor &cursor);
Result<ColumnDefinition> TakeColumn(TokenCursor &cursor);           // name type …
Result<ColumnDefinition> TakeQualifiedColumn(TokenCursor &cursor);  // a.b type … [FIRST | AFTER c]
Result<ColumnPosition> TakePosition(TokenCursor &cursor);
Result<NamedConstraint> TakeCheckConstraint(TokenCursor &cursor);        // name CHECK (…)
Result<std::vector<ColumnPath>> TakeColumnPaths(TokenCursor &cursor);    // a, b.c
Result<std::vector<PartitionValue>> TakePartition(TokenCursor &cursor);  // (p = 'v', q)
//! [FOR] VERSION AS OF 3; none if there is no such clause.
Result<std::optional<TimeTravel>> TakeTimeTravel(TokenCursor &cursor);
//! All that is left of the statement, as a query in DuckDB's spelling.
Result<std::string> TakeQuery(TokenCursor &cursor);
bool AtQuery(TokenCursor &cursor);
//! The tokens from here to one at which `ends` says so, outside all brackets; their text.
template <typename Ends>
std::string_view TakeUntil(TokenCursor &cursor, Ends ends) {
    const size_t begin = cursor.NextOffset();
    size_t end = begin;
    for (size_t depth = 0; !cursor.AtEnd() && (depth > 0 || !ends());) {
        const Token token = cursor.Take();
        end = cursor.last_end();
        if (token.IsOperator("(") || token.IsOperator("[")) {
            depth++;
        } else if ((token.IsOperator(")") || token.IsOperator("]")) && depth > 0) {
            depth--;
        }
    }
    return cursor.text().substr(begin, end - begin);
}

//! `[DELTA_OPERATION_NOT_ALLOWED] Operation not allowed: `what` is not supported for Delta tables. …`
Error NotAllowed(std::string_view what, std::string_view cure);

}  // namespace birdfoot::sql
