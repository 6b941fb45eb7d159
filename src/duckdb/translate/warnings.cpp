#include "duckdb/translate/warnings.hpp"

#include "duckdb/logging/log_type.hpp"
#include "duckdb/logging/logger.hpp"

namespace birdfoot::duck {

void Warn(duckdb::DatabaseInstance &db, const std::string &text) {
    using namespace duckdb;  // NOLINT: the macro names their types without it
    DUCKDB_LOG_WARNING(db, text);
}

}  // namespace birdfoot::duck
