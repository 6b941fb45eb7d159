SET birdfoot_checkpoints = 'inline'
SET spark.databricks.delta.properties.defaults.checkpointInterval = 1
