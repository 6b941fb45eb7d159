"""Row changes on ten million rows: MERGE of 1 % updates and 1 % inserts, UPDATE and DELETE of 1 % of rows, with and without deletion
vectors, and MERGE into one of 100 partitions; beside delta-rs and Spark with Delta on this machine. Each in a process of its
own: seconds of the statement, peak memory, bytes written. Goal: with vectors a third of the best peer's time, with
copy-on-write three quarters."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import time

from engines import PEERS, connect

ROWS = 10_000_000
TABLE = ("SELECT i AS id, i % 100 AS p, i * 0.5 AS x, 'name ' || (i % 10000) AS name, DATE '2024-01-01' + CAST(i % 365 AS INT) AS day "
         "FROM range({n}) t(i)")
# Every hundredth row changes, and as many are new; ids are spread over all files.
SOURCE = ("SELECT id, p, -1.0 AS x, 'merged' AS name, DATE '2025-01-01' AS day FROM (SELECT i * 100 AS id, (i * 100) % 100 AS p FROM range({c}) t(i) "
          "UNION ALL SELECT {n} + i, i % 100 FROM range({c}) t(i))")
ONE_PARTITION = ("SELECT id, 7 AS p, -1.0 AS x, 'merged' AS name, DATE '2025-01-01' AS day FROM (SELECT i * 1000 + 7 AS id FROM range({c} // 10) t(i) "
                 "UNION ALL SELECT {n} + i FROM range({c} // 10) t(i))")
MERGE = ("MERGE INTO {t} AS t USING {s} AS s ON t.id = s.id{more} WHEN MATCHED THEN UPDATE SET x = s.x, name = s.name, day = s.day "
         "WHEN NOT MATCHED THEN INSERT (id, p, x, name, day) VALUES (s.id, s.p, s.x, s.name, s.day)")
JOBS = {"merge": (MERGE, ""), "update": ("UPDATE {t} SET name = 'changed' WHERE id % 100 = 3", ""), "delete": ("DELETE FROM {t} WHERE id % 100 = 3", ""),
        "merge one partition": (MERGE, " AND t.p = 7")}


def peak_mb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def bytes_in(folder):
    # Not what another thread is about to name.
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(folder) for f in files if not f.endswith(".tmp"))


def prepare(folder, vectors, partitioned, rows):
    """The table, and the two sources as Parquet; made once and copied for each run."""
    path = f"{folder}/base-{'p' if partitioned else 'f'}-{vectors}"
    if not os.path.exists(path):
        con = connect()
        con.execute(f"CREATE TABLE delta.\"{path}\" (id BIGINT, p BIGINT, x DOUBLE, name VARCHAR, day DATE) USING delta "
                    + ("PARTITIONED BY (p) " if partitioned else "") + f"TBLPROPERTIES ('delta.enableDeletionVectors' = '{vectors}')")
        step = rows // 10
        for i in range(10):
            con.execute(f"INSERT INTO delta.\"{path}\" SELECT * FROM ({TABLE.format(n=rows)}) WHERE id >= {i * step} AND id < {(i + 1) * step}")
        for name, source in (("source", SOURCE), ("one", ONE_PARTITION)):
            con.execute(f"COPY ({source.format(n=rows, c=rows // 100)}) TO '{folder}/{name}.parquet'")
    return path


def child(who, job, path, source):
    statement, more = JOBS[job]
    if who == "birdfoot":
        con = connect()
        run = lambda: con.execute(statement.format(t=f'delta."{path}"', s=f"'{source}'", more=more))
    elif who == "spark":
        import conftest
        spark = next(conftest.spark.__pytest_wrapped__.obj() if hasattr(conftest.spark, "__pytest_wrapped__") else conftest.spark.__wrapped__())
        spark.sql("SELECT count(*) FROM range(1000)").collect()  # started
        run = lambda: spark.sql(statement.format(t=f"delta.`{path}`", s=f"parquet.`{source}`", more=more)).collect()
    else:
        import duckdb
        from deltalake import DeltaTable
        table = DeltaTable(path)
        if job == "update":
            run = lambda: table.update(predicate="id % 100 = 3", updates={"name": "'changed'"})
        elif job == "delete":
            run = lambda: table.delete("id % 100 = 3")
        else:
            rows = duckdb.connect().execute(f"FROM '{source}'").to_arrow_table()
            changed = {c: f"s.{c}" for c in ("x", "name", "day")}
            run = lambda: (table.merge(rows, f"t.id = s.id{more}", source_alias="s", target_alias="t").when_matched_update(changed)
                           .when_not_matched_insert({"id": "s.id", "p": "s.p", **changed}).execute())
    before, start = bytes_in(path), time.perf_counter()
    run()
    took = time.perf_counter() - start
    memory = peak_mb()
    if who == "spark":
        pid = spark.sparkContext._gateway.proc.pid
        with open(f"/proc/{pid}/status") as status:
            memory = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
    print(json.dumps({"seconds": took, "mb": memory, "bytes": bytes_in(path) - before}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--folder", default="build/bench/dml")
    parser.add_argument("--who", default="birdfoot,delta-rs,spark")
    args = parser.parse_args()
    folder = os.path.abspath(args.folder)
    os.makedirs(folder, exist_ok=True)
    peers = [w for w in args.who.split(",") if w != "spark" or list(PEERS.glob("jars/*.jar"))]
    print(f"row changes on {args.rows:,} rows: seconds, peak memory, bytes written")
    for vectors in ("true", "false"):
        for job in JOBS:
            base = prepare(folder, vectors, "partition" in job, args.rows)
            source = f"{folder}/{'one' if 'partition' in job else 'source'}.parquet"
            found = {}
            for who in peers:
                if who == "delta-rs" and vectors == "true":
                    continue  # it does not write them
                path = f"{folder}/run"
                shutil.rmtree(path, ignore_errors=True)
                shutil.copytree(base, path)
                out = subprocess.run([sys.executable, __file__, "--child", who, job, path, source], capture_output=True, text=True)
                if out.returncode:
                    print(f"{job}: {who} failed: {(out.stderr.strip().splitlines() or ['?'])[-1][:200]}")
                    continue
                found[who] = json.loads(out.stdout.strip().splitlines()[-1])
            line = ", ".join(f"{who} {r['seconds']:.2f} s {r['mb']:,.0f} MB {r['bytes'] / 1e6:,.1f} MB written" for who, r in found.items())
            others = [r["seconds"] for who, r in found.items() if who != "birdfoot"]
            ratio = f"; to the best peer {found['birdfoot']['seconds'] / min(others):.2f}, goal {'0.33' if vectors == 'true' else '0.75'}" if others and "birdfoot" in found else ""
            print(f"{job}, {'vectors' if vectors == 'true' else 'copy-on-write'}: {line}{ratio}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
        child(*sys.argv[2:6])
    else:
        main()
