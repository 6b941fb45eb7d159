// Histograms and the list of all files, which the format also allows, are neither written nor read: they are optional,
// and nothing here needs them.
#include "core/log/checksum.hpp"

#include <algorithm>
#include <set>

namespace birdfoot {
namespace {

constexpr size_t kMaxTransactions = 100;  // more are left out, as delta-spark does
constexpr size_t kMaxDomains = 32;
constexpr uint64_t kMaxCountedCheckpoint = 512 << 10;  // bytes; a larger one holds more files than are counted

//! The single action in `json`, read as a commit's line {"<name>": <json>} is.
template <typename Kind>
std::optional<Kind> ReadOne(std::string_view name, JsonValue json) {
    if (!json.is_object()) {
        return std::nullopt;
    }
    std::optional<Kind> found;
    const auto status =
        ParseActions(fmt::format("{{\"{}\":{}}}", name, json.ToText()), "checksum", [&](Action &&action) -> Status {
            if (auto *kind = std::get_if<Kind>(&action)) {
                found = std::move(*kind);
            }
            return {};
        });
    return status.ok() ? found : std::nullopt;
}

//! An action without its outer object: {"add":{…}} is {…}.
std::string Inner(const Action &action) {
    const auto line = ActionToJson(action);
    const size_t colon = line.find(':');
    return line.substr(colon + 1, line.size() - colon - 2);
}

template <typename Kind>
std::optional<std::vector<Kind>> ReadList(std::string_view name, JsonValue json) {
    if (!json.is_array()) {
        return std::nullopt;
    }
    std::vector<Kind> list;
    const auto status = json.ForEachElement([&](JsonValue element) -> Status {
        auto one = ReadOne<Kind>(name, element);
        if (!one) {
            return Fail(Condition::DELTA_LOG_FILE_MALFORMED, "no {}", name);
        }
        list.push_back(*std::move(one));
        return {};
    });
    return status.ok() ? std::optional(std::move(list)) : std::nullopt;
}

template <typename Kind>
void WriteList(JsonWriter &out, std::string_view name, const std::optional<std::vector<Kind>> &list) {
    if (!list) {
        return;
    }
    out.Key(name).BeginArray();
    for (const auto &item : *list) {
        out.Raw(Inner(item));
    }
    out.EndArray();
}

std::set<std::string> SetOf(const std::optional<std::vector<std::string>> &list) {
    return list ? std::set<std::string>(list->begin(), list->end()) : std::set<std::string>();
}

//! The order of feature lists means nothing.
bool SameProtocol(const Protocol &a, const Protocol &b) {
    return a.min_reader_version == b.min_reader_version && a.min_writer_version == b.min_writer_version &&
           SetOf(a.reader_features) == SetOf(b.reader_features) && SetOf(a.writer_features) == SetOf(b.writer_features);
}

Result<std::optional<Checksum>> ReadFile(const Engine &engine, const std::string &log_folder, Version version,
                                         const Call &call) {
    const auto text = engine.store->Get(log_folder + "/" + ChecksumFileName(version), std::nullopt, call);
    if (text.ok()) {
        return ParseChecksum(*text);
    }
    if (text.error().condition() == Condition::BIRDFOOT_OBJECT_NOT_FOUND) {
        return std::optional<Checksum>();
    }
    return text.error();
}

//! False where the sum is no number any more: what other writers put into a log may be anything.
bool Count(int64_t &sum, bool plus, int64_t number) {
    return plus ? !__builtin_add_overflow(sum, number, &sum) : !__builtin_sub_overflow(sum, number, &sum);
}

//! The previous version's sums with one commit applied; none where the commit does not say enough.
std::optional<Checksum> Apply(Checksum sums, const CommitActions &commit) {
    std::set<std::string> added, removed;
    const bool vectors = sums.num_deleted_records && sums.num_deletion_vectors;
    const auto count = [&](bool plus, int64_t size, const std::optional<DeletionVectorDescriptor> &vector) {
        return Count(sums.num_files, plus, 1) && Count(sums.table_size_bytes, plus, size) &&
               (!vectors || !vector ||
                (Count(*sums.num_deleted_records, plus, vector->cardinality) &&
                 Count(*sums.num_deletion_vectors, plus, 1)));
    };
    sums.txn_id.reset();
    sums.in_commit_timestamp.reset();
    for (const auto &action : commit.actions) {
        if (const auto *add = std::get_if<AddFile>(&action)) {
            // A file that only gets new statistics or tags is added again without being removed: its key may be live.
            if (!add->data_change || !added.insert(FileKey(add->path, std::nullopt)).second ||
                !count(true, add->size, add->deletion_vector)) {
                return std::nullopt;
            }
        } else if (const auto *remove = std::get_if<RemoveFile>(&action)) {
            if (!remove->size || !removed.insert(FileKey(remove->path, std::nullopt)).second ||
                !count(false, *remove->size, remove->deletion_vector)) {
                return std::nullopt;
            }
        } else if (const auto *protocol = std::get_if<Protocol>(&action)) {
            sums.protocol = *protocol;
        } else if (const auto *metadata = std::get_if<Metadata>(&action)) {
            sums.metadata = *metadata;
        } else if (const auto *info = std::get_if<CommitInfo>(&action)) {
            sums.txn_id = info->txn_id;
            sums.in_commit_timestamp = info->in_commit_timestamp;
        } else if (const auto *transaction = std::get_if<SetTransaction>(&action)) {
            if (sums.transactions) {
                std::erase_if(*sums.transactions, [&](const auto &t) { return t.app_id == transaction->app_id; });
                sums.transactions->push_back(*transaction);
            }
        } else if (const auto *domain = std::get_if<DomainMetadata>(&action)) {
            if (sums.domains) {
                std::erase_if(*sums.domains, [&](const auto &d) { return d.domain == domain->domain; });
                if (!domain->removed) {
                    sums.domains->push_back(*domain);
                }
            }
        }
    }
    if (sums.num_files < 0 || sums.table_size_bytes < 0) {
        return std::nullopt;
    }
    return sums;
}

Result<CommitActionsPtr> LastCommit(const Engine &engine, const LogSegment &segment, const Call &call) {
    if (!segment.tail.empty() && segment.tail.back()->first_version == segment.version) {
        return segment.tail.back();
    }
    ObjectInfo file;
    file.name = CommitFileName(segment.version);
    return ReadCommit(engine, segment.log_folder, file, call);
}

//! From the checksum before; none where there is none or it does not fit.
Result<std::optional<Checksum>> FromPrevious(const Engine &engine, const LogSegment &segment, const Call &call) {
    if (segment.version == 0) {
        return std::optional<Checksum>();
    }
    BF_ASSIGN(auto previous, ReadFile(engine, segment.log_folder, segment.version - 1, call));
    if (!previous) {
        return std::optional<Checksum>();
    }
    BF_ASSIGN(const auto commit, LastCommit(engine, segment, call));
    return Apply(*std::move(previous), *commit);
}

//! By counting; none for a table of too many files.
Result<std::optional<Checksum>> CountFiles(const Engine &engine, const LogSegment &segment, const Protocol &protocol,
                                           const Call &call) {
    if (segment.checkpoint && segment.checkpoint->size_in_bytes > kMaxCountedCheckpoint) {
        return std::optional<Checksum>();
    }
    Checksum sums;
    int64_t deleted = 0;
    int64_t vectors = 0;
    bool too_much = false;
    FileRequest request;
    request.statistics = false;
    request.tags = false;
    const auto counts = ReplayFiles(
        engine, segment, request,
        [&](AddFile &&add) -> Status {
            vectors += add.deletion_vector.has_value();
            too_much = static_cast<uint64_t>(++sums.num_files) > kMaxCountedFiles ||
                       !Count(sums.table_size_bytes, true, add.size) ||
                       (add.deletion_vector && !Count(deleted, true, add.deletion_vector->cardinality));
            return too_much ? Status(Fail(Condition::BIRDFOOT_CANCELLED, "There is too much to count.")) : Status();
        },
        call);
    if (too_much) {
        return std::optional<Checksum>();
    }
    if (!counts.ok()) {
        return counts.error();
    }
    if (vectors > 0 || SetOf(protocol.reader_features).contains("deletionVectors")) {
        sums.num_deleted_records = deleted;
        sums.num_deletion_vectors = vectors;
    }
    BF_ASSIGN(auto extras, ReplayExtras(engine, segment, call));
    sums.transactions.emplace();
    for (auto &[app_id, transaction] : extras.transactions) {
        sums.transactions->push_back(std::move(transaction));
    }
    sums.domains.emplace();
    for (auto &[name, domain] : extras.domains) {
        sums.domains->push_back(std::move(domain));
    }
    BF_ASSIGN(const auto commit, LastCommit(engine, segment, call));
    for (const auto &action : commit->actions) {
        if (const auto *info = std::get_if<CommitInfo>(&action)) {
            sums.txn_id = info->txn_id;
            sums.in_commit_timestamp = info->in_commit_timestamp;
        }
    }
    return std::optional(std::move(sums));
}

}  // namespace

std::optional<Checksum> ParseChecksum(std::string_view text) {
    const auto document = JsonDocument::Parse(text);
    if (!document.ok()) {
        return std::nullopt;
    }
    const auto root = document->root();
    const auto bytes = root["tableSizeBytes"].int64();
    const auto files = root["numFiles"].int64();
    auto metadata = ReadOne<Metadata>("metaData", root["metadata"]);
    auto protocol = ReadOne<Protocol>("protocol", root["protocol"]);
    if (!bytes || !files || !metadata || !protocol || root["numMetadata"].int64() != 1 ||
        root["numProtocol"].int64() != 1) {
        return std::nullopt;
    }
    Checksum sums;
    if (const auto id = root["txnId"].string()) {
        sums.txn_id = std::string(*id);
    }
    sums.table_size_bytes = *bytes;
    sums.num_files = *files;
    sums.in_commit_timestamp = root["inCommitTimestampOpt"].int64();
    sums.transactions = ReadList<SetTransaction>("txn", root["setTransactions"]);
    sums.domains = ReadList<DomainMetadata>("domainMetadata", root["domainMetadata"]);
    sums.metadata = *std::move(metadata);
    sums.protocol = *std::move(protocol);
    sums.num_deleted_records = root["numDeletedRecordsOpt"].int64();
    sums.num_deletion_vectors = root["numDeletionVectorsOpt"].int64();
    return sums;
}

std::string ChecksumToJson(const Checksum &checksum) {
    std::string text;
    JsonWriter out(text);
    out.BeginObject().Optional("txnId", checksum.txn_id).Key("tableSizeBytes").Int(checksum.table_size_bytes);
    out.Key("numFiles").Int(checksum.num_files);
    out.Optional("numDeletedRecordsOpt", checksum.num_deleted_records);
    out.Optional("numDeletionVectorsOpt", checksum.num_deletion_vectors);
    out.Key("numMetadata").Int(1).Key("numProtocol").Int(1);
    out.Optional("inCommitTimestampOpt", checksum.in_commit_timestamp);
    WriteList(out, "setTransactions", checksum.transactions);
    WriteList(out, "domainMetadata", checksum.domains);
    out.Key("metadata").Raw(Inner(checksum.metadata)).Key("protocol").Raw(Inner(checksum.protocol)).EndObject();
    return text;
}

Result<std::optional<Checksum>> ReadChecksum(const Engine &engine, const LogSegment &segment, const Protocol &protocol,
                                             const Metadata &metadata, const Call &call) {
    BF_ASSIGN(auto sums, ReadFile(engine, segment.log_folder, segment.version, call));
    if (sums && (!SameProtocol(sums->protocol, protocol) || sums->metadata != metadata)) {
        return std::optional<Checksum>();
    }
    return sums;
}

Result<bool> WriteChecksum(const Engine &engine, const LogSegment &segment, const Protocol &protocol,
                           const Metadata &metadata, const Call &call) {
    BF_ASSIGN(auto sums, FromPrevious(engine, segment, call));
    if (sums && (!SameProtocol(sums->protocol, protocol) || sums->metadata != metadata)) {
        sums.reset();  // what it was made from did not agree with the log
    }
    if (!sums) {
        BF_ASSIGN(sums, CountFiles(engine, segment, protocol, call));
    }
    if (!sums) {
        return false;
    }
    sums->protocol = protocol;
    sums->metadata = metadata;
    if ((sums->transactions && sums->transactions->size() > kMaxTransactions) ||
        metadata.configuration.contains("delta.setTransactionRetentionDuration")) {
        sums->transactions.reset();
    }
    if (sums->domains && sums->domains->size() > kMaxDomains) {
        sums->domains.reset();
    }
    BF_ASSIGN(const auto put, engine.store->Put(segment.log_folder + "/" + ChecksumFileName(segment.version),
                                                ChecksumToJson(*sums) + "\n", PutMode::kCreateOnly, call));
    return put == PutResult::kWritten;
}

}  // namespace birdfoot
