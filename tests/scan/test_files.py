"""What data files may look like, and what the scan makes of them: types that only the table tells apart, nested columns that
differ from file to file, row ids, files that are missing or damaged."""
import datetime
import glob
import json
import os
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from table_builder import DV_PROTOCOL, Table, inline_dv

UTC = datetime.timezone.utc
NTZ = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["timestampNtz"], "writerFeatures": ["timestampNtz"]}
NOON = datetime.datetime(2024, 7, 1, 12, 0, 0, 123456)


def scan(t, **options):
    return f"delta_scan('{t.path}'{''.join(f', {k} => {v}' for k, v in options.items())})"


def one_file(path, fields, arrays, protocol=None, config=None, schema=None, **options):
    t = Table(path, fields, protocol=protocol, config=config)
    t.append("a.parquet", pa.table(arrays, schema=schema) if schema else arrays, **options)
    return t


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize("form", ["int96", "unadjusted", "adjusted", "nanos", "unadjusted nanos", "millis"])
def test_timestamps_are_instants_whatever_the_file_calls_them(bird, tmp_path, zone, form):
    unit = "ns" if "nanos" in form else "ms" if form == "millis" else "us"
    array = pa.array([NOON], pa.timestamp("us")).cast(pa.timestamp(unit), safe=False)
    if form in ("adjusted", "nanos", "millis"):
        array = array.cast(pa.timestamp(unit, tz="UTC"))
    t = one_file(tmp_path / "t", {"ts": "timestamp", "nested": {"type": "array", "elementType": "timestamp", "containsNull": True}},
                 {"ts": array, "nested": pa.array([[array[0].as_py()]], pa.list_(array.type))},
                 use_deprecated_int96_timestamps=form == "int96")
    bird.execute(f"SET TimeZone = '{zone}'")
    micros = 1719835200123000 if form == "millis" else 1719835200123456
    assert bird.execute(f"SELECT epoch_us(ts), epoch_us(nested[1]) FROM {scan(t)}").fetchall() == [(micros, micros)]
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE ts = make_timestamptz({micros})").fetchall() == [(1,)]


@pytest.mark.parametrize("tz", [None, "UTC"])
def test_wall_clocks_stay_where_they_are(bird, tmp_path, tz):
    t = one_file(tmp_path / "t", {"ts": "timestamp_ntz"}, {"ts": pa.array([NOON], pa.timestamp("us", tz=tz))}, protocol=NTZ)
    bird.execute("SET TimeZone = 'America/New_York'")
    assert bird.execute(f"SELECT ts FROM {scan(t)}").fetchall() == [(NOON,)]


def test_strings_without_a_mark_and_binary_with_one(bird, tmp_path):
    t = one_file(tmp_path / "t", {"s": "string", "b": "binary"},
                 {"s": pa.array([b"\\x41 \xc3\xa9", b"x"], pa.binary()), "b": pa.array(["\\x41", "é"], pa.string())})
    assert bird.execute(f"SELECT s, b FROM {scan(t)}").fetchall() == [("\\x41 é", b"\\x41"), ("x", "é".encode())]
    bird.execute("SET binary_as_string = true")
    assert bird.execute(f"SELECT b FROM {scan(t)} WHERE b = '\\x5Cx41'::BLOB").fetchall() == [(b"\\x41",)]


def test_bytes_that_are_no_text_are_an_error(bird, tmp_path):
    t = one_file(tmp_path / "t", {"s": "string"}, {"s": pa.array([b"\xff\xfe"], pa.binary())})
    with pytest.raises(Exception, match="(?i)utf"):
        bird.execute(f"SELECT s FROM {scan(t)}").fetchall()


@pytest.mark.parametrize("delta,array", [
    ("integer", pa.array(["7"])), ("long", pa.array([1.0])), ("float", pa.array([1.0], pa.float64())),
    ("decimal(4,1)", pa.array([1], pa.decimal128(8, 4))), ("decimal(4,2)", pa.array([1], pa.decimal128(5, 2))),
    ("date", pa.array([NOON], pa.timestamp("us"))), ("timestamp", pa.array([datetime.date(2024, 1, 1)])),
    ("string", pa.array([5])), ("boolean", pa.array([1])), ("double", pa.array([1], pa.int64())),
    ("string", pa.array([[1]], pa.list_(pa.int64()))),
    ({"type": "array", "elementType": "integer", "containsNull": True}, pa.array([5])),
    ({"type": "array", "elementType": "integer", "containsNull": True}, pa.array([["x"]])),
    ({"type": "map", "keyType": "string", "valueType": "integer", "valueContainsNull": True}, pa.array([{"a": 1}])),
])
def test_types_that_would_be_a_guess_are_refused(bird, tmp_path, delta, array):
    t = one_file(tmp_path / "t", {"ok": "long", "c": delta}, {"ok": pa.array([1]), "c": array})
    assert bird.execute(f"SELECT 42").fetchall() == [(42,)]
    with pytest.raises(Exception, match=r"FAILED_READ_FILE.*Column c.*a\.parquet"):
        bird.execute(f"SELECT c FROM {scan(t)}").fetchall()


def test_narrower_types_that_do_not_fit_are_an_error(bird, tmp_path):
    t = one_file(tmp_path / "t", {"c": "byte"}, {"c": pa.array([1, 300], pa.int32())})
    with pytest.raises(Exception, match=r"FAILED_READ_FILE.*a\.parquet"):
        bird.execute(f"SELECT c FROM {scan(t)}").fetchall()
    assert bird.execute("SELECT 42").fetchall() == [(42,)]


def nested(*fields):
    return {"type": "struct", "fields": [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in fields]}


def test_nested_columns_that_differ_from_file_to_file(bird, tmp_path):
    inner = nested(("x", "long"), ("y", "string"), ("z", "double"))
    t = Table(tmp_path / "t", {"id": "integer", "s": inner,
                               "l": {"type": "array", "elementType": inner, "containsNull": True},
                               "m": {"type": "map", "keyType": "string", "valueType": inner, "valueContainsNull": True}})
    files = [
        [("x", pa.int64()), ("y", pa.string()), ("z", pa.float64())],
        [("y", pa.string()), ("x", pa.int32())],            # other order, narrower, without z
        [("z", pa.float32()), ("q", pa.int32())],           # a field that the table does not have
        [("q", pa.int32())],                                # nothing that the table has
    ]
    values = {"x": 1, "y": "y", "z": 0.5, "q": 9}
    for number, fields in enumerate(files):
        kind = pa.struct(fields)
        value = {n: values[n] for n, _ in fields}
        t.append(f"f{number}.parquet", {
            "id": pa.array([number, number + 10], pa.int32()),
            "s": pa.array([value, None], kind),
            "l": pa.array([[value, None], []], pa.list_(kind)),
            "m": pa.array([[("k", value), ("n", None)], None], pa.map_(pa.string(), kind))},
            use_compliant_nested_type=number % 2 == 0)
    t.append("none.parquet", {"id": pa.array([4], pa.int32())})
    full = [{"x": 1, "y": "y", "z": 0.5}, {"x": 1, "y": "y", "z": None}, {"x": None, "y": None, "z": 0.5},
            {"x": None, "y": None, "z": None}]
    expected = []
    for number, value in enumerate(full):
        expected.append((number, value, [value, None], {"k": value, "n": None}))
        expected.append((number + 10, None, [], None))
    expected.append((4, None, None, None))
    got = bird.execute(f"SELECT * FROM {scan(t)}").fetchall()
    assert sorted(got, key=lambda r: r[0]) == sorted(expected, key=lambda r: r[0])
    ids = lambda where: sorted(r[0] for r in bird.execute(f"SELECT id FROM {scan(t)} WHERE {where}").fetchall())
    assert ids("s.x = 1") == [0, 1]
    assert ids("s.z IS NULL") == [1, 3, 4, 10, 11, 12, 13]
    assert ids("s.y IS NULL AND s.z IS NOT NULL") == [2]
    assert ids("s IS NULL") == [4, 10, 11, 12, 13]
    assert bird.execute(f"SELECT id, s.z FROM {scan(t)} WHERE s.z > 0 ORDER BY id").fetchall() == [(0, 0.5), (2, 0.5)]


def test_a_void_column_is_null(bird, tmp_path):
    t = one_file(tmp_path / "t", {"id": "long", "v": "void"}, {"id": pa.array([1, 2])})
    assert bird.execute(f"SELECT id, v FROM {scan(t)} WHERE v IS NULL ORDER BY id").fetchall() == [(1, None), (2, None)]
    assert bird.execute(f"SELECT id FROM {scan(t)} WHERE v IS NOT NULL").fetchall() == []


MAPPED = {"minReaderVersion": 2, "minWriterVersion": 5}


def mapped_field(name, kind, number, physical):
    return {"name": name, "type": kind, "nullable": True,
            "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical}}


def test_id_mapping_needs_ids_in_the_file(bird, tmp_path):
    fields = {"a": mapped_field("a", "long", 1, "a")}
    config = {"delta.columnMapping.mode": "id", "delta.columnMapping.maxColumnId": "1"}
    t = one_file(tmp_path / "t", fields, {"a": pa.array([1])}, protocol=MAPPED, config=config)
    with pytest.raises(Exception, match=r"DELTA_MISSING_COLUMN_ID.*a\.parquet"):
        bird.execute(f"SELECT * FROM {scan(t)}").fetchall()


def test_ids_win_over_names(bird, tmp_path):
    fields = {"a": mapped_field("a", "long", 1, "p1"), "b": mapped_field("b", "long", 2, "p2")}
    config = {"delta.columnMapping.mode": "id", "delta.columnMapping.maxColumnId": "2"}
    schema = pa.schema([pa.field("x", pa.int64()), pa.field("p2", pa.int64(), metadata={"PARQUET:field_id": "1"}),
                        pa.field("p1", pa.int64(), metadata={"PARQUET:field_id": "2"})])
    t = one_file(tmp_path / "t", fields, {"x": [0], "p2": [1], "p1": [2]}, protocol=MAPPED, config=config, schema=schema)
    assert bird.execute(f"SELECT a, b FROM {scan(t)} WHERE a = 1").fetchall() == [(1, 2)]


TRACKING = {"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["rowTracking", "domainMetadata"]}


def test_row_ids_and_commit_versions(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "long"}, protocol=TRACKING, config={
        "delta.enableRowTracking": "true", "delta.rowTracking.materializedRowIdColumnName": "_row-id-x",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-version-x"})
    first = t.data_file("a.parquet", {"id": pa.array(range(3000))}, row_group_size=1000)
    first["add"].update(baseRowId=100, defaultRowCommitVersion=1)
    moved = t.data_file("b.parquet", {"id": pa.array([5000, 5001, 5002]), "_row-id-x": pa.array([7, None, 9]),
                                      "_row-version-x": pa.array([1, None, None])})
    moved["add"].update(baseRowId=9000, defaultRowCommitVersion=2)
    t.commit(first, moved)
    columns = "id, _row_id, _row_commit_version"
    rows = bird.execute(f"SELECT {columns} FROM {scan(t)} WHERE id > 2997 ORDER BY id").fetchall()
    assert rows == [(2998, 3098, 1), (2999, 3099, 1), (5000, 7, 1), (5001, 9001, 2), (5002, 9, 2)]
    assert bird.execute(f"SELECT id FROM {scan(t)} WHERE _row_id = 9").fetchall() == [(5002,)]
    assert bird.execute(f"SELECT id FROM {scan(t)} WHERE _row_id IN (100, 7) ORDER BY id").fetchall() == [(0,), (5000,)]
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE _row_commit_version = 2").fetchall() == [(2,)]
    assert bird.execute(f"SELECT id, file_row_number, _row_id FROM {scan(t)} ORDER BY _row_id LIMIT 2").fetchall() == [
        (5000, 0, 7), (5002, 2, 9)]
    joined = f"SELECT t.id FROM {scan(t)} t JOIN (SELECT unnest([7, 3000]) r) ON t._row_id = r ORDER BY 1"
    assert bird.execute(joined).fetchall() == [(2900,), (5000,)]


def test_rows_that_are_not_tracked_have_no_ids(bird, tmp_path):
    t = one_file(tmp_path / "t", {"id": "long"}, {"id": pa.array([1])})
    assert bird.execute(f"SELECT _row_id, _row_commit_version FROM {scan(t)}").fetchall() == [(None, None)]


def test_hidden_columns(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "long"}, protocol=DV_PROTOCOL)
    t.append("a b.parquet".replace(" ", "%20") if False else "a.parquet", {"id": pa.array(range(10))}, dv=inline_dv([0, 5]))
    t.append("b.parquet", {"id": pa.array(range(10, 13))})
    rows = bird.execute(f"SELECT id, file_row_number, filename FROM {scan(t)} WHERE id IN (1, 6, 12) ORDER BY id").fetchall()
    assert rows == [(1, 1, f"{t.path}/a.parquet"), (6, 6, f"{t.path}/a.parquet"), (12, 2, f"{t.path}/b.parquet")]
    assert bird.execute(f"SELECT id FROM {scan(t)} WHERE filename LIKE '%b.parquet' ORDER BY id").fetchall() == [(10,), (11,), (12,)]
    ids = bird.execute(f"SELECT DISTINCT _file_id, file_index FROM {scan(t)} ORDER BY 2").fetchall()
    assert len(ids) == 2
    again = bird.execute(f"SELECT DISTINCT _file_id FROM {scan(t)} WHERE id >= 10").fetchall()
    assert again == [ids[1][:1]]
    top = f"SELECT * FROM {scan(t)} ORDER BY id DESC LIMIT 2"
    assert bird.execute(top).fetchall() == [(12,), (11,)]


def julian(days, footer, micros=None):
    fields = [pa.field("d", pa.date32())] + ([pa.field("ts", pa.timestamp("us", tz="UTC"))] if micros else [])
    arrays = [pa.array(days, pa.int32()).cast(pa.date32())]
    if micros:
        arrays.append(pa.array(micros, pa.int64()).cast(pa.timestamp("us", tz="UTC")))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=footer))


# Day numbers of the Julian calendar and the Gregorian ones with the same date, as Spark's own tests have them.
LEGACY_DAYS = {-719164: -719162, -682945: -682944, -141428: -141438, -141427: -141427, 0: 0, 18000: 18000,
               -354280: -354285, -354222: -354227, -354221: -354226, -354220: -354226}  # the last but one: a 29 February


@pytest.mark.parametrize("footer", [
    {"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyDateTime": "", "org.apache.spark.timeZone": "UTC"},
    {"org.apache.spark.version": "2.4.8"}])
def test_dates_of_the_legacy_calendar(bird, tmp_path, footer):
    t = Table(tmp_path / "t", {"d": "date"})
    t.append("a.parquet", julian(list(LEGACY_DAYS), footer))
    got = [r[0] for r in bird.execute(f"SELECT d - DATE '1970-01-01' FROM {scan(t)}").fetchall()]
    assert got == list(LEGACY_DAYS.values())
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE d = DATE '1582-10-04'").fetchall() == [(1,)]
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE d < DATE '1582-10-04'").fetchall() == [(6,)]


def test_dates_of_the_right_calendar_stay(bird, tmp_path):
    t = Table(tmp_path / "t", {"d": "date"})
    t.append("a.parquet", julian(list(LEGACY_DAYS), {"org.apache.spark.version": "3.5.0"}))
    got = [r[0] for r in bird.execute(f"SELECT d - DATE '1970-01-01' FROM {scan(t)}").fetchall()]
    assert got == list(LEGACY_DAYS)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_timestamps_of_the_legacy_calendar(bird, tmp_path, zone):
    footer = {"org.apache.spark.version": "3.5.0", "org.apache.spark.legacyDateTime": "", "org.apache.spark.timeZone": zone}
    day = 86_400_000_000
    t = Table(tmp_path / "t", {"d": "date", "ts": "timestamp"})
    t.append("old.parquet", julian([-719164, 0], footer, [-719164 * day + 5, 7]))
    t.append("new.parquet", julian([0], footer, [7]))
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE d = DATE '1970-01-01'").fetchall() == [(2,)]
    query = f"SELECT epoch_us(ts) FROM {scan(t)} ORDER BY 1"
    if zone == "UTC":
        assert bird.execute(query).fetchall() == [(-719162 * day + 5,), (7,), (7,)]
        assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE ts < TIMESTAMPTZ '1000-01-01 00:00:00+00'").fetchall() == [(1,)]
    else:
        with pytest.raises(Exception, match=r"legacy calendar.*|old\.parquet"):
            bird.execute(query).fetchall()


def test_a_missing_file_names_itself_and_the_version(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "long"})
    t.append("a.parquet", {"id": pa.array([1, 2])}, stats={"numRecords": 2})
    t.append("b.parquet", {"id": pa.array([3])}, stats={"numRecords": 1})
    os.remove(f"{t.path}/a.parquet")
    for query in (f"SELECT * FROM {scan(t)}", f"SELECT count(*) FROM {scan(t, version=2)}", f"SELECT count(*) FROM {scan(t, version=1)}"):
        with pytest.raises(Exception, match=r"DELTA_FILE_NOT_FOUND.*a\.parquet of version [12] .*not found.*does not exist"):
            bird.execute(query).fetchall()
    assert bird.execute(f"SELECT count(*) FROM {scan(t)}").fetchall() == [(3,)]  # the log's word


def test_a_file_made_anew_is_not_read_from_a_cache(bird, tmp_path):
    for value in (1, 2):
        t = Table(tmp_path / "t", {"id": "long"})
        t.append("a.parquet", {"id": pa.array([value] * 1000)})
        assert bird.execute(f"SELECT DISTINCT id FROM {scan(t)}").fetchall() == [(value,)]


def test_damaged_files_are_errors_and_the_database_lives_on(bird, tmp_path):
    rng = random.Random(7)
    t = Table(tmp_path / "t", {"i": "long", "s": "string", "l": {"type": "array", "elementType": "long", "containsNull": True}})
    t.append("a.parquet", {"i": pa.array(range(3000)), "s": pa.array([f"text {i}" for i in range(3000)]),
                           "l": pa.array([[i] * (i % 3) for i in range(3000)])}, row_group_size=1000)
    with open(f"{t.path}/a.parquet", "rb") as f:
        sound = f.read()
    for _ in range(150):
        damaged = bytearray(sound)
        for _ in range(3):
            at = rng.randrange(len(damaged)) if rng.random() < 0.5 else len(damaged) - 1 - rng.randrange(1200)
            damaged[at] = rng.randrange(256)
        with open(f"{t.path}/a.parquet", "wb") as f:
            f.write(damaged)
        try:
            bird.execute(f"SELECT * FROM {scan(t)} WHERE i > 100 OR s = 'x'").fetchall()
        except Exception as error:
            assert "invalidated" not in str(error), error
    assert bird.execute("SELECT 42").fetchall() == [(42,)]


def test_counts_and_extremes_from_the_log(bird, tmp_path):
    t = Table(tmp_path / "t", {"i": "long", "d": "double", "p": "integer"}, partition=["p"], protocol=DV_PROTOCOL)
    for number in range(3):
        base = number * 100
        t.append(f"{number}.parquet", {"i": pa.array([base, base + 50]), "d": pa.array([1.0, 2.0])},
                 partition_values={"p": str(number)},
                 stats={"numRecords": 2, "minValues": {"i": base, "d": 1.0}, "maxValues": {"i": base + 50, "d": 2.0},
                        "nullCount": {"i": 0, "d": 0}, "tightBounds": True})
    for name in glob.glob(f"{t.path}/*.parquet"):
        os.rename(name, name + ".away")
    answers = bird.execute(f"SELECT count(*), min(i), max(i) FROM {scan(t)}").fetchall()
    assert answers == [(6, 0, 250)]
    assert bird.execute(f"SELECT count(*) FROM {scan(t)} WHERE p >= 1").fetchall() == [(4,)]
    assert bird.execute(f"SELECT count(*), max(p) FROM {scan(t)} WHERE i < 1000").fetchall() == [(6, 2)]
    for query in ("max(d)", "count(i), min(d)", "max(i) FILTER (d > 1)"):
        with pytest.raises(Exception, match="DELTA_FILE_NOT_FOUND"):
            bird.execute(f"SELECT {query} FROM {scan(t)}").fetchall()


def test_explain_tells_what_was_spared(bird, tmp_path):
    t = Table(tmp_path / "t", {"i": "long", "p": "string"}, partition=["p"])
    for number in range(10):
        t.append(f"{number}.parquet", {"i": pa.array([number])}, partition_values={"p": "ab"[number % 2]},
                 stats={"numRecords": 1, "minValues": {"i": number}, "maxValues": {"i": number}, "nullCount": {"i": 0}})
    plan = bird.execute(f"EXPLAIN SELECT * FROM {scan(t)} WHERE p = 'a' AND i > 5").fetchall()[0][1]
    words = " ".join(plan.replace("│", " ").split())
    for part in ("Version: 10", "Files: 2", "of 10", "Files Pruned by Partition: 5", "Files Skipped by Statistics: 3",
                 "Partition Filters: p = 'a'"):
        assert part in words, words
    joined = f"""EXPLAIN ANALYZE SELECT count(*) FROM {scan(t)} t JOIN (SELECT 4 AS k UNION ALL SELECT 4) k ON t.i = k.k"""
    words = " ".join(bird.execute(joined).fetchall()[0][1].replace("│", " ").split())
    assert "Total Files Read: 1" in words and "Files Skipped by Joins and Limits: 9" in words, words


def test_time_travel_of_a_path(bird, tmp_path):
    bird.execute(f"CREATE TABLE delta.`{tmp_path}/t` AS SELECT 1 AS id")
    bird.execute(f"INSERT INTO delta.`{tmp_path}/t` VALUES (2)")
    last, = bird.execute(f"SELECT max(timestamp)::VARCHAR FROM birdfoot_history('{tmp_path}/t')").fetchone()
    for path in (f"'{tmp_path}/t'", f"'delta:{tmp_path}/t'"):
        assert bird.execute(f"SELECT * FROM {path} VERSION AS OF 0").fetchall() == [(1,)]
        assert bird.execute(f"SELECT b.id FROM {path} AS a VERSION AS OF 0 JOIN {path} b ON a.id < b.id").fetchall() == [(2,)]
        assert bird.execute(f"SELECT count(a.id) FROM {path} TIMESTAMP AS OF '{last}' AS a").fetchall() == [(2,)]
        with pytest.raises(Exception, match="DELTA_VERSION_NOT_FOUND|does not exist|DELTA_TIMESTAMP"):
            bird.execute(f"SELECT * FROM {path} VERSION AS OF 9")


def test_names_with_delta_in_front(bird, tmp_path):
    t = one_file(tmp_path / "t", {"id": "long"}, {"id": pa.array([1])})
    assert bird.execute(f"SELECT * FROM 'delta:{t.path}'").fetchall() == [(1,)]
    assert bird.execute(f"SELECT * FROM delta_scan('file://{t.path}/')").fetchall() == [(1,)]
    with pytest.raises(Exception, match="(?i)delta table|does not exist"):
        bird.execute(f"SELECT * FROM delta_scan('{tmp_path}/nothing')")
    assert json.loads(json.dumps(bird.execute(f"DESCRIBE SELECT * FROM {scan(t)}").fetchall()[0][:2])) == ["id", "BIGINT"]
