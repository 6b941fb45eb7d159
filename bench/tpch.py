"""The 22 TPC-H queries at a scale (default 1) over Delta and over the very same Parquet files, alternating, the best of n
runs each. Goal: total <= 1.05, no query > 1.2."""
import argparse
import os
import shutil
import time

import duckdb

from engines import connect

TABLES = ("lineitem", "orders", "customer", "part", "partsupp", "supplier", "nation", "region")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--folder", default="build/bench/tpch")
    args = parser.parse_args()
    con = connect()
    con.execute("SET birdfoot_fsync = false")
    extension = __import__("duckdb_extension_tpch").__path__[0]
    con.execute(f"LOAD '{extension}/extensions/v{duckdb.__version__}/tpch.duckdb_extension'")
    folder = os.path.abspath(f"{args.folder}-{args.scale:g}")
    if not os.path.exists(f"{folder}/ready"):
        shutil.rmtree(folder, ignore_errors=True)
        con.execute(f"CALL dbgen(sf = {args.scale})")
        for table in TABLES:
            con.execute(f"CREATE TABLE delta.\"{folder}/{table}\" AS SELECT * FROM {table}")
            con.execute(f"DROP TABLE {table}")
        open(f"{folder}/ready", "w").close()
    con.execute("CREATE SCHEMA IF NOT EXISTS d; CREATE SCHEMA IF NOT EXISTS p")
    for table in TABLES:
        con.execute(f"CREATE OR REPLACE VIEW d.{table} AS SELECT * FROM delta.\"{folder}/{table}\"")
        con.execute(f"CREATE OR REPLACE VIEW p.{table} AS SELECT * FROM read_parquet('{folder}/{table}/*.parquet')")
    queries = [r[0] for r in con.execute("SELECT query FROM tpch_queries() ORDER BY query_nr").fetchall()]
    best = {}
    worst, totals = (0, 0), {"d": 0.0, "p": 0.0}
    print(f"TPC-H scale {args.scale:g}, best of {args.runs}, DuckDB {duckdb.__version__}, {con.execute('SELECT current_setting($$threads$$)').fetchone()[0]} threads")
    print("query   delta ms  parquet ms  ratio")
    for number, query in enumerate(queries, 1):
        answers = {}
        for run in range(args.runs):
            for schema in ("d", "p") if run % 2 else ("p", "d"):
                con.execute(f"SET search_path = '{schema}'")
                start = time.perf_counter()
                answers[schema] = con.execute(query).fetchall()
                best[number, schema] = min(best.get((number, schema), 1e9), time.perf_counter() - start)
        assert answers["d"] == answers["p"] or sorted(map(str, answers["d"])) == sorted(map(str, answers["p"])), f"Q{number} differs"
        d, p = best[number, "d"], best[number, "p"]
        totals["d"] += d
        totals["p"] += p
        worst = max(worst, (d / p, number))
        print(f"Q{number:<6}{1000 * d:>9.1f}{1000 * p:>12.1f}{d / p:>7.2f}")
    print(f"total  {1000 * totals['d']:>9.1f}{1000 * totals['p']:>12.1f}{totals['d'] / totals['p']:>7.2f}   goal 1.05; worst Q{worst[1]} {worst[0]:.2f}, goal 1.2")


if __name__ == "__main__":
    main()
