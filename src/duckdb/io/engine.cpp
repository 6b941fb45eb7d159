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
    const std::shared_ptr<storage::LocalStore> local;
};

int64_t NowMs() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

duckdb::shared_ptr<CachedEngine> EntryOf(duckdb::DatabaseInstance &db) {
    static constexpr auto kKey = "birdfoot_engine";
    auto &cache = db.GetObjectCache();
    if (auto entry = cache.Get<CachedEngine>(kKey)) {
        return entry;
    }
    auto local = std::make_shared<storage::LocalStore>();
    Engine engine{local, std::make_shared<DuckParquetIo>(db.shared_from_this()), NowMs, std::make_shared<TableCache>()};
    // Two threads may come here; the one that is first decides.
    return cache.GetOrCreate<CachedEngine>(kKey, std::move(engine), std::move(local));
}

}  // namespace

Engine EngineOf(duckdb::DatabaseInstance &db) { return EntryOf(db)->engine; }

void SetFsync(duckdb::DatabaseInstance &db, bool on) { EntryOf(db)->local->SetFsync(on); }

Call CallOf(duckdb::ClientContext &context) {
    Call call;
    call.cancelled = [&context] { return context.IsInterrupted(); };
    return call;
}

}  // namespace birdfoot::duck
