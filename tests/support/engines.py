"""Birdfoot in the stock Python module, and what the engines return brought into one form."""
import datetime
import decimal
import glob
import json
import math
import os
import pathlib
import urllib.parse

import duckdb

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BIRDFOOT_BUILD", ROOT / "build" / "release"))
PEERS = pathlib.Path(os.environ.get("BIRDFOOT_PEERS", ROOT / "build" / "peers"))


def connect():
    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    con.execute(f"LOAD '{BUILD / 'birdfoot.duckdb_extension'}'")
    con.execute("SET TimeZone = 'UTC'")
    return con


def plain(value):
    """One form for what three engines return for the same value."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, decimal.Decimal):
        with decimal.localcontext(prec=60):
            return value.normalize() + 0
    if hasattr(value, "asDict"):  # Spark's Row
        return {k: plain(v) for k, v in value.asDict().items()}
    if isinstance(value, dict):
        if set(value) == {"key", "value"} and isinstance(value["key"], list):  # DuckDB's old form of a map
            value = dict(zip(value["key"], value["value"]))
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def rows_of(result):
    """Sorted plain rows of a DuckDB result, a Spark DataFrame or a list of tuples."""
    if hasattr(result, "collect"):
        result = [tuple(r) for r in result.collect()]
    elif hasattr(result, "fetchall"):
        result = result.fetchall()
    return sorted((tuple(plain(v) for v in row) for row in result), key=repr)


def spark_rows(spark, path):
    # Another process wrote: Spark must not answer from its cache of the log.
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    return rows_of(spark.sql(f"SELECT * FROM delta.`{path}`"))


def bird_rows(bird, path):
    return rows_of(bird.execute(f'SELECT * FROM delta."{path}"'))


def rs_rows(path):
    """Through DataFusion (QueryBuilder), delta-rs' own reader."""
    import pyarrow
    from deltalake import DeltaTable, QueryBuilder

    batches = QueryBuilder().register("t", DeltaTable(str(path))).execute("SELECT * FROM t")
    table = pyarrow.table(batches) if not hasattr(batches, "read_all") else pyarrow.table(batches.read_all())
    return rows_of([tuple(r.values()) for r in table.to_pylist(maps_as_pydicts="strict")])


def live_files(path):
    """The data files of the latest version, as the JSON commits tell."""
    adds = {}
    for commit in sorted(glob.glob(f"{path}/_delta_log/*.json")):
        for line in open(commit):
            action = json.loads(line)
            if "add" in action:
                adds[action["add"]["path"]] = action["add"]
            if "remove" in action:
                adds.pop(action["remove"]["path"])
    return sorted(os.path.join(path, urllib.parse.unquote(p)) for p in adds)
