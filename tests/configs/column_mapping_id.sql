SET spark.databricks.delta.properties.defaults.columnMapping.mode = id
