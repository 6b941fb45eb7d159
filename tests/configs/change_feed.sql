SET spark.databricks.delta.properties.defaults.enableChangeDataFeed = true
