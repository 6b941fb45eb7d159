"""Spark's OPTIMIZE moves rows into other files while a transaction of ours changes them. With row ids and deletion vectors the rows
are followed: both commits stand. Without, the second one is a conflict by name and changes nothing."""
import pytest
from duckdb import TransactionException
from engines import bird_rows, rows_of, rs_rows, spark_rows
from table_check import check_table

DELETE = "DELETE FROM {} WHERE id % 10 = 3"
CHANGES = {
    "delete": ([DELETE], lambda rows: {i: v for i, v in rows.items() if i % 10 != 3}),
    "update": (["UPDATE {} SET v = v + 1000 WHERE id BETWEEN 15 AND 64"],
               lambda rows: {i: v + 1000 if 15 <= i <= 64 else v for i, v in rows.items()}),
    "update by a sub-query": (["UPDATE {0} SET v = -1 WHERE id = (SELECT max(id) FROM {0})"],
                              lambda rows: {i: -1 if i == max(rows) else v for i, v in rows.items()}),
    "merge": (["""MERGE INTO {} t USING (SELECT unnest([5, 45, 300]) AS id) s ON t.id = s.id
               WHEN MATCHED AND t.id = 5 THEN DELETE WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 7)"""],
              lambda rows: {**{i: v for i, v in rows.items() if i != 5}, 45: 0, 300: 7}),
    "a whole file": (["DELETE FROM {} WHERE id < 20"], lambda rows: {i: v for i, v in rows.items() if i >= 20}),
    "all rows": (["TRUNCATE TABLE {}"], lambda rows: {}),
    "several": ([DELETE, "INSERT INTO {} VALUES (300, 300)", "UPDATE {} SET v = -v WHERE id > 90"],
                lambda rows: {i: -v if i > 90 else v for i, v in {**rows, 300: 300}.items() if i % 10 != 3}),
}


def a_table(bird, path, *properties):
    """100 rows in five files; some are gone already."""
    on = "".join(f", 'delta.{name}' = 'true'" for name in properties)
    bird.execute(f"CREATE TABLE delta.\"{path}\" (id INT, v INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '10'{on})")
    for first in range(0, 100, 20):
        bird.execute(f'INSERT INTO delta."{path}" SELECT i, i FROM range({first}, {first} + 20) r(i)')
    bird.execute(f'DELETE FROM delta."{path}" WHERE id IN (17, 50, 51)')
    return {i: i for i in range(100) if i not in (17, 50, 51)}


def row_ids_of(bird, path):
    rows = bird.execute(f'SELECT id, _row_id FROM delta."{path}"').fetchall()
    assert len({row_id for _, row_id in rows}) == len(rows)
    return dict(rows)


def optimize(spark, path):
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    metrics = spark.sql(f"OPTIMIZE delta.`{path}`").collect()[0]["metrics"]
    assert metrics["numFilesRemoved"] > 1


@pytest.mark.parametrize("name", CHANGES)
def test_rows_are_followed(bird, spark, tmp_path, name):
    statements, model = CHANGES[name]
    path = str(tmp_path / "t")
    rows = a_table(bird, path, "enableRowTracking", "enableDeletionVectors", "enableChangeDataFeed")
    ids = row_ids_of(bird, path)
    bird.execute("BEGIN")
    for statement in statements:
        bird.execute(statement.format(f'delta."{path}"'))
    optimize(spark, path)
    bird.execute("COMMIT")
    want = model(rows)
    assert bird_rows(bird, path) == rows_of(list(want.items()))
    assert spark_rows(spark, path) == rows_of(list(want.items()))
    assert rs_rows(path) == rows_of(list(want.items()))
    for row, row_id in row_ids_of(bird, path).items():
        assert ids.setdefault(row, row_id) == row_id, f"row {row}"
    latest = bird.execute(f"SELECT max(version) FROM birdfoot_history('{path}')").fetchone()[0]
    assert latest == 8  # CREATE, five INSERTs, DELETE, OPTIMIZE, and ours
    feed = [(i, rows[i], "delete") for i in rows if i not in want] + [(i, want[i], "insert") for i in want if i not in rows]
    feed += [(i, rows[i], "update_preimage") for i in rows if i in want and rows[i] != want[i]]
    feed += [(i, want[i], "update_postimage") for i in rows if i in want and rows[i] != want[i]]
    select = f"SELECT id, v, _change_type FROM table_changes_by_path('{path}', {latest})"
    assert rows_of(bird.execute(select)) == rows_of(feed)
    assert rows_of(spark.sql(select)) == rows_of(feed)
    check_table(path)


@pytest.mark.parametrize("properties", [(), ("enableRowTracking",), ("enableDeletionVectors",)], ids=lambda on: "".join(on) or "neither")
def test_what_cannot_be_followed_is_a_conflict(bird, spark, tmp_path, properties):
    path = str(tmp_path / "t")
    rows = a_table(bird, path, *properties)
    bird.execute("BEGIN")
    bird.execute(f'DELETE FROM delta."{path}" WHERE id = 3')
    optimize(spark, path)
    with pytest.raises(TransactionException, match=r"DELTA_CONCURRENT_DELETE_DELETE.*version 6.*version 7 \(OPTIMIZE\)"):
        bird.execute("COMMIT")
    assert bird_rows(bird, path) == rows_of(list(rows.items()))
    check_table(path)
