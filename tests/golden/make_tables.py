"""Writes tests/golden/tables anew: small tables of each kind, by the real peers, and beside each what the peer itself reads
from it (expected.json). Only needed when a kind is added; the tables are kept in the repository.

    build/venv/bin/python tests/golden/make_tables.py [NAME…]      # after tools/setup_peers.sh
"""
import json
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE.parent))

from engines import rows_of, rs_rows  # noqa: E402

SCALARS = ("id INT, b BOOLEAN, t TINYINT, s SMALLINT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(20,3), x STRING, y BINARY, "
           "day DATE, ts TIMESTAMP, tz TIMESTAMP_NTZ")
VALUES = ("(1, true, 1Y, 2S, 3L, CAST(1.5 AS FLOAT), -0.0D, 12345678901234567.891BD, 'é', X'00FF', DATE'1582-10-15', "
          "TIMESTAMP'2024-02-29 23:59:59.999999Z', TIMESTAMP_NTZ'1969-12-31 23:59:59.5'), "
          "(2, NULL, NULL, NULL, NULL, CAST('NaN' AS FLOAT), CAST('-Infinity' AS DOUBLE), NULL, '', NULL, NULL, NULL, NULL)")

# Name, then statements, with {t} for the table. Every version that is left is read as well as the last.
SPARK = {
    "plain": ["CREATE TABLE {t} (id INT, name STRING) USING delta", "INSERT INTO {t} VALUES (1, 'a'), (2, NULL)",
              "INSERT INTO {t} VALUES (3, 'c')", "INSERT OVERWRITE {t} VALUES (9, 'z')"],
    "scalars": [f"CREATE TABLE {{t}} ({SCALARS}) USING delta", f"INSERT INTO {{t}} VALUES {VALUES}"],
    "nested": ["CREATE TABLE {t} (id INT, a ARRAY<STRUCT<x: INT, y: MAP<STRING, ARRAY<DATE>>>>, s STRUCT<p: STRUCT<q: STRING>, r: INT>) USING delta",
               "INSERT INTO {t} VALUES (1, array(named_struct('x', 1, 'y', map('k', array(DATE'2024-01-01', NULL)))), named_struct('p', named_struct('q', 'v'), 'r', 7)), (2, array(), NULL), (3, NULL, named_struct('p', NULL, 'r', NULL))"],
    "partitioned": ["CREATE TABLE {t} (id INT, d DATE, p STRING) USING delta PARTITIONED BY (d, p)",
                    "INSERT INTO {t} VALUES (1, DATE'2024-01-01', 'a b%/='), (2, NULL, ''), (3, DATE'1500-01-01', 'é')"],
    "partition_types": ["CREATE TABLE {t} (id INT, i BIGINT, b BOOLEAN, n DECIMAL(9,2), f DOUBLE, ts TIMESTAMP, tz TIMESTAMP_NTZ) USING delta PARTITIONED BY (i, b, n, f, ts, tz)",
                        "INSERT INTO {t} VALUES (1, -5, false, -0.05BD, 1.0E10D, TIMESTAMP'2024-06-01 12:00:00.5Z', TIMESTAMP_NTZ'2024-06-01 12:00:00')"],
    "checkpoint": ["CREATE TABLE {t} (id INT, p INT) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.checkpointInterval' = '2')",
                   "INSERT INTO {t} VALUES (1, 1)", "INSERT INTO {t} VALUES (2, 2)", "DELETE FROM {t} WHERE p = 1", "INSERT INTO {t} VALUES (3, 3)"],
    "checkpoint_v2_parquet": ["CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
                              "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)", "INSERT INTO {t} VALUES (3)"],
    "checkpoint_v2_json": ["SET spark.databricks.delta.checkpointV2.topLevelFileFormat = json",
                           "CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '2')",
                           "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)", "INSERT INTO {t} VALUES (3)",
                           "SET spark.databricks.delta.checkpointV2.topLevelFileFormat = parquet"],
    "checkpoint_parts": ["SET spark.databricks.delta.checkpoint.partSize = 2",
                         "CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '4')",
                         "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)", "INSERT INTO {t} VALUES (3)", "INSERT INTO {t} VALUES (4)",
                         "RESET spark.databricks.delta.checkpoint.partSize"],
    "deletion_vectors": ["CREATE TABLE {t} (id BIGINT, x STRING) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')",
                         "INSERT INTO {t} SELECT /*+ REPARTITION(1) */ id, CAST(id AS STRING) FROM range(20)",
                         "DELETE FROM {t} WHERE id IN (0, 7, 19)", "UPDATE {t} SET x = 'u' WHERE id = 8", "DELETE FROM {t} WHERE id = 1"],
    "mapped_by_name": ["CREATE TABLE {t} (id INT, `a b` STRUCT<x: INT>, p STRING) USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
                       "INSERT INTO {t} VALUES (1, named_struct('x', 1), 'q')", "ALTER TABLE {t} RENAME COLUMN id TO `weird;name`",
                       "ALTER TABLE {t} DROP COLUMN `a b`", "ALTER TABLE {t} ADD COLUMN `a b` STRING", "INSERT INTO {t} VALUES (2, 'q', 'new')"],
    "mapped_by_id": ["CREATE TABLE {t} (id INT, s STRUCT<x: INT, y: ARRAY<INT>>) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'id')",
                     "INSERT INTO {t} VALUES (1, named_struct('x', 1, 'y', array(1, 2)))", "ALTER TABLE {t} RENAME COLUMN s.x TO z"],
    "widened": ["CREATE TABLE {t} (id TINYINT, n DECIMAL(5,2), d DATE, f FLOAT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported')",
                "INSERT INTO {t} VALUES (1Y, 123.45BD, DATE'2024-01-01', CAST(1.25 AS FLOAT))", "ALTER TABLE {t} ALTER COLUMN id TYPE BIGINT",
                "ALTER TABLE {t} ALTER COLUMN n TYPE DECIMAL(12,4)", "ALTER TABLE {t} ALTER COLUMN d TYPE TIMESTAMP_NTZ",
                "ALTER TABLE {t} ALTER COLUMN f TYPE DOUBLE", "INSERT INTO {t} VALUES (5000000000, 12345678.1234BD, TIMESTAMP_NTZ'2024-01-01 01:00:00', 1.0E300D)"],
    "change_feed": ["CREATE TABLE {t} (id INT, v STRING) USING delta TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
                    "INSERT INTO {t} VALUES (1, 'a'), (2, 'b'), (3, 'c')", "UPDATE {t} SET v = 'B' WHERE id = 2", "DELETE FROM {t} WHERE id = 3",
                    "MERGE INTO {t} AS t USING (SELECT 1 AS id UNION ALL SELECT 4) s ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 'n')"],
    "row_tracking": ["CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')", "INSERT INTO {t} VALUES (1), (2)",
                     "UPDATE {t} SET id = 5 WHERE id = 1"],
    "in_commit_timestamps": ["CREATE TABLE {t} (id INT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')", "INSERT INTO {t} VALUES (1)"],
    "generated_defaults_checks": ["CREATE TABLE {t} (id INT, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE)), ts TIMESTAMP, v STRING DEFAULT 'dflt', k BIGINT GENERATED ALWAYS AS IDENTITY) USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')",
                                  "ALTER TABLE {t} ADD CONSTRAINT positive CHECK (id > 0)", "INSERT INTO {t} (id, ts) VALUES (1, TIMESTAMP'2024-01-01 10:00:00Z')"],
    "clustered": ["CREATE TABLE {t} (id INT, c STRING) USING delta CLUSTER BY (c)", "INSERT INTO {t} VALUES (1, 'x'), (2, 'y')"],
    "not_null": ["CREATE TABLE {t} (id INT NOT NULL, s STRUCT<x: INT NOT NULL>) USING delta", "INSERT INTO {t} VALUES (1, named_struct('x', 2))"],
    "variant": ["CREATE TABLE {t} (id INT, v VARIANT) USING delta", "INSERT INTO {t} SELECT 1, parse_json('{\"a\": [1, \"x\", null]}')"],
    "evolved": ["CREATE TABLE {t} (id INT) USING delta", "INSERT INTO {t} VALUES (1)", "ALTER TABLE {t} ADD COLUMNS (v STRING AFTER id, s STRUCT<x: INT>)",
                "INSERT INTO {t} VALUES (2, 'b', named_struct('x', 1))", "ALTER TABLE {t} ADD COLUMN s.y DOUBLE", "INSERT INTO {t} VALUES (3, 'c', named_struct('x', 1, 'y', 2.5D))"],
    "restored_and_optimized": ["CREATE TABLE {t} (id INT) USING delta", "INSERT INTO {t} VALUES (1)", "INSERT INTO {t} VALUES (2)", "OPTIMIZE {t}",
                               "DELETE FROM {t} WHERE id = 1", "RESTORE TABLE {t} TO VERSION AS OF 2"],
}


def by_spark(spark, name, table):
    for statement in SPARK[name]:
        spark.sql(statement.replace("{t}", f"delta.`{table}`"))
    versions = [r["version"] for r in spark.sql(f"DESCRIBE HISTORY delta.`{table}`").collect()]
    reads = []
    select = "id, to_json(v) AS v" if name == "variant" else "*"
    for version in sorted(versions):
        rows = rows_of(spark.sql(f"SELECT {select} FROM delta.`{table}` VERSION AS OF {version}"))
        reads.append({"version": version, "rows": [repr(r) for r in rows]})
    expected = {"writer": f"Spark {spark.version} with Delta", "statements": SPARK[name], "select": select, "reads": reads}
    if name == "change_feed":
        changes = spark.sql(f"SELECT id, v, _change_type, _commit_version FROM table_changes_by_path('{table}', 1)")
        expected["changes"] = [repr(r) for r in rows_of(changes)]
    return expected


def by_delta_rs(name, table):
    import deltalake
    import pyarrow as pa
    from deltalake import DeltaTable, write_deltalake

    rows = pa.table({"id": pa.array([1, 2], pa.int64()), "p": ["a b", None], "n": pa.array([1.5, float("nan")]),
                     "l": pa.array([[1, None], None], pa.list_(pa.int32()))})
    write_deltalake(table, rows, partition_by=["p"] if "partitioned" in name else None)
    write_deltalake(table, rows, mode="append")
    if "checkpoint" in name:
        DeltaTable(table).create_checkpoint()
    if "deleted" in name:
        DeltaTable(table).delete("id = 1")
    rows = [repr(r) for r in rs_rows(table)]
    return {"writer": f"delta-rs {deltalake.__version__}", "select": "*", "reads": [{"version": DeltaTable(table).version(), "rows": rows}]}


DELTA_RS = ("rs_plain", "rs_partitioned", "rs_checkpoint", "rs_partitioned_deleted")


def main():
    names = sys.argv[1:] or [*SPARK, *DELTA_RS]
    spark = None
    for name in names:
        if name in SPARK and spark is None:
            import conftest
            spark = next(conftest.spark.__wrapped__() if hasattr(conftest.spark, "__wrapped__") else conftest.spark.__pytest_wrapped__.obj())
        with tempfile.TemporaryDirectory() as place:
            table = f"{place}/{name}"
            expected = by_spark(spark, name, table) if name in SPARK else by_delta_rs(name, table)
            target = HERE / "tables" / name
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(table, target / "delta", ignore=lambda _, names: [n for n in names if n.endswith(".crc") and n.startswith(".")])
            (target / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")
            print(name, sum(f.stat().st_size for f in target.rglob("*") if f.is_file()), "bytes")
    if spark:
        spark.stop()


if __name__ == "__main__":
    main()
