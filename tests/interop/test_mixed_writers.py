"""Birdfoot, Spark and delta-rs append in turn to one table: 30 commits, nothing lost, everybody sees the same."""
import pyarrow
from engines import bird_rows, rs_rows, spark_rows
from deltalake import write_deltalake


def test_three_append_in_turn(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id BIGINT, who STRING, day DATE) USING delta PARTITIONED BY (day)")
    expected = []
    for i in range(30):
        who = ("birdfoot", "spark", "delta-rs")[i % 3]
        day = f"2024-01-{i % 4 + 1:02d}"
        expected.append((i, who, day))
        if who == "birdfoot":
            bird.execute(f"INSERT INTO delta.\"{path}\" VALUES ({i}, '{who}', DATE '{day}')")
        elif who == "spark":
            spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
            spark.sql(f"INSERT INTO delta.`{path}` VALUES ({i}, '{who}', DATE'{day}')")
        else:
            rows = pyarrow.table({"id": pyarrow.array([i], pyarrow.int64()), "who": [who],
                                  "day": pyarrow.array([day]).cast(pyarrow.date32())})
            write_deltalake(str(path), rows, mode="append")
    want = sorted(((i, who, day) for i, who, day in expected), key=repr)
    as_text = lambda rows: sorted(((i, who, str(day)) for i, who, day in rows), key=repr)
    assert as_text(bird_rows(bird, path)) == want
    assert as_text(spark_rows(spark, path)) == want
    assert as_text(rs_rows(path)) == want
    assert bird.execute(f'SELECT max(version) FROM birdfoot_history(\'{path}\')').fetchone() == (30,)
    for version in (1, 10, 20, 30):
        rows = bird.execute(f'SELECT count(*) FROM delta."{path}" AT (VERSION => {version})').fetchone()
        assert rows == (version,)
