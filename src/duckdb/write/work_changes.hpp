// What the operators that write do to the pending change of their table: which target to write to, which files come and
// go, what history says about it.
#pragma once

#include <string>
#include <vector>

#include "duckdb.hpp"

#include "core/scan/plan.hpp"
#include "core/table/table_definition.hpp"
#include "duckdb/catalog/delta_transaction.hpp"
#include "duckdb/write/file_writer.hpp"

namespace birdfoot::duck {

WriteTarget TargetOf(const TableWork &work);
WriteTarget TargetOf(const std::string &root, const TableDefinition &table);

//! What the table is in the eyes of the transaction's statements; and a new one, part of the change from now on. Call
//! under `work.mutex`.
TableDefinition DefinitionOf(const TableWork &work);
void SetDefinition(TableWork &work, TableDefinition definition);

//! The files of the table as this transaction sees it that may hold rows satisfying `predicate` (physical columns).
std::vector<ScanFile> LiveFiles(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work,
                                const Predicate &predicate);

struct FileTotals {
    int64_t files = 0;
    int64_t bytes = 0;
    void Count(int64_t size) {
        files++;
        bytes += size;
    }
};

//! Takes live files out of the table: those that this transaction wrote vanish, the others get a tombstone. Call under
//! `work.mutex`, like all below.
FileTotals RemoveFiles(TableWork &work, const std::vector<AddFile> &files, int64_t now_ms);
struct ReplacedFile {
    AddFile old;
    AddFile replacement;
};
//! The same files with other vectors.
void ReplaceFiles(TableWork &work, std::vector<ReplacedFile> files, int64_t now_ms);
FileTotals AddFiles(TableWork &work, std::vector<WrittenFile> files);
void AddChangeFiles(TableWork &work, std::vector<AddCdcFile> files);
//! Notes that rows were checked against the table's constraints, as every FileWriter does.
void AcknowledgeConstraints(TableWork &work);

//! The operation of one more statement of the transaction: the first one gives its name, the metrics of all are added
//! up.
void RecordOperation(TableWork &work, Operation operation);
//! ["a","b"]
std::string JsonList(const std::vector<std::string> &values);

//! The mark of an idempotent write, if the session asks for one. False: the application has made this write already.
bool ClaimIdempotentWrite(duckdb::ClientContext &context, DeltaTransaction &transaction, TableWork &work);

//! Whether rows have ids that must survive when they are moved.
bool TracksRows(const TableWork &work);
//! Whether rows may go without their file being rewritten (PROTOCOL.md, "Deletion Vectors").
bool WritesVectors(const TableWork &work);

//! DELTA_CANNOT_MODIFY_APPEND_ONLY where rows may only be added.
void RequireNotAppendOnly(const TableWork &work);

}  // namespace birdfoot::duck
