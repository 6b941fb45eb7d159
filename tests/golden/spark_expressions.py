#!/usr/bin/env python3
"""Asks Spark what the expressions of spark_expressions.txt are, on a table of edge rows, and writes its answers to
spark_expressions.json. tests/duckdb/translate/spark_expressions_test.cpp compares our translations with them.

    BIRDFOOT_PEERS=build/peers build/venv/bin/python tests/golden/spark_expressions.py [form …]

Only forms without an answer are asked for: delete the file to have all asked anew. With forms as arguments their answers
are printed and nothing is written. An answer is a type and a value a row, in one
text form for both sides (see `canonical`); a row on which Spark fails has {"error": condition}. `storable` says whether
Delta takes the expression as that of a generated column. Answers that the session's time zone may change are taken in a
second zone too.
"""
import decimal
import glob
import json
import logging
import math
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ZONES = ["UTC", "America/New_York"]
VARYING = re.compile(r"current_|now\(|localtimestamp|uuid|rand", re.I)
ZONED = re.compile(r"\bts\b|timestamp|date_trunc|unix|utc|hour|to_date|AS DATE|date\(", re.I)

COLUMNS = [  # name, Spark's type, DuckDB's type
    ("x", "INT", "INTEGER"), ("l", "BIGINT", "BIGINT"), ("sh", "SMALLINT", "SMALLINT"), ("ti", "TINYINT", "TINYINT"),
    ("y", "DOUBLE", "DOUBLE"), ("f", "FLOAT", "FLOAT"), ("dc", "DECIMAL(10,2)", "DECIMAL(10,2)"),
    ("big", "DECIMAL(38,10)", "DECIMAL(38,10)"), ("s", "STRING", "VARCHAR"), ("b", "BINARY", "BLOB"),
    ("bl", "BOOLEAN", "BOOLEAN"), ("d", "DATE", "DATE"), ("ts", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE"),
    ("tn", "TIMESTAMP_NTZ", "TIMESTAMP"), ("a", "ARRAY<INT>", "INTEGER[]"), ("sa", "ARRAY<STRING>", "VARCHAR[]"),
    ("m", "MAP<STRING, INT>", "MAP(VARCHAR, INTEGER)"), ("st", "STRUCT<u: INT, v: STRING>", "STRUCT(u INTEGER, v VARCHAR)"),
    ("nst", "STRUCT<i: STRUCT<k: INT>>", "STRUCT(i STRUCT(k INTEGER))"), ("odd-name", "INT", "INTEGER"),
]


def row(x, l, sh, ti, y, f, dc, big, s, b, bl, d, ts, tn, a, sa, m, st, nst, odd):
    """A row once: numbers and texts that both dialects read alike."""
    return [x, l, sh, ti, y, f, dc, big, s, b, bl, d, ts, tn, a, sa, m, st, nst, odd]


N = None
ROWS = [
    row(5, 5000000000, 7, 3, "1.5", "2.5", "12.34", "12345678901234567890.1234567890", "abc", "78797A", True,
        "2024-03-15", "2024-03-15 10:20:30.123456", "2024-03-15 10:20:30.123456", [3, 2, 1], ["a", "b"], {"k": 1},
        (1, "q"), ((7,),), 1),
    row(N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N, N),
    row(-7, -1, -3, -128, "-2.5", "-0.0", "-0.05", "-0.0000000001", "", "", False, "1969-12-31",
        "1969-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999", [], [], {}, (-1, ""), ((N,),), 0),
    row(0, 0, 0, 0, "0.0", "0.0", "0.00", "0", "  Abc def ", "00", True, "2000-02-29", "2000-02-29 00:00:00",
        "2000-02-29 00:00:00", [N, 1, N, 1], [N, "x"], {"a": N, "k": 2}, (N, N), (N,), -1),
    row(2147483647, 9223372036854775807, 32767, 127, "NaN", "NaN", "99999999.99",
        "9999999999999999999999999999.9999999999", "Straße ÀÉ 你好🦆", "C39F", False, "9999-12-31",
        "9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999", [2147483647, -1], ["", "é"], {"k": -5}, (2, "é"),
        ((2,),), 2147483647),
    row(-2147483648, -9223372036854775808, -32768, -1, "-Infinity", "Infinity", "-99999999.99",
        "-9999999999999999999999999999.9999999999", "it's \\ \"q\"%_", "FF00", True, "0001-01-01", "0001-01-01 00:00:00",
        "0001-01-01 00:00:00", [0], ["c"], {"": 0}, (0, "\\"), ((0,),), N),
    row(1, 1, 1, 1, "0.5", "0.5", "1.00", "1", "2024-02-29", "31", True, "2020-12-31", "2020-12-31 23:59:59",
        "2020-12-31 23:59:59", [1], ["1"], {"k": 10, "l": 11}, (1, "1"), ((1,),), 5),
    row(2, 1700000000, 2, 2, "2.5", "0.1", "2.50", "2.5", "10", "3130", False, "2021-01-03", "2021-01-01 12:00:00",
        "2021-01-01 12:00:00", [5, 5, 2], ["b", "a", "b"], {"abc": 1}, (2, "b"), ((N,),), 6),
    row(10, 86400000, 10, 10, "3.5", "1.0E10", "0.01", "0.5", "true", "74727565", True, "2019-12-30",
        "2024-11-03 05:30:00", "2024-11-03 01:30:00", [2, 10, 1], ["true"], {"true": 1}, (10, "t"), ((10,),), 7),
    row(100, -5000000000000000, 100, 100, "1.0E10", "1.0E-5", "-1.50", "-1.5", " 12.50 ", "20", False, "1582-10-10",
        "1900-01-01 00:00:00", "1582-10-10 12:00:00", [100], [" "], {"x": 100}, (100, " "), ((100,),), 8),
    row(-100, 123456789012, -100, -100, "1.0E-5", "123456.789", "0.99", "99.9999999999", '{"a":1}', "7B7D", True,
        "1500-03-01", "1582-10-10 00:00:00", "1500-02-28 23:59:59.5", [-100, 50], ["z", N], {"a": 1}, (-100, "z"),
        ((-100,),), 9),
    row(7, 253402300799, 3, 9, "-0.0", "16777216", "1234.50", "1234.5", "2024-03-10 02:30:00", "E4BDA0", False,
        "2024-01-31", "2024-03-10 07:30:00", "2024-03-10 02:30:00.5", [7, 7, 7], ["abc"], {"k": 7}, (7, "k"), ((7,),), 10),
    row(12, 4294967296, 12, 12, "123456789.125", "3.0E38", "-12345.67", "0.0000000001", "A,B,,C", "0A0D", True,
        "2023-12-31", "2023-12-31 23:59:59.999999", "2024-12-31 00:00:00", [12, -12], ["A,B"], {"A": 12}, (12, "A"),
        ((12,),), 11),
]


def literal(value, kind, spark):
    """The value as text of its dialect."""
    def text(v):
        return "'" + (v.replace("\\", "\\\\").replace("'", "\\'") if spark else v.replace("'", "''")) + "'"

    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ("array(%s)" if spark else "[%s]") % ", ".join(literal(v, kind, spark) for v in value)
    if isinstance(value, dict):
        pairs = [f"{text(k)}{', ' if spark else ': '}{literal(v, kind, spark)}" for k, v in value.items()]
        return ("map(%s)" if spark else "MAP {%s}") % ", ".join(pairs)
    if isinstance(value, tuple):
        names = ["u", "v"] if len(value) == 2 else [kind]
        parts = [literal(v, "k", spark) for v in value]
        if spark:
            return "named_struct(%s)" % ", ".join(f"'{n}', {p}" for n, p in zip(names, parts))
        return "{%s}" % ", ".join(f"'{n}': {p}" for n, p in zip(names, parts))
    if kind == "BINARY":
        return f"unhex('{value}')"
    if kind == "TIMESTAMP":
        return text(value + ("Z" if spark else "+00"))
    return str(value) if isinstance(value, int) else text(value)


def values_sql(spark):
    lines = []
    for number, values in enumerate(ROWS):
        cells = [str(number)]
        for (name, spark_type, duckdb_type), value in zip(COLUMNS, values):
            kind = "i" if name == "nst" else spark_type
            cells.append(f"CAST({literal(value, kind, spark)} AS {spark_type if spark else duckdb_type})")
        lines.append("(" + ", ".join(cells) + ")")
    quote = "`" if spark else '"'
    names = ", ".join(quote + name + quote for name, _, _ in COLUMNS)
    return f"SELECT * FROM (VALUES {', '.join(lines)}) AS t(row_number, {names})"


def canonical(value, kind):
    """One text for a value of either engine: 17 (float: 9) digits, days, microseconds, hexadecimal bytes."""
    if value is None:
        return "NULL"
    if kind == "boolean":
        return str(value).lower()
    if kind in ("double", "float"):
        if math.isnan(value) or math.isinf(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return "%.17g" % value if kind == "double" else "%.9g" % value
    if kind == "string" or kind.startswith(("char", "varchar")):
        return '"' + value + '"'
    if kind.startswith("decimal"):
        scale = int(kind.split(",")[1][:-1])
        return format(value.quantize(decimal.Decimal(1).scaleb(-scale), context=decimal.Context(prec=60)), "f")
    if kind == "binary":
        return "x" + bytes(value).hex()
    return str(value)


def canonical_of(value, kind):
    from pyspark.sql import types as t
    if value is None:
        return "NULL"
    if isinstance(kind, t.ArrayType):
        return "[" + ", ".join(canonical_of(v, kind.elementType) for v in value) + "]"
    if isinstance(kind, t.MapType):
        return "{" + ", ".join(sorted(canonical_of(k, kind.keyType) + ": " + canonical_of(v, kind.valueType)
                                      for k, v in value.items())) + "}"
    if isinstance(kind, t.StructType):
        return "(" + ", ".join(f.name + ": " + canonical_of(v, f.dataType) for f, v in zip(kind.fields, value)) + ")"
    return canonical(value, kind.simpleString())


def wrapped(kind):
    """How a value of this type is asked for, so that Python sees it as it is, and its type then."""
    name = kind.simpleString()
    if name == "date":
        return "unix_date({})", "int"
    if name == "timestamp":
        return "unix_micros({})", "bigint"
    if name == "timestamp_ntz":
        return ("unix_date(CAST({0} AS DATE)) * 86400000000L + hour({0}) * 3600000000L + minute({0}) * 60000000L + "
                "CAST(extract(SECOND FROM {0}) * 1000000 AS BIGINT)"), "bigint"
    if name.startswith("interval") or name in ("variant", "void") or name.startswith("time("):
        return "CAST({} AS STRING)", "string"
    return "{}", None


def condition_of(error):
    found = re.search(r"\[([A-Z0-9_.]+)\]", str(error))
    return found.group(1) if found else type(error).__name__


class Asker:
    def __init__(self, spark, folder):
        self.spark, self.folder = spark, folder
        spark.sql(values_sql(True)).coalesce(1).write.format("delta").save(f"{folder}/t")
        spark.read.format("delta").load(f"{folder}/t").cache().createOrReplaceTempView("t")

    def values(self, form, kind):
        from pyspark.sql import types as t
        ask, name = wrapped(kind)
        plain = {"int": t.IntegerType(), "bigint": t.LongType(), "string": t.StringType(), None: kind}[name]
        sql = f"SELECT {ask.format(form)} FROM t"

        def rows(where):
            return [canonical_of(r[0], plain) for r in self.spark.sql(sql + where).collect()]

        try:
            return rows(" ORDER BY row_number")
        except Exception:
            out = []
            for number in range(len(ROWS)):
                try:
                    out += rows(f" WHERE row_number = {number}")
                except Exception as error:
                    out.append({"error": condition_of(error)})
            return out

    def storable(self, form, kind):
        """Whether Delta takes it as a generated column's: asks what CREATE TABLE asks."""
        from pyspark.sql import types as t
        schema = self.spark.table("t").schema
        schema = t.StructType(schema.fields + [t.StructField("made", kind, True, {"delta.generationExpression": form})])
        jvm = self.spark._jvm
        try:
            jvm.org.apache.spark.sql.delta.GeneratedColumn.validateGeneratedColumns(
                self.spark._jsparkSession, jvm.org.apache.spark.sql.types.DataType.fromJson(schema.json()))
            return True
        except Exception as error:
            return condition_of(error)

    def ask(self, form):
        answer = {"form": form}
        try:
            self.spark.conf.set("spark.sql.session.timeZone", ZONES[0])
            kind = self.spark.sql(f"SELECT {form} AS made FROM t").schema[0].dataType
        except Exception as error:
            answer["error"] = condition_of(error)
            return answer
        answer["type"] = kind.simpleString()
        answer["storable"] = self.storable(form, kind)
        refused = answer["storable"] not in (True, "DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN")
        if refused or VARYING.search(form):  # the others can stand in a CHECK constraint
            return answer
        answer["values"] = self.values(form, kind)
        if ZONED.search(form):
            self.spark.conf.set("spark.sql.session.timeZone", ZONES[1])
            answer["values_elsewhere"] = self.values(form, kind)
        return answer


def start():
    jars = sorted(glob.glob(os.path.join(os.environ.get("BIRDFOOT_PEERS", "build/peers"), "jars", "*.jar")))
    os.environ["TZ"] = "UTC"
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.extraClassPath", ":".join(jars))
        .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC -XX:+UseSerialGC -Xss4m")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL + 1)
    return spark


def known_answers():
    file = HERE / "spark_expressions.json"
    known = json.loads(file.read_text()) if file.exists() else {"rows": None, "answers": []}
    return {a["form"]: a for a in known["answers"]} if known["rows"] == values_sql(False) else {}


def write(answers, version):
    columns = [{"name": name, "type": type_} for name, type_, _ in COLUMNS]
    document = {"spark": version, "zones": ZONES, "columns": columns, "rows": values_sql(False)}
    text = json.dumps(document, ensure_ascii=False, indent=1)[:-2]
    text += ',\n "answers": [\n' + ",\n".join("  " + json.dumps(a, ensure_ascii=False) for a in answers) + "\n ]\n}\n"
    (HERE / "spark_expressions.json").write_text(text)


def main(forms):
    spark = start()
    folder = tempfile.mkdtemp(prefix="spark_expressions_")
    try:
        asker = Asker(spark, folder)
        if forms:
            for form in forms:
                print(json.dumps(asker.ask(form), ensure_ascii=False))
            return
        # The forms are SQL's text, one a line.
        forms = (HERE / "spark_expressions.txt").read_text().splitlines()
        answers = known_answers()
        wanted = list(dict.fromkeys(f for f in forms if f and not f.startswith("#")))
        for number, form in enumerate(wanted):
            if form not in answers:
                answers[form] = asker.ask(form)
            if number % 50 == 49 or number + 1 == len(wanted):
                write([answers[f] for f in wanted if f in answers], spark.version)
                print(number + 1, "of", len(wanted), file=sys.stderr, flush=True)
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1:])
