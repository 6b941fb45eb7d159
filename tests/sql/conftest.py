"""Each *.test file here is a test in each host that people have (our command, the stock Python module, the stock CLI) and, in
Python, under each configuration of tests/configs: statements that every connection runs first (NAME.sql), or an edit of the
file's own (NAME.py). A file of which the expectations do not hold under one says so in a line `# not under NAME: reason` (`any`
for all). Behind each run an independent check (table_check) looks at every table that the file has left, and delta-rs reads its log."""
import pathlib
import re
import sys

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

TESTS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "configs")]

import partitioned  # noqa: E402
from slt_hosts import HOSTS  # noqa: E402
from slt_runner import Failure, Skipped, run_file  # noqa: E402
from table_check import Fault, check_table, tables_under  # noqa: E402

CONFIGS = {path.stem: path.read_text().splitlines() for path in sorted(TESTS.glob("configs/*.sql"))}
EDITS = {"partitioned": partitioned.edit}


# What delta-rs 1.6.6 says of tables that it does not read, whoever wrote them.
NOT_FOR_DELTA_RS = re.compile(r"Unsupported table features required")


def check_by_delta_rs(table, files):
    """Its log of the table has as many live files as the check has counted."""
    try:
        theirs = len(DeltaTable(table).file_uris())
    except (DeltaError, OSError, ValueError) as error:
        if NOT_FOR_DELTA_RS.search(str(error)):
            return
        raise Fault(f"{table}: delta-rs does not read its log: {error}") from error
    if files is not None and theirs != files:
        raise Fault(f"{table}: delta-rs sees {theirs} files, and there are {files}")


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".test":
        return SqlFile.from_parent(parent, path=file_path)


class SqlFile(pytest.File):
    def collect(self):
        for host in HOSTS:
            yield SqlItem.from_parent(self, name=host)
        statements = self.path.read_text(encoding="utf-8").split("\n\n")
        edits = [name for name, edit in EDITS.items() if any(edit(text) != text for text in statements)]
        for config in [*CONFIGS, *edits]:
            yield SqlItem.from_parent(self, name=f"python-{config}")


class SqlItem(pytest.Item):
    def runtest(self):
        host, _, config = self.name.partition("-")
        text = self.path.read_text(encoding="utf-8")
        why = re.search(rf"^# not under (?:{config}|any): (.+)", text, re.M) if config else None
        if why:
            pytest.skip(why.group(1))
        temp = self.config._tmp_path_factory.mktemp(f"{self.path.stem}-{self.name}")
        try:
            run_file(self.path, host, temp, CONFIGS.get(config, ()), EDITS.get(config))
        except Skipped as why:
            pytest.skip(str(why))
        if "# broken on purpose" not in text:
            for table in tables_under(temp):
                check_by_delta_rs(table, check_table(table))

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, (Failure, Fault)):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}[{self.name}]"
