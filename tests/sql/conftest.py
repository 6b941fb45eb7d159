"""Each *.test file here is a test in each host that people have: our command, the stock Python module, the stock CLI."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))

from slt_hosts import HOSTS  # noqa: E402
from slt_runner import Failure, Skipped, run_file  # noqa: E402


def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".test":
        return SqlFile.from_parent(parent, path=file_path)


class SqlFile(pytest.File):
    def collect(self):
        for host in HOSTS:
            yield SqlItem.from_parent(self, name=host)


class SqlItem(pytest.Item):
    def runtest(self):
        temp = self.config._tmp_path_factory.mktemp(f"{self.path.stem}-{self.name}")
        try:
            run_file(self.path, self.name, temp)
        except Skipped as why:
            pytest.skip(str(why))

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, Failure):
            return str(excinfo.value)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}[{self.name}]"
