"""The programs that a sqllogictest file runs in: our command, the stock Python module, the stock CLI. A host opens
connections and answers a statement with rows of text as DuckDB casts them, None for NULL."""
import csv
import datetime
import decimal
import io
import os
import pathlib
import re
import selectors
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BIRDFOOT_BUILD", ROOT / "build" / "release"))
EXTENSION = BUILD / "birdfoot.duckdb_extension"
TIMEOUT = 20


class SqlError(Exception):
    """What the host said about a statement that failed."""


class PythonHost:
    name = "python"

    def __init__(self):
        self.connections = {}

    def execute(self, sql, label=""):
        import duckdb

        if label not in self.connections:
            self.connections[label] = self._connect()
        connection = self.connections[label]
        try:
            connection.execute(sql)
            types = [column[1] for column in connection.description or []]
            return [[text_of(v, t) for v, t in zip(row, types)] for row in connection.fetchall()] if types else []
        except duckdb.Error as error:
            raise SqlError(str(error)) from None

    def _connect(self):
        import duckdb

        if self.connections:
            return next(iter(self.connections.values())).cursor()
        connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        connection.execute(f"LOAD '{EXTENSION}'")
        return connection

    def reconnect(self):
        self.close()

    def close(self):
        for connection in self.connections.values():
            connection.close()
        self.connections = {}


class ProcessHost:
    """A shell fed through its standard input: CSV comes back, and a marker behind each statement says that it is done.
    A label is a process of its own, so labelled connections share tables in files only."""

    NULL = "<null>"

    def __init__(self):
        self.processes = {}
        self.count = 0

    def execute(self, sql, label=""):
        if label not in self.processes:
            self.processes[label] = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                                     stderr=subprocess.PIPE, env={**os.environ, "TZ": "UTC"})
            self.exchange(self.processes[label], self.prelude())
        output, errors = self.exchange(self.processes[label], sql)
        if errors.strip():
            raise SqlError(errors.strip())
        return self.rows(output, sql)

    def exchange(self, process, sql):
        self.count += 1
        marker = f"done-{self.count}-{os.getpid()}"
        process.stdin.write(f"{sql}\n;\n.print {marker}\n".encode())  # no SQL: it works in a failed transaction too
        process.stdin.flush()
        end = f"{marker}\n".encode()
        output, errors, deadline = b"", b"", time.monotonic() + TIMEOUT
        with selectors.DefaultSelector() as selector:
            for stream in (process.stdout, process.stderr):
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ)
            while end not in output:
                for key, _ in selector.select(1):
                    data = key.fileobj.read() or b""
                    if key.fileobj is process.stdout:
                        output += data
                    else:
                        errors += data
                if process.poll() is not None or time.monotonic() > deadline:
                    self.close()
                    why = "ended" if process.poll() is not None else "gave no answer"
                    raise SqlError(f"the host {why}: {errors.decode(errors='replace')}")
        errors += process.stderr.read() or b""
        return output[:output.index(end)].decode(), errors.decode()

    def prelude(self):
        return ""

    def rows(self, output, sql):
        # csv.reader cannot tell "" from nothing, so NULL has a text of its own. The first line names the columns.
        rows = list(csv.reader(io.StringIO(output, newline="")))[1:]
        return [[None if cell == self.NULL else cell for cell in row] for row in rows]

    def reconnect(self):
        self.close()

    def close(self):
        for process in self.processes.values():
            process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
            process.stderr.close()
        self.processes = {}


class BirdfootHost(ProcessHost):
    name = "birdfoot"

    def command(self):
        return [BUILD / "birdfoot", "shell", "--counts", "--format", "csv", "--null", self.NULL]


class DuckdbHost(ProcessHost):
    name = "duckdb"

    def command(self):
        return [pathlib.Path(sys.executable).parent / "duckdb", "-unsigned", "-csv", "-nullvalue", self.NULL]

    CHANGES = re.compile(r"^changes: +(\d+) +total_changes: +\d+\n", re.M)
    CHANGING = re.compile(r"\s*(insert|update|delete|merge|truncate|copy|execute|create\b.*\bas)\b", re.I | re.S)

    def prelude(self):
        return f".changes on\nLOAD '{EXTENSION}'"

    def rows(self, output, sql):
        # Rows changed come as a line behind the statement.
        changes = self.CHANGES.findall(output)
        rest = self.CHANGES.sub("", output)
        if not rest and self.CHANGING.match(sql):
            return [[changes[-1]]]
        return super().rows(rest, sql)


HOSTS = {host.name: host for host in (BirdfootHost, PythonHost, DuckdbHost)}


def text_of(value, type_, nested=False):
    """A value of the Python module as DuckDB casts it to VARCHAR."""
    if value is None:
        return "NULL" if nested else None
    kind = type_.id
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == "float":
        import numpy

        value = float(str(numpy.float32(value)))
    if isinstance(value, (int, float, decimal.Decimal)):
        return f"{value:f}" if isinstance(value, decimal.Decimal) else repr(value)
    if isinstance(value, (bytes, bytearray)):
        return "".join(chr(b) if 32 <= b < 127 and chr(b) not in "\\'\"" else f"\\x{b:02X}" for b in value)
    if isinstance(value, datetime.datetime):
        zone = ""
        if value.tzinfo:
            value, zone = value.astimezone(datetime.timezone.utc).replace(tzinfo=None), "+00"
        return value.strftime(f"{value.year:04}-%m-%d %H:%M:%S") + _fraction(value.microsecond) + zone
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S") + _fraction(value.microsecond)
    if isinstance(value, list):
        children = dict(type_.children)
        return "[" + ", ".join(text_of(v, children["child"], True) for v in value) + "]"
    if isinstance(value, dict):
        children = dict(type_.children)
        if kind == "map":
            return "{" + ", ".join(f"{text_of(k, children['key'], True)}={text_of(v, children['value'], True)}"
                                   for k, v in value.items()) + "}"
        return "{" + ", ".join(f"'{k}': {text_of(v, children[k], True)}" for k, v in value.items()) + "}"
    text = str(value)
    if nested and kind == "varchar" and _needs_quotes(text):
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return text


def _fraction(micros):
    return f".{micros:06}".rstrip("0") if micros else ""


def _needs_quotes(text):
    return text == "" or text.lower() == "null" or text != text.strip() or any(c in "\"'\\[]{}(),:=" for c in text)
