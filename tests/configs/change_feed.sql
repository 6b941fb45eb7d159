SET spark.databricks.delta.properties.defaults.enableChangeDataFeed = true
SET birdfoot_column_update_min_bytes = 0
