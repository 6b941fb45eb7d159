// The ports, as a DuckDB database offers them.
#pragma once

#include "duckdb.hpp"

#include "core/io/engine.hpp"

namespace birdfoot::duck {

//! The engine of a database: local store (others by the path's scheme), Parquet through a private Connection. One a
//! database instance, shared; lives in the database's object cache, so that it goes with it.
Engine EngineOf(duckdb::DatabaseInstance &db);
//! Has the database use this store for every path, if nothing has used its engine yet: a program's own, or a test's.
void UseStore(duckdb::DatabaseInstance &db, std::shared_ptr<ObjectStore> store);
//! Whether a commit waits for the disk (the default).
void SetFsync(duckdb::DatabaseInstance &db, bool on);
//! A Call that polls the context's interrupt flag. The context must outlive it.
Call CallOf(duckdb::ClientContext &context);

}  // namespace birdfoot::duck
