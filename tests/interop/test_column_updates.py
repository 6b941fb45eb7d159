"""Copy-on-write by column: files that Birdfoot, Spark and delta-rs have written, in several row groups, are updated; rows stay in
their places, untouched columns keep their bytes, and all three read what is there."""
import json
import os

import duckdb
import pytest
from engines import bird_rows, connect, live_files, rows_of, rs_rows, spark_rows
from cells import CELLS
from table_check import check_table

ROWS = 6000
WRITERS = ["birdfoot", "spark", "delta-rs"]


def column_of(name, dialect):
    """The cell's values in turn, and NULL."""
    literals = [c[dialect] for c in CELLS[name][2]] + ["NULL"]
    whens = " ".join(f"WHEN {i} THEN CAST({v} AS {CELLS[name][dialect]})" for i, v in enumerate(literals))
    return f"CASE id % {len(literals)} {whens} END AS c_{name}"


def query(dialect, first):
    ids = f"(SELECT id FROM range({first}, {first + ROWS}))" if dialect == 0 else \
        f"(SELECT range AS id FROM range({first}, {first + ROWS}))"
    return f"SELECT id, 'k' || (id % 997) AS k, {', '.join(column_of(n, dialect) for n in CELLS)} FROM {ids}"


def make(writer, bird, spark, path):
    columns = "id BIGINT, k STRING, " + ", ".join(f"c_{n} {c[0]}" for n, c in CELLS.items())
    if writer == "birdfoot":
        bird.execute(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
        for first in (0, ROWS):
            bird.execute(f'INSERT INTO delta."{path}" {query(1, first)}')
    elif writer == "spark":
        spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
        settings = spark._jsc.hadoopConfiguration()
        settings.set("parquet.block.size", "50000")
        try:
            for first in (0, ROWS):
                spark.sql(query(0, first)).coalesce(1).write.format("delta").mode("append").save(str(path))
        finally:
            settings.unset("parquet.block.size")
    else:
        from deltalake import WriterProperties, write_deltalake

        for first in (0, ROWS):
            rows = bird.execute(query(1, first)).to_arrow_table()
            write_deltalake(str(path), rows, mode="append", writer_properties=WriterProperties(max_row_group_size=2048, compression="ZSTD"))


def layout(con, file):
    """The ids in the file's order, and the size of each column's chunks in each row group."""
    ids = [r[0] for r in con.execute(f"SELECT id FROM read_parquet('{file}', file_row_number = true) ORDER BY file_row_number").fetchall()]
    chunks = {}
    for group, column, size, rows in con.execute(
            f"SELECT row_group_id, path_in_schema, total_compressed_size, row_group_num_rows FROM parquet_metadata('{file}')").fetchall():
        chunks.setdefault(column, []).append((rows, size))
    return ids, chunks


@pytest.mark.parametrize("writer", WRITERS)
def test_all_types(bird, spark, tmp_path, writer):
    path, plain = tmp_path / "t", duckdb.connect()
    make(writer, bird, spark, path)
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    plain.execute(f"CREATE TABLE t AS {query(1, 0)} UNION ALL {query(1, ROWS)}")
    plain.execute("SET TimeZone = 'UTC'")
    before = [layout(bird, f) for f in live_files(path)]
    assert len(before) == 2 and (writer == "birdfoot" or all(len(chunks["id"]) > 1 for _, chunks in before))
    for i, name in enumerate(CELLS):
        literal = CELLS[name][2][i % len(CELLS[name][2])][1]
        change = f"SET c_{name} = CASE WHEN id % 4 < 3 THEN CAST({literal} AS {CELLS[name][1]}) END, k = concat(k, 'x') WHERE id % 13 = {i % 13}"
        assert bird.execute(f'UPDATE delta."{path}" {change}').fetchone() == plain.execute(f"UPDATE t {change}").fetchone()
    after = [layout(bird, f) for f in live_files(path)]
    assert sorted(ids for ids, _ in before) == sorted(ids for ids, _ in after)
    sizes = lambda found: sorted(chunks["id"] for _, chunks in found)
    assert sizes(before) == sizes(after)  # id was never set
    history = bird.execute(f"SELECT operationMetrics FROM birdfoot_history('{path}') LIMIT 1").fetchone()[0]
    assert history["numAddedFiles"] == "2" and history["numRemovedFiles"] == "2"
    assert int(history["numCopiedRows"]) + int(history["numUpdatedRows"]) == 2 * ROWS
    expected = rows_of(plain.execute("FROM t"))
    assert bird_rows(bird, path) == expected
    check_table(str(path))
    assert rs_rows(path) == expected
    spark.conf.set("spark.sql.files.maxPartitionBytes", "20000")  # several tasks a file: each finds its row groups by their middle
    try:
        assert spark_rows(spark, path) == expected
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def test_row_groups_on_several_threads(bird, tmp_path):
    """400,000 rows are four row groups of ours; a MERGE updates some rows of each, inserts others, and reads its own table."""
    path = tmp_path / "t"
    bird.execute("SET threads = 3")
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    bird.execute(f'CREATE TABLE delta."{path}" AS SELECT i AS id, i * 0.5 AS x, concat(\'name \', i % 1000) AS name FROM range(400000) r(i)')
    bird.execute("CREATE TABLE plain AS SELECT i AS id, i * 0.5 AS x, concat('name ', i % 1000) AS name FROM range(400000) r(i)")
    ids, chunks = layout(bird, live_files(path)[0])
    assert len(chunks["id"]) == 4
    for table in (f'delta."{path}"', "plain"):
        bird.execute(f"MERGE INTO {table} t USING (SELECT (i * 7919) % 500000 AS id, concat('m', i % 3) AS name FROM range(100000) r(i)) s "
                     "ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)")
        bird.execute(f"UPDATE {table} SET name = NULL WHERE id > 399990 OR id IN (SELECT id - 1 FROM {table} WHERE name = 'm0')")
        bird.execute(f"UPDATE {table} SET x = id")  # all rows
    for left, right in (("plain", f'delta."{path}"'), (f'delta."{path}"', "plain")):
        assert bird.execute(f"FROM {left} EXCEPT ALL FROM {right} LIMIT 3").fetchall() == []
    spliced = [layout(bird, f) for f in live_files(path)]
    assert sorted(len(found) for found, _ in spliced)[-1] == 400000
    check_table(str(path))


def test_what_guards_a_table_guards_updated_columns(bird, tmp_path):
    path = tmp_path / "t"
    table = f'delta."{path}"'
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    bird.execute(f"CREATE TABLE {table} (id BIGINT, a INT NOT NULL, s STRING, twice BIGINT GENERATED ALWAYS AS (a * 2), filler STRING)")
    bird.execute(f"ALTER TABLE {table} ADD CONSTRAINT positive CHECK (a > 0 OR s = 'none')")
    bird.execute(f"INSERT INTO {table} (id, a, s, filler) SELECT i, i + 1, 's', concat('some text that fills the file ', hash(i)) FROM range(3000) r(i)")
    file, = live_files(path)
    for change, error in (("a = NULL", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"), ("a = -1", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES")):
        with pytest.raises(duckdb.Error, match=error):
            bird.execute(f"UPDATE {table} SET {change} WHERE id = 2999")
    assert live_files(path) == [file]
    bird.execute(f"UPDATE {table} SET a = a + 10 WHERE id % 2 = 0")
    assert bird.execute(f"SELECT count(*), sum(twice - 2 * a) FROM {table}").fetchone() == (3000, 0)
    new, = live_files(path)
    assert layout(bird, file)[1]["filler"] == layout(bird, new)[1]["filler"]
    check_table(str(path))


def test_a_source_column_of_any_name_is_a_change(bird, tmp_path):
    """Columns that stay as they are have a mark in the plan: no name of a user's is taken for it."""
    path = tmp_path / "t"
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    bird.execute(f'CREATE TABLE delta."{path}" AS SELECT i AS id, 0 AS unchanged, i AS x FROM range(1000) r(i)')
    bird.execute(f'UPDATE delta."{path}" t SET x = s.unchanged FROM (SELECT 1 AS id, -5 AS unchanged) s WHERE t.id = s.id')
    bird.execute(f'MERGE INTO delta."{path}" t USING (SELECT 2 AS id, -6 AS unchanged) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET x = s.unchanged')
    assert bird.execute(f'SELECT x FROM delta."{path}" WHERE id < 4 ORDER BY id').fetchall() == [(0,), (-5,), (-6,), (3,)]


def test_a_file_that_lies_about_its_pages_is_written_whole(bird, tmp_path):
    """The size of a chunk in the footer is cut short: copied, its last page would be lost."""
    from pyarrow import parquet

    path = tmp_path / "t"
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    bird.execute(f'CREATE TABLE delta."{path}" AS SELECT i AS id, hash(i) AS h, 0 AS x FROM range(1000) r(i)')
    file, = live_files(path)
    size = parquet.ParquetFile(file).metadata.row_group(0).column(0).total_compressed_size
    data = open(file, "rb").read()
    footer = int.from_bytes(data[-8:-4], "little")
    head, tail = data[:-8 - footer], data[-8 - footer:]

    def varint(n):
        n, out = n << 1, b""  # zigzag
        while n >= 0x80:
            out, n = out + bytes([n & 0x7F | 0x80]), n >> 7
        return out + bytes([n])

    assert tail.count(varint(size)) == 1 and len(varint(size)) == len(varint(size - 1))
    with open(file, "wb") as f:
        f.write(head + tail.replace(varint(size), varint(size - 1)))
    with connect() as con:
        con.execute("SET birdfoot_column_update_min_bytes = 0")
        con.execute(f'UPDATE delta."{path}" SET x = 1 WHERE id = 7')
        assert con.execute(f'SELECT count(*), sum(id), sum(x) FROM delta."{path}"').fetchone() == (1000, 499500, 1)
    new, = live_files(path)
    assert layout(bird, new)[0] != list(range(1000))  # the changed row comes first in a file that is written whole


def table_of_file(path, arrow, fields):
    """A table in id mode over one Parquet file; `fields` are (name, id, type) of the table."""
    from pyarrow import parquet

    os.makedirs(f"{path}/_delta_log")
    parquet.write_table(arrow, f"{path}/p.parquet")
    schema = {"type": "struct", "fields": [
        {"name": n, "type": t, "nullable": True, "metadata": {"delta.columnMapping.id": i, "delta.columnMapping.physicalName": n}} for n, i, t in fields]}
    actions = [{"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
               {"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}}, "partitionColumns": [], "createdTime": 0,
                             "schemaString": json.dumps(schema),
                             "configuration": {"delta.columnMapping.mode": "id", "delta.columnMapping.maxColumnId": "9"}}},
               {"add": {"path": "p.parquet", "partitionValues": {}, "size": os.path.getsize(f"{path}/p.parquet"), "modificationTime": 0,
                        "dataChange": True, "stats": json.dumps({"numRecords": arrow.num_rows})}}]
    with open(f"{path}/_delta_log/{0:020}.json", "w") as log:
        log.write("\n".join(map(json.dumps, actions)) + "\n")


@pytest.mark.parametrize("file,fields", [
    ([("a", 1), ("k", 2)], [("b", 1, "long"), ("k", 2, "string"), ("a", 3, "long")]),
    ([("b", 3), ("a", 1), ("k", 2)], [("b", 1, "long"), ("k", 2, "string"), ("a", 3, "long")]),
], ids=["another column has the name", "names swapped"])
def test_columns_mapped_by_id(bird, tmp_path, file, fields):
    import pyarrow as pa

    count = 5000
    values = {"k": pa.array([f"some text {i * 7919 % 10007}" for i in range(count)])}
    arrays = [values.get(name, pa.array(range(count))) for name, _ in file]
    schema = pa.schema([pa.field(n, a.type, metadata={"PARQUET:field_id": str(i)}) for (n, i), a in zip(file, arrays)])
    path = tmp_path / "t"
    table_of_file(path, pa.Table.from_arrays(arrays, schema=schema), fields)
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    before = bird.execute(f'SELECT sum(b), count(a), count(DISTINCT k) FROM delta."{path}"').fetchone()
    assert before[0] == sum(range(count)) and before[1] in (0, count)
    bird.execute(f'UPDATE delta."{path}" SET a = 100 WHERE b = 2')
    assert bird.execute(f'SELECT sum(b), count(a), count(DISTINCT k) FROM delta."{path}"').fetchone() == (before[0], before[1] or 1, before[2])
    assert bird.execute(f'SELECT a FROM delta."{path}" WHERE b = 2').fetchall() == [(100,)]


def test_ids_of_columns_after_an_upgrade(bird, tmp_path):
    """Files from before column mapping have no field ids. Writers must write them: such a file is written whole."""
    from pyarrow import parquet

    path = tmp_path / "t"
    bird.execute("SET birdfoot_column_update_min_bytes = 0")
    bird.execute(f'CREATE TABLE delta."{path}" AS SELECT i AS id, 0 AS x, concat(\'pad\', hash(i)) AS pad FROM range(3000) r(i)')
    bird.execute(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    for _ in range(2):
        bird.execute(f'UPDATE delta."{path}" SET x = x + 1 WHERE id % 2 = 0')
        file, = live_files(path)
        schema = parquet.read_schema(file)
        assert [schema.field(n).metadata[b"PARQUET:field_id"] for n in ("id", "x", "pad")] == [b"1", b"2", b"3"]
    assert bird.execute(f'SELECT count(*), sum(x), sum(id) FROM delta."{path}"').fetchone() == (3000, 3000, 4498500)
