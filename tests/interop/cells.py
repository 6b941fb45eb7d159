"""The types of the matrix: for each, how Spark and DuckDB spell the type and a few values, and the Python object that
every engine must give back. Values sit at the edges of their type wherever Python can hold them."""
import datetime
from decimal import Decimal

UTC = datetime.datetime
D = datetime.date

# name: (Spark type, DuckDB type, [(Spark literal, DuckDB literal, Python value)], may be a partition column)
CELLS = {
    "boolean": ("BOOLEAN", "BOOLEAN", [("true", "true", True), ("false", "false", False)], True),
    "byte": ("TINYINT", "TINYINT", [("CAST(-128 AS TINYINT)", "-128", -128), ("CAST(127 AS TINYINT)", "127", 127)], True),
    "short": ("SMALLINT", "SMALLINT", [("CAST(-32768 AS SMALLINT)", "-32768", -32768),
                                       ("CAST(32767 AS SMALLINT)", "32767", 32767)], True),
    "integer": ("INT", "INTEGER", [("-2147483648", "-2147483648", -2**31), ("2147483647", "2147483647", 2**31 - 1)], True),
    "long": ("BIGINT", "BIGINT", [("-9223372036854775807L", "-9223372036854775807", -2**63 + 1),
                                  ("9223372036854775807L", "9223372036854775807", 2**63 - 1)], True),
    "float": ("FLOAT", "FLOAT", [("CAST(1.5 AS FLOAT)", "1.5::FLOAT", 1.5), ("CAST('NaN' AS FLOAT)", "'NaN'::FLOAT", "NaN"),
                                 ("CAST('-Infinity' AS FLOAT)", "'-Infinity'::FLOAT", float("-inf"))], True),
    "double": ("DOUBLE", "DOUBLE", [("1.0E300D", "1.0E300", 1e300), ("CAST('NaN' AS DOUBLE)", "'NaN'::DOUBLE", "NaN"),
                                    ("-0.0D", "-0.0::DOUBLE", -0.0)], True),
    "decimal_small": ("DECIMAL(9,2)", "DECIMAL(9,2)", [("1234567.89BD", "1234567.89", Decimal("1234567.89")),
                                                       ("-0.05BD", "-0.05", Decimal("-0.05"))], True),
    "decimal_big": ("DECIMAL(38,9)", "DECIMAL(38,9)", [
        ("12345678901234567890123456789.123456789BD", "'12345678901234567890123456789.123456789'::DECIMAL(38,9)",
         Decimal("12345678901234567890123456789.123456789")), ("-1.5BD", "-1.5", Decimal("-1.5"))], True),
    "string": ("STRING", "VARCHAR", [("'a/b %é'", "'a/b %é'", "a/b %é"), ("'😈=x:y'", "'😈=x:y'", "😈=x:y")], True),
    "binary": ("BINARY", "BLOB", [("X'00FF41'", "'\\x00\\xFFA'::BLOB", b"\x00\xffA"), ("X'41'", "'A'::BLOB", b"A")], False),
    "date": ("DATE", "DATE", [("DATE'1969-12-31'", "DATE '1969-12-31'", D(1969, 12, 31)),
                              ("DATE'0001-01-01'", "DATE '0001-01-01'", D(1, 1, 1)),
                              ("DATE'9999-12-31'", "DATE '9999-12-31'", D(9999, 12, 31))], True),
    "timestamp": ("TIMESTAMP", "TIMESTAMPTZ", [
        ("TIMESTAMP'2024-02-29 12:34:56.123456Z'", "TIMESTAMPTZ '2024-02-29 12:34:56.123456Z'",
         UTC(2024, 2, 29, 12, 34, 56, 123456)),
        ("TIMESTAMP'1969-12-31 23:59:59.999999Z'", "TIMESTAMPTZ '1969-12-31 23:59:59.999999Z'",
         UTC(1969, 12, 31, 23, 59, 59, 999999))], True),
    "timestamp_ntz": ("TIMESTAMP_NTZ", "TIMESTAMP", [
        ("TIMESTAMP_NTZ'2024-02-29 12:34:56.123456'", "TIMESTAMP '2024-02-29 12:34:56.123456'",
         UTC(2024, 2, 29, 12, 34, 56, 123456)),
        ("TIMESTAMP_NTZ'1900-01-01 00:00:00'", "TIMESTAMP '1900-01-01 00:00:00'", UTC(1900, 1, 1))], True),
    "array": ("ARRAY<INT>", "INTEGER[]", [("array(1, NULL, 3)", "[1, NULL, 3]", [1, None, 3]),
                                          ("CAST(array() AS ARRAY<INT>)", "[]::INTEGER[]", [])], False),
    "map": ("MAP<STRING, BIGINT>", "MAP(VARCHAR, BIGINT)", [
        ("map('a', 1L, 'b', CAST(NULL AS BIGINT))", "MAP {'a': 1::BIGINT, 'b': NULL}", {"a": 1, "b": None})], False),
    "struct": ("STRUCT<x: INT, y: STRUCT<z: STRING>>", "STRUCT(x INTEGER, y STRUCT(z VARCHAR))", [
        ("named_struct('x', 1, 'y', named_struct('z', 'q'))", "{'x': 1, 'y': {'z': 'q'}}", {"x": 1, "y": {"z": "q"}}),
        ("named_struct('x', CAST(NULL AS INT), 'y', CAST(NULL AS STRUCT<z: STRING>))", "{'x': NULL, 'y': NULL}",
         {"x": None, "y": None})], False),
    "deep": ("ARRAY<STRUCT<m: MAP<STRING, ARRAY<DATE>>>>", "STRUCT(m MAP(VARCHAR, DATE[]))[]", [
        ("array(named_struct('m', map('k', array(DATE'2024-01-01', CAST(NULL AS DATE)))))",
         "[{'m': MAP {'k': [DATE '2024-01-01', NULL]}}]", [{"m": {"k": [D(2024, 1, 1), None]}}])], False),
}


def rows(name):
    """(id, value) rows of a cell, NULL last; what every engine must return, in rows_of's order."""
    values = [v for _, _, v in CELLS[name][2]] + [None]
    return sorted(((i, v) for i, v in enumerate(values)), key=repr)


def select(name, dialect):
    """A SELECT of those rows in Spark's (0) or DuckDB's (1) words, typed."""
    literals = [c[dialect] for c in CELLS[name][2]] + ["NULL"]
    as_type = CELLS[name][dialect]
    return " UNION ALL ".join(f"SELECT {i} AS id, CAST({v} AS {as_type}) AS v" for i, v in enumerate(literals))
