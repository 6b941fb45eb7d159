// Clustering columns (PROTOCOL.md, "Clustered Table"): the domain that names them, by physical paths, and what they
// must be. How files come to be clustered is OPTIMIZE's business.
#pragma once

#include <string_view>
#include <vector>

#include "core/maintenance/alter.hpp"

namespace birdfoot {

inline constexpr std::string_view kClusteringDomain = "delta.clustering";

//! The logical paths that a table's domain names; none of a removed one.
Result<std::vector<FieldPath>> ClusteringColumnsOf(const DomainMetadata &domain, const TableDefinition &table);

//! The domain of these columns, whose protocol has the feature then. DELTA_CLUSTER_BY_WITH_PARTITIONED_BY,
//! DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS, DELTA_DUPLICATE_COLUMNS_FOUND, DELTA_COLUMN_NOT_FOUND,
//! DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED, DELTA_CLUSTERING_COLUMN_MISSING_STATS.
Result<DomainMetadata> ClusterTable(TableDefinition &table, const std::vector<FieldPath> &columns);

//! ALTER TABLE … CLUSTER BY; without columns NONE, which changes nothing in a table that is not clustered.
//! DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED, and what ClusterTable says.
Result<Alteration> ClusterBy(const TableDefinition &table, const std::vector<FieldPath> &before,
                             const std::vector<FieldPath> &columns);

//! ["a","s.x"], as history has them.
std::string ClusteringColumnsJson(const std::vector<FieldPath> &columns);

}  // namespace birdfoot
