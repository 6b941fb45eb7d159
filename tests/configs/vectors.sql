SET spark.databricks.delta.properties.defaults.enableDeletionVectors = true
