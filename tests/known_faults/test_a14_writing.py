"""A14: writing: types, schema, constraints."""
import glob
import json
from decimal import Decimal, localcontext

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines import bird_rows, spark_rows
from table_builder import Table


def versions(bird, path):
    return bird.execute(f"SELECT max(version) FROM birdfoot_history('{path}')").fetchone()[0]


def data_files(path):
    return sorted(glob.glob(f"{path}/**/*.parquet", recursive=True))


def test_b127_overwrite_keeps_nullability(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT NOT NULL, p STRING) USING delta PARTITIONED BY (p)")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (1, 'a')")
    bird.execute(f"INSERT INTO delta.`{path}` REPLACE WHERE p = 'a' SELECT 2 AS id, 'a' AS p")
    for statement in ("INSERT INTO delta.`{}` REPLACE WHERE p = 'a' SELECT NULL AS id, 'a' AS p",
                      "INSERT OVERWRITE delta.`{}` VALUES (NULL, 'a')", "INSERT INTO delta.`{}` (p) VALUES ('b')"):
        with pytest.raises(duckdb.Error, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED|DELTA_MISSING_NOT_NULL_COLUMN_VALUE"):
            bird.execute(statement.format(path))
    assert bird_rows(bird, path) == [(2, "a")]
    logs = [json.loads(line) for f in sorted(glob.glob(f"{path}/_delta_log/*.json")) for line in open(f)]
    assert [json.loads(m["metaData"]["schemaString"])["fields"][0]["nullable"] for m in logs if "metaData" in m][-1] is False


@pytest.mark.parametrize("insert", [
    "INSERT INTO delta.`{}` SELECT 1, 'x', 3", "INSERT INTO delta.`{}` BY NAME SELECT 1 AS id, 'x' AS s, 3 AS extra",
    "INSERT INTO delta.`{}` SELECT 'not a number', 'x'", "INSERT INTO delta.`{}` SELECT [1], 'x'",
    "INSERT INTO delta.`{}` (id, nosuch) VALUES (1, 2)", "INSERT INTO delta.`{}` (id, st) VALUES (1, [1])",
    "INSERT INTO delta.`{}` (id, st) VALUES (1, 7)", "INSERT INTO delta.`{}` BY NAME SELECT 1 AS id, {{'nosuch': 1}} AS st",
])
def test_b128_wrong_columns_change_nothing(bird, tmp_path, insert):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, s STRING, st STRUCT<x: INT>) USING delta")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (0, 'a', NULL)")
    before = versions(bird, path), data_files(path)
    with pytest.raises(duckdb.Error):
        bird.execute(insert.format(path))
    assert (versions(bird, path), data_files(path)) == before
    assert bird_rows(bird, path) == [(0, "a", None)]


def test_b128_a_number_for_a_string_is_its_text(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (s STRING) USING delta")
    bird.execute(f"INSERT INTO delta.`{path}` SELECT 7")  # as Spark assigns it: no file with an INT column
    assert bird_rows(bird, path) == [("7",)]
    assert pq.ParquetFile(data_files(path)[0]).schema_arrow.field("s").type == pa.string()


def test_b128_overflow_changes_nothing(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id TINYINT) USING delta")
    with pytest.raises(duckdb.Error):
        bird.execute(f"INSERT INTO delta.`{path}` SELECT 1000 FROM range(5)")
    assert bird_rows(bird, path) == [] and data_files(path) == []


def test_b130_invariants_are_enforced_or_refused(bird, tmp_path):
    invariant = json.dumps({"expression": {"expression": "id > 3"}})
    inner = json.dumps({"expression": {"expression": "s.x <> 7"}})
    nested = {"type": "struct", "fields": [{"name": "x", "type": "integer", "nullable": False, "metadata": {"delta.invariants": inner}}]}
    t = Table(tmp_path / "t", {
        "id": {"name": "id", "type": "integer", "nullable": False, "metadata": {"delta.invariants": invariant}},
        "s": {"name": "s", "type": nested, "nullable": True, "metadata": {}}})
    for bad in ("(1, {'x': 1})", "(NULL, {'x': 1})", "(4, {'x': NULL})", "(4, {'x': 7})"):
        with pytest.raises(duckdb.Error, match="(?i)invariant|constraint"):
            bird.execute(f"INSERT INTO delta.`{t.path}` VALUES {bad}")
    assert bird_rows(bird, t.path) == []


def test_b130_nested_not_null(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, s STRUCT<x: INT NOT NULL, y: INT>) USING delta")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (1, {{'x': 1, 'y': NULL}}), (2, {{'x': 2, 'y': 2}})")
    with pytest.raises(duckdb.Error, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED.*s.x"):
        bird.execute(f"INSERT INTO delta.`{path}` VALUES (3, {{'x': NULL, 'y': 1}})")
    with pytest.raises(duckdb.Error, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED.*s.x"):  # a value implies its parents
        bird.execute(f"INSERT INTO delta.`{path}` VALUES (4, NULL)")
    assert len(bird_rows(bird, path)) == 2


@pytest.mark.parametrize("kind,arrow", [("string", pa.string()), ("binary", pa.binary())])
def test_b132_long_values_are_found(bird, tmp_path, kind, arrow):
    t = Table(tmp_path / "t", {"id": "integer", "v": kind})
    values = ["short", "exactly13char", "longer than twelve bytes", "x" * 300]
    t.append("a.parquet", {"id": pa.array(range(4), pa.int32()), "v": pa.array([v.encode() if kind == "binary" else v for v in values], arrow)},
             use_dictionary=False, column_encoding={"v": "DELTA_LENGTH_BYTE_ARRAY", "id": "PLAIN"}, data_page_version="2.0")
    for i, value in enumerate(values):
        literal = f"'{value}'::BLOB" if kind == "binary" else f"'{value}'"
        assert bird.execute(f'SELECT id FROM delta."{t.path}" WHERE v = {literal}').fetchall() == [(i,)]
        assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" WHERE v <> {literal}').fetchone() == (3,)
        assert bird.execute(f'SELECT id FROM delta."{t.path}" t JOIN (SELECT {literal} AS w) s ON t.v = s.w').fetchall() == [(i,)]
    assert bird.execute(f'SELECT count(*) FROM (SELECT v FROM delta."{t.path}" GROUP BY v HAVING count(*) = 1)').fetchone() == (4,)
    assert bird.execute(f'SELECT count(DISTINCT v) FROM delta."{t.path}"').fetchone() == (4,)


def test_b133_empty_dictionary(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer", "s": "string"})
    t.append("a.parquet", {"id": pa.array([1, 2], pa.int32()), "s": pa.array([None, None], pa.string())}, use_dictionary=True)
    assert pq.ParquetFile(f"{t.path}/a.parquet").metadata.row_group(0).column(1).has_dictionary_page
    assert bird_rows(bird, t.path) == [(1, None), (2, None)]
    assert bird.execute(f"SELECT count(*) FROM delta.\"{t.path}\" WHERE s = 'x'").fetchone() == (0,)


DECIMALS = [(4, 2), (9, 0), (9, 9), (18, 4), (19, 0), (28, 10), (38, 0), (38, 38)]


@pytest.mark.parametrize("as_integer", [False, True])  # bytes of a fixed length as old writers have them, or INT32 and INT64
@pytest.mark.parametrize("precision,scale", DECIMALS)
def test_b135_decimals_of_others_and_their_filters(bird, tmp_path, precision, scale, as_integer):
    with localcontext(prec=60):
        top = Decimal(10**precision - 1).scaleb(-scale)
    values = [top, top.copy_negate(), Decimal(1).scaleb(-scale), Decimal(-1).scaleb(-scale), Decimal(0)]
    t = Table(tmp_path / "t", {"id": "integer", "d": f"decimal({precision},{scale})"})
    t.append("a.parquet", {"id": pa.array(range(1000), pa.int32()), "d": pa.array(values * 200, pa.decimal128(precision, scale))},
             stats=f'{{"numRecords":1000,"minValues":{{"d":{values[1]:f}}},"maxValues":{{"d":{top:f}}},"nullCount":{{"d":0}}}}',
             store_decimal_as_integer=as_integer, row_group_size=250)
    for value in values:
        literal = f"'{value:f}'::DECIMAL({precision},{scale})"
        for op, want in (("=", 200), (">", 200 * sum(v > value for v in values)), ("<=", 200 * sum(v <= value for v in values))):
            assert bird.execute(f"SELECT count(*) FROM delta.`{t.path}` WHERE d {op} {literal}").fetchone() == (want,), (op, value)
    assert bird.execute(f"SELECT max(d), min(d) FROM delta.`{t.path}`").fetchone() == (top, values[1])


@pytest.mark.parametrize("precision,scale", DECIMALS)
def test_b135_decimals_round_trip_and_filter(bird, spark, tmp_path, precision, scale):
    with localcontext(prec=60):
        top = Decimal(10**precision - 1).scaleb(-scale)
    values = [top, top.copy_negate(), Decimal(1).scaleb(-scale), Decimal(-1).scaleb(-scale), Decimal(0)]
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, d DECIMAL({precision},{scale})) USING delta")
    for i, value in enumerate(values):
        bird.execute(f"INSERT INTO delta.`{path}` SELECT {i}, '{value:f}'::DECIMAL({precision},{scale})")
    want = sorted([(i, v.normalize() + 0) for i, v in enumerate(values)], key=repr)
    assert len(bird_rows(bird, path)) == 5
    assert spark_rows(spark, path) == bird_rows(bird, path)
    for i, value in enumerate(values):
        literal = f"'{value:f}'::DECIMAL({precision},{scale})"
        assert bird.execute(f"SELECT id FROM delta.`{path}` WHERE d = {literal}").fetchall() == [(i,)]
        assert bird.execute(f"SELECT count(*) FROM delta.`{path}` WHERE d > {literal}").fetchone()[0] == sum(v > value for v in values)
    assert len(want) == 5
