"""The demo: real flights into a partitioned Delta table, in several commits; queried, time-travelled, appended to by
delta-rs and read back by both. Every figure printed is measured here and now; it exits with 1 if two of them disagree."""
import os
import shutil
import sys
import time

import duckdb
import pyarrow as pa
from deltalake import DeltaTable, QueryBuilder, write_deltalake

build, flights, table = sys.argv[1:4]
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")


def main():
    shutil.rmtree(table, ignore_errors=True)
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{os.path.join(build, 'birdfoot.duckdb_extension')}'")
    con.execute("SET TimeZone = 'UTC'")
    where = f"delta.`{table}`"

    def say(title, sql=None, show=True):
        print(f"\n{BOLD}{title}{PLAIN}")
        print("   " + " ".join(sql.split()).replace(table, ".../flights").replace(flights, "flights-3m.parquet"))
        start = time.perf_counter()
        result = con.sql(sql) if sql.lstrip().upper().startswith(("SELECT", "DESCRIBE", "FROM")) else con.execute(sql)
        rows = result.fetchall()
        print(f"   {1000 * (time.perf_counter() - start):,.0f} ms")
        if show:
            for row in rows:
                print("      " + "  ".join("" if v is None else str(v) for v in row).rstrip())
        return rows

    say("A partitioned Delta table", f"""CREATE TABLE {where} (date TIMESTAMP_NTZ, delay BIGINT, distance BIGINT, origin STRING,
        destination STRING, month STRING) USING delta PARTITIONED BY (month)""", show=False)
    months = con.sql(f"SELECT DISTINCT strftime(date, '%Y-%m') FROM '{flights}' ORDER BY 1").fetchall()
    for (month,) in months:
        say(f"Flights of {month}", f"""INSERT INTO {where} SELECT *, strftime(date, '%Y-%m') AS month
            FROM '{flights}' WHERE strftime(date, '%Y-%m') = '{month}'""", show=False)
    total = say("How many", f"SELECT count(*) FROM {where}")[0][0]
    direct = con.sql(f"SELECT count(*) FROM '{flights}'").fetchone()[0]

    bars = say("Average delay by month", f"SELECT month, avg(delay), count(*) FROM {where} GROUP BY month ORDER BY month", show=False)
    longest = max(b[1] for b in bars)
    for month, delay, n in bars:
        print(f"      {month}  {'█' * max(1, round(40 * delay / longest)):40}  {delay:5.2f} min  {n:,} flights")
    say("One month: the other partitions are not opened",
        f"SELECT origin, count(*) FROM {where} WHERE month = '2001-03' GROUP BY origin ORDER BY 2 DESC LIMIT 3")

    say("As it was after the first month", f"SELECT count(*), max(month) FROM {where} VERSION AS OF 1")
    say("History", f"SELECT version, operation, operationMetrics['numOutputRows'] FROM birdfoot_history('{table}') ORDER BY version")

    print(f"\n{BOLD}delta-rs appends to the same table{PLAIN}")
    extra = pa.table({"date": pa.array([994000000000000], pa.timestamp("us")), "delay": pa.array([7], pa.int64()),
                      "distance": pa.array([100], pa.int64()), "origin": ["LAS"], "destination": ["PHL"], "month": ["2001-07"]})
    print("   write_deltalake('.../flights', pyarrow.table({'date': …, 'origin': ['LAS'], 'destination': ['PHL'], …}), mode='append')")
    write_deltalake(table, extra, mode="append")
    ours = say("and Birdfoot sees it", f"SELECT count(*), max(month) FROM {where}")[0]
    start = time.perf_counter()
    print("   QueryBuilder().register('t', DeltaTable('.../flights')).execute('SELECT count(*) AS n, max(month) AS m FROM t')")
    batch = QueryBuilder().register("t", DeltaTable(table)).execute("SELECT count(*) AS n, max(month) AS m FROM t")
    theirs = tuple(pa.table(batch.read_all() if hasattr(batch, "read_all") else batch).to_pylist()[0].values())
    print(f"   delta-rs says {theirs[0]:,} rows, the last of {theirs[1]} ({1000 * (time.perf_counter() - start):,.0f} ms)")

    agreed = total == direct and ours == theirs == (total + 1, "2001-07")
    print(f"\n{BOLD}" + ("Everything agrees." if agreed else f"DISAGREEMENT: {total} {direct} {ours} {theirs}") + PLAIN)
    print(f"The table is in {os.path.relpath(table)}. Now type:")
    print(f"   {os.path.relpath(build)}/birdfoot sql \"SELECT origin, avg(delay) FROM '{os.path.relpath(table)}' GROUP BY origin ORDER BY 2 DESC LIMIT 5\"")
    return 0 if agreed else 1


sys.exit(main())
