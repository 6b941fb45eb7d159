"""All types x partitioned or not x checkpointed or not: what one writes, the others read, equal by value."""
import glob
import json
import os

import pytest
from engines import bird_rows, plain, rs_rows, rows_of, spark_rows
from cells import CELLS, rows, select

LAYOUTS = [(name, partitioned, checkpointed) for name, cell in CELLS.items() for partitioned in (False, True)
           if cell[3] or not partitioned for checkpointed in (False, True)]
IDS = [f"{n}{'-partitioned' if p else ''}{'-checkpoint' if c else ''}" for n, p, c in LAYOUTS]


def expected(name):
    return rows_of([(i, plain(v)) for i, v in rows(name)])


def clauses(partitioned, checkpointed):
    return ("PARTITIONED BY (v) " if partitioned else "") + (
        "TBLPROPERTIES ('delta.checkpointInterval' = '1') " if checkpointed else "")


def has_checkpoint(path):
    return bool(glob.glob(f"{path}/_delta_log/*.checkpoint*.parquet"))


@pytest.mark.parametrize("name,partitioned,checkpointed", LAYOUTS, ids=IDS)
def test_we_write_they_read(bird, spark, tmp_path, name, partitioned, checkpointed):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, v {CELLS[name][0]}) USING delta {clauses(partitioned, checkpointed)}")
    bird.execute(f'INSERT INTO delta."{path}" {select(name, 1)}')
    assert has_checkpoint(path) == checkpointed
    assert bird_rows(bird, path) == expected(name)
    assert spark_rows(spark, path) == expected(name)
    if not (name == "binary" and partitioned):
        assert rs_rows(path) == expected(name)


@pytest.mark.parametrize("name,partitioned,checkpointed", LAYOUTS, ids=IDS)
def test_spark_writes_we_read(bird, spark, tmp_path, name, partitioned, checkpointed):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, v {CELLS[name][0]}) USING delta {clauses(partitioned, checkpointed)}")
    spark.sql(f"INSERT INTO delta.`{path}` {select(name, 0)}")
    assert has_checkpoint(path) == checkpointed
    assert bird_rows(bird, path) == expected(name)
    for i, value in rows(name):  # every value is found through its own predicate, whatever is skipped
        found = bird.execute(f'SELECT id FROM delta."{path}" WHERE id = {i}').fetchall()
        assert found == [(i,)]


@pytest.mark.parametrize("name", [n for n in CELLS if CELLS[n][3]])
def test_filters_on_spark_statistics(bird, spark, tmp_path, name):
    path = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, v {CELLS[name][0]}) USING delta")
    for i, (literal, _, _) in enumerate(CELLS[name][2]):  # one file a value
        spark.sql(f"INSERT INTO delta.`{path}` SELECT {i}, CAST({literal} AS {CELLS[name][0]})")
    for i, (_, literal, _) in enumerate(CELLS[name][2]):
        typed = f"CAST({literal} AS {CELLS[name][1]})"
        found = bird.execute(f'SELECT id FROM delta."{path}" WHERE v = {typed}').fetchall()
        assert found == [(i,)], typed
        assert (i,) in bird.execute(f'SELECT id FROM delta."{path}" WHERE v >= {typed}').fetchall()
        assert (i,) not in bird.execute(f'SELECT id FROM delta."{path}" WHERE v > {typed}').fetchall()


def adds(path):
    found = []
    for commit in sorted(glob.glob(f"{path}/_delta_log/*.json")):
        with open(commit) as f:
            found += [json.loads(line)["add"] for line in f if '"add"' in line and "add" in json.loads(line)]
    return found


@pytest.mark.parametrize("name", list(CELLS))
def test_statistics_are_sparks(bird, spark, tmp_path, name):
    """Field by field: what Spark says of these rows in its log, we say too."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ddl = f"(id INT, v {CELLS[name][0]}) USING delta"
    bird.execute(f"CREATE TABLE delta.`{ours}` {ddl}")
    bird.execute(f'INSERT INTO delta."{ours}" {select(name, 1)}')
    spark.sql(f"CREATE TABLE delta.`{theirs}` {ddl}")
    spark.sql(f"SELECT * FROM ({select(name, 0)})").coalesce(1).write.format("delta").mode("append").save(str(theirs))
    one, other = json.loads(adds(ours)[0]["stats"]), json.loads(adds(theirs)[0]["stats"])
    other.pop("tightBounds", None)
    one.pop("tightBounds", None)
    assert one == other


@pytest.mark.parametrize("name", [n for n in CELLS if CELLS[n][3]])
def test_partition_values_are_sparks(bird, spark, tmp_path, name):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ddl = f"(id INT, v {CELLS[name][0]}) USING delta PARTITIONED BY (v)"
    bird.execute(f"CREATE TABLE delta.`{ours}` {ddl}")
    bird.execute(f'INSERT INTO delta."{ours}" {select(name, 1)}')
    spark.sql(f"CREATE TABLE delta.`{theirs}` {ddl}")
    spark.sql(f"INSERT INTO delta.`{theirs}` {select(name, 0)}")
    values = lambda p: sorted((a["partitionValues"]["v"] for a in adds(p)), key=repr)
    folders = lambda p: sorted(os.path.dirname(a["path"]) for a in adds(p))
    assert values(ours) == values(theirs)
    if name != "timestamp":  # Spark names this folder by the session's wall clock; nobody reads folder names
        assert folders(ours) == folders(theirs)
