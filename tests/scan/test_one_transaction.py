"""A table is one table, whatever a statement calls it: reads count for conflicts, see the transaction's own rows, and repeat."""
import os

import duckdb
import pytest
from engines import connect


@pytest.fixture
def table(tmp_path):
    with connect() as con:
        con.execute(f"CREATE TABLE delta.`{tmp_path}/lake/t` AS SELECT 1::BIGINT AS id")
    os.symlink(tmp_path / "lake", tmp_path / "link")
    return tmp_path / "lake" / "t"


NAMES = {
    "delta_scan": "delta_scan('{path}')",
    "path": "'{path}'",
    "warehouse": "lake.t",
    "link": "delta.`{link}/t`",
    "dots": "delta.`{path}/../t`",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_read_by_another_name_is_a_read(table, name):
    target = f"delta.`{table}`"
    other = NAMES[name].format(path=table, link=table.parents[1] / "link")
    with connect() as con, connect() as rival:
        con.execute(f"ATTACH '{table.parent}' AS lake (TYPE birdfoot)")
        con.execute("BEGIN")
        con.execute(f"INSERT INTO {target} SELECT max(id) + 1 FROM {other}")
        assert con.execute(f"SELECT count(*) FROM {other}").fetchone() == (2,)
        rival.execute(f"INSERT INTO {target} SELECT max(id) + 1 FROM {target}")
        assert con.execute(f"SELECT count(*) FROM {other}").fetchone() == (2,)
        with pytest.raises(duckdb.Error, match="DELTA_CONCURRENT_APPEND"):
            con.execute("COMMIT")
        assert con.execute(f"SELECT id FROM {other} ORDER BY id").fetchall() == [(1,), (2,)]


@pytest.mark.parametrize("name", NAMES)
def test_reads_repeat(table, name):
    other = NAMES[name].format(path=table, link=table.parents[1] / "link")
    with connect() as con, connect() as rival:
        con.execute(f"ATTACH '{table.parent}' AS lake (TYPE birdfoot)")
        con.execute("BEGIN")
        assert con.execute(f"SELECT count(*) FROM delta.`{table}`").fetchone() == (1,)
        rival.execute(f"INSERT INTO delta.`{table}` VALUES (2)")
        assert con.execute(f"SELECT count(*) FROM {other}").fetchone() == (1,)
        con.execute("COMMIT")
        assert con.execute(f"SELECT count(*) FROM {other}").fetchone() == (2,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("statement", ["DELETE FROM {t} WHERE id % 2 = 1 AND id IN (SELECT id FROM {t})", "DELETE FROM {t} WHERE id < 2",
                                       "UPDATE {t} SET id = id + 10 WHERE id = 1",
                                       "MERGE INTO {t} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE"])
def test_changes_behind_a_read_by_another_name(table, name, statement):
    other = NAMES[name].format(path=table, link=table.parents[1] / "link")
    with connect() as con:
        con.execute(f"ATTACH '{table.parent}' AS lake (TYPE birdfoot)")
        con.execute("BEGIN")
        assert con.execute(f"SELECT count(*) FROM {other}").fetchone() == (1,)
        con.execute(statement.format(t=f"delta.`{table}`"))
        con.execute("COMMIT")
        assert con.execute(f"SELECT count(*) FROM {other} WHERE id < 10").fetchone() == (0,)
