"""Opening big tables, each in a process of its own: 1,000,000 files in a checkpoint with a partition filter that leaves 10
(goal: < 1 s, < 300 MB), and 20,000 commits with a recent checkpoint (goal: < 0.5 s). delta-rs beside it; `birdfoot sql
'select 1'` (goal: <= 0.1 s)."""
import argparse
import json
import os
import subprocess
import sys
import time
from importlib.metadata import version

import duckdb

from engines import BUILD, connect

FILES, COMMITS = 1_000_000, 20_000


def metadata(partition):
    schema = {"type": "struct", "fields": [{"name": n, "type": t, "nullable": True, "metadata": {}} for n, t in (("id", "long"), ("day", "string"))]}
    return {"id": "x", "format": {"provider": "parquet", "options": {}}, "schemaString": json.dumps(schema), "partitionColumns": partition,
            "configuration": {}, "createdTime": 0}


def checkpoint(path, version, files, partition):
    """Written by DuckDB's COPY, in the form of delta-spark's: statistics as JSON, one row an action."""
    con = duckdb.connect()
    meta = metadata(partition)
    con.execute(f"""
    COPY (
      SELECT NULL::STRUCT("path" VARCHAR, partitionValues MAP(VARCHAR, VARCHAR), size BIGINT, modificationTime BIGINT, dataChange BOOLEAN, stats VARCHAR) AS add,
        NULL::STRUCT(id VARCHAR, format STRUCT(provider VARCHAR, options MAP(VARCHAR, VARCHAR)), schemaString VARCHAR, partitionColumns VARCHAR[], configuration MAP(VARCHAR, VARCHAR), createdTime BIGINT) AS metaData,
        {{'minReaderVersion': 1::INTEGER, 'minWriterVersion': 2::INTEGER}} AS protocol
      UNION ALL
      SELECT NULL, {{'id': 'x', 'format': {{'provider': 'parquet', 'options': MAP {{}}::MAP(VARCHAR, VARCHAR)}}, 'schemaString': $1, 'partitionColumns': {partition!r}::VARCHAR[],
        'configuration': MAP {{}}::MAP(VARCHAR, VARCHAR), 'createdTime': 0::BIGINT}}, NULL
      UNION ALL
      SELECT {{'path': 'day=' || (i // 10) || '/part-' || i || '-c000.snappy.parquet', 'partitionValues': MAP {{{"'day': (i // 10)::VARCHAR" if partition else ""}}}::MAP(VARCHAR, VARCHAR),
        'size': 1000000 + i, 'modificationTime': 0, 'dataChange': false,
        'stats': '{{"numRecords":1000,"minValues":{{"id":' || i || '}},"maxValues":{{"id":' || (i + 999) || '}},"nullCount":{{"id":0}}}}'}}, NULL, NULL
      FROM range({files}) t(i)
    ) TO '{path}/_delta_log/{version:020d}.checkpoint.parquet'""", [meta["schemaString"]])
    with open(f"{path}/_delta_log/_last_checkpoint", "w") as f:
        json.dump({"version": version, "size": files + 2}, f)


def prepare(folder):
    if os.path.exists(f"{folder}/ready"):
        return
    for name, version, files, partition in (("files", 10, FILES, ["day"]), ("commits", COMMITS - 10, COMMITS - 10, [])):
        os.makedirs(f"{folder}/{name}/_delta_log", exist_ok=True)
        checkpoint(f"{folder}/{name}", version, files, partition)
    for i in range(COMMITS):
        add = {"add": {"path": f"part-{i}.parquet", "partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True, "stats": '{"numRecords":1}'}}
        with open(f"{folder}/commits/_delta_log/{i:020d}.json", "w") as f:
            if i == 0:
                f.write(json.dumps({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}) + "\n" + json.dumps({"metaData": metadata([])}) + "\n")
            f.write(json.dumps(add) + "\n")
    add = {"add": {"path": "last.parquet", "partitionValues": {"day": "7"}, "size": 1, "modificationTime": 0, "dataChange": True,
                   "stats": '{"numRecords":1000}'}}
    with open(f"{folder}/files/_delta_log/{11:020d}.json", "w") as f:
        f.write(json.dumps({"remove": {"path": "day=7/part-70-c000.snappy.parquet", "deletionTimestamp": 1, "dataChange": True}}) + "\n" + json.dumps(add) + "\n")
    open(f"{folder}/ready", "w").close()


def peak_mb():
    """Of this program alone: getrusage would count what the parent had before it started us."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def child(who, what, folder):
    """Runs in its own process: prints seconds, peak memory in MB and what was found: rows in the files that the filter leaves,
    or files."""
    if who == "birdfoot":
        con = connect()
        before = peak_mb()
        query = f"SELECT count(*) FROM delta.\"{folder}/files\" WHERE day = '7'" if what == "files" else \
            f"SELECT count(*) FROM birdfoot_files('{folder}/commits')"
        start = time.perf_counter()
        found = con.execute(query).fetchone()[0]
    else:
        import deltalake
        before = peak_mb()
        start = time.perf_counter()
        table = deltalake.DeltaTable(f"{folder}/{what}")
        found = 1000 * len(table.file_uris([("day", "=", "7")])) if what == "files" else len(table.file_uris())
    took = time.perf_counter() - start
    print(json.dumps({"seconds": took, "mb": peak_mb(), "before": before, "found": found}))


def main():
    folder = os.path.abspath("build/bench/log")
    prepare(folder)
    for what, title, goal in (("files", f"{FILES:,} files in a checkpoint, a partition filter leaves 10", "< 1 s, < 300 MB"),
                              ("commits", f"{COMMITS:,} commits with a recent checkpoint", "< 0.5 s")):
        for who in ("birdfoot", "delta-rs"):
            out = subprocess.run([sys.executable, __file__, "--child", who, what, folder], capture_output=True, text=True)
            if out.returncode:
                print(f"{title}: {who} failed: {out.stderr.strip().splitlines()[-1:]}")
                continue
            r = json.loads(out.stdout)
            print(f"{title}: {who} {r['seconds']:.2f} s, {r['mb']:.0f} MB (of them {r['before']:.0f} before), {r['found']:,} found"
                  + (f" (goal {goal})" if who == "birdfoot" else f" ({version('deltalake')})"))
    best = 1e9
    for _ in range(10):
        start = time.perf_counter()
        subprocess.run([str(BUILD / "birdfoot"), "sql", "select 1"], stdout=subprocess.DEVNULL, check=True)
        best = min(best, time.perf_counter() - start)
    print(f"birdfoot sql 'select 1': {best:.3f} s (goal 0.1)")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:5])
    else:
        argparse.ArgumentParser().parse_args()
        main()
