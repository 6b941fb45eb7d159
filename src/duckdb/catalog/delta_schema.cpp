#include "duckdb/catalog/delta_schema.hpp"

#include <algorithm>

#include "duckdb/catalog/entry_lookup_info.hpp"
#include "duckdb/catalog/similar_catalog_entry.hpp"
#include "duckdb/common/string_util.hpp"
#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parsed_data/alter_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"
#include "duckdb/planner/tableref/bound_at_clause.hpp"

#include "core/table/table_cache.hpp"
#include "core/table/table_properties.hpp"
#include "duckdb/catalog/delta_catalog.hpp"
#include "duckdb/catalog/missing_table.hpp"
#include "duckdb/catalog/time_travel.hpp"
#include "duckdb/commands/alter_table.hpp"
#include "duckdb/commands/create_table.hpp"
#include "duckdb/commands/drop_table.hpp"
#include "duckdb/io/engine.hpp"
#include "duckdb/settings.hpp"
#include "duckdb/translate/errors.hpp"
#include "duckdb/translate/warnings.hpp"

namespace birdfoot::duck {

namespace {

[[noreturn]] void Refuse(const char *what) {
    Throw(Fail(Condition::BIRDFOOT_UNSUPPORTED,
               "{} cannot be created in a catalog of Delta tables. Create it in a DuckDB database, such as memory.",
               what));
}

//! The table at `root` as the statements of this transaction see it; null if there is none.
SnapshotPtr CurrentSnapshot(duckdb::ClientContext &context, DeltaTransaction &transaction, const std::string &root) {
    auto *work = transaction.FindWork(root);
    return work ? work->View() : transaction.Pin(context, root);
}

//! Where the session asks for it: a version older than the retention of deleted files may have lost some to VACUUM.
void CheckRetention(duckdb::ClientContext &context, DeltaTransaction &transaction, const Snapshot &wanted) {
    auto latest = transaction.Pin(context, wanted.root());
    auto retention = latest ? ValueOrThrow(IntervalProperty(latest->metadata(), "delta.deletedFileRetentionDuration"))
                            : std::nullopt;
    if (!retention || wanted.version() == latest->version() ||
        wanted.timestamp_ms() >= transaction.engine().now_ms() - *retention) {
        return;
    }
    Throw(Fail(Condition::DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION,
               "Version {} of {} is older than the {} hours for which deleted files are kept. Raise "
               "delta.deletedFileRetentionDuration, or switch the check off.",
               wanted.version(), wanted.root(), *retention / 3'600'000));
}

SnapshotPtr SnapshotAt(duckdb::ClientContext &context, DeltaTransaction &transaction, const std::string &root,
                       const VersionTarget &target) {
    CheckAccess(context, root);
    auto snapshot = OpenSnapshot(transaction.engine(), root, target, CallOf(context));
    if (!snapshot.ok() && IsNoTable(snapshot.error())) {
        return nullptr;
    }
    auto found = ValueOrThrow(std::move(snapshot));
    if (EnforcesRetentionOf(context)) {
        CheckRetention(context, transaction, *found);
    }
    return found;
}

}  // namespace

DeltaSchema::DeltaSchema(duckdb::Catalog &catalog, duckdb::CreateSchemaInfo &info)
    : duckdb::SchemaCatalogEntry(catalog, info) {}

DeltaCatalog &DeltaSchema::delta_catalog() { return catalog.Cast<DeltaCatalog>(); }

std::optional<Warehouse::Place> DeltaSchema::PlaceOf(duckdb::ClientContext &context, const std::string &table) {
    auto &ours = delta_catalog();
    auto &transaction = DeltaTransaction::Get(context, catalog);
    std::optional<Warehouse::Place> place;
    switch (ours.kind()) {
    case CatalogKind::kPaths:
        if (!table.empty()) {
            place = Warehouse::Place{table, NormalizeTableRoot(table), false, {}};
        }
        break;
    case CatalogKind::kTable:
        if (duckdb::StringUtil::CIEquals(table, ours.table_name())) {
            place = Warehouse::Place{ours.table_name(), ours.root(), false, {}};
        }
        break;
    case CatalogKind::kWarehouse:
        if (auto *changed = transaction.ChangedName(name, table)) {
            place = *changed;
        } else {
            place = ValueOrThrow(ours.NamesOf(transaction.engine()).Find(name, table, CallOf(context)));
        }
        break;
    }
    return place;
}

std::optional<TableView> DeltaSchema::ViewOf(duckdb::ClientContext &context, const duckdb::EntryLookupInfo &lookup) {
    auto &transaction = DeltaTransaction::Get(context, catalog);
    auto at = lookup.GetAtClause();
    if (auto place = PlaceOf(context, lookup.GetEntryName())) {
        auto snapshot = at ? SnapshotAt(context, transaction, place->root, TargetOf(context, *at))
                           : CurrentSnapshot(context, transaction, place->root);
        if (snapshot) {
            return TableView{place->root, std::move(snapshot), at != nullptr, place->managed};
        }
    }
    // A name with a version in it counts only where no table has the literal name.
    auto target = TargetInName(context, lookup.GetEntryName());
    auto place = target ? PlaceOf(context, target->first) : std::nullopt;
    if (!place) {
        return std::nullopt;
    }
    if (at) {
        Throw(Fail(Condition::DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS,
                   "'{}' asks for a version by its name and by a clause. Leave one of them out.",
                   lookup.GetEntryName()));
    }
    auto snapshot = SnapshotAt(context, transaction, place->root, target->second);
    if (!snapshot) {
        return std::nullopt;
    }
    return TableView{place->root, std::move(snapshot), true, place->managed};
}

duckdb::unique_ptr<DeltaTableEntry> DeltaSchema::DanglingName(duckdb::ClientContext &context,
                                                              const std::string &table) {
    auto place = delta_catalog().kind() == CatalogKind::kWarehouse ? PlaceOf(context, table) : std::nullopt;
    if (!place || place->name_file.empty()) {
        return nullptr;
    }
    auto problem = Fail(Condition::DELTA_PATH_DOES_NOT_EXIST,
                        "The table {} is said to be at {}, where there is none. Put it back there, or DROP the name.",
                        place->name, place->root);
    return DeltaTableEntry::MakeUnreadable(catalog, *this, table, std::move(problem));
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::LookupEntry(duckdb::CatalogTransaction catalog_transaction,
                                                                    const duckdb::EntryLookupInfo &lookup) {
    if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY || !catalog_transaction.HasContext()) {
        return nullptr;
    }
    return Guarded([&]() -> duckdb::optional_ptr<duckdb::CatalogEntry> {
        auto &context = catalog_transaction.GetContext();
        auto &transaction = DeltaTransaction::Get(context, catalog);
        auto view = ViewOf(context, lookup);
        if (!view) {
            if (auto dangling = DanglingName(context, lookup.GetEntryName())) {
                return transaction.Keep(std::move(dangling));
            }
            transaction.Missed(lookup.GetEntryName());
            return nullptr;
        }
        return transaction.Keep(DeltaTableEntry::Make(catalog, *this, lookup.GetEntryName(), std::move(*view)));
    });
}

duckdb::SimilarCatalogEntry DeltaSchema::GetSimilarEntry(duckdb::CatalogTransaction catalog_transaction,
                                                         const duckdb::EntryLookupInfo &lookup) {
    // DuckDB asks this, of every schema, when it is about to say that a table does not exist.
    duckdb::SimilarCatalogEntry similar;
    if (lookup.GetCatalogType() != duckdb::CatalogType::TABLE_ENTRY || !catalog_transaction.HasContext()) {
        return similar;
    }
    auto &context = catalog_transaction.GetContext();
    auto &wanted = lookup.GetEntryName();
    return Guarded([&] {
        auto &ours = delta_catalog();
        auto &transaction = DeltaTransaction::Get(context, catalog);
        if (ours.kind() == CatalogKind::kPaths) {
            if (transaction.last_missed() == wanted) {
                Throw(NoTableAt(context, wanted));
            }
            return similar;
        }
        if (ours.kind() == CatalogKind::kWarehouse) {
            auto tables = ours.NamesOf(transaction.engine()).Tables(name, CallOf(context));
            if (!tables.ok()) {
                return similar;  // the error about the missing table is the one to show
            }
            for (auto &table : *tables) {
                auto score = duckdb::StringUtil::SimilarityRating(table.name, wanted);
                if (score > similar.score) {
                    similar = {table.name, score, this};
                }
            }
        }
        return similar;
    });
}

void DeltaSchema::Scan(duckdb::ClientContext &context, duckdb::CatalogType type,
                       const std::function<void(duckdb::CatalogEntry &)> &callback) {
    if (type != duckdb::CatalogType::TABLE_ENTRY) {
        return;
    }
    Guarded([&] {
        auto &ours = delta_catalog();
        auto &transaction = DeltaTransaction::Get(context, catalog);
        std::vector<std::string> names;
        if (ours.kind() == CatalogKind::kTable) {
            names.push_back(ours.table_name());
        } else if (ours.kind() == CatalogKind::kWarehouse) {
            auto tables = ours.NamesOf(transaction.engine()).Tables(name, CallOf(context));
            if (!tables.ok()) {
                // A list of all tables of all databases must not fail for one that is out of reach.
                Warn(*context.db, tables.error().message());
                return;
            }
            names = transaction.NewNames(name);
            for (auto &table : *tables) {
                names.push_back(table.name);
            }
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
        }
        for (auto &table : names) {
            duckdb::unique_ptr<DeltaTableEntry> entry;
            try {
                auto view = ViewOf(context, {duckdb::CatalogType::TABLE_ENTRY, table});
                entry = view ? DeltaTableEntry::Make(catalog, *this, table, std::move(*view))
                             : DanglingName(context, table);
            } catch (const duckdb::InterruptException &) {
                throw;
            } catch (...) {
                entry = DeltaTableEntry::MakeUnreadable(catalog, *this, table,
                                                        ErrorFromException(Condition::BIRDFOOT_INTERNAL));
            }
            if (entry) {
                callback(transaction.Keep(std::move(entry)));
            }
        }
    });
}

void DeltaSchema::Scan(duckdb::CatalogType, const std::function<void(duckdb::CatalogEntry &)> &) {
    // Without a context there is no transaction to look through; only DuckDB's own catalogs are asked so.
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateTable(duckdb::CatalogTransaction catalog_transaction,
                                                                    duckdb::BoundCreateTableInfo &info) {
    return Guarded([&]() -> duckdb::optional_ptr<duckdb::CatalogEntry> {
        auto &context = catalog_transaction.GetContext();
        auto &table = info.Base().table;
        auto result = CreateDeltaTable(context, delta_catalog(), name, table, CreateSpecOf(context, info));
        if (result.outcome == CreateOutcome::kExists) {
            return nullptr;
        }
        return LookupEntry(catalog_transaction, {duckdb::CatalogType::TABLE_ENTRY, table});
    });
}

void DeltaSchema::DropEntry(duckdb::ClientContext &context, duckdb::DropInfo &info) {
    Guarded([&] { DropDeltaTable(context, *this, info); });
}

void DeltaSchema::Alter(duckdb::CatalogTransaction catalog_transaction, duckdb::AlterInfo &info) {
    Guarded([&] { AlterDeltaTable(catalog_transaction.GetContext(), *this, info); });
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateIndex(duckdb::CatalogTransaction,
                                                                    duckdb::CreateIndexInfo &,
                                                                    duckdb::TableCatalogEntry &) {
    Refuse("An index");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateFunction(duckdb::CatalogTransaction,
                                                                       duckdb::CreateFunctionInfo &) {
    Refuse("A function");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateView(duckdb::CatalogTransaction,
                                                                   duckdb::CreateViewInfo &) {
    Refuse("A view");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateSequence(duckdb::CatalogTransaction,
                                                                       duckdb::CreateSequenceInfo &) {
    Refuse("A sequence");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateTableFunction(duckdb::CatalogTransaction,
                                                                            duckdb::CreateTableFunctionInfo &) {
    Refuse("A table function");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateCopyFunction(duckdb::CatalogTransaction,
                                                                           duckdb::CreateCopyFunctionInfo &) {
    Refuse("A copy function");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreatePragmaFunction(duckdb::CatalogTransaction,
                                                                             duckdb::CreatePragmaFunctionInfo &) {
    Refuse("A pragma");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateCollation(duckdb::CatalogTransaction,
                                                                        duckdb::CreateCollationInfo &) {
    Refuse("A collation");
}

duckdb::optional_ptr<duckdb::CatalogEntry> DeltaSchema::CreateType(duckdb::CatalogTransaction,
                                                                   duckdb::CreateTypeInfo &) {
    Refuse("A type");
}

}  // namespace birdfoot::duck
