// The table functions that tell about a table, each over one of core's reports: birdfoot_history, birdfoot_detail,
// birdfoot_files, birdfoot_log, birdfoot_features, birdfoot_properties and birdfoot_partitions, all by path. DESCRIBE
// HISTORY and its like are rewritten to them.
#pragma once

namespace duckdb {
class ExtensionLoader;
}

namespace birdfoot::duck {

void RegisterReportFunctions(duckdb::ExtensionLoader &loader);

}  // namespace birdfoot::duck
