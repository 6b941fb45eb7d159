// The operation of a DELETE, UPDATE or MERGE for the table's history, with Spark's names for its metrics.
#pragma once

#include "core/txn/change_set.hpp"
#include "duckdb/write/change_rows.hpp"
#include "duckdb/write/seal.hpp"

namespace birdfoot::duck {

//! What a statement came to.
struct ChangeTotals {
    int64_t inserted = 0;           // rows, like those below
    int64_t matched_updated = 0;    // all rows of an UPDATE
    int64_t unmatched_updated = 0;  // WHEN NOT MATCHED BY SOURCE
    int64_t deleted = 0;            // matched or not
    int64_t unmatched_deleted = 0;  // these of them
    FileTotals added;               // files with new rows
    SealTotals sealed;              // files that lost rows
    int64_t change_files = 0;
    int64_t updated() const { return matched_updated + unmatched_updated; }
};

//! As Spark counts: another vector for a file that has one is both added and removed. Without the times.
Operation OperationOf(const ChangeTarget &target, const ChangeTotals &totals);

}  // namespace birdfoot::duck
