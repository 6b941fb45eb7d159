#!/usr/bin/env python3
"""A runner for DuckDB's sqllogictest files, small and strict: a directive that it does not know is an error.

    slt_runner.py [--host birdfoot|python|duckdb] FILE…

It knows `statement ok|error`, `query <types> [sort] [label]`, connection labels, `----` with values, rows, hashes and
<REGEX>:, `loop`, `foreach`, `require`, `skipif` / `onlyif`, `mode skip`, `reconnect`, `restart`, `halt`, `sleep`; and
{TEMP_DIR} (__TEST_DIR__ too), a folder of the file's own.
"""
import argparse
import hashlib
import math
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from slt_hosts import HOSTS, SqlError  # noqa: E402

BUILT_IN = {"birdfoot", "parquet", "json", "icu", "core_functions", "autocomplete", "skip_reload"}


class Failure(Exception):
    """The file and line where a test does not hold, and why."""


class Skipped(Exception):
    """Why a file does not run here."""


class Runner:
    def __init__(self, file, host, temp, prelude=(), edit=None):
        self.file = pathlib.Path(file)
        self.host = host
        self.variables = {"TEMP_DIR": str(temp), "TEST_DIR": str(temp)}
        self.prelude = list(prelude)  # statements that a configuration runs in every connection
        self.edit = edit or (lambda sql: sql)  # what it makes of the file's own
        self.prepared = set()
        self.results = {}
        self.skipping = False
        self.ran = 0

    def run(self):
        lines = self.file.read_text(encoding="utf-8").split("\n")
        self._run(list(enumerate(lines, 1)))
        if self.ran == 0:
            raise Failure(f"{self.file}: nothing was run")

    def _fail(self, line, text):
        raise Failure(f"{self.file}:{line}: {text}")

    def _substitute(self, text):
        text = text.replace("__TEST_DIR__", self.variables["TEST_DIR"])
        return re.sub(r"\$?\{(\w+)\}", lambda m: self.variables.get(m.group(1), m.group(0)), text)

    def _run(self, lines):
        position, applies = 0, True
        while position < len(lines):
            number, line = lines[position]
            words = line.split()
            position += 1
            if not words or line.startswith("#"):
                continue
            word = words[0]
            if word in ("skipif", "onlyif"):
                applies = applies and (self._is_here(words[1]) == (word == "onlyif"))
                continue
            if word in ("statement", "query"):
                end = position
                while end < len(lines) and lines[end][1].strip():
                    end += 1
                if applies and not self.skipping:
                    self._one(number, words, [text for _, text in lines[position:end]])
                position, applies = end, True
            elif word in ("loop", "foreach"):
                end = self._end_of_loop(lines, position, number)
                if not self.skipping:
                    self._loop(number, words, lines[position:end])
                position = end + 1
            elif word == "halt":
                return
            else:
                self._directive(number, words)

    def _is_here(self, what):
        """A condition names a host, `duckdb` for all of them as in DuckDB's files, or compares a loop's variable."""
        if "=" in what:
            name, value = what.split("=", 1)
            return self.variables.get(name) == value
        return what in ("duckdb", self.host.name) if what == "duckdb" else what == f"host:{self.host.name}"

    def _directive(self, number, words):
        word = words[0]
        if word == "mode" and words[1] in ("skip", "unskip"):
            self.skipping = words[1] == "skip"
        elif self.skipping or word in ("group", "tags", "hash-threshold", "name"):
            return
        elif word == "require":
            if words[1] not in BUILT_IN:
                raise Skipped(f"{self.file}:{number}: needs {words[1]}")
        elif word in ("reconnect", "restart"):
            self.host.reconnect()
            self.prepared.clear()
        elif word == "sleep":
            unit = {"second": 1, "milli": 1e-3, "micro": 1e-6}[re.match("second|milli|micro", words[2]).group()]
            time.sleep(int(words[1]) * unit)
        else:
            self._fail(number, f"'{word}' is no directive that this runner knows")

    def _end_of_loop(self, lines, position, number):
        depth = 1
        for index in range(position, len(lines)):
            word = lines[index][1].split()[:1]
            depth += (word in (["loop"], ["foreach"])) - (word == ["endloop"])
            if depth == 0:
                return index
        self._fail(number, "there is no endloop")

    def _loop(self, number, words, body):
        if words[0] == "loop":
            values = [str(i) for i in range(int(self._substitute(words[2])), int(self._substitute(words[3])))]
        else:
            values = [self._substitute(word) for word in words[2:]]
        before = self.variables.get(words[1])
        for value in values:
            self.variables[words[1]] = value
            self._run(body)
        if before is None:
            self.variables.pop(words[1], None)
        else:
            self.variables[words[1]] = before

    def _execute(self, sql, label):
        if label not in self.prepared:
            self.prepared.add(label)
            for statement in self.prelude:
                self.host.execute(statement, label)
        return self.host.execute(self.edit(sql), label)

    def _one(self, number, words, block):
        block = [self._substitute(line) for line in block]
        split = block.index("----") if "----" in block else None
        sql = "\n".join(block[:split])
        expected = None if split is None else block[split + 1:]
        self.ran += 1
        if words[0] == "statement":
            self._statement(number, words, sql, expected)
        else:
            self._query(number, words, sql, expected or [])

    def _statement(self, number, words, sql, expected):
        outcome = words[1] if len(words) > 1 else ""
        if outcome not in ("ok", "error", "maybe"):
            self._fail(number, "statement is followed by ok, error or maybe")
        try:
            self._execute(sql, words[2] if len(words) > 2 else "")
        except SqlError as error:
            message = str(error)
            if outcome == "ok":
                self._fail(number, f"failed: {message}\n{sql}")
            wanted = "\n".join(expected or [])
            if outcome == "error" and not _message_matches(wanted, message):
                self._fail(number, f"failed with\n{message}\nwhere this was expected\n{wanted}\n{sql}")
            return
        if outcome == "error":
            self._fail(number, f"succeeded where an error was expected\n{sql}")

    def _query(self, number, words, sql, expected):
        types = words[1] if len(words) > 1 else ""
        if not re.fullmatch("[ITRDPB?]+", types):
            self._fail(number, "query is followed by a letter for each column")
        options = words[2:]
        sort = next((option for option in options if option in ("nosort", "rowsort", "valuesort")), "nosort")
        labels = [option for option in options if option not in ("nosort", "rowsort", "valuesort")]
        connection = next((label for label in labels if re.match(r"con\w*\d*$", label)), "")
        try:
            rows = self._execute(sql, connection)
        except SqlError as error:
            self._fail(number, f"failed: {error}\n{sql}")
        width = len(types)
        if rows and len(rows[0]) != width:
            self._fail(number, f"returns {len(rows[0])} columns, not {width}\n{sql}")
        rows = [[_value_text(value) for value in row] for row in rows]
        for label in labels:
            if label != connection and self.results.setdefault(label, rows) != rows:
                self._fail(number, f"differs from the other results labelled {label}\n{sql}")
        why = _compare(rows, expected, types, sort)
        if why:
            self._fail(number, f"{why}\n{sql}\n---- is\n" + "\n".join("\t".join(row) for row in rows[:50]))


def _message_matches(wanted, message):
    if wanted.startswith("<REGEX>:"):
        return re.search(wanted[len("<REGEX>:"):], message, re.S) is not None
    return wanted in message


def _value_text(value):
    return "NULL" if value is None else "(empty)" if value == "" else value.replace("\0", "\\0")


def _arrange(rows, sort):
    if sort == "valuesort":
        return sorted([value] for row in rows for value in row)
    return sorted(rows) if sort == "rowsort" else rows


def _compare(rows, expected, types, sort):
    width = len(types)
    rows = _arrange(rows, sort)
    if len(expected) == 1:
        hashed = re.fullmatch(r"(\d+) values hashing to ([0-9a-f]{32})", expected[0])
        if hashed:
            values = [value for row in rows for value in row]
            digest = hashlib.md5("".join(value + "\n" for value in values).encode()).hexdigest()
            same = (len(values), digest) == (int(hashed.group(1)), hashed.group(2))
            return "" if same else f"hashes to {digest}"
    by_row = width > 1 and all(line.count("\t") == width - 1 for line in expected)
    if by_row:
        wanted = [line.split("\t") for line in expected]
    elif len(expected) % width == 0:
        wanted = [expected[i:i + width] for i in range(0, len(expected), width)]
    else:
        return f"{len(expected)} values are expected, which is no multiple of {width} columns"
    wanted = _arrange(wanted, sort)
    if len(rows) != len(wanted):
        return f"returns {len(rows)} rows, not {len(wanted)}"
    kinds = types if sort != "valuesort" else "?"
    for number, (row, want) in enumerate(zip(rows, wanted), 1):
        for column, (value, text) in enumerate(zip(row, want)):
            if not _same(value, text, kinds[column]):
                return f"row {number}, column {column + 1} is '{value}', not '{text}'"
    return ""


def _same(value, wanted, kind):
    if value == wanted:
        return True
    if wanted.startswith("<REGEX>:"):
        return re.fullmatch(wanted[len("<REGEX>:"):], value, re.S) is not None
    if wanted.startswith("<!REGEX>:"):
        return re.fullmatch(wanted[len("<!REGEX>:"):], value, re.S) is None
    if {value, wanted} in ({"true", "1"}, {"false", "0"}):
        return True
    if kind == "R":
        try:
            return math.isclose(float(value), float(wanted), rel_tol=1e-9)
        except ValueError:
            return False
    return False


def run_file(file, host_name, temp, prelude=(), edit=None):
    """Runs one file in one host; raises Failure or Skipped."""
    host = HOSTS[host_name]()
    try:
        Runner(file, host, temp, prelude, edit).run()
    finally:
        host.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", choices=HOSTS, default="birdfoot")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    failed = 0
    for file in arguments.files:
        with tempfile.TemporaryDirectory(prefix="slt-") as temp:
            try:
                run_file(file, arguments.host, temp)
            except Skipped as why:
                print(f"skipped {why}")
            except Failure as why:
                failed += 1
                print(why)
    print(f"{len(arguments.files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
