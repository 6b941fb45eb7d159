"""The independent check finds what it looks for: a sound table passes, and each kind of damage is named."""
import json
import os

import pytest
from engines import connect
from table_check import Fault, check_table


@pytest.fixture
def table(tmp_path):
    con = connect()
    root = str(tmp_path / "t")
    con.execute("SET birdfoot_checkpoints = 'inline'")
    con.execute(f"""CREATE TABLE delta."{root}" (id BIGINT, s STRUCT<x: DOUBLE>, ts TIMESTAMP) USING delta
        TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', 'delta.enableRowTracking' = 'true', 'delta.checkpointInterval' = '3')""")
    con.execute(f"INSERT INTO delta.\"{root}\" SELECT i, {{'x': i / 2}}, TIMESTAMP '2024-01-01 00:00:00.0004' FROM range(5000) t(i)")
    con.execute(f'DELETE FROM delta."{root}" WHERE id % 1000 < 900')  # a bitmap of words
    con.execute(f'INSERT INTO delta."{root}" VALUES (1, NULL, NULL), (2, NULL, NULL), (3, NULL, NULL)')
    con.execute(f'DELETE FROM delta."{root}" WHERE id = 2')
    con.close()
    return root


def edit(root, version, change):
    path = f"{root}/_delta_log/{version:020}.json"
    with open(path) as file:
        actions = [json.loads(line) for line in file]
    change(actions)
    with open(path, "w") as file:
        file.write("".join(json.dumps(action) + "\n" for action in actions))


def adds(actions):
    return [action["add"] for action in actions if "add" in action]


def test_a_sound_table_passes(table):
    assert check_table(table) == 2


def statistics(change):
    def edit_stats(actions):
        add = adds(actions)[0]
        stats = json.loads(add["stats"])
        change(stats)
        add["stats"] = json.dumps(stats)
    return edit_stats


DAMAGE = {
    "has .* bytes, the log says": (4, lambda actions: adds(actions)[0].update(size=1)),
    "names one file twice": (3, lambda actions: actions.append(actions[-1])),
    "partition values": (4, lambda actions: adds(actions)[0].update(partitionValues={"p": "1"})),
    "has no row ids": (4, lambda actions: adds(actions)[0].pop("baseRowId")),
    "two files have the row id": (4, lambda actions: adds(actions)[0].update(baseRowId=17)),
    "rows, its statistics say": (4, statistics(lambda stats: stats.update(numRecords=4))),
    "minValues": (4, statistics(lambda stats: stats["minValues"].update(id=2))),
    "maxValues": (2, statistics(lambda stats: stats["maxValues"]["s"].update(x=3.5))),
    "its cardinality is": (2, lambda actions: adds(actions)[0]["deletionVector"].update(cardinality=7)),
    "the checkpoint of version 3 has": (3, lambda actions: actions.remove(next(a for a in actions if "add" in a))),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_named(table, what):
    version, change = DAMAGE[what]
    edit(table, version, change)
    with pytest.raises(Fault, match=what):
        check_table(table)


def test_a_missing_file_and_a_missing_version_are_named(table):
    os.rename(f"{table}/_delta_log/{1:020}.json", f"{table}/_delta_log/{9:020}.json")
    with pytest.raises(Fault, match="version 1 is missing"):
        check_table(table)
    os.rename(f"{table}/_delta_log/{9:020}.json", f"{table}/_delta_log/{1:020}.json")
    path = adds(json.loads(line) for line in open(f"{table}/_delta_log/{1:020}.json"))[0]["path"]
    os.remove(f"{table}/{path}")
    with pytest.raises(Fault, match="is live and not there"):
        check_table(table)
