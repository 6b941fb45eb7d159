// Which changes of protocol and metadata by another writer a transaction can live with: those under which what it has
// written already is as right as before (delta-spark's failConcurrentTransactionsAtUpgrade and its allow-list).
#pragma once

#include <optional>
#include <string>

#include "core/log/actions.hpp"

namespace birdfoot {

//! What the winner did that transactions begun before cannot follow, e.g. "added the table feature clustering"; none if
//! they can.
std::optional<std::string> ProtocolChangeThatFailsOthers(const Protocol &before, const Protocol &after);
//! The same for a metadata; `protocol` is the one after the winner.
std::optional<std::string> MetadataChangeThatFailsOthers(const Metadata &before, const Metadata &after,
                                                         const Protocol &protocol);
//! True if the commit's metadata only moves the high-water marks of identity columns.
bool IsIdentityOnly(const CommitInfo &info);

}  // namespace birdfoot
