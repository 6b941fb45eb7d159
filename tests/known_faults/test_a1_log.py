"""A1 of the list of faults that other implementations shipped: log replay, listing, protocol."""
import json
import os
import shutil

import duckdb
import pyarrow as pa
import pytest
from engines import bird_rows, spark_rows
from table_builder import DV_PROTOCOL, Table, dv_file, inline_dv, relative_dv


def ints(*values):
    return pa.table({"id": pa.array(values, pa.int32())})


def test_b2_unknown_fields_and_actions(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, create=False)
    protocol, metadata = dict(t.protocol, stray=1), dict(t.metadata, stray={"x": [1]})
    metadata["format"] = dict(metadata["format"], stray=None)
    t.commit({"protocol": protocol}, {"metaData": metadata}, {"futureAction": {"x": 1}}, {"commitInfo": {"stray": {}}})
    first = t.data_file("a.parquet", ints(1, 2))
    first["add"]["stray"] = {"deep": [1, {"er": None}]}
    second = t.data_file("b.parquet", ints(3))
    t.commit(first, second, {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": False, "stray": 1}})
    t.commit({"remove": {"path": "b.parquet", "dataChange": True, "deletionTimestamp": 1, "stray": 2}})
    assert bird_rows(bird, t.path) == [(1,), (2,)]


def test_b2_stray_field_in_a_vector(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL)
    t.append("a.parquet", ints(1, 2, 3), dv=dict(inline_dv([1]), maxRowIndex=2))
    assert bird_rows(bird, t.path) == [(1,), (3,)]


def test_b3_subfolders_of_the_log(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"})
    t.append("a.parquet", ints(1))
    os.mkdir(os.path.join(t.log, "backup"))
    for version in (0, 1):
        shutil.copy(t.commit_path(version), os.path.join(t.log, "backup"))
    assert bird_rows(bird, t.path) == [(1,)]
    assert bird.execute(f"SELECT max(version) FROM birdfoot_history('{t.path}')").fetchone() == (1,)


def test_b5_reader_features_are_obeyed(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL)
    t.append("a.parquet", ints(*range(310)), dv=inline_dv(range(50)), stats={"numRecords": 310})
    assert len(bird_rows(bird, t.path)) == 260
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}"').fetchone() == (260,)


@pytest.mark.parametrize("protocol,named", [
    ({"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["holograms"], "writerFeatures": ["holograms"]},
     "holograms"),
    ({"minReaderVersion": 4, "minWriterVersion": 7, "readerFeatures": [], "writerFeatures": []}, "4"),
])
def test_b5_unknown_features_are_refused_by_name(bird, tmp_path, protocol, named):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=protocol)
    t.append("a.parquet", ints(1))
    with pytest.raises(duckdb.Error, match=named):
        bird_rows(bird, t.path)


def test_b7_features_are_written_with_their_arrays(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id INT, ts TIMESTAMP_NTZ) USING delta")
    with open(path / "_delta_log" / f"{0:020d}.json") as f:
        protocol = next(json.loads(line)["protocol"] for line in f if '"protocol"' in line)
    assert (protocol["minReaderVersion"], protocol["minWriterVersion"]) == (3, 7)
    assert protocol["readerFeatures"] == ["timestampNtz"]
    assert "timestampNtz" in protocol["writerFeatures"]
    assert spark_rows(spark, path) == []


@pytest.mark.parametrize("arrays", [{}, {"writerFeatures": []}, {"readerFeatures": [], "writerFeatures": []}])
def test_b7_missing_arrays_hide_no_feature(bird, tmp_path, arrays):
    """A protocol without its arrays names no feature, so plain rows are all there is; a vector would say that there is one."""
    t = Table(tmp_path / "t", {"id": "integer"}, protocol={"minReaderVersion": 3, "minWriterVersion": 7, **arrays})
    t.append("a.parquet", ints(1, 2))
    assert bird_rows(bird, t.path) == [(1,), (2,)]
    t.append("b.parquet", ints(3, 4), dv=inline_dv([0]))
    try:
        assert bird_rows(bird, t.path) == [(1,), (2,), (4,)]
    except duckdb.Error as refused:
        assert "deletion" in str(refused).lower()


def test_b8_requested_versions_and_timestamp_ntz(bird, spark, tmp_path):
    path = tmp_path / "t"
    try:
        bird.execute(f"CREATE TABLE delta.`{path}` (ts TIMESTAMP_NTZ) USING delta "
                     "TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '2')")
    except duckdb.Error as refused:
        assert "timestampNtz" in str(refused)
        return
    with open(path / "_delta_log" / f"{0:020d}.json") as f:
        protocol = next(json.loads(line)["protocol"] for line in f if '"protocol"' in line)
    assert {"timestampNtz", "appendOnly", "invariants"} <= set(protocol["writerFeatures"])
    assert spark_rows(spark, path) == []


@pytest.mark.parametrize("slash", ["", "/", "//"])
def test_b12_trailing_slash_and_vectors(bird, tmp_path, slash):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL)
    uuid = bytes(range(16))
    name = "deletion_vector_00010203-0405-0607-0809-0a0b0c0d0e0f.bin"
    os.mkdir(os.path.join(t.path, "ab"))
    (offset, size), = dv_file(os.path.join(t.path, "ab", name), [[0, 2]])
    t.append("a.parquet", ints(1, 2, 3), dv=relative_dv(uuid, "ab", offset, size, 2))
    assert bird_rows(bird, t.path + slash) == [(2,)]


def test_b13_absolute_paths(bird, tmp_path):
    other = Table(tmp_path / "other place", {"id": "integer"})
    other.data_file("part0.parquet", ints(1))
    other.data_file("part 1.parquet", ints(2))
    t = Table(tmp_path / "t", {"id": "integer"})
    add = lambda path: {"add": {"path": path, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}}
    place = str(tmp_path) + "/other%20place"
    t.commit(add(place + "/part0.parquet"), add("file://" + place + "/part%201.parquet"))
    assert bird_rows(bird, t.path) == [(1,), (2,)]


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_b13_a_delete_names_an_absolute_path_as_it_was(bird, tmp_path, vectors):
    t = Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL, config={"delta.enableDeletionVectors": vectors})
    other = Table(tmp_path / "other place", {"id": "integer"})
    place = str(tmp_path) + "/other%20place"
    for name, path in (("part 0.parquet", f"{place}/part%200.parquet"), ("part 1.parquet", f"file://{place}/part%201.parquet")):
        add = other.data_file(name, ints(1, 2))
        add["add"].update(path=path, stats=json.dumps({"numRecords": 2}))
        t.commit(add)
    bird.execute(f'DELETE FROM delta."{t.path}" WHERE id = 1')
    assert bird_rows(bird, t.path) == [(2,), (2,)]
    with open(t.commit_path(3)) as f:
        actions = [json.loads(line) for line in f]
    assert sorted(a["remove"]["path"] for a in actions if "remove" in a) == sorted(
        [f"{place}/part%200.parquet", f"file://{place}/part%201.parquet"])
    assert sorted(os.listdir(other.path)) == ["_delta_log", "part 0.parquet", "part 1.parquet"]


def test_b145_commit_info_of_any_form(bird, tmp_path):
    t = Table(tmp_path / "t", {"id": "integer"})
    info = {"operation": "WRITE", "operationParameters": {"a": "s", "b": True, "c": [1, "x"], "d": {"e": 1}, "f": None}}
    t.commit({"commitInfo": info}, t.data_file("a.parquet", ints(1)))
    t.commit(t.data_file("b.parquet", ints(2)))
    t.commit({"commitInfo": {"operation": 7, "operationParameters": "none", "timestamp": "yesterday"}})
    assert bird_rows(bird, t.path) == [(1,), (2,)]
    assert bird.execute(f"SELECT count(*) FROM birdfoot_history('{t.path}')").fetchone() == (4,)


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_commit_is_not_taken_for_one_that_changes_nothing(bird, tmp_path, content):
    """A power cut leaves it where a writer did not wait for the disk: Spark reads on, without the rows."""
    t = Table(tmp_path / "t", {"id": "integer"})
    t.append("a.parquet", ints(1))
    t.append("b.parquet", ints(2))
    with open(t.commit_path(2), "w") as file:
        file.write(content)
    with pytest.raises(duckdb.Error, match="DELTA_LOG_FILE_MALFORMED.*is empty"):
        bird_rows(bird, t.path)
    with pytest.raises(duckdb.Error, match="DELTA_LOG_FILE_MALFORMED.*is empty"):
        bird.execute(f'INSERT INTO delta."{t.path}" VALUES (3)')
    os.remove(t.commit_path(2))
    bird.execute(f'INSERT INTO delta."{t.path}" VALUES (3)')
    assert bird_rows(bird, t.path) == [(1,), (3,)]
