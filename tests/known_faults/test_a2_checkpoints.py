"""A2: checkpoints, _last_checkpoint, log clean-up."""
import glob
import json
import os
import shutil

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines import bird_rows, connect, rs_rows, spark_rows
from table_builder import DV_PROTOCOL, Table, inline_dv
from table_check import check_table

STRING_MAP = pa.map_(pa.string(), pa.string())
FORMAT = pa.struct([("provider", pa.string()), ("options", STRING_MAP)])
ADD = [("path", pa.string()), ("partitionValues", STRING_MAP), ("size", pa.int64()), ("modificationTime", pa.int64()),
       ("dataChange", pa.bool_()), ("stats", pa.string())]
PROTOCOL = pa.struct([("minReaderVersion", pa.int32()), ("minWriterVersion", pa.int32())])
METADATA = pa.struct([("id", pa.string()), ("format", FORMAT), ("schemaString", pa.string()),
                      ("partitionColumns", pa.list_(pa.string())), ("configuration", STRING_MAP), ("createdTime", pa.int64())])


def maps(value):
    return {k: list(v.items()) if k in ("partitionValues", "configuration", "options") else maps(v) if isinstance(v, dict) else v
            for k, v in value.items()}


def checkpoint(t, adds, add_type=None, extra=(), not_null=False, protocol=PROTOCOL, metadata=METADATA):
    """A classic checkpoint of the smallest form, as old writers left them."""
    add_type = add_type or pa.struct([pa.field(n, k, nullable=not (not_null and n in ("path", "size"))) for n, k in ADD])
    schema = pa.schema([("protocol", protocol), ("metaData", metadata), ("add", add_type)] + [(n, k) for n, k, _ in extra])
    blank = {f.name: None for f in schema}
    rows = [dict(blank, protocol={f.name: t.protocol.get(f.name) for f in protocol}),
            dict(blank, metaData=maps(t.metadata))]
    rows += [dict(blank, add=maps(a["add"])) for a in adds]
    rows += [dict(blank, **{n: v}) for n, _, values in extra for v in values]
    path = os.path.join(t.log, f"{t.version:020d}.checkpoint.parquet")
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
    return path


def hint(t, text):
    with open(os.path.join(t.log, "_last_checkpoint"), "w") as f:
        f.write(text if isinstance(text, str) else json.dumps(text))


def ints(*values):
    return {"id": pa.array(values, pa.int32())}


def table_with_checkpoints(tmp_path):
    """Versions 0..7, one file each from 1 on, checkpoints at 3 and 5."""
    t = Table(tmp_path / "t", {"id": "integer"})
    adds = []
    for i in range(1, 8):
        adds.append(t.append(f"{i}.parquet", ints(i), stats={"numRecords": 1}))
        if i in (3, 5):
            checkpoint(t, adds)
    return t


ALL = [(i,) for i in range(1, 8)]


def test_b15_hint_behind_the_newest_checkpoint(bird, tmp_path):
    t = table_with_checkpoints(tmp_path)
    hint(t, {"version": 3, "size": 5})
    assert bird_rows(bird, t.path) == ALL
    for version in range(0, 4):  # the commits that both checkpoints cover
        os.remove(t.commit_path(version))
    assert bird_rows(bird, t.path) == ALL


def test_b15_cut_checkpoint_falls_back(bird, tmp_path):
    t = table_with_checkpoints(tmp_path)
    newest = os.path.join(t.log, f"{5:020d}.checkpoint.parquet")
    with open(newest, "r+b") as f:
        f.truncate(os.path.getsize(newest) // 2)
    hint(t, {"version": 5, "size": 7})
    assert bird_rows(bird, t.path) == ALL


@pytest.mark.parametrize("text", ["", "{", '{"version":"x"}', "[]", "null", '{"version":-1}', '{"version":99,"size":1}',
                                  '{"version":5,"size":7,"checksum":"0123456789abcdef0123456789abcdef"}',
                                  '{"version":4,"size":6}', "\x00\xff"])
def test_b17_lying_hint(bird, tmp_path, text):
    t = table_with_checkpoints(tmp_path)
    hint(t, text)
    assert bird_rows(bird, t.path) == ALL


def test_b18_hint_names_the_checkpoint_written(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    for i in range(10):
        bird.execute(f'INSERT INTO delta."{path}" VALUES ({i})')
    written = sorted(int(os.path.basename(p)[:20]) for p in glob.glob(f"{path}/_delta_log/*.checkpoint*.parquet"))
    assert written
    with open(path / "_delta_log" / "_last_checkpoint") as f:
        assert json.load(f)["version"] == written[-1]


def test_b18_a_checkpoint_holds_what_the_others_have_committed(bird, tmp_path):
    path, other = tmp_path / "t", connect()
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '3')")
    for i in range(12):
        session = (bird, other)[i // 2 % 2]  # each comes back to a table that has moved on
        session.execute("SET birdfoot_checkpoints = 'inline'")
        session.execute(f'INSERT INTO delta."{path}" VALUES ({i})')
    assert len(glob.glob(f"{path}/_delta_log/*.checkpoint.parquet")) > 1
    assert check_table(path) == 12  # it reads every checkpoint and compares it with the log


def test_b20_checkpoint_holds_every_file(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    for i in range(7):  # nothing but appends: no statement ever needs the list of files
        bird.execute(f'INSERT INTO delta."{path}" VALUES ({i})')
    newest = max(int(os.path.basename(p)[:20]) for p in glob.glob(f"{path}/_delta_log/*.checkpoint*.parquet"))
    for version in range(newest + 1):
        os.remove(path / "_delta_log" / f"{version:020d}.json")
    assert bird_rows(bird, path) == [(i,) for i in range(7)]


def test_b22_b23_checkpoints_with_removes(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p STRING) USING delta PARTITIONED BY (p) "
                 "TBLPROPERTIES ('delta.checkpointInterval' = '5')")
    for i in range(11):
        bird.execute(f"INSERT OVERWRITE delta.`{path}` VALUES ({i}, 'a'), ({i}, NULL)")
    assert glob.glob(f"{path}/_delta_log/*.checkpoint*.parquet")
    want = [(10, "a"), (10, None)]
    for file in glob.glob(f"{path}/_delta_log/*.checkpoint.parquet"):
        rows = pq.read_table(file).to_pylist()
        assert any(row["remove"] for row in rows) and all(row["add"] is None for row in rows if row["remove"])
    assert bird_rows(bird, path) == sorted(want, key=repr)
    assert spark_rows(spark, path) == sorted(want, key=repr)
    assert rs_rows(path) == sorted(want, key=repr)
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (99, 'b')")
    assert (99, "b") in spark_rows(spark, path)


@pytest.mark.parametrize("not_null", [False, True])
def test_b23_b25_old_checkpoints(bird, tmp_path, not_null):
    t = Table(tmp_path / "t", {"id": "integer"})
    adds = [t.append(f"{i}.parquet", ints(i)) for i in range(3)]
    checkpoint(t, adds, not_null=not_null)
    for version in range(t.version + 1):
        os.remove(t.commit_path(version))
    assert bird_rows(bird, t.path) == [(0,), (1,), (2,)]
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" WHERE id > 0').fetchone() == (2,)


def test_b2_stray_columns_in_a_checkpoint(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL)
    adds = [t.append(f"{i}.parquet", ints(i, -i - 1), dv=dict(inline_dv([1]), maxRowIndex=1), stats={"numRecords": 2}) for i in range(3)]
    stray = pa.field("stray", pa.struct([("deep", pa.int32())]))
    for action in (t.protocol, t.metadata, *(a["add"] for a in adds)):
        action["stray"] = {"deep": 1}
    vector = pa.struct([("storageType", pa.string()), ("pathOrInlineDv", pa.string()), ("sizeInBytes", pa.int32()),
                        ("cardinality", pa.int64()), ("maxRowIndex", pa.int64())])
    remove = pa.struct([("path", pa.string()), ("deletionTimestamp", pa.int64()), stray])
    features = [(n, pa.list_(pa.string())) for n in ("readerFeatures", "writerFeatures")]
    checkpoint(t, adds, add_type=pa.struct([*ADD, ("deletionVector", vector), ("partitionValues_parsed", pa.struct([stray])), stray]),
               protocol=pa.struct([*PROTOCOL, *features, stray]), metadata=pa.struct([*METADATA, stray]),
               extra=[("futureAction", pa.struct([("x", pa.int64())]), [{"x": 1}]),
                      ("remove", remove, [{"path": "gone.parquet", "deletionTimestamp": 1, "stray": {"deep": 1}}])])
    for version in range(t.version + 1):
        os.remove(t.commit_path(version))
    assert bird_rows(bird, t.path) == [(0,), (1,), (2,)]


def test_b23_the_form_of_our_checkpoint_is_our_own(bird, tmp_path):
    """Whatever was read before: nothing, required columns, optional ones, or some of either."""
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    forms = []
    for before in ((), (False,), (True,), (False, True)):
        t = Table(tmp_path / f"t{before}", {"id": "integer"}, config={"delta.checkpointInterval": "1"})
        adds = [t.append("0.parquet", ints(0), stats={"numRecords": 1})]
        for number, not_null in enumerate(before, 1):
            adds.append(t.append(f"{number}.parquet", ints(number), stats={"numRecords": 1}))
            checkpoint(t, adds, not_null=not_null)
        for _ in range(20):  # a checkpoint is written once the log behind the last one is long enough
            bird.execute(f'INSERT INTO delta."{t.path}" VALUES (9)')
        newest = sorted(glob.glob(f"{t.log}/*.checkpoint.parquet"))[-1]
        assert int(os.path.basename(newest)[:20]) > t.version
        forms.append(pq.ParquetFile(newest).schema_arrow)
        assert len(bird_rows(bird, t.path)) == 20 + len(adds)
    assert all(form.equals(forms[0]) for form in forms)


def test_b27_removes_without_metadata(bird, spark, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, config={"delta.checkpointInterval": "1"})
    t.append("1.parquet", ints(1))
    t.append("2.parquet", ints(2))
    import time
    t.commit({"remove": {"path": "1.parquet", "deletionTimestamp": int(time.time() * 1000), "dataChange": True}})
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f'INSERT INTO delta."{t.path}" VALUES (3)')
    assert glob.glob(f"{t.log}/*.checkpoint.parquet")
    assert spark_rows(spark, t.path) == [(2,), (3,)]
    assert rs_rows(t.path) == [(2,), (3,)]


def test_b28_our_checkpoints_are_plain_parquet(bird, tmp_path):
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p INT) USING delta PARTITIONED BY (p) "
                 "TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    bird.execute(f"INSERT INTO delta.`{path}` VALUES (1, 1)")
    file = pq.ParquetFile(glob.glob(f"{path}/_delta_log/*1.checkpoint.parquet")[0])
    schema = file.schema_arrow
    assert schema.field("protocol").type.field("minReaderVersion").type == pa.int32()
    assert schema.field("add").type.field("size").type == pa.int64()
    assert pa.types.is_map(schema.field("add").type.field("partitionValues").type)
    assert pa.types.is_string(schema.field("add").type.field("path").type)
    assert sorted(r["add"]["path"] for r in file.read().to_pylist() if r["add"]) != []
    lists = [file.schema.column(i).path for i in range(len(file.schema)) if "Features" in file.schema.column(i).path]
    assert lists == ["protocol.readerFeatures.list.element", "protocol.writerFeatures.list.element"]
    row_group = file.metadata.row_group(0)
    used = {encoding for i in range(row_group.num_columns) for encoding in row_group.column(i).encodings}
    assert used <= {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "BIT_PACKED"}


def test_b30_decimal_struct_statistics(bird, spark, tmp_path):
    path = tmp_path / "t"
    big = "12345678901234567890123456789.500000000"
    spark.sql(f"CREATE TABLE delta.`{path}` (id INT, d DECIMAL(38,9)) USING delta TBLPROPERTIES "
              "('delta.checkpointInterval' = '1', 'delta.checkpoint.writeStatsAsStruct' = 'true', "
              "'delta.checkpoint.writeStatsAsJson' = 'false')")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, {big}BD)")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (2, 1BD)")
    assert bird.execute(f"SELECT id FROM delta.`{path}` WHERE d = {big}::DECIMAL(38,9)").fetchall() == [(1,)]
    assert bird.execute(f"SELECT id FROM delta.`{path}` WHERE d < 2").fetchall() == [(2,)]


def test_b32_removes_match_adds_that_came_from_a_checkpoint(bird, spark, tmp_path):
    """Rows would be there twice if the path of a remove were spelt otherwise than that of its add."""
    path = tmp_path / "t"
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, p STRING) USING delta PARTITIONED BY (p) "
                 "TBLPROPERTIES ('delta.checkpointInterval' = '2')")
    for first in (0, 2000):
        bird.execute(f"INSERT INTO delta.`{path}` SELECT i, 'a b/%é' FROM range({first}, {first + 2000}) r(i)")
    assert glob.glob(f"{path}/_delta_log/*.checkpoint.parquet")
    for _ in range(3):
        again = connect()  # which knows the table from its checkpoint
        again.execute(f"UPDATE delta.`{path}` SET id = id + 1")
        assert again.execute(f'SELECT count(*), count(DISTINCT id) FROM delta."{path}"').fetchone() == (4000, 4000)
    assert len(spark_rows(spark, path)) == 4000


def test_b33_clean_up_keeps_what_is_readable(bird, tmp_path):
    """Nothing goes that a kept version needs: commits 0..9, checkpoint at 9, the cut-off after commit 4."""
    import time
    t = Table(tmp_path / "t", {"id": "integer"}, config={"delta.checkpointInterval": "9", "delta.logRetentionDuration":
                                                         "interval 5 days", "delta.enableExpiredLogCleanup": "true"})
    day = 86400
    for i in range(1, 9):
        t.append(f"{i}.parquet", ints(i))
    for version in range(9):
        age = time.time() - (20 if version <= 4 else 1) * day
        os.utime(t.commit_path(version), (age, age))
    bird.execute("SET birdfoot_checkpoints = 'inline'")
    bird.execute(f'INSERT INTO delta."{t.path}" VALUES (9)')
    assert bird_rows(bird, t.path) == [(i,) for i in range(1, 10)]
    for version in (5, 6, 7, 8):
        rows = bird.execute(f'SELECT count(*) FROM delta."{t.path}" AT (VERSION => {version})').fetchone()
        assert rows == (version,)
    for (version,) in bird.execute(f"SELECT version FROM birdfoot_history('{t.path}')").fetchall():
        bird.execute(f'SELECT count(*) FROM delta."{t.path}" AT (VERSION => {version})').fetchall()


def test_b37_vacuumed_version_says_so(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"})
    t.append("1.parquet", ints(1), stats={"numRecords": 1})
    add = t.data_file("2.parquet", ints(2))
    t.commit({"remove": {"path": "1.parquet", "deletionTimestamp": 1, "dataChange": True}}, add)
    os.remove(os.path.join(t.path, "1.parquet"))
    assert bird_rows(bird, t.path) == [(2,)]
    for sql in ("SELECT * FROM delta.\"{}\" AT (VERSION => 1)", "SELECT count(*) FROM delta.\"{}\" AT (VERSION => 1)"):
        with pytest.raises(duckdb.Error, match="not found") as error:
            bird.execute(sql.format(t.path)).fetchall()
        assert "does not exist" in str(error.value) and "1.parquet" in str(error.value)
    assert bird_rows(bird, t.path) == [(2,)]


def test_b58_timestamps_as_bare_numbers(bird, tmp_path):
    """`stats_parsed` with an INT64 that says nothing of being a timestamp is read as microseconds or not at all."""
    t = Table(tmp_path / "t", {"id": "integer", "ts": "timestamp"})
    second = 1704067200_000000
    bounds = pa.struct([("ts", pa.int64())])
    add_type = pa.struct([f for f in ADD if f[0] != "stats"] + [("stats_parsed", pa.struct([
        ("numRecords", pa.int64()), ("minValues", bounds), ("maxValues", bounds), ("nullCount", bounds)]))])
    adds = []
    for i in range(2):
        at = second + i * 1_000_000
        adds.append(t.append(f"{i}.parquet", {**ints(i), "ts": pa.array([at], pa.timestamp("us", "UTC"))}))
        adds[-1]["add"]["stats_parsed"] = {"numRecords": 1, "minValues": {"ts": at}, "maxValues": {"ts": at}, "nullCount": {"ts": 0}}
    checkpoint(t, adds, add_type=add_type)
    for version in range(t.version + 1):
        os.remove(t.commit_path(version))
    for where, want in (("ts = TIMESTAMPTZ '2024-01-01 00:00:01Z'", [(1,)]), ("ts < TIMESTAMPTZ '2024-01-01 00:00:01Z'", [(0,)]),
                        ("ts >= TIMESTAMPTZ '2024-01-01 00:00:00Z'", [(0,), (1,)]), ("ts IS NULL", [])):
        assert bird.execute(f'SELECT id FROM delta."{t.path}" WHERE {where} ORDER BY id').fetchall() == want


def test_b45_empty_partition_string_in_a_checkpoint_is_null(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer", "p": "string"}, partition=["p"])
    adds = []
    for i, value in enumerate(("", None, "x")):
        adds.append(t.append(f"{i}.parquet", ints(i), partition_values={"p": value}))
        adds[-1]["add"]["partitionValues_parsed"] = {"p": value}
    checkpoint(t, adds, add_type=pa.struct([*ADD, ("partitionValues_parsed", pa.struct([("p", pa.string())]))]))
    for version in range(t.version + 1):
        os.remove(t.commit_path(version))
    for where, want in (("p IS NULL", [(0,), (1,)]), ("p = ''", []), ("p IS NOT NULL", [(2,)])):
        assert bird.execute(f'SELECT id FROM delta."{t.path}" WHERE {where} ORDER BY id').fetchall() == want


def test_incomplete_multipart_checkpoint_is_none(bird, tmp_path):
    t = table_with_checkpoints(tmp_path)
    shutil.copy(os.path.join(t.log, f"{5:020d}.checkpoint.parquet"),
                os.path.join(t.log, f"{6:020d}.checkpoint.0000000001.0000000002.parquet"))
    hint(t, {"version": 6, "size": 8, "parts": 2})
    assert bird_rows(bird, t.path) == ALL
