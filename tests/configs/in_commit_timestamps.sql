SET spark.databricks.delta.properties.defaults.enableInCommitTimestamps = true
