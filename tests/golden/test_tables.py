"""Every table of tests/golden/tables, written by a real peer (make_tables.py), gives the rows that the peer itself read, at each version."""
import json
import pathlib

import pytest

from engines import rows_of

TABLES = pathlib.Path(__file__).parent / "tables"
# A variant as text: to_json in Spark, a cast here.
SELECT = {"variant": "id, CAST(CAST(v AS JSON) AS VARCHAR) AS v"}


def load(name):
    return json.loads((TABLES / name / "expected.json").read_text())


@pytest.mark.parametrize("name", sorted(p.name for p in TABLES.iterdir()))
def test_every_version_reads_as_its_writer_reads_it(bird, name):
    expected = load(name)
    for read in expected["reads"]:
        rows = bird.execute(f'SELECT {SELECT.get(name, "*")} FROM delta_scan(\'{TABLES / name / "delta"}\', version => {read["version"]})')
        assert [repr(r) for r in rows_of(rows)] == sorted(read["rows"]), f"version {read['version']}"
    latest = bird.execute(f'SELECT {SELECT.get(name, "*")} FROM delta."{TABLES / name / "delta"}"')
    assert [repr(r) for r in rows_of(latest)] == sorted(expected["reads"][-1]["rows"])


def test_the_change_feed_is_the_writers(bird):
    rows = bird.execute(f"SELECT id, v, _change_type, _commit_version FROM table_changes_by_path('{TABLES / 'change_feed' / 'delta'}', 1)")
    assert [repr(r) for r in rows_of(rows)] == sorted(load("change_feed")["changes"])
