"""The runner fails where it should: a test that cannot fail proves nothing."""
import pytest

from slt_runner import Failure, Skipped, run_file

FAILING = {
    "another value": "query I\nSELECT 1\n----\n2\n",
    "a row too many": "query I\nFROM range(2)\n----\n0\n",
    "a row too few": "query I\nFROM range(1)\n----\n0\n1\n",
    "another number of columns": "query II\nSELECT 1\n----\n1\n",
    "an error where none is expected": "statement ok\nSELECT x\n",
    "an error in a query": "query I\nSELECT x\n----\n1\n",
    "no error": "statement error\nSELECT 1\n----\n\n",
    "another error": "statement error\nSELECT x\n----\nout of memory\n",
    "another error, by pattern": "statement error\nSELECT x\n----\n<REGEX>:^out of memory$\n",
    "an unknown directive": "statment ok\nSELECT 1\n",
    "a loop without end": "loop i 0 3\n\nstatement ok\nSELECT 1\n",
    "nothing run": "# only a comment\n",
    "NULL is not an empty string": "query T\nSELECT NULL\n----\n(empty)\n",
    "order": "query I\nSELECT * FROM (VALUES (2), (1)) t ORDER BY 1 DESC\n----\n1\n2\n",
    "another hash": "query I\nSELECT 1\n----\n1 values hashing to 00000000000000000000000000000000\n",
    "inside a loop": "loop i 0 3\n\nquery I\nSELECT ${i}\n----\n0\n\nendloop\n",
    "labels that differ": "query I nosort x\nSELECT 1\n----\n1\n\nquery I nosort x\nSELECT 2\n----\n2\n",
}


@pytest.mark.parametrize("host", ["birdfoot", "python", "duckdb"])
@pytest.mark.parametrize("name", FAILING)
def test_it_fails(name, host, tmp_path):
    if host != "python" and name in ("an unknown directive", "a loop without end", "nothing run"):
        return  # no host is asked
    file = tmp_path / "t.test"
    file.write_text(FAILING[name])
    with pytest.raises(Failure):
        run_file(file, host, tmp_path)


def test_what_is_not_there_is_left_out_with_its_reason(tmp_path):
    file = tmp_path / "t.test"
    file.write_text("require httpfs\n\nstatement ok\nSELECT 1\n")
    with pytest.raises(Skipped, match="needs httpfs"):
        run_file(file, "python", tmp_path)


def test_hash_of_values(tmp_path):
    file = tmp_path / "t.test"
    file.write_text("query I\nFROM range(3)\n----\n3 values hashing to 996dc30fa92a088d53929ed16588ec72\n")
    run_file(file, "python", tmp_path)
