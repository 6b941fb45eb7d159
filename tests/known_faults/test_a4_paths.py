"""A4: partition values and file paths."""
import glob
import json
import os

import pyarrow as pa
import pytest
from engines import bird_rows, rs_rows, spark_rows
from table_builder import Table

VALUES = ["a b", "a/b", "a%b", "a%2Fb", "R&D", "é", "😈", "ID$", "a:b", "a+b", "a#b", "a?b", "a=b", "'", '"', "\\", "a~b",
          "/lead", "trail/", ".", "..", "space ", "dot.", "A/A", "B B", "%2F%2520%25f", "x" * 200, "{}", "[1]", "a^b|c",
          "tab\there", "*", "<>", ";,@!()"]


def test_b60_our_paths_are_read_by_all(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p STRING) USING delta PARTITIONED BY (p)")
    for i, value in enumerate(VALUES):
        bird.execute(f'INSERT INTO delta."{path}" VALUES (?, ?)', [i, value])
    want = sorted(((i, v) for i, v in enumerate(VALUES)), key=repr)
    assert bird_rows(bird, path) == want
    for i, value in enumerate(VALUES):
        assert bird.execute(f'SELECT id FROM delta."{path}" WHERE p = ?', [value]).fetchall() == [(i,)]
    assert spark_rows(spark, path) == want
    assert rs_rows(path) == want


def test_b60_spark_paths_are_read_and_named_alike(bird, spark, tmp_path):
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    frame = spark.createDataFrame([(i, v) for i, v in enumerate(VALUES)], "id INT, p STRING")
    frame.write.format("delta").partitionBy("p").save(str(theirs))
    assert bird_rows(bird, theirs) == sorted(((i, v) for i, v in enumerate(VALUES)), key=repr)
    bird.execute(f"CREATE TABLE delta.`{ours}` (id INT, p STRING) USING delta PARTITIONED BY (p)")
    for i, value in enumerate(VALUES):
        bird.execute(f'INSERT INTO delta."{ours}" VALUES (?, ?)', [i, value])

    def folders(path):
        found = {}
        for commit in glob.glob(f"{path}/_delta_log/*.json"):
            with open(commit) as f:
                for line in f:
                    add = json.loads(line).get("add")
                    if add:
                        found[add["partitionValues"]["p"]] = os.path.dirname(add["path"])
        return found

    assert folders(ours) == folders(theirs)


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("value", ["group a", "a/b %é"])
def test_b62_merging_the_same_rows_again_duplicates_none(bird, spark, tmp_path, value, vectors):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p STRING, v INT) USING delta PARTITIONED BY (p) "
                 f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
    bird.execute(f"INSERT INTO delta.\"{path}\" SELECT i, '{value}', 0 FROM range(3) r(i)")
    added = {a["add"]["path"] for a in actions(path, 1) if "add" in a}
    for version in (2, 3, 4):
        bird.execute(f"""MERGE INTO delta."{path}" t USING (SELECT i AS id, '{value}' AS p, {version} AS v FROM range(3) r(i)) s
            ON t.id = s.id AND t.p = s.p WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
        assert bird_rows(bird, path) == [(i, value, version) for i in range(3)]
        done = actions(path, version)
        assert {a["remove"]["path"] for a in done if "remove" in a} == added and len(added) == 1
        assert done[0]["commitInfo"]["operationMetrics"]["numTargetFilesRemoved"] == "1"
        added = {a["add"]["path"] for a in done if "add" in a}
    assert spark_rows(spark, path) == bird_rows(bird, path)


def actions(path, version):
    with open(f"{path}/_delta_log/{version:020d}.json") as file:
        return [json.loads(line) for line in file]


def test_b65_the_partition_of_null_is_replaced_alone(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, x STRING) USING delta PARTITIONED BY (x)")
    bird.execute(f"INSERT INTO delta.\"{path}\" VALUES (1, NULL), (2, 'a'), (3, '')")  # '' is written as NULL too
    bird.execute(f'INSERT INTO delta."{path}" REPLACE WHERE x IS NULL SELECT 4, NULL')
    assert bird_rows(bird, path) == sorted([(2, "a"), (4, None)], key=repr)


def test_b67_a_partitioned_table_that_was_emptied(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p STRING) USING delta PARTITIONED BY (p)")
    bird.execute(f"INSERT INTO delta.\"{path}\" VALUES (1, 'a'), (2, 'b')")
    bird.execute(f'DELETE FROM delta."{path}"')
    for sql in ("SELECT * FROM {}", "SELECT * FROM {} WHERE p = 'a'", "SELECT p, count(*) FROM {} GROUP BY p"):
        assert bird.execute(sql.format(f'delta."{path}"')).fetchall() == []
    assert [d[0] for d in bird.execute(f'SELECT * FROM delta."{path}"').description] == ["id", "p"]


def test_b67_empty_partitioned_table(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer", "p": "string"}, partition=["p"])
    for sql in ("SELECT * FROM {}", "SELECT * FROM {} WHERE p = 'x'", "SELECT p, count(*) FROM {} GROUP BY p"):
        assert bird.execute(sql.format(f'delta."{t.path}"')).fetchall() == []
    assert [d[0] for d in bird.execute(f'SELECT * FROM delta."{t.path}"').description] == ["id", "p"]
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}"').fetchone() == (0,)


def test_b68_column_missing_in_old_files(bird, tmp_path):
    fields = {"id": "integer", "colour": "string",
              "s": {"type": "struct", "fields": [{"name": "x", "type": "integer", "nullable": True, "metadata": {}},
                                                 {"name": "y", "type": "string", "nullable": True, "metadata": {}}]},
              "l": {"type": "array", "containsNull": True, "elementType": {
                  "type": "struct", "fields": [{"name": "x", "type": "integer", "nullable": True, "metadata": {}},
                                               {"name": "y", "type": "string", "nullable": True, "metadata": {}}]}},
              "m": {"type": "map", "keyType": "string", "valueContainsNull": True, "valueType": {
                  "type": "struct", "fields": [{"name": "x", "type": "integer", "nullable": True, "metadata": {}},
                                               {"name": "y", "type": "string", "nullable": True, "metadata": {}}]}}}
    t = Table(tmp_path / "t", fields)
    old = pa.struct([("x", pa.int32())])
    new = pa.struct([("x", pa.int32()), ("y", pa.string())])
    t.append("1.parquet", {"id": pa.array([1], pa.int32()), "s": pa.array([{"x": 1}], old),
                           "l": pa.array([[{"x": 1}]], pa.list_(old)), "m": pa.array([[("k", {"x": 1})]], pa.map_(pa.string(), old))})
    t.append("2.parquet", {"id": pa.array([2], pa.int32()), "colour": ["red"], "s": pa.array([{"x": 2, "y": "b"}], new),
                           "l": pa.array([[{"x": 2, "y": "b"}]], pa.list_(new)),
                           "m": pa.array([[("k", {"x": 2, "y": "b"})]], pa.map_(pa.string(), new))})
    run = lambda where: [r[0] for r in bird.execute(f'SELECT id FROM delta."{t.path}" WHERE {where} ORDER BY id').fetchall()]
    assert run("colour IS NOT NULL") == [2] and run("colour IS NULL") == [1] and run("colour <> 'red'") == []
    assert run("s.y IS NULL") == [1] and run("s.y = 'b'") == [2] and run("l[1].y IS NULL") == [1]
    assert run("m['k'].y IS NULL") == [1] and run("m['k'].y = 'b'") == [2] and run("m['k'].x = 1") == [1]
    assert bird.execute(f'SELECT count(colour), count(s.y) FROM delta."{t.path}"').fetchone() == (1, 1)
    assert bird.execute(f'SELECT s, l FROM delta."{t.path}" WHERE id = 1').fetchone() == (
        {"x": 1, "y": None}, [{"x": 1, "y": None}])


def test_b152_only_partition_columns(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer", "p": "integer"}, partition=["p"])
    for p in (1, 2):
        t.append(f"{p}.parquet", {"id": pa.array(range(p * 3), pa.int32())}, partition_values={"p": str(p)})
    run = lambda sql: bird.execute(sql.format(f'delta."{t.path}"')).fetchall()
    assert run("SELECT p FROM {} ORDER BY p") == [(1,)] * 3 + [(2,)] * 6
    assert run("SELECT DISTINCT p FROM {} ORDER BY p") == [(1,), (2,)]
    assert run("SELECT p, count(*) FROM {} GROUP BY p ORDER BY p") == [(1, 3), (2, 6)]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("kind,text,sql", [
    ("timestamp", "2024-01-01T00:00:00.000000Z", "TIMESTAMPTZ '2024-01-01 00:00:00+00'"), ("date", "1969-12-31", "DATE '1969-12-31'"),
    ("long", "-9", "-9"), ("decimal(10,2)", "-1.50", "-1.50"), ("boolean", "true", "true"), ("double", "1.5", "1.5"),
    ("byte", "-1", "-1"), ("string", "x", "'x'"),
])
def test_b153_partition_column_anywhere(bird, tmp_path, place, kind, text, sql):
    names = ["a", "b"]
    names.insert(place, "p")
    t = Table(tmp_path / "t", {n: kind if n == "p" else "integer" for n in names}, partition=["p"])
    t.append("1.parquet", {"a": pa.array([1], pa.int32()), "b": pa.array([2], pa.int32())}, partition_values={"p": text})
    assert [d[0] for d in bird.execute(f'SELECT * FROM delta."{t.path}"').description] == names
    assert bird.execute(f'SELECT a, b, p = {sql} FROM delta."{t.path}"').fetchall() == [(1, 2, True)]
    assert bird.execute(f'SELECT a FROM delta."{t.path}" WHERE p = {sql}').fetchall() == [(1,)]
    bird.execute("CREATE TEMP TABLE other AS SELECT p::VARCHAR AS x, a::BIGINT AS y FROM delta.\"%s\"" % t.path)
    assert bird.execute("SELECT y FROM other").fetchall() == [(1,)]
