"""A8 of the list of faults that other implementations shipped: DELETE, UPDATE, replaced rows; with the DELETE cases of A5."""
import glob
import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engines import bird_rows, rs_rows
from table_builder import Table
from table_check import check_table


def actions(path, version):
    with open(f"{path}/_delta_log/{version:020}.json") as file:
        return [json.loads(line) for line in file]


def make(bird, path, rows, vectors, **properties):
    wanted = {"delta.enableDeletionVectors": vectors, **properties}
    options = ", ".join(f"'{k}' = '{v}'" for k, v in wanted.items())
    bird.execute(f'CREATE TABLE delta."{path}" (id BIGINT) USING delta TBLPROPERTIES ({options})')
    bird.execute(f'INSERT INTO delta."{path}" SELECT i FROM range({rows}) r(i)')


@pytest.mark.parametrize("vectors", ["false", "true"])
@pytest.mark.parametrize("condition, left", [("id < 99", [99]), ("id > 0", [0]), ("true", []), ("id <> 50", [50])])
def test_b70_ends_of_a_file_written(bird, tmp_path, vectors, condition, left):
    path = str(tmp_path / "t")
    make(bird, path, 100, vectors)
    bird.execute(f'DELETE FROM delta."{path}" WHERE {condition}')
    assert bird_rows(bird, path) == [(i,) for i in left]
    if not left:
        assert not any("add" in a for a in actions(path, 2)), "a file without rows is removed"
        return
    assert rs_rows(path) == [(i,) for i in left]
    bird.execute(f'DELETE FROM delta."{path}" WHERE id = {left[0]}')
    assert bird_rows(bird, path) == []
    assert not any("add" in a for a in actions(path, 3))
    check_table(path)


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_b72_pruned_pages_do_not_shift_rows(bird, tmp_path, vectors):
    config = {"delta.enableDeletionVectors": vectors}
    protocol = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    t = Table(tmp_path / "t", {"id": "long", "c": "string"}, config=config, protocol=protocol)
    rows = 60_000
    data = pa.table({"id": pa.array(range(rows), pa.int64()), "c": [f"text{1 + i * 9 // rows}" for i in range(rows)]})
    t.append("a.parquet", data, stats={"numRecords": rows}, write_page_index=True, data_page_size=4096, row_group_size=20_000)
    assert bird.execute(f"DELETE FROM delta.\"{t.path}\" WHERE c = 'text5'").fetchone() == (sum(c == "text5" for c in data["c"].to_pylist()),)
    left = bird.execute(f'SELECT c, count(*) FROM delta."{t.path}" GROUP BY c ORDER BY c').fetchall()
    want = {c: data["c"].to_pylist().count(c) for c in sorted(set(data["c"].to_pylist())) if c != "text5"}
    assert dict(left) == want


def test_b100_every_file_of_the_partitions_goes(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer", "dt": "date", "hour": "integer"}, partition=["dt", "hour"])
    adds = []
    for i in range(3000):  # their bytes are not there: nothing may be read
        day = f"2025-{5 + i % 2:02}-{1 + i % 28:02}"
        adds.append({"add": {"path": f"dt={day}/hour={i % 24}/{i}.parquet", "partitionValues": {"dt": day, "hour": str(i % 24)}, "size": 1,
                             "modificationTime": 1, "dataChange": True, "stats": json.dumps({"numRecords": 10})}})
    t.commit(*adds)
    before = [a["add"] for a in adds if a["add"]["partitionValues"]["dt"] < "2025-06-01"]
    assert bird.execute(f"DELETE FROM delta.\"{t.path}\" WHERE dt < '2025-06-01'").fetchone() == (10 * len(before),)
    done = actions(t.path, 2)
    assert sorted(a["remove"]["path"] for a in done if "remove" in a) == sorted(a["path"] for a in before)
    assert not any("add" in a for a in done)
    metrics = done[0]["commitInfo"]["operationMetrics"]
    assert metrics["numRemovedFiles"] == str(len(before)) and metrics["numDeletedRows"] == str(10 * len(before))


@pytest.mark.parametrize("feed", ["false", "true"])
@pytest.mark.parametrize("vectors", ["false", "true"])
def test_b102_metrics_with_a_change_feed(bird, tmp_path, feed, vectors):
    path = str(tmp_path / "t")
    make(bird, path, 5, vectors, **{"delta.enableChangeDataFeed": feed})
    assert bird.execute(f'DELETE FROM delta."{path}" WHERE id IN (1, 3)').fetchone() == (2,)
    metrics = actions(path, 2)[0]["commitInfo"]["operationMetrics"]
    assert metrics["numDeletedRows"] == "2"
    assert metrics["numCopiedRows"] == ("0" if vectors == "true" else "3")
    bird.execute(f'DELETE FROM delta."{path}"')
    assert not any("cdc" in a for a in actions(path, 3))
    assert glob.glob(f"{path}/_change_data/*") == [] if feed == "false" else True
    check_table(path)


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_b102_a_whole_partition_needs_no_change_files(bird, tmp_path, vectors):
    path = str(tmp_path / "t")
    bird.execute(f"""CREATE TABLE delta."{path}" (id INT, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES
        ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '{vectors}')""")
    bird.execute(f"INSERT INTO delta.\"{path}\" VALUES (1, 'a'), (2, 'a'), (3, 'b')")
    assert bird.execute(f"DELETE FROM delta.\"{path}\" WHERE p = 'a'").fetchone() == (2,)
    done = actions(path, 2)
    assert done[0]["commitInfo"]["operationMetrics"]["numDeletedRows"] == "2"
    assert [list(a) for a in done[1:]] == [["remove"]] and not os.path.exists(f"{path}/_change_data")
    check_table(path)


def test_b103_no_rows_replace_a_partition(bird, tmp_path):
    path = str(tmp_path / "t")
    bird.execute(f"CREATE TABLE delta.\"{path}\" (id INT, p STRING) USING delta PARTITIONED BY (p)")
    bird.execute(f"INSERT INTO delta.\"{path}\" VALUES (1, 'a'), (2, 'b')")
    bird.execute(f"INSERT INTO delta.\"{path}\" REPLACE WHERE p = 'a' SELECT 1, 'a' WHERE false")
    assert bird_rows(bird, path) == [(2, "b")]
    assert os.path.exists(f"{path}/_delta_log/{2:020}.json")
    assert pq.ParquetFile(glob.glob(f"{path}/p=b/*.parquet")[0]).metadata.num_rows == 1
