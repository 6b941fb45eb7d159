"""The same DELETE, UPDATE and MERGE statements here and in Spark, on the same files: the same rows, the same change feed, the
same numbers in history; and both in turn on one table."""
import glob
import json
import os
import shutil

import pytest
from engines import bird_rows, rows_of, spark_rows
from table_check import check_table

STATEMENTS = [
    "UPDATE {t} SET v = 1 WHERE id = 999",
    "UPDATE {t} SET v = v + 1, s = upper(s) WHERE id % 10 = 3",
    "UPDATE {t} SET v = 1.9 WHERE p = 'b'",
    "UPDATE {t} SET p = 'c' WHERE id IN (1, 2, 3)",
    "DELETE FROM {t} WHERE id = 7",
    "DELETE FROM {t} WHERE id IN (8, 9) OR v IS NULL AND id = 61",
    "DELETE FROM {t} WHERE p = 'zz'",
    "UPDATE {t} SET st.x = v, st.y = 'new' WHERE id > 90",
    "UPDATE {t} AS a SET a.s = NULL WHERE a.s LIKE 'T1%'",
    """MERGE INTO {t} t USING (SELECT 60 AS id, 'x' AS p, 100 AS v UNION ALL SELECT 500, 'c', 5) s ON t.id = s.id
       WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, p, v) VALUES (s.id, s.p, s.v)""",
    """MERGE INTO {t} t USING (SELECT 61 AS id, 100 AS v UNION ALL SELECT 62, 5) s ON t.id = s.id
       WHEN MATCHED AND s.v > 50 THEN DELETE WHEN MATCHED THEN UPDATE SET t.v = s.v
       WHEN NOT MATCHED BY SOURCE AND t.id = 70 THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 71 THEN UPDATE SET v = -1""",
    "MERGE INTO {t} t USING (SELECT 7777 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "MERGE INTO {t} t USING (SELECT 63 AS id) s ON t.id = s.id WHEN MATCHED AND t.v = 12345 THEN DELETE",
    """MERGE INTO {t} t USING (SELECT 80 AS id UNION ALL SELECT 80 UNION ALL SELECT 81) s ON t.id = s.id
       WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)""",
    """MERGE INTO {t} t USING (SELECT id, p, id * 2 AS v, s, st FROM {t} WHERE id BETWEEN 10 AND 20) s ON t.id = s.id + 100
       WHEN NOT MATCHED THEN INSERT *""",
    "UPDATE {t} SET v = id WHERE p = 'c'",
    "DELETE FROM {t} WHERE p = 'c'",
    "UPDATE {t} SET v = 9",
    "DELETE FROM {t} WHERE id < 20",
]

# Spark does not count the vectors of files that it rewrites whole because the condition is about partitions alone.
UNCOUNTED = {"UPDATE {t} SET v = 1.9 WHERE p = 'b'", "UPDATE {t} SET v = id WHERE p = 'c'", "UPDATE {t} SET v = 9"}

CONFIGS = {
    "copies": "",
    "vectors": "'delta.enableDeletionVectors' = 'true'",
    "copies-feed": "'delta.enableChangeDataFeed' = 'true'",
    "vectors-feed-rows": "'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true', 'delta.enableRowTracking' = 'true'",
}


def make(bird, path, properties):
    bird.execute(f"CREATE TABLE delta.`{path}` (id BIGINT, p STRING, v INT, s STRING, st STRUCT<x: INT, y: STRING>) USING delta "
                 f"PARTITIONED BY (p)" + (f" TBLPROPERTIES ({properties})" if properties else ""))
    bird.execute(f"INSERT INTO delta.`{path}` SELECT i, CASE WHEN i < 50 THEN 'a' ELSE 'b' END, 0, 't' || i, "
                 "CASE WHEN i % 3 > 0 THEN {'x': i, 'y': 'y'} END FROM range(100) r(i)")


def last_commit(path):
    with open(sorted(glob.glob(os.path.join(path, "_delta_log", "*.json")))[-1]) as file:
        for line in file:
            if "commitInfo" in (action := json.loads(line)):
                return action["commitInfo"]


def version(path):
    return len(glob.glob(os.path.join(path, "_delta_log", "*.json"))) - 1


def row_metrics(info, statement):
    """How many rows; how many vectors depends on how each has spread its new rows over files, but not whether there are any.
    And how many are copied by a MERGE, which is compared where both begin with the same files (test_row_changes.py)."""
    values = {}
    for key, value in info["operationMetrics"].items():
        if "Vectors" in key and not (statement in UNCOUNTED and key == "numDeletionVectorsRemoved"):
            values[key] = value != "0"
        if "Rows" in key and not ("MERGE" in statement and key in ("numOutputRows", "numTargetRowsCopied")):
            values[key] = value
    return values


def run(spark, statement):
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    return spark.sql(statement).collect()


@pytest.mark.parametrize("config", CONFIGS)
def test_same_statements(bird, spark, tmp_path, config):
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    make(bird, ours, CONFIGS[config])
    shutil.copytree(ours, theirs, ignore=shutil.ignore_patterns(".*.tmp"))  # a checksum may be on its way
    for statement in STATEMENTS:
        done = bird.execute(statement.replace("{t}", f"delta.`{ours}`")).fetchone()[0]
        affected = run(spark, statement.replace("{t}", f"delta.`{theirs}`"))[0][0]
        assert done == affected, statement
        assert version(ours) == version(theirs), statement
        assert bird_rows(bird, ours) == bird_rows(bird, theirs), statement
        mine, spark_info = last_commit(ours), last_commit(theirs)
        assert mine["operation"] == spark_info["operation"]
        assert row_metrics(mine, statement) == row_metrics(spark_info, statement), statement
    assert spark_rows(spark, ours) == spark_rows(spark, theirs)
    check_table(ours)
    if "feed" in config:
        feed = "SELECT _commit_version, _change_type, id, p, v, s, st.x, st.y FROM table_changes{}"
        mine = rows_of(bird.execute(feed.format(f"('{ours}', 1)")))
        assert mine == rows_of(bird.execute(feed.format(f"('{theirs}', 1)")))
        spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
        assert mine == rows_of(spark.sql(feed.format(f"_by_path('{ours}', 1)")))
    if "rows" in config:
        ids = "SELECT id, _metadata.row_id FROM delta.`{}` ORDER BY id, 2"
        assert rows_of(spark.sql(ids.format(ours))) == rows_of(bird.execute(f"SELECT id, _row_id FROM delta.`{ours}` ORDER BY ALL"))


@pytest.mark.parametrize("config", ["copies", "vectors-feed-rows"])
def test_in_turn(bird, spark, tmp_path, config):
    path, plain = str(tmp_path / "t"), "plain"
    make(bird, path, CONFIGS[config])
    bird.execute(f"CREATE TABLE {plain} AS FROM delta.`{path}`")
    for i, statement in enumerate(STATEMENTS):
        if "a.s" not in statement and "t.v = s.v" not in statement and "st.x" not in statement and "INSERT *" not in statement:
            if i % 2:
                run(spark, statement.replace("{t}", f"delta.`{path}`"))
            else:
                bird.execute(statement.replace("{t}", f"delta.`{path}`"))
            bird.execute(statement.replace("{t}", plain).replace("1.9", "1"))
        assert bird_rows(bird, path) == rows_of(bird.execute(f"FROM {plain}")), statement
    assert spark_rows(spark, path) == bird_rows(bird, path)
    check_table(path)
