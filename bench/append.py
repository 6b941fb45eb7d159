"""Appending: ten million rows at once, beside DuckDB's COPY to Parquet and delta-rs; and small appends a second, with and
without fsync, into a new table and into one of 100,000 files."""
import argparse
import json
import os
import shutil
import time

import deltalake
import duckdb
from deltalake import write_deltalake

from engines import connect

ROWS = 10_000_000
SELECT = ("SELECT i AS id, i % 1000 AS k, i * 0.5 AS x, 'name ' || (i % 10000) AS name, DATE '2024-01-01' + CAST(i % 365 AS INT) AS day, "
          "(i * 7919) % 1000003 AS h, i % 2 = 0 AS flag, (i * 13 % 100000)::DECIMAL(12,2) AS price FROM range({n}) t(i)")


def timed(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def big(folder, runs):
    con = connect()
    con.execute(f"CREATE TEMP TABLE source AS {SELECT.format(n=ROWS)}")
    best = {}
    for run in range(runs):
        for who in ("birdfoot", "copy", "delta-rs")[:: 1 if run % 2 else -1]:
            path = f"{folder}/{who}"
            shutil.rmtree(path, ignore_errors=True)
            if who == "birdfoot":
                con.execute(f"CREATE TABLE delta.\"{path}\" AS SELECT * FROM source LIMIT 0")
                took = timed(lambda: con.execute(f"INSERT INTO delta.\"{path}\" FROM source"))
            elif who == "copy":
                os.makedirs(path)
                took = timed(lambda: con.execute(f"COPY source TO '{path}/all.parquet'"))
            else:
                took = timed(lambda: write_deltalake(path, con.execute("FROM source").to_arrow_reader(100_000)))
            best[who] = min(best.get(who, 1e9), took)
    ours, copy, rs = best["birdfoot"], best["copy"], best["delta-rs"]
    print(f"append of {ROWS:,} rows x 8 columns, best of {runs}: birdfoot {ours:.2f} s, DuckDB {duckdb.__version__} COPY {copy:.2f} s, "
          f"delta-rs {deltalake.__version__} {rs:.2f} s")
    print(f"  to COPY {ours / copy:.2f} (goal 1.15), to delta-rs {ours / rs:.2f} (goal 0.5)")


def crowd(path, files):
    """A table of that many files (their bytes are not there: appends never open them)."""
    log = f"{path}/_delta_log"
    os.makedirs(log)
    schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
    with open(f"{log}/{0:020d}.json", "w") as f:
        f.write(json.dumps({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}) + "\n")
        f.write(json.dumps({"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema),
                                         "partitionColumns": [], "configuration": {}, "createdTime": 0}}) + "\n")
        for i in range(files):
            f.write(json.dumps({"add": {"path": f"part-{i:05d}.parquet", "partitionValues": {}, "size": 1000, "modificationTime": 0,
                                        "dataChange": True, "stats": json.dumps({"numRecords": 10, "minValues": {"id": i},
                                                                                 "maxValues": {"id": i + 9}, "nullCount": {"id": 0}})}}) + "\n")


def small(folder, count):
    for label, files in (("a new table", 0), ("one of 100,000 files", 100_000)):
        for fsync in (False, True):
            path = f"{folder}/small"
            shutil.rmtree(path, ignore_errors=True)
            con = connect()
            con.execute(f"SET birdfoot_fsync = {str(fsync).lower()}")
            if files:
                crowd(path, files)
                con.execute(f"INSERT INTO delta.\"{path}\" VALUES (0)")
            else:
                con.execute(f"CREATE TABLE delta.\"{path}\" (id BIGINT)")
            took = timed(lambda: [con.execute(f"INSERT INTO delta.\"{path}\" VALUES ({i})") for i in range(count)])
            print(f"{count} appends of one row, {'with' if fsync else 'without'} fsync, into {label}: {count / took:,.0f} a second"
                  + ("" if fsync else " (goal 200)"))
            con.close()
    path = f"{folder}/small-rs"
    shutil.rmtree(path, ignore_errors=True)
    import pyarrow as pa
    row = pa.table({"id": pa.array([1], pa.int64())})
    write_deltalake(path, row)
    took = timed(lambda: [write_deltalake(path, row, mode="append") for _ in range(count // 4)])
    print(f"  delta-rs {deltalake.__version__}, into a new table: {count / 4 / took:,.0f} a second")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--appends", type=int, default=400)
    args = parser.parse_args()
    place = os.path.abspath("build/bench/append")
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    big(place, args.runs)
    small(place, args.appends)
