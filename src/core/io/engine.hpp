// Engine: the ports that core works through, handed in by whoever embeds it. Shared, immutable, thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "core/io/object_store.hpp"
#include "core/io/parquet_io.hpp"

namespace birdfoot {

class TableCache;

struct Engine {
    std::shared_ptr<ObjectStore> store;
    std::shared_ptr<ParquetIo> parquet;           // may be null: then a table with Parquet checkpoints cannot be opened
    std::function<int64_t()> now_ms;              // wall clock, milliseconds since the epoch; tests set it
    std::shared_ptr<TableCache> cache = nullptr;  // core/table/table_cache; null: nothing is kept between calls
};

}  // namespace birdfoot
