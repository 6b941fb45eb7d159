"""Column mapping, written by one and read by the others: names and ids of nested fields, upgraded tables, renamed and dropped
columns, change data, checkpoints with structs."""
import pytest
from engines import bird_rows, plain, rows_of, rs_rows, spark_rows

COLUMNS = ("id INT, `a b` STRING, s STRUCT<x: INT, `y,y`: ARRAY<STRUCT<z: INT>>>, m MAP<STRING, STRUCT<k: INT>>, p DATE")
ROWS = {
    "bird": "(1, 'x', {'x': 1, 'y,y': [{'z': 2}]}, MAP {'a': {'k': 3}}, DATE '2024-01-01'), (2, 'y', NULL, NULL, NULL)",
    "spark": "(1, 'x', named_struct('x', 1, 'y,y', array(named_struct('z', 2))), map('a', named_struct('k', 3)), "
             "DATE'2024-01-01'), (2, 'y', NULL, NULL, NULL)",
}


def same_everywhere(bird, spark, path, rs=True):
    """What all see, once they agree."""
    ours = bird_rows(bird, path)
    assert spark_rows(spark, path) == ours
    if rs:
        assert rs_rows(path) == ours
    return ours


@pytest.mark.parametrize("mode", ["name", "id"])
def test_ours_is_read_and_written_by_the_others(bird, spark, tmp_path, mode):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` ({COLUMNS}) USING delta PARTITIONED BY (p) TBLPROPERTIES "
                 f"('delta.columnMapping.mode' = '{mode}', 'delta.checkpointInterval' = '4', "
                 "'delta.checkpoint.writeStatsAsStruct' = 'true', 'delta.enableChangeDataFeed' = 'true')")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES {ROWS['bird']}")
    assert len(same_everywhere(bird, spark, path)) == 2
    bird.execute(f"ALTER TABLE delta.`{path}` RENAME COLUMN s.x TO `x x`")
    bird.execute(f"ALTER TABLE delta.`{path}` RENAME COLUMN p TO day")
    bird.execute(f"ALTER TABLE delta.`{path}` ADD COLUMNS (s.n STRING FIRST, more DECIMAL(5, 2) AFTER id)")
    bird.execute(f"ALTER TABLE delta.`{path}` DROP COLUMN m")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (3, 1.25, 'z', {{'n': 'n', 'x x': 4, 'y,y': []}}, DATE '2024-01-03')")
    bird.execute(f"DELETE FROM delta.`{path}` WHERE id = 2")
    assert [row[0] for row in same_everywhere(bird, spark, path)] == [1, 3]
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (4, 2.5, 'w', named_struct('n', 'm', 'x x', 5, 'y,y', NULL), DATE'2024-01-03')")
    spark.sql(f"UPDATE delta.`{path}` SET s.`x x` = 9 WHERE id = 3")
    spark.sql(f"OPTIMIZE delta.`{path}`")
    assert {row[0]: row[3] and row[3]["x x"] for row in same_everywhere(bird, spark, path)} == {1: 1, 3: 9, 4: 5}
    assert rows_of(spark.sql(f"SELECT id FROM delta.`{path}` WHERE s.`x x` > 4 AND day = DATE'2024-01-03'")) == [(3,), (4,)]
    # the change feed of our DELETE, read by Spark
    feed = spark.sql(f"SELECT id, _change_type FROM table_changes_by_path('{path}', 6, 7)")
    assert rows_of(feed) == [(2, "delete"), (3, "insert")]


@pytest.mark.parametrize("mode", ["name", "id"])
def test_sparks_is_read_and_written_by_us(bird, spark, tmp_path, mode):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` ({COLUMNS}) USING delta PARTITIONED BY (p) TBLPROPERTIES "
              f"('delta.columnMapping.mode' = '{mode}')")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES {ROWS['spark']}")
    spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN id TO key")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (3, 'z', {{'x': 4, 'y,y': []}}, MAP {{}}, DATE '2024-01-03')")
    bird.execute(f"DELETE FROM delta.`{path}` WHERE s.x = 1")
    bird.execute(f"ALTER TABLE delta.`{path}` DROP COLUMN s.x")
    bird.execute(f"INSERT INTO delta.`{path}` WITH SCHEMA EVOLUTION BY NAME SELECT 4 AS key, {{'new': 5}} AS s, true AS flag")
    assert [row[0] for row in same_everywhere(bird, spark, path)] == [2, 3, 4]
    spark.sql(f"DELETE FROM delta.`{path}` WHERE s.new = 5")
    bird.execute(f"INSERT OVERWRITE delta.`{path}` PARTITION (p = '2024-01-03') (key) VALUES (5)")
    assert [row[0] for row in same_everywhere(bird, spark, path)] == [2, 5]


def test_a_table_that_we_upgrade_or_take_back(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, s STRUCT<x: INT>, p INT) USING delta PARTITIONED BY (p)")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (1, {{'x': 1}}, 1)")
    bird.execute(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    bird.execute(f"ALTER TABLE delta.`{path}` RENAME COLUMN s.x TO y")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (2, {{'y': 2}}, 1)")
    assert same_everywhere(bird, spark, path) == [(1, {"y": 1}, 1), (2, {"y": 2}, 1)]
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (3, named_struct('y', 3), 2)")
    bird.execute(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (4, named_struct('y', 4), 2)")
    assert [plain(row[1]["y"]) for row in same_everywhere(bird, spark, path)] == [1, 2, 3, 4]


def test_features_that_we_drop(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', "
                 "'delta.enableTypeWidening' = 'true', 'delta.enableRowTracking' = 'true')")
    bird.execute(f"INSERT INTO delta.`{path}` SELECT unnest(range(10))::INTEGER")
    bird.execute(f"DELETE FROM delta.`{path}` WHERE id < 3")
    bird.execute(f"ALTER TABLE delta.`{path}` ALTER COLUMN id TYPE BIGINT")
    for feature in ("rowTracking", "deletionVectors", "typeWidening"):
        bird.execute(f"ALTER TABLE delta.`{path}` DROP FEATURE {feature}")
    assert [row[0] for row in same_everywhere(bird, spark, path)] == list(range(3, 10))
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 3")
    assert [row[0] for row in same_everywhere(bird, spark, path)] == list(range(4, 10))
    features = spark.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0]["tableFeatures"]
    assert sorted(features) == ["appendOnly", "checkpointProtection", "domainMetadata", "invariants"]
