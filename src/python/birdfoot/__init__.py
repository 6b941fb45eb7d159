"""Birdfoot in Python: DuckDB connections that read and write Delta tables.

    import birdfoot
    con = birdfoot.connect()
    con.sql("SELECT * FROM delta.`/data/sales` VERSION AS OF 3").df()
"""
import pathlib

import duckdb

__all__ = ["connect", "load", "extension_path", "__version__"]
__version__ = "0.1.0"

_DUCKDB = "1.5.5"


def extension_path() -> str:
    """The file that LOAD takes, for a connection that was opened with allow_unsigned_extensions."""
    return str(pathlib.Path(__file__).parent / "lib" / "birdfoot.duckdb_extension")


def connect(database=":memory:", read_only=False, config=None) -> duckdb.DuckDBPyConnection:
    """duckdb.connect with Birdfoot loaded. `config` takes DuckDB's settings and, after loading, Birdfoot's."""
    if duckdb.__version__ != _DUCKDB:
        raise ImportError(f"Birdfoot {__version__} is made for duckdb {_DUCKDB}, and {duckdb.__version__} is installed. "
                          f"Run: pip install duckdb=={_DUCKDB}")
    settings = dict(config or {})
    ours = {name: settings.pop(name) for name in list(settings) if name.startswith("birdfoot_")}
    connection = duckdb.connect(str(database), read_only, {**settings, "allow_unsigned_extensions": "true"})
    try:
        load(connection)
        for name, value in ours.items():
            connection.execute(f'SET "{name}" = $value', {"value": value})
    except Exception:
        connection.close()
        raise
    return connection


def load(connection: duckdb.DuckDBPyConnection) -> None:
    """Loads Birdfoot into a connection of your own, opened with {"allow_unsigned_extensions": "true"}."""
    quoted = extension_path().replace("'", "''")
    connection.execute(f"LOAD '{quoted}'")
