"""A6: column mapping and unusual names."""
import glob
import json
import os

import duckdb
import pyarrow as pa
import pytest
from engines import bird_rows, connect
from table_builder import Table
from table_check import check_table


def field(name, kind, number, physical):
    return {"name": name, "type": kind, "nullable": True,
            "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}}


def mapped(tmp_path, fields, mode="name", partition=()):
    return Table(tmp_path / "t", {f["name"]: f for f in fields}, partition=partition,
                 config={"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": str(len(fields))},
                 protocol={"minReaderVersion": 2, "minWriterVersion": 5})


def test_b82_partition_column_of_a_mapped_table(bird, tmp_path):
    t = mapped(tmp_path, [field("id", "integer", 1, "col-9"), field("REGION", "integer", 2, "col-1a2b")], partition=["REGION"])
    t.append("a.parquet", {"col-9": pa.array([1, 2], pa.int32())}, partition_values={"col-1a2b": "7"})
    t.append("b.parquet", {"col-9": pa.array([3], pa.int32())}, partition_values={"col-1a2b": None})
    assert bird_rows(bird, t.path) == sorted([(1, 7), (2, 7), (3, None)], key=repr)
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" WHERE REGION = 7').fetchone() == (2,)
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" WHERE region IS NULL').fetchone() == (1,)


def test_b83_filters_use_physical_names(bird, tmp_path):
    # Mapping was turned on later (physical = old logical names), then a was renamed to c and b to a.
    t = mapped(tmp_path, [field("c", "integer", 1, "a"), field("a", "integer", 2, "b")])
    for i in range(4):
        t.append(f"{i}.parquet", {"a": pa.array([i], pa.int32()), "b": pa.array([100 - i], pa.int32())},
                 stats={"numRecords": 1, "minValues": {"a": i, "b": 100 - i}, "maxValues": {"a": i, "b": 100 - i},
                        "nullCount": {"a": 0, "b": 0}})
    for i in range(4):
        assert bird.execute(f'SELECT c, a FROM delta."{t.path}" WHERE a = {100 - i}').fetchall() == [(i, 100 - i)]
        assert bird.execute(f'SELECT c, a FROM delta."{t.path}" WHERE c = {i}').fetchall() == [(i, 100 - i)]
    assert bird.execute(f'SELECT max(a), min(c) FROM delta."{t.path}"').fetchone() == (100, 0)


def with_ids(table, ids):
    return table.cast(pa.schema([f.with_metadata({"PARQUET:field_id": str(i)}) for f, i in zip(table.schema, ids)]))


def test_id_mapping_finds_columns_by_id(bird, tmp_path):
    t = mapped(tmp_path, [field("x", "integer", 1, "p1"), field("y", "integer", 2, "p2")], mode="id")
    rows = pa.table({"anything": pa.array([2], pa.int32()), "else": pa.array([1], pa.int32())})
    t.append("a.parquet", with_ids(rows, (2, 1)))
    assert bird_rows(bird, t.path) == [(1, 2)]


def test_id_mapping_without_ids_is_an_error(bird, tmp_path):
    t = mapped(tmp_path, [field("x", "integer", 1, "p1")], mode="id")
    t.append("a.parquet", {"p1": pa.array([1], pa.int32())})
    with pytest.raises(duckdb.Error, match="id"):
        bird_rows(bird, t.path)


def test_mapping_without_names_is_an_error(bird, tmp_path):
    t = Table(tmp_path / "t", {"x": "integer"}, config={"delta.columnMapping.mode": "name"},
              protocol={"minReaderVersion": 2, "minWriterVersion": 5})
    t.append("a.parquet", {"x": pa.array([1], pa.int32())})
    with pytest.raises(duckdb.Error, match="olumn"):
        bird_rows(bird, t.path)


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("mode", ["name", "id"])
def test_b77_delete_from_a_mapped_table(bird, tmp_path, mode, vectors):
    path = tmp_path / "t"
    bird.execute(f"""CREATE TABLE delta.`{path}` (col1 INT, part STRING) USING delta PARTITIONED BY (part) TBLPROPERTIES
        ('delta.columnMapping.mode' = '{mode}', 'delta.enableDeletionVectors' = '{vectors}')""")
    bird.execute(f"INSERT INTO delta.`{path}` SELECT i, ['a', 'b'][i % 2 + 1] FROM range(6) r(i)")
    bird.execute(f"ALTER TABLE delta.`{path}` RENAME COLUMN part TO p")
    assert bird.execute(f"DELETE FROM delta.`{path}` WHERE col1 = 2").fetchone() == (1,)
    assert bird.execute(f"DELETE FROM delta.`{path}` WHERE p = 'b' AND col1 > 1").fetchone() == (2,)
    assert bird_rows(bird, path) == [(0, "a"), (1, "b"), (4, "a")]
    check_table(path)


def test_b85_another_changes_an_attached_table(bird, tmp_path):
    """Columns renamed and dropped by another writer: the next statement sees them, and one that has begun sees what it saw."""
    bird.execute(f"ATTACH '{tmp_path}' AS lake (TYPE birdfoot)")
    bird.execute("CREATE TABLE lake.t (a INT, b INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    bird.execute("INSERT INTO lake.t VALUES (1, 2)")
    (log,) = glob.glob(f"{tmp_path}/**/_delta_log", recursive=True)
    table, other = os.path.dirname(log), connect()
    bird.execute("BEGIN")
    assert bird.execute("SELECT a, b FROM lake.t").fetchall() == [(1, 2)]
    other.execute(f'ALTER TABLE delta."{table}" RENAME COLUMN a TO z')
    other.execute(f'ALTER TABLE delta."{table}" DROP COLUMN b')
    assert bird.execute("SELECT a, b FROM lake.t").fetchall() == [(1, 2)]
    bird.execute("COMMIT")
    assert bird.execute("SELECT * FROM lake.t").fetchall() == [(1,)]
    with pytest.raises(duckdb.BinderException, match='"a"|"b"'):
        bird.execute("SELECT a, b FROM lake.t")
    bird.execute("DETACH lake")
    bird.execute(f"ATTACH '{tmp_path}' AS lake (TYPE birdfoot)")
    assert bird.execute("SELECT z FROM lake.t").fetchall() == [(1,)]


def test_b85_schema_changes_under_a_view(bird, tmp_path):
    t = Table(tmp_path / "t", {"a": "integer", "b": "integer"})
    t.append("1.parquet", {"a": pa.array([1], pa.int32()), "b": pa.array([2], pa.int32())})
    bird.execute(f'CREATE VIEW v AS SELECT * FROM delta."{t.path}"')
    assert bird.execute("SELECT * FROM v").fetchall() == [(1, 2)]
    changed = json.loads(t.metadata["schemaString"])
    changed["fields"] = [dict(changed["fields"][0], name="z")]
    t.commit({"metaData": dict(t.metadata, schemaString=json.dumps(changed))},
             {"remove": {"path": "1.parquet", "deletionTimestamp": 1, "dataChange": True}},
             t.data_file("2.parquet", {"z": pa.array([3], pa.int32())}))
    try:
        assert bird.execute("SELECT * FROM v").fetchall() == [(3,)]
    except duckdb.Error as clear:
        assert "INTERNAL" not in str(clear)
    assert bird.execute(f'SELECT z FROM delta."{t.path}"').fetchall() == [(3,)]


def test_b87_upper_case_names(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (Order_Id INT, createdAt TIMESTAMP NOT NULL, Y STRING) USING delta")
    bird.execute(f"INSERT INTO delta.`{path}` (order_id, CREATEDAT, y) VALUES (1, TIMESTAMPTZ '2024-01-01 00:00:00Z', 'a')")
    assert [d[0] for d in bird.execute(f"SELECT * FROM delta.`{path}`").description] == ["Order_Id", "createdAt", "Y"]
    assert bird.execute(f"SELECT ORDER_ID, y FROM delta.`{path}` WHERE Y = 'a'").fetchall() == [(1, "a")]
    with open(path / "_delta_log" / f"{0:020d}.json") as f:
        metadata = next(json.loads(line)["metaData"] for line in f if '"metaData"' in line)
    assert [f["name"] for f in json.loads(metadata["schemaString"])["fields"]] == ["Order_Id", "createdAt", "Y"]
    bird.execute(f"""MERGE INTO delta.`{path}` t USING (SELECT 1 AS ORDER_ID, TIMESTAMPTZ '2024-02-02 00:00:00Z' AS CreatedAt, 'b' AS y
        UNION ALL SELECT 2, TIMESTAMPTZ '2024-02-02 00:00:00Z', 'c') s ON T.order_id = S.Order_id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    assert bird.execute(f"SELECT order_id, y FROM delta.`{path}` ORDER BY 1").fetchall() == [(1, "b"), (2, "c")]
    bird.execute(f"UPDATE delta.`{path}` SET y = 'd' WHERE ORDER_id = 2")
    bird.execute(f"CREATE TABLE delta.`{tmp_path / 'g'}` (NEW_column INT, twice INT GENERATED ALWAYS AS (new_COLUMN * 2)) USING delta")
    bird.execute(f"INSERT INTO delta.`{tmp_path / 'g'}` (new_column) VALUES (4)")
    assert bird_rows(bird, tmp_path / "g") == [(4, 8)]
    with pytest.raises(duckdb.Error, match="(?i)duplicate|already exists"):
        bird.execute(f"CREATE TABLE delta.`{tmp_path / 'u'}` (a INT, A INT) USING delta")
