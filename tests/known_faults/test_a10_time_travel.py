"""A10: time travel and history."""
import os

import duckdb
import pyarrow as pa
import pytest
from engines import bird_rows
from table_builder import Table


def ints(*values):
    return {"id": pa.array(values, pa.int32())}


def count_at(bird, t, millis):
    """Rows as of a time given in milliseconds since the epoch."""
    sql = f'SELECT count(*) FROM delta."{t.path}" AT (TIMESTAMP => make_timestamptz({millis * 1000}))'
    return bird.execute(sql).fetchone()[0]


def test_b112_in_commit_timestamps_win(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, create=False,
              protocol={"minReaderVersion": 1, "minWriterVersion": 7, "writerFeatures": ["inCommitTimestamp"]})
    config = {"delta.enableInCommitTimestamps": "true", "delta.inCommitTimestampEnablementVersion": "3",
              "delta.inCommitTimestampEnablementTimestamp": "1700000003000"}
    t.commit({"commitInfo": {"timestamp": 1}}, {"protocol": t.protocol}, {"metaData": t.metadata})
    for i in (1, 2):
        t.commit({"commitInfo": {"timestamp": 1}}, t.data_file(f"{i}.parquet", ints(i)))
    t.commit({"commitInfo": {"timestamp": 1, "inCommitTimestamp": 1700000003000}}, {"metaData": dict(t.metadata, configuration=config)},
             t.data_file("3.parquet", ints(3)))
    for i in (4, 5):
        t.commit({"commitInfo": {"timestamp": 1, "inCommitTimestamp": 1700000000000 + i * 1000}}, t.data_file(f"{i}.parquet", ints(i)))
    for version in range(6):  # as after a copy: file times say nothing
        age = 1690000000 + version if version < 3 else 1790000000
        os.utime(t.commit_path(version), (age, age))
    assert count_at(bird, t, 1700000003000) == 3
    assert count_at(bird, t, 1700000004500) == 4
    assert count_at(bird, t, 1700000005000) == 5
    assert count_at(bird, t, 1690000001500) == 1
    assert count_at(bird, t, 1700000002999) == 2


def test_b113_equal_and_backward_file_times(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, create=False)
    t.commit({"protocol": t.protocol}, {"metaData": t.metadata}, mtime_ms=100)
    for i, mtime in enumerate((90, 100, 110), 1):
        t.commit(t.data_file(f"{i}.parquet", ints(i)), mtime_ms=mtime)
    assert [count_at(bird, t, ms) for ms in (100, 101, 105, 110)] == [0, 1, 2, 3]
    with pytest.raises(duckdb.Error, match="DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"):
        count_at(bird, t, 99)
    with pytest.raises(duckdb.Error, match="DELTA_TIMESTAMP_GREATER_THAN_COMMIT"):
        count_at(bird, t, 111)


def sample(tmp_path):
    """Version 1 was committed at 2024-03-31 00:30:00 UTC, version 2 a day later, version 3 in 2030."""
    t = Table(tmp_path / "t", {"id": "integer"}, create=False)
    t.commit({"protocol": t.protocol}, {"metaData": t.metadata}, mtime_ms=1600000000000)
    for i, mtime in enumerate((1711845000000, 1711931400000, 1900000000000), 1):
        t.commit(t.data_file(f"{i}.parquet", ints(i)), mtime_ms=mtime)
    return t


@pytest.mark.parametrize("zone,text,rows", [
    ("UTC", "2024-03-31 00:29:59", 0), ("UTC", "2024-03-31 00:30:00", 1), ("UTC", "2024-04-01", 1),
    ("Europe/Berlin", "2024-03-31 02:30:00", 1), ("Europe/Berlin", "2024-03-31 01:29:59", 0),
    ("America/New_York", "2024-03-30 20:29:59", 0), ("America/New_York", "2024-03-30 20:30:00", 1),
    ("America/New_York", "2024-03-31T00:29:59Z", 0), ("America/New_York", "2024-03-31T02:30:00+02:00", 1),
    ("Asia/Tokyo", "2024-04-02", 2),
])
def test_b115_zones_of_as_of_strings(bird, tmp_path, zone, text, rows):
    t = sample(tmp_path)
    bird.execute(f"SET TimeZone = '{zone}'")
    assert bird.execute(f"SELECT count(*) FROM delta.`{t.path}` TIMESTAMP AS OF '{text}'").fetchone() == (rows,)


@pytest.mark.parametrize("text", ["1970-01-01", "1970-01-01T00:00:00Z", "2020-09-13 12:26:39Z"])
def test_b115_before_the_first_version(bird, tmp_path, text):
    t = sample(tmp_path)
    with pytest.raises(duckdb.Error, match="DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION"):
        bird.execute(f"SELECT count(*) FROM delta.`{t.path}` TIMESTAMP AS OF '{text}'").fetchone()


def test_b115_one_instant_for_all_changes_of_a_commit(bird, tmp_path):
    """Whether it has a change file or not, and whatever the zone of the session that wrote it or that reads it."""
    path = str(tmp_path / "t")
    bird.execute("SET TimeZone = 'America/New_York'")
    bird.execute(f"CREATE TABLE delta.\"{path}\" (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')")
    bird.execute(f'INSERT INTO delta."{path}" VALUES (1), (2), (3)')
    bird.execute(f"""MERGE INTO delta."{path}" t USING (SELECT unnest([1, 2, 9]) AS id) s ON t.id = s.id
        WHEN MATCHED AND s.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET id = 20 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)""")
    bird.execute(f'INSERT OVERWRITE delta."{path}" VALUES (7)')
    for version in (1, 2, 3):
        at = round(os.path.getmtime(f"{path}/_delta_log/{version:020d}.json") * 1000)
        for zone in ("America/New_York", "UTC", "Asia/Tokyo"):
            bird.execute(f"SET TimeZone = '{zone}'")
            found = bird.execute(f"SELECT DISTINCT epoch_ms(_commit_timestamp) FROM table_changes_by_path('{path}', {version}, {version})").fetchall()
            assert len(found) == 1 and abs(found[0][0] - at) <= 1


@pytest.mark.parametrize("form,rows", [
    ("SELECT count(*) FROM delta.`{p}` VERSION AS OF 2", 2), ("SELECT count(*) FROM delta.`{p}@v2`", 2),
    ("SELECT count(*) FROM delta.`{p}` FOR SYSTEM_VERSION AS OF 1", 1), ('SELECT count(*) FROM delta."{p}" AT (VERSION => 1 + 1)', 2),
    ("SELECT count(*) FROM delta.`{p}@20240401003000000`", 2), ("SELECT count(*) FROM delta_scan('{p}', version => 1)", 1),
    ("SELECT count(*) FROM delta.`{p}` FOR TIMESTAMP AS OF TIMESTAMPTZ '2024-04-01 00:00:00Z' - INTERVAL 1 HOUR AS x WHERE x.id > 0", 1),
    ("WITH a AS (SELECT * FROM delta.`{p}` VERSION AS OF 1) SELECT count(*) FROM a JOIN delta.`{p}` b ON a.id = b.id", 1),
])
def test_forms_of_time_travel(bird, tmp_path, form, rows):
    t = sample(tmp_path)
    assert bird.execute(form.format(p=t.path)).fetchone() == (rows,)


def test_unknown_version_names_the_range(bird, tmp_path):
    t = sample(tmp_path)
    with pytest.raises(duckdb.Error, match=r"DELTA_VERSION_NOT_FOUND.*0.*3"):
        bird.execute(f"SELECT * FROM delta.`{t.path}` VERSION AS OF 9")
    assert len(bird_rows(bird, t.path)) == 3
