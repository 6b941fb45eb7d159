"""Numbers of a log that cannot be true."""
import json

import duckdb
import pytest
from engines import connect


def rewrite_adds(root, change):
    log = root / "_delta_log" / "00000000000000000000.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        if "add" in action:
            change(action["add"])
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))
    (root / "_delta_log" / "00000000000000000000.crc").unlink(missing_ok=True)


def test_more_rows_than_can_be_counted(bird, tmp_path):
    bird.execute("SET birdfoot_checkpoints = off")
    bird.execute(f"CREATE TABLE delta.`{tmp_path}/t` (a INT, p INT) PARTITIONED BY (p)")
    (tmp_path / "t" / "_delta_log" / "00000000000000000000.crc").unlink(missing_ok=True)
    bird.execute(f"INSERT INTO delta.`{tmp_path}/t` VALUES (1, 1), (2, 2)")
    log = tmp_path / "t" / "_delta_log" / "00000000000000000001.json"
    (tmp_path / "t" / "_delta_log" / "00000000000000000001.crc").unlink(missing_ok=True)
    log.write_text(log.read_text().replace('\\"numRecords\\":1', '\\"numRecords\\":9223372036854775807'))
    assert "9223372036854775807" in log.read_text()
    with connect() as con:
        assert con.execute(f"SELECT count(*) FROM delta.`{tmp_path}/t`").fetchone() == (2,)
        assert con.execute(f"SELECT count(*) FROM delta.`{tmp_path}/t` WHERE p = 1").fetchone()[0] in (1, 2**63 - 1)


def test_row_ids_that_are_not_enough(bird, tmp_path):
    bird.execute(f"CREATE TABLE delta.`{tmp_path}/t` TBLPROPERTIES ('delta.enableRowTracking' = 'true') "
                 "AS SELECT i AS a FROM range(3) r(i)")

    def push(add):
        add["baseRowId"] = 2**63 - 2

    rewrite_adds(tmp_path / "t", push)
    with connect() as con:
        assert con.execute(f"SELECT count(a) FROM delta.`{tmp_path}/t`").fetchone() == (3,)
        with pytest.raises(duckdb.Error, match="DELTA_LOG_FILE_MALFORMED"):
            con.execute(f"SELECT a, _row_id FROM delta.`{tmp_path}/t`").fetchall()
