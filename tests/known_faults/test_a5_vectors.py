"""A5: deletion vectors, as far as they are read."""
import os

import duckdb
import pyarrow as pa
import pytest
from engines import bird_rows
from table_builder import DV_PROTOCOL, Table, dv_file, inline_dv, relative_dv, roaring_bytes, z85

UUID = bytes(range(16))
NAME = "deletion_vector_00010203-0405-0607-0809-0a0b0c0d0e0f.bin"


def ints(values):
    return {"id": pa.array(values, pa.int32())}


def make(tmp_path):
    return Table(tmp_path / "t", {"id": "integer"}, protocol=DV_PROTOCOL)


def test_b72_page_index_does_not_shift_positions(bird, tmp_path):
    t = Table(tmp_path / "t", {"c": "string"}, protocol=DV_PROTOCOL)
    values = [f"text{i // 1000}" for i in range(10000)]
    t.append("a.parquet", {"c": values}, dv=inline_dv(range(5000, 5500)), write_page_index=True, data_page_size=1024,
             row_group_size=10000)
    assert bird.execute(f"SELECT count(*) FROM delta.\"{t.path}\" WHERE c = 'text5'").fetchone() == (500,)
    assert bird.execute(f"SELECT count(*) FROM delta.\"{t.path}\" WHERE c = 'text1'").fetchone() == (1000,)
    rows = bird.execute(f"SELECT min(file_row_number), max(file_row_number) FROM delta.\"{t.path}\" WHERE c = 'text5'")
    assert rows.fetchone() == (5500, 5999)


@pytest.mark.parametrize("threads", [1, 4])
def test_b73_row_group_pruning_does_not_shift_vectors(bird, tmp_path, threads):
    t = make(tmp_path)
    t.append("a.parquet", ints([-3268, -3267, 0, 1, 3266, 3267]), dv=inline_dv([0, 1]), row_group_size=2)
    bird.execute(f"SET threads = {threads}")
    run = lambda where: sorted(r[0] for r in bird.execute(f'SELECT id FROM delta."{t.path}" WHERE {where}').fetchall())
    assert run("id > 3000") == [3266, 3267] and run("id < 0") == [] and run("id IN (0, 3267, -3268)") == [0, 3267]
    assert bird.execute(f'SELECT id FROM delta."{t.path}" ORDER BY id DESC LIMIT 3').fetchall() == [(3267,), (3266,), (1,)]
    assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" t JOIN (SELECT 3266 AS k UNION ALL SELECT -3268) s '
                        "ON t.id = s.k").fetchone() == (1,)


def test_b73_bloom_filters_do_not_shift_vectors(bird, tmp_path):
    """DuckDB writes them beside dictionaries; the value asked for lies within the bounds of every row group, and in one of them."""
    t = make(tmp_path)
    file = os.path.join(t.path, "a.parquet")
    bird.execute(f"""COPY (SELECT (CASE WHEN i = 7000 THEN 501 ELSE i % 100 * 10 END)::INT AS id FROM range(10240) r(i))
        TO '{file}' (FORMAT parquet, ROW_GROUP_SIZE 2048)""")
    filters = bird.execute(f"SELECT count(*) FROM parquet_metadata('{file}') WHERE bloom_filter_offset IS NOT NULL").fetchone()
    assert filters == (5,)
    add = {"path": "a.parquet", "partitionValues": {}, "size": os.path.getsize(file), "modificationTime": 1, "dataChange": True}
    for gone, left in (([0, 2048, 6999, 7001], 1), ([7000], 0)):
        t.commit({"add": dict(add, deletionVector=inline_dv(gone))})
        assert bird.execute(f'SELECT count(*) FROM delta."{t.path}" WHERE id = 501').fetchone() == (left,)
        t.commit({"remove": dict(add, deletionVector=inline_dv(gone), deletionTimestamp=1)})


def test_b78_vector_over_many_chunks(bird, tmp_path):
    t = make(tmp_path)
    gone = [i for i in range(100000) if i % 3 == 0]
    os.mkdir(os.path.join(t.path, "x"))
    places = dv_file(os.path.join(t.path, "x", NAME), [gone, [99999], list(range(99999))])
    for i, ((offset, size), rows) in enumerate(zip(places, (gone, [99999], range(99999)))):
        t.append(f"{i}.parquet", ints(range(100000)), dv=relative_dv(UUID, "x", offset, size, len(rows)), row_group_size=7777)
    got = bird.execute(f"SELECT filename[-9:], count(*), sum(id) FROM delta.\"{t.path}\" GROUP BY ALL ORDER BY 1").fetchall()
    total = sum(range(100000))
    assert [g[1:] for g in got] == [(100000 - len(gone), total - sum(gone)), (99999, total - 99999), (1, 99999)]


def test_b78_absolute_path(bird, tmp_path):
    t = make(tmp_path)
    full = str(tmp_path / "some vectors.bin")
    (offset, size), = dv_file(full, [[1]])
    for path in (full.replace(" ", "%20"), "file://" + full.replace(" ", "%20")):
        t.append(f"{len(path)}.parquet", ints([1, 2]), dv={"storageType": "p", "pathOrInlineDv": path, "offset": offset,
                                                            "sizeInBytes": size, "cardinality": 1})
    assert bird_rows(bird, t.path) == [(1,), (1,)]


def test_b78_positions_beyond_32_bits_do_no_harm(bird, tmp_path):
    t = make(tmp_path)
    t.append("a.parquet", ints([1, 2, 3]), dv=inline_dv([1, 2**32 + 1, 2**33]))
    assert bird_rows(bird, t.path) == [(1,), (3,)]


def break_crc(path, offset, size):
    with open(path, "r+b") as f:
        f.seek(offset + 4 + size)
        f.write(b"\0\0\0\0")


def break_size(path, offset, size):
    with open(path, "r+b") as f:
        f.seek(offset)
        f.write(b"\0\0\0\x05")


def cut(path, offset, size):
    os.truncate(path, offset + 10)


@pytest.mark.parametrize("harm", [break_crc, break_size, cut, lambda path, *_: os.remove(path)],
                         ids=["checksum", "size", "cut", "missing"])
def test_b78_damaged_vectors_are_errors(bird, tmp_path, harm):
    t = make(tmp_path)
    (offset, size), = dv_file(os.path.join(t.path, NAME), [[1]])
    t.append("a.parquet", ints([1, 2]), dv=relative_dv(UUID, "", offset, size, 1))
    harm(os.path.join(t.path, NAME), offset, size)
    with pytest.raises(duckdb.Error):
        bird_rows(bird, t.path)
    assert bird.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize("vector", [
    dict(inline_dv([1]), cardinality=2), dict(inline_dv([1]), storageType="r"), dict(inline_dv([1]), pathOrInlineDv="~~~"),
    dict(inline_dv([1]), pathOrInlineDv=z85(b"\0" * 40), sizeInBytes=40), dict(inline_dv([1]), sizeInBytes=10**9),
    {"storageType": "i", "pathOrInlineDv": z85(roaring_bytes([1])[:12]), "sizeInBytes": 12, "cardinality": 1},
], ids=["cardinality", "kind r", "not z85", "magic", "size", "cut"])
def test_b78_hostile_inline_vectors(bird, tmp_path, vector):
    t = make(tmp_path)
    t.append("a.parquet", ints([1, 2]), dv=vector)
    with pytest.raises(duckdb.Error):
        bird_rows(bird, t.path)
    assert bird.execute("SELECT 1").fetchone() == (1,)


def test_b70_ends_of_a_file(bird, tmp_path):
    t = make(tmp_path)
    n = 5000
    for i, gone in enumerate((range(n - 1), range(1, n), [n - 1], [0])):
        t.append(f"{i}.parquet", ints(range(n)), dv=inline_dv(gone), stats={"numRecords": n})
    per_file = bird.execute(f"SELECT count(*), min(id), max(id) FROM delta.\"{t.path}\" GROUP BY filename ORDER BY filename")
    assert per_file.fetchall() == [(1, n - 1, n - 1), (1, 0, 0), (n - 1, 0, n - 2), (n - 1, 1, n - 1)]
