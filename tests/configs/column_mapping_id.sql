SET spark.databricks.delta.properties.defaults.columnMapping.mode = id
SET birdfoot_column_update_min_bytes = 0
