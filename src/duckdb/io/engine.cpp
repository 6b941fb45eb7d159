// The ports, as a DuckDB database offers them.
#include "duckdb/io/engine.hpp"

#include <chrono>

#include "duckdb/storage/object_cache.hpp"

#include "core/table/table_cache.hpp"
#include "duckdb/io/parquet_io.hpp"
#include "storage/local_store.hpp"

namespace birdfoot::duck {

namespace {

class CachedEngine : public duckdb::ObjectCacheEntry {
public:
    CachedEngine(Engine engine_p, std::shared_ptr<storage::LocalStore> local_p)
        : engine(std::move(engine_p)), local(std::move(local_p)) {}

    static duckdb::string ObjectType() { return "birdfoot_engine"; }
    duckdb::string GetObjectType() override { return ObjectType(); }
    //! None: never evicted.
    duckdb::optional_idx GetEstimatedCacheMemory() const override { return {}; }

    const Engine engine;
    const std::shared_ptr<storage::LocalStore> local;  // null with a store of the program's own
};

int64_t NowMs() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

constexpr auto kKey = "birdfoot_engine";

duckdb::shared_ptr<CachedEngine> MakeEntry(duckdb::DatabaseInstance &db, std::shared_ptr<ObjectStore> store,
                                           std::shared_ptr<storage::LocalStore> local) {
    Engine engine{std::move(store), std::make_shared<DuckParquetIo>(db.shared_from_this()), NowMs,
                  std::make_shared<TableCache>()};
    // Two threads may come here; the one that is first decides.
    return db.GetObjectCache().GetOrCreate<CachedEngine>(kKey, std::move(engine), std::move(local));
}

duckdb::shared_ptr<CachedEngine> EntryOf(duckdb::DatabaseInstance &db) {
    if (auto entry = db.GetObjectCache().Get<CachedEngine>(kKey)) {
        return entry;
    }
    auto local = std::make_shared<storage::LocalStore>();
    return MakeEntry(db, local, local);
}

}  // namespace

Engine EngineOf(duckdb::DatabaseInstance &db) { return EntryOf(db)->engine; }

void UseStore(duckdb::DatabaseInstance &db, std::shared_ptr<ObjectStore> store) {
    MakeEntry(db, std::move(store), nullptr);
}

void SetFsync(duckdb::DatabaseInstance &db, bool on) {
    if (const auto &local = EntryOf(db)->local) {
        local->SetFsync(on);
    }
}

Call CallOf(duckdb::ClientContext &context) {
    Call call;
    call.cancelled = [&context] { return context.IsInterrupted(); };
    return call;
}

}  // namespace birdfoot::duck
