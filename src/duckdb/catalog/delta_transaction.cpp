// DeltaTransaction: pinned snapshots, the work on one table, and the commit hook. Sealing is not part of the hook: each
// statement has sealed its own rows. What the hook does is I/O on the log and on names, through the engine that was
// made when the transaction began; it never uses the catalog or the secrets of the caller's context, which DuckDB has
// cleared.
#include "duckdb/catalog/delta_transaction.hpp"

#include <filesystem>

#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/database_manager.hpp"
#include "duckdb/transaction/meta_transaction.hpp"

#include "core/log/file_names.hpp"
#include "core/table/table_cache.hpp"
#include "core/table/table_features.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/post_commit.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/scan/delta_scan.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/warnings.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::duck {

namespace {

//! What a root is, by whatever name: without links and "..".
std::string FolderOf(const std::string &root) {
    if (root.find("://") != std::string::npos) {
        return root;
    }
    std::error_code problem;
    const auto folder = std::filesystem::weakly_canonical(root, problem);
    return problem ? root : folder.string();
}

void RemoveEmptyFolders(const std::filesystem::path &folder) {
    std::error_code ignored;
    for (const auto &entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) {
            RemoveEmptyFolders(entry.path());
        }
    }
    std::filesystem::remove(folder, ignored);  // not one that holds something
}

std::string NameKey(const std::string &schema, const std::string &table) {
    return duckdb::StringUtil::Lower(schema) + "/" + duckdb::StringUtil::Lower(table);
}

}  // namespace

void TableWork::Abandon() {
    files.AbandonAll();
    std::error_code ignored;
    if (new_folder && !std::filesystem::exists(transaction.root() + "/" + std::string(kLogFolder), ignored)) {
        RemoveEmptyFolders(transaction.root());
    }
}

void TableWork::SetMetadata(Metadata new_metadata, StructType new_schema, ColumnMappingMode new_mapping,
                            Protocol new_protocol) {
    auto &changes = transaction.changes();
    changes.metadata = new_metadata;
    if (created || !(new_protocol == protocol)) {
        changes.protocol = new_protocol;
    }
    metadata = std::move(new_metadata);
    schema = std::move(new_schema);
    mapping = new_mapping;
    protocol = std::move(new_protocol);
}

SnapshotPtr TableWork::View() const {
    auto &base = transaction.snapshot();
    if (base && !transaction.changes().metadata && !transaction.changes().protocol) {
        return base;
    }
    LogSegment segment;
    std::optional<int64_t> in_commit_timestamp;
    if (base) {
        segment = base->segment();
        in_commit_timestamp = base->in_commit_timestamp();
    } else {
        segment.version = -1;
    }
    return std::make_shared<const Snapshot>(transaction.root(), std::move(segment), protocol, metadata, schema, mapping,
                                            in_commit_timestamp);
}

std::shared_ptr<const ScanOverlay> TableWork::Overlay() {
    std::lock_guard lock(mutex);
    auto &changes = transaction.changes();
    if (changes.adds.empty() && changes.removes.empty()) {
        return nullptr;
    }
    auto overlay = std::make_shared<ScanOverlay>();
    overlay->added = changes.adds;
    for (auto &remove : changes.removes) {
        overlay->removed.insert(FileKey(remove.path, remove.deletion_vector));
    }
    return overlay;
}

bool IsNoTable(const Error &error) {
    return error.condition() == Condition::DELTA_MISSING_DELTA_TABLE ||
           error.condition() == Condition::DELTA_PATH_DOES_NOT_EXIST;
}

void CheckAccess(duckdb::ClientContext &context, const std::string &root) {
    const bool elsewhere = root.find("://") != std::string::npos && !root.starts_with('/');
    if (elsewhere && dynamic_cast<storage::LocalStore *>(EngineOf(*context.db).store.get()) != nullptr) {
        Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
                   "{} is in an object store, and this version has tables in local folders only. Copy the table to a "
                   "folder, or mount the store as one.",
                   root));
    }
    if (!duckdb::DBConfig::GetConfig(context).CanAccessFile(root + "/", duckdb::FileType::FILE_TYPE_DIR)) {
        throw duckdb::PermissionException("Cannot access " + root +
                                          " - file system operations are disabled by configuration");
    }
}

DeltaTransaction::DeltaTransaction(DeltaCatalog &catalog, duckdb::TransactionManager &manager,
                                   duckdb::ClientContext &context)
    : duckdb::Transaction(manager, context), catalog_(catalog), engine_(EngineOf(*context.db)) {}

DeltaTransaction &DeltaTransaction::Get(duckdb::ClientContext &context, duckdb::Catalog &catalog) {
    return duckdb::Transaction::Get(context, catalog).Cast<DeltaTransaction>();
}

DeltaTransaction *DeltaTransaction::Any(duckdb::ClientContext &context) {
    for (const auto &database : duckdb::DatabaseManager::Get(context).GetDatabases(context)) {
        if (database->GetCatalog().GetCatalogType() == kStorageType) {
            return &Get(context, database->GetCatalog());
        }
    }
    return nullptr;
}

//! On our other catalogs, of the same transaction of the user's.
std::vector<DeltaTransaction *> DeltaTransaction::Others() {
    std::vector<DeltaTransaction *> others;
    const auto client = context.lock();
    if (!client || !client->transaction.HasActiveTransaction()) {
        return others;
    }
    auto &transactions = duckdb::MetaTransaction::Get(*client);
    for (const auto &database : duckdb::DatabaseManager::Get(*client).GetDatabases(*client)) {
        if (database->GetCatalog().GetCatalogType() != kStorageType) {
            continue;
        }
        auto other = transactions.TryGetTransaction(*database);
        if (other && other.get() != this) {
            others.push_back(&other->Cast<DeltaTransaction>());
        }
    }
    return others;
}

SnapshotPtr DeltaTransaction::FindPinned(const std::string &folder) {
    std::lock_guard lock(mutex_);
    auto found = pinned_.find(folder);
    return found == pinned_.end() ? nullptr : found->second;
}

std::shared_ptr<ReadSet> DeltaTransaction::FindReads(const std::string &folder) {
    std::lock_guard lock(mutex_);
    auto found = reads_.find(folder);
    return found == reads_.end() ? nullptr : found->second;
}

TableWork *DeltaTransaction::FindOwnWork(const std::string &folder) {
    std::lock_guard lock(mutex_);
    return work_ && FolderOf(work_->transaction.root()) == folder ? work_.get() : nullptr;
}

SnapshotPtr DeltaTransaction::Pin(duckdb::ClientContext &context, const std::string &root) {
    const auto folder = FolderOf(root);
    if (auto pinned = FindPinned(folder)) {
        return pinned;
    }
    CheckAccess(context, root);
    SnapshotPtr pinned;
    for (auto *other : Others()) {
        pinned = pinned ? pinned : other->FindPinned(folder);
    }
    if (!pinned) {
        auto snapshot = OpenSnapshot(engine_, root, LatestVersion{}, CallOf(context));
        if (!snapshot.ok()) {
            if (IsNoTable(snapshot.error())) {
                return nullptr;
            }
            Throw(snapshot.error());
        }
        pinned = *snapshot;
    }
    std::lock_guard lock(mutex_);
    return pinned_.emplace(folder, std::move(pinned)).first->second;
}

ScanSource DeltaTransaction::Read(duckdb::ClientContext &context, const std::string &root) {
    static const auto kNoFiles = std::make_shared<const std::vector<AddFile>>();
    ScanSource source;
    source.reads = ReadsOf(root);
    auto *work = FindWork(root);
    if (!work) {
        source.snapshot = Pin(context, root);
        return source;
    }
    source.snapshot = work->View();
    source.overlay = work->Overlay();
    if (work->created || work->replaced) {
        source.live = kNoFiles;
    }
    return source;
}

TableWork &DeltaTransaction::BeginWork(duckdb::ClientContext &context, const std::string &root, SnapshotPtr snapshot) {
    CheckAccess(context, root);
    const auto reads = ReadsOf(root);
    std::lock_guard lock(mutex_);
    if (catalog_.read_only()) {
        Throw(
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED, "{} cannot be written. {}", root, catalog_.ReadOnlyReason()));
    }
    if (work_ && FolderOf(work_->transaction.root()) != FolderOf(root)) {
        auto &earlier = *work_;
        if (earlier.created || !earlier.transaction.changes().empty()) {
            Throw(
                Fail(Condition::BIRDFOOT_ONE_TABLE_PER_TRANSACTION,
                     "This transaction has changed {} and cannot change {} too. A Delta commit is about one table. "
                     "Nothing of this transaction is kept: ROLLBACK, and write each table in a transaction of its own.",
                     earlier.transaction.root(), root));
        }
        work_.reset();
    }
    // So that DuckDB knows of the write, whichever statement it comes from: one transaction writes one database.
    duckdb::MetaTransaction::Get(context).ModifyDatabase(catalog_.GetAttached(),
                                                         duckdb::DatabaseModificationType::INSERT_DATA);
    options_ = CommitOptionsOf(context);
    work_ = std::make_unique<TableWork>(root, snapshot, engine_.store);
    if (snapshot) {
        work_->metadata = snapshot->metadata();
        work_->protocol = snapshot->protocol();
        work_->schema = snapshot->schema();
        work_->mapping = snapshot->mapping();
    }
    work_->transaction.changes().reads = reads;
    work_->transaction.changes().user_metadata = UserMetadataOf(context);
    return *work_;
}

TableWork &DeltaTransaction::WorkOn(duckdb::ClientContext &context, const std::string &root) {
    if (auto *work = FindWork(root)) {
        return *work;
    }
    auto snapshot = Pin(context, root);
    if (!snapshot) {
        Throw(Fail(Condition::DELTA_MISSING_DELTA_TABLE, "{} is not a Delta table. CREATE TABLE makes one.", root));
    }
    OkOrThrow(CheckWritable(snapshot->protocol(), snapshot->metadata(), snapshot->schema(), root));
    return BeginWork(context, root, std::move(snapshot));
}

TableWork &DeltaTransaction::WorkOnNew(duckdb::ClientContext &context, const std::string &root) {
    auto &work = BeginWork(context, root, nullptr);
    work.created = true;
    std::error_code ignored;
    work.new_folder = !std::filesystem::exists(root, ignored);
    return work;
}

TableWork *DeltaTransaction::FindWork(const std::string &root) {
    const auto folder = FolderOf(root);
    auto *work = FindOwnWork(folder);
    for (auto *other : Others()) {
        work = work ? work : other->FindOwnWork(folder);
    }
    return work;
}

std::shared_ptr<ReadSet> DeltaTransaction::ReadsOf(const std::string &root) {
    const auto folder = FolderOf(root);
    auto reads = FindReads(folder);
    for (auto *other : Others()) {
        reads = reads ? reads : other->FindReads(folder);
    }
    std::lock_guard lock(mutex_);
    return reads_.emplace(folder, reads ? reads : std::make_shared<ReadSet>()).first->second;
}

duckdb::TableCatalogEntry &DeltaTransaction::Keep(duckdb::unique_ptr<duckdb::TableCatalogEntry> entry) {
    std::lock_guard lock(mutex_);
    entries_.push_back(std::move(entry));
    return *entries_.back();
}

void DeltaTransaction::AtCommit(NameChange change) {
    std::lock_guard lock(mutex_);
    name_changes_.push_back(std::move(change));
}

void DeltaTransaction::SetName(const std::string &schema, const std::string &table,
                               std::optional<Warehouse::Place> place) {
    std::lock_guard lock(mutex_);
    names_[NameKey(schema, table)] = std::move(place);
}

const std::optional<Warehouse::Place> *DeltaTransaction::ChangedName(const std::string &schema,
                                                                     const std::string &table) {
    std::lock_guard lock(mutex_);
    auto found = names_.find(NameKey(schema, table));
    return found == names_.end() ? nullptr : &found->second;
}

std::vector<std::string> DeltaTransaction::NewNames(const std::string &schema) {
    auto prefix = NameKey(schema, "");
    std::vector<std::string> made;
    std::lock_guard lock(mutex_);
    for (auto &[key, place] : names_) {
        if (place && key.size() > prefix.size() && key.starts_with(prefix)) {
            made.push_back(place->name);
        }
    }
    return made;
}

void DeltaTransaction::MarkDeleted(const std::string &root) {
    std::lock_guard lock(mutex_);
    deleted_.insert(FolderOf(root));
    if (work_ && FolderOf(work_->transaction.root()) == FolderOf(root)) {
        work_->Abandon();
        work_.reset();
    }
}

bool DeltaTransaction::IsDeleted(const std::string &root) {
    std::lock_guard lock(mutex_);
    return deleted_.contains(FolderOf(root));
}

std::optional<Error> DeltaTransaction::CommitLog(const Call &call, std::optional<Version> *committed, bool *unknown) {
    auto &changes = work_->transaction.changes();
    changes.touched_is_read = changes.reads->touched_is_read();
    auto outcome = work_->transaction.Commit(engine_, options_, call);
    if (!outcome.ok()) {
        work_->Abandon();
        return outcome.error();
    }
    if (auto *conflict = std::get_if<Conflict>(&*outcome)) {
        work_->Abandon();
        return conflict->error;
    }
    if (auto *lost = std::get_if<OutcomeUnknown>(&*outcome)) {
        work_->files.Unknown();
        *unknown = true;
        return lost->error;
    }
    auto &done = std::get<Committed>(*outcome);
    if (done.skipped) {
        work_->Abandon();
    } else {
        work_->files.Committed();
        *committed = done.version;
    }
    return std::nullopt;
}

std::optional<Error> DeltaTransaction::CommitNamesAndLog(const Call &call, std::optional<Version> *committed) {
    std::optional<Error> error;
    bool unknown = false;
    size_t begun = 0;
    for (; begun < name_changes_.size() && !error; begun++) {
        if (auto &before = name_changes_[begun].before) {
            if (auto status = before(call); !status.ok()) {
                error = status.error();
                break;
            }
        }
    }
    if (!error && work_ && work_->half_done) {
        error =
            Fail(Condition::DELTA_OPERATION_NOT_ALLOWED,
                 "A statement of this transaction failed after it had begun to change {}. Nothing of the transaction "
                 "is kept; run it again.",
                 work_->transaction.root());
    }
    if (error) {
        if (work_) {
            work_->Abandon();
        }
    } else if (work_ && (work_->created || !work_->transaction.changes().empty())) {
        error = CommitLog(call, committed, &unknown);
    } else if (work_) {
        work_->Abandon();
    }
    if (error) {
        while (!unknown && begun > 0) {
            if (auto &undo = name_changes_[--begun].undo) {
                undo();
            }
        }
        return error;
    }
    // The user's interrupt does not count from here on: what the log says has happened.
    Call uninterrupted;
    uninterrupted.metrics = call.metrics;
    for (auto &change : name_changes_) {
        if (!change.after) {
            continue;
        }
        if (auto status = change.after(uninterrupted); !status.ok()) {
            if (!*committed) {
                return status.error();
            }
            Warn(catalog_.GetDatabase(), status.error().message());
        }
    }
    return std::nullopt;
}

duckdb::ErrorData DeltaTransaction::Commit(duckdb::ClientContext &context) {
    if (!work_ && name_changes_.empty()) {
        return {};
    }
    std::optional<Version> committed;
    if (auto error = CommitNamesAndLog(CallOf(context), &committed)) {
        return duckdb::ErrorData(duckdb::ExceptionType::TRANSACTION, error->message());
    }
    if (committed) {
        try {
            PostCommitWork::After(context, engine_, work_->transaction.root(), *committed);
        } catch (...) {
            Warn(catalog_.GetDatabase(), ErrorFromException(Condition::BIRDFOOT_INTERNAL).message());
        }
    }
    return {};
}

void DeltaTransaction::Rollback() {
    if (work_) {
        work_->Abandon();
    }
}

}  // namespace birdfoot::duck
