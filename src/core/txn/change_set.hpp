// ChangeSet: everything that a transaction wants to change, without any I/O. It has a JSON form, since executors,
// two-phase writers and crash tests hand it on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/actions.hpp"
#include "core/txn/read_set.hpp"

namespace birdfoot {

//! commitInfo's operation (specification, section 5). Values of parameters and metrics are the strings that go into the
//! log; lists and maps are JSON text inside the string.
struct Operation {
    std::string name = "WRITE";
    std::vector<std::pair<std::string, std::string>> parameters;
    std::map<std::string, std::string> metrics;
};

struct ChangeSet {
    std::vector<AddFile> adds;        // new files, and re-added ones with another vector
    std::vector<RemoveFile> removes;  // made with MakeRemove
    std::vector<AddCdcFile> cdc;
    std::optional<Metadata> metadata;  // the new one, if changed; always for a new table
    std::optional<Protocol> protocol;  // the new one, if changed; always for a new table
    std::vector<DomainMetadata> domains;
    std::vector<SetTransaction> transactions;
    Operation operation;
    std::optional<std::string> user_metadata;
    //! Constraints that the writer has checked on every row it wrote ("NOT NULL a.b", names of CHECKs): the commit rule
    //! refuses a change that adds data to a table with one that is missing here.
    std::vector<std::string> acknowledged_constraints;
    //! The rows touched are exactly the rows read (see ReadSet): vectors may merge.
    bool touched_is_read = false;
    //! Only re-arranges rows: SnapshotIsolation.
    bool data_change = true;
    std::shared_ptr<ReadSet> reads = std::make_shared<ReadSet>();

    bool empty() const;          // nothing to commit
    bool IsBlindAppend() const;  // no read registered and only adds
    //! All of it as actions, in the order in which a commit has them (after its commitInfo).
    std::vector<Action> Actions() const;
    std::string ToJson() const;
    static Result<ChangeSet> FromJson(std::string_view json);
};

}  // namespace birdfoot
